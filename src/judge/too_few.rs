//! `too-few`: a quantile that tables show has fewer than ten samples beyond it, and is left out there.

use crate::outcome::Doubt;
use crate::record::measured::{Measured, Times};
use crate::record::trial::Caveat;
use crate::units::write_count;

/// Samples that must lie beyond a quantile for it to be shown.
pub const SAMPLES_BEYOND: f64 = 10.0;
/// The farthest quantile that tables show.
const FARTHEST: f64 = 0.99;

/// Whether so many samples are enough for a quantile.
pub fn is_enough(count: u64, quantile: f64) -> bool {
    // The product of a round number may fall a hair short of it.
    count as f64 * (1.0 - quantile) >= SAMPLES_BEYOND - 1e-6
}

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let count = measured.response_time_us.count;
    (count > 0 && !is_enough(count, FARTHEST)).then(|| Caveat {
        caveat: Doubt::TooFew,
        detail: format!(
            "{} answers are too few for a p99, which needs 1,000; measure for longer",
            write_count(count)
        ),
    })
}

/// Of quantiles with too few samples beyond them nothing is known.
pub fn quantile(times: &Times, at: f64) -> Option<f64> {
    if !is_enough(times.count, at) {
        return None;
    }
    match at {
        0.5 => times.p50,
        0.9 => times.p90,
        0.99 => times.p99,
        0.999 => times.p999,
        0.9999 => times.p9999(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_samples_beyond_are_enough() {
        for (count, quantile, expected) in [
            (1000, 0.99, true),
            (999, 0.99, false),
            (20, 0.5, true),
            (19, 0.5, false),
            (10_000, 0.999, true),
        ] {
            assert_eq!(is_enough(count, quantile), expected, "{count} {quantile}");
        }
        let measured = |count| Measured {
            response_time_us: Times { count, ..Times::default() },
            ..Measured::default()
        };
        assert!(judge(&measured(999)).is_some());
        assert_eq!(judge(&measured(1000)), None);
        assert_eq!(judge(&measured(0)), None);
    }
}
