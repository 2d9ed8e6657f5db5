//! Services: what was planned of them, where they were in a trial, and their figures in a row.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::summary::Figure;

/// A service, as decided before a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceInfo {
    /// Its name.
    pub name: String,
    /// The commands that make it, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    /// The command that runs it, as written.
    pub command: String,
    /// The commands that are run once it is ready, as written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Its declared environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// `run` or `trial`.
    pub scope: String,
    /// The CPUs that it may use.
    pub cpus: Vec<u32>,
    /// The labels of the targets that need it.
    pub targets: Vec<String>,
    /// The versions of its tools.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// Digest of what its build depended on; absent if it could not be built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_digest: Option<String>,
}

/// A service, as a trial found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceSeen {
    /// Its port.
    pub port: u16,
    /// Its log, relative to the run's folder.
    pub log: String,
    /// How often it had been started by then; the first time is 1.
    pub start: u32,
    /// What held its processes together: `cgroup2` or `keeper`.
    pub containment: String,
    /// From exec until it was ready, its setup left out.
    pub startup_ms: f64,
}

/// What a service used in the windows of a row, one point a round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceFigures {
    /// Its CPU time per answer of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<Figure>,
    /// Cores that it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_used: Option<Figure>,
    /// CPUs that it may use.
    pub cores_allowed: u32,
    /// Its resident memory, at most; shared pages count in each process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_peak_bytes: Option<Figure>,
    /// Its memory after the window, with shared pages counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pss_after_bytes: Option<Figure>,
}
