//! Two rows compared over the rounds in which both were measured: a round is a block, so what changes from round to round
//! takes no part. By the t interval of the logarithms of their ratios.

use super::geometric::LEVEL;
use super::student;
use crate::outcome::Verdict;

/// Fewer rounds give no verdict.
pub const ROUNDS_MIN: usize = 5;
/// Nobody waits for more rounds than these.
const ROUNDS_FORESEEN: usize = 1000;

/// How one row compares with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The mean of the logarithms of the ratios.
    pub log_ratio: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of that error.
    pub degrees_of_freedom: f64,
    /// The rounds in which both were measured.
    pub rounds: usize,
}

impl Comparison {
    /// Of ratios, one a round; `None` for fewer than two, or if one is not positive and finite.
    pub fn of(ratios: &[f64]) -> Option<Self> {
        let rounds = ratios.len();
        if rounds < 2 || !ratios.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0) {
            return None;
        }
        let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let mean = logs.iter().sum::<f64>() / rounds as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let degrees_of_freedom = (rounds - 1) as f64;
        let error = (squares / degrees_of_freedom / rounds as f64).sqrt();
        Some(Self { log_ratio: mean, error, degrees_of_freedom, rounds })
    }

    /// How far the 95 % interval reaches to either side of the logarithm.
    pub fn half_width(&self) -> f64 {
        student::two_sided_quantile(LEVEL, self.degrees_of_freedom) * self.error
    }

    /// The probability of so large a difference, either way, between rows that are alike.
    pub fn p(&self) -> f64 {
        if self.error > 0.0 {
            student::two_sided_p(self.log_ratio / self.error, self.degrees_of_freedom)
        } else {
            f64::from(u8::from(self.log_ratio == 0.0))
        }
    }

    /// What follows from it, where `effect` is the smallest difference that matters, as a share: 0.02 for 2 %. `None` from
    /// fewer than five rounds.
    pub fn verdict(&self, effect: f64, better: Better) -> Option<Verdict> {
        if self.rounds < ROUNDS_MIN {
            return None;
        }
        let (bound, half) = (effect.ln_1p(), self.half_width());
        let gain = match better {
            Better::More => self.log_ratio,
            Better::Less => -self.log_ratio,
        };
        Some(if gain - half > bound {
            Verdict::Faster
        } else if gain + half < -bound {
            Verdict::Slower
        } else if gain.abs() + half < bound {
            Verdict::Same
        } else {
            Verdict::Unclear
        })
    }

    /// Whether the interval reaches farther than the smallest difference that matters, so that more rounds may be worth their
    /// time. Says nothing of where it lies: who stopped on that would find a difference sooner or later.
    pub fn is_wide(&self, effect: f64) -> bool {
        self.half_width() > effect.ln_1p()
    }

    /// How many rounds more would give a verdict, were estimate and spread to stay as they are; `None` if there are
    /// enough, or if nobody would wait for so many.
    pub fn rounds_lacking(&self, effect: f64) -> Option<usize> {
        let room = (self.log_ratio.abs() - effect.ln_1p()).abs();
        let spread = self.error * (self.rounds as f64).sqrt();
        let suffices = |rounds: usize| {
            let quantile = student::two_sided_quantile(LEVEL, (rounds - 1) as f64);
            quantile * spread / (rounds as f64).sqrt() < room
        };
        let from = self.rounds.max(ROUNDS_MIN);
        if suffices(from) || !suffices(ROUNDS_FORESEEN) {
            return None;
        }
        let (mut too_few, mut enough) = (from, ROUNDS_FORESEEN);
        while enough - too_few > 1 {
            let middle = usize::midpoint(too_few, enough);
            if suffices(middle) { enough = middle } else { too_few = middle }
        }
        Some(enough - self.rounds)
    }
}

/// Which of two figures is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// The larger.
    More,
    /// The smaller.
    Less,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(log_ratio: f64, error: f64, rounds: usize) -> Comparison {
        Comparison { log_ratio, error, degrees_of_freedom: (rounds - 1) as f64, rounds }
    }

    #[test]
    fn a_verdict_is_where_the_whole_interval_lies() {
        // With seven rounds the interval reaches 2.4469 standard errors to either side; 2 % is 0.0198.
        for (log_ratio, error, verdict) in [
            (0.100, 0.010, Verdict::Faster),
            (0.045, 0.010, Verdict::Faster),
            (0.044, 0.010, Verdict::Unclear),
            (-0.045, 0.010, Verdict::Slower),
            (0.000, 0.008, Verdict::Same),
            (0.000, 0.009, Verdict::Unclear),
            (0.015, 0.001, Verdict::Same),
            (0.019, 0.001, Verdict::Unclear),
            (0.030, 0.001, Verdict::Faster),
        ] {
            let found = comparison(log_ratio, error, 7);
            assert_eq!(found.verdict(0.02, Better::More), Some(verdict), "{log_ratio} {error}");
            let mirrored = comparison(-log_ratio, error, 7);
            assert_eq!(mirrored.verdict(0.02, Better::Less), Some(verdict), "{log_ratio} {error}");
            assert_eq!(comparison(log_ratio, error, 4).verdict(0.02, Better::More), None);
        }
    }

    #[test]
    fn an_estimate_is_that_of_the_logarithms() {
        let found = Comparison::of(&[1.0, 4.0, 16.0]).expect("three ratios");
        assert!((found.log_ratio - 4f64.ln()).abs() < 1e-12);
        assert!((found.error - 4f64.ln() / 3f64.sqrt()).abs() < 1e-12);
        // t = sqrt 3 with two degrees of freedom: p = 1 - t / sqrt (t² + 2).
        assert!((found.p() - (1.0 - 3f64.sqrt() / 5f64.sqrt())).abs() < 1e-9, "{}", found.p());
        for ratios in [&[][..], &[1.0], &[1.0, 0.0], &[1.0, f64::NAN], &[1.0, -2.0]] {
            assert_eq!(Comparison::of(ratios), None, "{ratios:?}");
        }
        let same = Comparison::of(&[2.0, 2.0, 2.0]).expect("three ratios");
        assert!((same.half_width(), same.p()) == (0.0, 0.0));
        assert!((Comparison::of(&[1.0, 1.0]).expect("two").p() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn so_many_rounds_more_give_a_verdict_and_one_less_does_not() {
        for (log_ratio, error) in [(0.03, 0.01), (0.0, 0.012), (0.05, 0.03), (0.019, 0.004)] {
            let found = comparison(log_ratio, error, 7);
            assert_eq!(found.verdict(0.02, Better::More), Some(Verdict::Unclear));
            let lacking = found.rounds_lacking(0.02).expect("some");
            let with = |more: usize| {
                let rounds = 7 + more;
                let error = error * (7.0 / rounds as f64).sqrt();
                comparison(log_ratio, error, rounds).verdict(0.02, Better::More)
            };
            assert_ne!(with(lacking), Some(Verdict::Unclear), "{log_ratio} {lacking}");
            assert_eq!(with(lacking - 1), Some(Verdict::Unclear), "{log_ratio} {lacking}");
        }
        // Enough already; and a difference just as large as matters is never settled.
        assert_eq!(comparison(0.1, 0.01, 7).rounds_lacking(0.02), None);
        assert_eq!(comparison(0.02f64.ln_1p(), 0.01, 7).rounds_lacking(0.02), None);
    }
}
