//! A machine as it is now, for who is about to measure on it: what of it may spoil figures. Not kept on disk.
//!
//! What a run records of the machine is in `run`; this adds what changes from moment to moment, what only matters before
//! a run, and what a matrix will ask for. A figure that could not be read is the reason for that.

use std::collections::BTreeMap;

use super::host::{CpuTimes, Throttling};
use super::run::{CpuSplit, HostFacts};

/// A figure, or why there is none.
pub type Told<T> = Result<T, String>;

/// All that is known before a run.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The machine.
    pub machine: Machine,
    /// What of ours is on it.
    pub ours: Ours,
    /// What a matrix will ask of it, if one was given.
    pub demand: Option<Demand>,
}

/// The machine, whoever uses it.
#[derive(Debug, Clone)]
pub struct Machine {
    /// What a run records of it.
    pub facts: HostFacts,
    /// The CPUs that we may use, ascending.
    pub allowed_cpus: Vec<usize>,
    /// Who would run where.
    pub split: CpuSplit,
    /// Whether a thread can be kept on a CPU; if not, why.
    pub pinning: Told<()>,
    /// The clock rates that each of our CPUs is made for.
    pub rates: Told<Vec<ClockRates>>,
    /// How steady the server's CPU is.
    pub pace: Told<Pace>,
    /// What supplies it with power.
    pub power: Told<Power>,
    /// Memory, now.
    pub memory: Told<Memory>,
    /// The clock.
    pub clock: Clock,
    /// The first and the last local port for connections.
    pub local_ports: Told<(u64, u64)>,
    /// Sockets in `TIME_WAIT` now.
    pub time_wait: Told<u64>,
    /// Connections that the firewall keeps track of, and how many it can; `None` if it keeps track of none.
    pub tracked: Told<Option<(u64, u64)>>,
    /// How far we stand back behind other programs: 0 by default, 19 at most; negative if they stand back behind us.
    pub niceness: Told<i32>,
    /// Files that we may open, once we have raised our limit; `None` if there is no limit.
    pub open_files_hard: Option<u64>,
    /// What hides processes from us, if anything does.
    pub hidden: Told<Option<Hidden>>,
    /// The processor's flaws, each with what is done about it.
    pub flaws: Told<BTreeMap<String, String>>,
    /// What went on for about a second.
    pub now: Now,
}

/// Clock rates of a CPU, in megahertz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockRates {
    /// The CPU.
    pub cpu: usize,
    /// The highest that it is made for.
    pub max_mhz: f64,
    /// The highest that it may use now.
    pub allowed_mhz: f64,
}

/// What a fixed piece of work takes of CPU time on the server's first CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// By what share nine in ten of all tries took longer than the shortest, at most.
    pub spread: f64,
    /// How many times as long it takes while the generator's first CPU is busy.
    pub beside: f64,
}

/// What supplies power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// There is no battery.
    Mains,
    /// There is one, and it is not used.
    PluggedIn,
    /// It is being used up.
    Battery,
}

/// Memory of a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// What can be had without writing any to disk.
    pub available_bytes: u64,
    /// What was written to disk for want of room.
    pub swapped_bytes: u64,
}

/// The clock that times are read from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// What one reading takes, in nanoseconds.
    pub reading_nanos: f64,
    /// The smallest step that it claims, in nanoseconds.
    pub resolution_nanos: u64,
}

/// What hides processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hidden {
    /// An option of `/proc`.
    Mount(String),
    /// A container, which has its own.
    Namespace,
}

/// About a second of the machine.
#[derive(Debug, Clone)]
pub struct Now {
    /// How long that was.
    pub seconds: f64,
    /// What the CPUs of server and generator did, and what of it was not ours.
    pub cpus: Told<CpuTimes>,
    /// Whether the hypervisor has told since the machine started that it took anything.
    pub has_told_steal: bool,
    /// Processes that used a CPU, the busiest first.
    pub busy: Vec<Busy>,
    /// The quota of our control groups: the one that was hit the longest. `None` where none of them counts that.
    pub throttling: Option<Throttling>,
    /// Work that stood still in the last minute, as shares of it.
    pub stalled: Told<Stalled>,
    /// Pages that were written to disk for want of memory, or read back.
    pub swapped_pages: Told<u64>,
    /// How often a CPU was slowed down by heat: since the machine started, and within that second.
    pub heat: Told<(u64, u64)>,
    /// Packets that were dropped as the kernel's queue for them was full: since the machine started, and in that second.
    pub dropped_packets: Told<(u64, u64)>,
}

/// A process that uses CPU time.
#[derive(Debug, Clone, PartialEq)]
pub struct Busy {
    /// Its number.
    pub pid: u32,
    /// The words it was started with, or its name.
    pub command: String,
    /// What it used, in CPUs.
    pub cpus: f64,
}

/// Shares of the last minute in which some work stood still.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stalled {
    /// For want of a CPU.
    pub cpu: Option<f64>,
    /// For want of memory.
    pub memory: Option<f64>,
    /// For want of a disk.
    pub io: Option<f64>,
}

/// What of this program is on a machine, and what it can do there.
#[derive(Debug, Clone)]
pub struct Ours {
    /// Whether this program was built without optimisation.
    pub is_debug_build: bool,
    /// How a server that was started for nothing was contained; why it could not be started.
    pub containment: Told<Contained>,
    /// What earlier runs left behind.
    pub left_over: Vec<LeftOver>,
    /// Who holds the machine, if anybody does.
    pub holder: Told<Option<String>>,
    /// Where results would go.
    pub results: Told<Disk>,
}

/// How a server is contained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contained {
    /// `cgroup2` or `keeper`, as recorded.
    pub name: String,
    /// Why there is no control group.
    pub without_group: Option<String>,
}

/// Something that an earlier run left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// What it is: a control group, or a process.
    pub what: String,
    /// Processes that still run in it.
    pub processes: usize,
}

/// The disk that a folder is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// The folder, or the nearest around it that is there.
    pub folder: String,
    /// Room on its disk that we may use.
    pub free_bytes: u64,
    /// Whether we may write there.
    pub is_writable: bool,
}

/// What a matrix will ask of a machine.
#[derive(Debug, Clone, Default)]
pub struct Demand {
    /// The largest number of connections of a load.
    pub connections: u64,
    /// The name of that load.
    pub load: String,
    /// Whether a load makes a new connection for each request.
    pub has_new_connections: bool,
    /// The tools that its targets and services need, each once.
    pub tools: Vec<Tool>,
    /// Ports that programs cannot be talked out of.
    pub ports: Vec<FixedPort>,
}

/// A tool that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub tool: String,
    /// Its version; what is the matter with it.
    pub found: Told<String>,
    /// How to get it, if that is known.
    pub hint: Option<String>,
    /// The labels of those that need it.
    pub needed_by: Vec<String>,
}

/// A port that a program cannot be talked out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedPort {
    /// The label of the program.
    pub whose: String,
    /// The port.
    pub port: u16,
    /// Who listens on it now.
    pub holder: Option<String>,
}
