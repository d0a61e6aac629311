//! Two meshes under a relative pose: pairs, distances, closest points.
