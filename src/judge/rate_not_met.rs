//! `rate-not-met`: the server did not keep up with a paced load, so its times are not those of that rate.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::{write_count, write_number};

/// The share of intended instants that may wait in line when the window closes.
const TOLERATED: f64 = 0.01;

/// Whether a paced load was answered as fast as it was made.
pub(super) fn is_met(measured: &Measured) -> bool {
    measured.in_line as f64 <= TOLERATED * measured.sent as f64
}

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    (!is_met(measured)).then(|| Caveat {
        caveat: Doubt::RateNotMet,
        detail: format!(
            "{} of {} requests that were due still waited for a connection in the end: {} answers per second came of \
             {} asked for",
            write_count(measured.in_line),
            write_count(measured.attempted),
            write_number(measured.throughput_per_second),
            write_number(measured.sent as f64 / measured.window_seconds)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_hundred_may_wait_in_line() {
        let measured =
            |in_line| Measured { sent: 1000, in_line, window_seconds: 1.0, ..Measured::default() };
        assert_eq!(judge(&measured(10)), None);
        assert!(judge(&measured(11)).is_some());
        assert_eq!(judge(&Measured::default()), None);
    }
}
