//! What solvers ask of contacts of any two meshes: corners, relative velocities, clamped normals.
#![no_main]

use dem_core::array::Array;
use dem_core::contact::{
    self, CellOptions, Clamped, Contact, Corner, CornerLimits, PatchCone, Side, SurfaceMotion, Vertices, clamp_normals,
    patch_cones, positions, relative_velocities,
};
use dem_core::simd::Isa;
use dem_fuzz::{Input, Memory, contacts};
use libfuzzer_sys::fuzz_target;

fn query(bytes: &[u8]) -> Option<()> {
    let input = Input::read(bytes)?;
    let bodies = input.bodies()?;
    let (a, b) = (bodies[0].side(&input.poses[0])?, bodies[1].side(&input.poses[1])?);
    let list = contacts(Isa::best(), &a, &b)?;
    check_velocities(&a, &list, &input.corners[0]);
    check_clamp(&b, &list)?;
    check_corners(&a, &b, &list)
}

/// The same with every instruction set, at least one for each contact.
fn check_corners(a: &Side<'_>, b: &Side<'_>, list: &[Contact]) -> Option<()> {
    let pairs = a.operand.mesh.len() * b.operand.mesh.len();
    let mut scratch = Memory::new(contact::corners_scratch(&a.operand, &b.operand, pairs).ok()?.size);
    for most in [0, 2] {
        let mut find = |isa: Isa| {
            let mut out = vec![Corner::default(); list.len() + 30 * pairs];
            let limits = CornerLimits { pairs, most };
            let count = contact::corners(isa, a, b, list, limits, &mut out, scratch.get()).ok()?;
            out.truncate(count);
            Some(out)
        };
        let first = find(Isa::SCALAR)?;
        for isa in Isa::list() {
            assert_eq!(find(*isa)?, first, "{}", isa.name());
        }
        let mut groups = first.chunk_by(|x, y| x.contact == y.contact);
        for i in 0..list.len() {
            let group = groups.next().unwrap_or_default();
            assert!(!group.is_empty() && (most == 0 || group.len() <= most), "{group:?}");
            for (order, corner) in group.iter().enumerate() {
                assert!(corner.contact as usize == i && corner.order as usize == order, "{corner:?}");
                assert!(corner.position.iter().chain([&corner.gap]).all(|x| x.is_finite()), "{corner:?}");
            }
        }
        assert!(groups.next().is_none());
    }
    Some(())
}

/// Unit normals, and no force that is longer.
fn check_clamp(b: &Side<'_>, list: &[Contact]) -> Option<()> {
    let mut cones = vec![PatchCone::default(); b.operand.mesh.len()];
    patch_cones(&b.operand.mesh, &b.cells, &CellOptions::default(), &mut cones).ok()?;
    assert!(cones.iter().all(|cone| cone.axis.iter().chain([&cone.cosine]).all(|x| x.is_finite())));
    let mut clamped = list.to_vec();
    clamp_normals(&cones, b.operand.pose, Clamped::B, &mut clamped).ok()?;
    for (c, d) in list.iter().zip(&clamped) {
        let square: f64 = d.normal.iter().map(|x| x * x).sum();
        assert!((square - 1.0).abs() < 1e-9 && d.area >= 0.0 && d.area <= c.area && d.share.is_finite(), "{c:?} {d:?}");
    }
    Some(())
}

/// An error, or the same with every instruction set. `vertices` are any numbers, as many as A has vertices.
fn check_velocities(a: &Side<'_>, list: &[Contact], vertices: &[[f64; 3]]) {
    let vertices = Vertices { operand: a.operand, velocities: Array::from_f64(vertices) };
    let moving = SurfaceMotion { spin: [0.5, -1.0, 2.0], vertices: Some(vertices), ..SurfaceMotion::default() };
    let Ok(layout) = contact::velocities_scratch(&moving, &SurfaceMotion::default()) else { return };
    let mut scratch = Memory::new(layout.size);
    let mut find = |isa: Isa| {
        let mut out = vec![[0.0; 3]; list.len()];
        let found =
            relative_velocities(isa, &moving, &SurfaceMotion::default(), positions(list), &mut out, scratch.get());
        found.map(|()| out.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    let first = find(Isa::SCALAR);
    for isa in Isa::list() {
        assert_eq!(find(*isa), first, "{}", isa.name());
    }
}

fuzz_target!(|bytes: &[u8]| {
    let _ = query(bytes);
});
