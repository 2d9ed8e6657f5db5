//! One line of `trials.ndjson`: everything that is known of one trial. Exactly one of `measured`, `failed` and `skipped`
//! says how it ended.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::measured::Measured;
use super::service::ServiceSeen;
use crate::outcome::{Doubt, Stage};

fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_first(attempt: &u32) -> bool {
    *attempt == 1
}

/// Session, round, place in the round and attempt, each from 1: no two trials of a run share all four.
pub type Spot = (u32, u32, u32, u32);

/// What happened in one trial.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TrialRecord {
    /// The version of the shapes of a run's files.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// The target's name, without its variant.
    pub target: String,
    /// The variant, if it is not the base.
    pub variant: Option<String>,
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The round, from 1.
    pub round: u32,
    /// The place in the round, from 1.
    pub position: u32,
    /// From 1; more where it was repeated because others used the machine. The last one counts.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// From 1; more where the run was resumed: the session in which it was made.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub session: u32,
    /// The id of the run that it was taken over from, if it was not made in this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<String>,
    /// When it began: date and time, UTC.
    pub started_at: String,
    /// When it ended, and what goes after it had; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The same in seconds since the machine started, its sleep included: a clock that nobody sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_boot_seconds: Option<f64>,
    /// The versions of the tools that the target names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// Digest of what the build depended on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_digest: Option<String>,
    /// Digest of what was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artefact_sha256: Option<String>,
    /// What held the server's processes together: `cgroup2` or `keeper`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<String>,
    /// The port that the server was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The server's log, relative to the run's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// From exec to the first right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<f64>,
    /// From SIGTERM until nothing of it was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_ms: Option<f64>,
    /// The services that it could use, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, ServiceSeen>,
    /// Which command after the trial failed, and how; that changes nothing of its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_trial_failed: Option<String>,
    /// Load before the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up_seconds: Option<f64>,
    /// Whether the matrix says which answer is right; if not, all targets must answer alike.
    #[serde(default)]
    pub is_expected: bool,
    /// Whether its tree was looked at while the window was open; if not, only at its two ends.
    #[serde(default = "sampled")]
    pub is_sampled: bool,
    /// Requests that the server was sent, stage by stage.
    #[serde(default)]
    pub requests: RequestsSent,
    /// Doubts about the trial, with the figures behind them.
    #[serde(default)]
    pub caveats: Vec<Caveat>,
    /// What was measured, if it came so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measured: Option<Box<Measured>>,
    /// Why the target failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<Failed>,
    /// Why it could not run here, if it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<Skipped>,
}

impl TrialRecord {
    /// A trial that has just begun, of which no end is known.
    pub fn begun(place: Place, started_at: String) -> Self {
        Self {
            schema: SCHEMA,
            target: place.target,
            variant: place.variant,
            workload: place.workload,
            load: place.load,
            round: place.round,
            position: place.position,
            attempt: place.attempt,
            session: place.session,
            taken_from: None,
            started_at,
            finished_at: None,
            finished_boot_seconds: None,
            versions: BTreeMap::new(),
            source_digest: None,
            artefact_sha256: None,
            containment: None,
            port: None,
            log: None,
            startup_ms: None,
            stop_ms: None,
            services: BTreeMap::new(),
            after_trial_failed: None,
            warm_up_seconds: None,
            is_expected: false,
            is_sampled: true,
            requests: RequestsSent::default(),
            caveats: Vec::new(),
            measured: None,
            failed: None,
            skipped: None,
        }
    }

    /// The name of the row that it belongs to.
    pub fn label(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}+{variant}", self.target),
            None => self.target.clone(),
        }
    }

    /// Which one of its run it is: round, place in the round, attempt.
    pub fn spot(&self) -> Spot {
        (self.session, self.round, self.position, self.attempt)
    }

    /// What was measured, if it came so far.
    pub fn measured(&self) -> Option<&Measured> {
        self.measured.as_deref()
    }

    /// Why the target failed, if it did.
    pub fn failed(&self) -> Option<&Failed> {
        self.failed.as_ref()
    }

    /// Why it could not run here, if it could not.
    pub fn skipped(&self) -> Option<&Skipped> {
        self.skipped.as_ref()
    }

    /// Drops the histograms of its times; what is known of them besides stays.
    pub fn forget_histograms(&mut self) {
        if let Some(measured) = &mut self.measured {
            measured.forget_histograms();
        }
    }

    /// Says how it ended.
    pub fn end(&mut self, ended: Ended) {
        (self.measured, self.failed, self.skipped) = match ended {
            Ended::Measured(measured) => (Some(measured), None, None),
            Ended::Failed(failed) => (None, Some(failed), None),
            Ended::Skipped(skipped) => (None, None, Some(skipped)),
        };
    }

    /// Whether it says in exactly one way how it ended, and what was measured adds up.
    pub fn is_whole(&self) -> bool {
        let ways = [self.measured.is_some(), self.failed.is_some(), self.skipped.is_some()];
        ways.into_iter().filter(|is| *is).count() == 1
            && self.measured().is_none_or(Measured::adds_up)
    }
}

/// Records of before this was told were all made with the sampler.
fn sampled() -> bool {
    true
}

/// Which trial of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The target's name, without its variant.
    pub target: String,
    /// The variant, if it is not the base.
    pub variant: Option<String>,
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The round, from 1.
    pub round: u32,
    /// The place in the round, from 1.
    pub position: u32,
    /// How often it was tried, this time included.
    pub attempt: u32,
    /// The session, from 1.
    pub session: u32,
}

/// How a trial ended.
#[derive(Debug, Clone)]
pub enum Ended {
    /// The window was measured.
    Measured(Box<Measured>),
    /// The target failed at some stage.
    Failed(Failed),
    /// It could not run here.
    Skipped(Skipped),
}

/// A target's failure, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failed {
    /// Where.
    pub stage: Stage,
    /// Why, in a few words.
    pub reason: String,
    /// The exit code of its process, if it exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended its process, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Its log, relative to the run's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The last lines of its output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
}

impl Failed {
    /// A failure of which only stage and reason are known.
    pub fn new(stage: Stage, reason: impl Into<String>) -> Self {
        Self {
            stage,
            reason: reason.into(),
            exit_code: None,
            signal: None,
            log: None,
            tail: Vec::new(),
        }
    }
}

/// Why a target could not run here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// What is missing.
    pub reason: String,
    /// How to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A doubt, with the figures behind it in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caveat {
    /// Its name.
    pub caveat: Doubt,
    /// A sentence with the figures and, where there is one, the remedy.
    pub detail: String,
}

/// Requests whose bytes were written to the server, so that its own count can be held against ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestsSent {
    /// Until the first right answer.
    pub probes: u64,
    /// To check the answer.
    pub verify: u64,
    /// In the warm-up.
    pub warm_up: u64,
    /// In the window.
    pub window: u64,
}

impl RequestsSent {
    /// All of them.
    pub fn total(self) -> u64 {
        self.probes + self.verify + self.warm_up + self.window
    }
}
