//! Distance kernels of triangle pairs, segments and points.
