//! What is left of a server whose keeper was killed comes to us, and is ended here.
//!
//! A keeper takes in all that its server starts and leaves. When the keeper itself is gone, the kernel hands its children to
//! the nearest process above that takes in orphans, which we are from the first keeper on. So a child of ours that is no
//! keeper, and that started after the keeper, is such an orphan, whether or not it bears a mark.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::mark::{self, Owner};
use super::{ending, system};
use crate::clock;
use crate::processes::{self, Facts};

/// How long killing may take; a process can be stuck in the kernel, and then it cannot be helped.
const KILL_WITHIN: Duration = Duration::from_secs(5);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// The keepers that there are, and the tick at which each started.
static KEEPERS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());

fn keepers() -> MutexGuard<'static, BTreeMap<u32, u64>> {
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a keeper. `start` returns its pid besides.
pub(super) fn start_keeper<T, E>(
    start: impl FnOnce() -> Result<(u32, T), E>,
) -> Result<(u32, T), E> {
    has_foreign_children();
    // Until its pid is known nobody may take it for an orphan.
    let mut keepers = keepers();
    let started = start()?;
    let start_ticks = processes::find(started.0).map_or(0, |keeper| keeper.start_ticks);
    keepers.insert(started.0, start_ticks);
    Ok(started)
}

/// Whether we had children before we started any, as a program has that another one became by exec. Orphans are taken in
/// from here on.
fn has_foreign_children() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        // Where that cannot be had, orphans are found by their control group alone.
        let _ = system::take_in_orphans();
        !processes::descendants(std::process::id()).is_empty()
    })
}

/// A keeper has ended, and was waited for: ends what it left to us. Returns how many are still there when that took too
/// long: normally none.
pub(super) fn end_those_of(keeper: u32) -> usize {
    let Some(since) = keepers().remove(&keeper) else { return 0 };
    let deadline = clock::now() + KILL_WITHIN;
    loop {
        let left = wait_for_ended(since);
        if left == 0 || deadline.is_past() {
            return left;
        }
        ending::stop_then_kill(|| {
            let all = processes::all();
            let orphans = orphans(&all, since);
            let below = orphans.iter().flat_map(|orphan| processes::among(&all, *orphan));
            let found: BTreeSet<u32> = orphans.iter().copied().chain(below).collect();
            let named = all.iter().filter(|process| found.contains(&process.pid));
            named.map(|process| (process.pid, process.start_ticks)).collect()
        });
        clock::sleep_until(clock::now() + LOOK);
    }
}

/// Waits for orphans that have ended; how many have not.
fn wait_for_ended(since: u64) -> usize {
    let me = std::process::id();
    let orphans = orphans(&processes::children(me), since).into_iter();
    orphans.filter(|orphan| !system::has_ended(*orphan)).count()
}

/// Our children that are no keepers and started since this tick. What was there before came from elsewhere, as what a
/// package brings up when it is installed.
fn orphans(all: &[Facts], since: u64) -> Vec<u32> {
    let me = std::process::id();
    let mark = Owner::me().map(|owner| owner.to_string());
    // Beside children of others that we never started, the mark must tell.
    let is_ours = |pid: u32| {
        !has_foreign_children()
            || (mark.is_some() && processes::variable(pid, mark::VARIABLE) == mark)
    };
    let keepers = keepers();
    all.iter()
        .filter(|it| it.parent == me && it.start_ticks >= since && !keepers.contains_key(&it.pid))
        .map(|process| process.pid)
        .filter(|pid| is_ours(*pid))
        .collect()
}
