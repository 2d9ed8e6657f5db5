//! The value in the middle.

/// The median, of an even number of values the mean of the two in the middle; `None` if there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_value_in_the_middle_or_the_mean_of_both() {
        for (values, middle) in [
            (&[][..], None),
            (&[3.0], Some(3.0)),
            (&[9.0, 1.0], Some(5.0)),
            (&[9.0, 1.0, 2.0], Some(2.0)),
            (&[9.0, 1.0, 2.0, 4.0], Some(3.0)),
        ] {
            assert_eq!(median(values), middle, "{values:?}");
        }
    }
}
