//! The matrix, checked: every default filled in, every name resolved, every number in range.
//!
//! Made from files by [`read()`], which finds all problems at once and starts nothing. What the user may write is in
//! `wire`; what it may mean is here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::http::expect::Expectation;
use crate::http::request::Version;

mod cells;
pub mod choice;
mod command;
mod contract;
mod difference;
mod elsewhere;
mod expectation;
mod files;
pub mod fingerprint;
pub mod globs;
mod home;
pub mod keys;
mod literal;
mod load;
mod memory;
mod names;
mod origin;
mod patterns;
mod policy;
pub mod problem;
pub mod program;
pub mod quantity;
mod read;
mod reading;
mod request;
mod serves;
pub mod service;
mod table;
mod target;
#[cfg(test)]
mod tests;
pub mod toolchain;
mod values;
mod wire;
mod workload;

pub use difference::differences;
pub use elsewhere::{Earlier, Found, read_folder};
pub use names::slug;
pub use read::{read, read_again, read_among};
pub use serves::{Does, Serves};

use globs::Globs;
use service::Service;
use toolchain::{Need, Toolchain};

/// A checked matrix.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// The file it was read from.
    pub path: PathBuf,
    /// The file's text, as recorded with a run.
    pub text: String,
    /// The policy of a run.
    pub run: RunPolicy,
    /// Who runs on which CPUs.
    pub cpus: CpuPolicy,
    /// What is asked.
    pub workloads: Vec<Workload>,
    /// How hard.
    pub loads: Vec<Load>,
    /// Who is asked: every target, and every variant that takes part as a target of its own.
    pub targets: Vec<Target>,
    /// What targets need besides themselves; each names only those before it.
    pub services: Vec<Service>,
    /// The tools that targets name, and how to get them.
    pub toolchains: BTreeMap<String, Toolchain>,
}

/// `[run]`, with `[profile.*]` laid over it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPolicy {
    /// Names the folder below `results/`.
    pub name: String,
    /// The profile that was asked for.
    pub profile: Option<String>,
    /// How often every cell is measured.
    pub rounds: u32,
    /// Load before the window, at least.
    pub warm_up: Duration,
    /// Load before the window, at most.
    pub warm_up_max: Duration,
    /// The window.
    pub measure: Duration,
    /// The seed of the order; drawn when absent.
    pub seed: Option<u64>,
    /// The order of trials in a round.
    pub order: Order,
    /// The label of the row that ratios are taken against.
    pub reference: String,
    /// The label of the row that stands for the machine from run to run.
    pub control: Option<String>,
    /// The smallest difference that matters, as a share.
    pub min_effect: f64,
    /// Rounds at most, while some interval is wide.
    pub max_rounds: u32,
    /// How often a trial is repeated while others use the machine.
    pub retry_noisy: u32,
    /// The folder that takes the runs of all matrices.
    pub results: PathBuf,
}

/// The order of trials inside a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Tables shuffled, and the targets inside each.
    Shuffled,
    /// As they stand in the matrix.
    AsWritten,
}

/// `[cpus]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuPolicy {
    /// Where servers run.
    pub server: CpuChoice,
    /// Where the generator and all else of ours run.
    pub generator: CpuChoice,
}

/// Which CPUs one side gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuChoice {
    /// A fair split of whole cores.
    Auto,
    /// Every CPU that we may use.
    All,
    /// These, by number, ascending.
    List(Vec<usize>),
}

/// What is asked, and which answer is right.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Its name in tables; by default its request, `get-root` for the default `GET /`.
    pub name: String,
    /// The request.
    pub request: RequestSpec,
    /// The right answer; without one any 2xx that is equal across targets.
    pub expect: Option<Expectation>,
    /// Whether it is one of the contract of the targets that come with the project, by its name alone.
    pub is_of_contract: bool,
    /// Labels of the targets that are asked (see [`Target::label`]), as globs.
    pub targets: Globs,
}

/// The parts of a request that a matrix decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestSpec {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Path and query, as sent.
    pub path: String,
    /// Headers besides `Host`, in order.
    pub headers: Vec<(String, HeaderValue)>,
    /// The body, empty if there is none.
    pub body: Vec<u8>,
}

/// A header's value, or where it is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// As written.
    Plain(String),
    /// From an environment variable, and never written anywhere.
    Environment(String),
}

/// How hard a server is asked.
#[derive(Debug, Clone)]
pub struct Load {
    /// Its name in tables; by default its figures, `c64` for the default of 64 connections.
    pub name: String,
    /// Connections, or connection slots without keep-alive.
    pub connections: u32,
    /// Whether connections are used again.
    pub keep_alive: bool,
    /// Requests under way on one connection.
    pub pipeline: u32,
    /// The version that is spoken.
    pub http: Version,
    /// When requests are made.
    pub arrival: Arrival,
    /// When it ends.
    pub stop: Stop,
    /// Time for one request, connecting included; by default the window, at most 10 s.
    pub timeout: Option<Duration>,
    /// How often the content of an answer is compared.
    pub verify: VerifyDepth,
    /// The column that ranks rows.
    pub rank_by: String,
    /// Names of the workloads that it drives, as globs.
    pub workloads: Globs,
}

/// When requests are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrival {
    /// As soon as the one before has ended.
    ClosedLoop,
    /// At equal distances, so many per second over all connections.
    Even {
        /// Requests per second.
        rate: f64,
    },
    /// As a Poisson process of so many per second.
    Poisson {
        /// Requests per second, in the mean.
        rate: f64,
    },
}

/// When a load ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// After the window, `[run] measure`.
    Window,
    /// When so many requests have ended.
    Requests {
        /// How many.
        count: u64,
        /// The longest that it may take.
        at_most: Duration,
    },
}

/// How often content is compared; status and length always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyDepth {
    /// The first answer of each slot, and one in 1,000.
    Sample,
    /// Every answer.
    All,
    /// None.
    None,
}

/// One server program under one declared setting.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its path below `targets/`, or the name in the matrix, or that of its program.
    pub name: String,
    /// The declared setting, if it is not the base.
    pub variant: Option<String>,
    /// The language it is written in, as shown.
    pub language: Option<String>,
    /// One line on what it is.
    pub about: Option<String>,
    /// `raw`, `library`, `framework` or `server`.
    pub kind: Option<TargetKind>,
    /// Where more is told.
    pub url: Option<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// Tools without which it is skipped.
    pub tools: Vec<Need>,
    /// Platforms that it runs on (`linux`, `macos`, ...); empty means any.
    pub platforms: Vec<String>,
    /// Commands that make it, in order.
    pub build: Vec<Command>,
    /// The command that runs it.
    pub command: Command,
    /// Commands before its server starts.
    pub before_trial: Vec<Command>,
    /// Commands after its server has stopped.
    pub after_trial: Vec<Command>,
    /// The folder that commands run in.
    pub dir: PathBuf,
    /// The folder with its `target.toml`; none if it is written in the matrix.
    pub folder: Option<PathBuf>,
    /// Whether it is another one at an earlier revision.
    pub earlier: Option<Earlier>,
    /// Its environment besides the few names that all get.
    pub env: BTreeMap<String, String>,
    /// A port that it cannot be talked out of.
    pub port: Option<u16>,
    /// The path that says it is ready; by default the first workload if that is a GET, else a TCP connection.
    pub ready: Option<String>,
    /// How long it may take to get ready.
    pub ready_timeout: Duration,
    /// How long it may take to stop.
    pub stop_grace: Duration,
    /// How long a build step may take.
    pub build_timeout: Duration,
    /// What a build depends on.
    pub sources: Sources,
    /// The workloads that it offers; `None` means all.
    pub workloads: Option<Vec<String>>,
    /// Its own right answers, by workload.
    pub expect: BTreeMap<String, Expectation>,
    /// Its own requests, by workload.
    pub requests: BTreeMap<String, RequestSpec>,
    /// What it does not do.
    pub serves: Serves,
    /// Whether the process that answers is not ours.
    pub external: bool,
}

impl Target {
    /// The name of its row: `target`, or `target+variant`.
    pub fn label(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}+{variant}", self.name),
            None => self.name.clone(),
        }
    }

    /// Whether it offers a workload.
    pub fn offers(&self, workload: &str) -> bool {
        self.workloads.as_ref().is_none_or(|offered| offered.iter().any(|name| name == workload))
    }

    /// What a workload asks of it: its own request where it has one.
    pub fn request_of<'t>(&'t self, workload: &'t Workload) -> &'t RequestSpec {
        self.requests.get(&workload.name).unwrap_or(&workload.request)
    }

    /// The path that says that it is ready, and which answer to it is right; `None` if a connection says so.
    pub fn ready_request<'t>(&'t self, all: &'t [Workload]) -> Option<(&'t str, Expectation)> {
        if let Some(path) = &self.ready {
            return Some((path, Expectation::default()));
        }
        let first = all.iter().find(|workload| self.offers(&workload.name))?;
        let asked = self.request_of(first);
        let is_plain = asked.method == "GET" && asked.headers.is_empty() && asked.body.is_empty();
        let expectation = self.expectation_of(first).cloned().unwrap_or_default();
        is_plain.then_some((&asked.path, expectation))
    }

    /// Which answer of it to a workload is right, its own where it has one; `None` if nobody said so.
    pub fn expectation_of<'t>(&'t self, workload: &'t Workload) -> Option<&'t Expectation> {
        self.expect.get(&workload.name).or(workload.expect.as_ref())
    }
}

/// What sort of program a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Answers without parsing all of HTTP.
    Raw,
    /// A library's server, or the standard library's.
    Library,
    /// A framework.
    Framework,
    /// A server program that is configured, not written.
    Server,
}

impl TargetKind {
    /// The word in tables and in `target.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Library => "library",
            Self::Framework => "framework",
            Self::Server => "server",
        }
    }
}

/// A command line, split as a shell splits words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// As written, placeholders included.
    pub text: String,
    /// Whether a shell runs it.
    pub shell: bool,
}

/// What a build depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// All files of the target's folder.
    Folder,
    /// The files that these globs match below the target's folder.
    Globs(Vec<String>),
    /// Unknown: it is always built.
    Unknown,
}
