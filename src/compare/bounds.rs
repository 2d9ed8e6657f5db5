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

/// What may be said of the new run against the base run.
pub(super) fn allowed(bounds: Bounds, verdict: Verdict) -> Change {
    bounds.allow(verdict).map_or(Change::Unclear, of_verdict)
}

/// Whether nothing follows, whatever the figures are.
pub(super) fn are_mute(bounds: Bounds) -> bool {
    bounds.allow(Verdict::Unclear).is_none()
}

/// Why more may not be said, where the two runs are called so.
pub(super) fn reason(bounds: Bounds, metric: &str, [then, now]: [&str; 2]) -> String {
    let which = match (bounds.other, bounds.one) {
        (Some(_), Some(_)) => format!("{then} and {now}"),
        (Some(_), None) => then.to_owned(),
        _ => now.to_owned(),
    };
    let what = match bounds.one.or(bounds.other) {
        Some(Bound::MayBeWorse) => "may be worse than it looks",
        _ => "is a lower bound",
    };
    format!("{metric} {what} {which}: the load generator was the limit")
}
