//! P1 Fig. 1 and 2: the cells that a body of a two-level grid searches, and densities of radii.

use super::count::Bodies;
use super::rule::Scene;
use super::short;
use crate::failure::Failure;
use crate::paper::sheet::Sheet;
use dem_std::dem_core::broad::Dimensions;
use dem_std::dem_core::broad::levels::{Direction, Model, PowerLaw, Radii};

/// Edge of the box: three large cells.
const EDGE: f64 = 24.0;
const SIZES: [f64; 2] = [3.0, 8.0];

/// A body of the figure, the level that it searches, and the printed range of cells there: the first and the last, along x and y.
struct Searching {
    name: &'static str,
    centre: [f64; 2],
    radius: f64,
    level: usize,
    direction: Direction,
    printed: [[i64; 2]; 2],
}

const SEARCHING: [Searching; 2] = [
    Searching {
        name: "top-down, B",
        centre: [10.3, 14.4],
        radius: 4.0,
        level: 0,
        direction: Direction::TopDown,
        printed: [[1, 3], [5, 6]],
    },
    // Near the middle of cell (4, 4): the paper does not say where C is in the cell.
    Searching {
        name: "bottom-up, C",
        centre: [13.6, 13.6],
        radius: 1.5,
        level: 1,
        direction: Direction::BottomUp,
        printed: [[1, 1], [2, 2]],
    },
];

/// Fig. 1.
pub fn cells(sheet: &mut Sheet) -> Result<(), Failure> {
    sheet.say("Fig. 1: cells of the other level that a disc searches, by (4) and (5); sizes 3 and 8, d = 2\n");
    let scene = Scene::new(Dimensions::Two, [8.0 / 3.0, -3.0, 0.5], Direction::TopDown)?;
    sheet.row("", ["x from", "to", "y from", "to", "cells", "counted"].map(str::to_owned));
    let discs = SEARCHING.map(|s| ([s.centre[0], s.centre[1], 0.0], s.radius));
    for Searching { name, centre, radius, level, direction, printed } in &SEARCHING {
        let size = SIZES[*level];
        let reach = radius + 0.5 * size;
        let cell = |x: f64| (x / size).floor() as i64;
        let ours = [centre.map(|x| cell(x - reach)), centre.map(|x| cell(x + reach))];
        // All visits of cells, without those of the own cell and half of the neighbours for both discs.
        let scene = Scene { radii: scene.radii, model: Model { direction: *direction, ..scene.model } };
        let visits = Bodies::given(&discs, EDGE).count(&scene, &SIZES, false)?.accesses;
        let own = 2 * (1 + (3u64.pow(2) - 1) / 2);
        sheet.section(name);
        for (whose, [from, to], counted) in
            [("ours", ours, (visits - own).to_string()), ("paper", *printed, String::new())]
        {
            let number = (to[0] - from[0] + 1) * (to[1] - from[1] + 1);
            let cells = [from[0], to[0], from[1], to[1], number].map(|n| n.to_string());
            sheet.row(&format!("  {name}, {whose}"), cells.into_iter().chain([counted]));
        }
    }
    sheet.section("");
    let [x, y] = SEARCHING[0].centre;
    let low = y - SEARCHING[0].radius - 0.5 * SIZES[0];
    sheet.say(&format!(
        "  counted: by the grid of this library. B at ({x}, {y}) reaches down to y = {low:.1}, which is in cell {:.0} of width {};\n  \
         that the paper says 3 is a slip\n",
        (low / SIZES[0]).floor(),
        SIZES[0]
    ));
    Ok(())
}

/// Fig. 2.
pub fn densities(sheet: &mut Sheet) -> Result<(), Failure> {
    const RADII: [f64; 5] = [1.0, 1.5, 2.0, 2.5, 3.0];
    sheet.say("Fig. 2: density of radii (29) at r over the smallest; omega 3\n");
    sheet.row("r", RADII.map(|r| r.to_string()));
    for alpha in [0.0, -1.0, -2.0, -3.0, -4.0] {
        let law = PowerLaw::new(1.0, 3.0, alpha)?;
        // The fraction of bodies near r, divided by the width; one-sided at both ends.
        let density = |r: f64| {
            let step = 1e-4;
            let (low, high) = ((r - step).max(law.smallest()), (r + step).min(law.largest()));
            (law.up_to(high)[0] - law.up_to(low)[0]) / (high - low)
        };
        sheet.row(&format!("  alpha {alpha}"), RADII.map(|r| short(density(r))));
    }
    sheet.say("  paper: curves without numbers\n");
    Ok(())
}
