//! `run.json`: what was asked for, where and by whom, written before the first trial.
//!
//! It holds all that a report needs besides the trials, so that a report can be made on another machine, years later.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::service::ServiceInfo;
use super::session::{Base, Chosen, CutShort, Resumption};
use super::whole::End;

/// A run, as decided before it began. What came of it as a whole is set when it ends, and where it is resumed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The version of the shapes of a run's files.
    #[schemars(extend("const" = super::SCHEMA))]
    pub schema: u32,
    /// The run's id: the date and time of its start, and a few letters of its seed.
    pub id: String,
    /// The matrix's name.
    pub name: String,
    /// The version of this program that made it.
    pub orchestrate: String,
    /// How that version measures, as a number: figures of two of them may differ although nothing else does. 0 in runs of versions that did not tell.
    #[serde(default)]
    pub measuring: u32,
    /// When it began: date and time, UTC.
    pub started_at: String,
    /// When it ended; absent while it runs, or if it was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The signal that ended it before its last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<String>,
    /// Why else its last trials were not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// What it is for, if not to compare targets. Such a run is never the latest of its matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// The matrix's text.
    pub matrix: String,
    /// The digest of that text.
    pub matrix_sha256: String,
    /// How the matrix was named on the command line.
    pub matrix_path: String,
    /// What was typed, where servers were named and no matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<String>,
    /// The seed of the order.
    pub seed: u64,
    /// The profile of the matrix that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Selections and overrides of the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
    /// The same, to plan by; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// How long it was given, in its last session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_seconds: Option<f64>,
    /// Whether a selection, an override or a limit of time makes it less than the matrix asks for.
    pub partial: bool,
    /// What the repository that the matrix lies in was at; absent where it lies in none, or Git cannot tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Commit>,
    /// The revision whose targets went through the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// The policy in force.
    pub policy: Policy,
    /// The tables and their rows.
    pub tables: Vec<PlannedTable>,
    /// Who could take part, whether or not each table has a row of it.
    pub targets: Vec<TargetInfo>,
    /// What targets need besides themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceInfo>,
    /// The machine.
    pub host: HostFacts,
    /// CPUs of the servers and of the generator.
    pub cpus: CpuSplit,
    /// The run of which it took over what had not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// Each time that it was gone on with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumptions: Vec<Resumption>,
    /// What happened to it that a reader must know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// What a run is for, if not to compare targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To see what the machine, and measuring itself, make of one target.
    Noise,
}

impl RunInfo {
    /// Whether it came to its end: nothing of it is left to be measured.
    pub fn is_finished(&self) -> bool {
        self.end().is_finished()
    }

    /// What tells whether it is whole.
    pub fn end(&self) -> End {
        End {
            has_purpose: self.purpose.is_some(),
            is_partial: self.partial,
            is_interrupted: self.interrupted.is_some(),
            is_cut_short: self.cut_short.is_some(),
            has_ended: self.finished_at.is_some(),
        }
    }

    /// Whether what is left of it is known: a run that takes over another's rows must have done so.
    pub fn can_be_resumed(&self) -> bool {
        self.base.as_ref().is_none_or(|base| !base.anew.is_empty())
    }

    /// The number of the session that is under way, or was the last: 1 for a run that was never resumed.
    pub fn session(&self) -> u32 {
        self.resumptions.last().map_or(1, |last| last.session)
    }

    /// Names the start of the machine in which it was last measured.
    pub fn last_boot(&self) -> Option<&str> {
        let first = self.host.boot_id.as_deref();
        self.resumptions.last().map_or(first, |last| last.boot_id.as_deref())
    }

    /// Whether a record of a session counts no more, since a later session measured its round of its table again.
    pub fn is_superseded(&self, session: u32, workload: &str, load: &str, round: u32) -> bool {
        let later = self.resumptions.iter().filter(|resumption| resumption.session > session);
        later.flat_map(|resumption| &resumption.again).any(|again| {
            again.workload == workload && again.load == load && again.rounds.contains(&round)
        })
    }

    /// What is known of a target, by its label.
    pub fn target(&self, label: &str) -> Option<&TargetInfo> {
        self.targets.iter().find(|target| target.label == label)
    }
}

/// A commit of a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its digest.
    pub id: String,
    /// Whether files of the work tree differed from it. Those that Git does not know are not looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
}

/// An earlier revision of targets, and its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Against {
    /// The revision, as typed.
    pub revision: String,
    /// By the label of a row, the commit that the revision named in its repository.
    pub commits: BTreeMap<String, String>,
    /// By the label of a row, that of the row of the same target at that commit.
    pub rows: BTreeMap<String, String>,
}

/// `[run]` as it was in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    /// Rounds.
    pub rounds: u32,
    /// Rounds at most, while some interval was wide; 0 in runs of older versions, which made `rounds`.
    #[serde(default)]
    pub max_rounds: u32,
    /// Warm-up, at least.
    pub warm_up_seconds: f64,
    /// Warm-up, at most.
    pub warm_up_max_seconds: f64,
    /// The window.
    pub measure_seconds: f64,
    /// `shuffled` or `as-written`.
    pub order: String,
    /// The row that ratios are taken against.
    pub reference: String,
    /// The row that stands for the machine from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The smallest difference that matters, as a share.
    pub min_effect: f64,
    /// How often a trial was repeated at most, while others used the machine.
    #[serde(default)]
    pub retry_noisy: u32,
}

/// One workload under one load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTable {
    /// The workload's name.
    pub workload: String,
    /// The load's name.
    pub load: String,
    /// The load in words: `64 connections, closed loop`.
    pub load_words: String,
    /// The request: `GET /`.
    pub request: String,
    /// The column that ranks rows.
    pub rank_by: String,
    /// Requests at once, at most: connections times the depth of pipelining. Absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u64>,
    /// Whether the load ends after so many requests, and not after a time.
    #[serde(default)]
    pub counted: bool,
    /// Digest of all that a figure of it depends on besides the target: request, right answer, load, warm-up and window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_sha256: Option<String>,
    /// The same without warm-up and window: what is asked, which answer is right, and how hard; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_sha256: Option<String>,
    /// The labels of its rows, in the order of the matrix.
    pub rows: Vec<String>,
    /// The labels of those that do not offer the workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_offered: Vec<String>,
}

/// A target, as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetInfo {
    /// `target` or `target+variant`.
    pub label: String,
    /// The language, as shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// `raw`, `library`, `framework` or `server`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// One line on what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The command that runs it, as written.
    pub command: String,
    /// Its declared environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What it says that it does not do, as written: `keep-alive = false`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serves: Vec<String>,
    /// Workloads for which it declares a right answer of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<String>,
    /// Whether it is known which files its build depends on, so that the digest of what was built tells whether they changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub are_sources_known: bool,
    /// Digest of all that it declares and that a figure depends on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_sha256: Option<String>,
}

/// Facts of the machine that a figure depends on, as they were when the run began. What the system does not tell is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostFacts {
    /// The processor's name for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// CPUs that are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u64>,
    /// Physical cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u64>,
    /// Memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The kernel and its release: `Linux 6.18.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The system, as it calls itself: `Linux (Debian GNU/Linux 12)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The processor's architecture.
    pub architecture: String,
    /// What a virtual machine runs on; absent on bare metal, or if it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtualisation: Option<String>,
    /// The CPUs of each core, each as a list: `0,4`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub core_cpus: Vec<String>,
    /// The CPUs of each memory node, each as a list: `0-3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_cpus: Vec<String>,
    /// What chooses the clock rate, if it is the same for all CPUs; else each that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_governor: Option<String>,
    /// Whether CPUs may run above their nominal clock rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_turbo_on: Option<bool>,
    /// What the kernel reads time from: `tsc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// When memory is given in large pages: `always`, `madvise` or `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_huge_pages: Option<String>,
    /// Room for memory on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_bytes: Option<u64>,
    /// CPU time that the control groups around us allow, in CPUs; absent if they allow all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota: Option<f64>,
    /// Memory that they allow; absent if they allow all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_max_bytes: Option<u64>,
    /// Files that we may open; a server's limit is set by itself, and equal for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files_max: Option<u64>,
    /// Settings of the kernel that a server's figures may depend on, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctl: BTreeMap<String, String>,
    /// Threads that ran or waited to run, averaged over 1, 5 and 15 minutes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_average: Vec<f64>,
    /// Names this start of the machine; two runs that share it were made without a restart between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Facts that could not be read, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
}

/// Who ran on which CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuSplit {
    /// CPUs of servers.
    pub server: Vec<u32>,
    /// CPUs of the generator.
    pub generator: Vec<u32>,
    /// Whether both may run on one CPU.
    pub shared: bool,
    /// Whether they have siblings of one core.
    pub shared_core: bool,
}
