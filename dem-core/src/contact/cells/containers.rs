//! Whether a mesh that is not closed is a container, such as a tray, a groove, or a room with seams that do not close.
//!
//! Just behind the wall of a body with a hole, the winding number is about 1; in front of the wall it is about 0. Behind the wall of an open
//! surface, the number is the fraction of directions in which the space in front of the wall is open. For a room it is 0, for a floor a half. So
//! a number of 0 behind a wall shows a defect of a body, but is normal for a container. The borders of a mesh and the volumes of its parts tell
//! which of both it is.

use glam::DVec3;

use super::cell::{CANCELLED, WHAT, counts};
use super::faces::VertexFaces;
use crate::mesh::{MeshRef, Record, Sets};
use crate::real::{Real, min};

/// A part that leaves a larger fraction of its area open is a sheet, such as a floor: the inside is behind it.
const SHEET: f64 = 0.75;

/// A part looks inward if its volume over its area to the power of 3/2 is below minus this. A floor of ten by ten reaches this value if its walls
/// have a twentieth of its area.
const LEAST: f64 = 1.0 / 1024.0;

/// Memory with an item for each triangle.
pub(super) struct Memory<'s> {
    pub sets: &'s mut [u32],
    pub ways: &'s mut [[f64; 3]],
    pub middle: &'s mut [[f64; 3]],
    /// Volume and area.
    pub records: &'s mut [Record],
}

/// Sums over triangles, about the centre of the mesh, in units of about its radius.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// Sum of the area vectors.
    ways: DVec3,
    /// Sum of areas times centroids.
    middle: DVec3,
    volume: f64,
    area: f64,
}

impl Sum {
    fn of([a, b, c]: [DVec3; 3]) -> Self {
        let ways = (b - a).cross(c - a) * 0.5;
        let area = Real::sqrt(ways.length_squared());
        Sum { ways, middle: (a + b + c) * (area / 3.0), volume: a.dot(ways) / 3.0, area }
    }

    fn plus(&self, other: &Sum) -> Self {
        Sum {
            ways: self.ways + other.ways,
            middle: self.middle + other.middle,
            volume: self.volume + other.volume,
            area: self.area + other.area,
        }
    }

    fn is_sheet(&self) -> bool {
        self.ways.length_squared() > SHEET * SHEET * (self.area * self.area)
    }

    /// Uses the volume about the centroid of the area.
    fn looks_inward(&self) -> bool {
        let volume = self.volume * self.area - self.middle.dot(self.ways) / 3.0;
        volume < -LEAST * (self.area * self.area * Real::sqrt(self.area))
    }
}

/// Whether a mesh with these open sides is a container:
///
/// * no triangle is a side of a two-sided sheet;
/// * no open side has another triangle at both of its ends, so no triangle is turned over, and no edge has three triangles;
/// * each part (triangles connected across edges) that is not closed looks inward or is a sheet;
/// * if a part is a sheet, all parts together look inward or are a sheet: a cube of six loose squares is no container.
///
/// `part` is [`Cells::part`](super::Cells::part). Cost: none for a closed mesh; else linear, plus the triangles of one vertex for each open side.
pub(super) fn is_container(
    mesh: &MeshRef<'_>,
    open: &[u32],
    part: &[u32],
    around: &VertexFaces<'_>,
    memory: Memory<'_>,
) -> bool {
    let is_in = |i: u32| counts(part.get(i as usize));
    let is_border = |side: &u32| {
        let [p, q] = [0, 1].map(|k| mesh.welded((side / 3) as usize)[(side % 3 + k) as usize % 3]);
        let [at_p, at_q] = [p, q].map(|vertex| around.of(vertex));
        let (few, other) = if at_p.len() <= at_q.len() { (at_p, q) } else { (at_q, p) };
        !few.iter().any(|i| *i != side / 3 && is_in(*i) && mesh.welded(*i as usize).contains(&other))
    };
    let cancelled = |part: &u32| part & WHAT == CANCELLED;
    if open.is_empty() || part.iter().any(cancelled) || !open.iter().all(is_border) {
        return false;
    }
    let Memory { sets, ways, middle, records } = memory;
    let number = min(mesh.len(), min(records.len(), min(ways.len(), middle.len())));
    let all = || (0..number as u32).filter(|i| is_in(*i));
    let mut sets = Sets::new(sets);
    for i in all() {
        sets.join([i, i]);
        let neighbours = mesh.neighbour.get(i as usize).copied().unwrap_or_default();
        neighbours.into_iter().filter(|j| is_in(*j)).for_each(|j| sets.join([i, j]));
        if let Some(to) = records.get_mut(i as usize) {
            (ways[i as usize], middle[i as usize], *to) = ([0.0; 3], [0.0; 3], [0; 2]);
        }
    }
    let (centre, scale) = (DVec3::from_array(mesh.centre()), mesh.radius().inverse_exponent());
    let mut get = |root: usize, add: Option<Sum>| {
        let (Some(ways), Some(middle), Some(record)) =
            (ways.get_mut(root), middle.get_mut(root), records.get_mut(root))
        else {
            return Sum::default();
        };
        let [volume, area] = record.map(f64::from_bits);
        let sum = Sum { ways: DVec3::from_array(*ways), middle: DVec3::from_array(*middle), volume, area };
        let Some(add) = add else { return sum };
        let sum = sum.plus(&add);
        (*ways, *middle) = (sum.ways.to_array(), sum.middle.to_array());
        *record = [sum.volume, sum.area].map(f64::to_bits);
        sum
    };
    for i in all() {
        let corners = mesh.triangle(i as usize).map(|v| (DVec3::from_array(v) - centre) * scale);
        get(sets.root(i) as usize, Some(Sum::of(corners)));
    }
    // Sides of one part are mostly consecutive. Each part is added to the whole once.
    let (mut whole, mut sheets) = (Sum::default(), false);
    for side in open {
        let root = sets.root(side / 3) as usize;
        let sum = get(root, None);
        if sum.area <= 0.0 {
            continue;
        }
        sheets |= sum.is_sheet();
        if !sum.is_sheet() && !sum.looks_inward() {
            return false;
        }
        whole = whole.plus(&sum);
        // A negative area marks the part as done.
        let none = Sum { ways: -sum.ways, middle: -sum.middle, volume: -sum.volume, area: -sum.area };
        get(root, Some(none));
    }
    !sheets || whole.is_sheet() || whole.looks_inward()
}
