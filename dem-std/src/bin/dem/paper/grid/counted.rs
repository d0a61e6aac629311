//! P1 Fig. 11, 12 and the two-dimensional system of section 5.4.2: the model against counts.

use super::count::Bodies;
use super::packing::packed;
use super::rule::{Rule, Scene};
use super::short;
use crate::failure::Failure;
use crate::paper::Options;
use crate::paper::sheet::Sheet;
use dem_std::dem_core::broad::levels::{Direction, Model, level};
use dem_std::dem_core::broad::{Counters, Dimensions};

const NOTE: &str = "  \
  counted: random places as the model assumes them, no excluded volume. Radii are quantiles of the distribution, so each sample has its\n  \
  volume; with radii drawn at random T is up to 6 % off where omega is 100, as few bodies are large. stretched: the model, with the\n  \
  cells that fill a periodic box, which are wider than the sizes where these do not divide it\n  \
  packed: the same radii without overlaps, as in the paper: placed at random, the largest first, and moved at random as hard bodies.\n  \
  Where there is no room, bodies are pushed apart and the box grows: nu tells how full it is. Small bodies have only the space between\n  \
  large ones, so they are denser there and T is higher, the more so the fuller the box, as the paper says; bodies of about one size keep\n  \
  apart, and T is lower\n";

/// T computed from counts.
fn time(counts: &Counters, bodies: u32) -> f64 {
    ((counts.same + counts.cross) as f64 + Model::PUBLISHED_ACCESS * counts.accesses as f64) / f64::from(bodies)
}

/// The counts for bodies in a box.
struct Counted {
    time: f64,
    /// Pairs that overlap.
    overlaps: usize,
    /// The volume of the bodies divided by that of the box.
    share: f64,
    /// The share of the cells of the first level that hold two bodies or more.
    shared: f64,
}

impl Counted {
    fn of(scene: &Scene, sizes: &[f64], bodies: &Bodies, periodic: bool) -> Result<Counted, Failure> {
        Ok(Counted {
            time: time(&bodies.count(scene, sizes, periodic)?, bodies.len()),
            overlaps: bodies.near(scene, periodic, 0.0)?.len(),
            share: bodies.share(scene),
            shared: bodies.shared_cells(scene, sizes[0]),
        })
    }
}

/// The numbers of one system with optimal cell sizes.
struct Compared {
    predicted: f64,
    /// The prediction for the cells that fill the periodic box.
    stretched: f64,
    /// Bodies at random positions, in a periodic box and in one with walls.
    random: [Counted; 2],
    /// The same for bodies that do not overlap.
    packed: [Counted; 2],
}

fn compare(scene: &Scene, options: &Options) -> Result<Compared, Failure> {
    let sizes = scene.best(Rule::Optimal)?;
    let bodies = || Bodies::random(scene, options.counted(), options.seed);
    let random = bodies();
    let stretched: Vec<_> = sizes.iter().map(|size| random.stretched(*size)).collect();
    let at_random = |periodic| Counted::of(scene, &sizes, &random, periodic);
    let apart = |periodic| Counted::of(scene, &sizes, &packed(bodies(), scene, periodic, options.seed)?, periodic);
    Ok(Compared {
        predicted: scene.time(&sizes)?,
        stretched: scene.time(&stretched)?,
        random: [at_random(true)?, at_random(false)?],
        packed: [apart(true)?, apart(false)?],
    })
}

/// Compares systems, several at a time, on all processors.
fn compare_all(scenes: &[Scene], options: &Options) -> Result<Vec<Compared>, Failure> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut found: Vec<Option<Result<Compared, Failure>>> = scenes.iter().map(|_| None).collect();
    let mut tasks: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
    for (i, task) in scenes.iter().zip(&mut found).enumerate() {
        tasks[i % threads].push(task);
    }
    std::thread::scope(|scope| {
        for thread in tasks {
            scope.spawn(move || thread.into_iter().for_each(|(scene, to)| *to = Some(compare(scene, options))));
        }
    });
    found.into_iter().flatten().collect()
}

/// Rows of a system, with a cell in each column.
fn rows(sheet: &mut Sheet, name: &str, columns: &[Compared]) {
    sheet.section(name);
    let mut row = |name: &str, cell: &dyn Fn(&Compared) -> String| sheet.row(name, columns.iter().map(cell));
    row(&format!("  {name}, predicted"), &|c| short(c.predicted));
    row("    counted, periodic", &|c| short(c.random[0].time));
    row("    counted, walls", &|c| short(c.random[1].time));
    row("    stretched, periodic", &|c| short(c.stretched));
    row("    packed, periodic", &|c| short(c.packed[0].time));
    row("    packed, walls", &|c| short(c.packed[1].time));
    row("    nu of the packings, periodic", &|c| short(c.packed[0].share));
    row("    nu of the packings, walls", &|c| short(c.packed[1].share));
    row("    overlapping pairs, random", &|c| (c.random[0].overlaps + c.random[1].overlaps).to_string());
    row("    overlapping pairs, packed", &|c| (c.packed[0].overlaps + c.packed[1].overlaps).to_string());
    sheet.section("");
}

/// Fig. 11.
pub fn packings(sheet: &mut Sheet, options: &Options) -> Result<(), Failure> {
    let omega = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    sheet.say(&format!(
        "Fig. 11: T of optimal sizes against omega; TD, alpha -3, d = 3, {} bodies (paper 1,000,001)\n",
        options.counted()
    ));
    sheet.row("omega", omega.map(|x| x.to_string()));
    let mut last = Vec::new();
    for packing in [0.1, 0.3, 0.5, 0.62] {
        let scenes: Result<Vec<_>, Failure> = omega
            .iter()
            .map(|omega| Scene::new(Dimensions::Three, [*omega, -3.0, packing], Direction::TopDown))
            .collect();
        last = compare_all(&scenes?, options)?;
        rows(sheet, &format!("nu {packing}"), &last);
    }
    sheet.say(NOTE);
    let scene = Scene::new(Dimensions::Three, [100.0, -3.0, 0.62], Direction::TopDown)?;
    let sizes = scene.best(Rule::Optimal)?;
    let m = level(&scene.radii, &scene.model, &sizes, 0)?.per_cell;
    let [random, packed] = last.last().map_or([0.0; 2], |c| [c.random[0].shared, c.packed[0].shared]);
    sheet.say(&format!(
        "  cells of the first level with two bodies or more, omega 100, nu 0.62: predicted {:.2} %, counted {:.2} % at random places (paper\n  \
         1.26 %) and {:.2} % with excluded volume (paper 2.26 %), {:.2} times as many (paper 1.79). The volume of a million radii that are\n  \
         drawn at random scatters by 4 %, and these shares by twice as much, so theirs are within the scatter. Counted cells fill the box\n  \
         and are wider, the more so the fewer bodies there are\n",
        100.0 * (1.0 - (1.0 + m) * (-m).exp()),
        100.0 * random,
        100.0 * packed,
        packed / random
    ));
    Ok(())
}

/// Fig. 12.
pub fn exponents(sheet: &mut Sheet, options: &Options) -> Result<(), Failure> {
    let alpha = [0.0, -1.0, -2.0, -3.0, -4.0];
    sheet.say(&format!(
        "Fig. 12: T of optimal sizes against alpha; TD, omega 10, nu 0.62, d = 3, {} bodies\n",
        options.counted()
    ));
    sheet.row("alpha", alpha.map(|x| x.to_string()));
    let scenes: Result<Vec<_>, Failure> =
        alpha.iter().map(|alpha| Scene::new(Dimensions::Three, [10.0, *alpha, 0.62], Direction::TopDown)).collect();
    let columns = compare_all(&scenes?, options)?;
    rows(sheet, "nu 0.62", &columns);
    sheet.say("  paper: walls need less than periodic boxes, the less the more bodies there are\n");
    sheet.say(NOTE);
    Ok(())
}

/// Section 5.4.2: 10,000 discs.
pub fn discs(sheet: &mut Sheet, options: &Options) -> Result<(), Failure> {
    const BODIES: u32 = 10_000;
    let scene = Scene::new(Dimensions::Two, [20.0, -3.0, 0.4], Direction::TopDown)?;
    let best = scene.sizes(Rule::Optimal, 5)?;
    let single = [40.0];
    let bodies = Bodies::random(&scene, BODIES, options.seed);
    sheet.say("Section 5.4.2: discs, TD, omega 20, alpha -3, nu 0.4, 10,000 bodies between walls\n");
    sheet.section("optimal sizes");
    sheet.row("optimal sizes, paper", ["4.0", "7.9", "15.1", "27.2", "40"].map(str::to_owned));
    sheet.row("               ours", best.iter().map(|s| format!("{s:.1}")));
    sheet.section("");
    sheet.row("", ["one level", "optimal", "factor"].map(str::to_owned));
    let mut row =
        |name: &str, one: f64, five: f64| sheet.row(name, [short(one), short(five), format!("{:.1}", one / five)]);
    row("  T, predicted", scene.time(&single)?, scene.time(&best)?);
    let (one, five) = (bodies.count(&scene, &single, false)?, bodies.count(&scene, &best, false)?);
    row("  T, counted", time(&one, BODIES), time(&five, BODIES));
    let candidates = |c: &Counters| (c.same + c.cross) as f64;
    row("  candidates, counted", candidates(&one), candidates(&five));
    sheet.say(&format!(
        "  factor, paper: 35 predicted; {:.1} in the time of a whole simulation (266 minutes to 27)\n",
        266.0 / 27.0
    ));
    Ok(())
}
