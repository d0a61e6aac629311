//! Runs steps of a small scene, to count instructions: `small_steps SCENE STEPS FOLDER`. FOLDER caches the terrain of some scenes. `heap_world` is
//! the scene `heap` as a world with a force law; `balls` is a world of packed balls, `clumps` one of compounds of balls; `touch_1280`,
//! `touch_20480` and `flat` are contacts of two meshes. Prints the counts of the last step.

use dem_tests::scene::{boxes, rocks};
use dem_tests::shapes::surface;
use dem_tests::small::{
    NAMES, ON_TERRAIN, ROCKS, Small, Terrain, contacts_of_two, steps_of_balls, steps_of_clumps, stones,
};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [name, steps, folder] = &arguments[..] else {
        let names = [&NAMES[..], &ROCKS].concat().join(", ");
        return Err(format!("small_steps SCENE STEPS FOLDER, with one of the scenes {names}").into());
    };
    if name == "balls" {
        return Ok(steps_of_balls(steps.parse()?)?);
    }
    if name == "clumps" {
        println!("{} contacts", steps_of_clumps(steps.parse()?)?);
        return Ok(());
    }
    let two = match name.as_str() {
        "touch_1280" => Some(rocks(1280, "touch")),
        "touch_20480" => Some(rocks(20_480, "touch")),
        "flat" => Some(boxes()),
        _ => None,
    };
    if let Some(two) = two {
        println!("{} contacts", contacts_of_two(&two, steps.parse()?)?);
        return Ok(());
    }
    let terrain = if ON_TERRAIN.contains(&name.as_str()) { Some(Terrain::kept(Path::new(folder))?) } else { None };
    let ground = terrain.as_ref().map(Terrain::surface);
    let stones = stones();
    let stones: Vec<_> = stones.iter().map(|stone| surface(stone, true)).collect();
    if name == "heap_world" {
        let heap = Small::named("heap", None, &stones).ok_or("no such scene")?;
        return Ok(heap.world_steps(steps.parse()?)?);
    }
    let scene = Small::named(name, ground.as_ref(), &stones).ok_or("no such scene")?;
    let mut last = None;
    scene.steps(steps.parse()?, |_, found| last = Some(found))?;
    println!("{last:?}");
    Ok(())
}
