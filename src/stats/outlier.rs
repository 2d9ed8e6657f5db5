//! What stands out in the rounds of a row: a point far off the others, and a trend. For a person to look at; nothing is
//! ever removed for it.

use super::blocks::median;
use super::trend::{kendall_p, theil_sen_slope};

/// So many robust standard deviations off the median is far: a modified z-score above 10 (Iglewicz and Hoaglin 1993, but
/// for their 3.5, which seven points exceed too often by chance).
const FAR: f64 = 10.0;
/// The median absolute deviation of a normal distribution, as a share of its standard deviation.
const MAD_OF_NORMAL: f64 = 0.674_5;
/// A trend that chance makes so seldom is none of its making.
const CHANCE: f64 = 0.01;

/// Among fewer rounds one of five is far off by chance too often.
const ROUNDS_MIN: usize = 7;

/// What stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// One point lies far off the others.
    Apart {
        /// Its place, from 0.
        round: usize,
        /// How far off the median.
        by: f64,
    },
    /// The points rise or fall.
    Trend {
        /// From first to last along the slope of Theil and Sen.
        by: f64,
    },
}

/// What stands out of these points by more than `effect`.
pub fn standing_out(points: &[f64], effect: f64) -> Vec<Standing> {
    let middle = median(points);
    let distances: Vec<f64> = points.iter().map(|point| (point - middle).abs()).collect();
    let usual = median(&distances) / MAD_OF_NORMAL;
    let apart =
        points.iter().zip(&distances).enumerate().filter_map(|(round, (point, distance))| {
            let is_far =
                *distance > effect && *distance > FAR * usual && points.len() >= ROUNDS_MIN;
            is_far.then_some(Standing::Apart { round, by: point - middle })
        });
    let slope = theil_sen_slope(points).unwrap_or(0.0);
    let by = slope * points.len().saturating_sub(1) as f64;
    let trend = (by.abs() > effect && kendall_p(points) < CHANCE).then_some(Standing::Trend { by });
    apart.chain(trend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WOBBLE: [f64; 7] = [0.01, -0.01, 0.0, 0.012, -0.008, 0.004, -0.006];

    #[test]
    fn what_wobbles_does_not_stand_out_and_what_jumps_or_rises_does() {
        assert_eq!(standing_out(&WOBBLE, 0.02), []);
        let mut jump = WOBBLE;
        jump[4] = 0.5;
        let found = standing_out(&jump, 0.02);
        assert!(matches!(found[..], [Standing::Apart { round: 4, by }] if by > 0.4), "{found:?}");
        let rise: Vec<f64> = (0..7).map(|round| 0.03 * f64::from(round)).collect();
        let found = standing_out(&rise, 0.02);
        assert!(matches!(found[..], [Standing::Trend { by }] if (by - 0.18).abs() < 1e-9));
        // Too little to matter.
        let rise: Vec<f64> = rise.iter().map(|point| point / 10.0).collect();
        assert_eq!(standing_out(&rise, 0.02), []);
        assert_eq!(standing_out(&[], 0.02), []);
        assert_eq!(standing_out(&[1.0, 1.0, 9.0], 0.02), []);
    }
}
