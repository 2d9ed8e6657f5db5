//! What the command line selects of a matrix and sets in its place: as it is typed, as it is recorded, and back.

use std::time::Duration;

use crate::matrix::Matrix;
use crate::matrix::globs::{GlobError, Globs};
use crate::record::session::Chosen;
use crate::units::typed_duration;

/// What the command line selects; `None` selects all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Labels of targets.
    pub targets: Option<Globs>,
    /// Names of workloads.
    pub workloads: Option<Globs>,
    /// Names of loads.
    pub loads: Option<Globs>,
}

/// What the command line sets in the matrix's place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--rounds`.
    pub rounds: Option<u32>,
    /// `--warm-up`.
    pub warm_up: Option<Duration>,
    /// `--measure`.
    pub measure: Option<Duration>,
    /// `--seed`.
    pub seed: Option<u64>,
}

impl Overrides {
    /// Those of a run that was begun.
    pub fn of(chosen: &Chosen) -> Self {
        let time =
            |seconds: Option<f64>| seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
        Self {
            rounds: chosen.rounds,
            warm_up: time(chosen.warm_up_seconds),
            measure: time(chosen.measure_seconds),
            seed: chosen.seed,
        }
    }

    /// Lays what is set over the policy of the matrix.
    pub fn apply(self, matrix: &mut Matrix) {
        let run = &mut matrix.run;
        if let Some(rounds) = self.rounds {
            (run.rounds, run.max_rounds) = (rounds, rounds);
        }
        run.warm_up = self.warm_up.unwrap_or(run.warm_up);
        run.warm_up_max = run.warm_up_max.max(run.warm_up);
        run.measure = self.measure.unwrap_or(run.measure);
        run.seed = self.seed.or(run.seed);
    }

    pub(super) fn words(self) -> Vec<String> {
        [
            self.rounds.map(|rounds| format!("--rounds {rounds}")),
            self.warm_up.map(|warm_up| format!("--warm-up {}", typed_duration(warm_up))),
            self.measure.map(|measure| format!("--measure {}", typed_duration(measure))),
            self.seed.map(|seed| format!("--seed {seed}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// What was selected and overridden, as it is recorded.
pub(super) fn chosen(selection: &Selection, overrides: Overrides) -> Chosen {
    let patterns = |globs: &Option<Globs>| {
        globs.as_ref().map(|globs| globs.patterns().to_vec()).unwrap_or_default()
    };
    Chosen {
        targets: patterns(&selection.targets),
        workloads: patterns(&selection.workloads),
        loads: patterns(&selection.loads),
        rounds: overrides.rounds,
        warm_up_seconds: overrides.warm_up.map(|time| time.as_secs_f64()),
        measure_seconds: overrides.measure.map(|time| time.as_secs_f64()),
        seed: overrides.seed,
    }
}

impl Selection {
    /// That of a run that was begun.
    ///
    /// # Errors
    /// If a pattern is none.
    pub fn of(chosen: &Chosen) -> Result<Self, GlobError> {
        let globs = |patterns: &[String]| {
            (!patterns.is_empty()).then(|| Globs::parse(patterns)).transpose()
        };
        Ok(Self {
            targets: globs(&chosen.targets)?,
            workloads: globs(&chosen.workloads)?,
            loads: globs(&chosen.loads)?,
        })
    }

    pub(super) fn words(&self) -> Vec<String> {
        [("--target", &self.targets), ("--workload", &self.workloads), ("--load", &self.loads)]
            .into_iter()
            .filter_map(|(option, globs)| Some((option, globs.as_ref()?)))
            .flat_map(|(option, globs)| {
                globs.patterns().iter().map(move |pattern| format!("{option} '{pattern}'"))
            })
            .collect()
    }
}
