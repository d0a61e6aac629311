//! A block of every number type: built, sealed, copied elsewhere, opened there and grown; hashed byte by byte.

use crate::{Hash, Random};
use dem_core::error::Result;
use dem_core::memory::{self, Sizes};
use dem_core::simd::Isa;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct ShelfSizes {
    books: u64,
    pages: u64,
}

impl Sizes for ShelfSizes {
    const KIND: [u8; 4] = *b"shlf";
    const VERSION: u32 = 1;
}

memory::sections! {
    /// Sections of several number types and lengths.
    struct Shelf / ShelfRef (n: &ShelfSizes) {
        place: State [[f64; 3]; n.books],
        weight: State [f32; n.books],
        page: State [[u32; 2]; n.pages],
        mark: Cache [u8; n.pages],
    }
}

pub(crate) fn run(_isa: Isa, memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(4);
    for (books, pages) in [(0, 0), (1, 1), (7, 100), (64, 65)] {
        shelf(&mut hash, &mut random, ShelfSizes { books, pages }, memory)?;
    }
    Ok(hash.value())
}

fn shelf(hash: &mut Hash, random: &mut Random, n: ShelfSizes, memory: &mut [u8]) -> Result<()> {
    let (first, rest) = memory.split_at_mut(crate::MEMORY / 4);
    let (second, third) = rest.split_at_mut(crate::MEMORY / 4);
    let size = Shelf::layout(&n)?.size;
    Shelf::build(first, &n, |shelf| {
        shelf.place.fill_with(|| random.point());
        shelf.weight.fill_with(|| random.signed() as f32);
        shelf.page.fill_with(|| [random.word() as u32, 5]);
        shelf.mark.fill_with(|| random.word() as u8);
        Ok(())
    })?;
    hash.bytes(&first[..size]);
    hash.word(memory::identity(first)?);

    second[..size].copy_from_slice(&first[..size]);
    memory::verify(&second[..size])?;
    hash.word(ShelfRef::open(second)?.hash());

    let larger = ShelfSizes { books: 2 * n.books + 1, pages: n.pages };
    let grown = Shelf::grow(second, third, &larger)?;
    hash.word(grown.as_ref().hash());
    hash.bytes(&third[..Shelf::layout(&larger)?.size]);
    Ok(())
}
