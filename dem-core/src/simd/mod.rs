//! Lanes, kernels as types, back ends, dispatch.
