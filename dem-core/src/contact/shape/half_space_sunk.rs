//! The force of the law of volumes on a mesh that is below a half-space, except for a small rest. The mesh's volume below no longer changes, so
//! the gradient of the volume no longer pushes.

use glam::DVec3;
use zerocopy::FromZeros;

use super::half_space_mesh::{BELOW, Ground, Sunk, Term};
use super::triangle_in_slab::slab;
use crate::contact::{PRISM, status};
use crate::real::{max, min};

/// The part of a mesh's volume above the plane at which this force begins. (It is a volume, not the height of the highest corner, so that the
/// force acts in the middle of a flat top.)
const REST: f64 = 1.0 / 64.0;

/// Upper bound of the steps to find a depth: bisection alone gives full precision.
const STEPS: usize = 64;

/// The part of the volume that is rounding.
const NOTHING: f64 = 1.0 / (1u64 << 48) as f64;

/// The part above a plane: its volume, the area of the cut, and the integral of the points of the cut, about the mesh's centre.
struct Above {
    volume: f64,
    cut: f64,
    first: DVec3,
}

impl Ground<'_> {
    /// The force on a mesh that has sunk in: that of the energy `(Vol r(D) + A D^2 / 2) / T`. The mesh has [`REST`] of its volume above a plane,
    /// and D is the depth of this plane below the half-space; `r' = min(D / T, 1)`. The force acts in the middle of the mesh's section with that
    /// plane. `below` is the volume below the half-space.
    ///
    /// Cost: none unless a mesh has sunk in; then about ten passes over it.
    #[inline(never)]
    pub fn sunk(&self, below: f64) -> Option<Sunk> {
        let cells = &self.surface.cells;
        let ([area, volume], true) = (*cells.surface.first()?, cells.is_outward()) else { return None };
        if !(volume > 0.0 && volume - below < REST * volume) {
            return None;
        }
        // The largest halo is used at any depth, also if halos differ.
        let halo = self.largest_halo();
        if !self.is_conservative(halo) {
            return None;
        }
        let (lowest, highest) = self.span();
        let (mut low, mut high, mut depth) = (0.0, max(-lowest, 0.0), 0.5 * halo);
        let mut above = self.above(depth);
        for _ in 0..STEPS {
            let more = above.volume - REST * volume;
            if more.abs() <= NOTHING * volume {
                break;
            }
            (low, high) = if more < 0.0 { (depth, high) } else { (low, depth) };
            let newton = depth - more / above.cut;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next.to_bits() == depth.to_bits() {
                break;
            }
            depth = next;
            above = self.above(depth);
        }
        if !(depth > 0.0 && above.cut > 0.0) {
            return None;
        }
        let shadow = 0.25 * area;
        let part = min(depth / halo, 1.0);
        let load = (volume * part + shadow * depth) / halo;
        let rise = part * (depth - 0.5 * part * halo);
        let at = above.first / above.cut + DVec3::from_array(self.surface.mesh.centre());
        // The term reports the depth, with its point halfway between that plane and the surface. Its area begins at 0, as the force does.
        let (even, own) = (at + self.up * (0.5 * depth), load / (1.0 + depth / halo));
        let energy = if self.wants.energy { (volume * rise + 0.5 * shadow * depth * depth) / halo } else { 0.0 };
        let term = Term {
            key: [0, BELOW],
            area: own,
            pressure: load,
            first: (even * load).to_array(),
            normal: (-self.up).to_array(),
            load,
            at: (at * load).to_array(),
            least_gap: f64::INFINITY,
            halo,
            energy,
            even: (even * own).to_array(),
            ..Term::new_zeroed()
        };
        Some(Sunk { term, status: if highest < 0.0 { status::CONTAINED } else { 0 } })
    }

    /// The patch below that faces down most. Terms are sorted.
    pub fn patch_below(&self, terms: &[Term]) -> u64 {
        let down = |group: &[Term]| {
            let below = group.iter().filter(|term| term.key[1] == BELOW);
            below.fold(0.0, |sum, term| sum - self.up.dot(DVec3::from_array(term.normal)) * term.load)
        };
        let groups = terms.chunk_by(|x, y| x.key[0] >> 32 == y.key[0] >> 32);
        let most = groups.map(|group| (down(group), group)).reduce(|x, y| if y.0 > x.0 { y } else { x });
        most.and_then(|(_, group)| group.first()).map_or(0, |term| term.key[0] >> 32)
    }

    /// The smallest and the largest height of a corner.
    fn span(&self) -> (f64, f64) {
        let mesh = &self.surface.mesh;
        let corners = (0..mesh.len()).flat_map(|i| mesh.triangle(i));
        corners
            .map(|x| self.up.dot(DVec3::from_array(x)) - self.offset)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (min(low, h), max(high, h)))
    }

    /// The part above the plane at this depth below the half-space, by the divergence theorem with a field that is zero on the plane.
    fn above(&self, depth: f64) -> Above {
        let (mesh, cells) = (&self.surface.mesh, &self.surface.cells);
        let middle = DVec3::from_array(mesh.centre());
        let mut sum = Above { volume: 0.0, cut: 0.0, first: DVec3::ZERO };
        for i in 0..mesh.len() {
            let Some(prism) = cells.prism(i).filter(|cell| cell.kind == PRISM) else { continue };
            let corners = mesh.triangle(i).map(DVec3::from_array);
            let heights = corners.map(|x| self.up.dot(x) - self.offset);
            let (corners, normal) = (corners.map(|x| x - middle), DVec3::from_array(prism.normal));
            if let Some(piece) = slab(&corners, heights, normal, [-depth, f64::INFINITY], [-1.0, -depth], None) {
                let looks_up = self.up.dot(normal);
                sum.volume += looks_up * piece.pressure;
                sum.cut += looks_up * piece.area;
                sum.first += piece.even * looks_up;
            }
        }
        // Subtracts the part of the integral that does not belong to the cut.
        sum.first -= self.up * sum.volume;
        sum
    }
}
