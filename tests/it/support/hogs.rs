//! Threads that keep a CPU busy while something is measured beside them; one test at a time has any.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use orchestrate::affinity;

/// Held by whoever has some, or must not be disturbed by those of others.
static CPUS: Mutex<()> = Mutex::new(());

/// Ends busy threads, also where a test fails.
struct Ends<'t>(&'t AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something while so many threads of ours keep a CPU busy, as far as others leave it to them. With none, no other test
/// has any meanwhile.
pub(crate) fn beside<T>(cpu: usize, hogs: u32, doing: impl FnOnce() -> T) -> T {
    // A test that failed while it held it has ended its own.
    let _held = CPUS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let ends = Ends(&is_over);
        for _ in 0..hogs {
            scope.spawn(|| {
                affinity::pin_current_thread(&[cpu]).expect("pinned");
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let done = doing();
        drop(ends);
        done
    })
}
