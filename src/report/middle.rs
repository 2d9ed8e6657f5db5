//! The trial in the middle of a row, for whatever can tell only one.

use crate::record::measured::Measured;
use crate::record::trial::TrialRecord;

/// The trial with the median of a figure over those that were measured and have it; of two in the middle the lower.
pub(super) fn middle<'t>(
    trials: &[&'t TrialRecord],
    figure: impl Fn(&TrialRecord, &Measured) -> Option<f64>,
) -> Option<(&'t TrialRecord, &'t Measured)> {
    let mut known: Vec<(f64, (&TrialRecord, &Measured))> = trials
        .iter()
        .filter_map(|trial| {
            let measured = trial.measured()?;
            Some((figure(trial, measured)?, (*trial, measured)))
        })
        .collect();
    known.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    known.get(known.len().checked_sub(1)? / 2).map(|(_, trial)| *trial)
}

/// The same by right answers per second. A round without any is the slowest.
pub(super) fn middle_by_goodput<'t>(
    trials: &[&'t TrialRecord],
) -> Option<(&'t TrialRecord, &'t Measured)> {
    middle(trials, |_, measured| Some(measured.goodput_per_second))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::record::trial::Ended;

    /// Trials of a row with these right answers per second.
    fn trials(goodputs: &[f64]) -> Vec<TrialRecord> {
        let run = fixture::run();
        let like = run.trials.iter().find(|trial| trial.measured().is_some()).expect("one");
        let of = |(round, goodput): (u32, &f64)| {
            let mut measured = like.measured().expect("it is").clone();
            measured.goodput_per_second = *goodput;
            let mut trial = like.clone();
            trial.round = round;
            trial.end(Ended::Measured(Box::new(measured)));
            trial
        };
        (1..).zip(goodputs).map(of).collect()
    }

    #[test]
    fn a_round_without_a_right_answer_is_the_slowest_and_what_is_not_known_counts_for_nothing() {
        for (goodputs, by_goodput, above_15) in [
            (&[][..], None, None),
            (&[10.0], Some(1), None),
            (&[30.0, 0.0, 20.0], Some(3), Some(3)),
            (&[0.0, 30.0, 10.0, 20.0], Some(3), Some(4)),
            (&[20.0, 40.0, 30.0, 10.0, 0.0], Some(1), Some(3)),
        ] {
            let trials = trials(goodputs);
            let trials: Vec<&TrialRecord> = trials.iter().collect();
            let found = middle_by_goodput(&trials).map(|(trial, _)| trial.round);
            assert_eq!(found, by_goodput, "{goodputs:?}");
            let found =
                middle(&trials, |_, it| Some(it.goodput_per_second).filter(|it| *it > 15.0));
            assert_eq!(found.map(|(trial, _)| trial.round), above_15, "{goodputs:?}");
        }
    }
}
