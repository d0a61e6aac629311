//! Cell sizes of a hierarchical grid: the cost model and the best sizes against a table that was computed independently.

use dem_core::broad::Dimensions;
use dem_core::broad::levels::{
    Direction, Expected, Model, Optimum, PowerLaw, Search, choose, choose_scratch, constant_ratio, expected,
    exponential, level, linear, optimal, optimal_exactly, optimal_scratch,
};
use dem_std::Memory;
use dem_tests::bodies::{self, Grid};
use dem_tests::data;
use dem_tests::random::Random;
use serde_json::Value;

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))
}

fn numbers(row: &Value, name: &str) -> Vec<f64> {
    row[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(name: &str) -> Vec<Value> {
    data::json("hgrid/cost_table.json")[name].as_array().unwrap().clone()
}

/// Radii and model of a row.
fn scene(row: &Value) -> (PowerLaw, Model) {
    let radii = PowerLaw::new(1.0, number(row, "omega"), number(row, "alpha")).unwrap();
    let direction = if row["direction"] == "TD" { Direction::TopDown } else { Direction::BottomUp };
    let dimensions = if row["d"] == 2 { Dimensions::Two } else { Dimensions::Three };
    let model = Model::packed(&radii, dimensions, direction, number(row, "nu"), number(row, "K")).unwrap();
    (radii, model)
}

#[track_caller]
fn near(ours: f64, theirs: f64, tolerance: f64, row: &Value) {
    assert!((ours - theirs).abs() <= tolerance * theirs.abs(), "{ours} and not {theirs} in {row}");
}

#[test]
fn given_sizes_cost_what_the_table_says() {
    for row in rows("fixed_sizes") {
        let (radii, model) = scene(&row);
        let sizes = numbers(&row, "sizes");
        let Expected { time, candidates, accesses, .. } = expected(&radii, &model, &sizes).unwrap();
        near(time, number(&row, "T"), 1e-9, &row);
        near(candidates, number(&row, "Tcd"), 1e-9, &row);
        near(accesses, number(&row, "Tca"), 1e-9, &row);
        for (h, (m, share)) in numbers(&row, "m").into_iter().zip(numbers(&row, "frac")).enumerate() {
            let level = level(&radii, &model, &sizes, h).unwrap();
            near(level.per_cell, m, 1e-9, &row);
            near(level.share, share, 1e-9, &row);
        }
    }
}

/// Sizes by the rule that a row names.
fn by_rule(row: &Value, radii: &PowerLaw, model: &Model, levels: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; levels];
    match row["method"].as_str().unwrap() {
        "linear" => linear(radii, &mut sizes),
        "exp" => exponential(radii, &mut sizes),
        "const" => constant_ratio(radii, model, 1.0, &mut sizes),
        "ratio" => constant_ratio(radii, model, number(row, "q"), &mut sizes),
        other => panic!("{other}"),
    }
    .unwrap();
    sizes
}

#[test]
fn rules_have_the_best_number_of_levels_that_the_table_says() {
    for row in rows("best") {
        let (radii, model) = scene(&row);
        let best = row["Lstar"].as_u64().unwrap() as usize;
        let time = |levels| expected(&radii, &model, &by_rule(&row, &radii, &model, levels)).unwrap().time;
        let exact = if matches!(row["method"].as_str(), Some("const" | "ratio")) { 1e-7 } else { 1e-9 };
        near(time(best), number(&row, "T"), exact, &row);
        if row["method"] == "ratio" {
            // Beyond, levels lie closer to the smallest diameter than numbers are apart.
            for (levels, t) in row["T_by_L"].as_object().unwrap() {
                let levels: usize = levels.parse().unwrap();
                if levels <= 16 {
                    near(time(levels), t.as_f64().unwrap(), exact, &row);
                }
            }
            continue;
        }
        near(time(1), number(&row, "T_single"), 1e-9, &row);
        if best > 1 {
            near(time(best - 1), number(&row, "T_Lm1"), exact, &row);
            assert!(time(best - 1) >= number(&row, "T"));
        }
        if let Some(next) = row["T_Lp1"].as_f64() {
            near(time(best + 1), next, exact, &row);
        }
        if row["sizes"].is_array() {
            for (ours, theirs) in by_rule(&row, &radii, &model, best).into_iter().zip(numbers(&row, "sizes")) {
                near(ours, theirs, 1e-6, &row);
            }
        }
        // The number of levels is the best of all that were scanned. (Constant numbers of bodies take long to solve for:
        // there the neighbours that are in the table have to do.)
        if row["method"] != "const" {
            let scanned = row["Lmax_scanned"].as_u64().unwrap() as usize;
            let least = (1..=scanned).min_by(|a, b| time(*a).total_cmp(&time(*b)));
            assert_eq!(least, Some(best), "{row}");
        }
    }
}

fn best(radii: &PowerLaw, model: &Model, exactly: Option<usize>) -> (Optimum, Vec<f64>) {
    let mut sizes = vec![0.0; exactly.unwrap_or(32)];
    let mut scratch = Memory::new(optimal_scratch(sizes.len()).unwrap()).unwrap();
    let found = match exactly {
        None => optimal(radii, model, &mut sizes, &mut scratch),
        Some(_) => optimal_exactly(radii, model, &mut sizes, &mut scratch),
    };
    let found = found.unwrap();
    sizes.truncate(found.levels);
    (found, sizes)
}

#[test]
fn optima_are_as_low_as_the_table_has_them() {
    for row in rows("optimal") {
        let (radii, model) = scene(&row);
        let (found, sizes) = best(&radii, &model, None);
        println!(
            "d {} alpha {} omega {} nu {} {}: {:.6} of {:.6}, {:+.1e}, {} levels of {}",
            row["d"],
            row["alpha"],
            row["omega"],
            row["nu"],
            row["direction"],
            found.expected.time,
            number(&row, "T_min"),
            found.expected.time / number(&row, "T_min") - 1.0,
            found.levels,
            row["L_first_within_0p1pct"],
        );
        assert!(found.expected.time <= number(&row, "T_min") * (1.0 + 2e-4), "{row}");
        assert_eq!(found.expected, expected(&radii, &model, &sizes).unwrap());
        for (levels, t) in row["T_by_L"].as_object().unwrap() {
            let (found, sizes) = best(&radii, &model, Some(levels.parse().unwrap()));
            assert_eq!(sizes.last(), Some(&(2.0 * number(&row, "omega"))));
            assert!(found.expected.time <= t.as_f64().unwrap() * (1.0 + 2e-4), "{levels} levels: {found:?} in {row}");
        }
    }
}

#[test]
fn what_a_choice_expects_is_what_is_counted() {
    let mut random = Random::new(8);
    for (omega, far) in [(1.0, false), (10.0, false), (10.0, true)] {
        let edge = 60.0 * omega;
        let mut scene = bodies::power_law(20_000, [edge; 3], -3.0, omega, &mut random);
        // One body far away makes the box around all bodies nearly empty, and changes nothing else.
        if far {
            scene.centres[0] = [1e9; 3];
        }
        let query = scene.query();
        let mut sizes = [0.0; 32];
        let mut scratch = Memory::new(choose_scratch(sizes.len()).unwrap()).unwrap();
        let choice = choose(&query, Direction::TopDown, Search::Cells, 0.2, &mut sizes, &mut scratch).unwrap();
        let mut grid = Grid::new(20_000, 32);
        grid.rebuild(&query, &sizes[..choice.levels]).unwrap();
        let counted = grid.count(&query, Direction::TopDown, [edge; 3]).unwrap();
        for (expected, counted) in
            [(choice.expected.candidates, counted.same + counted.cross), (choice.expected.accesses, counted.accesses)]
        {
            let counted = counted as f64 / 20_000.0;
            assert!((expected / counted - 1.0).abs() < 0.3, "{omega} {far}: {expected} and not {counted}, {choice:?}");
        }
    }
}
