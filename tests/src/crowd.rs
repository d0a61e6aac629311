//! Many bodies of all shapes, and their contacts by brute force over all pairs and images.

use crate::contact::Body;
use crate::random::Random;
use crate::shapes::{ground, part, sphere, surface};
use crate::vector::{add, scale};
use dem_core::array::{Array, Words};
use dem_core::contact::history::{Blend, BodyPair, Event, Link, match_contacts, match_scratch};
use dem_core::contact::shape::{Part, Placed, Shape, Surface};
use dem_core::contact::{Contact, Node};
use dem_core::detect::Bodies;
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_std::{ContactFinder, Memory, generate};

/// Low bits of an id: the body's first index. The bits above are a number from 0 to 5.
const ID_BITS: u32 = 40;

/// Bodies in arrays, as in a host.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    /// The shape of each body.
    pub kinds: Vec<u32>,
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Orientations.
    pub orientations: Vec<[f64; 4]>,
    /// Scales.
    pub scales: Vec<f64>,
    /// Kinds of motion.
    pub motions: Vec<u32>,
    /// Their groups.
    pub groups: Vec<u32>,
    /// Groups with which they have contacts.
    pub masks: Vec<u32>,
    /// Ids, unsorted.
    pub ids: Vec<u64>,
    /// Own halos; empty if bodies have none.
    pub halos: Vec<f64>,
    /// Periods; 0 along open axes.
    pub periods: [f64; 3],
    /// Number of periods by which bodies have been wrapped; 0 at first.
    pub wraps: Vec<[i32; 3]>,
}

/// The meshes of the shapes.
pub struct Stock {
    rock: Body,
    plate: Body,
}

impl Stock {
    /// A rock and a plate.
    pub fn new() -> Self {
        Stock::bumpy(1.3)
    }

    /// As [`Stock::new`], with another rock.
    pub fn bumpier() -> Self {
        Stock::bumpy(1.6)
    }

    fn bumpy(ratio: f64) -> Self {
        let soup = |mesh: dem_std::Triangles| (0..mesh.len()).map(|i| mesh.triangle(i)).collect::<Vec<_>>();
        let rock =
            generate::icosphere(2).and_then(|mesh| generate::bumpy(mesh, ratio, 5)).unwrap_or_else(|e| panic!("{e}"));
        let plate = generate::plate([6, 6], [6.0, 6.0]).unwrap_or_else(|e| panic!("{e}"));
        Stock { rock: Body::new(&soup(rock), 0.05), plate: Body::new(&soup(plate), 0.05) }
    }

    /// The surfaces of the meshes.
    pub fn surfaces(&self) -> [Surface<'_>; 2] {
        [surface(&self.rock, true), surface(&self.plate, false)]
    }
}

impl Default for Stock {
    fn default() -> Self {
        Stock::new()
    }
}

/// Parts of the compound among [`shapes`].
pub fn parts<'a>(surfaces: &'a [Surface<'a>; 2]) -> Vec<Part<'a>> {
    vec![
        part(sphere(0.5, 0.05), [0.4, 0.0, 0.0]),
        part(sphere(0.4, 0.05), [-0.4, 0.1, 0.0]),
        Part { scale: 0.4, ..part(Shape::Mesh(&surfaces[0]), [0.0, 0.6, 0.2]) },
    ]
}

/// A ball, a rock, a compound of both, a ground, and a plate.
pub fn shapes<'a>(surfaces: &'a [Surface<'a>; 2], parts: &'a [Part<'a>]) -> Vec<Shape<'a>> {
    let [rock, plate] = surfaces;
    vec![sphere(0.5, 0.05), Shape::Mesh(rock), Shape::Compound(parts), ground(0.05), Shape::Mesh(plate)]
}

impl Crowd {
    /// `n` bodies, mostly balls, in a cube of this half width. Some are equal in everything.
    pub fn new(n: usize, half: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut crowd = Crowd::default();
        for i in 0..n {
            let kind = match random.below(10) {
                0..6 => 0,
                6..8 => 1,
                8 => 2,
                _ if i % 7 == 0 => 3 + random.below(2) as u32,
                _ => 0,
            };
            crowd.kinds.push(kind);
            let position = match i % 50 {
                49 => crowd.positions[i - 1],
                _ => random.in_cube(half),
            };
            crowd.positions.push(if kind == 3 { add(position, [0.0, 0.0, -half]) } else { position });
            crowd.orientations.push(random.rotation());
            // Plates are much larger than the other bodies.
            crowd.scales.push(if kind == 4 { 1.7 } else { 0.4 * 2f64.powf(random.range(0.0, 2.0)) });
            crowd.motions.push(if kind >= 3 { 2 } else { [0, 0, 0, 1, 2][random.below(5)] });
            crowd.groups.push([u32::MAX, 1, 2, 3][random.below(4)]);
            crowd.masks.push([u32::MAX, u32::MAX, 1, 2][random.below(4)]);
            crowd.ids.push((random.below(6) as u64) << ID_BITS | i as u64);
            crowd.halos.push(random.range(0.0, 0.2));
        }
        crowd
    }

    /// Moves and rotates the bodies that are not static, and wraps some of them into the box.
    pub fn stir(&mut self, way: f64, random: &mut Random) {
        for i in 0..self.kinds.len() {
            if self.motions[i] == 2 {
                continue;
            }
            self.positions[i] = add(self.positions[i], scale(way * random.unit(), random.direction()));
            for axis in 0..3 {
                if self.periods[axis] > 0.0 && random.below(3) == 0 {
                    let x = &mut self.positions[i][axis];
                    let periods = (*x / self.periods[axis]).round();
                    *x -= self.periods[axis] * periods;
                    self.wraps.resize(self.kinds.len(), [0; 3]);
                    self.wraps[i][axis] -= periods as i32;
                }
            }
        }
    }

    /// The bodies as input of the library.
    pub fn bodies<'a>(&'a self, shapes: &'a [Shape<'a>], own_halos: bool) -> Bodies<'a> {
        Bodies {
            orientations: Some(Array::from_quaternions(&self.orientations)),
            scales: Some(Array::from_numbers(&self.scales)),
            halos: own_halos.then(|| Array::from_numbers(&self.halos)),
            motions: Some(Words::from_slice(&self.motions)),
            groups: Some(Words::from_slice(&self.groups)),
            masks: Some(Words::from_slice(&self.masks)),
            ids: Some(Words::from_slice(&self.ids)),
            ..Bodies::new(shapes, Words::from_slice(&self.kinds), Array::from_f64(&self.positions))
        }
    }

    fn wanted(&self, a: usize, b: usize) -> bool {
        let (m, n) = (self.motions[a], self.motions[b]);
        let moves = m == 0 || n == 0 || [m, n] == [1, 3] || [m, n] == [3, 1];
        moves && self.groups[a] & self.masks[b] != 0 && self.groups[b] & self.masks[a] != 0
    }

    fn shape<'a>(&self, shapes: &[Shape<'a>], i: usize, own_halos: bool) -> (Shape<'a>, f64) {
        match shapes[self.kinds[i] as usize] {
            Shape::Sphere { radius, .. } if own_halos => (sphere(radius * self.scales[i], self.halos[i]), 1.0),
            Shape::HalfSpace { .. } if own_halos => (ground(self.halos[i]), 1.0),
            shape => (shape, self.scales[i]),
        }
    }

    /// All contacts, and their body pairs.
    pub fn slow(&self, shapes: &[Shape<'_>], own_halos: bool) -> (Vec<Contact>, Vec<BodyPair>) {
        self.slow_within(shapes, own_halos, 0.0)
    }

    /// As [`Crowd::slow`], with the sum of both halos enlarged by a margin.
    pub fn slow_within(&self, shapes: &[Shape<'_>], own_halos: bool, margin: f64) -> (Vec<Contact>, Vec<BodyPair>) {
        let (mut finder, mut found, mut pairs) = (ContactFinder::default(), Vec::new(), Vec::new());
        finder.margin = margin;
        let images = self.periods.map(|p| if p > 0.0 { -4..=4 } else { 0..=0 });
        for a in 0..self.kinds.len() {
            for b in a..self.kinds.len() {
                let endless = self.kinds[a] == 3 || self.kinds[b] == 3;
                if !self.wanted(a, b) || (endless && a == b) {
                    continue;
                }
                for x in images[0].clone() {
                    for y in images[1].clone() {
                        for z in images[2].clone() {
                            let shift = [x, y, z];
                            if (a == b && shift <= [0; 3]) || (endless && shift != [0; 3]) {
                                continue;
                            }
                            // A is the body with the smaller id.
                            let (a, b) = if self.ids[b] < self.ids[a] { (b, a) } else { (a, b) };
                            let pair = self.pair(a, b, shift, endless);
                            let (shape_a, scale_a) = self.shape(shapes, a, own_halos);
                            let (shape_b, scale_b) = self.shape(shapes, b, own_halos);
                            let placed_a = Placed { shape: shape_a, pose: &pair.pose_a, scale: scale_a };
                            let placed_b = Placed { shape: shape_b, pose: &pair.pose_b, scale: scale_b };
                            let before = found.len();
                            finder.find(&placed_a, &placed_b, pair.tag, &mut found).unwrap_or_else(|e| panic!("{e}"));
                            if found.len() > before {
                                pairs.push(pair);
                            }
                        }
                    }
                }
            }
        }
        found.sort_by_key(|c| c.key);
        pairs.sort_by_key(|p| p.tag);
        (found, pairs)
    }

    /// A pair with a tag that has the order of ids and images. The tag stays with the contacts of an image, whichever image is the nearest, and
    /// however bodies are wrapped.
    fn pair(&self, a: usize, b: usize, shift: [i32; 3], endless: bool) -> BodyPair {
        let (x, y, periods) = (self.positions[a], self.positions[b], self.periods);
        let [p, q] = [a, b].map(|i| self.wraps.get(i).copied().unwrap_or_default());
        let moved = [0, 1, 2].map(|k| if shift[k] == 0 { y[k] } else { y[k] + f64::from(shift[k]) * periods[k] });
        let number =
            [0, 1, 2].map(|k| if periods[k] == 0.0 || endless || a == b { shift[k] } else { shift[k] - (p[k] - q[k]) });
        let tag = |i: usize| (self.ids[i] >> ID_BITS) << 11 | self.ids[i] & 0x7ff;
        let tag = number.iter().fold(tag(a) << 20 | tag(b), |tag, shift| tag << 8 | (shift + 128) as u64);
        let pose = |i: usize, position| Pose { position, orientation: self.orientations[i] };
        BodyPair { tag, pose_a: pose(a, x), pose_b: pose(b, moved) }
    }
}

/// The same contacts with the indices of their pairs in the list, as a scene gives them.
pub fn placed((contacts, pairs): &(Vec<Contact>, Vec<BodyPair>)) -> Vec<Contact> {
    let place = |tag| pairs.partition_point(|pair| pair.tag < tag) as u64;
    contacts.iter().map(|c| Contact { key: [place(c.key[0]), c.key[1]], ..*c }).collect()
}

/// Links, blends and events of two steps with these nodes, matched over the whole list.
pub fn slow_links(
    last: &(Vec<Contact>, Vec<BodyPair>),
    now: &(Vec<Contact>, Vec<BodyPair>),
    nodes: [&[Node]; 2],
    bound: f64,
) -> (Vec<Link>, Vec<Blend>, Vec<Event>) {
    let mut links = vec![Link::NEW; now.0.len()];
    let mut blends = vec![Blend::default(); nodes[1].len()];
    let mut events = vec![Event::default(); last.0.len() + now.0.len()];
    let many = nodes[0].len() + nodes[1].len();
    let layout = match_scratch(last.0.len(), now.0.len(), many).unwrap_or(Layout::EMPTY);
    let mut scratch = Memory::new(layout).unwrap_or_default();
    let (last, now) = ((&last.0[..], &last.1[..], nodes[0]), (&now.0[..], &now.1[..], nodes[1]));
    let found = match_contacts(&last, &now, bound, &mut links, Some(&mut blends), Some(&mut events), &mut scratch)
        .unwrap_or_else(|e| panic!("{e}"));
    blends.truncate(found.blends);
    events.truncate(found.events);
    (links, blends, events)
}
