//! The interface of a body for grouping its nodes.

use glam::DVec3;

/// The part of a body that contains a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Part {
    pub index: u32,
    /// Its first feature.
    pub first: u32,
}

/// The kinds of parts of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Kinds {
    /// Whether any part is a ball or a capsule.
    pub round: bool,
    /// Whether any part is something else.
    pub flat: bool,
}

/// The queries of grouping to a body. Patches of different parts never meet.
pub(in super::super) trait Body {
    /// The part that contains a feature; `from` is the part of a smaller feature.
    fn part(&self, feature: u32, from: Part) -> Part;
    /// The patches that share a vertex with a patch, in ascending order; numbered within the part, as `patch` is.
    fn neighbours(&self, part: u32, patch: u32) -> &[u32];
    /// The chart of a patch, numbered within the part.
    fn chart(&self, part: u32, patch: u32) -> u32;
    /// The outward unit normal of a feature in world axes; `None` for a round feature.
    fn normal(&self, feature: u32) -> Option<DVec3>;
    /// Whether a feature is flat, with one normal everywhere.
    fn is_flat(&self, feature: u32) -> bool {
        self.normal(feature).is_some()
    }
    /// A point of the plane of a feature and its outward unit normal, in world axes; `None` for a round feature.
    fn plane(&self, _feature: u32) -> Option<[DVec3; 2]> {
        None
    }
    /// The kinds of its parts.
    fn kinds(&self) -> Kinds {
        Kinds::default()
    }
    /// For a round feature: the vector from a point to the nearest point of its centre or its segment, and its radius, in world axes. `None` for
    /// all others.
    fn core(&self, _feature: u32, _from: DVec3) -> Option<(DVec3, f64)> {
        None
    }
    /// Whether some two patches of a part are a wall and the floor beside it: at right angles, or almost, across a concave edge.
    fn has_walls(&self) -> bool {
        false
    }
    /// Whether a patch shares a concave edge with any other patch.
    fn has_concave_edge(&self, _part: u32, _patch: u32) -> bool {
        false
    }
    /// Whether two patches share a concave edge.
    fn is_concave(&self, _part: u32, _patches: [u32; 2]) -> bool {
        false
    }
    /// Calls `put` for the ends of edges that two patches share, in world axes, while `put` returns true. Returns false without any call if both
    /// patches have very many triangles.
    fn shared(&self, _part: u32, _patches: [u32; 2], _put: impl FnMut(DVec3) -> bool) -> bool {
        false
    }
}
