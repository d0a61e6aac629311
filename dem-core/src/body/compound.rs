//! Mass properties of compounds, whose parts may overlap.

use super::checks::check_density;
use crate::contact::shape::{Part, Placed, Shape, check_shape};
use crate::error::{Error, Kind, Result, What};
use crate::memory::Layout;
use crate::mesh::{MassProperties, mass_properties, mass_scratch, principal};
use crate::pose::{Pose, Transform};
use crate::rays::{Hit, Ray, cast_all};
use crate::real::{max, min};
use crate::vector::{add, scale, sub};

/// Scratch that [`compound_mass`] needs: that of [`mass_scratch`] for the largest mesh.
///
/// Errors: [`Kind::TooLarge`].
pub fn compound_mass_scratch(parts: &[Part<'_>]) -> Result<Layout> {
    parts.iter().try_fold(Layout::EMPTY, |most, part| match part.shape {
        Shape::Mesh(surface) => Ok(most.or(mass_scratch(&surface.mesh.sizes)?)),
        _ => Ok(most),
    })
}

/// Mass properties of a rigid compound filled with `density`, in its own frame. If parts overlap, their common volume counts once.
///
/// Single parts are exact: balls and capsules by closed forms, meshes by [`mass_properties`]. Overlaps are integrated over `columns` times
/// `columns` columns along z, through the box around all overlaps, each exactly along z; without overlaps there is no error. With 128, the common
/// volume of two balls has an error of a thousandth. If a mesh is not closed at a column, this column counts as if nothing overlapped there, and
/// its volume is added to `volume_error`.
///
/// A body with this compound as its shape usually has another frame: its centre of mass and principal axes. [`MassProperties::part_pose`]
/// times the pose of each part gives the compound in that frame.
///
/// `hits` needs room for the hits of a column, two for each ball or capsule. `scratch` is [`compound_mass_scratch`].
///
/// Errors: those of shapes about [`What::Shapes`] (index: the part); [`Kind::Unsupported`] for a half-space and a compound among the parts;
/// [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Density`], and for [`What::Mass`] if the volume is 0 or too large;
/// [`Kind::Capacity`] with the number for [`What::Output`] if a column has more hits than `hits` has room for; those of
/// [`mass_properties`]. Cost: that of each mesh, and `columns` squared ray casts if parts overlap.
pub fn compound_mass(
    parts: &[Part<'_>],
    density: f64,
    columns: u32,
    hits: &mut [Hit],
    scratch: &mut [u8],
) -> Result<MassProperties> {
    check_density(density)?;
    let compound = Shape::Compound(parts);
    check_shape(&compound)?;
    let mut sums = Sums { about: middle(parts), ..Sums::default() };
    for (i, part) in parts.iter().enumerate() {
        let own = one(part, scratch).map_err(|e| e.at(i as u64, e.component))?;
        sums.add(part, &own)?;
    }
    if let Some(overlap) = Overlap::of(parts)? {
        overlap.each_column(columns.max(1), &compound, hits, |column| sums.take(column))?;
    }
    sums.finish(density)
}

/// The mean of the parts' positions: products about it are small.
fn middle(parts: &[Part<'_>]) -> [f64; 3] {
    let share = 1.0 / max(parts.len(), 1) as f64;
    parts.iter().fold([0.0; 3], |sum, part| add(sum, scale(part.pose.position, share)))
}

/// The component of an error for a shape without a finite volume.
const ENDLESS: u32 = 14;

/// A single part, with density 1.
fn one(part: &Part<'_>, scratch: &mut [u8]) -> Result<MassProperties> {
    match part.shape {
        Shape::Sphere { radius, .. } => {
            let square = radius * radius;
            let volume = 4.0 / 3.0 * core::f64::consts::PI * square * radius;
            let moment = 0.4 * volume * square;
            let inertia = [[moment, 0.0, 0.0], [0.0, moment, 0.0], [0.0, 0.0, moment]];
            let area = 4.0 * core::f64::consts::PI * square;
            Ok(MassProperties { mass: volume, volume, area, inertia, ..MassProperties::default() })
        }
        Shape::Capsule { half_length, radius, .. } => Ok(capsule(half_length, radius)),
        Shape::Mesh(surface) => mass_properties(surface.mesh, 1.0, scratch),
        Shape::HalfSpace { .. } => Err(Error::new(Kind::Unsupported, What::Shapes).at(0, ENDLESS)),
        Shape::Compound(_) => Err(Error::new(Kind::Unsupported, What::Shapes)),
    }
}

/// A cylinder and two half balls, whose centres are 3/8 of the radius beyond its ends.
pub(super) fn capsule(half: f64, radius: f64) -> MassProperties {
    let pi = core::f64::consts::PI;
    let square = radius * radius;
    let (cylinder, balls) = (2.0 * pi * square * half, 4.0 / 3.0 * pi * square * radius);
    let along = square * (0.5 * cylinder + 0.4 * balls);
    let reach = half * half;
    let across = cylinder * (0.25 * square + reach / 3.0) + balls * (0.4 * square + reach + 0.75 * half * radius);
    let inertia = [[across, 0.0, 0.0], [0.0, across, 0.0], [0.0, 0.0, along]];
    let (volume, area) = (cylinder + balls, 4.0 * pi * radius * (half + radius));
    MassProperties { mass: volume, volume, area, inertia, ..MassProperties::default() }
}

/// An interval along z that several parts share.
struct Stretch {
    /// Centre of the column.
    x: f64,
    y: f64,
    /// Edges of the column.
    edges: [f64; 2],
    low: f64,
    high: f64,
    /// Number of parts there besides the first one.
    more: f64,
}

/// The result of a column.
enum Column {
    Shared(Stretch),
    /// The column is not closed: this volume is uncertain.
    Open(f64),
}

/// Integrals of 1, x and x x^T over the compound, about a point.
#[derive(Default)]
struct Sums {
    about: [f64; 3],
    volume: f64,
    first: [f64; 3],
    second: [[f64; 3]; 3],
    area: f64,
    error: f64,
    holes: u64,
}

impl Sums {
    fn add(&mut self, part: &Part<'_>, own: &MassProperties) -> Result<()> {
        let turn = part.pose.transform(What::Shapes)?;
        let s = part.scale;
        let volume = own.volume * s * s * s;
        let centre = sub(turn.apply(scale(own.centre, s)), self.about);
        let inertia = turned(&turn, &own.inertia);
        let half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
        let fifth = s * s * s * s * s;
        self.volume += volume;
        for i in 0..3 {
            self.first[i] += volume * centre[i];
            for k in 0..3 {
                let own = if i == k { half - inertia[i][k] } else { -inertia[i][k] };
                self.second[i][k] += own * fifth + volume * centre[i] * centre[k];
            }
        }
        self.area += own.area * s * s;
        self.error += own.volume_error * s * s * s;
        self.holes += own.holes;
        Ok(())
    }

    /// Subtracts volume that is counted more than once.
    fn take(&mut self, column: Column) {
        let Stretch { x, y, edges, low, high, more } = match column {
            Column::Shared(stretch) => stretch,
            Column::Open(volume) => return self.error += volume,
        };
        let [x, y] = [x - self.about[0], y - self.about[1]];
        let [low, high] = [low - self.about[2], high - self.about[2]];
        let length = high - low;
        let volume = more * edges[0] * edges[1] * length;
        let z = 0.5 * (low + high);
        let within = [edges[0] * edges[0], edges[1] * edges[1], length * length].map(|x| x / 12.0);
        let centre = [x, y, z];
        self.volume -= volume;
        for i in 0..3 {
            self.first[i] -= volume * centre[i];
            for k in 0..3 {
                let own = if i == k { within[i] } else { 0.0 };
                self.second[i][k] -= volume * (centre[i] * centre[k] + own);
            }
        }
    }

    fn finish(&self, density: f64) -> Result<MassProperties> {
        let volume = self.volume;
        if volume.is_nan() || volume <= 0.0 {
            return Err(Error::new(Kind::OutOfRange, What::Mass));
        }
        let centre = self.first.map(|x| x / volume);
        let spread = [0, 1, 2].map(|i| [0, 1, 2].map(|k| self.second[i][k] - volume * centre[i] * centre[k]));
        let trace = spread[0][0] + spread[1][1] + spread[2][2];
        // Both orders of each product are summed in the same way, so the tensor is symmetric.
        let number = |i: usize, k: usize| if i == k { trace - spread[i][k] } else { -spread[i][k] };
        let inertia = [0, 1, 2].map(|i| [0, 1, 2].map(|k| density * number(i, k) + 0.0));
        let (moments, axes) = principal(inertia);
        let result = MassProperties {
            mass: density * volume,
            volume,
            area: self.area,
            centre: add(centre, self.about).map(|x| x + 0.0),
            inertia,
            moments: moments.map(|x| max(x, 0.0)),
            axes,
            volume_error: self.error,
            holes: self.holes,
            ..MassProperties::default()
        };
        let numbers = result.moments.iter().chain(&result.centre).chain([&result.mass]);
        if numbers.into_iter().all(|x| x.is_finite()) && result.mass > 0.0 {
            return Ok(result);
        }
        Err(Error::new(Kind::OutOfRange, What::Mass))
    }
}

/// `R M transpose(R)`.
fn turned(turn: &Transform, m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    // The rows of R M are those of transpose(M) R^T, and M is symmetric.
    let rows = turn.rows.map(|row| m.map(|own| own[0] * row[0] + own[1] * row[1] + own[2] * row[2]));
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|k| {
            // The smaller index first, so that both halves have the same bits.
            let (rows, row) = (rows[min(i, k)], turn.rows[max(i, k)]);
            rows[0] * row[0] + rows[1] * row[1] + rows[2] * row[2]
        })
    })
}

/// The box around all overlaps of parts.
struct Overlap {
    low: [f64; 3],
    high: [f64; 3],
    /// A height below all parts.
    floor: f64,
}

impl Overlap {
    /// None if no two boxes around the bounding balls of parts overlap.
    fn of(parts: &[Part<'_>]) -> Result<Option<Self>> {
        let mut all = Overlap { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3], floor: f64::INFINITY };
        for (i, x) in parts.iter().enumerate() {
            let (at, r) = ball(x)?;
            all.floor = min(all.floor, at[2] - 1.001 * r);
            for y in parts.iter().take(i) {
                let (to, own) = ball(y)?;
                let mut both = [[0.0; 3]; 2];
                for k in 0..3 {
                    both[0][k] = max(at[k] - r, to[k] - own);
                    both[1][k] = min(at[k] + r, to[k] + own);
                }
                let [low, high] = both;
                if (0..3).all(|k| low[k] < high[k]) {
                    for k in 0..3 {
                        all.low[k] = min(all.low[k], low[k]);
                        all.high[k] = max(all.high[k], high[k]);
                    }
                }
            }
        }
        Ok((all.low[0] < all.high[0]).then_some(all))
    }

    /// Calls `tell` with the overlap in each of `columns` times `columns` columns.
    fn each_column(
        &self,
        columns: u32,
        compound: &Shape<'_>,
        hits: &mut [Hit],
        mut tell: impl FnMut(Column),
    ) -> Result<()> {
        let placed = Placed { shape: *compound, pose: &Pose::IDENTITY, scale: 1.0 };
        let edges = [0, 1].map(|k| (self.high[k] - self.low[k]) / f64::from(columns));
        for i in 0..columns {
            for j in 0..columns {
                let [x, y] = [(0, i), (1, j)].map(|(k, n)| self.low[k] + (f64::from(n) + 0.5) * edges[k]);
                let ray = Ray::new([x, y, self.floor], [0.0, 0.0, 1.0]);
                let count = cast_all(&placed, &ray, hits)?;
                let met = hits.get(..count).unwrap_or_default();
                if !is_closed(met) {
                    let length = met.last().map_or(0.0, |hit| hit.t) - met.first().map_or(0.0, |hit| hit.t);
                    tell(Column::Open(edges[0] * edges[1] * length));
                    continue;
                }
                let mut depth = 0.0;
                for (k, hit) in met.iter().enumerate() {
                    depth += step(met, k);
                    if depth > 1.0
                        && let Some(next) = met.get(k + 1)
                    {
                        let [low, high] = [hit.t, next.t].map(|t| t + self.floor);
                        tell(Column::Shared(Stretch { x, y, edges, low, high, more: depth - 1.0 }));
                    }
                }
            }
        }
        Ok(())
    }
}

/// A bounding ball of a part, in the frame of the compound.
fn ball(part: &Part<'_>) -> Result<([f64; 3], f64)> {
    let (centre, radius) = match part.shape {
        Shape::Sphere { radius, .. } => ([0.0; 3], radius),
        Shape::Capsule { half_length, radius, .. } => ([0.0; 3], half_length + radius),
        Shape::Mesh(surface) => (surface.mesh.centre(), surface.mesh.radius()),
        _ => ([0.0; 3], 0.0),
    };
    let turn = part.pose.transform(What::Shapes)?;
    Ok((turn.apply(scale(centre, part.scale)), radius * part.scale))
}

/// 1 if a column enters a part at this hit, -1 if it leaves it. The first hit is an entry, whatever the orientation of its triangle.
fn step(met: &[Hit], k: usize) -> f64 {
    let first = |hit: &Hit| met.iter().find(|other| other.part == hit.part).map_or(hit.side, |other| other.side);
    met.get(k).map_or(0.0, |hit| if hit.side == first(hit) { 1.0 } else { -1.0 })
}

/// Whether each part is left as often as it is entered, and never before it is entered.
fn is_closed(met: &[Hit]) -> bool {
    met.iter().enumerate().all(|(k, first)| {
        if met.iter().take(k).any(|before| before.part == first.part) {
            return true;
        }
        let mut depth = 0;
        let own = met.iter().skip(k).filter(|hit| hit.part == first.part);
        own.map(|hit| if hit.side == first.side { 1 } else { -1 }).all(|step| {
            depth += step;
            depth >= 0
        }) && depth == 0
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use core::f64::consts::PI;

    fn ball(x: f64, radius: f64) -> Part<'static> {
        let pose = Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY };
        Part { shape: Shape::Sphere { radius, halo: 0.01 }, pose, scale: 1.0 }
    }

    fn mass(parts: &[Part<'_>], columns: u32) -> Result<MassProperties> {
        compound_mass(parts, 2.0, columns, &mut [Hit::NOTHING; 16], &mut [])
    }

    #[test]
    fn balls_apart_are_exact() {
        let found = mass(&[ball(-1.0, 1.0), ball(1.5, 0.5)], 1).unwrap();
        let [v1, v2] = [4.0 / 3.0 * PI, PI / 6.0];
        assert!((found.mass - 2.0 * (v1 + v2)).abs() < 1e-14 * found.mass);
        let centre = (1.5 * v2 - v1) / (v1 + v2);
        assert!((found.centre[0] - centre).abs() < 1e-14 && found.centre[1] == 0.0, "{found:?}");
        let along = 2.0 * 0.4 * (v1 + 0.25 * v2);
        let across = along + 2.0 * (v1 * (1.0 + centre) * (1.0 + centre) + v2 * (1.5 - centre) * (1.5 - centre));
        for (found, right) in found.moments.iter().zip([along, across, across]) {
            assert!((found - right).abs() < 1e-13 * right, "{found} {right}");
        }
    }

    #[test]
    fn what_balls_share_counts_once() {
        // A lens: pi (4 r + d) (2 r - d)^2 / 12.
        let d: f64 = 1.2;
        let lens = PI * (4.0 + d) * (2.0 - d) * (2.0 - d) / 12.0;
        let whole = 8.0 / 3.0 * PI - lens;
        let mut errors = [0.0; 3];
        for (columns, error) in [32, 128, 256].into_iter().zip(&mut errors) {
            let found = mass(&[ball(-0.5 * d, 1.0), ball(0.5 * d, 1.0)], columns).unwrap();
            *error = (found.volume - whole).abs() / lens;
            assert!(found.centre.iter().all(|x| x.abs() < 1e-12), "{found:?}");
        }
        assert!(errors[0] < 1e-2 && errors[1] < 1e-3 && errors[2] < 5e-4, "{errors:?}");
        // The same ball three times is one ball.
        let found = mass(&[ball(0.3, 1.0); 3], 200).unwrap();
        assert!((found.volume / (4.0 / 3.0 * PI) - 1.0).abs() < 1e-3, "{found:?}");
        let moment = 0.4 * found.mass;
        assert!(found.moments.iter().all(|x| (x / moment - 1.0).abs() < 2e-3), "{found:?}");
    }

    #[test]
    fn bad_input_is_told() {
        let error = |parts: &[Part<'_>], room: usize| {
            let mut hits = [Hit::NOTHING; 16];
            compound_mass(parts, 1.0, 8, &mut hits[..room], &mut [])
                .map_err(|e| (e.kind, e.what, e.index, e.needed))
                .unwrap_err()
        };
        let ground = Part { shape: Shape::HalfSpace { halo: 0.1 }, pose: Pose::IDENTITY, scale: 1.0 };
        assert_eq!(error(&[ball(0.0, 1.0), ground], 16), (Kind::Unsupported, What::Shapes, 1, 0));
        assert_eq!(error(&[ball(0.0, f64::NAN)], 16).0, Kind::NotFinite);
        assert_eq!(error(&[ball(0.0, 0.0)], 16), (Kind::OutOfRange, What::Mass, 0, 0));
        assert_eq!(error(&[], 16), (Kind::OutOfRange, What::Mass, 0, 0));
        assert_eq!(error(&[ball(0.0, 1.0), ball(0.5, 1.0)], 3), (Kind::Capacity, What::Output, 0, 4));
        let found = compound_mass(&[ball(0.0, 1.0)], -1.0, 8, &mut [], &mut []).map_err(|e| (e.kind, e.what));
        assert_eq!(found.unwrap_err(), (Kind::OutOfRange, What::Density));
    }
}
