//! `drift`: throughput rose or fell inside the window.

use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::stats::trend::{kendall_p, relative_trend};

/// The window is looked at in so many parts.
const BUCKETS: usize = 20;
/// Right answers of a part, in the mean, from which on a part without any is no chance.
const BUSY_PART: u64 = 20;
/// The length of a step of the series.
const STEP_SECONDS: f64 = 0.1;
/// A trend of so much from the first part to the last matters,
const TREND: f64 = 0.05;
/// if it is this unlikely to be chance.
const CHANCE: f64 = 0.01;

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let goodput = buckets(measured);
    if let Some(silence) = silence(measured, &goodput) {
        return Some(Caveat { caveat: Doubt::Drift, detail: silence });
    }
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

/// Parts of the window without one right answer, where by chance there would have been many.
fn silence(measured: &Measured, goodput: &[f64]) -> Option<String> {
    let is_busy = measured.good >= BUSY_PART * BUCKETS as u64;
    let is_silent = goodput.contains(&0.0);
    let steps = measured.series.iter().filter(|step| step.good == 0).count();
    (is_busy && is_silent).then(|| {
        let seconds = steps as f64 * STEP_SECONDS;
        format!("there was no right answer for {seconds:.1} s of the window")
    })
}

/// The whole window in so many parts, each the mean of its steps; none if there are fewer steps than parts.
fn buckets(measured: &Measured) -> Vec<f64> {
    // A last step that the end of the window cuts short is no measure.
    let is_cut = measured.window_seconds / STEP_SECONDS % 1.0 > 0.01;
    let steps = measured.series.len() - usize::from(is_cut && !measured.series.is_empty());
    if steps < BUCKETS {
        return Vec::new();
    }
    (0..BUCKETS)
        .map(|part| &measured.series[part * steps / BUCKETS..(part + 1) * steps / BUCKETS])
        .map(|part| part.iter().map(|step| step.good).sum::<u64>() as f64 / part.len() as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::Step;

    fn measured(good: impl Iterator<Item = u64>) -> Measured {
        let series: Vec<Step> = good.map(|good| Step { good, ..Step::default() }).collect();
        Measured { window_seconds: series.len() as f64 * 0.1, series, ..Measured::default() }
    }

    #[test]
    fn a_steady_rise_is_drift_and_noise_around_a_level_is_not() {
        assert!(judge(&measured((0..30).map(|step| 1000 + 4 * step))).is_some());
        assert_eq!(judge(&measured((0..30).map(|step| 1000 + step))), None);
        assert_eq!(judge(&measured((0..40).map(|step| 1000 + 200 * (step % 2)))), None);
        assert_eq!(judge(&measured(0..5)), None);
    }

    #[test]
    fn the_whole_window_is_looked_at_and_a_step_that_is_cut_short_is_not() {
        // Silent in its last two thirds, which a median slope does not see.
        let mut silent = measured((0..30).map(|step| if step < 10 { 1000 } else { 0 }));
        silent.good = 10_000;
        assert!(judge(&silent).expect("silent").detail.contains("no right answer for 2.0 s"));
        silent.good = 10;
        assert_eq!(judge(&silent), None);
        let mut cut = measured((0..31).map(|step| if step < 30 { 1000 } else { 1 }));
        cut.window_seconds = 3.05;
        assert_eq!(buckets(&cut), [1000.0; BUCKETS]);
    }
}
