//! The memory of a tree at a moment.
//!
//! Resident and virtual memory come through sysinfo when nothing is measured. It reads three files of each process, of
//! which one has the figures; in a window that one is read alone, and a test holds both equal. Its traps that matter here:
//! threads would be listed as processes of the same memory, so it is told to leave them out; the dead would stay with what
//! they had, so it is told to forget them; and a number that is used again is read anew. No percentage of it is used, nor
//! its CPU times, whose first reading is zero.

use std::fs;
use std::path::Path;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::tree::Tree;
use super::{NOBODY, Told, total};
use crate::processes;

/// Reads resident and virtual memory.
pub(super) struct Memory {
    system: Option<System>,
}

/// Resident memory in which shared pages count once, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) pss: u64,
    /// Of it, what more than one process maps.
    pub(super) shared: u64,
}

/// The most memory that a tree ever had, in bytes, and where that stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peak {
    /// The figure.
    pub bytes: u64,
    /// What it is.
    pub source: &'static str,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { system: System::new().ok() }
    }

    /// Resident and virtual memory of all of them, in bytes.
    ///
    /// # Errors
    /// If none could be read.
    pub(super) fn of(&mut self, pids: &[u32]) -> Told<(u64, u64)> {
        let pids: Vec<Pid> = pids.iter().map(|pid| Pid::from_u32(*pid)).collect();
        let system = self.system.as_mut().ok_or("the system's list of processes cannot be read")?;
        let what = ProcessRefreshKind::nothing().with_memory().without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), true, what);
        let found: Vec<_> = pids.iter().filter_map(|pid| system.process(*pid)).collect();
        let rss: u64 = found.iter().map(|process| process.memory()).sum();
        let size = found.iter().map(|process| process.virtual_memory()).sum();
        // A process that runs has memory, so nothing is no reading.
        if rss > 0 { Ok((rss, size)) } else { Err(NOBODY.to_owned()) }
    }
}

/// The same at a fraction of the cost, for a window; through sysinfo only where that cannot be read.
///
/// # Errors
/// If none could be read.
pub(super) fn in_window(memory: &mut Memory, pids: &[u32]) -> Told<(u64, u64)> {
    let sizes = pids.iter().filter_map(|pid| processes::size(*pid));
    let (rss, size) =
        sizes.fold((0, 0), |(rss, size), it| (rss + it.resident_bytes, size + it.virtual_bytes));
    if rss > 0 { Ok((rss, size)) } else { memory.of(pids) }
}

/// How all of them together share their memory. Costs milliseconds for each, so it has no place in a window.
///
/// # Errors
/// Why it cannot be read of one that is there, or that none is.
pub(super) fn shared(pids: &[u32]) -> Told<Shared> {
    let proportional = total(pids, |pid| processes::memory_shares(pid).map(Parts::from))?;
    Ok(Shared {
        pss: proportional.proportional,
        // Each page is divided among those that map it, so what is not private adds up to each shared page once.
        shared: proportional.proportional.saturating_sub(proportional.private),
    })
}

#[derive(Clone, Copy)]
struct Parts {
    proportional: u64,
    private: u64,
}

impl From<processes::Shares> for Parts {
    fn from(shares: processes::Shares) -> Self {
        Self { proportional: shares.proportional_bytes, private: shares.private_bytes }
    }
}

impl std::ops::Add for Parts {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            proportional: self.proportional + more.proportional,
            private: self.private + more.private,
        }
    }
}

/// The most that a tree has had since it began: what its control group kept, in either version, else of each process
/// that is there what the kernel kept.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn peak(tree: &Tree, pids: &[u32]) -> Told<Peak> {
    let of_group = tree.group().and_then(peak_of_group);
    of_group.map_or_else(
        || {
            let bytes = total(pids, processes::resident_peak)?;
            let source = "VmHWM of each process, added up: resident memory, each at its own moment";
            Ok(Peak { bytes, source })
        },
        Ok,
    )
}

fn peak_of_group(group: &Path) -> Option<Peak> {
    let files = [
        ("memory.peak", "memory.peak of its control group: page cache included"),
        (
            "memory.max_usage_in_bytes",
            "memory.max_usage_in_bytes of its control group: page cache included",
        ),
    ];
    files.into_iter().find_map(|(file, source)| {
        let bytes = fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()?;
        Some(Peak { bytes, source })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_groups_peak_comes_first_in_either_version() {
        let group = tempfile::tempdir().expect("folder");
        let tree = Tree::new(0, Some(group.path().to_owned()));
        let me = [std::process::id()];
        let read = || peak(&tree, &me).expect("a peak");
        assert!(read().source.starts_with("VmHWM"));
        fs::write(group.path().join("memory.max_usage_in_bytes"), "4096\n").expect("written");
        assert_eq!((read().bytes, &read().source[..26]), (4096, "memory.max_usage_in_bytes "));
        fs::write(group.path().join("memory.peak"), "8192\n").expect("written");
        assert_eq!((read().bytes, &read().source[..12]), (8192, "memory.peak "));
    }

    #[test]
    fn the_dead_have_no_memory_and_threads_have_none_of_their_own() {
        let mut memory = Memory::new();
        let me = std::process::id();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        let pids = [child.id(), me];
        let tids: Vec<u32> = processes::thread_times(me).iter().map(|thread| thread.tid).collect();
        assert!(tids.len() >= 2, "the tests run on threads of their own");
        let (both, _) = memory.of(&pids).expect("both");
        child.kill().expect("killed");
        child.wait().expect("ended");
        let (rss, size) = memory.of(&pids).expect("one");
        let alone = |memory: &mut Memory, pid| memory.of(&[pid]);
        assert!(alone(&mut memory, child.id()).is_err_and(|why| why == NOBODY));
        assert!(both > 0 && rss > 0 && size > rss);
        // Had it taken threads for processes, this one would count as often as it has threads.
        let resident = processes::resident_peak(me).expect("its peak");
        assert!(rss <= resident * 3 / 2, "{rss} {resident} {}", tids.len());
    }

    #[test]
    fn what_is_read_in_a_window_is_what_sysinfo_reads() {
        let mut memory = Memory::new();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        let pids = [child.id()];
        // Until it has become the program that it is to be, it changes.
        let until = crate::clock::now() + std::time::Duration::from_mins(1);
        let mut both = (memory.of(&pids), in_window(&mut memory, &pids));
        while both.0 != both.1 && !until.is_past() {
            both = (memory.of(&pids), in_window(&mut memory, &pids));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(both.0.is_ok() && both.0 == both.1, "{both:?}");
        assert!(in_window(&mut memory, &pids).is_err());
    }

    #[test]
    fn a_process_that_does_not_tell_leaves_no_sum_and_one_that_is_gone_does_not_matter() {
        let me = std::process::id();
        assert_eq!(
            total(&[u32::MAX, me], |pid| if pid == me { Ok(3) } else { Err("gone".into()) }),
            Ok(3)
        );
        assert_eq!(total(&[me], |_| Err::<u64, _>("hidden".to_owned())), Err("hidden".to_owned()));
        assert_eq!(total(&[], |_| Ok(1)), Err(NOBODY.to_owned()));
        let shared = shared(&[me]).expect("shares");
        assert!(shared.pss > shared.shared, "{shared:?}");
    }
}
