//! Bodies and sheets of revolution: tori, tubes, drums, hoppers, discs, funnels.

use super::{angle, check_count, wrong};
use crate::Triangles;
use dem_core::error::{Error, Kind, Result, What};

/// The body of revolution of a closed outline about the z axis. Its points are (distance from the axis, z); the last one is joined to the first. A
/// point on the axis becomes one vertex, and a side along the axis becomes nothing.
///
/// A hopper is a slanted strip, a tube a box beside the axis, a cylinder a box that begins at the axis. `meridians` is the number of corners around
/// the axis. Outlines may have either orientation; an outline that crosses itself gives a surface that crosses itself.
///
/// Errors: [`Kind::OutOfRange`] if there are fewer than 3 points or meridians; if a point is not finite or left of the axis, with the point and 0
/// or 1 for the coordinate; or if the outline encloses nothing; [`Kind::TooLarge`] beyond 32-bit ids.
pub fn turned(outline: &[[f64; 2]], meridians: u32) -> Result<Triangles> {
    check_outline(outline, 3, meridians)?;
    let next = |i: usize| outline[(i + 1) % outline.len()];
    let area: f64 = outline.iter().enumerate().map(|(i, [r, z])| r * next(i)[1] - next(i)[0] * z).sum();
    if area == 0.0 || !area.is_finite() {
        return Err(wrong(What::Outline, 4));
    }
    let mut points = outline.to_vec();
    if area < 0.0 {
        points.reverse();
    }
    let first = points.first().copied();
    points.extend(first);
    Ok(around(&points, true, meridians))
}

/// The sheet of revolution of an outline about the z axis. Its points are (distance from the axis, z), and its ends are not joined: a funnel, a
/// tray, a tube without thickness. An outline that goes up gives triangles that look away from the axis. An outline whose last point is its first
/// encloses something, and is for [`turned`].
///
/// Errors: [`Kind::OutOfRange`] if there are fewer than 2 points or 3 meridians, if all points are on the axis, and if a point is not finite or
/// left of the axis, with the point and 0 or 1 for the coordinate; [`Kind::TooLarge`] beyond 32-bit ids.
pub fn turned_sheet(outline: &[[f64; 2]], meridians: u32) -> Result<Triangles> {
    check_outline(outline, 2, meridians)?;
    if outline.iter().all(|p| p[0] == 0.0) {
        return Err(wrong(What::Outline, 5));
    }
    Ok(around(outline, false, meridians))
}

/// Errors: as [`turned`], except about the enclosed area.
fn check_outline(outline: &[[f64; 2]], least: usize, meridians: u32) -> Result<()> {
    if outline.len() < least {
        return Err(wrong(What::Outline, least as u32));
    }
    if meridians < 3 {
        return Err(wrong(What::Meridians, 0));
    }
    check_count((2 * outline.len() as u64).saturating_mul(u64::from(meridians)))?;
    for (i, p) in outline.iter().enumerate() {
        if let Some(c) = [p[0].is_finite() && p[0] >= 0.0, p[1].is_finite()].iter().position(|good| !good) {
            return Err(Error::new(Kind::OutOfRange, What::Outline).at(i as u64, c as u32));
        }
    }
    Ok(())
}

/// The surface of revolution of the sides between these points. If the outline is `closed`, its last point is its first.
fn around(points: &[[f64; 2]], closed: bool, meridians: u32) -> Triangles {
    let count = points.len() - usize::from(closed);
    let mut made = Triangles::default();
    let mut firsts = Vec::with_capacity(points.len());
    for &[r, z] in points.iter().take(count) {
        firsts.push(made.vertices.len() as u32);
        let corners = if r == 0.0 { 1 } else { meridians };
        made.vertices.extend((0..corners).map(|j| {
            let (cos, sin) = angle::of_turn(j, meridians);
            [r * cos, r * sin, z]
        }));
    }
    for i in 1..points.len() {
        let corner = |k: usize, j: u32| firsts[k % count] + if points[k][0] == 0.0 { 0 } else { j % meridians };
        for j in 0..meridians {
            let [a, b, c, d] = [corner(i - 1, j), corner(i - 1, j + 1), corner(i, j + 1), corner(i, j)];
            // If one end is on the axis, one of the two triangles is only an edge.
            made.indices.extend([[a, b, c], [a, c, d]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
        }
    }
    made
}

/// The surface of a capsule along the z axis, from `-half_length` to `half_length` plus half balls at its ends. It is for display, because contacts
/// of capsules need no mesh. `meridians` is the number of corners around the axis.
///
/// Errors: as [`turned`].
pub fn capsule(half_length: f64, radius: f64, meridians: u32) -> Result<Triangles> {
    let bands = meridians.div_ceil(4);
    check_count(u64::from(meridians).saturating_mul(u64::from(meridians)))?;
    let corner = |k: u32| {
        let (along, out) = angle::of_turn(k, 4 * bands);
        [radius * out, half_length + radius * along]
    };
    let upper: Vec<_> = (0..=bands).map(|k| if k == 0 { [0.0, half_length + radius] } else { corner(k) }).collect();
    let lower = upper.iter().rev().map(|[r, z]| [*r, -z]).skip(usize::from(half_length == 0.0));
    turned(&upper.iter().copied().chain(lower).collect::<Vec<_>>(), meridians)
}

/// A torus about the z axis: a circle of radius `small` with `bands` corners, at the distance `large` from the axis.
///
/// Errors: as [`turned`]; [`Kind::OutOfRange`] if `small` is not positive or not below `large`.
pub fn torus(large: f64, small: f64, meridians: u32, bands: u32) -> Result<Triangles> {
    if !(small > 0.0 && small < large) {
        return Err(wrong(What::Small, 0));
    }
    if bands < 3 {
        return Err(wrong(What::Bands, 1));
    }
    check_count(u64::from(bands))?;
    let corner = |k| {
        let (cos, sin) = angle::of_turn(k, bands);
        [large + small * cos, small * sin]
    };
    turned(&(0..bands).map(corner).collect::<Vec<_>>(), meridians)
}
