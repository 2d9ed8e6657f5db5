//! Rows and rounds together: what is left of each point once its row and its round are taken off, and how much of that
//! there is.
//!
//! The additive model of a randomised complete block design: point = row + round + rest (Montgomery, Design and Analysis
//! of Experiments, 4.1). Points are logarithms, so that a round that is slow for all is slow by the same factor.

use super::geometric::LEVEL;
use super::median::median;
use super::student;

/// Below this probability the rows' spreads are taken to differ.
const SPREADS_DIFFER: f64 = 0.1;

/// What is left, row by row, each round in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    rows: Vec<Vec<f64>>,
}

impl Residuals {
    /// Of points that are all there: a row of logarithms for each, all of the same length. `None` for fewer than two rows
    /// or rounds.
    pub fn of(rows: &[Vec<f64>]) -> Option<Self> {
        let rounds = rows.first()?.len();
        if rows.len() < 2 || rounds < 2 || rows.iter().any(|row| row.len() != rounds) {
            return None;
        }
        let mean = |points: &mut dyn Iterator<Item = f64>, count: usize| {
            points.sum::<f64>() / count as f64
        };
        let of_rows: Vec<f64> =
            rows.iter().map(|row| mean(&mut row.iter().copied(), rounds)).collect();
        let of_rounds: Vec<f64> = (0..rounds)
            .map(|round| mean(&mut rows.iter().map(|row| row[round]), rows.len()))
            .collect();
        let whole = mean(&mut of_rows.iter().copied(), rows.len());
        let rest = |(row, of_row): (&Vec<f64>, &f64)| {
            row.iter()
                .zip(&of_rounds)
                .map(|(point, of_round)| point - of_row - of_round + whole)
                .collect()
        };
        Some(Self { rows: rows.iter().zip(&of_rows).map(rest).collect() })
    }

    /// Degrees of freedom of what is left.
    pub fn degrees_of_freedom(&self) -> f64 {
        ((self.rows.len() - 1) * (self.rows[0].len() - 1)) as f64
    }

    /// The standard deviation of a single point, once row and round are taken off.
    pub fn deviation(&self) -> f64 {
        let squares: f64 = self.rows.iter().flatten().map(|rest| rest * rest).sum();
        (squares / self.degrees_of_freedom()).sqrt()
    }

    /// Whether all rows scatter alike, as far as can be told: by the test of Levene about medians (Brown and Forsythe 1974).
    /// Two rows always do, since what is left of one is what is left of the other with its sign turned.
    pub fn are_alike(&self) -> bool {
        let rounds = self.rows[0].len();
        if self.rows.len() < 3 {
            return true;
        }
        let distances: Vec<Vec<f64>> = self
            .rows
            .iter()
            .map(|row| {
                let middle = median(row).unwrap_or(0.0);
                row.iter().map(|rest| (rest - middle).abs()).collect()
            })
            .collect();
        let mean = |points: &[f64]| points.iter().sum::<f64>() / points.len() as f64;
        let means: Vec<f64> = distances.iter().map(|row| mean(row)).collect();
        let whole = mean(&means);
        let between: f64 =
            means.iter().map(|mean| rounds as f64 * (mean - whole).powi(2)).sum::<f64>();
        let within: f64 = distances
            .iter()
            .zip(&means)
            .flat_map(|(row, mean)| row.iter().map(move |distance| (distance - mean).powi(2)))
            .sum();
        let degrees = ((self.rows.len() - 1) as f64, (self.rows.len() * (rounds - 1)) as f64);
        if within <= 0.0 {
            return between <= 0.0;
        }
        student::f_exceeded((between / degrees.0) / (within / degrees.1), degrees) >= SPREADS_DIFFER
    }
}

/// The difference between two rows, as a share, from which on the 95 % interval of their ratio excludes that they are alike,
/// where a point scatters by `deviation` (in logarithms) and that is known with so many degrees of freedom.
///
/// # Panics
/// If there are no degrees of freedom.
pub fn smallest_effect(deviation: f64, degrees_of_freedom: f64, rounds: u32) -> f64 {
    let error = deviation * (2.0 / f64::from(rounds)).sqrt();
    (student::two_sided_quantile(LEVEL, degrees_of_freedom) * error).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_rounds_leave_nothing_of_what_they_explain() {
        let rows: Vec<Vec<f64>> = [1.0, 5.0, 9.0]
            .iter()
            .map(|row| [0.0, 0.2, -0.3, 0.7].iter().map(|round| row + round).collect())
            .collect();
        let left = Residuals::of(&rows).expect("three rows");
        assert!(left.deviation() < 1e-12);
        assert!((left.degrees_of_freedom() - 6.0).abs() < 1e-12);
        assert_eq!(Residuals::of(&rows[..1]), None);
        assert_eq!(Residuals::of(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(Residuals::of(&[]), None);
    }

    #[test]
    fn the_deviation_of_two_rows_is_that_of_their_differences() {
        let rows = [vec![1.0, 2.0, 4.0], vec![1.5, 1.0, 3.0]];
        let left = Residuals::of(&rows).expect("two rows");
        // Differences -0.5, 1, 1: their variance is 0.75, of which each row has half.
        assert!((left.deviation() - 0.375f64.sqrt()).abs() < 1e-12, "{}", left.deviation());
        assert!(left.are_alike());
    }

    #[test]
    fn a_row_that_scatters_ten_times_as_much_is_not_like_the_others() {
        let scatter = [0.3, -1.1, 0.8, -0.2, 1.4, -0.9, -0.4, 0.6];
        let row = |scale: f64, shift: usize| -> Vec<f64> {
            (0..8).map(|round| scale * scatter[(round + shift) % 8]).collect()
        };
        let alike = Residuals::of(&[row(1.0, 0), row(1.0, 3), row(1.0, 5), row(1.0, 6)]);
        assert!(alike.expect("four rows").are_alike());
        let wild = Residuals::of(&[row(1.0, 0), row(1.0, 3), row(1.0, 5), row(10.0, 6)]);
        assert!(!wild.expect("four rows").are_alike());
    }
}
