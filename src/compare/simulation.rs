//! How often does a comparison err? Pairs of runs are drawn by a seed: 20 rows and a control of seven rounds each; every figure
//! of every round scatters by 1.5 % of its own, and the machine is another by some 10 % each night.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::tests::summary;
use super::{Settings, compare};
use crate::outcome::Change;
use crate::record::summary::{CellSummary, LogRatio, Summary};

/// Of 400 nights, 1.25 % name some regression if every difference mattered, and none if 2 % do.
const NIGHTS: u32 = 200;
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

/// A run of a night in which the goodput of the first row is so many times its own, and every row differs from what it is in
/// other nights by so much besides.
fn night(random: &mut ChaCha8Rng, factor: f64, between: f64) -> Summary {
    let machine = MACHINE * normal(random);
    let mut series = |level: f64, between: f64| -> Vec<f64> {
        let level = level + machine + between * normal(random);
        (0..ROUNDS).map(|_| (level + NOISE * normal(random)).exp()).collect()
    };
    let control = FIGURES.map(|_| series(0.0, 0.0));
    let row = |at: usize, series: &mut dyn FnMut(f64, f64) -> Vec<f64>| {
        let mut cell = CellSummary {
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            target: if at == 0 { "c".to_owned() } else { format!("r{at}") },
            measured: 7,
            ..CellSummary::default()
        };
        for (name, control) in FIGURES.iter().zip(&control).filter(|_| at > 0) {
            let shift = if at == 1 && *name == "goodput" { factor.ln() } else { 0.0 };
            let points = series(0.1 * at as f64 + shift, between);
            let ratios: Vec<f64> = points.iter().zip(control).map(|(row, it)| row / it).collect();
            let ratio = LogRatio::of(&ratios).expect("positive");
            cell.versus_control.insert((*name).to_owned(), ratio);
        }
        cell
    };
    summary((0..=ROWS).map(|at| row(at, &mut series)).collect())
}

/// What is compared, and what is known of it.
#[derive(Clone, Copy)]
struct Nights {
    factor: f64,
    min_effect: f64,
    /// By how much a row differs from night to night besides.
    between: f64,
    /// Whether that is known.
    is_known: bool,
}

const USUAL: Nights = Nights { factor: 1.0, min_effect: 0.02, between: 0.0, is_known: false };

/// The share of nights that something holds of, when each is compared with the one before.
fn share(nights: Nights, holds: impl Fn(&super::Comparison) -> bool) -> f64 {
    let Nights { factor, min_effect, between, is_known } = nights;
    let held = (0..NIGHTS).filter(|seed| {
        let mut random = ChaCha8Rng::seed_from_u64(u64::from(*seed));
        let (base, new) = (night(&mut random, 1.0, between), night(&mut random, factor, between));
        let between = is_known.then_some(between);
        let settings = Settings { min_effect, between, ..Settings::of(&new) };
        holds(&compare(&base, &new, &settings))
    });
    held.count() as f64 / f64::from(NIGHTS)
}

fn has_regression(comparison: &super::Comparison) -> bool {
    comparison.rows().any(|row| row.change.is_regression())
}

fn finds_the_first_alone(comparison: &super::Comparison) -> bool {
    let is_worse = |row: &&super::Row| row.change == Change::Worse;
    let mut worse = comparison.rows().filter(is_worse).map(|row| row.target.as_str());
    (worse.next(), worse.next()) == (Some("r1"), None)
}

#[test]
fn where_nothing_has_changed_a_regression_is_named_in_few_nights() {
    // If any difference mattered, chance alone would name some row in one night of twenty, worse or better.
    let any = share(Nights { min_effect: 0.0, ..USUAL }, has_regression);
    let that_matter = share(USUAL, has_regression);
    assert!(any <= 0.05 && that_matter <= 0.005, "{any} {that_matter}");
}

#[test]
fn a_row_that_is_ten_per_cent_slower_is_found_among_twenty() {
    let found = share(Nights { factor: 0.9, ..USUAL }, finds_the_first_alone);
    assert!(found >= 0.9, "{found}");
}

#[test]
fn what_nights_differ_by_besides_is_no_regression_once_it_is_known() {
    let restless = Nights { between: 0.015, ..USUAL };
    let unknown = share(restless, has_regression);
    let known = share(Nights { is_known: true, ..restless }, has_regression);
    let slower = Nights { factor: 0.9, is_known: true, ..restless };
    let found = share(slower, finds_the_first_alone);
    assert!(found >= 0.5, "{found}");
    assert!(known <= 0.05 && unknown > 0.1, "{known} {unknown}");
}
