//! What else the machine did in a window: differences of what the kernel counts, between the window's two ends.
//!
//! Not here: facts that do not change while a run goes on; those are in `run`. A figure that could not be read is absent,
//! and `absent` of the record says why.

use serde::{Deserialize, Serialize};

/// The machine in a window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostUse {
    /// The true interval between the two readings.
    pub seconds: f64,
    /// How long a reading took, the longer of the two; they are made on the generator's CPUs.
    pub reading_us: f64,
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

/// What the kernel counted of TCP, over all sockets of the network namespace: ours, the server's and anybody's. A counter
/// that this kernel does not have is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        let less = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
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
