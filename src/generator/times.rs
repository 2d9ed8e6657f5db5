//! Histograms of the six times of a request, in nanoseconds, of constant size.

use hdrhistogram::Histogram;

use crate::clock::Instant;

/// The longest time that is told apart; longer ones count as this.
const LONGEST_NANOS: u64 = 3_600_000_000_000;
/// Three digits that count.
const DIGITS: u8 = 3;

/// The instants of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamps {
    /// When it was meant to be made.
    pub(super) intended: Instant,
    /// When the slot that took it had become free.
    pub(super) free: Instant,
    /// When the slot began with it, connecting included.
    pub(super) begun: Instant,
    /// Just before its first byte was written.
    pub(super) sent: Instant,
    /// When the first byte of its answer was read; the clock's end until then.
    pub(super) first_byte: Instant,
    /// Whether it was written again on another connection.
    pub(super) is_replayed: bool,
}

impl Stamps {
    /// A request that a slot, free since `free`, has taken and not yet begun.
    pub(super) fn taken(intended: Instant, free: Instant) -> Self {
        Self {
            intended,
            free,
            begun: Instant::NEVER,
            sent: Instant::NEVER,
            first_byte: Instant::NEVER,
            is_replayed: false,
        }
    }
}

/// One histogram for each time.
#[derive(Debug)]
pub(super) struct Histograms {
    pub(super) service: Histogram<u64>,
    pub(super) response: Histogram<u64>,
    pub(super) connect: Histogram<u64>,
    pub(super) first_byte: Histogram<u64>,
    pub(super) queue_wait: Histogram<u64>,
    pub(super) lateness: Histogram<u64>,
}

impl Histograms {
    pub(super) fn new() -> Self {
        Self {
            service: Self::empty(),
            response: Self::empty(),
            connect: Self::empty(),
            first_byte: Self::empty(),
            queue_wait: Self::empty(),
            lateness: Self::empty(),
        }
    }

    /// One with nothing in it.
    pub(super) fn empty() -> Histogram<u64> {
        Histogram::new_with_bounds(1, LONGEST_NANOS, DIGITS)
            .expect("the bounds are in the range that a histogram allows")
    }

    /// Records the times of an answer that was whole at `done`.
    #[inline]
    pub(super) fn record(&mut self, stamps: &Stamps, done: Instant, is_paced: bool) {
        self.service.saturating_record(done.nanos_since(stamps.sent));
        self.response.saturating_record(done.nanos_since(stamps.intended));
        self.first_byte.saturating_record(stamps.first_byte.nanos_since(stamps.sent));
        if is_paced {
            let due = stamps.intended.max(stamps.free);
            self.queue_wait.saturating_record(stamps.free.nanos_since(stamps.intended));
            self.lateness.saturating_record(stamps.begun.nanos_since(due));
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.service, &other.service),
            (&mut self.response, &other.response),
            (&mut self.connect, &other.connect),
            (&mut self.first_byte, &other.first_byte),
            (&mut self.queue_wait, &other.queue_wait),
            (&mut self.lateness, &other.lateness),
        ] {
            mine.add(theirs).expect("histograms of equal bounds can be added");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Instant {
        Instant::from_nanos(micros * 1000)
    }

    #[test]
    fn each_time_runs_between_its_own_two_instants() {
        let mut times = Histograms::new();
        // Meant at 100, the connection free at 150, begun at 160, sent at 170, answered from 190 to 200.
        let stamps = Stamps {
            intended: at(100),
            free: at(150),
            begun: at(160),
            sent: at(170),
            first_byte: at(190),
            is_replayed: false,
        };
        times.record(&stamps, at(200), true);
        for (histogram, micros) in [
            (&times.service, 30),
            (&times.response, 100),
            (&times.first_byte, 20),
            (&times.queue_wait, 50),
            (&times.lateness, 10),
        ] {
            let truth = micros * 1000;
            assert!(histogram.equivalent(histogram.max(), truth), "{micros} {}", histogram.max());
        }
    }

    #[test]
    fn a_slot_that_waited_makes_no_queue_and_its_wake_up_is_lateness() {
        let mut times = Histograms::new();
        let stamps = Stamps {
            intended: at(100),
            free: at(40),
            begun: at(103),
            sent: at(103),
            first_byte: at(110),
            is_replayed: false,
        };
        times.record(&stamps, at(110), true);
        assert_eq!(times.queue_wait.max(), 0);
        assert!(times.lateness.equivalent(times.lateness.max(), 3000));
    }
}
