//! Where a series of figures, one a run, went from one level to another.
//!
//! The algorithm of Hunter, now Apache Otava (Fleming, Kołaczkowski and others 2023, "Hunter: Using Change Point Detection to
//! Hunt for Performance Regressions", doi 10.1145/3578244.3583719). It *splits* by E-divisive (Matteson and James 2014,
//! doi 10.1080/01621459.2013.849605): where two parts of a window differ most by the distances between their points. A split
//! is kept for the time being where Student's t-test, at ten times the probability that is asked for, tells the parts apart. Then
//! it *merges*: the weakest point falls, and its neighbours are tested anew, until every one that is left passes
//! the probability and the magnitude that are asked for.
//!
//! Two things are stricter than there: a part has two points at least, so that a spike is none, and fewer than ten
//! points tell nothing.

use std::collections::BTreeSet;

use super::student::{two_sided_p, two_sided_quantile};

#[cfg(test)]
mod tests;

/// So many points are split at once; the next window begins in the middle of it, or at its last change point.
pub const WINDOW: usize = 50;
/// The probability of so large a difference between parts that are alike, of a series that is looked at alone.
pub const P: f64 = 0.001;
/// Fewer points tell nothing.
pub const POINTS_MIN: usize = 10;
/// The points of a part, at least.
pub const PART_MIN: usize = 2;
/// While splits are looked for, the probability may be so many times as high.
const WEAK: f64 = 10.0;

/// What a change point must pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The probability of so large a difference between parts that are alike, at most; between 0 and 0.1.
    pub p: f64,
    /// The difference between the means of both parts, at least, in the unit of the points.
    pub magnitude: f64,
}

/// Where a series changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The first point of the new level.
    pub index: usize,
    /// The mean from the change point before it, or the beginning.
    pub before: f64,
    /// The mean up to the change point after it, or the end.
    pub after: f64,
    /// The probability of so large a difference between parts that are alike.
    pub p: f64,
}

/// The change points of a series, in order. None of fewer than ten points, or if one of them is no number.
///
/// # Panics
/// If the rule's probability is not between 0 and 0.1.
pub fn find(points: &[f64], rule: Rule) -> Vec<ChangePoint> {
    assert!(rule.p > 0.0 && rule.p < 0.1, "a probability of {}", rule.p);
    if points.len() < POINTS_MIN || !points.iter().all(|point| point.is_finite()) {
        return Vec::new();
    }
    merge(points, split(points, rule.p * WEAK), rule)
}

/// Splits window by window.
fn split(points: &[f64], p: f64) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut begin = 0;
    while begin < points.len() {
        let end = (begin + WINDOW).min(points.len());
        let within = divide(&points[begin..end], p);
        let last = within.last().map_or(0, |index| begin + index);
        found.extend(within.iter().map(|index| begin + index));
        begin = last.max(begin + WINDOW / 2);
    }
    found
}

/// Divides a window where its parts differ most, and each part again, as long as the t-test tells both sides apart.
fn divide(window: &[f64], p: f64) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    // Most windows end here, at a fraction of what looking for the best split takes.
    if !has_split(window, p) {
        return found;
    }
    loop {
        let bounds: Vec<usize> =
            [0].into_iter().chain(found.iter().copied()).chain([window.len()]).collect();
        let parts = bounds.windows(2).filter_map(|bound| {
            let best = best_split(&window[bound[0]..bound[1]])?;
            Some((bound[0], bound[1], best))
        });
        let best = parts.max_by(|one, other| one.2.divergence.total_cmp(&other.2.divergence));
        let Some((from, to, best)) = best else { return found };
        let (left, right) = window[from..to].split_at(best.index);
        if compare(left, right).2 > p {
            return found;
        }
        found.insert(from + best.index);
    }
}

/// Where two parts differ most.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    /// The first point of the second part.
    index: usize,
    /// By how much: the statistic Q of E-divisive, with distances to the power of 1.
    divergence: f64,
}

/// The split of the largest Q, over every place and every end of the second part; the first of several. `None` if there are too few
/// points for two parts.
///
/// With n and m points, Q = 2 / (m + n) * (distances between both parts) - 2 m / ((m + n) (n - 1)) * (distances within the first) -
/// 2 n / ((m + n) (m - 1)) * (distances within the second). Sums of distances are carried on from place to place, so that all Q
/// together take the square of the number of points.
fn best_split(points: &[f64]) -> Option<Split> {
    let count = points.len();
    // Distances among all points before each place.
    let mut first = vec![0.0; count + 1];
    for (place, point) in points.iter().enumerate() {
        let added: f64 = points[..place].iter().map(|other| (other - point).abs()).sum();
        first[place + 1] = first[place] + added;
    }
    // Distances among the points from the place at hand to each end.
    let mut second = vec![0.0; count + 1];
    let mut best: Option<Split> = None;
    for place in (PART_MIN..count).rev() {
        let mut added = 0.0;
        for end in place + 2..=count {
            added += (points[end - 1] - points[place]).abs();
            second[end] += added;
        }
        for end in place + PART_MIN..=count {
            let (n, m) = (place as f64, (end - place) as f64);
            let between = first[end] - first[place] - second[end];
            let within = m / (n - 1.0) * first[place] + n / (m - 1.0) * second[end];
            let divergence = 2.0 / (m + n) * (between - within);
            if best.is_none_or(|best| divergence >= best.divergence) {
                best = Some(Split { index: place, divergence });
            }
        }
    }
    best
}

/// Whether there is any split of which the t-test tells both sides apart.
fn has_split(window: &[f64], p: f64) -> bool {
    let count = window.len();
    if count < 2 * PART_MIN {
        return false;
    }
    let quantile = two_sided_quantile(1.0 - p, (count - 2) as f64);
    // From the middle, since squares of what is far from 0 leave nothing of small differences.
    let middle = window.iter().sum::<f64>() / count as f64;
    let squares: f64 = window.iter().map(|point| (point - middle).powi(2)).sum();
    let mut sum: f64 = window[..PART_MIN - 1].iter().map(|point| point - middle).sum();
    (PART_MIN..=count - PART_MIN).any(|place| {
        sum += window[place - 1] - middle;
        let (n, m) = (place as f64, (count - place) as f64);
        // All deviations from the middle add up to 0, so those of the second part to minus `sum`.
        let between = sum * sum * (1.0 / n + 1.0 / m);
        let within = (squares - between).max(0.0);
        // A little generous, so that rounding never decides here.
        between * (n + m - 2.0) >= quantile * quantile * within * (1.0 - 1e-9)
    })
}

/// The means of two parts, and the probability of so large a difference between parts that are alike, by Student's t-test with the
/// variance of both together.
fn compare(left: &[f64], right: &[f64]) -> (f64, f64, f64) {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let squares =
        |part: &[f64], mean: f64| -> f64 { part.iter().map(|point| (point - mean).powi(2)).sum() };
    let (before, after) = (mean(left), mean(right));
    if left.len() < PART_MIN || right.len() < PART_MIN {
        return (before, after, 1.0);
    }
    let (n, m) = (left.len() as f64, right.len() as f64);
    let degrees = n + m - 2.0;
    let variance = (squares(left, before) + squares(right, after)) / degrees;
    let error = (variance * (1.0 / n + 1.0 / m)).sqrt();
    let p = if error > 0.0 {
        two_sided_p((after - before) / error, degrees)
    } else {
        f64::from(u8::from((after - before).abs() <= 0.0))
    };
    (before, after, p)
}

/// Lets the weakest point fall until all pass: the least probable while one is too probable, then the smallest.
fn merge(points: &[f64], candidates: BTreeSet<usize>, rule: Rule) -> Vec<ChangePoint> {
    let mut left: Vec<usize> = candidates.into_iter().collect();
    loop {
        let tested = test_all(points, &left);
        let weakest =
            tested.iter().enumerate().max_by(|(_, one), (_, other)| one.p.total_cmp(&other.p));
        let Some((mut place, weakest)) = weakest else { return tested };
        if weakest.p <= rule.p {
            let size = |point: &ChangePoint| (point.after - point.before).abs();
            let smallest = tested
                .iter()
                .enumerate()
                .min_by(|(_, one), (_, other)| size(one).total_cmp(&size(other)));
            match smallest {
                Some((index, smallest)) if size(smallest) < rule.magnitude => place = index,
                _ => return tested,
            }
        }
        left.remove(place);
    }
}

fn test_all(points: &[f64], indices: &[usize]) -> Vec<ChangePoint> {
    let bounds: Vec<usize> =
        [0].into_iter().chain(indices.iter().copied()).chain([points.len()]).collect();
    bounds
        .windows(3)
        .map(|bound| {
            let (before, after, p) =
                compare(&points[bound[0]..bound[1]], &points[bound[1]..bound[2]]);
            ChangePoint { index: bound[1], before, after, p }
        })
        .collect()
}
