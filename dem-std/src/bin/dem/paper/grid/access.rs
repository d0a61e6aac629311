//! K of this machine: the cost of an access divided by that of a test, fitted to timed searches.

use super::count::Bodies;
use super::rule::Scene;
use super::short;
use super::timed::{Run, best, measure, variety};
use crate::failure::Failure;
use crate::paper::Options;
use crate::paper::sheet::Sheet;
use dem_std::dem_core::broad::Dimensions;
use dem_std::dem_core::broad::levels::{Cost, Direction, Model, Search, Timed};
use dem_std::dem_core::error::{Error, Kind};
use dem_std::dem_core::simd::Isa;

/// Size ratios.
const RATIOS: [f64; 3] = [1.0, 10.0, 100.0];

/// Measures and prints everything.
pub fn print(sheet: &mut Sheet, options: &Options) -> Result<(), Failure> {
    sheet.say(&format!(
        "K of this machine: searches of {} bodies timed, TD, alpha -3, nu 0.6, one core, {}, for one body. Accesses are rows of cells, tests\n\
         are vectors of bodies, by the model of this library's search; cells and candidates are those of the published one, counted. ns: the\n\
         fastest of several runs, and the slowest\n",
        options.counted(),
        Isa::best().name()
    ));
    let (mut runs, mut scenes) = (Vec::new(), Vec::new());
    for (number, omega) in (0u32..).zip(RATIOS) {
        let mut scene = Scene::new(Dimensions::Three, [omega, -3.0, 0.6], Direction::TopDown)?;
        scene.model = Model { search: Search::Rows, access: Model::ROW_ACCESS, ..scene.model };
        let bodies = Bodies::random(&scene, options.counted(), options.seed).ordered();
        let of_scene = measure(&scene, &bodies, number, variety(&scene)?)?;
        show(sheet, omega, &of_scene, options.counted());
        runs.extend(of_scene.iter().map(|run| run.timed));
        scenes.push((scene, bodies));
    }
    tell(sheet, &runs, &scenes)
}

/// The counts and measurements of a scene.
fn show(sheet: &mut Sheet, omega: f64, runs: &[Run], bodies: u32) {
    sheet.section(&format!("omega {omega}"));
    let heads = ["cells", "candidates", "accesses", "tests", "ns", "slowest"].map(str::to_owned);
    sheet.row(&format!("omega {omega}: first cell, levels"), heads);
    for run in runs {
        let one = |n: u64| short(n as f64 / f64::from(bodies));
        let counted = [one(run.counted.accesses), one(run.counted.same + run.counted.cross)];
        let rest = [run.expected.accesses, run.expected.tests, run.timed.time, run.slowest].map(short);
        sheet.row(&format!("  {:.2}, {}", run.sizes[0], run.sizes.len()), counted.into_iter().chain(rest));
    }
    sheet.section("");
}

/// Prints the fitted K, and the cell sizes and times that follow from it.
fn tell(sheet: &mut Sheet, runs: &[Timed], scenes: &[(Scene, Bodies)]) -> Result<(), Failure> {
    let Cost { access, error, test, scatter } = match Cost::fit(runs) {
        Ok(cost) => cost,
        Err(Error { kind: Kind::OutOfRange, .. }) => {
            sheet.say("  these times do not tell K: too few bodies, or a machine that was busy with something else\n");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    sheet.row("K, standard error", [access, error].map(|x| format!("{x:.2}")));
    sheet.row("  test, ns; scatter of times, %", [short(test), format!("{:.1}", 100.0 * scatter)]);
    let guesses = [1.0, Model::ROW_ACCESS, access, 2.0 * access];
    sheet.row("best sizes for this K: ns", guesses.map(|k| format!("{k:.2}")));
    for ((number, omega), (scene, bodies)) in (0u32..).zip(RATIOS).zip(scenes) {
        let own: Vec<Timed> = runs.iter().filter(|run| run.scene == number).copied().collect();
        let own = Cost::fit(&own).map_or("not told".into(), |cost| format!("K {:.1}", cost.access));
        let sizes: Result<Vec<_>, Failure> = guesses.iter().map(|k| best(scene, *k)).collect();
        let times = measure(scene, bodies, number, sizes?)?;
        sheet.row(&format!("  omega {omega} (alone: {own})"), times.iter().map(|run| short(run.timed.time)));
        sheet.row(&format!("    slowest, omega {omega}"), times.iter().map(|run| short(run.slowest)));
    }
    sheet.say(&format!(
        "  for `access` of a model and of `levels::choose`, where cells are searched by rows; without a measurement it is {}\n",
        Model::ROW_ACCESS
    ));
    Ok(())
}
