//! The figure of a row: the geometric mean over rounds, with its interval.

use super::student::two_sided_quantile;

/// The level of every interval.
pub const LEVEL: f64 = 0.95;

/// A geometric mean of positive numbers with the t interval of their logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeometricMean {
    /// The mean.
    pub mean: f64,
    /// The interval's ends; `None` for fewer than two numbers.
    pub interval: Option<(f64, f64)>,
    /// How many numbers.
    pub count: usize,
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
        Some(Self { mean: mean.exp(), interval, count })
    }
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
        for numbers in [&[][..], &[1.0, 0.0], &[1.0, -1.0], &[f64::NAN]] {
            assert_eq!(GeometricMean::of(numbers), None);
        }
    }
}
