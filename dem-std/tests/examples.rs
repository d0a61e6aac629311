//! The example programs do what they say.
#![cfg(feature = "rayon")]
#![allow(clippy::unwrap_used)]

#[allow(dead_code, missing_docs)]
#[path = "../examples/rocks.rs"]
mod rocks;

#[test]
fn rocks_come_to_rest_in_their_box() {
    rocks::run(None).unwrap();
}
