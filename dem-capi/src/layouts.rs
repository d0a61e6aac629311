//! Layouts of the structs of the headers: they have no padding, and a list of fields that tests compare with a C compiler.

/// A struct of the header.
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// Its fields in order.
    pub fields: &'static [Field],
}

/// A field of a struct.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Bytes before it.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
}

/// A struct that is passed between C and the library.
pub(crate) trait Fixed: Copy {
    /// Its size and fields.
    const LAYOUT: Layout;
    /// Bytes of a record in the first release, which a stride of 0 means. Only records of arrays need it.
    const FIRST: usize = crate::first::size(Self::LAYOUT.name);
}

/// Declares the fields of a struct in their order. Fails to compile if there are others, or padding on this machine.
macro_rules! fixed {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        const _: () = {
            let mut at = 0;
            $(
                assert!(core::mem::offset_of!($name, $field) == at, "padding before a field");
                at += size_of::<$type>();
            )*
            assert!(size_of::<$name>() == at, "padding at the end");
        };

        impl $crate::layouts::Fixed for $name {
            const LAYOUT: $crate::layouts::Layout = {
                // Fails to compile if a field is missing in the list or has another type.
                const fn _complete(all: &$name) -> ($(&$type,)*) {
                    let $name { $($field,)* } = all;
                    ($($field,)*)
                }
                $crate::layouts::Layout {
                    name: stringify!($name),
                    size: size_of::<$name>(),
                    align: align_of::<$name>(),
                    fields: &[$($crate::layouts::Field {
                        name: stringify!($field),
                        offset: core::mem::offset_of!($name, $field),
                        size: size_of::<$type>(),
                    },)*],
                }
            };
        }
    };
}
pub(crate) use fixed;
