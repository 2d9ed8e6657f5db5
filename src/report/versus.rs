//! Each row against another, round by round: against the reference, against the control of its run, which is what runs of different
//! nights are compared by, and against the same target at an earlier revision.

use std::collections::BTreeMap;

use crate::judge::metric::Metric;
use crate::record::summary::LogRatio;
use crate::record::trial::TrialRecord;
use crate::stats::rounds;

/// The figures of a row against those of another of its table, over the rounds in which both were measured. A figure that is
/// not known of both in any one round is none.
pub(super) fn versus(
    trials: &[&TrialRecord],
    others: &[&TrialRecord],
) -> BTreeMap<String, LogRatio> {
    let named = |metric: Metric| {
        let ratio = LogRatio::of(&ratios(metric, trials, others))?;
        Some((metric.name.to_owned(), ratio))
    };
    Metric::ALL.into_iter().filter_map(named).collect()
}

/// A figure of a row as a ratio to that of another, one for each round in which both are known.
pub(super) fn ratios(metric: Metric, trials: &[&TrialRecord], others: &[&TrialRecord]) -> Vec<f64> {
    rounds::ratios(&metric.points(trials), &metric.points(others))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::layout::lay_out;
    use super::super::summarise::summarise;
    use crate::record::summary::Summary;
    use crate::record::trial::{Ended, Failed};

    fn summary(control: Option<&str>) -> Summary {
        let mut run = fixture::run();
        run.info.policy.control = control.map(str::to_owned);
        summarise(&run)
    }

    #[test]
    fn a_row_is_held_against_the_control_round_by_round_and_the_control_against_nobody() {
        let of = |summary: &Summary, target: &str| {
            let row = summary.cells.iter().find(|cell| cell.target == target).expect("a row");
            row.versus_control.clone()
        };
        let known = summary(Some("go/base"));
        let fast = of(&known, "c/fast");
        let names: Vec<&str> = fast.keys().map(String::as_str).collect();
        assert_eq!(names, ["cpu", "goodput", "memory", "p50", "p99", "startup"]);
        // Both rose alike from round to round, so that the ratio does not vary at all.
        let goodput = fast["goodput"];
        assert!((goodput.mean - 2f64.ln()).abs() < 1e-12 && goodput.rounds == 2, "{goodput:?}");
        assert!(goodput.deviation.is_some_and(|deviation| deviation < 1e-12));
        assert!((fast["cpu"].mean - (5f64 / 16.0).ln()).abs() < 1e-12);
        assert!(of(&known, "go/base").is_empty() && of(&known, "dart/none").is_empty());
        assert!(lay_out(&known).provenance.contains(" · control go/base · "));
        // Without a control, or where it was not measured, nothing is told.
        for control in [None, Some("php/bad|`<b>"), Some("nobody")] {
            let none = summary(control);
            assert!(none.cells.iter().all(|cell| cell.versus_control.is_empty()), "{control:?}");
        }
    }

    #[test]
    fn a_round_in_which_only_one_of_both_was_measured_does_not_count() {
        let mut run = fixture::run();
        run.info.policy.control = Some("go/base".to_owned());
        let second = run.trials.iter_mut().find(|it| it.label() == "go/base" && it.round == 2);
        let failed = Failed::new(crate::outcome::Stage::Window, "it ended");
        second.expect("a trial").end(Ended::Failed(failed));
        let summary = summarise(&run);
        let fast = summary.cells.iter().find(|cell| cell.target == "c/fast").expect("a row");
        let goodput = fast.versus_control["goodput"];
        assert_eq!((goodput.rounds, goodput.deviation), (1, None));
    }
}
