//! What became of a figure where a side of it is only a bound, and why no more is said.

use crate::outcome::{Change, Verdict};
use crate::stats::bound::{Bound, Bounds};

pub(super) fn of_verdict(verdict: Verdict) -> Change {
    match verdict {
        Verdict::Faster => Change::Better,
        Verdict::Slower => Change::Worse,
        Verdict::Same => Change::Same,
        Verdict::Unclear => Change::Unclear,
    }
}

/// Which figures are bounds: those of a row in the new run and in the base run, and those of the control that it is held against.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sides {
    pub(super) row: Bounds,
    pub(super) control: Bounds,
}

impl Sides {
    /// Of the ratios to the control.
    pub(super) fn of_ratios(self) -> Bounds {
        Bounds {
            one: Bound::of_ratio(self.row.one, self.control.one),
            other: Bound::of_ratio(self.row.other, self.control.other),
        }
    }
}

/// What may be said of the new run against the base run.
pub(super) fn allowed(sides: Sides, verdict: Verdict) -> Change {
    sides.of_ratios().allow(verdict).map_or(Change::Unclear, of_verdict)
}

/// Whether nothing follows, whatever the figures are.
pub(super) fn are_mute(sides: Sides) -> bool {
    sides.of_ratios().allow(Verdict::Unclear).is_none()
}

/// Why more may not be said, where the two runs are called so.
pub(super) fn reason(sides: Sides, metric: &str, [then, now]: [&str; 2]) -> String {
    let (bounds, whose) =
        if sides.row.is_any() { (sides.row, "") } else { (sides.control, " of the control") };
    let which = match (bounds.other, bounds.one) {
        (Some(_), Some(_)) => format!("{then} and {now}"),
        (Some(_), None) => then.to_owned(),
        _ => now.to_owned(),
    };
    let what = match bounds.one.or(bounds.other) {
        Some(Bound::MayBeWorse) => "may be worse than it looks",
        _ => "is a lower bound",
    };
    format!("{metric}{whose} {what} {which}: the load generator was the limit")
}
