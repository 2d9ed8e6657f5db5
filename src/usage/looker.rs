//! What the sampling thread looks at: memory, threads and files of a tree, and what came of its threads in between.

use std::collections::{BTreeMap, BTreeSet};

use super::memory::{self, Memory, Peak, Shared};
use super::reading::CpuReading;
use super::tree::Tree;
use super::{NOBODY, Told, no_thread, total};
use crate::clock::{self, Instant};
use crate::processes::Family;
use crate::record::measured::{ContextSwitches, Sample};
use crate::{affinity, processes};

/// Why there is no sample where there was to be none.
const OFF: &str = "the sampler was off, so nobody looked within the window";

/// What was seen of a window.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) rss_before_bytes: Told<u64>,
    pub(super) before: Told<Shared>,
    pub(super) after: Told<Shared>,
    pub(super) peak: Told<Peak>,
    pub(super) cpus_allowed: Told<Vec<usize>>,
    pub(super) switches: Told<ContextSwitches>,
    /// Each with its instant; what it says of milliseconds is told later, when it is known from when they count.
    pub(super) samples: Vec<(Instant, Sample)>,
    /// Why a sample has no count of open files.
    pub(super) files_hidden: Option<String>,
    /// Why there is no sample, where there is none.
    pub(super) unsampled: String,
    /// Whether we run where we should.
    pub(super) pinned: Told<()>,
}

impl Default for Seen {
    fn default() -> Self {
        fn nothing<T>() -> Told<T> {
            Err("the thread that looks at the server ended".to_owned())
        }
        Self {
            rss_before_bytes: nothing(),
            before: nothing(),
            after: nothing(),
            peak: nothing(),
            cpus_allowed: nothing(),
            switches: nothing(),
            samples: Vec::new(),
            files_hidden: None,
            unsampled: NOBODY.to_owned(),
            pinned: Ok(()),
        }
    }
}

/// The thread's side of a sampler.
pub(super) struct Looker {
    tree: Tree,
    family: Family,
    memory: Memory,
    rss_before_bytes: Told<u64>,
    before: Told<Shared>,
    /// CPU time when the window opened.
    start: Option<CpuReading>,
    /// Its threads just before the window opened, if there was time to look; when it opened; and just before it closed.
    foreseen: Option<Threads>,
    threads: Threads,
    last_threads: Option<Threads>,
    samples: Vec<(Instant, Sample)>,
    files_hidden: Option<String>,
    /// Whether nothing is looked at within the window.
    is_blind: bool,
    pinned: Told<()>,
}

impl Looker {
    /// Looks at a tree that is ready and idle. `pinned` is whether the calling thread runs where it should, or why not.
    pub(super) fn new(tree: Tree, pinned: Told<()>) -> Self {
        let mut memory = Memory::new();
        let pids = tree.pids();
        Self {
            rss_before_bytes: memory.of(&pids).map(|(rss, _)| rss),
            before: memory::shared(&pids),
            family: tree.family(),
            tree,
            memory,
            start: None,
            foreseen: None,
            threads: Threads::default(),
            last_threads: None,
            samples: Vec::new(),
            files_hidden: None,
            is_blind: false,
            pinned,
        }
    }

    /// A window is about to open. What costs most is looked at now, so that it costs nothing within.
    pub(super) fn before_begin(&mut self) {
        self.foreseen = Some(Threads::look(&self.tree.pids()));
    }

    /// A window has opened, with this reading of CPU time.
    pub(super) fn begin(&mut self, start: Option<CpuReading>) {
        self.start = start;
        self.samples.clear();
        self.files_hidden = None;
        self.last_threads = None;
        let foreseen = self.foreseen.take();
        self.threads = foreseen.unwrap_or_else(|| Threads::look(&self.tree.pids()));
    }

    /// A window has opened, within which nobody is to look.
    pub(super) fn begin_blind(&mut self) {
        (self.is_blind, self.threads) = (true, Threads::default());
    }

    /// The window is about to close.
    pub(super) fn before_end(&mut self) {
        self.last_threads = Some(Threads::look(&self.tree.pids()));
    }

    /// The window has closed.
    pub(super) fn end(&mut self) -> Seen {
        let pids = self.tree.pids();
        let threads = self.last_threads.take().unwrap_or_else(|| Threads::look(&pids));
        Seen {
            rss_before_bytes: self.rss_before_bytes.clone(),
            before: self.before.clone(),
            after: memory::shared(&pids),
            peak: memory::peak(&self.tree, &pids),
            cpus_allowed: threads.cpus_with(&self.threads),
            switches: if self.is_blind {
                Err(OFF.to_owned())
            } else {
                threads.switches_since(&self.threads)
            },
            samples: std::mem::take(&mut self.samples),
            files_hidden: self.files_hidden.take(),
            unsampled: if self.is_blind { OFF } else { NOBODY }.to_owned(),
            pinned: self.pinned.clone(),
        }
    }

    /// Takes a sample, unless nothing can be read of the tree.
    pub(super) fn look(&mut self) {
        let members = self.tree.members_again(&mut self.family);
        let at = clock::now();
        // CPU time first: what is read of each process takes its time.
        let cpu = self.start.as_ref().zip(CpuReading::brief(&self.tree, &members));
        let pids = members.pids;
        let Ok((rss_bytes, virtual_bytes)) = memory::in_window(&mut self.memory, &pids) else {
            return;
        };
        let cpu_us = cpu.and_then(|(start, now)| Some(now.since(start).ok()?.total_us));
        let threads: u64 = if members.family.is_empty() {
            pids.iter().filter_map(|pid| processes::threads(*pid)).sum()
        } else {
            let living = members.family.iter().filter(|process| !process.is_zombie);
            living.map(|process| process.threads).sum()
        };
        let open_files = total(&pids, processes::open_files);
        let sample = Sample {
            at_ms: 0,
            rss_bytes,
            virtual_bytes,
            cpu_us,
            // A process that runs has a thread, so none is no reading.
            threads: Some(threads).filter(|threads| *threads > 0),
            processes: pids.len() as u64,
            open_files: open_files.as_ref().ok().copied(),
        };
        self.files_hidden = open_files.err().or(self.files_hidden.take());
        self.samples.push((at, sample));
    }
}

/// All threads of a tree at a moment.
#[derive(Debug, Default)]
struct Threads {
    at: Instant,
    /// Lists of CPUs, each once.
    cpus: BTreeSet<String>,
    /// By process and thread.
    switches: BTreeMap<(u32, u32), Switches>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Switches {
    voluntary: u64,
    involuntary: u64,
}

impl Threads {
    fn look(pids: &[u32]) -> Self {
        let mut threads = Self { at: clock::now(), ..Self::default() };
        for pid in pids {
            for state in processes::thread_states(*pid) {
                let switches = Switches {
                    voluntary: state.switches_voluntary,
                    involuntary: state.switches_involuntary,
                };
                threads.switches.insert((*pid, state.tid), switches);
                threads.cpus.insert(state.cpus);
            }
        }
        threads
    }

    /// The CPUs that any of them may use, or of the others.
    fn cpus_with(&self, others: &Self) -> Told<Vec<usize>> {
        let lists = self.cpus.iter().chain(&others.cpus);
        let cpus: BTreeSet<usize> =
            lists.filter_map(|list| affinity::parse_list(list)).flatten().collect();
        if cpus.is_empty() { Err(no_thread()) } else { Ok(cpus.into_iter().collect()) }
    }

    /// How often they were switched since. A thread that is new was switched in between only; one that has gone has taken
    /// its count with it, and then there is none.
    fn switches_since(&self, earlier: &Self) -> Told<ContextSwitches> {
        let seconds = self.at.since(earlier.at).as_secs_f64();
        let mut sum = ContextSwitches { seconds, ..ContextSwitches::default() };
        let mut gone = earlier.switches.len();
        for (thread, now) in &self.switches {
            // A count that went down is that of another thread with the same number.
            let then = earlier.switches.get(thread).filter(|then| then.voluntary <= now.voluntary);
            gone -= usize::from(then.is_some());
            let then = then.copied().unwrap_or_default();
            sum.voluntary += now.voluntary - then.voluntary;
            sum.involuntary += now.involuntary.saturating_sub(then.involuntary);
        }
        match (self.switches.is_empty(), gone) {
            (true, _) => Err(no_thread()),
            (false, 0) => Ok(sum),
            (false, gone) => Err(format!(
                "{gone} of its threads ended in the window and took their counts with them"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(at_ms: u64, counts: &[(u32, u64, u64)]) -> Threads {
        let switches = counts.iter().map(|(tid, voluntary, involuntary)| {
            ((1, *tid), Switches { voluntary: *voluntary, involuntary: *involuntary })
        });
        let at = Instant::from_nanos(at_ms * 1_000_000);
        Threads { at, cpus: BTreeSet::from(["0,2".to_owned()]), switches: switches.collect() }
    }

    #[test]
    fn switches_are_those_of_the_threads_that_are_left_and_unknown_if_one_has_gone() {
        let then = threads(500, &[(1, 10, 1), (2, 20, 2)]);
        let since = |counts: &[(u32, u64, u64)]| threads(2000, counts).switches_since(&then);
        let sum =
            |voluntary, involuntary| Ok(ContextSwitches { seconds: 1.5, voluntary, involuntary });
        assert_eq!(since(&[(1, 11, 1), (2, 25, 9)]), sum(6, 7));
        assert_eq!(since(&[(1, 11, 1), (2, 25, 2), (3, 4, 1)]), sum(10, 1));
        assert!(since(&[(1, 11, 1)]).is_err_and(|why| why.starts_with("1 of its threads ended")));
        // The number is used again.
        assert!(since(&[(1, 11, 1), (2, 3, 0)]).is_err());
        assert_eq!(since(&[]), Err(NOBODY.to_owned()));
    }

    #[test]
    fn cpus_are_those_of_either_end() {
        let other = Threads { cpus: BTreeSet::from(["1".to_owned()]), ..Threads::default() };
        assert_eq!(threads(0, &[]).cpus_with(&other), Ok(vec![0, 1, 2]));
        assert!(Threads::default().cpus_with(&Threads::default()).is_err());
    }
}
