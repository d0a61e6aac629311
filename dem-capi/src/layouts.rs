//! Structs that cross the border: no padding, and a list of fields to compare with what a C compiler makes of it.

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

/// A field of it.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Bytes before it.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
}

/// A struct that crosses the border.
pub(crate) trait Fixed: Copy {
    /// What it is made of.
    const LAYOUT: Layout;
    /// Bytes of a record in the first release: what a stride of 0 means. It is looked up where a record is used as one.
    const FIRST: usize = crate::first::size(Self::LAYOUT.name);
}

/// Says that a struct has these fields in this order, no others, and no padding on any machine.
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
                // Fails to compile where a field is missing in the list or has another type.
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
