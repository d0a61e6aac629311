//! P4 Algorithm 1: explicit time steps of many triangulated particles, with pairs from a spacetree.

use super::super::meeting::{Each, meeting};
use super::super::product::{Product, Rows};
use super::super::push::{Point, forces, sub};
use super::super::times::Times;
use crate::failure::Failure;
use dem_std::dem_core::array::{Array, Scalar};
use dem_std::dem_core::body::{Body, Order, Step, advance};
use dem_std::dem_core::broad::{Candidate, Proxies, Query, Space};
use dem_std::dem_core::detect::Wrench;
use dem_std::dem_core::error::What;
use dem_std::dem_core::exec::Serial;
use dem_std::dem_core::mesh::{Halo, mass_properties, mass_scratch};
use dem_std::dem_core::pose::{Pose, Transform};
use dem_std::dem_core::published::spacetree::{Refinement, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch};
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate;
use dem_std::generate::hull_sphere;
use dem_std::random::SplitMix64;
use dem_std::{Memory, OwnedShape};
use std::time::Instant;

/// Number of points of which a particle is the convex hull: 60 triangles. (The paper counts some 60 triangles for 50 points; their hull has 96.)
const POINTS: u32 = 32;

/// Halo of each particle; the largest ones have diameter 1.
pub const EPS: f64 = 1e-2;

/// Length of a time step, a quarter of the inverse frequency of a contact of two particles of mass 1.
const DT: f64 = 1e-3;

/// Speed of each particle, in a random direction.
const SPEED: f64 = 2.0;

/// Updates of grids before the first step.
const WARM: u32 = 8;

/// Initial distance of neighbours.
const APART: f64 = 1.04;

/// A particle. It has mass 1 at any size.
struct Particle {
    body: Body,
    /// Triangles in the frame of the body.
    triangles: Vec<[[f64; 3]; 3]>,
    radius: f64,
    /// Triangles at the pose of the body.
    rows: Rows,
}

impl Particle {
    fn new(position: [f64; 3], diameter: f64, seed: u64, random: &mut SplitMix64) -> Result<Self, Failure> {
        let mesh = hull_sphere(POINTS, seed)?.scaled([0.5 * diameter; 3]);
        let shape = OwnedShape::new(&mesh, Scalar::F64, Halo::Uniform(0.0), &surrogate::Options::default())?;
        let mut scratch = Memory::new(mass_scratch(&shape.mesh()?.sizes)?)?;
        let volume = mass_properties(shape.mesh()?, 1.0, &mut scratch)?.volume;
        let mass = mass_properties(shape.mesh()?, 1.0 / volume, &mut scratch)?;
        let mut body = Body::new(&mass, &Pose { position, ..Pose::IDENTITY })?;
        body.velocity = random.direction().map(|x| SPEED * x);
        let part = mass.part_pose().transform(What::Pose)?;
        let triangles: Vec<_> = (0..mesh.len()).map(|i| mesh.triangle(i).map(|v| part.apply(v))).collect();
        let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
        let radius = triangles.as_flattened().iter().map(square).fold(0.0, f64::max).sqrt();
        let mut particle = Particle { body, triangles, radius, rows: Rows::default() };
        particle.place()?;
        Ok(particle)
    }

    fn place(&mut self) -> Result<(), Failure> {
        let turn: Transform = self.body.pose().transform(What::Pose)?;
        self.rows = Rows::of(self.triangles.iter().map(|triangle| triangle.map(|v| turn.apply(v))));
        Ok(())
    }
}

/// The grids that are compared.
pub const GRIDS: [(&str, Refinement); 3] =
    [("regular", Refinement::Regular), ("adaptive", Refinement::Adaptive), ("reluctant", Refinement::Reluctant)];

/// The counts of one grid, summed over steps.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// Pairs of particles at vertices of a common cell.
    pub compared: u64,
    /// The compared pairs whose spheres meet.
    pub spheres: u64,
    pub vertices: u64,
}

/// A grid in its block.
struct Grid {
    refinement: Refinement,
    block: Memory,
    scratch: Memory,
    counts: Counts,
}

impl Grid {
    fn new(refinement: Refinement, particles: u32, width: f64) -> Result<Self, Failure> {
        let sizes = SpaceTreeSizes { bodies: particles, cells: 64 * particles + 4096 };
        let mut block = Memory::new(SpaceTree::layout(&sizes)?)?;
        SpaceTree::init(&mut block, &sizes)?.begin([-0.5 * width; 3], width)?;
        let scratch = Memory::new(spacetree_scratch(sizes.bodies, sizes.cells)?)?;
        Ok(Grid { refinement, block, scratch, counts: Counts::default() })
    }

    /// The pairs of particles whose spheres meet.
    fn pairs(&mut self, query: &Query<'_>) -> Result<Vec<Candidate>, Failure> {
        let report = SpaceTree::open(&mut self.block)?.update(query, self.refinement, &mut self.scratch)?;
        let tree = SpaceTreeRef::peek(&self.block)?;
        let compared = tree.comparisons(query)?;
        let mut pairs = vec![Candidate::default(); compared as usize];
        let count = tree.pairs(query, &mut pairs)?;
        pairs.truncate(count);
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        self.counts.compared += compared;
        self.counts.spheres += pairs.len() as u64;
        self.counts.vertices += report.vertices;
        Ok(pairs)
    }
}

/// Many particles.
pub struct System {
    particles: Vec<Particle>,
    grids: Vec<Grid>,
    /// The pairs of the last step whose spheres meet.
    pub pairs: Vec<Candidate>,
    /// Pairs of triangles in contact, summed over steps.
    pub contacts: u64,
    /// Seconds of the loops of Algorithm 1, one entry for each step: grids, contacts, forces, particles.
    pub times: [Times; 4],
}

impl System {
    /// Particles on a lattice that move in random directions. The logarithms of their diameters are uniform between those of `smallest` and 1.
    pub fn new(count: u32, smallest: f64, seed: u64) -> Result<Self, Failure> {
        let mut random = SplitMix64::new(seed);
        let side = (1..).find(|n: &u32| u64::from(*n).pow(3) >= u64::from(count)).unwrap_or(1);
        let middle = 0.5 * f64::from(side - 1);
        let mut particles = Vec::new();
        for i in 0..count {
            let place = [i % side, i / side % side, i / side / side];
            let position = place.map(|k| APART * (f64::from(k) - middle));
            let diameter = smallest.powf(random.unit());
            particles.push(Particle::new(position, diameter, seed.wrapping_add(u64::from(i)), &mut random)?);
        }
        // With this size, cells of the finest level of a regular grid are about as wide as the largest particle with its halo.
        let widest = particles.iter().map(|particle| particle.radius).fold(0.0, f64::max);
        let cell = 2.0 * (widest + EPS) * (1.0 + 1e-9);
        let whole = f64::from(side) * APART + cell;
        let levels = (0..).find(|level| 3_f64.powi(*level) * cell >= whole).unwrap_or(0);
        let width = 3_f64.powi(levels) * cell;
        let grids = GRIDS.map(|(_, refinement)| Grid::new(refinement, count, width));
        let grids = grids.into_iter().collect::<Result<_, _>>()?;
        let mut system = System { particles, grids, pairs: Vec::new(), contacts: 0, times: Default::default() };
        // Each update moves each particle down by one level.
        for _ in 0..WARM {
            system.find_pairs()?;
        }
        system.grids.iter_mut().for_each(|grid| grid.counts = Counts::default());
        Ok(system)
    }

    /// Triangles of a particle.
    pub fn triangles(&self) -> usize {
        self.particles.first().map_or(0, |particle| particle.triangles.len())
    }

    /// The counts of a grid of [`GRIDS`].
    pub fn counts(&self, grid: usize) -> Counts {
        self.grids[grid].counts
    }

    /// The triangles of both particles of a pair.
    pub fn product(&self, pair: &Candidate) -> Product<'_> {
        Product(&self.particles[pair.a as usize].rows, &self.particles[pair.b as usize].rows)
    }

    /// A step; all grids must find the same pairs.
    pub fn step(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        self.find_pairs()?;
        let found = Instant::now();
        let contacts = self.find_contacts()?;
        let touched = Instant::now();
        let wrenches = self.forces(&contacts)?;
        let pushed = Instant::now();
        let mut bodies: Vec<_> = self.particles.iter().map(|particle| particle.body).collect();
        advance(&Serial, &mut bodies, &wrenches, &Step { order: Order::Explicit, ..Step::new(DT) })?;
        for (particle, body) in self.particles.iter_mut().zip(bodies) {
            particle.body = body;
            particle.place()?;
        }
        let loops = [found - start, touched - found, pushed - touched, pushed.elapsed()];
        self.times.iter_mut().zip(loops).for_each(|(times, time)| times.push(time.as_secs_f64()));
        Ok(())
    }

    fn find_pairs(&mut self) -> Result<(), Failure> {
        let centres: Vec<_> = self.particles.iter().map(|particle| particle.body.position).collect();
        let radii: Vec<_> = self.particles.iter().map(|particle| particle.radius + EPS).collect();
        let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
        let query = Query { bodies, space: Space::OPEN, margin: 0.0 };
        for (i, grid) in self.grids.iter_mut().enumerate() {
            let pairs = grid.pairs(&query)?;
            if i > 0 && pairs != self.pairs {
                return Err(Failure::Data(format!("{} and {} find other pairs", GRIDS[0].0, GRIDS[i].0)));
            }
            self.pairs = pairs;
        }
        Ok(())
    }

    /// Triangles in contact, for each pair of particles.
    fn find_contacts(&mut self) -> Result<Vec<Vec<usize>>, Failure> {
        let threshold = Each::Same((2.0 * EPS) as f32);
        let met = |pair| Ok::<_, Failure>(meeting(Isa::best(), None, &self.product(pair), threshold)?.pairs);
        let contacts: Vec<_> = self.pairs.iter().map(met).collect::<Result<_, _>>()?;
        self.contacts += contacts.iter().map(|met| met.len() as u64).sum::<u64>();
        Ok(contacts)
    }

    fn forces(&self, contacts: &[Vec<usize>]) -> Result<Vec<Wrench>, Failure> {
        let mut wrenches = vec![Wrench::default(); self.particles.len()];
        for (pair, met) in self.pairs.iter().zip(contacts).filter(|(_, met)| !met.is_empty()) {
            let at = [pair.a as usize, pair.b as usize];
            let [a, b] = at.map(|i| &self.particles[i]);
            let apart = sub(a.body.position, b.body.position);
            let n = b.triangles.len();
            let point = |k: &usize| Point::new(a.rows.triangle(k / n), b.rows.triangle(k % n), apart);
            let pushes = forces(met.iter().map(point).collect::<Result<_, _>>()?, EPS, &a.body, &b.body);
            for (i, push) in at.into_iter().zip(pushes) {
                let sum = &mut wrenches[i];
                for k in 0..3 {
                    sum.force[k] += push.force[k];
                    sum.torque[k] += push.torque[k];
                }
            }
        }
        Ok(wrenches)
    }
}
