//! `summary.json`: a run in the figures that tables and histories need, small enough to be committed.
//!
//! Made from the trials, and never read back to make them again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measured::ResponseSeen;
use super::run::RunInfo;
use super::service::ServiceFigures;
use super::trial::Caveat;
use crate::outcome::{Limit, Verdict};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// A run in figures.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The version of the shapes of a run's files.
    #[schemars(extend("const" = super::SCHEMA))]
    pub schema: u32,
    /// What was asked for, where and by whom.
    pub run: RunInfo,
    /// The versions of the tools that made the targets.
    pub versions: BTreeMap<String, String>,
    /// How finely the rows of each table can be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Noise>,
    /// The rows, table by table.
    pub cells: Vec<CellSummary>,
}

/// How finely the rows of a table can be compared, as its own rounds have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// Rounds that were made.
    pub rounds: u32,
    /// The difference between two rows from which on it is told from none, as a share; absent from fewer than five rounds or
    /// two rows that were measured in each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_effect: Option<f64>,
    /// The standard deviation of a figure in one round, once what row and round explain is taken off, in logarithms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
}

/// How a row compares with the reference, by the figure that ranks their table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Versus {
    /// The column of that figure.
    pub by: String,
    /// The ratio over the rounds in which both were measured.
    pub ratio: Figure,
    /// What follows from it; absent from fewer than five rounds, and where one of the two is not ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How many rounds more would settle what is unclear, were estimate and spread to stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds_lacking: Option<u32>,
}

/// A figure of a row against that of another, such as the control of its run, over the rounds in which both were measured. What
/// the machine does to both takes no part in this.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogRatio {
    /// The mean of the logarithms of the ratios.
    pub mean: f64,
    /// Their standard deviation; absent for one round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// How many rounds.
    pub rounds: u32,
}

impl LogRatio {
    /// Of ratios, one a round; `None` if there are none, or if one is not positive and finite.
    pub fn of(ratios: &[f64]) -> Option<Self> {
        let rounds = u32::try_from(ratios.len()).ok().filter(|rounds| *rounds > 0)?;
        if !ratios.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0) {
            return None;
        }
        let count = f64::from(rounds);
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count;
        let squares: f64 = ratios.iter().map(|ratio| (ratio.ln() - mean).powi(2)).sum();
        let deviation = (rounds > 1).then(|| (squares / (count - 1.0)).sqrt());
        Some(Self { mean, deviation, rounds })
    }
}

/// One row of one table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellSummary {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The target's label.
    pub target: String,
    /// Rounds in which it was measured.
    pub measured: u32,
    /// Rounds in which it failed.
    pub failed: u32,
    /// Trials that were made once more, since others used the machine.
    #[serde(default, skip_serializing_if = "is_none")]
    pub repeated: u32,
    /// Why there are no figures: `failed in verify: ...`, `not installed: ...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Digest of what its build depended on: commands, environment, tools, and its sources as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_digest: Option<String>,
    /// Its place among the rows that are ranked, from 1; rows that cannot be told apart share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// The worst place that it may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_worst: Option<u32>,
    /// How it compares with the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versus: Option<Versus>,
    /// How it compares with the control of the run, figure by figure, by the names of their columns; the control's own row has
    /// none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versus_control: BTreeMap<String, LogRatio>,
    /// How it compares with the same target at the revision that the run was made against, figure by figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versus_earlier: BTreeMap<String, LogRatio>,
    /// What stands out in its rounds. Nothing was removed for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Right answers per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodput_per_second: Option<Figure>,
    /// The same, as a ratio to the reference row over the rounds in which both were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodput_ratio: Option<Figure>,
    /// Answers per second, right or wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_per_second: Option<Figure>,
    /// The median of response time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_p50_us: Option<Figure>,
    /// The quantile 0.9 of response time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_p90_us: Option<Figure>,
    /// The quantile 0.99 of response time; absent if too few requests lie beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_p99_us: Option<Figure>,
    /// The quantile 0.999, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_p999_us: Option<Figure>,
    /// The median of the time from just before the first byte is written to the first byte read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_p50_us: Option<Figure>,
    /// The server's CPU time per answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<Figure>,
    /// The same, as a ratio to the reference row over the rounds in which both were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ratio: Option<Figure>,
    /// Cores that the server used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_used: Option<Figure>,
    /// CPUs that it may use.
    pub cores_allowed: u32,
    /// The server's resident memory, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_peak_bytes: Option<Figure>,
    /// The server's resident memory, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_mean_bytes: Option<Figure>,
    /// The most threads at once, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_peak: Option<u64>,
    /// The most processes at once, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes_peak: Option<u64>,
    /// What each service used, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, ServiceFigures>,
    /// From exec to the first right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<Figure>,
    /// Bytes read per second of the window, heads included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_bytes_per_second: Option<Figure>,
    /// The answer that verification saw in the first round in which it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseSeen>,
    /// Whether it saw another one in a later round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub response_varies: bool,
    /// Wrong and lost, as a share of attempts, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_share: Option<f64>,
    /// Answers that were not right, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<u64>,
    /// Requests without a whole answer, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Connections made in the windows of all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections_opened: Option<u64>,
    /// Connections that ended between two answers and were made again, over all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnects: Option<u64>,
    /// What held it back in most rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The doubts of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
}

/// A figure over rounds: the geometric mean, its 95 % interval, and the points themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The geometric mean.
    pub mean: f64,
    /// The interval's lower end; absent for a single round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// One point a round.
    pub points: Vec<f64>,
}

impl Figure {
    /// Half the interval as a share of the mean, the larger side.
    pub fn half_width(&self) -> Option<f64> {
        self.high.map(|high| high / self.mean - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_to_the_control_is_the_mean_of_logarithms_with_their_spread() {
        let ratio = LogRatio::of(&[1.0, 4.0, 16.0]).expect("three ratios");
        assert!((ratio.mean - 4f64.ln()).abs() < 1e-12);
        assert!((ratio.deviation.expect("a spread") - 4f64.ln()).abs() < 1e-12);
        let one = LogRatio { mean: 0.0, deviation: None, rounds: 1 };
        assert_eq!(LogRatio::of(&[1.0]), Some(one));
        for ratios in [&[][..], &[1.0, 0.0], &[f64::INFINITY], &[1.0, f64::NAN], &[-1.0]] {
            assert_eq!(LogRatio::of(ratios), None, "{ratios:?}");
        }
    }
}
