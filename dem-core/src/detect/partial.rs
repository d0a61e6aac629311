//! A step with too little room: the room that it lacked, and its partial results, which a step with more room reuses.

use super::shortage::{Most, Shortage};
use crate::error::Error;

/// Places of the partial results in the scratch of a step.
#[derive(Clone, Copy, Debug)]
pub struct Unfinished {
    pub(super) candidates: u32,
    /// Hash of the candidates: those of a list that is made anew may be others.
    pub(super) hash: u64,
    pub(super) most: Most,
    /// Bytes before it.
    pub(super) at: usize,
}

/// A step that found too little room.
#[derive(Clone, Copy, Debug)]
pub struct Short {
    /// The error of [`Scene::find`](super::Scene::find).
    pub error: Error,
    /// All that it was short of.
    pub shortage: Shortage,
    /// `None` if no pair of bodies was computed.
    pub unfinished: Option<Unfinished>,
}

/// The partial results of a step with too little room.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Its scratch, as the step has left it.
    pub scratch: &'a [u8],
    /// Their places.
    pub unfinished: Unfinished,
}

/// How a step ended that did not fail.
#[derive(Clone, Copy, Debug)]
pub enum Ended<T> {
    /// It is done.
    Done(T),
    /// There was too little room, and nothing has changed.
    Short(Short),
}
