//! Sessions: a run that was cut off and gone on with is made in several, and `run.json` says what each found and did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the command line chose of a matrix and set in its place, so that the same can be planned again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chosen {
    /// Patterns of targets; none for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Patterns of workloads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<String>,
    /// Patterns of loads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<String>,
    /// Rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Load before the window, at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up_seconds: Option<f64>,
    /// The window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure_seconds: Option<f64>,
    /// The seed, if it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Why a run ended before its last trial, although no signal came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutShort {
    /// Its time was over.
    TimeLimit,
    /// A target failed, and the first failure was to end it.
    FailFast,
}

/// One time that a run was gone on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resumption {
    /// The session that began then, from 2.
    pub session: u32,
    /// When: date and time, UTC.
    pub started_at: String,
    /// The version of this program that went on.
    pub orchestrate: String,
    /// Names the start of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Trials of earlier sessions that stayed.
    pub kept: u64,
    /// What was measured again. Records of it that earlier sessions made are kept and do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
}

/// What is measured again: rounds of a table as a whole, since their rows must share a moment; or all of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Again {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The label of the row, if it is not all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The rounds; none for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<u32>,
    /// Why.
    pub reason: String,
}

/// The run that a run brings up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Base {
    /// Its id.
    pub id: String,
    /// When it began: date and time, UTC.
    pub started_at: String,
    /// The last of its rounds of which something was taken over. Rounds of now have higher numbers, so that no row is compared
    /// over both.
    pub rounds: u32,
    /// Trials that were taken over.
    pub taken: u64,
    /// The rows that were measured anew, and why; none before it was known which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anew: Vec<Again>,
}
