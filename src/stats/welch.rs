//! Two sides of which nothing is paired, as figures of two runs are: the difference of their means, with the error of Welch
//! (1947) and the degrees of freedom of Satterthwaite (1946).

use super::comparison::Better;
use super::geometric::LEVEL;
use super::student;
use crate::outcome::Verdict;

/// So many degrees of freedom are as good as any more.
const FREEDOM_MOST: f64 = 1e6;

/// Logarithms of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// How many.
    pub count: u32,
}

/// How the means of two sides differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The mean of the new side less that of the old one: the logarithm of a ratio.
    pub log_ratio: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of that error.
    pub degrees_of_freedom: f64,
}

impl Difference {
    /// Of two sides; `None` if one has fewer than two points. `between` is the standard deviation by which the mean of a
    /// side differs from that of another besides what its points explain, where that is known: it widens the error as
    /// something that is known well.
    pub fn of(old: Side, new: Side, between: Option<f64>) -> Option<Self> {
        if old.count < 2 || new.count < 2 {
            return None;
        }
        let variance = |side: Side| side.deviation.powi(2) / f64::from(side.count);
        let besides = 2.0 * between.unwrap_or(0.0).powi(2);
        let total = variance(old) + variance(new) + besides;
        let part = |side: Side| variance(side).powi(2) / f64::from(side.count - 1);
        let parts = part(old) + part(new);
        let degrees_of_freedom = if parts > 0.0 {
            (total.powi(2) / parts).min(FREEDOM_MOST)
        } else if besides > 0.0 {
            FREEDOM_MOST
        } else {
            f64::from(old.count + new.count - 2)
        };
        Some(Self { log_ratio: new.mean - old.mean, error: total.sqrt(), degrees_of_freedom })
    }

    /// Of one side whose points are differences already, as those of two rows in the same rounds are; `None` for fewer than
    /// two.
    pub fn paired(differences: Side) -> Option<Self> {
        let Side { mean, deviation, count } = differences;
        (count >= 2).then(|| Self {
            log_ratio: mean,
            error: deviation / f64::from(count).sqrt(),
            degrees_of_freedom: f64::from(count - 1),
        })
    }

    /// How far the 95 % interval reaches to either side of the logarithm.
    pub fn half_width(&self) -> f64 {
        student::two_sided_quantile(LEVEL, self.degrees_of_freedom) * self.error
    }

    /// The probability of so large a difference, either way, if the truth were one that just does not matter; `effect` is the
    /// smallest that does, as a share. 1 if the difference is no larger than that. Below 0.05 exactly where the 95 % interval
    /// lies wholly beyond.
    pub fn p_beyond(&self, effect: f64) -> f64 {
        let beyond = self.log_ratio.abs() - effect.ln_1p();
        if beyond <= 0.0 {
            1.0
        } else if self.error > 0.0 {
            student::two_sided_p(beyond / self.error, self.degrees_of_freedom)
        } else {
            0.0
        }
    }

    /// Where the whole 95 % interval lies, by itself: nothing is made of how many are looked at.
    pub fn lies(&self, effect: f64, better: Better) -> Verdict {
        let half = self.half_width();
        let is_gain = (self.log_ratio > 0.0) == (better == Better::More);
        if self.log_ratio.abs() - half > effect.ln_1p() {
            if is_gain { Verdict::Faster } else { Verdict::Slower }
        } else if self.log_ratio.abs() + half < effect.ln_1p() {
            Verdict::Same
        } else {
            Verdict::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(mean: f64, deviation: f64, count: u32) -> Side {
        Side { mean, deviation, count }
    }

    #[test]
    fn error_and_freedom_are_those_of_welch_and_satterthwaite() {
        // By hand: 0.03^2 / 9 = 1e-4 and 0.02^2 / 4 = 1e-4; 4e-8 / (1e-8 / 8 + 1e-8 / 3) = 8.7273.
        let found = Difference::of(side(0.1, 0.03, 9), side(0.25, 0.02, 4), None).expect("two");
        assert!((found.log_ratio - 0.15).abs() < 1e-12);
        assert!((found.error - 2e-4f64.sqrt()).abs() < 1e-12);
        assert!((found.degrees_of_freedom - 8.727_272_7).abs() < 1e-6, "{found:?}");
        // Alike in spread and number: all degrees of freedom there are.
        let found = Difference::of(side(0.0, 0.01, 7), side(0.0, 0.01, 7), None).expect("two");
        assert!((found.degrees_of_freedom - 12.0).abs() < 1e-9);
        // t(12) is 2.1788.
        let half = 2.178_813 * 0.01 * (2f64 / 7.0).sqrt();
        assert!((found.half_width() - half).abs() < 1e-7, "{found:?}");
        assert_eq!(Difference::of(side(0.0, 0.01, 1), side(0.0, 0.01, 7), None), None);
        assert_eq!(Difference::of(side(0.0, 0.01, 7), side(0.0, 0.01, 1), None), None);
    }

    #[test]
    fn what_sessions_differ_by_widens_the_error_and_counts_as_known() {
        let (old, new) = (side(0.0, 0.01, 7), side(0.0, 0.01, 7));
        let without = Difference::of(old, new, None).expect("two");
        let with = Difference::of(old, new, Some(0.02)).expect("two");
        let error = (2e-4 / 7.0 + 2.0 * 4e-4f64).sqrt();
        assert!((with.error - error).abs() < 1e-12, "{with:?}");
        assert!(with.degrees_of_freedom > 100.0 && with.half_width() > 4.0 * without.half_width());
        assert_eq!(Difference::of(old, new, Some(0.0)), Some(without));
        // Points without any spread leave that of the sessions alone, or nothing.
        let (old, new) = (side(0.0, 0.0, 3), side(0.1, 0.0, 3));
        let known = Difference::of(old, new, Some(0.02)).expect("two");
        assert!((known.half_width() - 1.959_964 * 0.02 * 2f64.sqrt()).abs() < 1e-6, "{known:?}");
        let exact = Difference::of(old, new, None).expect("two");
        assert!(exact.half_width() == 0.0 && exact.p_beyond(0.02) == 0.0);
    }

    #[test]
    fn differences_that_are_paired_already_have_the_error_of_their_mean() {
        let found = Difference::paired(side(0.1, 0.02, 4)).expect("four");
        assert!((found.error - 0.01).abs() < 1e-12 && (found.log_ratio - 0.1).abs() < 1e-12);
        // t(3) is 3.1824.
        assert!((found.half_width() - 0.031_824).abs() < 1e-6, "{found:?}");
        assert_eq!(Difference::paired(side(0.1, 0.02, 1)), None);
    }

    #[test]
    fn p_and_interval_say_the_same_of_one_difference() {
        for (log_ratio, error) in
            [(0.05, 0.01), (0.042, 0.01), (0.041, 0.01), (0.03, 0.001), (-0.05, 0.01), (0.0, 0.01)]
        {
            let found = Difference { log_ratio, error, degrees_of_freedom: 12.0 };
            let is_beyond =
                matches!(found.lies(0.02, Better::More), Verdict::Faster | Verdict::Slower);
            assert_eq!(found.p_beyond(0.02) < 0.05, is_beyond, "{log_ratio} {error}");
        }
    }

    #[test]
    fn where_an_interval_lies_depends_on_what_is_better() {
        for (log_ratio, error, more, less) in [
            (0.10, 0.01, Verdict::Faster, Verdict::Slower),
            (-0.10, 0.01, Verdict::Slower, Verdict::Faster),
            (0.001, 0.005, Verdict::Same, Verdict::Same),
            (0.001, 0.010, Verdict::Unclear, Verdict::Unclear),
            (0.030, 0.010, Verdict::Unclear, Verdict::Unclear),
        ] {
            let found = Difference { log_ratio, error, degrees_of_freedom: 12.0 };
            assert_eq!(found.lies(0.02, Better::More), more, "{log_ratio} {error}");
            assert_eq!(found.lies(0.02, Better::Less), less, "{log_ratio} {error}");
        }
    }
}
