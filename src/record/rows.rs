//! The trials of a run, row by row. Of a trial that was repeated because others used the machine, the last attempt counts,
//! whatever came of it: which one that is says nothing of how fast it was. An attempt of a later session is a later one.

use std::collections::BTreeMap;

use super::trial::TrialRecord;

/// Workload, load, label.
type Key = (String, String, String);

/// The trials of every row, by round.
#[derive(Debug)]
pub struct Rows<'r> {
    rows: BTreeMap<Key, BTreeMap<u32, &'r TrialRecord>>,
    repeated: BTreeMap<Key, u32>,
}

impl<'r> Rows<'r> {
    /// Sorts what happened into rows.
    pub fn of(trials: &'r [TrialRecord]) -> Self {
        let mut rows: BTreeMap<Key, BTreeMap<u32, &'r TrialRecord>> = BTreeMap::new();
        let mut repeated = BTreeMap::new();
        for trial in trials {
            let key = (trial.workload.clone(), trial.load.clone(), trial.label());
            let rounds = rows.entry(key.clone()).or_default();
            let order = |trial: &TrialRecord| (trial.session, trial.attempt);
            if rounds.get(&trial.round).is_none_or(|other| order(other) <= order(trial)) {
                rounds.insert(trial.round, trial);
            }
            if trial.attempt > 1 {
                *repeated.entry(key).or_default() += 1;
            }
        }
        Self { rows, repeated }
    }

    /// The trials of a row that count, by round.
    pub fn trials(&self, workload: &str, load: &str, label: &str) -> Vec<&'r TrialRecord> {
        let key = (workload.to_owned(), load.to_owned(), label.to_owned());
        self.rows.get(&key).map(|rounds| rounds.values().copied().collect()).unwrap_or_default()
    }

    /// How many of its trials were repetitions.
    pub fn repeated(&self, workload: &str, load: &str, label: &str) -> u32 {
        let key = (workload.to_owned(), load.to_owned(), label.to_owned());
        self.repeated.get(&key).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::Place;
    use super::*;

    fn trial(target: &str, round: u32, attempt: u32, started_at: &str) -> TrialRecord {
        let place = Place {
            target: target.to_owned(),
            variant: None,
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            round,
            position: 1,
            attempt,
            session: 1,
        };
        TrialRecord::begun(place, started_at.to_owned())
    }

    #[test]
    fn of_each_round_the_last_attempt_counts() {
        let trials = [
            trial("a", 2, 1, "t1"),
            trial("b", 2, 1, "t2"),
            trial("a", 1, 1, "t3"),
            trial("a", 1, 2, "t4"),
            trial("a", 1, 3, "t5"),
        ];
        let rows = Rows::of(&trials);
        let began = |label: &str| {
            let trials = rows.trials("hello", "c64", label);
            trials.iter().map(|trial| trial.started_at.clone()).collect::<Vec<_>>()
        };
        assert_eq!((began("a"), began("b")), (vec!["t5".into(), "t1".into()], vec!["t2".into()]));
        let mut later = trial("a", 1, 1, "t6");
        later.session = 2;
        let trials = [trial("a", 1, 2, "t4"), later];
        let rows_of_two = Rows::of(&trials);
        let kept = rows_of_two.trials("hello", "c64", "a");
        assert_eq!(
            (kept.len(), kept[0].started_at.as_str()),
            (1, "t6"),
            "a later session is later"
        );
        assert_eq!((began("c"), rows.trials("hello", "c1", "a").len()), (vec![], 0));
        assert_eq!(
            (rows.repeated("hello", "c64", "a"), rows.repeated("hello", "c64", "b")),
            (2, 0)
        );
    }
}
