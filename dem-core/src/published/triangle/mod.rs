//! Contacts of triangle pairs by the published methods: an iterative kernel with three-valued answers, certified where
//! wanted, and a hybrid kernel, which passes unresolved pairs to the exact kernel.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `sweeps` | the function that a sweep minimises, and the three schemes |
//! | `certified` | guaranteed bounds of the distance |
//! | `iterative` | the iterative kernel: contact, none, or unresolved |
//! | `hybrid` | the iterative kernel first, the exact kernel for unresolved pairs |

mod certified;
mod hybrid;
mod iterative;
mod sweeps;
#[cfg(test)]
mod tests;

pub use hybrid::{
    AnswerSink, Answered, Answers, Fallback, Hybrid, HybridAnswer, HybridResult, Statistics, contacts_hybrid,
};
pub use iterative::{Sweep, Thresholds, Trial, TrialSink, Verdict, contacts_iterative};
pub use sweeps::{Criterion, Iterative, Scheme};
