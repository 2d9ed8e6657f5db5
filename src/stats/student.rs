//! Student's t distribution, and F: the quantile that an interval is made with, and how unlikely a difference is.
//!
//! By the regularised incomplete beta function, evaluated as the continued fraction of DLMF 8.17.22 in the way of Lentz,
//! and inverted by bisection: slow and exact. All pairs of a large table share a few degrees of freedom, so each thread
//! remembers the quantiles that it has found.

use std::cell::RefCell;
use std::collections::HashMap;

/// So many quantiles are remembered, and then forgotten all at once; a run needs a few dozen.
const REMEMBERED: usize = 4096;

thread_local! {
    /// By the bits of level and degrees of freedom.
    static QUANTILES: RefCell<HashMap<(u64, u64), f64>> = RefCell::new(HashMap::new());
}

/// The two-sided quantile: with that many degrees of freedom, a t-distributed number lies within plus and minus the
/// result with probability `level`.
///
/// # Panics
/// If there are no degrees of freedom, or `level` is not between 0 and 1.
pub fn two_sided_quantile(level: f64, degrees_of_freedom: f64) -> f64 {
    assert!(degrees_of_freedom > 0.0, "{degrees_of_freedom} degrees of freedom");
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let key = (level.to_bits(), degrees_of_freedom.to_bits());
    QUANTILES.with_borrow_mut(|known| {
        if known.len() >= REMEMBERED {
            known.clear();
        }
        *known.entry(key).or_insert_with(|| find_quantile(level, degrees_of_freedom))
    })
}

fn find_quantile(level: f64, degrees_of_freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, degrees_of_freedom) < level {
        high *= 2.0;
    }
    while high - low > 1e-12 * high {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if within(middle, degrees_of_freedom) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The probability that a t-distributed number lies farther from 0 than `t`, on either side.
///
/// # Panics
/// If there are no degrees of freedom.
pub fn two_sided_p(t: f64, degrees_of_freedom: f64) -> f64 {
    assert!(degrees_of_freedom > 0.0, "{degrees_of_freedom} degrees of freedom");
    // Without taking it from 1, which would leave nothing of what is small.
    let x = degrees_of_freedom / (degrees_of_freedom + t * t);
    incomplete_beta(x, degrees_of_freedom / 2.0, 0.5)
}

/// The probability that a number of the F distribution is above `f` (Abramowitz and Stegun 26.6.2).
///
/// # Panics
/// If there are no degrees of freedom above or below.
pub fn f_exceeded(f: f64, (above, below): (f64, f64)) -> f64 {
    assert!(above > 0.0 && below > 0.0, "{above} and {below} degrees of freedom");
    incomplete_beta(below / (below + above * f.max(0.0)), below / 2.0, above / 2.0)
}

/// The probability of lying within plus and minus `t` (DLMF 8.17, Abramowitz and Stegun 26.7.1).
fn within(t: f64, degrees_of_freedom: f64) -> f64 {
    let x = degrees_of_freedom / (degrees_of_freedom + t * t);
    1.0 - incomplete_beta(x, degrees_of_freedom / 2.0, 0.5)
}

/// The regularised incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front =
        (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast on one side of the mean; the other follows by symmetry (8.17.4).
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let floor = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / floor(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = below;
    for m in (1..500).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for numerator in [even, odd] {
            below = 1.0 / floor(1.0 + numerator * below);
            above = floor(1.0 + numerator / above);
            fraction *= above * below;
        }
        if (above * below - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function: Stirling's series (DLMF 5.11.1), after raising the argument.
fn ln_gamma(mut z: f64) -> f64 {
    let mut shift = 0.0;
    while z < 15.0 {
        shift += z.ln();
        z += 1.0;
    }
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_that_is_remembered_is_the_one_that_was_found() {
        for degrees in
            (1..=2 * REMEMBERED).map(|it| 1.0 + it as f64 / 8.0).step_by(97).chain([6.0, 6.0])
        {
            for level in [0.95, 0.99] {
                let found = find_quantile(level, degrees);
                assert_eq!(two_sided_quantile(level, degrees).to_bits(), found.to_bits());
                assert_eq!(two_sided_quantile(level, degrees).to_bits(), found.to_bits());
            }
        }
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        // Two-sided 95 %, and 99 % in the last two rows.
        for (level, degrees, truth) in [
            (0.95, 1.0, 12.7062),
            (0.95, 2.0, 4.3027),
            (0.95, 4.0, 2.7764),
            (0.95, 6.0, 2.4469),
            (0.95, 9.0, 2.2622),
            (0.95, 30.0, 2.0423),
            (0.95, 1e6, 1.9600),
            (0.99, 6.0, 3.7074),
            (0.99, 60.0, 2.6603),
        ] {
            let quantile = two_sided_quantile(level, degrees);
            assert!((quantile - truth).abs() < 1e-4, "{level} {degrees}: {quantile}");
        }
    }

    #[test]
    fn probabilities_are_those_of_the_printed_tables() {
        for (t, degrees, truth) in
            [(12.7062, 1.0, 0.05), (2.4469, 6.0, 0.05), (3.7074, 6.0, 0.01), (0.0, 9.0, 1.0)]
        {
            assert!((two_sided_p(t, degrees) - truth).abs() < 1e-5, "{t} {degrees}");
            assert!((two_sided_p(-t, degrees) - truth).abs() < 1e-5, "{t} {degrees}");
        }
        // What is far out keeps its order: with one degree of freedom, 2 / (pi t).
        let far = two_sided_p(1e9, 1.0) * 1e9 * std::f64::consts::FRAC_PI_2;
        assert!((far - 1.0).abs() < 1e-6, "{far}");
        // 5 % points of F.
        for (f, degrees, truth) in
            [(161.4476, (1.0, 1.0), 0.05), (3.4903, (3.0, 12.0), 0.05), (2.6060, (3.0, 12.0), 0.1)]
        {
            let found = f_exceeded(f, degrees);
            assert!((found - truth).abs() < 1e-4, "{f} {degrees:?}: {found}");
        }
    }

    #[test]
    fn ln_gamma_is_that_of_factorials_and_of_one_half() {
        assert!((ln_gamma(5.0) - 24f64.ln()).abs() < 1e-10);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-10);
    }
}
