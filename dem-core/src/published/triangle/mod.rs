//! Contacts of triangle pairs as published: three-valued answers of an iterative kernel, with proofs where wanted, and the hybrid kernel, which
//! asks the exact one about pairs that are left open.
//!
//! | file | what |
//! | --- | --- |
//! | `penalty` | the function that a sweep minimises, and the three schemes |
//! | `certified` | bounds of the distance that hold in spite of rounding |
//! | `iterative` | blocks of pairs through a few sweeps: contact, none, or not found out |
//! | `hybrid` | the iterative kernel first, the exact kernel for the rest |

mod certified;
mod hybrid;
mod iterative;
mod penalty;
#[cfg(test)]
mod tests;

pub use hybrid::{AnswerSink, Answered, Answers, Fallback, Found, Hybrid, HybridAnswer, Statistics, contacts_hybrid};
pub use iterative::{Sweep, Thresholds, Trial, TrialSink, Verdict, contacts_iterative};
pub use penalty::{Criterion, Iterative, Scheme};
