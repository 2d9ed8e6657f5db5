//! The doubts of a row: those that many of its trials share, and those that exist only over its rounds.

use crate::outcome::{Doubt, Kind, Stage};
use crate::record::summary::CellSummary;
use crate::record::trial::{Caveat, TrialRecord};

/// The doubts of the trials of one row, each with the detail of the first trial that bears it.
pub fn caveats(trials: &[&TrialRecord]) -> Vec<Caveat> {
    let measured = trials.iter().filter(|trial| trial.measured().is_some()).count();
    let mut caveats: Vec<Caveat> = Doubt::ALL
        .iter()
        .filter_map(|doubt| {
            let bearing: Vec<&Caveat> = trials
                .iter()
                .filter(|trial| trial.measured().is_some())
                .filter_map(|trial| trial.caveats.iter().find(|caveat| caveat.caveat == *doubt))
                .collect();
            let first = bearing.first()?;
            let is_void = |trial: &&TrialRecord| trial.measured().is_some_and(|it| it.good == 0);
            let has_void = trials.iter().any(is_void);
            bears(*doubt, bearing.len(), measured, has_void).then(|| (*first).clone())
        })
        .collect();
    caveats.extend(unstable(trials, measured));
    caveats
}

/// Whether a row bears a doubt that so many of its measured trials bear; `has_void` if one of them has no right answer at all.
pub fn bears(doubt: Doubt, bearing: usize, measured: usize, has_void: bool) -> bool {
    // Such a round leaves the row without a figure, and is never passed over.
    let is_grave = doubt == Doubt::Errors && has_void && bearing > 0;
    is_grave || is_of_row(bearing, measured)
}

/// Whether the rates of a row are only lower bounds, since the load generator was the limit.
pub fn is_lower_bound(row: &CellSummary) -> bool {
    row.caveats.iter().any(|caveat| caveat.caveat == Doubt::ClientBound)
}

/// Whether what so many of the measured trials have in common is said of their row: over a third.
pub fn is_of_row(trials: usize, measured: usize) -> bool {
    trials * 3 > measured
}

/// `unstable`: failed after it was ready in some rounds, and was measured in others.
fn unstable(trials: &[&TrialRecord], measured: usize) -> Option<Caveat> {
    let failed: Vec<_> = trials
        .iter()
        .filter_map(|trial| Some((trial.round, trial.failed()?)))
        .filter(|(_, failed)| failed.stage > Stage::Ready)
        .collect();
    let (round, first) = failed.first()?;
    (measured > 0).then(|| Caveat {
        caveat: Doubt::Unstable,
        detail: format!(
            "measured in {measured} of {} rounds; failed in {} in round {round}: {}",
            trials.len(),
            first.stage.name(),
            first.reason
        ),
    })
}
