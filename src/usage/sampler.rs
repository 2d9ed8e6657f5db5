//! The thread that looks at a tree's memory, threads and files while a window is open, and sleeps otherwise.
//!
//! CPU time is not its business: that is read at the window's two ends, on the thread that opens and closes it, so that
//! the interval is the window's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::reading::{CpuReading, CpuUse};
use super::tree::Tree;
use crate::clock::{self, Instant};
use crate::record::measured::Sample;
use crate::{affinity, processes};

/// Between two samples.
pub const PERIOD: Duration = Duration::from_millis(500);
/// Why there is no sample.
const ENDED: &str = "no process of the server could be read in the window";
/// The same where there was to be none.
const OFF: &str = "the sampler was off, so nobody looked within the window";

/// What a tree used in a window. What could not be read is absent, with its reason in `absent`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Resident memory of the tree when it was ready, before any load.
    pub rss_before_bytes: Option<u64>,
    /// Mean resident memory over the samples of the window.
    pub rss_mean_bytes: Option<u64>,
    /// The highest of them.
    pub rss_peak_bytes: Option<u64>,
    /// The highest virtual memory of a sample.
    pub virtual_bytes: Option<u64>,
    /// Memory with shared pages counted once, before any load.
    pub pss_before_bytes: Option<u64>,
    /// The same after the window.
    pub pss_after_bytes: Option<u64>,
    /// Most processes in a sample.
    pub processes_peak: Option<u64>,
    /// Most threads in a sample.
    pub threads_peak: Option<u64>,
    /// Most open files in a sample.
    pub open_files_peak: Option<u64>,
    /// CPU time from the window's start to its end.
    pub cpu: Option<CpuUse>,
    /// The CPUs that its threads might use at either end.
    pub cpus_allowed: Option<Vec<usize>>,
    /// The samples of the window, in order.
    pub samples: Vec<Sample>,
    /// Why a figure is absent, by its name on disk.
    pub absent: BTreeMap<String, String>,
}

/// A handle on the sampling thread. Dropping it ends the thread.
#[derive(Debug)]
pub struct Sampler {
    tree: Tree,
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    start: Option<CpuReading>,
    end: Option<CpuReading>,
}

#[derive(Debug)]
enum Order {
    Begin { at: Instant, cpu_us: Option<u64> },
    End { reply: Sender<Seen> },
}

/// What the thread hands over at the end of a window.
#[derive(Debug, Default)]
struct Seen {
    rss_before_bytes: Option<u64>,
    pss_before_bytes: Option<u64>,
    pss_after_bytes: Option<u64>,
    cpus_allowed: BTreeSet<usize>,
    samples: Vec<Sample>,
    /// Whether there was to be no sample.
    is_off: bool,
}

impl Sampler {
    /// Starts the thread on these CPUs and has it read memory once; call it when the server is ready and idle. Without a
    /// `period` it does nothing while a window is open: memory is read before and after it then, and CPU time at its ends.
    ///
    /// # Panics
    /// When the system gives us no thread.
    pub fn start(tree: Tree, cpus: &[usize], period: Option<Duration>) -> Self {
        let (orders, taken) = mpsc::channel();
        let (ready, is_ready) = mpsc::channel();
        let (of, cpus) = (tree.clone(), cpus.to_vec());
        let thread = std::thread::spawn(move || {
            // Where it cannot be pinned it runs wherever we do.
            let _ = affinity::pin_current_thread(&cpus);
            let mut looker = Looker::new(of, period);
            // Whoever started it waits for it.
            let _ = ready.send(());
            looker.run(&taken);
        });
        // Only a panic of the thread ends this wait early, and that shows as absent figures.
        let _ = is_ready.recv();
        Self { tree, orders: Some(orders), thread: Some(thread), start: None, end: None }
    }

    /// CPU time of the tree until now; `None` if it cannot be read.
    pub fn cpu_now(&self) -> Option<CpuReading> {
        CpuReading::take(&self.tree)
    }

    /// The window opens: reads CPU time and samples from now on. Returns the instant of the reading.
    pub fn begin_window(&mut self) -> Instant {
        self.start = self.cpu_now();
        let at = self.start.as_ref().map_or_else(clock::now, |reading| reading.at);
        let cpu_us = self.start.as_ref().map(CpuReading::total_us);
        self.tell(Order::Begin { at, cpu_us });
        at
    }

    /// The window closes: reads CPU time and no more, for whoever has several trees to read at that moment.
    pub fn close_window(&mut self) {
        self.end = self.cpu_now();
    }

    /// The window has closed: reads CPU time at once unless that is done, then gathers what was sampled.
    pub fn end_window(&mut self) -> Usage {
        let end = self.end.take().or_else(|| self.cpu_now());
        let cpu = match (&self.start, &end) {
            (Some(start), Some(end)) => end.since(start),
            _ => None,
        };
        let (reply, seen) = mpsc::channel();
        self.tell(Order::End { reply });
        usage(cpu, seen.recv().unwrap_or_default())
    }

    fn tell(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A thread that panicked takes no order; its figures are absent then.
            let _ = orders.send(order);
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // Its panic was its own end; the figures are absent.
            let _ = thread.join();
        }
    }
}

/// The thread's side.
struct Looker {
    tree: Tree,
    /// Between two samples; without one there are none.
    period: Option<Duration>,
    system: Option<System>,
    seen: Seen,
}

impl Looker {
    fn new(tree: Tree, period: Option<Duration>) -> Self {
        let mut looker = Self { tree, period, system: System::new().ok(), seen: Seen::default() };
        let pids = looker.tree.pids();
        looker.seen.rss_before_bytes = looker.memory(&pids).map(|(rss, _)| rss);
        looker.seen.pss_before_bytes = proportional(&pids);
        looker
    }

    fn run(&mut self, orders: &Receiver<Order>) {
        let mut window: Option<(Instant, Option<u64>)> = None;
        let mut next = Instant::NEVER;
        loop {
            match orders.recv_timeout(next.remaining()) {
                Ok(Order::Begin { at, cpu_us }) => {
                    self.seen.samples.clear();
                    self.seen.cpus_allowed.clear();
                    if self.period.is_none() {
                        continue;
                    }
                    window = Some((at, cpu_us));
                    self.look_at_cpus();
                }
                Ok(Order::End { reply }) => {
                    // A window that was over before its first period still has a sample: the first, taken at its start.
                    window = None;
                    next = Instant::NEVER;
                    self.look_at_cpus();
                    self.seen.pss_after_bytes = proportional(&self.tree.pids());
                    self.seen.is_off = self.period.is_none();
                    let before = (self.seen.rss_before_bytes, self.seen.pss_before_bytes);
                    // Whoever asked waits for it.
                    let _ = reply.send(std::mem::take(&mut self.seen));
                    (self.seen.rss_before_bytes, self.seen.pss_before_bytes) = before;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if let (Some((at, cpu_us)), Some(period)) = (window, self.period) {
                self.look(at, cpu_us);
                next = clock::now() + period;
            }
        }
    }

    fn look(&mut self, since: Instant, cpu_before: Option<u64>) {
        let pids = self.tree.pids();
        let at_ms = u64::try_from(clock::now().since(since).as_millis()).unwrap_or(u64::MAX);
        let Some((rss_bytes, virtual_bytes)) = self.memory(&pids) else { return };
        let cpu_us = CpuReading::total_now(&self.tree)
            .zip(cpu_before)
            .and_then(|(now, before)| now.checked_sub(before));
        let threads = pids.iter().filter_map(|pid| processes::find(*pid)).map(|it| it.threads);
        self.seen.samples.push(Sample {
            at_ms,
            rss_bytes,
            virtual_bytes,
            cpu_us,
            threads: threads.sum(),
            processes: pids.len() as u64,
            open_files: total(&pids, processes::open_files),
        });
    }

    /// Resident and virtual memory of all of them; `None` if none could be read.
    fn memory(&mut self, pids: &[u32]) -> Option<(u64, u64)> {
        let pids: Vec<Pid> = pids.iter().map(|pid| Pid::from_u32(*pid)).collect();
        let system = self.system.as_mut()?;
        // Threads would be listed as processes of the same memory; the dead would stay with what they had.
        let what = ProcessRefreshKind::nothing().with_memory().without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), true, what);
        let found: Vec<_> = pids.iter().filter_map(|pid| system.process(*pid)).collect();
        let rss: u64 = found.iter().map(|process| process.memory()).sum();
        let size = found.iter().map(|process| process.virtual_memory()).sum();
        // A process that runs has memory, so nothing is no reading.
        (rss > 0).then_some((rss, size))
    }

    fn look_at_cpus(&mut self) {
        for pid in self.tree.pids() {
            self.seen.cpus_allowed.extend(processes::allowed_cpus(pid));
        }
    }
}

fn proportional(pids: &[u32]) -> Option<u64> {
    total(pids, processes::proportional_memory)
}

/// The sum over those that are still there; `None` if there is none or one that is there does not tell.
fn total(pids: &[u32], of: impl Fn(u32) -> Option<u64>) -> Option<u64> {
    let mut sum = None;
    for pid in pids {
        match of(*pid) {
            Some(figure) => *sum.get_or_insert(0) += figure,
            None if processes::find(*pid).is_some_and(|process| !process.is_zombie) => return None,
            None => {}
        }
    }
    sum
}

fn usage(cpu: Option<CpuUse>, seen: Seen) -> Usage {
    let samples = seen.samples;
    let peak = |of: fn(&Sample) -> u64| samples.iter().map(of).max();
    let count = samples.len() as u64;
    let mut usage = Usage {
        rss_before_bytes: seen.rss_before_bytes,
        rss_mean_bytes: samples.iter().map(|it| it.rss_bytes).sum::<u64>().checked_div(count),
        rss_peak_bytes: peak(|it| it.rss_bytes),
        virtual_bytes: peak(|it| it.virtual_bytes),
        pss_before_bytes: seen.pss_before_bytes,
        pss_after_bytes: seen.pss_after_bytes,
        processes_peak: peak(|it| it.processes),
        threads_peak: peak(|it| it.threads),
        open_files_peak: samples.iter().filter_map(|it| it.open_files).max(),
        cpus_allowed: Some(seen.cpus_allowed.into_iter().collect())
            .filter(|it: &Vec<_>| !it.is_empty()),
        cpu,
        samples,
        absent: BTreeMap::new(),
    };
    usage.absent = absent(&usage, seen.is_off);
    usage
}

fn absent(usage: &Usage, is_off: bool) -> BTreeMap<String, String> {
    const HIDDEN: &str = "the system does not show it to this user, or the server had ended";
    const NO_CPU: &str = "it could not be read at both ends, or processes took theirs with them";
    const NO_WAIT: &str = "threads of the server ended in the window and took theirs with them, or the kernel does not tell";
    let (unsampled, hidden_files) = if is_off { (OFF, OFF) } else { (ENDED, HIDDEN) };
    let has_wait = usage.cpu.as_ref().is_some_and(|cpu| cpu.run_queue_wait_us.is_some());
    let figures = [
        ("rss_before_bytes", usage.rss_before_bytes.is_some(), HIDDEN),
        ("rss_mean_bytes", usage.rss_mean_bytes.is_some(), unsampled),
        ("rss_peak_bytes", usage.rss_peak_bytes.is_some(), unsampled),
        ("virtual_bytes", usage.virtual_bytes.is_some(), unsampled),
        ("pss_before_bytes", usage.pss_before_bytes.is_some(), HIDDEN),
        ("pss_after_bytes", usage.pss_after_bytes.is_some(), HIDDEN),
        ("processes_peak", usage.processes_peak.is_some(), unsampled),
        ("threads_peak", usage.threads_peak.is_some(), unsampled),
        ("open_files_peak", usage.open_files_peak.is_some(), hidden_files),
        ("cpu_us", usage.cpu.is_some(), NO_CPU),
        ("cpus_allowed", usage.cpus_allowed.is_some(), HIDDEN),
        ("run_queue_wait_us", has_wait, NO_WAIT),
    ];
    figures
        .into_iter()
        .filter(|(_, is_there, _)| !is_there)
        .map(|(name, _, reason)| (name.to_owned(), reason.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ms: u64, rss_bytes: u64, processes: u64) -> Sample {
        let cpu_us = None;
        Sample {
            at_ms,
            rss_bytes,
            virtual_bytes: 10,
            cpu_us,
            processes,
            threads: 4,
            open_files: None,
        }
    }

    #[test]
    fn means_and_peaks_are_those_of_the_samples() {
        let samples = vec![sample(0, 100, 1), sample(500, 400, 2), sample(1000, 100, 1)];
        let usage = usage(None, Seen { samples, rss_before_bytes: Some(50), ..Seen::default() });
        assert_eq!((usage.rss_before_bytes, usage.rss_mean_bytes), (Some(50), Some(200)));
        assert_eq!((usage.rss_peak_bytes, usage.processes_peak), (Some(400), Some(2)));
        assert_eq!(usage.threads_peak, Some(4));
    }

    #[test]
    fn what_could_not_be_read_is_absent_with_a_reason_and_never_zero() {
        let mut sampler = Sampler::start(Tree::new(0, Some("/nowhere".into())), &[], Some(PERIOD));
        sampler.begin_window();
        let usage = sampler.end_window();
        assert_eq!(usage.rss_mean_bytes, None);
        assert_eq!(usage.cpu, None);
        assert_eq!(usage.samples, []);
        let names: Vec<&str> = usage.absent.keys().map(String::as_str).collect();
        assert!(names.contains(&"rss_mean_bytes") && names.contains(&"cpu_us"), "{names:?}");
    }

    #[test]
    fn a_living_tree_has_memory_threads_and_files() {
        let group = tempfile::tempdir().expect("folder");
        let me = std::process::id().to_string();
        std::fs::write(group.path().join("cgroup.procs"), me).expect("write");
        let mut sampler =
            Sampler::start(Tree::new(0, Some(group.path().to_owned())), &[], Some(PERIOD));
        sampler.begin_window();
        let usage = sampler.end_window();
        assert!(usage.rss_before_bytes.is_some_and(|bytes| bytes > 500_000), "{usage:?}");
        assert!(usage.rss_peak_bytes >= usage.rss_mean_bytes && usage.rss_mean_bytes.is_some());
        assert!(usage.threads_peak.is_some_and(|threads| threads >= 2));
        assert!(usage.open_files_peak.is_some() && usage.cpu.is_some());
        assert_eq!(usage.absent, BTreeMap::new());
        assert!(sampler.end_window().samples.is_empty(), "no window is open");
    }

    #[test]
    fn a_sampler_that_is_off_reads_at_the_ends_and_says_why_there_is_no_more() {
        let group = tempfile::tempdir().expect("folder");
        let me = std::process::id().to_string();
        std::fs::write(group.path().join("cgroup.procs"), me).expect("write");
        let mut sampler = Sampler::start(Tree::new(0, Some(group.path().to_owned())), &[], None);
        sampler.begin_window();
        let usage = sampler.end_window();
        assert!(usage.rss_before_bytes.is_some() && usage.pss_after_bytes.is_some(), "{usage:?}");
        assert!(usage.cpu.is_some() && usage.cpus_allowed.is_some(), "{usage:?}");
        assert_eq!(usage.samples, []);
        for name in ["rss_mean_bytes", "rss_peak_bytes", "threads_peak", "open_files_peak"] {
            assert_eq!(usage.absent[name], OFF, "{name}");
        }
    }
}
