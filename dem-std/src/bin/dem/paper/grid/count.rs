//! Bodies at random positions, and the counts of the published algorithm.

use super::rule::Scene;
use crate::failure::Failure;
use dem_std::Memory;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::broad::levels::Radii;
use dem_std::dem_core::broad::{self, Candidate, Counters, HGrid, HGridRef, HGridSizes, Query, Space, hgrid_scratch};
use dem_std::dem_core::error::{Error, Kind};
use dem_std::dem_core::exec::Serial;
use dem_std::dem_core::simd::Isa;
use dem_std::random::SplitMix64;
use std::collections::HashMap;
use std::f64::consts::PI;

/// Bodies at random positions in a box; they may overlap.
pub struct Bodies {
    pub centres: Vec<[f64; 3]>,
    pub radii: Vec<f64>,
    /// Edge of the box.
    pub edge: f64,
}

impl Bodies {
    /// `count` bodies in a box, with the density of the scene.
    pub fn random(scene: &Scene, count: u32, seed: u64) -> Bodies {
        let mut random = SplitMix64::new(seed);
        let axes = scene.model.dimensions as usize;
        let edge = (f64::from(count) / scene.model.density).powf(1.0 / axes as f64);
        let (low, high) = (scene.radii.smallest(), scene.radii.largest());
        let (z, ratio) = (scene.radii.alpha() + 1.0, high / low);
        let (mut centres, mut radii) = (Vec::new(), Vec::new());
        for i in 0..count {
            let u = (f64::from(i) + 0.5) / f64::from(count);
            let r = if z == 0.0 { ratio.powf(u) } else { (1.0 + u * (ratio.powf(z) - 1.0)).powf(1.0 / z) };
            radii.push((low * r).min(high));
            let mut centre = [0.0; 3];
            centre.iter_mut().take(axes).for_each(|x| *x = random.unit() * edge);
            centres.push(centre);
        }
        Bodies { centres, radii, edge }
    }

    /// Bodies by centre and radius, in a box of this edge.
    pub fn given(bodies: &[([f64; 3], f64)], edge: f64) -> Bodies {
        let (centres, radii) = bodies.iter().copied().unzip();
        Bodies { centres, radii, edge }
    }

    /// The same bodies, sorted so that neighbours are near each other in memory.
    pub fn ordered(self) -> Bodies {
        let along = (f64::from(self.len()) / 8.0).powf(1.0 / 3.0).ceil();
        let mut order: Vec<usize> = (0..self.radii.len()).collect();
        order.sort_by_cached_key(|i| {
            let [x, y, z] = self.centres[*i].map(|x| (x / self.edge * along) as u32);
            [z, y, x]
        });
        let centres = order.iter().map(|i| self.centres[*i]).collect();
        let radii = order.iter().map(|i| self.radii[*i]).collect();
        Bodies { centres, radii, edge: self.edge }
    }

    /// Enlarges the box by this factor, and scales the centres with it.
    pub fn grow(&mut self, factor: f64) {
        self.edge *= factor;
        self.centres.iter_mut().flatten().for_each(|x| *x *= factor);
    }

    /// Number of bodies.
    pub fn len(&self) -> u32 {
        self.radii.len() as u32
    }

    /// The box.
    pub fn edges(&self) -> [f64; 3] {
        [self.edge; 3]
    }

    /// The query of a broad phase, in a periodic box or between walls.
    pub fn query(&self, scene: &Scene, periodic: bool) -> Query<'_> {
        let period = if periodic { self.edge } else { 0.0 };
        Query {
            bodies: broad::Proxies::new(Array::from_f64(&self.centres), Array::from_numbers(&self.radii)),
            space: Space::new(scene.model.dimensions, [period; 3]),
            margin: 0.0,
        }
    }

    /// The volume of all bodies over that of the box, or areas.
    pub fn share(&self, scene: &Scene) -> f64 {
        let axes = scene.model.dimensions as i32;
        let ball = if axes == 2 { PI } else { 4.0 / 3.0 * PI };
        self.radii.iter().map(|r| ball * r.powi(axes)).sum::<f64>() / self.edge.powi(axes)
    }

    /// Pairs of bodies with gaps of up to `margin`, in a periodic box or between walls.
    pub fn near(&self, scene: &Scene, periodic: bool, margin: f64) -> Result<Vec<Candidate>, Failure> {
        let query = Query { margin, ..self.query(scene, periodic) };
        let grid_sizes = HGridSizes { bodies: self.len(), levels: 16 };
        let mut scratch = Memory::new(hgrid_scratch(self.len())?)?;
        let mut block = Memory::new(HGrid::layout(&grid_sizes)?)?;
        let mut grid = HGrid::init(&mut block, &grid_sizes)?;
        grid.rebuild(&Serial, &query, &[], &mut scratch)?;
        let mut pairs = vec![Candidate::default(); 16 * self.centres.len()];
        loop {
            match grid.as_ref().pairs(&Serial, Isa::best(), &query, scene.model.direction, &mut pairs, &mut scratch) {
                Ok(found) => {
                    pairs.truncate(found);
                    return Ok(pairs);
                }
                Err(Error { kind: Kind::Capacity, needed, .. }) => pairs.resize(needed as usize, Candidate::default()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The counts of the published algorithm with these cell sizes, in a periodic box or between walls. Cells outside
    /// of walls count, as in the model.
    pub fn count(&self, scene: &Scene, sizes: &[f64], periodic: bool) -> Result<Counters, Failure> {
        let (query, bodies) = (self.query(scene, periodic), self.len());
        let grid_sizes = HGridSizes { bodies, levels: sizes.len() as u32 };
        let mut scratch = Memory::new(hgrid_scratch(bodies)?)?;
        let mut block = Memory::new(HGrid::layout(&grid_sizes)?)?;
        HGrid::init(&mut block, &grid_sizes)?.rebuild(&Serial, &query, sizes, &mut scratch)?;
        Ok(HGridRef::peek(&block)?.count(&query, scene.model.direction, self.edges(), &mut scratch)?)
    }

    /// The width of cells of this size in a periodic box: a whole number of cells fills it, if there is room for one.
    pub fn stretched(&self, size: f64) -> f64 {
        let along = (self.edge / size).floor();
        if along < 1.0 { size } else { self.edge / along }
    }

    /// The share of the cells of the first level that hold two bodies or more, in a periodic box.
    pub fn shared_cells(&self, scene: &Scene, size: f64) -> f64 {
        let axes = scene.model.dimensions as usize;
        let along = (self.edge / size).floor();
        let mut cells = HashMap::<[u64; 3], u32>::new();
        for (centre, _) in self.centres.iter().zip(&self.radii).filter(|(_, r)| 2.0 * **r <= size) {
            *cells.entry(centre.map(|x| (x / self.edge * along) as u64)).or_default() += 1;
        }
        cells.values().filter(|n| **n >= 2).count() as f64 / along.powf(axes as f64)
    }
}
