//! What a tree of processes used in a window: the server's, or a service's.
//!
//! A figure that could not be read is absent, and `absent` of the record says why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the server's process tree used in the window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerUsage {
    /// CPU time, exited children included where the source knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Of that, in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_user_us: Option<u64>,
    /// Of that, in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_system_us: Option<u64>,
    /// The true interval between the two readings of CPU time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// CPU time per answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<f64>,
    /// Where CPU time was read, and how finely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_source: Option<String>,
    /// CPU time over the true interval between its two readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_used: Option<f64>,
    /// CPUs that the server may use.
    pub cores_allowed: u32,
    /// The share of the window that its busiest thread ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread: Option<f64>,
    /// The share of the window that the same thread was ready to run and waited for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread_wait: Option<f64>,
    /// How long all of its threads together were ready to run and waited for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue_wait_us: Option<u64>,
    /// The CPUs that its threads might use at either end of the window: `0,2-3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus_allowed: Option<String>,
    /// Resident memory after it got ready, before the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_before_bytes: Option<u64>,
    /// The mean of the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_mean_bytes: Option<u64>,
    /// The largest sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_peak_bytes: Option<u64>,
    /// Memory with shared pages counted once, before the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pss_before_bytes: Option<u64>,
    /// The same after the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pss_after_bytes: Option<u64>,
    /// Of `pss_after_bytes`, what more than one process maps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
    /// The most memory that it has had since it began, its start and the warm-up included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_bytes: Option<u64>,
    /// Where that was read, and so what it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_source: Option<String>,
    /// The largest address space of a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_bytes: Option<u64>,
    /// The most processes at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes_peak: Option<u64>,
    /// The most threads at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_peak: Option<u64>,
    /// The most open files at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files_peak: Option<u64>,
    /// How often its threads did not go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<ContextSwitches>,
    /// Bytes that it wrote to its log in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
    /// The readings, on the clock of `series` and from the same zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// How often threads were switched in the window. Those that came and went within it are not counted; one that was there
/// before it and ended in it leaves no count at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSwitches {
    /// From the first reading of the counts to the second, which is made just before the window closes: then connections
    /// end, and with them the threads of servers that have one for each.
    pub seconds: f64,
    /// A thread gave up its CPU, to wait for something.
    pub voluntary: u64,
    /// A thread's CPU was taken from it for another.
    pub involuntary: u64,
}

/// One reading of the server's process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Milliseconds after the window opened.
    pub at_ms: u64,
    /// CPU time since the window opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Resident memory; shared pages count in each process.
    pub rss_bytes: u64,
    /// Address space.
    pub virtual_bytes: u64,
    /// Processes.
    pub processes: u64,
    /// Threads; absent if the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Open files; absent if they are hidden from us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
}
