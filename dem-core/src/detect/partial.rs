//! A step with too little room: the room that it lacked, and its partial results, which the next call with more room reuses.

use super::shortage::{Most, Shortage};
use crate::error::Error;

/// Where the partial results are in the scratch of a step.
#[derive(Clone, Copy, Debug)]
pub struct Unfinished {
    pub(super) candidates: u32,
    /// Hash of the candidates, because a new list may have other candidates.
    pub(super) hash: u64,
    pub(super) most: Most,
    /// Bytes of scratch before the partial results.
    pub(super) at: usize,
}

/// A step that had too little room.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    /// The error of [`Scene::find`](super::Scene::find).
    pub error: Error,
    /// All room that it lacked.
    pub shortage: Shortage,
    /// `None` if no pair of bodies was computed.
    pub unfinished: Option<Unfinished>,
}

/// The partial results of a step with too little room.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// The scratch of that step, unchanged since then.
    pub scratch: &'a [u8],
    /// Where the results are.
    pub unfinished: Unfinished,
}

/// The outcome of a step without an error of another kind.
#[derive(Clone, Copy, Debug)]
pub enum Ended<T> {
    /// It is done.
    Done(T),
    /// There was too little room, and nothing has changed.
    Short(Short),
}
