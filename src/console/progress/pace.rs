//! How long a run will go on: its estimate, corrected by how it has kept to it so far. Pure.

use std::time::Duration;

/// A run's estimate, and how far it has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// For all trials that were planned at first.
    pub(super) estimate: Duration,
    /// How many these were.
    pub(super) planned: usize,
    /// How many there are by now: further rounds add to them.
    pub(super) trials: usize,
    pub(super) done: usize,
}

impl Pace {
    /// What is left once `passed` has gone by since the first trial began.
    pub(super) fn left(&self, passed: Duration) -> Duration {
        if self.planned == 0 {
            return Duration::ZERO;
        }
        let each = self.estimate.as_secs_f64() / self.planned as f64;
        let expected = each * self.done as f64;
        let slowness = if expected > 0.0 { passed.as_secs_f64() / expected } else { 1.0 };
        let ahead = self.trials.saturating_sub(self.done) as f64;
        let left = each * ahead * slowness.clamp(0.1, 10.0);
        Duration::from_secs_f64(left.round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_pace_so_far() {
        let pace = |done, trials| {
            let estimate = Duration::from_secs(100);
            Pace { estimate, planned: 10, trials, done }
        };
        let left = |done, passed| pace(done, 10).left(Duration::from_secs(passed)).as_secs();
        assert_eq!(left(0, 0), 100);
        assert_eq!(left(0, 7), 100);
        assert_eq!(left(5, 50), 50);
        assert_eq!(left(5, 75), 75);
        assert_eq!(left(5, 5), 5);
        assert_eq!(left(10, 120), 0);
        let none = Pace { estimate: Duration::ZERO, planned: 0, trials: 0, done: 0 };
        assert_eq!(none.left(Duration::from_secs(1)), Duration::ZERO);
        // A further round of two takes as long as two others do.
        let further = |done, passed| pace(done, 12).left(Duration::from_secs(passed)).as_secs();
        assert_eq!((further(10, 100), further(10, 150), further(11, 110)), (20, 30, 10));
        assert_eq!(further(12, 120), 0);
    }
}
