//! `Executor`, `Serial`, and cutting data into pieces.
