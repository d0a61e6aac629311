//! `OwnedScene`: a scene with memory that grows as needed.

use crate::Memory;
#[cfg(feature = "rayon")]
use crate::Threads;
use crate::world::take;
use dem_core::contact::{Corner, CornerLimits};
use dem_core::detect::{
    Before, Bodies, Detected, Ended, Scene, SceneRef, SceneSizes, Settings, Short, Unfinished, growing_scratch,
};
use dem_core::error::fields::NOTHING_YET;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Executor;
use dem_core::memory::{ALIGN, Layout};
use dem_core::rays::{Hit, Ray, cast_bodies, cast_bodies_scratch};
use dem_core::simd::Isa;

/// Finds the contacts of many bodies in every step, on threads, in its own memory, which grows as needed.
///
/// A thousand balls of four sizes lie on the ground for two steps:
///
/// ```
/// use dem_std::dem_core::array::{Array, Words};
/// use dem_std::dem_core::contact::shape::Shape;
/// use dem_std::dem_core::detect::Bodies;
/// use dem_std::{OwnedScene, Threads};
///
/// let shapes = [Shape::Sphere { radius: 0.5, halo: 0.01 }, Shape::HalfSpace { halo: 0.01 }];
/// let (mut kinds, mut positions, mut scales) = (vec![1], vec![[0.0; 3]], vec![1.0]);
/// for i in 0..1000 {
///     let scale = [1.0, 0.5, 0.25, 0.125][i % 4];
///     kinds.push(0);
///     positions.push([2.0 * (i % 40) as f64, 2.0 * (i / 40) as f64, 0.5 * scale]);
///     scales.push(scale);
/// }
/// let bodies = Bodies {
///     scales: Some(Array::from_numbers(&scales)),
///     ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
/// };
/// let mut scene = OwnedScene::new(Threads::global());
/// for step in 0..2 {
///     let found = scene.detect(&bodies)?;
///     assert_eq!((found.contacts, found.persisting), (1000, 1000 * step));
/// }
/// let contact = scene.view()?.now().contacts()[0];
/// assert_eq!(contact.normal, [0.0, 0.0, -1.0]); // on the ground, which is body 0
/// # Ok::<(), dem_std::dem_core::error::Error>(())
/// ```
///
/// [`SceneRef::apply`] applies a law to all contacts, whose friction springs follow them, and sums forces over bodies; [`SceneRef::events`] lists
/// contacts that begin and end.
pub struct OwnedScene {
    /// Periods, sliding distance of contacts, and skin of the neighbour list. Capacities grow by themselves.
    pub settings: Settings,
    /// Instruction set of the kernels; all give the same bits.
    pub isa: Isa,
    exec: Box<dyn Executor + Send>,
    sizes: SceneSizes,
    block: Memory,
    scratch: Memory,
}

impl OwnedScene {
    /// An empty scene that runs on these threads.
    #[cfg(feature = "rayon")]
    pub fn new(threads: Threads) -> Self {
        OwnedScene::with_executor(Box::new(threads))
    }

    /// An empty scene that runs on this executor.
    pub fn with_executor(exec: Box<dyn Executor + Send>) -> Self {
        OwnedScene {
            settings: Settings::default(),
            isa: Isa::best(),
            exec,
            sizes: SceneSizes {
                bodies: 0,
                candidates: 16,
                contacts: 16,
                nodes: 0,
                posed: 0,
                levels: 8,
                margin_contacts: 0,
            },
            block: Memory::default(),
            scratch: Memory::default(),
        }
    }

    /// One step: see [`Scene::detect`].
    ///
    /// Errors: those of [`Scene::detect`], except for memory that is too small; [`Kind::TooLarge`] where the machine
    /// has not enough memory.
    pub fn detect(&mut self, bodies: &Bodies<'_>) -> Result<Detected> {
        let found = self.find(bodies)?;
        self.commit()?;
        Ok(found)
    }

    /// A trial: see [`Scene::find`].
    ///
    /// Errors: those of [`OwnedScene::detect`].
    pub fn find(&mut self, bodies: &Bodies<'_>) -> Result<Detected> {
        if self.block.is_empty() || (self.sizes.bodies as usize) < bodies.len() {
            let most = u64::from(u32::MAX);
            let count = bodies.len() as u64;
            let count =
                u32::try_from(count).map_err(|_| Error::new(Kind::TooLarge, What::Bodies).amounts(most, count))?;
            self.grow(SceneSizes { bodies: count, ..self.sizes })?;
        }
        // A step reuses what an earlier attempt with too little room has left in its scratch.
        let mut before = None;
        loop {
            match self.attempt(bodies, before.as_ref()) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Scratch && e.needed > e.given => {
                    self.scratch = Memory::default();
                    self.scratch = Memory::new(Layout { size: e.needed as usize, align: ALIGN })?;
                }
                Err(e) => return Err(e),
                Ok(Ended::Done(found)) => return Ok(found),
                Ok(Ended::Short(Short { shortage, unfinished, .. })) => {
                    let mut sizes = self.sizes;
                    if shortage.make_room(&mut self.settings, &mut sizes)? {
                        self.grow(sizes)?;
                    }
                    before = unfinished.map(|unfinished| (core::mem::take(&mut self.scratch), unfinished));
                }
            }
        }
    }

    /// Makes the last trial the committed step: see [`Scene::commit`].
    ///
    /// Errors: [`Kind::Null`] before the first trial.
    pub fn commit(&mut self) -> Result<()> {
        self.begun()?;
        Scene::open(&mut self.block)?.commit();
        Ok(())
    }

    /// A copy of the current scene, for [`OwnedScene::go_back`]. Settings and threads are not included.
    pub fn copy(&self) -> Memory {
        self.block.clone()
    }

    /// Restores a copy of this or another scene: contacts have the names and the springs that they had there. Cost: that of copying the bytes.
    ///
    /// Errors: [`Kind::Damaged`] and others if the copy is no scene. Nothing changes then.
    pub fn go_back(&mut self, copy: &Memory) -> Result<()> {
        if !copy.is_empty() {
            self.sizes = SceneRef::peek(copy)?.sizes;
        }
        take(&mut self.block, copy);
        Ok(())
    }

    /// Makes the next step search for candidates again: see [`Scene::forget_list`].
    ///
    /// Errors: [`Kind::Null`] before the first trial.
    pub fn forget_list(&mut self) -> Result<()> {
        self.begun()?;
        Scene::open(&mut self.block)?.forget_list();
        Ok(())
    }

    /// The corners of all contacts of the last step or trial, up to `most` for each contact (0 means [`CornerLimits::MANIFOLD`], four; [`CornerLimits::ALL`] means all): see
    /// [`SceneRef::corners`]. `bodies` are those of the step, at the same positions.
    ///
    /// A solver that starts with the impulses of the last step finds them by the names of corners. Features of a corner are unique only within its
    /// contact. So the name is that of the pair, the second half of the contact's key, and both features. A brick lies on the ground:
    ///
    /// ```
    /// use dem_std::prelude::*;
    /// use std::collections::HashMap;
    ///
    /// let halo = 0.01;
    /// let brick = generate::cuboid([1.0, 0.5, 0.25])?;
    /// let brick = OwnedShape::new(&brick, brick.scalar(), Halo::Uniform(halo), &TreeOptions::default())?;
    /// let cells = OwnedCells::new(&brick.mesh()?, &CellOptions::default())?;
    /// let surface = Surface { mesh: brick.mesh()?, tree: brick.tree()?, cells: cells.open()?, solid: true };
    /// let shapes = [Shape::HalfSpace { halo }, Shape::Mesh(&surface)];
    ///
    /// let mut scene = OwnedScene::new(Threads::global());
    /// let mut impulses = HashMap::new(); // of the last step
    /// for step in 0..3 {
    ///     let positions = [[0.0; 3], [0.02 * f64::from(step), 0.0, 0.135]];
    ///     let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
    ///     scene.detect(&bodies)?;
    ///     let (corners, view) = (scene.corners(CornerLimits::MANIFOLD, &bodies)?, scene.view()?);
    ///     let now = view.now();
    ///     let mut next = HashMap::new();
    ///     for corner in &corners {
    ///         let (place, mut impulse) = (corner.contact as usize, 0.0);
    ///         if let (Some(pair), Some(contact)) = (now.pair_of(place), now.contacts().get(place)) {
    ///             let name = (pair.name(), contact.key[1], corner.features);
    ///             impulse = impulses.get(&name).copied().unwrap_or(0.0); // the first guess; 0 for a corner that is new
    ///             next.insert(name, impulse + 0.25); // what the solver finds
    ///         }
    ///         assert_eq!(impulse, 0.25 * f64::from(step));
    ///     }
    ///     assert_eq!((corners.len(), next.len()), (4, 4));
    ///     impulses = next;
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// In a periodic box, a body may touch another one on both sides. When it passes half a period, its images get other numbers, and its pairs
    /// other names. If a contact gets other patches, its key may change, and its corners are new. [`SceneRef::links`] tells which contact of the
    /// last step it continues.
    ///
    /// Errors: those of [`SceneRef::corners`], except for memory that is too small; [`Kind::Null`] before the first step; [`Kind::TooLarge`]
    /// where the machine has not enough memory.
    pub fn corners(&self, most: usize, bodies: &Bodies<'_>) -> Result<Vec<Corner>> {
        let (scene, exec) = (self.view()?, &*self.exec);
        grown_corners(CornerLimits { pairs: self.settings.room.pairs, most }, |limits, corners| {
            let layout = scene.corners_scratch(bodies, limits, corners.len(), exec.width())?;
            scene.corners(exec, self.isa, bodies, limits, corners, &mut Memory::new(layout)?)
        })
    }

    /// For each ray, the first body that it meets at the current positions of `bodies`; bodies are given by their indices in these arrays. No step
    /// is needed before. See [`cast_bodies`], also for its cost.
    ///
    /// ```
    /// use dem_std::prelude::*;
    ///
    /// let shapes = [Shape::Sphere { radius: 0.5, halo: 0.01 }];
    /// let positions = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    /// let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 0]), Array::from_f64(&positions));
    /// let scene = OwnedScene::new(Threads::global());
    /// let ray = Ray::new([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    /// let hit = scene.cast(&[ray], &bodies)?[0];
    /// assert_eq!((hit.body, hit.t), (1, 1.5));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Errors: those of [`cast_bodies`]; [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn cast(&self, rays: &[Ray], bodies: &Bodies<'_>) -> Result<Vec<Hit>> {
        let mut hits = vec![Hit::NOTHING; rays.len()];
        cast_bodies(&*self.exec, bodies, rays, &mut hits, &mut Memory::new(cast_bodies_scratch(bodies)?)?)?;
        Ok(hits)
    }

    /// The executor on which the scene runs.
    pub fn executor(&self) -> &dyn Executor {
        &*self.exec
    }

    /// The results of the last step or trial.
    ///
    /// Errors: [`Kind::Null`] before the first step.
    pub fn view(&self) -> Result<SceneRef<'_>> {
        self.begun()?;
        SceneRef::peek(&self.block)
    }

    /// Without a block, there has been no step yet.
    fn begun(&self) -> Result<()> {
        if self.block.is_empty() { Err(Error::new(Kind::Null, What::Scene).at(0, NOTHING_YET)) } else { Ok(()) }
    }

    fn attempt(&mut self, bodies: &Bodies<'_>, before: Option<&(Memory, Unfinished)>) -> Result<Ended<Detected>> {
        let settings = &Settings { grows: true, ..self.settings };
        let layout = growing_scratch(&self.sizes, bodies, settings, self.exec.width())?;
        if self.scratch.len() < layout.size {
            self.scratch = Memory::default();
            self.scratch = Memory::new(layout)?;
        }
        let mut scene = Scene::open(&mut self.block)?;
        let before = before.map(|(scratch, unfinished)| Before { scratch, unfinished: *unfinished });
        scene.find_after(&*self.exec, self.isa, bodies, None, settings, before.as_ref(), &mut self.scratch)
    }

    fn grow(&mut self, sizes: SceneSizes) -> Result<()> {
        let mut block = Memory::new(Scene::layout(&sizes)?)?;
        if self.block.is_empty() {
            Scene::init(&mut block, &sizes)?;
        } else {
            Scene::grow(&self.block, &mut block, &sizes)?;
        }
        (self.block, self.sizes) = (block, sizes);
        Ok(())
    }
}

impl std::fmt::Debug for OwnedScene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnedScene({:?}, {} bytes)", self.sizes, self.block.len())
    }
}

/// Corners, with as much room as `find` asks for.
pub(crate) fn grown_corners(
    mut limits: CornerLimits,
    find: impl Fn(CornerLimits, &mut [Corner]) -> Result<usize>,
) -> Result<Vec<Corner>> {
    let mut corners = Vec::new();
    loop {
        match find(limits, &mut corners) {
            Err(e) if e.kind == Kind::Capacity && e.what == What::Output => {
                corners = vec![Corner::default(); e.needed as usize];
            }
            Err(e) if e.kind == Kind::Capacity && e.what == What::Pairs && e.needed > e.given => {
                limits.pairs = e.needed as usize;
            }
            done => {
                corners.truncate(done?);
                return Ok(corners);
            }
        }
    }
}
