//! Many tests at once, of which all together should err in at most one family of twenty (Holm 1979).

/// The share of families in which a test may stand although there is nothing.
pub const ERROR: f64 = 0.05;

/// Which of these tests stand, in their order, as Holm steps down: the smallest p against the whole family, the next against
/// one less, until one fails. The family may hold more tests than these, which then do not stand.
pub fn stand(ps: &[f64], family: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|one, other| ps[*one].total_cmp(&ps[*other]));
    let mut stand = vec![false; ps.len()];
    for (step, at) in order.into_iter().enumerate() {
        let left = family.max(ps.len()) - step;
        if ps[at].is_nan() || ps[at] > ERROR / left as f64 {
            break;
        }
        stand[at] = true;
    }
    stand
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_stand_from_the_smallest_p_until_one_fails() {
        for (ps, family, stands) in [
            (&[][..], 0, &[][..]),
            (&[0.04], 1, &[true]),
            (&[0.04], 2, &[false]),
            // 0.01 against 0.05 / 3, 0.02 against 0.05 / 2, 0.04 against 0.05.
            (&[0.04, 0.01, 0.02], 3, &[true, true, true]),
            // The second fails, and with it all that come after it.
            (&[0.04, 0.01, 0.03], 3, &[false, true, false]),
            (&[0.001, 0.001], 2, &[true, true]),
            (&[0.0, f64::NAN], 2, &[true, false]),
        ] {
            assert_eq!(stand(ps, family), stands, "{ps:?} of {family}");
        }
    }
}
