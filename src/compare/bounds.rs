//! Figures that are only bounds, since the load generator was the limit, and what may be said of them.

use serde::Serialize;

use crate::judge::metric::Metric;
use crate::outcome::{Change, Doubt};
use crate::record::summary::CellSummary;

/// Which side of a figure may be better than it looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// That of the base run.
    #[serde(rename = "base_is_bound", skip_serializing_if = "std::ops::Not::not")]
    pub base: bool,
    /// That of the new run.
    #[serde(rename = "new_is_bound", skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
}

impl Bounds {
    pub(super) fn of(metric: Metric, base: &CellSummary, new: &CellSummary) -> Self {
        let is_bound = |cell: &CellSummary| {
            let is_client_bound = |doubt: Doubt| doubt == Doubt::ClientBound;
            metric.is_bounded && cell.caveats.iter().any(|it| is_client_bound(it.caveat))
        };
        Self { base: is_bound(base), new: is_bound(new) }
    }

    /// Whether nothing follows from the two sides.
    pub fn are_both(self) -> bool {
        self.base && self.new
    }

    /// What may be said where a side may be better than it looks. Of two such nothing follows.
    pub(super) fn allow(self, change: Change) -> Change {
        match (self.base, self.new) {
            (false, false) => change,
            (false, true) if change == Change::Better => change,
            (true, false) if change == Change::Worse => change,
            _ => Change::Unclear,
        }
    }

    /// Why it may not be said, where the two sides are called so.
    pub(super) fn reason(self, metric: &str, [then, now]: [&str; 2]) -> String {
        let which = match (self.base, self.new) {
            (true, true) => format!("{then} and {now}"),
            (true, false) => then.to_owned(),
            _ => now.to_owned(),
        };
        format!("{metric} is a lower bound {which}: the load generator was the limit")
    }
}
