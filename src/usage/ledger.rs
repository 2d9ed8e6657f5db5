//! CPU time process by process, for where no control group adds it up; and what lies between two such readings.
//!
//! A process that lives, or has ended and was not waited for yet, has a clock of its own in nanoseconds, exited threads
//! included. The time of one that was waited for is with whoever waited, in ticks. One whose parent does not care for the
//! end of its children takes its time with it: where that is seen there is no figure, and where it cannot be seen the
//! source says that exited children are unknown.

use std::collections::BTreeMap;

use crate::processes::{self, Facts};

/// Why there is no figure where somebody's time is nobody's.
const NOBODY_WAITED: &str = "a process of the server ended in the window and nobody waited for it, so it took its time with it";

/// CPU time in nanoseconds. Where only ticks tell user and system apart, their sum is less exact than the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    pub(super) total: u64,
    pub(super) user: u64,
    pub(super) system: u64,
}

impl Times {
    fn of_ticks(user: u64, system: u64) -> Self {
        let tick = tick_nanos();
        let (user, system) = (user * tick, system * tick);
        Self { total: user + system, user, system }
    }

    fn plus(self, more: Self) -> Self {
        Self {
            total: self.total + more.total,
            user: self.user + more.user,
            system: self.system + more.system,
        }
    }

    pub(super) fn less(self, other: Self) -> Self {
        Self {
            total: self.total.saturating_sub(other.total),
            user: self.user.saturating_sub(other.user),
            system: self.system.saturating_sub(other.system),
        }
    }
}

/// A clock tick of `/proc`, in nanoseconds.
pub(super) fn tick_nanos() -> u64 {
    1_000_000_000 / processes::ticks_per_second()
}

/// A process by its number and its start, so that a number that is used again is another process.
type Key = (u32, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    parent: u32,
    own: Times,
    /// Of the children that it has waited for.
    waited: Times,
    /// Whether `own` comes from its clock, rather than from ticks.
    is_exact: bool,
    ignores_children: bool,
}

/// All processes of a tree, each with its CPU time so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ledger {
    entries: BTreeMap<Key, Entry>,
    /// Of those that the keeper has waited for.
    keeper_waited: Times,
}

/// What lies between two ledgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Between {
    pub(super) times: Times,
    /// Whether some of it, or all, comes from ticks.
    pub(super) in_ticks: bool,
}

impl Ledger {
    /// The processes of a tree, as they were just seen, with their CPU time; `None` if there is none. What `earlier` means
    /// in [`Ledger::since`] must also know who does not care for children.
    pub(super) fn of(
        family: &[Facts],
        keeper: Option<&Facts>,
        is_for_earlier: bool,
    ) -> Option<Self> {
        let keeper_waited = keeper.map(waited).unwrap_or_default();
        let entry =
            |process: &Facts| ((process.pid, process.start_ticks), entry(process, is_for_earlier));
        let entries: BTreeMap<Key, Entry> = family.iter().map(entry).collect();
        (!entries.is_empty()).then_some(Self { entries, keeper_waited })
    }

    /// What was used from an earlier reading to this one.
    ///
    /// # Errors
    /// When a process has taken its time with it.
    pub(super) fn since(&self, earlier: &Self) -> Result<Between, String> {
        let mut sum = Times::default();
        let mut waited_all = Times::default();
        let mut in_ticks = false;
        for (key, now) in &self.entries {
            let then = earlier.entries.get(key);
            sum = sum.plus(now.own.less(then.map(|it| it.own).unwrap_or_default()));
            waited_all =
                waited_all.plus(now.waited.less(then.map(|it| it.waited).unwrap_or_default()));
            in_ticks |= !now.is_exact;
        }
        let of_keeper = self.keeper_waited.less(earlier.keeper_waited);
        waited_all = waited_all.plus(of_keeper);
        in_ticks |= waited_all.total > 0;
        let gone = self.gone_since(earlier)?;
        Ok(Between { times: sum.plus(waited_all).less(gone), in_ticks })
    }

    /// What those had used before that have gone since: it is in the time of whoever waited for them.
    fn gone_since(&self, earlier: &Self) -> Result<Times, String> {
        let mut by_reaper: BTreeMap<Option<Key>, Times> = BTreeMap::new();
        for ((pid, _), entry) in
            earlier.entries.iter().filter(|(key, _)| !self.entries.contains_key(*key))
        {
            let parent = earlier.by_pid(entry.parent).map(|(_, parent)| parent);
            if parent.is_some_and(|parent| parent.ignores_children) {
                return Err(taken_along(*pid));
            }
            let sum = by_reaper.entry(self.heir(earlier, entry.parent)).or_default();
            *sum = sum.plus(entry.own).plus(entry.waited);
        }
        // Whatever loses its parent comes to the keeper, so what a reaper lacks may be there. User and system time of each
        // are known to a tick.
        let slack = 2 * tick_nanos() * (by_reaper.len() as u64 + 1);
        let lacking: u64 = by_reaper
            .iter()
            .map(|(reaper, gone)| gone.total.saturating_sub(self.waited_by(earlier, *reaper)))
            .sum();
        let of_keeper =
            if by_reaper.contains_key(&None) { 0 } else { self.waited_by(earlier, None) };
        if lacking > of_keeper + slack {
            return Err(processes::ENDED_UNTOLD.unwrap_or(NOBODY_WAITED).to_owned());
        }
        Ok(by_reaper.into_values().fold(Times::default(), Times::plus))
    }

    /// Who waits for the children of a process: itself if it lives, else the nearest that does; `None` is the keeper.
    fn heir(&self, earlier: &Self, pid: u32) -> Option<Key> {
        let mut pid = pid;
        // No line of parents is longer than there are processes.
        for _ in 0..=earlier.entries.len() {
            let (key, entry) = earlier.by_pid(pid)?;
            if self.entries.contains_key(&key) {
                return Some(key);
            }
            pid = entry.parent;
        }
        None
    }

    /// What a process, or the keeper, got since then from those that it waited for, in nanoseconds.
    fn waited_by(&self, earlier: &Self, reaper: Option<Key>) -> u64 {
        let waited = |ledger: &Self| match reaper {
            None => ledger.keeper_waited,
            Some(key) => ledger.entries.get(&key).map(|entry| entry.waited).unwrap_or_default(),
        };
        waited(self).less(waited(earlier)).total
    }

    fn by_pid(&self, pid: u32) -> Option<(Key, &Entry)> {
        self.entries.range((pid, 0)..=(pid, u64::MAX)).next().map(|(key, entry)| (*key, entry))
    }
}

fn taken_along(pid: u32) -> String {
    format!(
        "process {pid} of the server ended in the window, and its parent ignores the end of its children, so it took its time with it"
    )
}

fn entry(process: &Facts, is_for_earlier: bool) -> Entry {
    let of_ticks = Times::of_ticks(process.user_ticks, process.system_ticks);
    let nanos = processes::cpu_nanos(process.pid);
    Entry {
        parent: process.parent,
        own: Times { total: nanos.unwrap_or(of_ticks.total), ..of_ticks },
        waited: waited(process),
        is_exact: nanos.is_some(),
        ignores_children: is_for_earlier
            && processes::ignores_children(process.pid).unwrap_or(false),
    }
}

fn waited(process: &Facts) -> Times {
    Times::of_ticks(process.waited_user_ticks, process.waited_system_ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn entry(parent: u32, own_ms: u64, waited_ms: u64) -> Entry {
        let times = |ms: u64| Times { total: ms * MS, user: ms * MS, system: 0 };
        Entry {
            parent,
            own: times(own_ms),
            waited: times(waited_ms),
            is_exact: true,
            ignores_children: false,
        }
    }

    /// Processes as `(pid, parent, own, waited)` below keeper 1, who has waited for so much.
    fn ledger(keeper_ms: u64, processes: &[(u32, u32, u64, u64)]) -> Ledger {
        Ledger {
            entries: processes
                .iter()
                .map(|(pid, parent, own, waited)| ((*pid, 7), entry(*parent, *own, *waited)))
                .collect(),
            keeper_waited: Times { total: keeper_ms * MS, user: keeper_ms * MS, system: 0 },
        }
    }

    fn used_ms(now: &Ledger, then: &Ledger) -> Result<u64, String> {
        now.since(then).map(|between| between.times.total / MS)
    }

    #[test]
    fn what_was_used_is_that_of_the_living_and_of_those_that_were_waited_for() {
        let then = ledger(0, &[(2, 1, 1000, 0), (3, 2, 500, 0), (4, 3, 100, 0)]);
        for (now, expected) in [
            // Nobody left.
            (ledger(0, &[(2, 1, 1100, 0), (3, 2, 600, 0), (4, 3, 150, 0)]), 250),
            // A new one came.
            (ledger(0, &[(2, 1, 1100, 0), (3, 2, 500, 0), (4, 3, 100, 0), (5, 2, 70, 0)]), 170),
            // 3 used 100 more and was waited for, as was 4 by 3.
            (ledger(0, &[(2, 1, 1000, 750)]), 150),
            // 3 ended, and the keeper took in 4, which lives.
            (ledger(0, &[(2, 1, 1000, 600), (4, 1, 130, 0)]), 130),
            // 3 ended, and the keeper waited for 4.
            (ledger(120, &[(2, 1, 1000, 500)]), 20),
            // One came, used 300 and was waited for.
            (ledger(0, &[(2, 1, 1000, 300), (3, 2, 500, 0), (4, 3, 100, 0)]), 300),
            // The first half of a daemon ended; what it started came to the keeper.
            (ledger(1010, &[(3, 1, 510, 0), (4, 3, 100, 0)]), 20),
        ] {
            assert_eq!(used_ms(&now, &then), Ok(expected), "{now:?}");
        }
    }

    #[test]
    fn time_that_went_with_a_process_leaves_no_figure_however_busy_the_others_were() {
        let then = ledger(0, &[(2, 1, 1000, 0), (3, 2, 500, 0)]);
        let busy = ledger(0, &[(2, 1, 3000, 0)]);
        assert!(used_ms(&busy, &then).is_err_and(|why| why.contains("nobody waited")));
        // That others were waited for elsewhere does not account for it.
        let elsewhere = ledger(0, &[(2, 1, 1000, 0), (3, 2, 500, 0), (4, 2, 10, 0)]);
        let now = ledger(0, &[(2, 1, 3000, 0), (4, 2, 20, 900)]);
        assert!(used_ms(&now, &elsewhere).is_err());
        // What had used next to nothing may be lost in the ticks, but for a parent that ignores the end of children.
        let mut fresh = ledger(0, &[(2, 1, 1000, 0), (3, 2, 1, 0)]);
        assert_eq!(used_ms(&busy, &fresh), Ok(1999));
        fresh.entries.get_mut(&(2, 7)).expect("2").ignores_children = true;
        assert!(used_ms(&busy, &fresh).is_err_and(|why| why.contains("process 3")));
    }

    #[test]
    fn a_pid_that_is_used_again_is_another_process() {
        let then = ledger(0, &[(2, 1, 1000, 0), (3, 2, 500, 0)]);
        let mut now = ledger(0, &[(2, 1, 1000, 500)]);
        now.entries.insert((3, 99), entry(2, 40, 0));
        assert_eq!(used_ms(&now, &then), Ok(40));
    }

    #[test]
    fn ticks_are_told_where_they_matter() {
        let then = ledger(0, &[(2, 1, 1000, 50)]);
        let in_ticks = |now: &Ledger| now.since(&then).expect("a figure").in_ticks;
        assert!(!in_ticks(&ledger(0, &[(2, 1, 1400, 50)])));
        assert!(in_ticks(&ledger(0, &[(2, 1, 1400, 60)])));
        let mut coarse = ledger(0, &[(2, 1, 1400, 50)]);
        coarse.entries.values_mut().for_each(|entry| entry.is_exact = false);
        assert!(in_ticks(&coarse));
    }
}
