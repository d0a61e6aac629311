//! `sections!`: makes layout, views and carving of a block or of scratch from one list of sections.

/// Makes layout, views and carving from one list of sections: of a component in a block, or of a call's scratch.
///
/// # Blocks
/// ```
/// use dem_core::memory::{self, Sizes};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
/// #[repr(C)]
/// pub struct RopeSizes { pub knots: u32, pub strands: u32 }
///
/// impl Sizes for RopeSizes {
///     const KIND: [u8; 4] = *b"rope";
///     const VERSION: u32 = 1;
/// }
///
/// memory::sections! {
///     /// A rope.
///     pub struct Rope / RopeRef (n: &RopeSizes) {
///         /// Positions of the knots.
///         pub knot: State [[f64; 3]; n.knots as u64],
///         /// Lengths between consecutive knots.
///         pub length: Cache [f64; (n.knots as u64).saturating_sub(1)],
///     }
/// }
///
/// #[repr(align(64))]
/// struct Memory([u8; 1024]);
/// let mut memory = Memory([0xAB; 1024]);
/// let sizes = RopeSizes { knots: 3, strands: 1 };
/// assert_eq!(Rope::layout(&sizes)?.size, 64 + 64 + 128 + 64);
/// let rope = Rope::build(&mut memory.0, &sizes, |rope| {
///     rope.knot[2] = [1.0, 2.0, 3.0];
///     Ok(())
/// })?;
/// assert_eq!(rope.knot[2][1], 2.0);
/// # Ok::<(), dem_core::error::Error>(())
/// ```
///
/// A section is `visibility name: Role [Type; count]` with `Role` [`State`](crate::memory::Role::State) or
/// [`Cache`](crate::memory::Role::Cache), a [`Plain`](crate::memory::Plain) type, and a count that is a u64 computed
/// from the sizes by operations that cannot overflow on any machine. Components nest: behind the sections,
/// `; parts { name: View / ViewRef = &n.sizes_of_it, }`. Parts have no header. Some sections are used only up to a
/// count that is stored in another section. With `; live (view) { contact = view.count[0].contacts, }` opening a block
/// fails where this count exceeds the length of the section `contact`.
///
/// For `Rope` the macro defines two views, each with a field `sizes` and a field for every section:
/// * `Rope<'m>`, fields `&'m mut [T]`: `layout(&sizes)`, `init(block, &sizes)`, `open(block)`, `build(block, &sizes, fill)`
///   (init, fill, seal), `grow(old, block, &sizes)`, `carve(&mut Carve, &sizes)`, `as_ref()`, `into_ref()`;
/// * `RopeRef<'m>`, fields `&'m [T]`, `Copy`: `open(block)` (sealed), `reopen(block, mark)`, `peek(block)` (sealed or not),
///   `carve(&mut CarveRef, &sizes)`, `hash()` of the state;
/// * [`Sections`](crate::memory::Sections) for the sizes.
///
/// # Scratch
///
/// ```
/// use dem_core::memory::{self, Layout};
///
/// memory::sections! {
///     /// A list of marks.
///     struct Marks<'s>(count: u64) {
///         mark: [u32; count],
///     }
/// }
/// memory::sections! {
///     /// Scratch of a call.
///     pub struct Work<'s>(n: u32, threads: u32, first: Layout, second: Layout; items = u64::from(n)) {
///         /// Positions of items.
///         position: [[f64; 3]; items],
///         /// One stack per thread.
///         stacks: [u64; 16] * threads,
///         marks: Marks(2 * items),
///         /// Scratch of the first phase, then of the second one.
///         rest: { first, second },
///     }
/// }
///
/// #[repr(align(64))]
/// struct Memory([u8; 1024]);
/// let mut memory = Memory([0xAB; 1024]);
/// let [first, second] = [Marks::layout(1)?, Marks::layout(20)?];
/// assert_eq!(Work::layout(5, 2, first, second)?.size, 128 + 256 + 64 + 128);
/// let work = Work::new(&mut memory.0, 5, 2, first, second)?;
/// assert_eq!([work.position.len(), work.stacks.len(), work.marks.mark.len(), work.rest.len()], [5, 32, 10, 128]);
/// Marks::new(work.rest, 1)?.mark.fill(7);
/// # Ok::<(), dem_core::error::Error>(())
/// ```
///
/// The list takes arguments and, behind `;`, names for values computed from them. Lengths are u64; their expressions
/// may end in `?`. A section is
/// * `name: [Type; length]`, a field `&'s mut [Type]`; `name: [Type; length] * copies` for `copies` times as many
///   items, such as one stack per thread;
/// * `name: List(arguments)`, the sections of another list; `name: List(arguments) if condition`, which is None without it;
/// * `name: { layout, layout }`, bytes `&'s mut [u8]` as long as the largest of these layouts: scratch that several
///   calls carve one after the other.
///
/// The macro defines the struct with `layout(arguments)`, `new(scratch, arguments)` and `at_front(scratch, arguments)`, which
/// also gives the memory behind, and with `plan` and `carve`, which lists that contain this one call. A list
/// `Name<'s, T>` is for items of any [`Plain`](crate::memory::Plain) type `T`.
#[macro_export]
macro_rules! sections {
    (
        $(#[$doc:meta])*
        $vis:vis struct $View:ident / $Ref:ident ($n:ident : & $Sizes:ty) {
            $( $(#[$rdoc:meta])* $rvis:vis $section:ident : $role:ident [$T:ty; $count:expr] ),* $(,)?
            $(; parts { $( $(#[$pdoc:meta])* $pvis:vis $part:ident : $Part:ident / $PartRef:ident = $psizes:expr ),* $(,)? })?
            $(; live ($w:ident) { $( $live:ident = $count_live:expr ),* $(,)? })?
        }
    ) => {
        $(#[$doc])*
        ///
        /// Exclusive view.
        #[allow(dead_code)] // not every component uses all of it
        $vis struct $View<'m> {
            /// Sizes of the block.
            pub sizes: $Sizes,
            $( $(#[$rdoc])* $rvis $section: &'m mut [$T], )*
            $($( $(#[$pdoc])* $pvis $part: $Part<'m>, )*)?
        }

        $(#[$doc])*
        ///
        /// Shared view.
        #[derive(Clone, Copy)]
        #[allow(dead_code)] // not every component uses all of it
        $vis struct $Ref<'m> {
            /// Sizes of the block.
            pub sizes: $Sizes,
            $( $(#[$rdoc])* $rvis $section: &'m [$T], )*
            $($( $(#[$pdoc])* $pvis $part: $PartRef<'m>, )*)?
        }

        impl $crate::memory::Sections for $Sizes {
            fn plan(&self, plan: &mut $crate::memory::Plan) {
                let $n = self;
                $( plan.section::<$T>(stringify!($section), $crate::memory::Role::$role, $count); )*
                $($( $crate::memory::Sections::plan($psizes, plan); )*)?
                _ = ($n, plan);
            }
        }

        #[allow(dead_code)] // not every component uses all of it
        impl<'m> $View<'m> {
            /// The memory that a block of these sizes needs.
            ///
            /// Errors: those of the sizes' own check; `TooLarge`.
            pub fn layout($n: &$Sizes) -> $crate::error::Result<$crate::memory::Layout> {
                $crate::memory::layout($n)
            }

            /// A new, unsealed block whose sections are zero.
            ///
            /// Errors: those of `layout`; `Misaligned`; `Capacity`. Nothing is then written.
            pub fn init(block: &'m mut [u8], $n: &$Sizes) -> $crate::error::Result<Self> {
                Self::carve(&mut $crate::memory::init(block, $n)?, $n)
            }

            /// A block opened for writing, which unseals it.
            ///
            /// Errors: `Misaligned`; `Damaged` with its place; `Capacity` where `block` is cut short.
            pub fn open(block: &'m mut [u8]) -> $crate::error::Result<Self> {
                let (header, sizes, mut carve) = $crate::memory::open_mut::<$Sizes>(block)?;
                let view = Self::carve(&mut carve, &sizes)?;
                view.as_ref().check_live()?;
                header.unseal(&sizes);
                Ok(view)
            }

            /// A new block, filled, sealed and opened for reading.
            ///
            /// Errors: those of `init`; those of `fill`, after which the block stays unsealed.
            pub fn build(
                block: &'m mut [u8],
                $n: &$Sizes,
                fill: impl FnOnce(&mut $View<'_>) -> $crate::error::Result<()>,
            ) -> $crate::error::Result<$Ref<'m>> {
                fill(&mut $View::init(&mut *block, $n)?)?;
                $crate::memory::seal(block)?;
                $Ref::open(block)
            }

            /// A new, unsealed block of other sizes with the state of `old`. Caches are zero, and the component must
            /// rebuild them.
            ///
            /// Each state section is copied to the front of the new one, which is right for lists. A section whose
            /// order depends on a size (rows with a stride, a hash table) must be a cache, or the component moves its
            /// items.
            ///
            /// Errors: those of `init`; those of `peek` for `old`; `Capacity` where a state section of `old` is longer
            /// than the new one. Nothing is then written.
            pub fn grow(old: &[u8], block: &'m mut [u8], $n: &$Sizes) -> $crate::error::Result<Self> {
                let old = $Ref::peek(old)?;
                $crate::memory::layout($n)?;
                old.fits($n)?;
                let mut new = Self::init(block, $n)?;
                new.copy_state(old)?;
                Ok(new)
            }

            /// Takes the sections from `carve`, in order.
            ///
            /// Errors: `Capacity`.
            pub fn carve(carve: &mut $crate::memory::Carve<'m>, $n: &$Sizes) -> $crate::error::Result<Self> {
                Ok($View {
                    sizes: *$n,
                    $( $section: carve.take::<$T>($count)?, )*
                    $($( $part: $Part::carve(carve, $psizes)?, )*)?
                })
            }

            /// A shared view that borrows from this one.
            pub fn as_ref(&self) -> $Ref<'_> {
                $Ref { sizes: self.sizes, $( $section: &*self.$section, )* $($( $part: self.$part.as_ref(), )*)? }
            }

            /// Turns this view into a shared one.
            pub fn into_ref(self) -> $Ref<'m> {
                $Ref { sizes: self.sizes, $( $section: self.$section, )* $($( $part: self.$part.into_ref(), )*)? }
            }

            #[doc(hidden)]
            pub fn copy_state(&mut self, old: $Ref<'_>) -> $crate::error::Result<()> {
                let what = <$Sizes as $crate::memory::Sizes>::WHAT;
                $( if $crate::memory::Role::$role == $crate::memory::Role::State {
                    $crate::memory::copy_prefix(self.$section, old.$section, what)?;
                } )*
                $($( self.$part.copy_state(old.$part)?; )*)?
                _ = what;
                Ok(())
            }
        }

        #[allow(dead_code)] // not every component uses all of it
        impl<'m> $Ref<'m> {
            /// A sealed block, opened for reading.
            ///
            /// Errors: `Misaligned`; `Damaged` with its place, also where it is not sealed; `Capacity` where `block` is cut
            /// short.
            pub fn open(block: &'m [u8]) -> $crate::error::Result<Self> {
                Self::open_if(block, true)
            }

            /// Opens a sealed block whose header and sizes have this mark (`memory::mark`), and gives the bytes behind
            /// it, too. None for other blocks and for a block that is cut short.
            #[inline]
            pub fn reopen(block: &'m [u8], mark: u64) -> Option<(Self, &'m [u8])> {
                let (sizes, mut carve, rest) = $crate::memory::reopen::<$Sizes>(block, mark)?;
                let view = Self::carve(&mut carve, &sizes).ok()?;
                view.check_live().ok()?;
                Some((view, rest))
            }

            /// A block opened for reading, sealed or not.
            ///
            /// Errors: as `open`.
            pub fn peek(block: &'m [u8]) -> $crate::error::Result<Self> {
                Self::open_if(block, false)
            }

            fn open_if(block: &'m [u8], must_be_sealed: bool) -> $crate::error::Result<Self> {
                let (sizes, mut carve) = $crate::memory::open::<$Sizes>(block, must_be_sealed)?;
                let view = Self::carve(&mut carve, &sizes)?;
                view.check_live()?;
                Ok(view)
            }

            #[doc(hidden)]
            pub fn check_live(&self) -> $crate::error::Result<()> {
                $( let $w = self;
                let what = <$Sizes as $crate::memory::Sizes>::WHAT;
                $( $crate::memory::check_live($count_live, self.$live.len(), what)?; )* )?
                $($( self.$part.check_live()?; )*)?
                Ok(())
            }

            /// Takes the sections from `carve`, in order.
            ///
            /// Errors: `Capacity`.
            pub fn carve(carve: &mut $crate::memory::CarveRef<'m>, $n: &$Sizes) -> $crate::error::Result<Self> {
                Ok($Ref {
                    sizes: *$n,
                    $( $section: carve.take::<$T>($count)?, )*
                    $($( $part: $PartRef::carve(carve, $psizes)?, )*)?
                })
            }

            /// Hash of the state sections: blocks with equal state have equal hashes, whatever their caches hold.
            ///
            /// Cost: one pass over the state.
            pub fn hash(&self) -> u64 {
                self.hash_from(0)
            }

            #[doc(hidden)]
            pub fn hash_from(&self, seed: u64) -> u64 {
                let hash = seed;
                $( let hash = if $crate::memory::Role::$role == $crate::memory::Role::State {
                    $crate::memory::hash_items(hash, self.$section)
                } else {
                    hash
                }; )*
                $($( let hash = self.$part.hash_from(hash); )*)?
                hash
            }

            #[doc(hidden)]
            pub fn fits(&self, $n: &$Sizes) -> $crate::error::Result<()> {
                let what = <$Sizes as $crate::memory::Sizes>::WHAT;
                $( if $crate::memory::Role::$role == $crate::memory::Role::State {
                    let (needed, given): (u64, u64) = (self.$section.len() as u64, $count);
                    if needed > given {
                        return Err($crate::error::Error::capacity(what, needed, given));
                    }
                } )*
                $($( self.$part.fits($psizes)?; )*)?
                _ = ($n, what);
                Ok(())
            }
        }
    };
    (
        $(#[$doc:meta])*
        $vis:vis struct $Name:ident<$m:lifetime $(, $G:ident)?> $($list:tt)*
    ) => {
        $crate::scratch_sections! { $(#[$doc])* $vis struct $Name<$m $(, $G)?> $($list)* }
    };
}
