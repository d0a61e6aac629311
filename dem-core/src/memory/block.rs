//! A block: a header, the sizes of one component, and its sections.

use super::layout::check_align;
use super::{Carve, CarveRef, Layout, Plain, Plan, Role, Section, hash};
use crate::error::{Error, Kind, Result, What};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The sizes of a component: all numbers that its layout depends on, as plain data. The block of the component stores
/// its sizes.
pub trait Sizes: Plain {
    /// Four letters that name the component; never reused for another one.
    const KIND: [u8; 4];
    /// Version of the block's format; blocks of other versions are refused.
    const VERSION: u32;
    /// The name of the component in errors.
    const WHAT: What = What::Block;

    /// Checks that a component may have these sizes.
    ///
    /// Errors: [`Kind::TooLarge`] or [`Kind::OutOfRange`]. Bad sizes in the header of a block are [`Kind::Damaged`].
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// The list of sections for given sizes. [`sections!`](crate::sections) implements this trait.
pub trait Sections: Sizes {
    /// Adds the sections to `plan`, in order.
    fn plan(&self, plan: &mut Plan);
}

/// First 64 bytes of every block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Header {
    /// `MAGIC`, by which a file is recognised.
    magic: [u8; 4],
    /// `ORDER` in the byte order of the machine that wrote it.
    order: u32,
    /// [`Sizes::KIND`].
    pub kind: [u8; 4],
    /// [`Sizes::VERSION`].
    pub version: u32,
    /// Bytes of the whole block.
    pub total: u64,
    /// Bytes of the sizes.
    sizes: u64,
    /// Hash of all bytes behind this header; 0 while the block is open for writing.
    pub seal: u64,
    spare: [u64; 2],
    /// Hash of the 56 bytes before this field and of the sizes that follow the header.
    digest: u64,
}

const MAGIC: [u8; 4] = *b"dem\n";
const ORDER: u32 = 0x0102_0304;
const HEADER: usize = size_of::<Header>();

/// Which part of a block is wrong: the `index` of its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Place {
    /// The first four letters: the bytes are not a block.
    Magic = 1,
    /// Written by a machine of the other byte order.
    ByteOrder = 2,
    /// A block of another component.
    Kind = 3,
    /// Another version of the format.
    Version = 4,
    /// The header does not match its own hash.
    Header = 5,
    /// Sizes that the component cannot have.
    Sizes = 6,
    /// Not sealed: still being built, or open for writing.
    Seal = 7,
    /// The bytes behind the header do not match the seal.
    Bytes = 8,
    /// The count of items in use is larger than their section.
    Live = 9,
}

fn damaged(what: What, place: Place) -> Error {
    Error::new(Kind::Damaged, what).at(place as u64, 0)
}

impl Header {
    /// The header of a block of any kind.
    ///
    /// Errors: [`Kind::Misaligned`]; [`Kind::Damaged`] with its [`Place`]; [`Kind::Capacity`] where `block` is cut short.
    pub fn read(block: &[u8], what: What) -> Result<Header> {
        check_align(block.as_ptr().addr(), what)?;
        let short = Error::capacity(what, HEADER as u64, block.len() as u64);
        let (header, rest) = Header::read_from_prefix(block).map_err(|_| short)?;
        if header.magic != MAGIC {
            return Err(damaged(what, Place::Magic));
        }
        if header.order != ORDER {
            return Err(damaged(what, Place::ByteOrder));
        }
        let sizes = usize::try_from(header.sizes).ok().and_then(|n| rest.get(..n));
        if sizes.is_none_or(|sizes| header.digest != header.digest(sizes)) {
            return Err(damaged(what, Place::Header));
        }
        if header.total > block.len() as u64 {
            return Err(Error::capacity(what, header.total, block.len() as u64));
        }
        Ok(header)
    }

    /// Whether the block has a checksum, which opening it for writing removes.
    pub fn is_sealed(&self) -> bool {
        self.seal != 0
    }

    /// Marks the block as open for writing. `n` are the sizes stored in it.
    pub fn unseal<S: Sizes>(&mut self, n: &S) {
        if self.is_sealed() {
            self.seal = 0;
            self.digest = self.digest(n.as_bytes());
        }
    }

    fn new<S: Sizes>(n: &S, total: usize) -> Header {
        let (sizes, total) = (size_of::<S>() as u64, total as u64);
        let spare = [0; 2];
        let header = Header {
            magic: MAGIC,
            order: ORDER,
            kind: S::KIND,
            version: S::VERSION,
            total,
            sizes,
            seal: 0,
            spare,
            digest: 0,
        };
        Header { digest: header.digest(n.as_bytes()), ..header }
    }

    fn digest(&self, sizes: &[u8]) -> u64 {
        hash(hash(0, Header { digest: 0, ..*self }.as_bytes()), sizes)
    }

    /// Bytes of the block behind this header.
    fn body<'m>(&self, block: &'m [u8]) -> &'m [u8] {
        usize::try_from(self.total).ok().and_then(|total| block.get(HEADER..total)).unwrap_or_default()
    }

    /// Writes this header with a new seal to the front of `block`.
    fn write(self, seal: u64, block: &mut [u8]) {
        let sealed = Header { seal, ..self };
        let sizes = usize::try_from(self.sizes).ok().and_then(|n| block.get(HEADER..)?.get(..n)).unwrap_or_default();
        let header = Header { digest: sealed.digest(sizes), ..sealed };
        // Cannot fail: every block is longer than a header.
        _ = header.write_to_prefix(block);
    }
}

/// The memory that a block of these sizes needs.
///
/// Errors: those of [`Sizes::check`]; [`Kind::TooLarge`].
pub fn layout<S: Sections>(n: &S) -> Result<Layout> {
    n.check()?;
    let mut plan = Plan::new();
    plan_block(n, &mut plan);
    plan.layout(S::WHAT)
}

/// Calls `visit` with every section of a block, header included, and its place in the block.
pub fn walk<S: Sections>(n: &S, visit: &mut dyn FnMut(Section)) {
    plan_block(n, &mut Plan::visiting(visit));
}

/// Checks that the count `live`, read from a block, is at most `len`, the length of its section.
///
/// Errors: [`Place::Live`] with both numbers.
pub fn check_live(live: u64, len: usize, what: What) -> Result<()> {
    let error = damaged(what, Place::Live).amounts(len as u64, live);
    if live <= len as u64 { Ok(()) } else { Err(error) }
}

fn plan_block<S: Sections>(n: &S, plan: &mut Plan) {
    plan.section::<Header>("header", Role::State, 1).section::<S>("sizes", Role::State, 1);
    n.plan(plan);
}

/// Makes an empty, unsealed block: all sections and gaps zero. Bytes behind the layout's size are left alone.
///
/// Errors: those of [`layout`]; [`Kind::Misaligned`]; [`Kind::Capacity`]. Nothing is then written.
pub fn init<'m, S: Sections>(block: &'m mut [u8], n: &S) -> Result<Carve<'m>> {
    let layout = layout(n)?;
    layout.check(block, S::WHAT)?;
    block.get_mut(..layout.size).unwrap_or_default().fill(0);
    let mut carve = Carve::new(block, layout, S::WHAT)?;
    carve.take::<Header>(1)?.fill(Header::new(n, layout.size));
    carve.take::<S>(1)?.fill(*n);
    Ok(carve)
}

/// Opens a block for writing: its header, its sizes and its sections. [`Header::unseal`] comes before the first write.
///
/// Errors: [`Kind::Misaligned`]; [`Kind::Damaged`] with its [`Place`]; [`Kind::Capacity`] where `block` is cut short.
pub fn open_mut<S: Sections>(block: &mut [u8]) -> Result<(&mut Header, S, Carve<'_>)> {
    let (_, n, layout) = read::<S>(block)?;
    let mut carve = Carve::new(block, layout, S::WHAT)?;
    let header = carve.take::<Header>(1)?;
    carve.take::<S>(1)?;
    Ok((header.first_mut().ok_or(damaged(S::WHAT, Place::Header))?, n, carve))
}

/// Opens a block for reading.
///
/// Errors: as [`open_mut`]; [`Place::Seal`] where it has to be sealed and is not.
pub fn open<S: Sections>(block: &[u8], must_be_sealed: bool) -> Result<(S, CarveRef<'_>)> {
    let (header, n, layout) = read::<S>(block)?;
    if must_be_sealed && !header.is_sealed() {
        return Err(damaged(S::WHAT, Place::Seal));
    }
    let mut carve = CarveRef::new(block, layout, S::WHAT)?;
    carve.take::<Header>(1)?;
    carve.take::<S>(1)?;
    Ok((n, carve))
}

/// Checks a sealed block as [`open`] does, and gives a hash of its header and sizes, with which [`reopen`] skips the
/// checks. Never 0.
///
/// Errors: as [`open`] for a block that has to be sealed.
pub fn mark<S: Sections>(block: &[u8]) -> Result<u64> {
    open::<S>(block, true)?;
    head_mark::<S>(block).ok_or(damaged(S::WHAT, Place::Header))
}

/// Opens a block whose header and sizes are byte for byte those that [`mark`] hashed, in this block or a copy. None for
/// other blocks; [`open`] tells why. Also gives the bytes behind the block.
///
/// Cost: a hash of two cache lines.
#[inline]
pub fn reopen<S: Sections>(block: &[u8], mark: u64) -> Option<(S, CarveRef<'_>, &[u8])> {
    if head_mark::<S>(block)? != mark || !block.as_ptr().addr().is_multiple_of(super::ALIGN) {
        return None;
    }
    let (header, body) = block.split_at_checked(HEADER)?;
    let total = u64::from_ne_bytes(*header.get(TOTAL..)?.first_chunk()?);
    let (n, _) = S::read_from_prefix(body).ok()?;
    let carve = CarveRef::behind(block, HEADER + size_of::<S>().next_multiple_of(super::ALIGN), total, S::WHAT)?;
    Some((n, carve, block.get(usize::try_from(total).ok()?..)?))
}

/// Offset of [`Header::total`].
const TOTAL: usize = core::mem::offset_of!(Header, total);

/// Hash of header and sizes. Sizes are rounded up to 32 bytes, the block length of the hash; the zeros behind them
/// reach to a multiple of 64.
#[inline]
fn head_mark<S: Sizes>(block: &[u8]) -> Option<u64> {
    Some(hash(1, block.get(..HEADER + size_of::<S>().next_multiple_of(32))?).max(1))
}

/// Reads header and sizes and checks that they belong to a block of this kind.
fn read<S: Sections>(block: &[u8]) -> Result<(Header, S, Layout)> {
    let header = Header::read(block, S::WHAT)?;
    if header.kind != S::KIND {
        return Err(damaged(S::WHAT, Place::Kind));
    }
    if header.version != S::VERSION {
        return Err(damaged(S::WHAT, Place::Version));
    }
    let bad = damaged(S::WHAT, Place::Sizes);
    let (n, _) = S::read_from_prefix(header.body(block)).map_err(|_| bad)?;
    match layout(&n) {
        Ok(layout) if layout.size as u64 == header.total => Ok((header, n, layout)),
        _ => Err(bad),
    }
}

/// Computes the checksum of a finished block of any kind and writes it into the header. Gives the checksum.
///
/// Errors: as [`Header::read`]. Cost: one pass over the bytes.
pub fn seal(block: &mut [u8]) -> Result<u64> {
    let header = Header::read(block, What::Block)?;
    let seal = checksum(header.body(block));
    header.write(seal, block);
    Ok(seal)
}

/// Writes a sealed copy of a block of any kind to the front of `to`, at any alignment. Gives its length.
///
/// Errors: as [`Header::read`]; [`Kind::Capacity`] for [`What::Output`]. Cost: a copy and a pass over it.
pub fn sealed_copy(block: &[u8], to: &mut [u8]) -> Result<usize> {
    let header = Header::read(block, What::Block)?;
    let short = Error::capacity(What::Output, header.total, to.len() as u64);
    let length = usize::try_from(header.total).map_err(|_| short)?;
    let (from, to) = (block.get(..length).unwrap_or_default(), to.get_mut(..length).ok_or(short)?);
    to.copy_from_slice(from);
    header.write(checksum(header.body(block)), to);
    Ok(length)
}

/// Compares a sealed block of any kind with its checksum: for blocks read from a file or a network.
///
/// Errors: as [`Header::read`]; [`Place::Seal`]; [`Place::Bytes`]. Cost: one pass over the bytes.
pub fn verify(block: &[u8]) -> Result<Header> {
    let header = Header::read(block, What::Block)?;
    if !header.is_sealed() {
        return Err(damaged(What::Block, Place::Seal));
    }
    if checksum(header.body(block)) != header.seal {
        return Err(damaged(What::Block, Place::Bytes));
    }
    Ok(header)
}

/// A hash of kind, version, sizes and checksum, which tells sealed blocks of different content apart.
///
/// Errors: as [`Header::read`]; [`Place::Seal`]. Cost: constant.
pub fn identity(block: &[u8]) -> Result<u64> {
    let header = Header::read(block, What::Block)?;
    if header.is_sealed() { Ok(header.digest) } else { Err(damaged(What::Block, Place::Seal)) }
}

/// Never 0, since a seal of 0 means unsealed.
fn checksum(body: &[u8]) -> u64 {
    hash(0, body).max(1)
}

/// Writes a self-consistent header for any sizes and total, as an attacker could.
#[cfg(test)]
pub(super) fn forge<S: Sizes>(block: &mut [u8], n: &S, total: u64) {
    let header = Header { total, ..Header::new(n, 0) };
    header.write(0, block);
}
