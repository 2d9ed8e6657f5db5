//! The figure of a row: the geometric mean over rounds, with its interval.

use super::student::two_sided_quantile;

/// The level of every interval.
pub const LEVEL: f64 = 0.95;

/// A geometric mean of positive numbers with the t interval of their logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeometricMean {
    /// The mean.
    pub mean: f64,
    /// The interval's ends; `None` for fewer than two numbers, or if one end is beyond what a number can hold.
    pub interval: Option<(f64, f64)>,
}

impl GeometricMean {
    /// The mean of these; `None` if there are none, or if one is not positive and finite.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        if numbers.is_empty() || !numbers.iter().all(|number| number.is_finite() && *number > 0.0) {
            return None;
        }
        let count = numbers.len();
        let logs: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
        let mean = logs.iter().sum::<f64>() / count as f64;
        let interval = (count >= 2).then(|| {
            let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
            let error = (squares / (count - 1) as f64 / count as f64).sqrt();
            let half = two_sided_quantile(LEVEL, (count - 1) as f64) * error;
            ((mean - half).exp(), (mean + half).exp())
        });
        let interval = interval.filter(|(low, high)| *low > 0.0 && high.is_finite());
        Some(Self { mean: mean.exp(), interval })
    }
}

/// The smallest true ratio, as a share above 1, that an interval over so many numbers and of this half width, in logarithms,
/// tells from 1 four times in five: (t(0.975) + t(0.8)) standard errors, as in any book on the size of samples. `None` for
/// fewer than two numbers.
pub fn visible_effect(count: usize, half_width: f64) -> Option<f64> {
    let degrees = count.checked_sub(1).filter(|degrees| *degrees > 0)? as f64;
    let width_in_errors = two_sided_quantile(LEVEL, degrees);
    // One side of 0.8 leaves out as much as two sides of 0.6.
    let needed = width_in_errors + two_sided_quantile(0.6, degrees);
    Some((half_width * needed / width_in_errors).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_the_logarithms_and_so_is_the_interval() {
        let mean = GeometricMean::of(&[1.0, 4.0, 16.0]).expect("positive");
        assert!((mean.mean - 4.0).abs() < 1e-12);
        // The logarithms have a standard deviation of ln 4; t(2) is 4.3027.
        let half = 4.302_652_7 * 4f64.ln() / 3f64.sqrt();
        let (low, high) = mean.interval.expect("three numbers");
        assert!((low - 4.0 * (-half).exp()).abs() < 1e-6, "{low}");
        assert!((high / (4.0 * half.exp()) - 1.0).abs() < 1e-6, "{high}");
    }

    #[test]
    fn one_number_has_no_interval_and_none_has_no_mean() {
        assert_eq!(GeometricMean::of(&[5.0]).expect("positive").interval, None);
        assert_eq!(GeometricMean::of(&[1e308, 10.0]).expect("positive").interval, None);
        for numbers in [&[][..], &[1.0, 0.0], &[1.0, -1.0], &[f64::NAN]] {
            assert_eq!(GeometricMean::of(numbers), None);
        }
    }

    #[test]
    fn an_effect_is_visible_beyond_the_interval_by_what_makes_it_likely() {
        // With many numbers, (1.95996 + 0.84162) / 1.95996 half widths.
        let visible = visible_effect(1_000_000, 0.01).expect("many numbers");
        assert!((visible - (0.01f64 * 1.429_41).exp_m1()).abs() < 1e-6, "{visible}");
        // Of seven: (2.44691 + 0.90570) / 2.44691.
        let visible = visible_effect(7, 0.01).expect("seven numbers");
        assert!((visible - (0.01f64 * 1.370_14).exp_m1()).abs() < 1e-6, "{visible}");
        assert_eq!((visible_effect(1, 0.01), visible_effect(0, 0.01)), (None, None));
    }

    #[test]
    fn an_effect_of_that_size_is_told_from_none_four_times_in_five() {
        use rand::{RngExt as _, SeedableRng as _};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (spread, count) = (0.02, 7);
        let mut draw = |shift: f64| -> Vec<f64> {
            // A sum of twelve uniform numbers is as good as normal here, with a variance of one.
            let normal = |rng: &mut rand_chacha::ChaCha8Rng| {
                (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0
            };
            (0..count).map(|_| (shift + spread * normal(&mut rng)).exp()).collect()
        };
        // The half width that such numbers have on average, from the spread itself.
        let half = two_sided_quantile(LEVEL, 6.0) * spread / 7f64.sqrt();
        let shift = visible_effect(count, half).expect("seven numbers").ln_1p();
        let told = (0..4000).filter(|_| {
            let (low, high) =
                GeometricMean::of(&draw(shift)).and_then(|it| it.interval).expect("seven");
            low > 1.0 || high < 1.0
        });
        let power = told.count() as f64 / 4000.0;
        assert!((0.77..0.83).contains(&power), "{power}");
    }
}
