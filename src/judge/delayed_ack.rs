//! `delayed-ack`: answers that wait about 40 ms, because one side holds data back until the other acknowledges, and the
//! other holds its acknowledgement back.

use hdrhistogram::Histogram;

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

/// Where Linux's delayed acknowledgement puts a service time, in milliseconds.
const SUSPECT_MS: (u64, u64) = (39, 45);
/// The share of answers there that is suspect,
const SHARE: f64 = 0.01;
/// if they lie so many times as dense as beside it.
const TIMES_DENSER: f64 = 5.0;
/// What lies beside, on either side, in milliseconds.
const BESIDE_MS: [(u64, u64); 2] = [(33, 39), (45, 51)];

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let times = measured.service_time_us.histogram()?;
    let within = count(&times, SUSPECT_MS);
    let beside: u64 = BESIDE_MS.iter().map(|range| count(&times, *range)).sum();
    // Both sides together are twice as wide.
    let is_dense = within as f64 >= TIMES_DENSER * beside as f64 / 2.0;
    (within as f64 >= SHARE * times.len() as f64 && within > 0 && is_dense).then(|| Caveat {
        caveat: Doubt::DelayedAck,
        detail: format!(
            "{:.1} % of answers took {} to {} ms, as those do that wait for a delayed acknowledgement; let the server \
             set TCP_NODELAY, or write head and body at once",
            within as f64 / times.len() as f64 * 100.0,
            SUSPECT_MS.0,
            SUSPECT_MS.1
        ),
    })
}

fn count(times: &Histogram<u64>, (from, to): (u64, u64)) -> u64 {
    times.count_between(from * 1_000_000, to * 1_000_000 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Times;

    fn measured(millis: impl Iterator<Item = f64>) -> Measured {
        let mut histogram = Histogram::<u64>::new(3).expect("three digits");
        for one in millis {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small and positive"
            )]
            histogram.record((one * 1e6) as u64).expect("within bounds");
        }
        Measured { service_time_us: Times::of(&histogram), ..Measured::default() }
    }

    #[test]
    fn a_peak_at_forty_milliseconds_is_suspect_and_a_broad_hill_over_it_is_not() {
        let fast = (0..980).map(|_| 1.0);
        assert!(judge(&measured(fast.clone().chain((0..20).map(|_| 41.0)))).is_some());
        assert_eq!(judge(&measured(fast.chain((0..5).map(|_| 41.0)))), None);
        assert_eq!(judge(&measured((0..1000).map(|step| 20.0 + 0.04 * f64::from(step)))), None);
        assert_eq!(judge(&Measured::default()), None);
    }
}
