//! P0 Table 6.1: the coarsest surrogate of elongated spheres.

use super::sheet::Sheet;
use crate::failure::Failure;
use dem_std::OwnedShape;
use dem_std::dem_core::array::Scalar;
use dem_std::dem_core::mesh::Halo;
use dem_std::dem_core::surrogate::{Options, Preset};
use dem_std::generate::elongated;
use std::f64::consts::PI;

const ETA: [f64; 5] = [1.0, 1.2, 1.4, 1.8, 2.6];

/// Icospheres of 80, 320 and 1,280 triangles.
const LEVELS: [u32; 3] = [1, 2, 3];

/// Longest edge and halo as printed, by elongation and number of triangles.
const PRINTED: [[[f64; 2]; 3]; 5] = [
    [[0.09, 0.49], [0.09, 0.50], [0.08, 0.52]],
    [[0.10, 0.55], [0.10, 0.56], [0.10, 0.56]],
    [[0.34, 0.54], [0.12, 0.65], [0.11, 0.66]],
    [[0.14, 0.84], [0.89, 0.53], [1.35, 0.51]],
    [[1.54, 0.58], [2.24, 0.51], [2.36, 0.52]],
];

/// A triangle with its halo: longest edge, perimeter, area, halo.
struct Coarsest {
    longest: f64,
    perimeter: f64,
    area: f64,
    halo: f64,
}

impl Coarsest {
    fn of(eta: f64, level: u32, options: &Options) -> Result<Self, Failure> {
        let shape = OwnedShape::new(&elongated(level, eta)?, Scalar::F64, Halo::Uniform(0.0), options)?;
        let tree = shape.tree()?;
        let root = tree.root().ok_or_else(|| Failure::Data("the tree has no root".into()))?;
        let [a, b, c] = root.triangle;
        let edges = [length(a, b), length(b, c), length(c, a)];
        let perimeter: f64 = edges.iter().sum();
        let s = perimeter / 2.0;
        let area = (s * (s - edges[0]) * (s - edges[1]) * (s - edges[2])).max(0.0).sqrt();
        Ok(Coarsest { longest: edges.into_iter().fold(0.0, f64::max), perimeter, area, halo: root.halo })
    }

    /// Volume of all points within the halo of the triangle, relative to the bounding sphere.
    fn volume(&self, eta: f64) -> f64 {
        let Coarsest { perimeter, area, halo, .. } = *self;
        let volume = 2.0 * halo * area + PI / 2.0 * halo * halo * perimeter + 4.0 / 3.0 * PI * halo * halo * halo;
        volume / sphere(eta)
    }
}

fn length(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|k| (a[k] - b[k]) * (a[k] - b[k])).iter().sum::<f64>().sqrt()
}

/// The bounding sphere: its radius is half of the elongated diameter.
fn sphere(eta: f64) -> f64 {
    4.0 / 3.0 * PI * (eta / 2.0) * (eta / 2.0) * (eta / 2.0)
}

/// The smallest volume that the printed numbers allow: that of a triangle of no area, twice as long around as its edge.
fn printed_volume(eta: f64, [longest, halo]: [f64; 2]) -> f64 {
    Coarsest { longest, perimeter: 2.0 * longest, area: 0.0, halo }.volume(eta)
}

/// Measures and prints the table.
pub fn print(options: &super::Options) -> Result<(), Failure> {
    let mut sheet = Sheet::without_seed(options, 5, 0);
    sheet.say(
        "Noble and Weinzierl, Table 6.1: the coarsest surrogate, one triangle with a halo, of a sphere of diameter 1 stretched by eta
d longest edge, eps halo, V volume relative to the bounding sphere of radius r (paper: the least that d and eps allow)
The functional has weights that suit the first rows, as the paper gives none; the others depart for that reason.

",
    );
    if sheet.is_csv() {
        let of = |whose: &str| ["d", "eps", "V"].map(|what| format!("{what}, {whose}"));
        let names = ["|T|", "r"].map(str::to_owned).into_iter();
        sheet.row("eta", names.chain(["paper", "ours by (A.1)", "ours of least volume"].into_iter().flat_map(of)));
    } else {
        sheet.say(
            "                    paper                 ours, functional (A.1)    ours, least volume\n  \
             eta  |T|     r       d    eps     V          d    eps     V          d    eps     V\n",
        );
    }
    for (eta, printed) in ETA.into_iter().zip(PRINTED) {
        for (level, printed) in LEVELS.into_iter().zip(printed) {
            let functional = Coarsest::of(eta, level, &Options::published())?;
            let best = Coarsest::of(eta, level, &Options::preset(Preset::Best))?;
            let [d, eps] = printed;
            let mut cells = vec![(20 * 4u32.pow(level)).to_string(), format!("{:.2}", eta / 2.0)];
            for (d, eps, v) in [
                (d, eps, printed_volume(eta, printed)),
                (functional.longest, functional.halo, functional.volume(eta)),
                (best.longest, best.halo, best.volume(eta)),
            ] {
                cells.extend([format!("{d:.2}"), format!("{eps:.2}"), format!("{v:.3}")]);
            }
            if !sheet.is_csv() {
                let places = [5, 6, 8, 7, 7, 12, 7, 7, 12, 7, 7];
                cells.iter_mut().zip(places).for_each(|(cell, width)| *cell = format!("{cell:>width$}"));
            }
            sheet.row(&format!("{eta:5.1}"), cells);
        }
    }
    sheet.print()
}
