//! Is there a trend in a series? By the slope of Theil and Sen, which single spikes do not move.

use super::median::median;

/// The median of the slopes between all pairs of values one or more steps apart, per step (Sen 1968).
/// `None` for fewer than two values.
pub fn theil_sen_slope(values: &[f64]) -> Option<f64> {
    let slopes: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(earlier, first)| {
            values[earlier + 1..]
                .iter()
                .enumerate()
                .map(move |(apart, second)| (second - first) / (apart + 1) as f64)
        })
        .collect();
    median(&slopes)
}

/// How far the series rises or falls along its slope from first to last value, as a share of its median; absolute.
/// `None` for fewer than two values, or if the median is not positive.
pub fn relative_trend(values: &[f64]) -> Option<f64> {
    let slope = theil_sen_slope(values)?;
    let level = median(values)?;
    (level > 0.0).then(|| (slope * (values.len() - 1) as f64 / level).abs())
}

/// The probability that a series without a trend shows one as strong, up or down: Kendall's test of the values against
/// their order, by the normal approximation with a correction for ties (Kendall 1975; good from ten values on).
/// 1 for fewer than two values, or if all are equal.
pub fn kendall_p(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mut score = 0.0;
    for (place, earlier) in values.iter().enumerate() {
        for later in &values[place + 1..] {
            score += f64::from(i8::from(later > earlier) - i8::from(later < earlier));
        }
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|tied| tied.len() as f64)
        .map(|tied| tied * (tied - 1.0) * (2.0 * tied + 5.0))
        .sum();
    let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0;
    if variance <= 0.0 {
        return 1.0;
    }
    // One step towards zero, since the score is a whole number and the normal distribution is not.
    let z = (f64::abs(score) - 1.0).max(0.0) / variance.sqrt();
    erfc(z / std::f64::consts::SQRT_2)
}

/// The complementary error function (Numerical Recipes, 6.2; relative error below 1.2e-7).
fn erfc(x: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let series = TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let tail = t * (series - x * x).exp();
    if x >= 0.0 { tail } else { 2.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_own_slope_and_a_spike_does_not_move_it() {
        let mut line: Vec<f64> = (0..20).map(|step| 100.0 + 2.0 * f64::from(step)).collect();
        assert!((theil_sen_slope(&line).unwrap() - 2.0).abs() < 1e-12);
        line[7] = 10_000.0;
        assert!((theil_sen_slope(&line).unwrap() - 2.0).abs() < 0.3);
    }

    #[test]
    fn kendalls_probability_is_that_of_the_tables() {
        let rising: Vec<f64> = (0..20).map(f64::from).collect();
        assert!(kendall_p(&rising) < 1e-8);
        assert!((kendall_p(&[5.0; 20]) - 1.0).abs() < 1e-12);
        // Ten values with scores of 31 and 23; the exact probabilities come from counting all orders.
        for (values, exact) in [
            ([1.0, 4.0, 2.0, 6.0, 3.0, 5.0, 10.0, 7.0, 8.0, 9.0], 0.0047),
            ([3.0, 1.0, 6.0, 2.0, 9.0, 4.0, 5.0, 10.0, 7.0, 8.0], 0.0466),
        ] {
            let p = kendall_p(&values);
            assert!((p - exact).abs() < 0.004, "{p} {exact}");
        }
    }

    #[test]
    fn the_error_function_is_that_of_the_tables() {
        for (x, truth) in
            [(0.0, 1.0), (0.5, 0.479_500_12), (1.0, 0.157_299_21), (2.0, 0.004_677_73)]
        {
            assert!((erfc(x) - truth).abs() < 1e-7, "{x}");
        }
    }

    #[test]
    fn the_trend_is_a_share_of_the_level_over_the_whole_series() {
        let rising: Vec<f64> = (0..21).map(|step| 95.0 + 0.5 * f64::from(step)).collect();
        assert!((relative_trend(&rising).unwrap() - 0.1).abs() < 1e-12);
        assert!(relative_trend(&[5.0; 20]).unwrap() < 1e-12);
        assert_eq!(relative_trend(&[0.0; 20]), None);
        assert_eq!(relative_trend(&[1.0]), None);
    }
}
