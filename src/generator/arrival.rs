//! When requests are meant to be made: the intended instants of a paced load, fixed before it begins.
//!
//! Pure: no clock is read here. A closed loop has no schedule; there a request is intended when its slot becomes free.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::clock::Instant;
use crate::matrix::Arrival;

/// Which thread of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// From 0.
    pub index: usize,
    /// How many there are.
    pub threads: usize,
}

/// The intended instants of one thread: every T-th of the whole load's, so that T threads together keep the schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    start: Instant,
    distances: Distances,
    stride: u64,
    next: Instant,
}

#[derive(Debug, Clone)]
enum Distances {
    /// The n-th instant is `n / rate` after the start: a closed formula, so nothing adds up over time.
    Even { rate: f64, index: u64 },
    /// A sum of exponential distances, the same sequence in each thread.
    Poisson { rate: f64, rng: Box<ChaCha8Rng>, offset_seconds: f64 },
}

impl Schedule {
    /// The schedule of the thread that `share` names; `None` for a closed loop. `seed` draws the distances of a
    /// Poisson process.
    ///
    /// # Panics
    /// If the rate is not positive, or there is no such thread.
    pub fn new(arrival: Arrival, seed: u64, start: Instant, share: Share) -> Option<Self> {
        let Share { index, threads } = share;
        assert!(index < threads, "thread {index} of {threads}");
        let (rate, mut distances) = match arrival {
            Arrival::ClosedLoop => return None,
            Arrival::Even { rate } => (rate, Distances::Even { rate, index: index as u64 }),
            Arrival::Poisson { rate } => {
                let rng = Box::new(ChaCha8Rng::seed_from_u64(seed));
                (rate, Distances::Poisson { rate, rng, offset_seconds: 0.0 })
            }
        };
        assert!(rate > 0.0, "a rate of {rate}");
        let skipped = match distances {
            Distances::Even { .. } => 0,
            Distances::Poisson { .. } => index as u64 + 1,
        };
        let next = start + distances.advance(skipped);
        Some(Self { start, distances, stride: threads as u64, next })
    }

    /// The next intended instant.
    pub fn peek(&self) -> Instant {
        self.next
    }

    /// The next intended instant, which is thereby used up.
    pub fn take(&mut self) -> Instant {
        let taken = self.next;
        self.next = self.start + self.distances.advance(self.stride);
        taken
    }

    /// How many instants not yet taken lie before `end`. Of even distances they are not counted one by one, as this is
    /// asked while load runs and a server that is too slow leaves very many.
    pub fn count_before(&self, end: Instant) -> u64 {
        let mut ahead = self.clone();
        let mut count = ahead.distances.skip_before(end.since(ahead.start), ahead.stride);
        ahead.next = ahead.start + ahead.distances.advance(0);
        while ahead.peek() < end {
            ahead.take();
            count += 1;
        }
        count
    }
}

impl Distances {
    /// Goes on by whole strides as far as surely lies before `end`; returns by how many.
    fn skip_before(&mut self, end: Duration, stride: u64) -> u64 {
        let Self::Even { rate, index } = self else { return 0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let before = (end.as_secs_f64() * *rate) as u64;
        let strides = (before.saturating_sub(*index) / stride).saturating_sub(1);
        *index += strides * stride;
        strides
    }

    /// Goes on by so many instants of the whole load; returns the new one's distance from the start.
    fn advance(&mut self, instants: u64) -> Duration {
        match self {
            Self::Even { rate, index } => {
                *index += instants;
                Duration::from_secs_f64(*index as f64 / *rate)
            }
            Self::Poisson { rate, rng, offset_seconds } => {
                for _ in 0..instants {
                    // Inverse of the exponential's distribution function; 1 - u is never zero.
                    let uniform: f64 = rng.random();
                    *offset_seconds += -(1.0 - uniform).ln() / *rate;
                }
                Duration::from_secs_f64(*offset_seconds)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant::from_nanos(1_000_000_000);

    fn instants(arrival: Arrival, threads: usize, count: usize) -> Vec<Instant> {
        let mut all: Vec<Instant> = (0..threads)
            .flat_map(|index| {
                let share = Share { index, threads };
                let mut schedule = Schedule::new(arrival, 7, START, share).expect("paced");
                (0..count).map(move |_| schedule.take()).collect::<Vec<_>>()
            })
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn even_instants_follow_the_formula_for_any_rate_however_far_out() {
        for rate in [0.5, 3.0, 1000.0, 33_333.0] {
            for (place, instant) in instants(Arrival::Even { rate }, 1, 1000).iter().enumerate() {
                let truth = 1e9 + place as f64 * 1e9 / rate;
                assert!((instant.as_nanos() as f64 - truth).abs() <= 1.0, "{rate} {place}");
            }
        }
    }

    #[test]
    fn threads_share_one_schedule_between_them() {
        for arrival in [Arrival::Even { rate: 777.0 }, Arrival::Poisson { rate: 777.0 }] {
            let alone = instants(arrival, 1, 12);
            assert_eq!(instants(arrival, 3, 4), alone);
            assert_eq!(instants(arrival, 4, 3), alone);
        }
    }

    #[test]
    fn poisson_distances_have_mean_and_deviation_of_the_rate() {
        let rate = 1000.0;
        let all = instants(Arrival::Poisson { rate }, 1, 50_000);
        let gaps: Vec<f64> =
            all.windows(2).map(|pair| pair[1].nanos_since(pair[0]) as f64 / 1e9).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean * rate - 1.0).abs() < 0.02, "mean {mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "deviation {}", variance.sqrt());
    }

    #[test]
    fn instants_before_an_end_are_counted_without_being_taken() {
        let alone = Share { index: 0, threads: 1 };
        let even = Arrival::Even { rate: 100.0 };
        let schedule = Schedule::new(even, 7, START, alone).expect("paced");
        assert_eq!(schedule.count_before(START), 0);
        assert_eq!(schedule.count_before(START + Duration::from_secs(1)), 100);
        assert_eq!(schedule.peek(), START);
        for threads in [1, 3, 7] {
            for arrival in [Arrival::Even { rate: 777.0 }, Arrival::Poisson { rate: 777.0 }] {
                let end = START + Duration::from_millis(1003);
                let counted: u64 = (0..threads)
                    .filter_map(|index| Schedule::new(arrival, 7, START, Share { index, threads }))
                    .map(|schedule| schedule.count_before(end))
                    .sum();
                let all = instants(arrival, 1, 2000);
                let truth = all.iter().filter(|it| **it < end).count() as u64;
                assert_eq!(counted, truth);
            }
        }
    }
}
