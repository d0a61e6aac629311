//! Regions, plan and carve, verify, grow: blocks of the caller, and what lies where in them.
