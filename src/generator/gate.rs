//! Where the run and the generator's threads meet: when the window opens and closes, and how the warm-up goes.
//!
//! Threads look at it every few milliseconds until the window is known, and no more while it is open.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::tally::STEP;
use crate::clock::Instant;
use crate::processes;

/// How many steps of the warm-up are kept.
const KEPT: usize = 64;

/// When the window opens and closes; both are unknown at first.
#[derive(Debug)]
pub(super) struct Gate {
    opens: AtomicU64,
    closes: AtomicU64,
    is_cancelled: AtomicBool,
    is_cut_short: AtomicBool,
}

impl Gate {
    pub(super) fn new() -> Self {
        let never = Instant::NEVER.as_nanos();
        Self {
            opens: AtomicU64::new(never),
            closes: AtomicU64::new(never),
            is_cancelled: AtomicBool::new(false),
            is_cut_short: AtomicBool::new(false),
        }
    }

    /// Sets the window. Its opening must lie far enough ahead for every thread to see it in time.
    pub(super) fn set(&self, opens: Instant, closes: Instant) {
        self.closes.store(closes.as_nanos(), Ordering::Relaxed);
        self.opens.store(opens.as_nanos(), Ordering::Release);
    }

    /// When it opens, and when it closes.
    pub(super) fn window(&self) -> (Instant, Instant) {
        let opens = self.opens.load(Ordering::Acquire);
        (Instant::from_nanos(opens), Instant::from_nanos(self.closes.load(Ordering::Relaxed)))
    }

    /// Ends all load without a result.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Closes an open window at once; what was counted in it stays.
    pub(super) fn cut_short(&self) {
        self.is_cut_short.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cut_short(&self) -> bool {
        self.is_cut_short.load(Ordering::Relaxed)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// The right answers of one thread in each of the last steps of the warm-up.
#[derive(Debug)]
pub(super) struct Progress {
    started: Instant,
    steps: [AtomicU64; KEPT],
    /// How many steps are complete.
    complete: AtomicU64,
    /// The thread's number; zero until it has begun, and where threads have none.
    tid: AtomicU32,
}

impl Progress {
    pub(super) fn new(started: Instant) -> Self {
        Self {
            started,
            steps: std::array::from_fn(|_| AtomicU64::new(0)),
            complete: AtomicU64::new(0),
            tid: AtomicU32::new(0),
        }
    }

    /// The calling thread is the one whose progress this is.
    pub(super) fn is_of_this_thread(&self) {
        self.tid.store(processes::own_thread().unwrap_or(0), Ordering::Relaxed);
    }

    /// The thread's number, once it has begun.
    pub(super) fn thread_id(&self) -> Option<u32> {
        Some(self.tid.load(Ordering::Relaxed)).filter(|tid| *tid > 0)
    }

    /// The step that an instant falls in.
    pub(super) fn step_of(&self, at: Instant) -> u64 {
        let steps = at.since(self.started).as_nanos() / STEP.as_nanos();
        u64::try_from(steps).expect("a warm-up ends before the clock does")
    }

    /// Says how many right answers `step` had, and that it and all before it are complete.
    pub(super) fn publish(&self, step: u64, good: u64) {
        for missed in self.complete.load(Ordering::Relaxed)..step {
            self.place(missed).store(0, Ordering::Relaxed);
        }
        self.place(step).store(good, Ordering::Relaxed);
        self.complete.store(step + 1, Ordering::Release);
    }

    fn place(&self, step: u64) -> &AtomicU64 {
        &self.steps[usize::try_from(step % KEPT as u64).expect("less than the steps kept")]
    }
}

/// Right answers per second in each of the last `steps` steps that all threads have completed, oldest first.
pub(super) fn recent_goodput(threads: &[std::sync::Arc<Progress>], steps: usize) -> Vec<f64> {
    assert!(steps < KEPT, "{steps} steps asked for, {KEPT} kept");
    let complete =
        threads.iter().map(|progress| progress.complete.load(Ordering::Acquire)).min().unwrap_or(0);
    let first = complete.saturating_sub(steps as u64);
    (first..complete)
        .map(|step| {
            let good: u64 =
                threads.iter().map(|thread| thread.place(step).load(Ordering::Relaxed)).sum();
            good as f64 / STEP.as_secs_f64()
        })
        .collect()
}

/// How far ahead a window is opened, so that every thread sees it in time.
pub(super) const LEAD: Duration = Duration::from_millis(30);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_steps_that_every_thread_completed_are_told() {
        let threads = [0, 1].map(|_| Arc::new(Progress::new(Instant::from_nanos(0))));
        threads[0].publish(0, 10);
        threads[0].publish(1, 20);
        threads[1].publish(0, 5);
        assert_eq!(recent_goodput(&threads, 20), [150.0]);
        // The second thread answered nothing in step 1 and says so only after step 2.
        threads[1].publish(2, 7);
        threads[0].publish(2, 30);
        assert_eq!(recent_goodput(&threads, 2), [200.0, 370.0]);
    }
}
