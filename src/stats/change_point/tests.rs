//! Cases with a known truth, and what holds of any series.

use proptest::prelude::*;

use super::*;

const RULE: Rule = Rule { p: P, magnitude: 0.0 };

fn found(points: &[f64], rule: Rule) -> Vec<usize> {
    find(points, rule).iter().map(|point| point.index).collect()
}

/// Levels one after the other, each for so many points, about which points lie by less than `noise` in a fixed order.
fn steps(levels: &[(usize, f64)], noise: f64) -> Vec<f64> {
    let about = [0.1, -0.8, 0.5, 0.9, -0.3, -0.9, 0.7, -0.1, 0.3, -0.4];
    let levels = levels.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count));
    levels.zip(about.into_iter().cycle()).map(|(level, about)| level + noise * about).collect()
}

#[test]
fn levels_are_told_apart_where_they_meet() {
    for (levels, noise, rule, expected) in [
        (&[(30, 1.0)][..], 0.1, RULE, &[][..]),
        (&[(16, 1.0), (14, 0.8)], 0.05, RULE, &[16]),
        // Both ends.
        (&[(2, 0.0), (28, 1.0)], 0.05, RULE, &[2]),
        (&[(28, 0.0), (2, 1.0)], 0.05, RULE, &[28]),
        (&[(10, 1.0), (10, 2.0), (10, 1.0)], 0.1, RULE, &[10, 20]),
        (&[(10, 1.0), (10, 1.5), (10, 2.0), (10, 0.0)], 0.1, RULE, &[10, 20, 30]),
        // Across windows.
        (&[(40, 1.0), (60, 2.0), (120, 1.0)], 0.2, RULE, &[40, 100]),
        // A single spike is none.
        (&[(15, 1.0), (1, 3.0), (15, 1.0)], 0.1, RULE, &[]),
        // Nor is a change that does not matter.
        (&[(20, 1.0), (20, 1.01)], 0.001, Rule { magnitude: 0.02, ..RULE }, &[]),
        (&[(20, 1.0), (20, 1.03)], 0.001, Rule { magnitude: 0.02, ..RULE }, &[20]),
        // One that matters goes on where one beside it does not.
        (&[(20, 1.0), (20, 1.01), (20, 2.0)], 0.001, Rule { magnitude: 0.02, ..RULE }, &[40]),
        // Without any noise.
        (&[(10, 1.0), (10, 2.0)], 0.0, RULE, &[10]),
        (&[(20, 1.0)], 0.0, RULE, &[]),
        // Too few.
        (&[(4, 1.0), (5, 2.0)], 0.0, RULE, &[]),
        (&[(5, 1.0), (5, 2.0)], 0.0, RULE, &[5]),
        (&[], 0.0, RULE, &[]),
    ] {
        assert_eq!(found(&steps(levels, noise), rule), expected, "{levels:?}");
    }
}

#[test]
fn a_change_point_tells_both_levels_and_how_sure_it_is() {
    let found = find(&steps(&[(10, 1.0), (20, 2.0)], 0.1), RULE);
    let [point] = found[..] else { panic!("{found:?}") };
    assert!((point.before - 1.0).abs() < 1e-9 && (point.after - 2.0).abs() < 1e-9, "{point:?}");
    assert!(point.p < 1e-20);
}

#[test]
fn the_t_test_is_that_of_the_books() {
    // Means 3 and 5, variances 2.5 and 2.5: t = -2 with eight degrees of freedom.
    let (before, after, p) = compare(&[1.0, 2.0, 3.0, 4.0, 5.0], &[3.0, 4.0, 5.0, 6.0, 7.0]);
    assert!((before - 3.0).abs() < 1e-12 && (after - 5.0).abs() < 1e-12);
    assert!((p - 0.080_516).abs() < 1e-5, "{p}");
    assert!((compare(&[1.0], &[2.0, 3.0]).2 - 1.0).abs() < 1e-12);
}

#[test]
fn series_that_hold_no_number_tell_nothing() {
    let mut points = steps(&[(10, 1.0), (10, 2.0)], 0.1);
    points[3] = f64::NAN;
    assert_eq!(find(&points, RULE), []);
}

/// Q as it is defined, distance by distance.
fn divergence(first: &[f64], second: &[f64]) -> f64 {
    let (n, m) = (first.len() as f64, second.len() as f64);
    let between: f64 = first.iter().flat_map(|a| second.iter().map(move |b| (a - b).abs())).sum();
    let within = |part: &[f64]| -> f64 {
        let pairs = part.iter().enumerate();
        pairs.flat_map(|(at, a)| part[at + 1..].iter().map(move |b| (a - b).abs())).sum()
    };
    2.0 / (m + n) * between
        - 2.0 * m / (m + n) / (n - 1.0) * within(first)
        - 2.0 * n / (m + n) / (m - 1.0) * within(second)
}

fn series(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, count)
}

/// Noise about up to three levels.
fn stepped() -> impl Strategy<Value = Vec<f64>> {
    let levels = prop::collection::vec((0usize..40, -3.0..3.0f64), 1..4);
    (levels, series(120..121)).prop_map(|(levels, noise)| {
        let levels = levels.iter().flat_map(|(count, level)| std::iter::repeat_n(*level, *count));
        levels.zip(noise).map(|(level, noise)| level + 0.3 * noise).collect()
    })
}

proptest! {
    #[test]
    fn the_best_split_is_the_best_of_all(points in series(4..25)) {
        let found = best_split(&points).expect("enough points");
        let all = (PART_MIN..points.len()).flat_map(|place| {
            (place + PART_MIN..=points.len()).map(move |end| (place, end))
        });
        let best = all
            .map(|(place, end)| divergence(&points[..place], &points[place..end]))
            .fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((found.divergence - best).abs() < 1e-9, "{found:?} {best}");
    }

    #[test]
    fn no_window_is_passed_by_that_has_a_split(points in series(2..60), p in 0.001..0.5f64) {
        let splits = PART_MIN..(points.len() + 1).saturating_sub(PART_MIN);
        let least = splits
            .map(|place| points.split_at(place))
            .map(|(left, right)| compare(left, right).2)
            .fold(1.0, f64::min);
        if (least - p).abs() > 1e-9 {
            prop_assert_eq!(has_split(&points, p), least <= p);
        }
    }

    #[test]
    fn every_change_point_passes_the_rule_between_its_neighbours(points in stepped(), magnitude in 0.0..1.0f64) {
        let rule = Rule { p: P, magnitude };
        let found = find(&points, rule);
        let mut bounds: Vec<usize> = found.iter().map(|point| point.index).collect();
        bounds.insert(0, 0);
        bounds.push(points.len());
        for bound in bounds.windows(2).filter(|_| !found.is_empty()) {
            prop_assert!(bound[1] >= bound[0] + PART_MIN, "{bounds:?}");
        }
        for point in &found {
            prop_assert!(point.p <= rule.p && (point.after - point.before).abs() >= magnitude);
        }
    }

    #[test]
    fn neither_unit_nor_zero_matter(points in stepped(), scale in 0.01..100.0f64, shift in -10.0..10.0f64) {
        let rule = Rule { p: P, magnitude: 0.2 };
        let other: Vec<f64> = points.iter().map(|point| scale * point + shift).collect();
        let scaled = Rule { magnitude: 0.2 * scale, ..rule };
        prop_assert_eq!(found(&points, rule), found(&other, scaled));
    }

    #[test]
    fn a_clear_step_is_found_where_it_is(
        noise in series(10..50), at in 2usize..48, up in any::<bool>(),
    ) {
        let at = at.min(noise.len() - 2);
        let level = if up { 20.0 } else { -20.0 };
        let points: Vec<f64> = noise
            .iter()
            .enumerate()
            .map(|(place, noise)| if place < at { *noise } else { level + noise })
            .collect();
        let found = found(&points, Rule { p: P, magnitude: 5.0 });
        prop_assert_eq!(found, vec![at]);
    }
}
