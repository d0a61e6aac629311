//! The C interface of dem: conversions and checks at the edge, no logic.
