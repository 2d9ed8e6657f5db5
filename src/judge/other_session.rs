//! `other-session`: a row was measured at another time than its neighbours, so that what changed with time, the machine
//! above all, looks like a difference between rows.
//!
//! In a round the rows of a table are measured one after the other. Where more than ten minutes lie between the end of one
//! and the beginning of the next, the machine slept or the run was cut off there, and the fewer are told to be of another session.

use std::collections::BTreeMap;

use crate::clock::seconds_between;
use crate::outcome::Doubt;
use crate::record::trial::{Caveat, TrialRecord};

/// Between the end of a trial and the beginning of the next no more passes in one session.
const GAP_SECONDS: f64 = 600.0;

/// The rows of a table of which more than a third of the trials lie in another session than most trials of their round.
/// Rows come with their labels and the trials that count.
pub fn judge(rows: &[(&str, Vec<&TrialRecord>)]) -> BTreeMap<String, Caveat> {
    let mut rounds: BTreeMap<u32, Vec<(&str, &TrialRecord)>> = BTreeMap::new();
    for (label, trials) in rows {
        for trial in trials {
            rounds.entry(trial.round).or_default().push((label, trial));
        }
    }
    let mut apart: BTreeMap<&str, Vec<Apart>> = BTreeMap::new();
    for (round, trials) in &mut rounds {
        for (label, seconds) in outside(trials) {
            apart.entry(label).or_default().push(Apart { round: *round, seconds });
        }
    }
    let count = |label: &str| {
        rows.iter().find(|(other, _)| *other == label).map_or(0, |(_, trials)| trials.len())
    };
    apart
        .into_iter()
        .filter(|(label, times)| times.len() * 3 > count(label))
        .map(|(label, times)| (label.to_owned(), caveat(&times, count(label))))
        .collect()
}

/// The doubt of a row of which every trial was taken over from another run.
pub fn taken_over(trials: &[&TrialRecord]) -> Option<Caveat> {
    let first = trials.first()?;
    let from = first.taken_from.as_deref()?;
    let date = first.started_at.get(..10).unwrap_or(&first.started_at);
    trials.iter().all(|trial| trial.taken_from.is_some()).then(|| Caveat {
        caveat: Doubt::OtherSession,
        detail: format!(
            "taken over from run {from}, where it was measured on {date}; it is compared with what was measured together with it, \
             and not with what was measured since"
        ),
    })
}

/// A trial of another session.
struct Apart {
    round: u32,
    /// How far it is from the nearest trial of the session that most belong to.
    seconds: f64,
}

/// The trials of a round that lie outside of the session that most of them belong to.
fn outside<'t>(trials: &mut [(&'t str, &TrialRecord)]) -> Vec<(&'t str, f64)> {
    // Dates are written so that their texts have the order of time.
    trials.sort_by(|(_, one), (_, other)| one.started_at.cmp(&other.started_at));
    let is_together = |(_, one): &(&str, &TrialRecord), (_, next): &(&str, &TrialRecord)| {
        gap(one, next).is_none_or(|seconds| seconds <= GAP_SECONDS)
    };
    let sessions: Vec<&[(&str, &TrialRecord)]> = trials.chunk_by(is_together).collect();
    // Of two that are as large, the first.
    let Some(main) = sessions.iter().rev().max_by_key(|session| session.len()).copied() else {
        return Vec::new();
    };
    let others = sessions.iter().filter(|session| session[0].1.started_at != main[0].1.started_at);
    let distance = |trial: &TrialRecord| {
        let gaps = main.iter().filter_map(|(_, other)| between(trial, other));
        gaps.map(f64::abs).fold(f64::INFINITY, f64::min)
    };
    others.copied().flatten().map(|(label, trial)| (*label, distance(trial))).collect()
}

/// Seconds from the end of one to the beginning of another; of records that do not tell it, from the end of the window.
fn gap(one: &TrialRecord, next: &TrialRecord) -> Option<f64> {
    if let Some(end) = &one.finished_at {
        return seconds_between(end, &next.started_at);
    }
    let measured = one.measured().map_or(0.0, |measured| measured.window_seconds);
    Some(between(one, next)? - measured - one.warm_up_seconds.unwrap_or(0.0))
}

/// Seconds from the beginning of one to that of another; `None` if a date cannot be read.
fn between(one: &TrialRecord, other: &TrialRecord) -> Option<f64> {
    seconds_between(&one.started_at, &other.started_at)
}

fn caveat(times: &[Apart], rounds: usize) -> Caveat {
    let first = &times[0];
    let minutes = first.seconds / 60.0;
    let how_many = if times.len() == rounds {
        "in every round".to_owned()
    } else {
        format!("in {} of {rounds} rounds", times.len())
    };
    Caveat {
        caveat: Doubt::OtherSession,
        detail: format!(
            "measured at another time than its neighbours {how_many}, by {minutes:.0} min in round {}: what changed \
             meanwhile looks like a difference; measure all rows together",
            first.round
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Measured;
    use crate::record::trial::{Ended, Place};

    /// A trial that began so many seconds after noon, and measured for so long.
    fn trial(target: &str, round: u32, second: u32, window_seconds: f64) -> TrialRecord {
        let place = Place {
            target: target.to_owned(),
            variant: None,
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            round,
            position: 1,
            attempt: 1,
            session: 1,
        };
        let (hours, minutes, seconds) = (12 + second / 3600, second / 60 % 60, second % 60);
        let at = format!("2026-11-30T{hours:02}:{minutes:02}:{seconds:02}Z");
        let mut trial = TrialRecord::begun(place, at);
        trial.end(Ended::Measured(Box::new(Measured { window_seconds, ..Measured::default() })));
        trial
    }

    /// The rows with this doubt, of three rows that began at these seconds of each round.
    fn doubted(rounds: &[[u32; 3]], window_seconds: f64) -> String {
        let trials: Vec<Vec<TrialRecord>> = (0..3)
            .map(|row| {
                (1..)
                    .zip(rounds)
                    .map(|(round, at)| trial("t", round, at[row], window_seconds))
                    .collect()
            })
            .collect();
        let rows: Vec<(&str, Vec<&TrialRecord>)> = ["a", "b", "c"]
            .into_iter()
            .zip(&trials)
            .map(|(label, trials)| (label, trials.iter().collect()))
            .collect();
        let found = judge(&rows);
        found.keys().cloned().collect::<Vec<_>>().join(",")
    }

    #[test]
    fn a_row_that_stands_apart_in_time_is_doubted_and_its_neighbours_are_not() {
        for (rounds, window, expected) in [
            (&[[0, 8, 16]][..], 3.0, ""),
            (&[[0, 8, 616]], 3.0, "c"),
            (&[[0, 8, 607]], 3.0, ""),
            // A long window is no gap.
            (&[[0, 700, 1400]], 400.0, ""),
            (&[[3600, 0, 8]], 3.0, "a"),
            // In one of three rounds, which is no more than a third; and in two.
            (&[[0, 8, 16], [100, 108, 3000], [3100, 3108, 3116]], 3.0, ""),
            (&[[0, 8, 1600], [2000, 2008, 3000], [3100, 3108, 3116]], 3.0, "c"),
            // A run that stood still between rounds is none: every round has all rows.
            (&[[0, 8, 16], [9000, 9008, 9016]], 3.0, ""),
        ] {
            assert_eq!(doubted(rounds, window), expected, "{rounds:?}");
        }
        assert!(judge(&[]).is_empty());
    }

    #[test]
    fn a_row_that_was_taken_over_says_from_where_and_one_that_was_also_measured_does_not() {
        let (here, mut there) = (trial("a", 2, 0, 3.0), trial("a", 1, 0, 3.0));
        there.taken_from = Some("20260101".to_owned());
        let caveat = taken_over(&[&there, &there]).expect("taken over");
        let told = "taken over from run 20260101, where it was measured on 2026-11-30; it is";
        assert!(caveat.detail.starts_with(told), "{caveat:?}");
        assert_eq!((taken_over(&[&there, &here]), taken_over(&[])), (None, None));
    }

    #[test]
    fn it_says_how_far_and_how_often() {
        let (near, late) = (trial("a", 1, 0, 3.0), trial("b", 1, 3600, 3.0));
        let found = judge(&[("a", vec![&near]), ("b", vec![&late])]);
        let detail = &found["b"].detail;
        let told =
            "measured at another time than its neighbours in every round, by 60 min in round 1: ";
        assert!(detail.starts_with(told), "{detail}");
        assert_eq!(found.len(), 1);
    }
}
