//! Waiting until a tree has settled: its processes and threads stay the same for a while.

use std::time::Duration;

use crate::clock;
use crate::processes;

/// How long they must stay the same, and how long that is waited for.
const SETTLED: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));
/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Returns once processes and threads have stayed the same, or are not waited for any longer.
///
/// # Errors
/// What `check` says between two looks.
pub(super) fn settle<E>(
    tree: &dyn Fn() -> Vec<u32>,
    check: impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    let count = || {
        let processes = tree();
        let facts = processes.iter().filter_map(|pid| processes::find(*pid));
        let threads: u64 = facts.map(|process| process.threads).sum();
        (processes, threads)
    };
    let give_up_at = clock::now() + SETTLED.1;
    let (mut before, mut since) = (count(), clock::now());
    while !(since + SETTLED.0).is_past() && !give_up_at.is_past() {
        clock::sleep_until(clock::now() + LOOK);
        check()?;
        let now = count();
        if now != before {
            (before, since) = (now, clock::now());
        }
    }
    Ok(())
}
