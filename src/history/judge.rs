//! What a series tells: its levels, and where one gave way to the next. As it was told from run to run: every run is judged
//! by those before it alone, so that what was confirmed once stays as it was when further runs come.
//!
//! The rule, of which `docs/history.md` gives reasons and rates:
//!
//! - A run is *suspected* to begin a new level if it lies outside the prediction interval of the level before it, and off it
//!   by more than matters. The interval is Student's, of a single further run; its scale is the scatter of runs about their levels, or
//!   what lies between sessions and the run's own error together, whichever is more.
//! - It is *confirmed* when the next run lies outside of the 99 % interval of the same old level, on the same side, off by more
//!   than matters, and nearer to the suspected run than to the old level. Else it was a single run, and is forgotten.
//! - It is also confirmed where the change-point algorithm finds it.
//!
//! Probabilities are shared among all series of a run (Bonferroni), so that a history of many rows raises no more false alarms than
//! one of few.

use std::ops::Range;

use crate::stats::change_point::{self, P, Rule, WINDOW};
use crate::stats::geometric::LEVEL;
use crate::stats::student::two_sided_quantile;

/// The probability of suspecting any of a run's series although nothing changed.
const SUSPECT: f64 = 0.05;
/// The probability of taking a run for one of another level although nothing changed, where the run before it is suspected.
const RECUR: f64 = 0.01;
/// The probability of a change point of the algorithm although nothing changed, of any of a run's series: half of what Hunter takes, since
/// a series is looked at again with every run.
const FOUND: f64 = P / 2.0;
/// A level is known from so many runs, at least.
const LEVEL_RUNS_MIN: usize = 4;
/// How runs scatter about their levels is known from so many degrees of freedom, at least.
pub(super) const DEGREES_MIN: f64 = 9.0;

/// A run of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The logarithm of the ratio to the control.
    pub log: f64,
    /// Its standard error, as the rounds of the run have it; absent for one round.
    pub error: Option<f64>,
    /// The series that this run has.
    pub series: usize,
    /// The logarithm of the smallest ratio that matters.
    pub effect: f64,
}

/// What a series tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// The runs of each level, by their places in the series.
    pub levels: Vec<Range<usize>>,
    /// From each level to the next, and at last what is only suspected.
    pub changes: Vec<Change>,
    /// Runs that were suspected, and did not come again.
    pub forgotten: Vec<usize>,
}

impl Judged {
    /// So many runs of one level.
    pub(super) fn one_level(runs: usize) -> Self {
        Self { levels: std::iter::once(0..runs).collect(), ..Self::default() }
    }
}

/// One level gave way to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The first run of the new level.
    pub at: usize,
    /// The run by which it was suspected, if it was.
    pub suspected: Option<usize>,
    /// The run that confirmed it; absent while it is only suspected.
    pub confirmed: Option<usize>,
    /// The mean of the logarithms of the old level.
    pub before: f64,
    /// That of the new one.
    pub after: f64,
    /// The 95 % interval of their difference.
    pub interval: Option<(f64, f64)>,
}

/// What lies between one run and the next of a series, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The standard deviation of runs about their levels.
    pub deviation: f64,
    /// What of it rounds do not explain; absent where they tell no error.
    pub between: Option<f64>,
    /// Degrees of freedom of both.
    pub degrees: f64,
}

/// Judges a series, run by run.
pub fn judge(samples: &[Sample]) -> Judged {
    if samples.is_empty() {
        return Judged::default();
    }
    let mut replay = Replay { samples, earlier: Vec::new(), lasting: 0..0, changes: Vec::new() };
    let mut suspect: Option<(usize, Level)> = None;
    let mut forgotten = Vec::new();
    for (now, sample) in samples.iter().enumerate() {
        let level = replay.level();
        let known = suspect.take();
        let first_seen = known.as_ref().map(|(at, _)| *at);
        replay.lasting.end = now + 1;
        if let Some((at, level)) = known
            && recurs(&level, &samples[at], sample)
        {
            replay.begin_level(at, first_seen, Some(now));
        } else if !replay.search(now, first_seen) {
            forgotten.extend(first_seen);
            let share = SUSPECT / sample.series.max(1) as f64;
            suspect = level.filter(|it| it.excludes(sample, share)).map(|level| (now, level));
        }
    }
    if let Some((at, _)) = suspect {
        replay.begin_level(at, Some(at), None);
    }
    Judged { forgotten, ..replay.finish() }
}

/// How runs scatter about the levels of a series; `None` of fewer than two runs of one level.
pub fn spread(samples: &[Sample], levels: &[Range<usize>]) -> Option<Spread> {
    let parts = || levels.iter().map(|level| &samples[level.clone()]);
    let degrees: f64 = parts().map(|part| part.len().saturating_sub(1) as f64).sum();
    if degrees <= 0.0 {
        return None;
    }
    let variance = parts().map(squares).sum::<f64>() / degrees;
    let errors: Vec<f64> = parts().flatten().filter_map(|sample| sample.error).collect();
    let between = (!errors.is_empty()).then(|| {
        let explained = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        (variance - explained).max(0.0).sqrt()
    });
    Some(Spread { deviation: variance.sqrt(), between, degrees })
}

fn mean(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.log).sum::<f64>() / samples.len() as f64
}

/// The squares of deviations from the mean, added up.
fn squares(samples: &[Sample]) -> f64 {
    let mean = mean(samples);
    samples.iter().map(|sample| (sample.log - mean).powi(2)).sum()
}

/// A level, and how far a further run of it may lie off.
#[derive(Debug, Clone, Copy)]
struct Level {
    mean: f64,
    runs: f64,
    spread: Spread,
}

impl Level {
    /// Whether a run lies outside of what is to be expected with all but this probability, and off by more than matters.
    fn excludes(&self, sample: &Sample, p: f64) -> bool {
        let Spread { deviation, between, degrees } = self.spread;
        // A run that is less sure than others must lie farther off.
        let own = match (between, sample.error) {
            (Some(between), Some(error)) => between.hypot(error),
            _ => 0.0,
        };
        let of_run = deviation.max(own);
        let error = (of_run * of_run + deviation * deviation / self.runs).sqrt();
        let distance = (sample.log - self.mean).abs();
        distance >= sample.effect && distance > two_sided_quantile(1.0 - p, degrees) * error
    }
}

/// Whether a run lies where a suspected one did, and not where those before it did.
fn recurs(level: &Level, suspected: &Sample, sample: &Sample) -> bool {
    let off = |sample: &Sample| sample.log - level.mean;
    off(sample) * off(suspected) > 0.0
        && (sample.log - suspected.log).abs() <= off(sample).abs()
        && level.excludes(sample, RECUR)
}

/// A series as far as it was judged.
struct Replay<'s> {
    samples: &'s [Sample],
    /// The levels that have ended.
    earlier: Vec<Range<usize>>,
    /// The level that lasts.
    lasting: Range<usize>,
    changes: Vec<Change>,
}

impl Replay<'_> {
    fn levels(&self) -> Vec<Range<usize>> {
        self.earlier.iter().cloned().chain([self.lasting.clone()]).collect()
    }

    /// The level that lasts, if it is known well enough to suspect a run of leaving it.
    fn level(&self) -> Option<Level> {
        let runs = &self.samples[self.window()];
        if runs.len() < LEVEL_RUNS_MIN {
            return None;
        }
        let spread = spread(self.samples, &self.levels())?;
        (spread.degrees >= DEGREES_MIN).then(|| Level {
            mean: mean(runs),
            runs: runs.len() as f64,
            spread,
        })
    }

    /// The runs of the level that lasts, the last ones where they are many: a level may move slowly.
    fn window(&self) -> Range<usize> {
        let Range { start, end } = self.lasting;
        start.max(end.saturating_sub(WINDOW))..end
    }

    /// Looks for change points with the algorithm; whether there are any.
    fn search(&mut self, now: usize, first_seen: Option<usize>) -> bool {
        let (sample, window) = (&self.samples[now], self.window());
        let logs: Vec<f64> = self.samples[window.clone()].iter().map(|run| run.log).collect();
        let rule = Rule { p: FOUND / sample.series.max(1) as f64, magnitude: sample.effect };
        let found = change_point::find(&logs, rule);
        for point in &found {
            self.begin_level(window.start + point.index, first_seen, Some(now));
        }
        !found.is_empty()
    }

    /// A new level began.
    fn begin_level(&mut self, at: usize, first_seen: Option<usize>, confirmed: Option<usize>) {
        self.earlier.push(self.lasting.start..at);
        self.lasting.start = at;
        let suspected = first_seen.filter(|seen| *seen >= at);
        let (before, after, interval) = (0.0, 0.0, None);
        self.changes.push(Change { at, suspected, confirmed, before, after, interval });
    }

    /// The whole, with the levels as they are now that all runs are known.
    fn finish(mut self) -> Judged {
        let levels = self.levels();
        let spread = spread(self.samples, &levels);
        for (change, levels) in self.changes.iter_mut().zip(levels.windows(2)) {
            let (old, new) = (&self.samples[levels[0].clone()], &self.samples[levels[1].clone()]);
            (change.before, change.after) = (mean(old), mean(new));
            change.interval = spread.map(|spread| {
                let count = (1.0 / old.len() as f64 + 1.0 / new.len() as f64).sqrt();
                let half = two_sided_quantile(LEVEL, spread.degrees) * spread.deviation * count;
                let size = change.after - change.before;
                (size - half, size + half)
            });
        }
        Judged { levels, changes: self.changes, forgotten: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs at these levels, in percent off 1, each with an own error in percent, of a history of so many series.
    fn samples(percents: &[f64], error: f64, series: usize) -> Vec<Sample> {
        let about = [0.4, -0.9, 0.7, -0.2, 0.9, -0.6, 0.1, -0.4];
        percents
            .iter()
            .zip(about.into_iter().cycle())
            .map(|(percent, about)| Sample {
                log: (percent + about) / 100.0,
                error: Some(error / 100.0),
                series,
                effect: 0.02f64.ln_1p(),
            })
            .collect()
    }

    /// What is told of a series: where, whether it is confirmed and by which run.
    fn told(percents: &[f64]) -> Vec<(usize, Option<usize>)> {
        let judged = judge(&samples(percents, 0.2, 40));
        judged.changes.iter().map(|change| (change.at, change.confirmed)).collect()
    }

    fn with(before: usize, rest: &[f64]) -> Vec<f64> {
        std::iter::repeat_n(0.0, before).chain(rest.iter().copied()).collect()
    }

    #[test]
    fn a_run_far_off_is_suspected_and_confirmed_by_the_next_one() {
        for (percents, expected) in [
            (with(20, &[]), &[][..]),
            (with(20, &[-9.0]), &[(20, None)]),
            (with(20, &[-9.0, -9.0]), &[(20, Some(21))]),
            (with(20, &[-9.0, -9.0, -9.0, -9.0]), &[(20, Some(21))]),
            // A single run is forgotten, and one to the other side confirms nothing: it is suspected for itself.
            (with(20, &[-9.0, 0.0]), &[]),
            (with(20, &[-9.0, 9.0]), &[(21, None)]),
            // Nor does one that lies nearer to the old level.
            (with(20, &[-30.0, -2.5, 0.0]), &[]),
            // One that lies farther still does.
            (with(20, &[-9.0, -15.0]), &[(20, Some(21))]),
            (with(20, &[9.0, 9.0]), &[(20, Some(21))]),
            // Too little to matter.
            (with(40, &[-1.0, -1.0, -1.0, -1.0]), &[]),
            // Too little is known of the level.
            (with(9, &[-30.0]), &[]),
            (with(10, &[-30.0]), &[(10, None)]),
            // There and back.
            (with(20, &[-9.0, -9.0, -9.0, -9.0, 0.0, 0.0]), &[(20, Some(21)), (24, Some(25))]),
        ] {
            assert_eq!(told(&percents), expected, "{percents:?}");
        }
    }

    #[test]
    fn what_is_seen_slowly_is_found_by_the_algorithm() {
        // No single run is far enough off.
        let percents: Vec<f64> = (0..40)
            .map(|run| {
                let level = if run < 20 { 0.0 } else { -3.0 };
                level + if run % 2 == 0 { 0.8 } else { -0.8 }
            })
            .collect();
        let judged = judge(&samples(&percents, 0.2, 40));
        let [change] = &judged.changes[..] else { panic!("{judged:?}") };
        assert!((19..=21).contains(&change.at), "{change:?}");
        assert!(change.suspected.is_none() && change.confirmed > Some(25), "{change:?}");
        assert!(judged.forgotten.is_empty(), "{judged:?}");
    }

    #[test]
    fn what_was_confirmed_once_stays_as_it_was() {
        let percents = with(15, &[-6.0, -6.0, -7.0, -6.0, 0.0, 1.0, 0.0, 9.0, 0.0, -6.0, -6.0]);
        let all = samples(&percents, 0.2, 10);
        let whole = judge(&all);
        assert!(whole.changes.len() >= 2, "{whole:?}");
        for now in 0..=all.len() {
            let then = judge(&all[..now]);
            let confirmed = |judged: &Judged, by: usize| -> Vec<(usize, Option<usize>)> {
                let changes = judged.changes.iter().map(|change| (change.at, change.confirmed));
                changes.filter(|(_, run)| run.is_some_and(|run| run < by)).collect()
            };
            assert_eq!(confirmed(&then, now), confirmed(&whole, now), "{now}");
        }
    }

    #[test]
    fn a_change_has_both_levels_with_an_interval_and_levels_lie_end_to_end() {
        let judged = judge(&samples(&with(16, &[-6.0; 8]), 0.2, 40));
        let [change] = &judged.changes[..] else { panic!("{judged:?}") };
        assert_eq!(judged.levels, [0..16, 16..24]);
        let size = change.after - change.before;
        let (low, high) = change.interval.expect("an interval");
        assert!((size + 0.06).abs() < 1e-9 && low < size && size < high && high < -0.04);
        assert_eq!(judge(&[]), Judged::default());
    }

    #[test]
    fn a_run_that_is_less_sure_than_others_must_lie_farther_off() {
        let mut all = samples(&with(20, &[-4.0]), 0.2, 10);
        assert_eq!(judge(&all).changes.len(), 1);
        all[20].error = Some(0.02);
        assert_eq!(judge(&all).changes, []);
    }

    #[test]
    fn the_spread_is_about_levels_and_less_what_rounds_explain() {
        let all = samples(&with(8, &[-6.0; 8]), 0.3, 1);
        let spread = |levels: &[Range<usize>]| super::spread(&all, levels).expect("runs");
        let whole = spread(&[0..8, 8..16]);
        // The eight figures about each level have a sum of squares of 2.84.
        let deviation = (2.84f64 / 7.0).sqrt() / 100.0;
        assert!((whole.deviation - deviation).abs() < 1e-9, "{whole:?}");
        let between = (2.84f64 / 7.0 - 0.09).sqrt() / 100.0;
        assert!(whole.between.is_some_and(|it| (it - between).abs() < 1e-9), "{whole:?}");
        assert!((whole.degrees - 14.0).abs() < 1e-12);
        // A run that tells no error takes away no other's.
        let mut one_without = all.clone();
        one_without[3].error = None;
        assert_eq!(super::spread(&one_without, &[0..8, 8..16]), Some(whole));
        assert!(spread(&Judged::one_level(16).levels).deviation > 0.03);
        assert_eq!(super::spread(&all, &[0..1, 1..2]), None);
    }
}
