//! How far a limit of time goes: which rounds are begun, and whether the next trials would end in time.
//!
//! Rounds are left out before rows are, the last ones first and of all tables alike: fewer rounds are less sure, and fewer rows
//! are another comparison. Of rounds that nobody asked for (`max-rounds`) none is begun that would not end in time.

use std::collections::BTreeMap;
use std::time::Duration;

use super::earlier::Earlier;
use crate::clock::Instant;
use crate::matrix::Matrix;
use crate::plan::{Cell, Plan, Trial, duration_of};
use crate::stats::comparison::ROUNDS_MIN;
use crate::units::{count_of, write_duration};

/// The time that a run has, and what its trials take.
#[derive(Debug)]
pub(super) struct Budget {
    /// How long it has, and when that is over.
    limit: Option<(Duration, Instant)>,
    /// The longest that a trial of each cell has taken so far.
    longest: BTreeMap<Cell, Duration>,
}

impl Budget {
    /// For a run that began at some instant; without a limit, all the time there is.
    pub(super) fn new(began: Instant, limit: Option<Duration>) -> Self {
        let limit = limit.map(|limit| (limit, began + limit));
        Self { limit, longest: BTreeMap::new() }
    }

    /// Takes note of what a trial took.
    pub(super) fn learn(&mut self, cell: Cell, took: Duration) {
        let longest = self.longest.entry(cell).or_default();
        *longest = took.max(*longest);
    }

    /// What a trial will take: what is planned, or as long as it took before.
    fn of(&self, matrix: &Matrix, trial: &Trial) -> Duration {
        let longest = self.longest.get(&trial.cell).copied().unwrap_or_default();
        duration_of(matrix, trial.cell).max(longest)
    }

    /// Whether these trials, begun now, would end in time.
    pub(super) fn allows(&self, matrix: &Matrix, trials: &[Trial], now: Instant) -> bool {
        let Some((_, until)) = self.limit else { return true };
        let take: Duration = trials.iter().map(|trial| self.of(matrix, trial)).sum();
        now + take <= until
    }

    /// How many of the planned rounds are begun, one at least, and what is to be said of it where that is not all.
    pub(super) fn choose(
        &self,
        matrix: &Matrix,
        plan: &Plan,
        earlier: &Earlier<'_>,
        now: Instant,
    ) -> (u32, Option<String>) {
        let all = matrix.run.rounds;
        let Some((limit, until)) = self.limit else { return (all, None) };
        let (mut end, mut rounds, mut first) = (now, 0, Duration::ZERO);
        for round in plan.trials.chunk_by(|one, next| one.round == next.round) {
            let missing = round.iter().filter(|trial| earlier.of(trial).is_none());
            let takes: Duration = missing.map(|trial| self.of(matrix, trial)).sum();
            end = end + takes;
            if first == Duration::ZERO {
                first = takes;
            }
            if end > until {
                break;
            }
            rounds += 1;
        }
        let (limit, left) = (write_duration(limit), write_duration(until.since(now)));
        let text = match rounds {
            _ if rounds >= all => return (all, None),
            0 => format!(
                "of the time limit of {limit}, {left} are left, and one round takes about {}: some rows will be left out",
                write_duration(first)
            ),
            _ if (rounds as usize) < ROUNDS_MIN && all as usize >= ROUNDS_MIN => format!(
                "in the time limit of {limit} there is room for {} of {all}: fewer than {ROUNDS_MIN} give no verdicts and no ranks",
                count_of(rounds as usize, "round")
            ),
            _ => format!(
                "in the time limit of {limit} there is room for {} of {all}",
                count_of(rounds as usize, "round")
            ),
        };
        (rounds.max(1), Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, Selection};

    /// Seven rounds of two trials that take 1 s each.
    fn planned() -> (Matrix, Plan) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let text = "[run]\nwarm-up = '100ms'\nmeasure = '200ms'\nmax-rounds = 9\n\
                    [[target]]\nname = 'a'\ncommand = 'a'\n[[target]]\nname = 'b'\ncommand = 'b'\n";
        std::fs::write(&path, text).expect("a file");
        let matrix = crate::matrix::read(&path, None).expect("a matrix without problems");
        let plan = Plan::new(&matrix, &Selection::default(), Overrides::default(), 1);
        let plan = plan.expect("cells");
        assert_eq!(duration_of(&matrix, plan.cells[0]), Duration::from_secs(1));
        (matrix, plan)
    }

    #[test]
    fn rounds_are_left_out_until_the_rest_fits_and_that_is_said() {
        let (matrix, plan) = planned();
        let (began, earlier) = (Instant::from_nanos(0), Earlier::default());
        for (limit, passed, rounds, said) in [
            (None, 0, 7, ""),
            (Some(14), 0, 7, ""),
            (Some(13), 0, 6, "in the time limit of 13 s there is room for 6 rounds of 7"),
            (Some(14), 4, 5, "in the time limit of 14 s there is room for 5 rounds of 7"),
            (
                Some(9),
                0,
                4,
                "in the time limit of 9 s there is room for 4 rounds of 7: fewer than 5 give no verdicts and no ranks",
            ),
            (
                Some(9),
                8,
                1,
                "of the time limit of 9 s, 1 s are left, and one round takes about 2 s: some rows will be left out",
            ),
        ] {
            let budget = Budget::new(began, limit.map(Duration::from_secs));
            let now = began + Duration::from_secs(passed);
            let chosen = budget.choose(&matrix, &plan, &earlier, now);
            assert_eq!((chosen.0, chosen.1.as_deref().unwrap_or_default()), (rounds, said));
        }
    }

    #[test]
    fn no_trial_is_begun_that_would_not_end_in_time_by_plan_or_by_what_it_took_before() {
        let (matrix, plan) = planned();
        let began = Instant::from_nanos(0);
        let mut budget = Budget::new(began, Some(Duration::from_secs(10)));
        let at = |seconds| began + Duration::from_secs(seconds);
        let (two, one) = (&plan.trials[..2], &plan.trials[..1]);
        assert!(budget.allows(&matrix, two, at(8)) && !budget.allows(&matrix, two, at(9)));
        assert!(budget.allows(&matrix, one, at(9)));
        budget.learn(one[0].cell, Duration::from_secs(3));
        budget.learn(one[0].cell, Duration::from_secs(2));
        assert!(budget.allows(&matrix, one, at(7)) && !budget.allows(&matrix, one, at(8)));
        assert!(Budget::new(began, None).allows(&matrix, &plan.trials, Instant::NEVER));
    }
}
