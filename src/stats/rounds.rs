//! The points of rows by the number of their round. A round in which a row was not measured is not there, so that the others keep
//! their numbers.

use std::collections::BTreeMap;

/// One figure of a row, a point a round, by the round's number from 1.
pub type Points = BTreeMap<u32, f64>;

/// One row as ratios to another, in the order of the rounds in which both have a point.
pub fn ratios(one: &Points, other: &Points) -> Vec<f64> {
    one.iter().filter_map(|(round, point)| Some(point / other.get(round)?)).collect()
}

/// The rounds in which each of some rows has a positive point, and the logarithms of those.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Their numbers.
    pub rounds: Vec<u32>,
    /// Row by row, one point for each of these rounds.
    pub logs: Vec<Vec<f64>>,
}

impl Whole {
    /// Of these rows.
    pub fn of(rows: &[&Points]) -> Self {
        let has = |row: &Points, round: u32| row.get(&round).is_some_and(|point| *point > 0.0);
        let of_first = rows.iter().take(1).flat_map(|row| row.keys().copied());
        let rounds: Vec<u32> =
            of_first.filter(|round| rows.iter().all(|row| has(row, *round))).collect();
        let logs = rows.iter().map(|row| rounds.iter().map(|round| row[round].ln()).collect());
        Self { logs: logs.collect(), rounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_one_row_lacks_do_not_count_and_the_others_keep_their_numbers() {
        let one = Points::from([(1, 1.0), (2, 4.0), (4, 8.0), (5, 2.0)]);
        let other = Points::from([(1, 2.0), (3, 9.0), (4, 2.0), (5, 0.0)]);
        assert_eq!(ratios(&one, &other)[..2], [0.5, 4.0]);
        let whole = Whole::of(&[&one, &other]);
        assert_eq!(whole.rounds, [1, 4]);
        assert_eq!(whole.logs, [[0.0, 8f64.ln()], [2f64.ln(), 2f64.ln()]]);
        assert_eq!(Whole::of(&[]), Whole { rounds: Vec::new(), logs: Vec::new() });
    }
}
