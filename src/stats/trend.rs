//! Is there a trend in a series? By the slope of Theil and Sen, which single spikes do not move.

/// The median of the slopes between all pairs of values one or more steps apart, per step (Sen 1968).
/// `None` for fewer than two values.
pub fn theil_sen_slope(values: &[f64]) -> Option<f64> {
    let mut slopes: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(earlier, first)| {
            values[earlier + 1..]
                .iter()
                .enumerate()
                .map(move |(apart, second)| (second - first) / (apart + 1) as f64)
        })
        .collect();
    median(&mut slopes)
}

/// How far the series rises or falls along its slope from first to last value, as a share of its median; absolute.
/// `None` for fewer than two values, or if the median is not positive.
pub fn relative_trend(values: &[f64]) -> Option<f64> {
    let slope = theil_sen_slope(values)?;
    let level = median(&mut values.to_vec())?;
    (level > 0.0).then(|| (slope * (values.len() - 1) as f64 / level).abs())
}

/// The median, of an even number of values the mean of the two in the middle; `None` if there are none.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
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
    fn the_trend_is_a_share_of_the_level_over_the_whole_series() {
        let rising: Vec<f64> = (0..21).map(|step| 95.0 + 0.5 * f64::from(step)).collect();
        assert!((relative_trend(&rising).unwrap() - 0.1).abs() < 1e-12);
        assert!(relative_trend(&[5.0; 20]).unwrap() < 1e-12);
        assert_eq!(relative_trend(&[0.0; 20]), None);
        assert_eq!(relative_trend(&[1.0]), None);
    }
}
