//! `drift`: throughput rose or fell inside the window.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::stats::trend::{kendall_p, relative_trend};

/// The window is looked at in so many parts.
const BUCKETS: usize = 20;
/// A trend of so much from the first part to the last matters,
const TREND: f64 = 0.05;
/// if it is this unlikely to be chance.
const CHANCE: f64 = 0.01;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let goodput = buckets(measured);
    let trend = relative_trend(&goodput)?;
    (goodput.len() == BUCKETS && trend > TREND && kendall_p(&goodput) < CHANCE).then(|| Caveat {
        caveat: Doubt::Drift,
        detail: format!(
            "right answers per second changed by {:.0} % inside the window, from first to last; a longer warm-up may \
             help",
            trend * 100.0
        ),
    })
}

/// The whole steps of the series, joined into parts of equal length; fewer parts if there are fewer steps.
fn buckets(measured: &Measured) -> Vec<f64> {
    // The last step may be cut short by the end of the window.
    let whole = measured.series.len().saturating_sub(1);
    let size = (whole / BUCKETS).max(1);
    measured.series[..whole]
        .chunks_exact(size)
        .take(BUCKETS)
        .map(|steps| steps.iter().map(|step| step.good).sum::<u64>() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Step;

    fn measured(good: impl Iterator<Item = u64>) -> Measured {
        let series = good.map(|good| Step { good, ..Step::default() }).collect();
        Measured { series, ..Measured::default() }
    }

    #[test]
    fn a_steady_rise_is_drift_and_noise_around_a_level_is_not() {
        assert!(judge(&measured((0..31).map(|step| 1000 + 4 * step))).is_some());
        assert_eq!(judge(&measured((0..31).map(|step| 1000 + step))), None);
        assert_eq!(judge(&measured((0..31).map(|step| 1000 + 200 * (step % 2)))), None);
        assert_eq!(judge(&measured(0..5)), None);
    }
}
