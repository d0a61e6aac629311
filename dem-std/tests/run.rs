//! `dem run` from the outside: what bodies do, and what its files tell of it.

#![allow(clippy::unwrap_used)]

mod scenes;

use std::fs;

use scenes::{SCENE, folder, row, run, state};

/// The words of an XML attribute.
fn attributes<'x>(xml: &'x str, name: &str) -> Vec<&'x str> {
    let key = format!(" {name}=\"");
    xml.split(&key).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn files_for_paraview_have_as_much_as_they_say() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let folder = folder("vtk");
    let scene = format!("output = {{ surfaces = true }}\n{SCENE}");
    state(&run(&folder, &scene, &[]));
    let mut seen = 0;
    for name in ["bodies", "contacts", "surfaces"] {
        let series = fs::read_to_string(folder.join(format!("scene/{name}.pvd"))).unwrap();
        let files = attributes(&series, "file");
        assert_eq!(files.len(), 11);
        for (k, (file, time)) in files.iter().zip(attributes(&series, "timestep")).enumerate() {
            assert!((time.parse::<f64>().unwrap() - 0.02 * k as f64).abs() < 1e-12);
            let xml = fs::read_to_string(folder.join("scene").join(file)).unwrap();
            let number = |name| attributes(&xml, name)[0].parse::<usize>().unwrap();
            let (points, verts, polys) = (number("NumberOfPoints"), number("NumberOfVerts"), number("NumberOfPolys"));
            for array in xml.split("<DataArray").skip(1) {
                let array = array.split("</DataArray>").next().unwrap();
                let width = attributes(array, "NumberOfComponents")[0].parse::<usize>().unwrap();
                let count = match attributes(array, "Name")[0] {
                    "connectivity" => verts + 3 * polys,
                    "offsets" => verts + polys,
                    _ => width * points,
                };
                let bytes = STANDARD.decode(array.split('>').nth(1).unwrap()).unwrap();
                assert_eq!(bytes.len(), 8 + 8 * count, "{file}: {array:.80}");
                assert_eq!(bytes[..8], (8 * count as u64).to_le_bytes());
                seen += usize::from(name == "contacts" && count > 0);
            }
        }
    }
    assert!(seen > 0, "no contacts");
}

#[test]
fn energies_of_a_run_add_up() {
    let folder = folder("energy");
    // Nothing is driven: what is left over is the error of the step.
    let still =
        SCENE.replace("spin = [0, 0, 3]\n", "").replace("swing = { amplitude = [0.02, 0, 0], frequency = 5 }\n", "");
    let still = still.replace("end = 0.2", "end = 0.6").replace("motion = \"kinematic\"", "motion = \"static\"");
    let output = run(&folder, &still.replace("step = 2e-4", "step = 1e-4"), &[]);
    state(&output);
    let table = fs::read_to_string(folder.join("scene/numbers.csv")).unwrap();
    let head: Vec<_> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| {
        let place = head.iter().position(|own| *own == name).unwrap();
        (1..table.lines().count()).map(|line| row(&table, line)[place]).collect::<Vec<_>>()
    };
    let sum = |name: &str| column(name).iter().sum::<f64>();
    let (damped, rubbed, spurious) = (sum("damped"), sum("rubbed"), sum("spurious"));
    let stored: f64 =
        ["stored_normal", "stored_tangential"].iter().map(|name| column(name).last().copied().unwrap()).sum();
    assert!(damped > 0.0 && rubbed > 0.0 && stored > 0.0);
    // But for what the first step after a body has come leaves over, and for what the last step has not told.
    let rest = sum("contact_work") + damped + rubbed + stored;
    assert!((rest - spurious).abs() < 0.02 * damped && spurious != 0.0, "{rest} {spurious} beside {damped}");
    assert!(spurious.abs() < 0.02 * damped && sum("driven_work") == 0.0, "{spurious} beside {damped}");
    assert!(output.1.contains("by driven bodies 0.0") && output.1.contains("deepest gap"), "{}", output.1);
}

/// Forces of contacts sum up to those of bodies, and to the stress.
#[test]
fn the_table_of_contacts_agrees_with_that_of_bodies() {
    let folder = folder("network");
    let output = run(&folder, &SCENE.replace("end = 0.2", "end = 0.5"), &[]);
    state(&output);
    let read = |name: &str| fs::read_to_string(folder.join("scene").join(name)).unwrap();
    let (numbers, bodies, contacts) = (read("numbers.csv"), read("bodies.csv"), read("contacts.csv"));
    let head: Vec<_> = numbers.lines().next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|own| *own == name).unwrap();
    let rows = |text: &str| (1..text.lines().count()).map(|line| row(text, line)).collect::<Vec<_>>();
    let (numbers, bodies, contacts) = (rows(&numbers), rows(&bodies), rows(&contacts));
    let mut pressed = 0;
    for number in &numbers {
        let of = |rows: &[Vec<f64>]| rows.iter().filter(|row| row[0] == number[0]).cloned().collect::<Vec<_>>();
        let (bodies, contacts) = (of(&bodies), of(&contacts));
        assert_eq!(contacts.len() as f64, number[column("contacts")]);
        let dynamic: Vec<_> = bodies.iter().filter(|body| body[22] > 0.0).collect();
        let (mut virial, mut met) = ([[0.0; 3]; 3], 0);
        for body in &dynamic {
            let mut force = [0.0; 3];
            let mut others = std::collections::BTreeSet::new();
            for contact in contacts.iter().filter(|contact| contact[2..4].contains(&body[2])) {
                let sign = if contact[2] == body[2] { 1.0 } else { -1.0 };
                for k in 0..3 {
                    force[k] += sign * contact[10 + k];
                    (0..3).for_each(|j| virial[j][k] += (contact[4 + j] - body[3 + j]) * sign * contact[10 + k]);
                }
                if contact[10..13].iter().any(|f| *f != 0.0) {
                    others.insert((contact[2] + contact[3] - body[2]) as u64);
                }
                let normal = &contact[7..10];
                assert!((normal.iter().map(|n| n * n).sum::<f64>() - 1.0).abs() < 1e-12, "{normal:?}");
            }
            met += others.len();
            let size = force.iter().fold(1e-9, |most: f64, f| most.max(f.abs()));
            assert!((0..3).all(|k| (force[k] - body[16 + k]).abs() < 1e-12 * size), "{force:?} {body:?}");
        }
        // Bodies that a source has brought since the step have met nothing yet.
        let mean = met as f64 / dynamic.len().max(1) as f64;
        let told = number[column("coordination")];
        assert!(number[1] < 0.13 || (mean - told).abs() < 1e-12, "{mean} {told}");
        let first = column("virial_xx");
        let size = (0..9).fold(1e-9, |most: f64, k| most.max(number[first + k].abs()));
        for k in 0..9 {
            // Bodies have moved by a step since.
            let (own, told) = (virial[k / 3][k % 3], number[first + k]);
            assert!((own - told).abs() < 0.02 * size, "{own} {told} of {size}");
        }
        pressed += usize::from(number[first + 8] < 0.0);
        assert!(number[column("largest_frequency_dt")] >= number[column("frequency_dt")]);
    }
    assert!(pressed > 10, "{pressed}");
}

#[test]
fn contacts_shorter_than_a_frame_count() {
    // A ball that touches between two frames, and a rock.
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.004
time = { end = 0.2, step = 1e-3, frame = 0.1 }
shapes.ball = { make = "ball", radius = 0.05 }
shapes.rock = { make = "icosphere", level = 1, scale = 0.05 }
shapes.floor = { make = "plane" }
materials.m = { density = 1000, young = 4e6 }
bodies = [
  { shape = "floor", material = "m", motion = "static" },
  { shape = "NAME", material = "m", position = [0, 0, 0.2] },
]
"#;
    for name in ["ball", "rock"] {
        let folder = folder(&format!("short_{name}"));
        let output = run(&folder, &scene.replace("NAME", name), &[]);
        let (_, told) = output.1.split_once("in all steps: deepest gap ").unwrap();
        let (_, told) = told.split_once("largest frequency times step ").unwrap();
        let frequency: f64 = told.lines().next().unwrap().parse().unwrap();
        assert!(frequency > 0.5 && frequency < 5.0, "{frequency}");
        assert!(
            output.2.contains(&format!("the step times the frequency of contacts is {frequency:.2}")),
            "{}",
            output.2
        );
    }
    // Of many balls only some steps have records of contacts, and the summary tells it.
    let many = "position = [0, 0, 0.2], copies = { count = [8, 4, 1], apart = [1, 1, 0] }";
    let output =
        run(&folder("short_many"), &scene.replace("NAME", "ball").replace("position = [0, 0, 0.2]", many), &[]);
    assert!(
        output.1.contains("in the last steps of frames with many balls, and all steps of others: "),
        "{}",
        output.1
    );
}

#[test]
fn copies_and_bodies_that_leave() {
    let folder = folder("leave");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.004
keep = { low = [-9, -9, -0.5], high = [9, 9, 9] }
time = { end = 1.2, step = 1e-3, frame = 0.02 }
shapes.ball = { make = "ball", radius = 0.05 }
materials.m = { density = 1000, young = 1e5 }

[[bodies]]
shape = "ball"
material = "m"
copies = { count = [3, 2, 1], apart = [0.2, 0.3, 0] }

[[sources]]
shapes = ["ball"]
material = "m"
count = 5
rate = 50
low = [2, 0, 0]
high = [2, 0, 0]
"#;
    let output = run(&folder, scene, &[]);
    assert!(output.1.contains(": 0 bodies, 11 have left, 0 contacts"), "{}", output.1);
    assert!(output.1.contains("in all steps: no contacts, fastest"), "{}", output.1);
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let at_first: Vec<_> = (1..7).map(|line| row(&bodies, line)[2..5].to_vec()).collect();
    assert_eq!(at_first[5], [5.0, 0.4, 0.3], "{at_first:?}");
    // Each falls as the others do, until it is below the border.
    let last = row(&fs::read_to_string(folder.join("scene/numbers.csv")).unwrap(), 61);
    assert_eq!(last[2], 0.0);
    assert_eq!(state(&run(&folder, scene, &["--resume"])), state(&output));
    let close = scene.replace("apart = [0.2,", "apart = [0.09,");
    let error = run(&folder, &close, &["--check"]).2;
    assert!(error.contains("body 1 (`ball`), copy 1 and body 1 (`ball`), copy 2"), "{error}");
}

#[test]
fn compounds_fall_roll_and_rest_on_three_feet() {
    let folder = folder("compounds");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.002
time = { end = 1.5, step = 1e-4, frame = 0.05 }
shapes.ball = { make = "ball", radius = 0.05 }
shapes.brick = { make = "box", edges = [0.1, 0.1, 0.1] }
shapes.floor = { make = "plane" }
shapes.wall.parts = [{ shape = "brick" }, { shape = "brick", position = [0.1, 0, 0] }]
shapes.tripod.parts = [
  { shape = "ball" }, { shape = "ball", position = [0.08, 0, 0] }, { shape = "ball", position = [0.04, 0.07, 0] },
  { shape = "brick", position = [0.04, 0.025, 0.06], scale = 0.6, axis = [0, 0, 1], angle = 30 },
]
[materials]
stone = { density = 2600, young = 1e7, restitution = 0.3, friction = 0.5 }
[[interactions]]
materials = ["stone", "stone"]
law = "linear"
stiffness = 5e5
damping = "dashpot-with-tension"
restitution = 0.2
torsion = false
[[bodies]]
shape = "floor"
material = "stone"
motion = "static"
[[bodies]]
shape = "wall"
material = "stone"
motion = "static"
position = [0.5, 0, 0.05]
[[bodies]]
shape = "tripod"
material = "stone"
position = [0, 0, 0.07]
"#;
    state(&run(&folder, scene, &[]));
    let numbers = fs::read_to_string(folder.join("scene/numbers.csv")).unwrap();
    let last = row(&numbers, numbers.lines().count() - 1);
    assert!(last[3] == 3.0 && last[4] < 1e-6, "three contacts at rest: {last:?}");
    // What there was at first went into damping and friction.
    let sum = |column: usize| (1..numbers.lines().count()).map(|line| row(&numbers, line)[column]).sum::<f64>();
    assert!(sum(10) > 0.1 && sum(12).abs() < 0.05 * sum(10), "{} of {}", sum(12), sum(10));
    let said = |from: &str, to: &str| run(&folder, &scene.replace(from, to), &["--check"]).2;
    assert!(said("{ shape = \"ball\" }", "{ shape = \"floor\" }").contains("a part is a ball, a capsule or a mesh"));
    assert!(said("stiffness = 5e5\n", "").contains("needs a `stiffness`"));
    assert!(said("dashpot-with-tension", "hunt-crossley").contains("`speed` of impact"));
}

/// A capsule falls and lies, and so does one of two capsules.
#[test]
fn capsules_come_to_rest() {
    let folder = folder("capsules");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.002
time = { end = 1.0, step = 5e-4, frame = 0.5 }
shapes.floor = { make = "plane" }
shapes.rod = { make = "capsule", radius = 0.05, length = 0.2 }
shapes.cross = { parts = [{ shape = "rod" }, { shape = "rod", axis = [1, 0, 0], angle = 90 }] }
materials.m = { density = 1000, young = 2e6, restitution = 0.2, friction = 0.5 }
output.surfaces = true

[[bodies]]
shape = "floor"
material = "m"
motion = "static"

[[bodies]]
shape = "rod"
material = "m"
position = [0, 0, 0.2]
axis = [0, 1, 0]
angle = 70

[[bodies]]
shape = "cross"
material = "m"
position = [1, 0, 0.1]
axis = [0, 1, 0]
angle = 80
"#;
    let output = run(&folder, scene, &[]);
    assert_eq!(output.0, 0, "{}", output.2);
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let rows = bodies.lines().count();
    // Both lie on the floor, within the halos.
    for line in [rows - 2, rows - 1] {
        let height = row(&bodies, line)[5];
        assert!((0.0495..0.055).contains(&height), "{height}: {bodies}");
    }
    assert_eq!(state(&run(&folder, scene, &["--resume"])), state(&output));
    let error = run(&folder, &scene.replace(", length = 0.2", ""), &["--check"]).2;
    assert!(error.contains("a capsule has a `radius`, and a `length`"), "{error}");
}
