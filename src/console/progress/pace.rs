//! How long a run will go on: its estimate, corrected by how it has kept to it so far. Pure.

use std::time::Duration;

/// A run's estimate, and how far it has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// For all trials together.
    pub(super) estimate: Duration,
    pub(super) trials: usize,
    pub(super) done: usize,
}

impl Pace {
    /// What is left once `passed` has gone by since the first trial began.
    pub(super) fn left(&self, passed: Duration) -> Duration {
        if self.trials == 0 {
            return Duration::ZERO;
        }
        let share = self.done as f64 / self.trials as f64;
        let planned = self.estimate.as_secs_f64() * share;
        let slowness = if planned > 0.0 { passed.as_secs_f64() / planned } else { 1.0 };
        let left = self.estimate.as_secs_f64() * (1.0 - share).max(0.0) * slowness.clamp(0.1, 10.0);
        Duration::from_secs_f64(left.round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_pace_so_far() {
        let pace = |done| Pace { estimate: Duration::from_secs(100), trials: 10, done };
        let left = |done, passed| pace(done).left(Duration::from_secs(passed)).as_secs();
        assert_eq!(left(0, 0), 100);
        assert_eq!(left(0, 7), 100);
        assert_eq!(left(5, 50), 50);
        assert_eq!(left(5, 75), 75);
        assert_eq!(left(5, 5), 5);
        assert_eq!(left(10, 120), 0);
        // Further rounds may be made: none of them counts as done before it is planned.
        assert_eq!(left(12, 120), 0);
        let none = Pace { estimate: Duration::ZERO, trials: 0, done: 0 };
        assert_eq!(none.left(Duration::from_secs(1)), Duration::ZERO);
    }
}
