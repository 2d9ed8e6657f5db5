//! What a thread of the generator costs: CPU time, time it waited for a CPU, and what it spun away.

use std::fs;

use crate::clock::{self, Instant};

/// One reading of the calling thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct CostReading {
    at: Instant,
    cpu_nanos: u64,
    /// Time on the run queue; `None` where the kernel does not tell.
    wait_nanos: Option<u64>,
    spin_nanos: u64,
}

/// The difference of two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    pub(super) cpu_nanos: u64,
    pub(super) spin_nanos: u64,
    /// The share of the time between that it ran or waited to run, spinning left out.
    pub(super) busy: f64,
    /// The share of it that it waited to run; `None` where the kernel does not tell.
    pub(super) wait: Option<f64>,
}

impl CostReading {
    /// Reads the calling thread now; `spin_nanos` is what it has spun so far.
    pub(super) fn now(spin_nanos: u64) -> Self {
        Self {
            at: clock::now(),
            cpu_nanos: clock::thread_cpu_nanos(),
            wait_nanos: run_queue_wait_nanos(),
            spin_nanos,
        }
    }

    /// What was used from `earlier` to here.
    pub(super) fn since(&self, earlier: &Self) -> Cost {
        let cpu_nanos = self.cpu_nanos.saturating_sub(earlier.cpu_nanos);
        let spin_nanos = self.spin_nanos.saturating_sub(earlier.spin_nanos).min(cpu_nanos);
        let waited = self.wait_nanos.zip(earlier.wait_nanos);
        let wait_nanos = waited.map(|(later, earlier)| later.saturating_sub(earlier));
        let elapsed = self.at.nanos_since(earlier.at).max(1) as f64;
        let busy = (cpu_nanos + wait_nanos.unwrap_or(0) - spin_nanos) as f64 / elapsed;
        Cost { cpu_nanos, spin_nanos, busy, wait: wait_nanos.map(|nanos| nanos as f64 / elapsed) }
    }
}

/// From the first to the last event between a wake-up of the thread and its next sleep.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    wake_up: u64,
    began: Instant,
    pub(super) nanos_max: u64,
}

impl Turn {
    /// The next event begins a new turn, although the thread did not sleep.
    pub(super) fn ends(self) -> Self {
        Self { wake_up: u64::MAX, ..self }
    }

    /// Forgets the longest turn so far.
    pub(super) fn forget(self) -> Self {
        Self { nanos_max: 0, ..self }
    }

    #[inline]
    /// An event at `now`, after so many wake-ups.
    pub(super) fn goes_on(mut self, now: Instant, wake_up: u64) -> Self {
        if wake_up == self.wake_up {
            self.nanos_max = self.nanos_max.max(now.nanos_since(self.began));
        } else {
            self.wake_up = wake_up;
            self.began = now;
        }
        self
    }
}

/// The second number of the thread's schedstat, see Documentation/scheduler/sched-stats.rst of Linux.
fn run_queue_wait_nanos() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_turn_runs_from_the_first_event_after_a_wake_up_to_the_last() {
        let at = Instant::from_nanos;
        let turn = [(70, 0), (100, 1), (130, 1), (1000, 2), (1020, 2), (5000, 3)]
            .into_iter()
            .fold(Turn::default().ends(), |turn, (now, wake_up)| turn.goes_on(at(now), wake_up));
        assert_eq!(turn.nanos_max, 30);
        assert_eq!(turn.forget().goes_on(at(5007), 3).nanos_max, 7);
        assert_eq!(turn.forget().ends().goes_on(at(5007), 3).nanos_max, 0);
    }

    #[test]
    fn spinning_is_no_business_and_waiting_is() {
        let reading = |at, cpu_nanos, wait_nanos, spin_nanos| CostReading {
            at: Instant::from_nanos(at),
            cpu_nanos,
            wait_nanos,
            spin_nanos,
        };
        let cost = reading(1100, 560, Some(90), 20).since(&reading(1000, 500, Some(60), 10));
        assert_eq!(cost, Cost { cpu_nanos: 60, spin_nanos: 10, busy: 0.8, wait: Some(0.3) });
        let unknown = reading(1100, 560, None, 0).since(&reading(1000, 500, None, 0));
        assert!((unknown.busy - 0.6).abs() < 1e-12);
        assert_eq!(unknown.wait, None);
    }
}
