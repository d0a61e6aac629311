//! A step that found too little room: what it was short of, and what it has found all the same, which a step with more room takes from there.

use super::pairs::Most;
use super::room::Shortage;
use crate::error::Error;

/// Where in the scratch of a step is what it has found.
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
    /// What [`Scene::find`](super::Scene::find) says of it.
    pub error: Error,
    /// All that it was short of.
    pub shortage: Shortage,
    /// `None` where no pair of bodies has been looked at.
    pub unfinished: Option<Unfinished>,
}

/// What a step that found too little room has left behind.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// Its scratch, as the step has left it.
    pub scratch: &'a [u8],
    /// Where it is there.
    pub unfinished: Unfinished,
}

/// How a step ended that did not fail.
#[derive(Clone, Copy, Debug)]
pub enum Ended<T> {
    /// It is done.
    Done(T),
    /// It found too little room, and has changed nothing.
    Short(Short),
}
