//! What a window showed: outcomes, times, and what it cost both sides.
//!
//! This is also what `load --format json` prints, then without `limit` and `server`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::host::HostUse;
use super::trial::Caveat;
use crate::outcome::{Counts, Limit, Lost, Wrong};

pub use super::times::Times;
pub use super::usage::{ContextSwitches, Sample, ServerUsage};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Everything measured in one window.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The true length of the window.
    pub window_seconds: f64,
    /// Requests that were under way in the window: `carried_in + sent`.
    pub attempted: u64,
    /// Of these, begun before the window.
    pub carried_in: u64,
    /// Of these, begun in the window.
    pub sent: u64,
    /// Right answers.
    pub good: u64,
    /// Whole answers whose content was compared; of all others only status, headers and length are known.
    #[serde(default)]
    pub checked: u64,
    /// Whole answers that were not right.
    pub wrong: Counts<Wrong>,
    /// Requests without a whole answer.
    pub lost: Counts<Lost>,
    /// Still under way when the window closed.
    pub unfinished: u64,
    /// Of these, paced ones that waited in line for a connection.
    #[serde(default)]
    pub in_line: u64,
    /// Requests sent again after a stale connection; counted once.
    pub replayed: u64,
    /// Connections that ended between two answers and were made again.
    pub reconnects: u64,
    /// Connections that we ended, as bytes came on them that nobody had asked for: a fault of the server that no request has for
    /// its outcome.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsolicited: u64,
    /// Connections that the server was asked to close and did not.
    pub kept_open: u64,
    /// Connections made.
    pub connections_opened: u64,
    /// Answers per second of the window.
    pub throughput_per_second: f64,
    /// Right answers per second of the window.
    pub goodput_per_second: f64,
    /// Bytes read, heads included.
    pub bytes_received: u64,
    /// Bytes of bodies read.
    pub body_bytes: u64,
    /// Answers by status.
    pub status: BTreeMap<u16, u64>,
    /// From just before the first byte is written to the last byte read.
    pub service_time_us: Times,
    /// From the intended instant to the last byte read.
    pub response_time_us: Times,
    /// From the call to connect until connected.
    pub connect_time_us: Times,
    /// The same of connections that were made in the warm-up.
    #[serde(default, skip_serializing_if = "Times::is_empty")]
    pub connect_time_warm_up_us: Times,
    /// From just before the first byte is written to the first byte read.
    pub first_byte_us: Times,
    /// Paced only: how long a request waited for a free connection.
    #[serde(default, skip_serializing_if = "Times::is_empty")]
    pub queue_wait_us: Times,
    /// Paced only: the generator's own delay.
    #[serde(default, skip_serializing_if = "Times::is_empty")]
    pub lateness_us: Times,
    /// The window in steps of 100 ms.
    pub series: Vec<Step>,
    /// What the generator itself used.
    pub generator: GeneratorCost,
    /// The first few wrong or lost of each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Doubts that the load alone gives rise to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
    /// What held the cell back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// What the server used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerUsage>,
    /// What each service used, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, ServerUsage>,
    /// What else the machine did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostUse>,
    /// The answer that verification saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseSeen>,
    /// Figures that could not be read, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
}

impl Measured {
    /// Whole answers, right or wrong.
    pub fn answers(&self) -> u64 {
        self.good + self.wrong.total()
    }

    /// Attempts that were wrong or lost.
    pub fn bad(&self) -> u64 {
        self.wrong.total() + self.lost.total()
    }

    /// Drops the histograms of all its times.
    pub fn forget_histograms(&mut self) {
        self.response_time_us.forget_histogram();
        // Of these nobody asks for more than what stands beside.
        for times in [
            &mut self.service_time_us,
            &mut self.connect_time_us,
            &mut self.connect_time_warm_up_us,
            &mut self.first_byte_us,
            &mut self.queue_wait_us,
            &mut self.lateness_us,
        ] {
            times.hdr = None;
        }
    }

    /// Whether every attempt has exactly one outcome.
    pub fn adds_up(&self) -> bool {
        // Wide enough for whatever a file may say.
        let sum = |counts: &[u64]| counts.iter().map(|count| u128::from(*count)).sum::<u128>();
        let ends = [self.good, self.wrong.total(), self.lost.total(), self.unfinished];
        let attempted = u128::from(self.attempted);
        sum(&[self.carried_in, self.sent]) == attempted && sum(&ends) == attempted
    }
}

/// One step of 100 ms of the window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Right answers.
    pub good: u64,
    /// Wrong and lost together.
    pub bad: u64,
    /// The mean service time of whole answers; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_time_mean_us: Option<f64>,
    /// The longest response time of whole answers; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_max_us: Option<f64>,
}

/// What the generator used, and how much of it was waste.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorCost {
    /// Its threads.
    pub threads: u32,
    /// CPU time of all threads per attempt, spinning left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<f64>,
    /// Of the busiest thread: the share of the window that it ran or waited to run, spinning left out.
    pub busy_max: f64,
    /// Of the thread that waited most: the share of the window that it was ready to run and waited for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_max: Option<f64>,
    /// Spun while waiting for an instant, all threads together.
    pub spin_us: u64,
    /// The longest turn of a loop, from wake-up to the last event handled.
    pub turn_us_max: f64,
}

/// A wrong or lost request, for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The kind, as in `wrong` or `lost`.
    pub kind: String,
    /// Milliseconds after the window opened.
    pub at_ms: u64,
    /// What was seen.
    pub detail: String,
}

/// The answer that verification saw, so that rows can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResponseSeen {
    /// Its status.
    pub status: u16,
    /// The length of its body.
    pub length: u64,
    /// The digest of its body.
    pub sha256: String,
    /// Its content type, if it said one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The length of its head.
    pub header_bytes: u64,
    /// The version of HTTP that it names: `1.1` or `1.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// What ended its body: `length`, `chunked`, `close`, or `none` where there could be no body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<String>,
    /// Whether it let the connection live on; absent if that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_alive: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_adds_up_only_if_every_attempt_has_one_outcome() {
        let mut measured =
            Measured { attempted: 5, carried_in: 2, sent: 3, good: 4, ..Measured::default() };
        assert!(!measured.adds_up());
        measured.unfinished = 1;
        assert!(measured.adds_up());
    }
}
