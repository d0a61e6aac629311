//! The form of [`sections!`](crate::sections) for scratch: sections without a header, for one call.

/// [`sections!`](crate::sections) forwards lists for scratch to this macro.
#[doc(hidden)]
#[macro_export]
macro_rules! scratch_sections {
    (
        $(#[$doc:meta])*
        $vis:vis struct $Name:ident<$m:lifetime $(, $G:ident)?> (
            $($arg:ident : $A:ty),* $(,)? $(; $($local:ident = $value:expr),* $(,)?)?
        ) {
            $( $(#[$fdoc:meta])* $fvis:vis $field:ident : $kind:tt
                $(* $copies:tt)? $(($($sub:expr),* $(,)?))? $(if $cond:expr)? ),* $(,)?
        }
    ) => {
        $(#[$doc])*
        $vis struct $Name<$m $(, $G: $crate::memory::Plain)?> {
            $( $(#[$fdoc])* $fvis $field: $crate::scratch_sections!(@type $m $kind $(if $cond)?), )*
        }

        #[allow(dead_code)] // not every list uses all of it
        impl<$m $(, $G: $crate::memory::Plain)?> $Name<$m $(, $G)?> {
            /// Memory that these sections need.
            ///
            /// Errors: `TooLarge`.
            pub fn layout($($arg: $A),*) -> $crate::error::Result<$crate::memory::Layout> {
                let mut plan = $crate::memory::Plan::new();
                Self::plan(&mut plan, $($arg),*)?;
                plan.layout($crate::error::What::Scratch)
            }

            /// Adds the sections to `plan`, in order.
            ///
            /// Errors: those of the expressions for the lengths.
            pub fn plan(plan: &mut $crate::memory::Plan<'_>, $($arg: $A),*) -> $crate::error::Result<()> {
                $($( let $local = $value; )*)?
                $( $crate::scratch_sections!(@plan plan $kind [$($copies)?] ($($($sub),*)?) $(if $cond)?); )*
                Ok(())
            }

            /// The sections at the front of `scratch`. Their bytes do not change.
            ///
            /// Errors: those of `layout`; `Misaligned`; `Capacity` with the exact number of bytes.
            #[inline]
            pub fn new(scratch: &$m mut [u8], $($arg: $A),*) -> $crate::error::Result<Self> {
                Ok(Self::at_front(scratch, $($arg),*)?.0)
            }

            /// The sections at the front of `scratch`, and the memory behind them.
            ///
            /// Errors: as `new`.
            #[inline]
            pub fn at_front(scratch: &$m mut [u8], $($arg: $A),*) -> $crate::error::Result<(Self, &$m mut [u8])> {
                let given = (scratch.as_ptr().addr(), scratch.len());
                let mut carve = $crate::memory::Carve::whole(scratch, $crate::error::What::Scratch);
                match Self::carve(&mut carve, $($arg),*) {
                    Ok(sections) => Ok((sections, carve.rest())),
                    Err(error) => Err(Self::refusal(error, given, $($arg),*)),
                }
            }

            /// The error for scratch of this address and length, if its sections could not be taken.
            #[cold]
            #[inline(never)]
            fn refusal(
                error: $crate::error::Error,
                (address, bytes): (usize, usize),
                $($arg: $A),*
            ) -> $crate::error::Error {
                Self::layout($($arg),*)
                    .and_then(|layout| layout.check_at(address, bytes, $crate::error::What::Scratch))
                    .err()
                    .unwrap_or(error)
            }

            /// The sections, taken in order.
            ///
            /// Errors: `Capacity`.
            pub fn carve(carve: &mut $crate::memory::Carve<$m>, $($arg: $A),*) -> $crate::error::Result<Self> {
                $($( let $local = $value; )*)?
                Ok($Name {
                    $( $field: $crate::scratch_sections!(@carve carve $kind [$($copies)?] ($($($sub),*)?) $(if $cond)?), )*
                })
            }
        }
    };

    (@type $m:lifetime [$T:ty; $count:expr]) => { &$m mut [$T] };
    (@type $m:lifetime { $($layout:expr),+ $(,)? }) => { &$m mut [u8] };
    (@type $m:lifetime $Part:ident) => { $Part<$m> };
    (@type $m:lifetime $Part:ident if $cond:expr) => { Option<$Part<$m>> };

    (@count $count:expr, []) => { $count };
    (@count $count:expr, [$copies:tt]) => { u64::saturating_mul($count, $copies as u64) };

    (@plan $plan:ident [$T:ty; $count:expr] $copies:tt ()) => {
        $plan.add::<$T>($crate::scratch_sections!(@count $count, $copies))
    };
    (@plan $plan:ident { $($layout:expr),+ $(,)? } [] ()) => {
        $plan.part($crate::memory::Layout::EMPTY $(.or($layout))+)
    };
    (@plan $plan:ident $Part:ident [] ($($sub:expr),*)) => { $Part::plan($plan, $($sub),*)? };
    (@plan $plan:ident $Part:ident [] ($($sub:expr),*) if $cond:expr) => {
        if $cond {
            $Part::plan($plan, $($sub),*)?;
        }
    };

    (@carve $carve:ident [$T:ty; $count:expr] $copies:tt ()) => {
        $carve.take::<$T>($crate::scratch_sections!(@count $count, $copies))?
    };
    (@carve $carve:ident { $($layout:expr),+ $(,)? } [] ()) => {
        $carve.part($crate::memory::Layout::EMPTY $(.or($layout))+)?
    };
    (@carve $carve:ident $Part:ident [] ($($sub:expr),*)) => { $Part::carve($carve, $($sub),*)? };
    (@carve $carve:ident $Part:ident [] ($($sub:expr),*) if $cond:expr) => {
        if $cond { Some($Part::carve($carve, $($sub),*)?) } else { None }
    };
}
