//! How often does a comparison err? Pairs of runs are drawn by a seed: 20 rows and a control of seven rounds each; every figure
//! of every round scatters by 1.5 % of its own, and the machine is another by some 10 % each night.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::tests::summary;
use super::{Settings, compare};
use crate::outcome::Change;
use crate::record::summary::{CellSummary, LogRatio, Summary};

const NIGHTS: u32 = 400;
const ROWS: usize = 20;
const ROUNDS: usize = 7;
const NOISE: f64 = 0.015;
const MACHINE: f64 = 0.1;
const FIGURES: [&str; 2] = ["goodput", "cpu"];

/// A number of the normal distribution (Box and Muller 1958).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (one, other): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

/// A run of a night in which the goodput of the first row is so many times its own.
fn night(random: &mut ChaCha8Rng, factor: f64) -> Summary {
    let machine = MACHINE * normal(random);
    let mut series = |level: f64| -> Vec<f64> {
        (0..ROUNDS).map(|_| (level + machine + NOISE * normal(random)).exp()).collect()
    };
    let control = FIGURES.map(|_| series(0.0));
    let row = |at: usize, series: &mut dyn FnMut(f64) -> Vec<f64>| {
        let mut cell = CellSummary {
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            target: if at == 0 { "c".to_owned() } else { format!("r{at}") },
            measured: 7,
            ..CellSummary::default()
        };
        for (name, control) in FIGURES.iter().zip(&control).filter(|_| at > 0) {
            let shift = if at == 1 && *name == "goodput" { factor.ln() } else { 0.0 };
            let points = series(0.1 * at as f64 + shift);
            let ratios: Vec<f64> = points.iter().zip(control).map(|(row, it)| row / it).collect();
            let ratio = LogRatio::of(&ratios).expect("positive");
            cell.versus_control.insert((*name).to_owned(), ratio);
        }
        cell
    };
    summary((0..=ROWS).map(|at| row(at, &mut series)).collect())
}

/// The share of nights that something holds of, when each is compared with the one before.
fn share(factor: f64, min_effect: f64, holds: impl Fn(&super::Comparison) -> bool) -> f64 {
    let held = (0..NIGHTS).filter(|seed| {
        let mut random = ChaCha8Rng::seed_from_u64(u64::from(*seed));
        let (base, new) = (night(&mut random, 1.0), night(&mut random, factor));
        let settings = Settings { min_effect, ..Settings::of(&new) };
        holds(&compare(&base, &new, &settings))
    });
    held.count() as f64 / f64::from(NIGHTS)
}

#[test]
fn where_nothing_has_changed_a_regression_is_named_in_few_nights() {
    let is_any =
        |comparison: &super::Comparison| comparison.rows().any(|row| row.change.is_regression());
    // If any difference mattered, chance alone would name some row in one night of twenty, worse or better.
    let any = share(1.0, 0.0, is_any);
    assert!(any <= 0.05, "{any}");
    let that_matter = share(1.0, 0.02, is_any);
    assert!(that_matter <= 0.005, "{that_matter}");
}

#[test]
fn a_row_that_is_ten_per_cent_slower_is_found_among_twenty() {
    let is_found = |comparison: &super::Comparison| {
        let worse: Vec<&str> = comparison
            .rows()
            .filter(|row| row.change == Change::Worse)
            .map(|row| row.target.as_str())
            .collect();
        worse == ["r1"]
    };
    let found = share(0.9, 0.02, is_found);
    assert!(found >= 0.9, "{found}");
}
