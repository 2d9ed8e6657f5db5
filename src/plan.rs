//! The plan of a run: which cells, how often, in which order, and how long that takes.
//!
//! A pure function of the matrix, the selection and the seed: the same three give the same plan on every machine.

use std::time::Duration;

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::matrix::globs::Globs;
use crate::matrix::{Matrix, Order, Stop};
use crate::record::session::Chosen;

#[cfg(test)]
mod arbitrary;
mod choice;
mod guise;
mod joined;
mod words;

pub use choice::{Overrides, Selection};
pub use guise::Guise;
pub use words::load_words;

/// What a trial takes besides warm-up and window: to start, to settle, to stop.
const AROUND_A_TRIAL: Duration = Duration::from_millis(700);

/// One target under one workload and one load, each by its place in the matrix; it is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The place of the workload.
    pub workload: usize,
    /// The place of the load.
    pub load: usize,
    /// The place of the target.
    pub target: usize,
    /// How it is measured.
    pub guise: Guise,
}

/// One execution of one cell, to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// What is measured.
    pub cell: Cell,
    /// The round, from 1.
    pub round: u32,
    /// The place in the round, from 1.
    pub position: u32,
}

/// All trials of a run, in order.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The seed of the order.
    pub seed: u64,
    /// What is measured, table by table in the order of the matrix.
    pub cells: Vec<Cell>,
    /// Targets that were selected and do not offer the workload of a table.
    pub not_offered: Vec<Cell>,
    /// The trials.
    pub trials: Vec<Trial>,
    /// Those of further rounds, which are made while some interval is wide.
    pub further: Vec<Trial>,
    /// Selections and overrides, as they would be typed.
    pub overrides: Vec<String>,
    /// The same, to plan by.
    pub chosen: Chosen,
    /// Whether it is less than the matrix asks for.
    pub is_partial: bool,
    /// How long it will take, builds left out.
    pub estimate: Duration,
}

/// A selection that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} matches {patterns}")]
pub struct NothingSelected {
    kind: &'static str,
    patterns: String,
    /// The names there are.
    pub known: Vec<String>,
    /// The one of them that was most likely meant.
    pub guess: Option<String>,
}

impl Plan {
    /// The plan for what is selected of a matrix that has its overrides. `drawn` is the seed if nobody set one.
    ///
    /// # Errors
    /// If a selection matches no name, or what it matches has no cell.
    pub fn new(
        matrix: &Matrix,
        selection: &Selection,
        overrides: Overrides,
        drawn: u64,
    ) -> Result<Self, NothingSelected> {
        let seed = matrix.run.seed.unwrap_or(drawn);
        let (cells, not_offered) = cells(matrix, selection)?;
        let mut trials = trials(matrix, &cells, seed);
        let further = trials.split_off(cells.len() * matrix.run.rounds as usize);
        let estimate = trials.iter().map(|trial| duration_of(matrix, trial.cell)).sum();
        let mut words = selection.words();
        words.extend(overrides.words());
        let is_partial = !words.is_empty();
        Ok(Self {
            seed,
            cells,
            not_offered,
            trials,
            further,
            overrides: words,
            chosen: choice::chosen(selection, overrides),
            is_partial,
            estimate,
        })
    }

    /// The same with rounds of some cells alone, which have numbers behind `rounds`. The cells stay.
    #[must_use]
    pub fn only(&self, is_in: impl Fn(&Cell) -> bool, rounds: u32) -> Self {
        let of = |trials: &[Trial]| {
            let some = trials.iter().filter(|trial| is_in(&trial.cell));
            some.map(|trial| Trial { round: trial.round + rounds, ..*trial }).collect()
        };
        Self { trials: of(&self.trials), further: of(&self.further), ..self.clone() }
    }

    /// The tables that have a cell, each as its workload and load.
    pub fn tables(&self) -> Vec<(usize, usize)> {
        let mut tables: Vec<(usize, usize)> =
            self.cells.iter().map(|cell| (cell.workload, cell.load)).collect();
        tables.dedup();
        tables
    }
}

fn cells(
    matrix: &Matrix,
    selection: &Selection,
) -> Result<(Vec<Cell>, Vec<Cell>), NothingSelected> {
    let labels: Vec<String> = matrix.targets.iter().map(super::matrix::Target::label).collect();
    let targets = select("target", selection.targets.as_ref(), labels)?;
    let names = matrix.workloads.iter().map(|workload| workload.name.clone()).collect();
    let workloads = select("workload", selection.workloads.as_ref(), names)?;
    let names = matrix.loads.iter().map(|load| load.name.clone()).collect();
    let loads = select("load", selection.loads.as_ref(), names)?;
    let (mut cells, mut not_offered) = (Vec::new(), Vec::new());
    for &workload in &workloads {
        let asked = &matrix.workloads[workload];
        for &load in loads.iter().filter(|load| matrix.loads[**load].workloads.matches(&asked.name))
        {
            for &target in &targets {
                let who = &matrix.targets[target];
                let cell = Cell { workload, load, target, guise: Guise::Itself };
                match (asked.targets.matches(&who.label()), who.offers(&asked.name)) {
                    (true, true) => cells.push(cell),
                    (true, false) => not_offered.push(cell),
                    (false, _) => {}
                }
            }
        }
    }
    if cells.is_empty() {
        let patterns = selection.words().join(" ");
        let known = matrix.targets.iter().map(super::matrix::Target::label).collect();
        return Err(NothingSelected { kind: "cell", patterns, known, guess: None });
    }
    Ok((cells, not_offered))
}

fn select(
    kind: &'static str,
    globs: Option<&Globs>,
    names: Vec<String>,
) -> Result<Vec<usize>, NothingSelected> {
    let Some(globs) = globs else { return Ok((0..names.len()).collect()) };
    let places: Vec<usize> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| globs.matches(name))
        .map(|(place, _)| place)
        .collect();
    if places.is_empty() {
        let patterns =
            globs.patterns().iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>();
        let guess = globs.guess(&names).map(str::to_owned);
        return Err(NothingSelected { kind, patterns: patterns.join(", "), known: names, guess });
    }
    Ok(places)
}

/// Rounds one after the other; in each the tables in an order of their own, and in each table its targets.
fn trials(matrix: &Matrix, cells: &[Cell], seed: u64) -> Vec<Trial> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let tables: Vec<&[Cell]> =
        cells.chunk_by(|a, b| (a.workload, a.load) == (b.workload, b.load)).collect();
    let mut trials = Vec::new();
    for round in 1..=matrix.run.max_rounds {
        let mut order: Vec<Vec<Cell>> = tables.iter().map(|table| table.to_vec()).collect();
        if matrix.run.order == Order::Shuffled {
            order.shuffle(&mut rng);
            for table in &mut order {
                table.shuffle(&mut rng);
            }
        }
        trials.extend((1..).zip(order.into_iter().flatten()).map(|(position, cell)| Trial {
            cell,
            round,
            position,
        }));
    }
    trials
}

/// What a trial takes, if all goes well.
pub fn duration_of(matrix: &Matrix, cell: Cell) -> Duration {
    let window = match matrix.loads[cell.load].stop {
        Stop::Window => matrix.run.measure,
        Stop::Requests { at_most, .. } => at_most.min(matrix.run.measure),
    };
    matrix.run.warm_up + window + AROUND_A_TRIAL
}

/// A seed for who has set none, small enough to be typed.
pub fn draw_seed(entropy: u64) -> u64 {
    ChaCha8Rng::seed_from_u64(entropy).random_range(1..1_000_000)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn matrix(text: &str) -> Matrix {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        std::fs::write(&path, text).expect("a file");
        crate::matrix::read(&path, None).expect("a matrix without problems")
    }

    /// Two workloads, two loads, three targets of which one offers only one of the workloads.
    fn two_by_two() -> Matrix {
        matrix(
            "[run]\nrounds = 3\nwarm-up = '1s'\nmeasure = '2s'\nseed = 11\n\
             [[workload]]\nname = 'root'\npath = '/'\n[[workload]]\nname = 'file'\npath = '/file'\n\
             [[load]]\nname = 'c1'\nconnections = 1\n[[load]]\nname = 'c64'\nconnections = 64\n\
             [[target]]\nname = 'a'\ncommand = 'a'\n[[target]]\nname = 'b'\ncommand = 'b'\n\
             [[target]]\nname = 'c'\ncommand = 'c'\nworkloads = ['root']\n",
        )
    }

    fn plan(matrix: &Matrix, selection: &Selection) -> Result<Plan, NothingSelected> {
        Plan::new(matrix, selection, Overrides::default(), 1)
    }

    fn only(pattern: &str) -> Globs {
        Globs::parse(&[pattern]).expect("a pattern")
    }

    #[test]
    fn every_round_has_every_cell_once_and_each_table_in_one_piece() {
        let matrix = two_by_two();
        let plan = plan(&matrix, &Selection::default()).expect("cells");
        // Root has three targets and file two, each under two loads.
        assert_eq!((plan.cells.len(), plan.not_offered.len(), plan.trials.len()), (10, 2, 30));
        for round in 1..=3 {
            let of_round: Vec<Cell> =
                plan.trials.iter().filter(|it| it.round == round).map(|it| it.cell).collect();
            let unique: BTreeSet<Cell> = of_round.iter().copied().collect();
            assert_eq!((of_round.len(), unique.len()), (10, 10));
            let pieces = of_round.chunk_by(|a, b| (a.workload, a.load) == (b.workload, b.load));
            assert_eq!(pieces.count(), 4);
        }
        assert_eq!(plan.estimate, (Duration::from_secs(3) + AROUND_A_TRIAL) * 30);
    }

    #[test]
    fn the_seed_decides_the_order_and_as_written_needs_none() {
        let order = |matrix: &Matrix, drawn| {
            let plan = Plan::new(matrix, &Selection::default(), Overrides::default(), drawn);
            plan.expect("cells").trials.iter().map(|trial| trial.cell).collect::<Vec<_>>()
        };
        let mut matrix = two_by_two();
        // A seed in the matrix goes before one that was drawn.
        assert_eq!(order(&matrix, 1), order(&matrix, 2));
        matrix.run.seed = None;
        assert_eq!(order(&matrix, 1), order(&matrix, 1));
        assert_ne!(order(&matrix, 1), order(&matrix, 2));
        matrix.run.order = Order::AsWritten;
        let written = order(&matrix, 1);
        assert!(written[..10].is_sorted());
    }

    #[test]
    fn a_selection_is_partial_told_and_may_select_nothing() {
        let matrix = two_by_two();
        let all = plan(&matrix, &Selection::default()).expect("cells");
        assert!(!all.is_partial && all.overrides.is_empty());
        let some = Selection { targets: Some(only("!a")), ..Selection::default() };
        let some = plan(&matrix, &some).expect("cells");
        assert_eq!((some.cells.len(), some.is_partial), (6, true));
        assert_eq!(some.overrides, ["--target '!a'"]);
        let again = Selection::of(&some.chosen).expect("patterns");
        assert_eq!(again.words(), some.overrides);
        let none = Selection { workloads: Some(only("rot")), ..Selection::default() };
        let nothing = plan(&matrix, &none).expect_err("no such workload");
        assert_eq!(nothing.to_string(), "no workload matches `rot`");
        assert_eq!(nothing.known, ["root", "file"]);
        let none =
            Selection { targets: Some(only("c")), workloads: Some(only("file")), loads: None };
        assert!(plan(&matrix, &none).is_err());
    }

    #[test]
    fn overrides_are_laid_over_the_policy_and_make_the_run_partial() {
        let mut matrix = two_by_two();
        let seed = Overrides { seed: Some(5), ..Overrides::default() };
        let plan = Plan::new(&matrix, &Selection::default(), seed, 1).expect("cells");
        assert_eq!((plan.is_partial, plan.seed), (true, 11));
        let overrides = Overrides {
            rounds: Some(1),
            warm_up: Some(Duration::from_secs(20)),
            measure: Some(Duration::from_millis(500)),
            seed: None,
        };
        overrides.apply(&mut matrix);
        assert_eq!(matrix.run.warm_up_max, Duration::from_secs(20));
        let plan = Plan::new(&matrix, &Selection::default(), overrides, 1).expect("cells");
        assert!(plan.is_partial);
        assert_eq!(plan.overrides, ["--rounds 1", "--warm-up 20s", "--measure 500ms"]);
        assert_eq!(plan.trials.len(), 10);
        assert_eq!(Overrides::of(&plan.chosen), overrides);
    }
}
