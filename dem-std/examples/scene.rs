//! A cube of edge 1 falls onto the ground and comes to rest where the contact pressure bears its weight.
use dem_std::prelude::*;

fn main() -> Result<(), Error> {
    let (halo, mass, gravity, pressure, damping, dt) = (0.01, 1.0, 9.81, 100.0, 150.0, 1e-3);
    let cube = generate::cuboid([1.0; 3])?;
    let shape = OwnedShape::new(&cube, cube.scalar(), Halo::Uniform(halo), &TreeOptions::default())?;
    let (mesh, tree) = (shape.mesh()?, shape.tree()?);
    let cells = OwnedCells::new(&mesh, &CellOptions::default())?;
    let surface = Surface { mesh, tree, cells: cells.open()?, solid: true };
    let shapes = [Shape::HalfSpace { halo }, Shape::Mesh(&surface)];

    // The ground is body 0, the cube body 1.
    let kinds = [0, 1];
    let mut positions = [[0.0; 3], [0.0, 0.0, 1.0]]; // The cube's origin is its centre.
    let (mut velocity, mut gap) = (0.0, 0.0);
    let mut scene = OwnedScene::new(Threads::global());
    for _step in 0..3000 {
        scene.detect(&Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions)))?;
        let mut force = -mass * gravity;
        for contact in scene.view()?.now().contacts() {
            gap = contact.gap;
            // The normal points from body 1, the cube, to body 0: against the force on the cube.
            let pressed = (1.0 - gap / contact.halo) * contact.area;
            force -= (pressure - damping * velocity) * pressed * contact.normal[2];
        }
        velocity += dt * force / mass;
        positions[1][2] += dt * velocity;
    }
    let expected = 2.0 * halo * (1.0 - mass * gravity / pressure);
    println!("a cube rests with a gap of {gap:.5}; 2 halo (1 - weight / pressure) = {expected:.5}");
    assert!((gap - expected).abs() < 5e-5);
    Ok(())
}
