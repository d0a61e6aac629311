//! What the tests share: scenes, random numbers, slow references.
