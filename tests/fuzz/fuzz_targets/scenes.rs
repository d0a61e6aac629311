//! Scenes of balls and grounds with any numbers in them: an error, or what every pair of bodies says by itself; the broad phases agree, and a list
//! of candidates that is kept changes nothing.
#![no_main]

use dem_std::OwnedScene;
use dem_std::dem_core::array::{Array, Words};
use dem_std::dem_core::broad::{
    self, Candidate, Dimensions, Direction, HGrid, HGridRef, HGridSizes, Query, Space, brute, hgrid_scratch,
};
use dem_std::dem_core::contact::Room;
use dem_std::dem_core::contact::shape::{Part, Placed, Request, Shape, shape_contacts};
use dem_std::dem_core::detect::Bodies;
use dem_std::dem_core::detect::surfaces::{Motions, velocities};
use dem_std::dem_core::exec::{Serial, Work};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::{Memory, dem_core};
use libfuzzer_sys::fuzz_target;

/// Numbers out of bytes: small ones for the most part, and any at all.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> f64 {
        match self.byte() {
            kind @ 0..240 => (f64::from(kind) - 120.0) / 16.0,
            _ => f64::from_le_bytes(core::array::from_fn(|_| self.byte())),
        }
    }

    fn size(&mut self) -> f64 {
        self.number().abs() * 0.25
    }
}

fuzz_target!(|data: &[u8]| {
    let mut numbers = Numbers(data);
    let count = usize::from(numbers.byte() % 24);
    let periods = [(); 3].map(|()| if numbers.byte() < 96 { numbers.size() * 8.0 } else { 0.0 });
    let (mut positions, mut scales, mut kinds, mut motions) = (vec![], vec![], vec![], vec![]);
    for _ in 0..count {
        positions.push([(); 3].map(|()| numbers.number()));
        scales.push(numbers.size());
        kinds.push(u32::from(numbers.byte() % 17).saturating_sub(13));
        motions.push(u32::from(numbers.byte() % 3));
    }
    agree(&positions, &scales, periods);
    let kinds: Vec<u32> = kinds.iter().map(|kind| kind % 4).collect();
    detect(&positions, &scales, &kinds, &motions, periods);
    let (mut anew, mut kept) = (scene(periods), scene(periods));
    // A length, and not so wide that all images of all bodies are near.
    let skin = Some(numbers.size()).filter(|skin| skin.is_finite()).unwrap_or(0.125);
    kept.settings.skin = periods.iter().filter(|p| **p > 0.0).fold(skin, |skin, p| skin.min(*p));
    for _ in 0..4 {
        alike(&mut anew, &mut kept, &positions, &scales, &kinds, &motions);
        // Small steps, periods, and anything.
        for (i, x) in positions.iter_mut().flatten().enumerate() {
            match numbers.byte() {
                0..192 => *x += (f64::from(numbers.byte()) - 128.0) / 4096.0,
                192..224 => *x += periods[i % 3] * (f64::from(numbers.byte()) - 128.0),
                224..248 => {}
                _ => *x = numbers.number(),
            }
        }
    }
});

const BALL: Shape<'_> = Shape::Sphere { radius: 1.0, halo: 0.0625 };

fn parts() -> [Part<'static>; 2] {
    [-0.5, 0.5].map(|x| Part { shape: BALL, pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY }, scale: 0.75 })
}

/// A ball, two in one, a ground, a capsule.
fn shapes<'a>(parts: &'a [Part<'a>; 2]) -> [Shape<'a>; 4] {
    let capsule = Shape::Capsule { half_length: 0.5, radius: 0.25, halo: 0.0625 };
    [BALL, Shape::Compound(parts), Shape::HalfSpace { halo: 0.25 }, capsule]
}

fn scene(periods: [f64; 3]) -> OwnedScene {
    let mut scene = OwnedScene::with_executor(Box::new(Serial));
    scene.settings.periods = periods;
    scene
}

/// A step of a scene that makes its list anew and of one that keeps it: the same contacts, or the same error.
fn alike(
    anew: &mut OwnedScene,
    kept: &mut OwnedScene,
    positions: &[[f64; 3]],
    scales: &[f64],
    kinds: &[u32],
    motions: &[u32],
) {
    let parts = parts();
    let shapes = shapes(&parts);
    let bodies = Bodies {
        scales: Some(Array::from_numbers(scales)),
        motions: Some(Words::from_slice(motions)),
        ..Bodies::new(&shapes, Words::from_slice(kinds), Array::from_f64(positions))
    };
    let (expected, found) = (anew.detect(&bodies), kept.detect(&bodies));
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_eq!(found.candidates, expected.candidates);
            let (expected, found) = (anew.view().unwrap(), kept.view().unwrap());
            assert_eq!(found.now().contacts(), expected.now().contacts());
            assert_eq!(found.links(), expected.links());
        }
        (expected, found) => assert_eq!(found.err(), expected.err()),
    }
}

/// The grid and all pairs by brute force: the same candidates, or the same kind of error.
fn agree(centres: &[[f64; 3]], radii: &[f64], periods: [f64; 3]) {
    let bodies = broad::Proxies::new(Array::from_f64(centres), Array::from_numbers(radii));
    let query = Query { bodies, space: Space::new(Dimensions::Three, periods), margin: 0.125 };
    let mut expected = vec![Candidate::default(); 20_000];
    let slow = brute(&query, &mut expected);
    let sizes = HGridSizes { bodies: centres.len() as u32, levels: 5 };
    let mut block = Memory::new(HGrid::layout(&sizes).unwrap()).unwrap();
    let mut scratch = Memory::new(hgrid_scratch(sizes.bodies).unwrap()).unwrap();
    let mut grid = HGrid::init(&mut block, &sizes).unwrap();
    if let Err(e) = grid.rebuild(&Serial, &query, &[], &mut scratch) {
        assert!(slow.is_err(), "{e}");
        return;
    }
    let mut found = vec![Candidate::default(); 20_000];
    let grid: HGridRef<'_> = grid.as_ref();
    match grid.pairs(&Serial, Isa::best(), &query, Direction::TopDown, &mut found, &mut scratch) {
        Ok(count) => {
            assert_eq!(Ok(count), slow);
            (found.truncate(count), expected.truncate(count));
            found.sort_unstable();
            assert_eq!(found, expected);
        }
        Err(e) => assert_eq!(Err(e), slow),
    }
}

fn detect(positions: &[[f64; 3]], scales: &[f64], kinds: &[u32], motions: &[u32], periods: [f64; 3]) {
    let parts = parts();
    let shapes = shapes(&parts);
    let bodies = Bodies {
        scales: Some(Array::from_numbers(scales)),
        motions: Some(Words::from_slice(motions)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions))
    };
    let mut scene = scene(periods);
    let Ok(found) = scene.detect(&bodies) else { return };
    let view = scene.view().unwrap();
    assert_eq!(view.all_touches().len(), 2 * found.contacts);
    assert!(view.now().contacts().is_sorted_by_key(|c| c.key));
    let (any, mut out) = (Some(Array::from_f64(positions)), vec![[0.0; 3]; found.contacts]);
    let motions_of = Motions { velocities: any, spins: any, centres: None };
    velocities(&Serial, &view, &motions_of, &mut out).unwrap();
    // Without images every pair can be asked by itself.
    if periods != [0.0; 3] {
        return;
    }
    let room = Room { pairs: 0, terms: 0, segments: 0 };
    let mut count = 0;
    for a in 0..positions.len() {
        for b in a + 1..positions.len() {
            if motions[a] != 0 && motions[b] != 0 {
                continue;
            }
            let pose = |i: usize| Pose { position: positions[i], ..Pose::IDENTITY };
            let (pose_a, pose_b) = (pose(a), pose(b));
            let placed = |i: usize, pose| Placed { shape: shapes[kinds[i] as usize], pose, scale: scales[i] };
            let (x, y) = (placed(a, &pose_a), placed(b, &pose_b));
            let mut out = [dem_core::contact::Contact::default(); 8];
            let alone = shape_contacts(
                Work::new(&Serial, Isa::best(), &mut []),
                &x,
                &y,
                &Request::new(0, room),
                &mut out,
                None,
            )
            .unwrap()
            .contacts;
            let pair = view.now().pairs().iter().find(|pair| (pair.a as usize, pair.b as usize) == (a, b));
            let own = pair.map_or(&[][..], |pair| &view.now().contacts()[pair.first as usize..pair.end as usize]);
            assert!(
                own.len() == alone && own.iter().zip(&out).all(|(c, d)| c.position == d.position && c.area == d.area)
            );
            count += alone;
        }
    }
    assert_eq!(count, found.contacts);
}
