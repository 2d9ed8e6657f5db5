//! What else the machine did in a window: differences of what the kernel counts, between the window's two ends.
//!
//! Not here: facts that do not change while a run goes on; those are in `run`. A figure that could not be read is absent,
//! and `absent` of the record says why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::affinity::parse_list;

/// The machine in a window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostUse {
    /// The true interval between the two readings.
    pub seconds: f64,
    /// CPU time that a reading took, the longer of the two; they are made on the generator's CPUs.
    pub reading_us: f64,
    /// CPU time of our process and of the keepers, the generator included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours_us: Option<u64>,
    /// Of that, what watching cost: all but the generator's threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer_us: Option<u64>,
    /// The server's CPUs. Where server and generator may run on the same CPU, this and the next are of both together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_cpus: Option<CpuTimes>,
    /// The generator's CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_cpus: Option<CpuTimes>,
    /// All CPUs of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_cpus: Option<CpuTimes>,
    /// The mean clock rate of the server's and the generator's CPUs at the window's two ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_mhz: Option<f64>,
    /// Work of the machine that stood still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Pressure>,
    /// Work of the server that stood still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_pressure: Option<Pressure>,
    /// The quota of the control groups that we, and so the server, run in: the one that was hit the longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttling: Option<Throttling>,
    /// The quota of the server's own control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_throttling: Option<Throttling>,
    /// TCP in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpCounts>,
    /// TCP from the warm-up's beginning until the window opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_warm_up: Option<TcpCounts>,
    /// Sockets in `TIME_WAIT` when the window opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_wait_begin: Option<u64>,
    /// The same when it closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_wait_end: Option<u64>,
}

/// What some CPUs did, added up over them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuTimes {
    /// Which CPUs: `0,2-3`.
    pub cpus: String,
    /// Neither idle nor taken by the hypervisor.
    pub busy_us: u64,
    /// Idle while something waited for a disk.
    pub iowait_us: u64,
    /// Taken by the hypervisor for others.
    pub steal_us: u64,
    /// Of the busy time, handling interrupts; where the kernel does not account for it, a sample of that.
    pub interrupts_us: u64,
    /// Of the busy time, what was neither the server's nor ours nor the kernel's own network threads'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_us: Option<u64>,
}

impl CpuTimes {
    /// How many CPUs they are; zero if the list cannot be read.
    pub fn count(&self) -> usize {
        parse_list(&self.cpus).map_or(0, |cpus| cpus.len())
    }
}

/// For how long some work stood still, or all of it (`full`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pressure {
    /// Something that could run waited for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_some_us: Option<u64>,
    /// Something waited for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_some_us: Option<u64>,
    /// Everything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_full_us: Option<u64>,
    /// Something waited for a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_some_us: Option<u64>,
    /// Everything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_full_us: Option<u64>,
}

impl Pressure {
    /// What lies between an earlier reading and this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            cpu_some_us: less(self.cpu_some_us, earlier.cpu_some_us),
            memory_some_us: less(self.memory_some_us, earlier.memory_some_us),
            memory_full_us: less(self.memory_full_us, earlier.memory_full_us),
            io_some_us: less(self.io_some_us, earlier.io_some_us),
            io_full_us: less(self.io_full_us, earlier.io_full_us),
        }
    }
}

/// How often a quota of CPU time was used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Throttling {
    /// Periods of the quota in which something ran.
    pub periods: u64,
    /// Of these, periods in which it was used up.
    pub throttled_periods: u64,
    /// For how long CPUs were withheld, added up over them.
    pub throttled_us: u64,
}

impl Throttling {
    /// What lies between an earlier reading and this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self.throttled_periods.saturating_sub(earlier.throttled_periods),
            throttled_us: self.throttled_us.saturating_sub(earlier.throttled_us),
        }
    }
}

/// What the kernel counted of TCP, over all sockets of the network namespace: ours, the server's and anybody's. A counter
/// that this kernel does not have is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TcpCounts {
    /// Connections for which a listener's queue had no room (`ListenOverflows`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen_overflows: Option<u64>,
    /// Attempts to connect that a listener dropped, for that or another reason (`ListenDrops`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen_drops: Option<u64>,
    /// SYNs dropped because too many connections were half open (`TCPReqQFullDrop`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syn_queue_drops: Option<u64>,
    /// SYNs answered with a cookie for the same reason (`TCPReqQFullDoCookies`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syn_queue_cookies: Option<u64>,
    /// SYNs, and answers to them, that were sent again (`TCPSynRetrans`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syn_retransmits: Option<u64>,
    /// Retransmission timeouts (`TCPTimeouts`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<u64>,
    /// Segments sent again (`RetransSegs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<u64>,
}

impl TcpCounts {
    /// What was counted from an earlier reading to this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            listen_overflows: less(self.listen_overflows, earlier.listen_overflows),
            listen_drops: less(self.listen_drops, earlier.listen_drops),
            syn_queue_drops: less(self.syn_queue_drops, earlier.syn_queue_drops),
            syn_queue_cookies: less(self.syn_queue_cookies, earlier.syn_queue_cookies),
            syn_retransmits: less(self.syn_retransmits, earlier.syn_retransmits),
            timeouts: less(self.timeouts, earlier.timeouts),
            retransmits: less(self.retransmits, earlier.retransmits),
        }
    }
}

/// The difference of a counter that both readings have.
fn less(now: Option<u64>, then: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(then?))
}
