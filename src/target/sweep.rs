//! What an earlier run left behind, because it and its keepers were killed at one stroke, is ended before another begins.
//!
//! Groups are known by their names, and processes by their mark; both tell an owner, which must be gone.

use std::time::Duration;

use super::mark::{self, Left};
use super::{ending, group};
use crate::clock;

/// How long the keepers of a run that has just died are given to do it themselves.
const KEEPERS_WITHIN: Duration = Duration::from_millis(500);
/// How long killing may take.
const KILL_WITHIN: Duration = Duration::from_secs(5);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Ends what runs of this user left behind whose process is gone; returns what that was, as shown.
pub fn sweep() -> Vec<String> {
    let mut swept = group::sweep();
    let left = look_until(KEEPERS_WITHIN);
    if left.is_empty() {
        return swept;
    }
    // They may lie in another place than ours, as those of another login do.
    let groups = left.iter().filter_map(|left| group::left_behind_with(left.pid));
    let groups: std::collections::BTreeSet<_> = groups.collect();
    let deadline = clock::now() + KILL_WITHIN;
    loop {
        ending::stop_then_kill(|| mark::left_behind().iter().map(named).collect());
        if look_until(LOOK * 10).is_empty() || deadline.is_past() {
            break;
        }
    }
    for path in groups {
        group::end(&path, KILL_WITHIN);
    }
    swept.extend(left.iter().map(|left| format!("pid {} (`{}`)", left.pid, left.name)));
    swept
}

fn named(left: &Left) -> (u32, u64) {
    (left.pid, left.start_ticks)
}

/// Who is left, once nobody is or time is over.
fn look_until(within: Duration) -> Vec<Left> {
    let until = clock::now() + within;
    loop {
        let left = mark::left_behind();
        if left.is_empty() || until.is_past() {
            return left;
        }
        clock::sleep_until(clock::now() + LOOK);
    }
}
