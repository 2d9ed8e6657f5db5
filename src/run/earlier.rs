//! What of the trials on file stays when a run is gone on with. A round of a table stays as a whole or is measured again as a
//! whole: its rows are compared with each other, and must share a moment.
//!
//! One that was cut off in its middle is gone on with only where nothing can have changed meanwhile: in the same start of the
//! machine, soon, and before anything else.

use std::collections::BTreeMap;

use super::moved::Changes;
use crate::clock::seconds_between;
use crate::matrix::{Matrix, Sources};
use crate::outcome::Doubt;
use crate::plan::{Cell, Plan, Trial};
use crate::prepare::Prepared;
use crate::record::rows::Rows;
use crate::record::session::Again;
use crate::record::trial::TrialRecord;

/// A round that was cut off is gone on with within so many seconds.
const SOON_SECONDS: f64 = 600.0;

/// What is known when a run is gone on with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now<'r> {
    pub(super) matrix: &'r Matrix,
    pub(super) plan: &'r Plan,
    /// What each target was built to.
    pub(super) prepared: &'r [Prepared],
    pub(super) changes: &'r Changes,
    /// Whether the machine was not started anew since the last trial.
    pub(super) is_same_boot: bool,
    /// The date and time.
    pub(super) date: &'r str,
    /// Seconds since the machine started.
    pub(super) boot_seconds: f64,
}

/// What stays.
#[derive(Debug, Default)]
pub(super) struct Earlier<'r> {
    of: BTreeMap<(Cell, u32), &'r TrialRecord>,
    /// What is measured again although there are records of it.
    pub(super) again: Vec<Again>,
}

impl<'r> Earlier<'r> {
    /// Sorts out what stays of these trials, which are all that count on file.
    pub(super) fn sort_out(trials: &'r [TrialRecord], now: Now<'_>) -> Self {
        let rows = Rows::of(trials);
        let mut found = BTreeMap::new();
        for cell in &now.plan.cells {
            let (workload, load) = names(now.matrix, *cell);
            for record in rows.trials(workload, load, &cell.label(now.matrix)) {
                found.insert((*cell, record.round), record);
            }
        }
        let last = trials.iter().max_by_key(|trial| (trial.session, &trial.started_at));
        let cut = cut(last, now);
        let mut earlier = Self::default();
        let mut is_work_before = false;
        let is_one = |one: &Trial, next: &Trial| block(one) == block(next);
        let first = now.plan.trials.chunk_by(is_one).map(|block| (block, true));
        for (block, is_due) in
            first.chain(now.plan.further.chunk_by(is_one).map(|block| (block, false)))
        {
            let records: Vec<(&Trial, &TrialRecord)> = block
                .iter()
                .filter_map(|trial| Some((trial, *found.get(&(trial.cell, trial.round))?)))
                .collect();
            let is_torn = records.len() < block.len()
                || records.iter().any(|(_, record)| is_noisy(now.matrix, record));
            let again = records.first().and_then(|_| {
                let cut = cut.clone().or_else(|| {
                    is_work_before.then(|| "it was cut off, and others come before it".to_owned())
                });
                mismatch(&records, now).or_else(|| cut.filter(|_| is_torn))
            });
            is_work_before |= (is_due && is_torn) || again.is_some();
            if let Some(reason) = again {
                earlier.note_again(now.matrix, &block[0], reason);
            } else {
                let kept = records.iter().map(|(it, record)| ((it.cell, it.round), *record));
                earlier.of.extend(kept);
            }
        }
        earlier
    }

    /// What was recorded of a trial, if that stays.
    pub(super) fn of(&self, trial: &Trial) -> Option<&'r TrialRecord> {
        self.of.get(&(trial.cell, trial.round)).copied()
    }

    /// Whether some trial of a round stays.
    pub(super) fn has_begun(&self, round: &[Trial]) -> bool {
        round.iter().any(|trial| self.of(trial).is_some())
    }

    /// How many trials stay.
    pub(super) fn count(&self) -> usize {
        self.of.len()
    }

    fn note_again(&mut self, matrix: &Matrix, first: &Trial, reason: String) {
        let (workload, load) = names(matrix, first.cell);
        let is_like = |again: &&mut Again| {
            (&again.workload[..], &again.load[..], &again.reason) == (workload, load, &reason)
        };
        match self.again.iter_mut().find(is_like) {
            Some(again) => again.rounds.push(first.round),
            None => self.again.push(Again {
                workload: workload.to_owned(),
                load: load.to_owned(),
                target: None,
                rounds: vec![first.round],
                reason,
            }),
        }
    }
}

/// Trials of one of these are one round of one table.
fn block(trial: &Trial) -> (u32, usize, usize) {
    (trial.round, trial.cell.workload, trial.cell.load)
}

pub(super) fn names(matrix: &Matrix, cell: Cell) -> (&str, &str) {
    (&matrix.workloads[cell.workload].name, &matrix.loads[cell.load].name)
}

/// Whether a trial was to be made once more, as others used the machine.
pub(super) fn is_noisy(matrix: &Matrix, record: &TrialRecord) -> bool {
    record.attempt <= matrix.run.retry_noisy
        && record.caveats.iter().any(|it| it.caveat == Doubt::NoisyHost)
}

/// Why no round that was cut off can be gone on with, if so.
fn cut(last: Option<&TrialRecord>, now: Now<'_>) -> Option<String> {
    if !now.is_same_boot {
        return Some("it was cut off, and the machine was started anew since".to_owned());
    }
    let last = last?;
    let ended = last.finished_at.as_deref().unwrap_or(&last.started_at);
    let by_boot = last.finished_boot_seconds.map(|then| now.boot_seconds - then);
    let is_soon = by_boot
        // A date may have been set meanwhile; if it was set back it tells nothing.
        .or_else(|| seconds_between(ended, now.date))
        .is_some_and(|seconds| (0.0..=SOON_SECONDS).contains(&seconds));
    (!is_soon).then(|| "it was cut off more than 10 min ago".to_owned())
}

/// Why these records of a round of a table cannot stay, whether or not they are all.
fn mismatch(records: &[(&Trial, &TrialRecord)], now: Now<'_>) -> Option<String> {
    let (first, _) = records.first()?;
    let (workload, load) = names(now.matrix, first.cell);
    if let Some(reason) = &now.changes.everything {
        return Some(reason.clone());
    }
    if now.changes.tables.contains(&(workload.to_owned(), load.to_owned())) {
        return Some("what is asked there, or how, has changed".to_owned());
    }
    records.iter().find_map(|(trial, record)| {
        let label = trial.cell.label(now.matrix);
        let declared = now.changes.rows.get(&now.matrix.targets[trial.cell.target].label());
        let reason = declared
            .cloned()
            .or_else(|| built_otherwise(now.matrix, now.prepared, trial.cell, record))?;
        Some(format!("`{label}`: {reason}"))
    })
}

/// What a target was built to then is not what it is built to now.
pub(super) fn built_otherwise(
    matrix: &Matrix,
    prepared: &[Prepared],
    cell: Cell,
    record: &TrialRecord,
) -> Option<String> {
    let target = &matrix.targets[cell.target];
    match &prepared[cell.target] {
        Prepared::Out(_) if record.source_digest.is_none() => None,
        Prepared::Out(_) => Some("it could be built then, and cannot now".to_owned()),
        Prepared::Ready(_) if record.source_digest.is_none() => {
            Some("it could not be built then, and can now".to_owned())
        }
        Prepared::Ready(ready) if record.versions != ready.versions => {
            let told = |versions: &BTreeMap<String, String>| {
                let of = versions.iter().map(|(tool, version)| format!("{tool} {version}"));
                of.collect::<Vec<_>>().join(", ")
            };
            Some(format!(
                "its tools were {} and are {}",
                told(&record.versions),
                told(&ready.versions)
            ))
        }
        Prepared::Ready(ready) if record.source_digest.as_ref() != Some(&ready.source_digest) => {
            Some("its sources have changed".to_owned())
        }
        // Nobody knows from what it is built; if it comes out otherwise, that is all there is to go by.
        Prepared::Ready(ready)
            if target.sources == Sources::Unknown
                && record.artefact_sha256 != ready.artefact_sha256 =>
        {
            Some(
                "it was built to something else; `sources` would tell whether it had to be"
                    .to_owned(),
            )
        }
        Prepared::Ready(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Overrides, Selection};
    use crate::prepare::Ready;
    use crate::record::trial::{Caveat, Ended, Place};

    /// Two rounds, and a third where intervals are wide, of two tables with two targets each, in the order of the matrix.
    fn planned() -> (Matrix, Plan) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.toml");
        let text = "[run]\nrounds = 2\nmax-rounds = 3\norder = 'as-written'\n\
                    [[workload]]\nname = 'w'\n[[workload]]\nname = 'x'\npath = '/x'\n[[load]]\nname = 'l'\n\
                    [[target]]\nname = 'a'\ncommand = 'a'\n[[target]]\nname = 'b'\ncommand = 'b'\n";
        std::fs::write(&path, text).expect("a file");
        let matrix = crate::matrix::read(&path, None).expect("a matrix without problems");
        let plan = Plan::new(&matrix, &Selection::default(), Overrides::default(), 1);
        (matrix, plan.expect("cells"))
    }

    /// The first so many trials of the plan, a second of each minute from noon on.
    fn on_file(matrix: &Matrix, plan: &Plan, count: usize) -> Vec<TrialRecord> {
        let trials = plan.trials.iter().chain(&plan.further).take(count);
        let record = |(minute, trial): (usize, &Trial)| {
            let (workload, load) = names(matrix, trial.cell);
            let place = Place {
                target: trial.cell.label(matrix),
                variant: None,
                workload: workload.to_owned(),
                load: load.to_owned(),
                round: trial.round,
                position: trial.position,
                attempt: 1,
                session: 1,
            };
            let mut record = TrialRecord::begun(place, format!("2026-11-30T12:{minute:02}:00Z"));
            record.finished_at = Some(format!("2026-11-30T12:{minute:02}:30Z"));
            record.source_digest = Some("made".to_owned());
            record.end(Ended::Measured(Box::default()));
            record
        };
        trials.enumerate().map(record).collect()
    }

    fn made(digest: &str) -> Prepared {
        Prepared::Ready(Ready {
            out: "out".into(),
            versions: BTreeMap::new(),
            source_digest: digest.to_owned(),
            artefact_sha256: None,
        })
    }

    /// How many trials stay, and what is measured again.
    fn told(earlier: &Earlier<'_>) -> (usize, Vec<String>) {
        let again = earlier.again.iter();
        let again = again.map(|it| format!("{} {:?} {}", it.workload, it.rounds, it.reason));
        (earlier.count(), again.collect())
    }

    struct Case {
        count: usize,
        date: &'static str,
        is_same_boot: bool,
        digests: [&'static str; 2],
    }

    /// Three trials on file and gone on with at once: the second table's first round is torn.
    const SOON: Case = Case {
        count: 3,
        date: "2026-11-30T12:03:00Z",
        is_same_boot: true,
        digests: ["made", "made"],
    };

    fn sorted_out(case: &Case, change: impl Fn(&mut [TrialRecord])) -> (usize, Vec<String>) {
        let (matrix, plan) = planned();
        let mut trials = on_file(&matrix, &plan, case.count);
        change(&mut trials);
        let prepared = case.digests.map(made);
        let changes = Changes::default();
        let (date, is_same_boot) = (case.date, case.is_same_boot);
        let now = Now {
            matrix: &matrix,
            plan: &plan,
            prepared: &prepared,
            changes: &changes,
            is_same_boot,
            date,
            boot_seconds: 5000.0,
        };
        told(&Earlier::sort_out(&trials, now))
    }

    #[test]
    fn a_round_that_was_cut_off_is_gone_on_with_only_soon_and_before_all_else() {
        let none = Vec::<String>::new();
        assert_eq!(sorted_out(&SOON, |_| {}), (3, none.clone()));
        let late = Case { date: "2026-11-30T12:12:31Z", ..SOON };
        assert_eq!(
            sorted_out(&late, |_| {}),
            (2, vec!["x [1] it was cut off more than 10 min ago".to_owned()])
        );
        // A date before that of the last trial tells nothing.
        let set_back = Case { date: "2026-11-30T11:00:00Z", ..SOON };
        assert_eq!(sorted_out(&set_back, |_| {}).0, 2);
        // Where the clock of the machine was noted the date does not matter.
        let noted = |seconds: f64| {
            move |trials: &mut [TrialRecord]| trials[2].finished_boot_seconds = Some(seconds)
        };
        assert_eq!(sorted_out(&set_back, noted(4500.0)), (3, none.clone()));
        assert_eq!(sorted_out(&SOON, noted(4300.0)).0, 2);
        assert_eq!(sorted_out(&SOON, noted(5001.0)).0, 2);
        let rebooted = Case { is_same_boot: false, ..SOON };
        let reason = "x [1] it was cut off, and the machine was started anew since";
        assert_eq!(sorted_out(&rebooted, |_| {}), (2, vec![reason.to_owned()]));
        // Whole rounds stay however long ago they were made.
        let whole = Case { count: 4, date: "2027-01-01T00:00:00Z", is_same_boot: false, ..SOON };
        assert_eq!(sorted_out(&whole, |_| {}), (4, none.clone()));
        // As does a further round that was made.
        let further = Case { count: 12, ..whole };
        assert_eq!(sorted_out(&further, |_| {}), (12, none));
    }

    #[test]
    fn a_row_that_was_made_otherwise_takes_its_tables_with_it_and_what_is_torn_behind_them() {
        let date = "2026-11-30T12:07:00Z";
        let case = Case { count: 7, date, digests: ["made", "otherwise"], ..SOON };
        let (kept, again) = sorted_out(&case, |_| {});
        // Row b is in both tables; of the last round the second table has only row a.
        let reason = "`b`: its sources have changed";
        let expected = [
            format!("w [1, 2] {reason}"),
            format!("x [1] {reason}"),
            "x [2] it was cut off, and others come before it".to_owned(),
        ];
        assert_eq!((kept, again), (0, expected.to_vec()));
        let one_table = |trials: &mut [TrialRecord]| {
            for trial in trials.iter_mut().filter(|it| (&*it.target, &*it.workload) == ("b", "w")) {
                trial.source_digest = Some("otherwise".to_owned());
            }
        };
        let case = Case { count: 8, date: "2026-11-30T12:09:00Z", ..SOON };
        assert_eq!(sorted_out(&case, one_table), (4, vec![format!("w [1, 2] {reason}")]));
    }

    #[test]
    fn a_trial_that_was_to_be_made_once_more_is_and_where_that_is_late_its_whole_round() {
        let noisy = |trials: &mut [TrialRecord]| {
            let last = trials.last_mut().expect("trials");
            let detail = "others used 9 %".to_owned();
            last.caveats.push(Caveat { caveat: Doubt::NoisyHost, detail });
        };
        let whole = Case { count: 4, ..SOON };
        let soon = Case { date: "2026-11-30T12:04:00Z", ..whole };
        assert_eq!(sorted_out(&soon, noisy), (4, Vec::new()));
        let late = Case { date: "2026-11-30T18:00:00Z", ..whole };
        assert_eq!(sorted_out(&late, noisy).0, 2);
        let twice = |trials: &mut [TrialRecord]| {
            noisy(trials);
            trials.last_mut().expect("trials").attempt = 2;
        };
        assert_eq!(sorted_out(&late, twice), (4, Vec::new()));
    }
}
