//! What stands out in the rounds of a row: a point far off the others, and a trend. For a person to look at; nothing is
//! ever removed for it.
//!
//! From each point the median of its row is taken off, and then the median of its round over all rows (as in the median polish
//! of Tukey 1977, one sweep), so that a point far off moves neither, and does not make the other rows of its round look far
//! off. How much a row usually scatters is taken from what the *other* rows leave of it: among few rows it is itself the median
//! in many rounds, and would seem not to scatter at all.

use super::median::median;
use super::rounds::Whole;
use super::trend::{kendall_p, theil_sen_slope};

/// So many robust standard deviations off the median is far: a modified z-score above 6 (Iglewicz and Hoaglin 1993, but
/// for their 3.5, which seven points exceed too often by chance).
const FAR: f64 = 6.0;
/// The median absolute deviation of a normal distribution, as a share of its standard deviation.
const MAD_OF_NORMAL: f64 = 0.674_5;
/// A trend that chance makes so seldom is none of its making.
const CHANCE: f64 = 0.01;
/// Among fewer rounds one of five is far off by chance too often.
const ROUNDS_MIN: usize = 7;
/// Of two rows nobody can say which of them stands out.
const ROWS_MIN: usize = 3;

/// What stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// One point lies far off the others.
    Apart {
        /// The number of its round.
        round: u32,
        /// How far off the median.
        by: f64,
    },
    /// The points rise or fall.
    Trend {
        /// From first to last along the slope of Theil and Sen.
        by: f64,
    },
}

/// What stands out of each row by more than `effect`, in logarithms.
pub fn standing_out(table: &Whole, effect: f64) -> Vec<Vec<Standing>> {
    if table.logs.len() < ROWS_MIN {
        return vec![Vec::new(); table.logs.len()];
    }
    let rows: Vec<Vec<f64>> = table.logs.iter().map(|row| off(row, row)).collect();
    let spreads: Vec<f64> = (0..rows.len()).map(|row| spread_about_others(&rows, row)).collect();
    // Seven points may lie close together by chance: no row is taken to scatter less than rows usually do.
    let least = median(&spreads).unwrap_or(0.0);
    let of_rounds: Vec<f64> =
        (0..table.rounds.len()).map(|round| median_of(rows.iter().map(|row| row[round]))).collect();
    let rest =
        |row: &Vec<f64>| row.iter().zip(&of_rounds).map(|(it, all)| it - all).collect::<Vec<_>>();
    rows.iter()
        .zip(&spreads)
        .map(|(row, own)| standing(&rest(row), &table.rounds, own.max(least), effect))
        .collect()
}

/// How much a row scatters in one round about the median of the other rows: a robust standard deviation.
fn spread_about_others(rows: &[Vec<f64>], row: usize) -> f64 {
    let others = |round: usize| {
        let others = rows.iter().enumerate().filter(|(other, _)| *other != row);
        median_of(others.map(|(_, other)| other[round]))
    };
    let rest: Vec<f64> =
        rows[row].iter().enumerate().map(|(round, it)| it - others(round)).collect();
    median_of(off(&rest, &rest).into_iter().map(f64::abs)) / MAD_OF_NORMAL
}

/// Points less the median of some.
fn off(points: &[f64], some: &[f64]) -> Vec<f64> {
    let middle = median(some).unwrap_or(0.0);
    points.iter().map(|point| point - middle).collect()
}

fn median_of(values: impl Iterator<Item = f64>) -> f64 {
    median(&values.collect::<Vec<_>>()).unwrap_or(0.0)
}

/// What stands out of these points, which usually scatter by `spread`. Of points that do not scatter at all it is not known
/// what is far.
fn standing(points: &[f64], rounds: &[u32], spread: f64, effect: f64) -> Vec<Standing> {
    let is_far = |by: f64| {
        by.abs() > effect && spread > 0.0 && by.abs() > FAR * spread && points.len() >= ROUNDS_MIN
    };
    let apart = rounds
        .iter()
        .zip(off(points, points))
        .filter(|(_, by)| is_far(*by))
        .map(|(round, by)| Standing::Apart { round: *round, by });
    let slope = theil_sen_slope(points).unwrap_or(0.0);
    let by = slope * points.len().saturating_sub(1) as f64;
    let trend = (by.abs() > effect && kendall_p(points) < CHANCE).then_some(Standing::Trend { by });
    apart.chain(trend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WOBBLE: [f64; 7] = [0.01, -0.01, 0.0, 0.012, -0.008, 0.004, -0.006];

    /// Rows about levels of their own, each with the wobble from another place on, over rounds of which the third failed.
    fn table(rows: usize) -> Whole {
        let row = |row: usize| -> Vec<f64> {
            (0..7).map(|round| row as f64 + WOBBLE[(round + 3 * row) % 7]).collect()
        };
        Whole { rounds: vec![1, 2, 4, 5, 6, 7, 8], logs: (0..rows).map(row).collect() }
    }

    #[test]
    fn what_wobbles_does_not_stand_out_and_what_jumps_or_rises_does() {
        for rows in [3, 4, 5] {
            assert_eq!(standing_out(&table(rows), 0.02), vec![vec![]; rows]);
            let mut jump = table(rows);
            jump.logs[1][4] += 0.5;
            let found = standing_out(&jump, 0.02);
            assert!(
                matches!(found[1][..], [Standing::Apart { round: 6, by }] if by > 0.4),
                "{rows} rows: {found:?}"
            );
            // A row that jumps makes none of the others stand out.
            assert!(found.iter().enumerate().all(|(row, found)| row == 1 || found.is_empty()));
            let mut rise = table(rows);
            for (round, point) in (0..).zip(&mut rise.logs[1]) {
                *point += 0.05 * f64::from(round);
            }
            let found = standing_out(&rise, 0.02);
            assert!(
                matches!(found[1][..], [Standing::Trend { by }] if by > 0.2),
                "{rows} rows: {found:?}"
            );
            // Too little to matter.
            assert_eq!(standing_out(&rise, 0.5)[1], []);
        }
    }

    #[test]
    fn of_too_little_nothing_stands_out() {
        let mut two = table(2);
        two.logs[1][4] += 0.5;
        assert_eq!(standing_out(&two, 0.02), [[], []]);
        let mut short = table(3);
        short.rounds.truncate(6);
        short.logs.iter_mut().for_each(|row| row.truncate(6));
        short.logs[1][4] += 0.5;
        assert_eq!(standing_out(&short, 0.02), [[], [], []]);
        assert_eq!(standing_out(&Whole { rounds: vec![], logs: vec![] }, 0.02), [[]; 0]);
        // Where nothing scatters in most rounds, nothing tells how far is far.
        let mut still = table(3);
        still.logs = vec![vec![1.0; 7]; 3];
        still.logs[1][4] += 0.03;
        assert_eq!(standing_out(&still, 0.02), [[], [], []]);
    }
}
