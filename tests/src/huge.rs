//! AABBs of huge bodies, a tree of them with its memory, and a slow reference of their pairs with spheres.

use crate::bodies::Scene;
use crate::random::Random;
use dem_core::array::{Array, Words};
use dem_core::broad::{BoxCandidate, BoxTree, BoxTreeRef, BoxTreeSizes, Boxes, Query, Space, box_tree_scratch};
use dem_core::error::Result;
use dem_core::exec::Executor;
use dem_core::simd::Isa;
use dem_std::Memory;

/// Boxes with all inputs of a broad phase.
#[derive(Clone, Debug, Default)]
pub struct Huge {
    /// Smallest coordinates.
    pub low: Vec<[f64; 3]>,
    /// Largest coordinates.
    pub high: Vec<[f64; 3]>,
    /// Motions, groups, masks; empty lists mean the default value for all.
    pub words: [Vec<u32>; 3],
}

impl Huge {
    /// Boxes with these low and high sides.
    pub fn new(sides: &[[[f64; 3]; 2]]) -> Self {
        let (low, high) = sides.iter().map(|s| (s[0], s[1])).unzip();
        Huge { low, high, ..Huge::default() }
    }

    /// Random boxes in a cube, with sides up to this length; some are flat.
    pub fn random(n: usize, cube: f64, longest: f64, random: &mut Random) -> Self {
        let mut huge = Huge::default();
        for _ in 0..n {
            let low = [0; 3].map(|_| random.range(0.0, cube));
            let flat = random.below(4);
            let side = |axis: usize, random: &mut Random| if axis == flat { 0.0 } else { random.range(0.0, longest) };
            huge.high.push([0, 1, 2].map(|axis| low[axis] + side(axis, random)));
            huge.low.push(low);
        }
        huge
    }

    /// The same boxes with random motions, groups and masks.
    pub fn filtered(mut self, random: &mut Random) -> Self {
        let n = self.low.len();
        let mut words = |values: [u32; 4]| (0..n).map(|_| values[random.below(4)]).collect();
        self.words = [words([2, 2, 1, 0]), words([1, 2, 4, 7]), words([1, 3, 7, u32::MAX])];
        self
    }

    /// The boxes as input of the library.
    pub fn boxes(&self) -> Boxes<'_> {
        let [motions, groups, masks] = self.words.each_ref().map(|w| (!w.is_empty()).then(|| Words::from_slice(w)));
        Boxes { low: Array::from_f64(&self.low), high: Array::from_f64(&self.high), motions, groups, masks }
    }

    /// All pairs by a plain loop, with images up to `images` periods away.
    pub fn slow(&self, scene: &Scene, images: i16) -> Vec<BoxCandidate> {
        let mut found = Vec::new();
        for body in 0..scene.centres.len() {
            for huge in 0..self.low.len() {
                let range = |axis: usize| match scene.space.period(axis) {
                    Some(_) if self.low[huge][axis].is_finite() => -images..=images,
                    _ => 0..=0,
                };
                for x in range(0) {
                    for y in range(1) {
                        for z in range(2) {
                            let shift = [x, y, z];
                            if self.wanted(scene, body, huge) && self.reach(scene, body, huge, shift) {
                                found.push(BoxCandidate { body: body as u32, huge: huge as u32, shift, spare: 0 });
                            }
                        }
                    }
                }
            }
        }
        found
    }

    fn reach(&self, scene: &Scene, body: usize, huge: usize, shift: [i16; 3]) -> bool {
        let mut square = 0.0;
        for (k, shift) in shift.into_iter().enumerate().take(scene.space.axes()) {
            let moved = f64::from(shift) * scene.space.periods[k];
            let x = scene.centres[body][k];
            let nearest = x.clamp(self.low[huge][k] + moved, self.high[huge][k] + moved);
            square += (nearest - x) * (nearest - x);
        }
        square.sqrt() <= scene.radii[body] + scene.margin
    }

    fn wanted(&self, scene: &Scene, body: usize, huge: usize) -> bool {
        let ([m, g, k], [bm, bg, bk]) = (&scene.words, &self.words);
        let word = |words: &[u32], i: usize, none| words.get(i).copied().unwrap_or(none);
        (word(m, body, 0) == 0 || word(bm, huge, 0) == 0)
            && word(g, body, u32::MAX) & word(bk, huge, u32::MAX) != 0
            && word(bg, huge, u32::MAX) & word(k, body, u32::MAX) != 0
    }
}

/// A tree of boxes with its memory.
pub struct Tree {
    block: Memory,
    scratch: Memory,
}

impl Tree {
    /// A tree with this capacity.
    pub fn new(boxes: usize, bodies: usize) -> Self {
        let sizes = BoxTreeSizes { boxes: boxes as u32 };
        let memory = |layout: Result<_>| layout.and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        let scratch = memory(box_tree_scratch(boxes as u32, bodies as u32));
        let mut block = memory(BoxTree::layout(&sizes));
        BoxTree::init(&mut block, &sizes).map(drop).unwrap_or_else(|e| panic!("{e}"));
        Tree { block, scratch }
    }

    /// Rebuilds the tree from these boxes.
    pub fn rebuild(&mut self, space: &Space, huge: &Huge) -> Result<()> {
        BoxTree::open(&mut self.block)?.rebuild(space, &huge.boxes(), &mut self.scratch)
    }

    /// Refits the tree to moved boxes.
    pub fn refit(&mut self, space: &Space, huge: &Huge) -> Result<()> {
        BoxTree::open(&mut self.block)?.refit(space, &huge.boxes())
    }

    /// Searches all pairs of a body and a box.
    pub fn pairs(
        &mut self,
        isa: Isa,
        exec: &dyn Executor,
        query: &Query<'_>,
        huge: &Huge,
        out: &mut [BoxCandidate],
    ) -> Result<usize> {
        BoxTreeRef::peek(&self.block)?.pairs(isa, exec, query, &huge.boxes(), out, &mut self.scratch)
    }
}
