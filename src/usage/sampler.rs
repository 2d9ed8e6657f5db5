//! The thread that looks at a tree's memory, threads and files while a window is open, and sleeps otherwise.
//!
//! CPU time is not its business: that is read at the window's two ends, on the thread that opens and closes it, so that
//! the interval is the window's own.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::looker::{Looker, Seen};
use super::reading::CpuReading;
use super::tree::Tree;
use super::used::Usage;
use super::{NOBODY, Told};
use crate::affinity;
use crate::clock::{self, Instant};

/// Between two samples.
pub const PERIOD: Duration = Duration::from_millis(500);
/// How long before its end threads are looked at, where the end of a window is known: time enough to look at thousands.
const BEFORE_END: Duration = Duration::from_millis(20);

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
    Foresee,
    Begin { start: Option<CpuReading>, closes: Option<Instant> },
    End { reply: Sender<Seen> },
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
            // Where it cannot be pinned it runs wherever we do, and that is told.
            let pinned = affinity::pin_current_thread(&cpus);
            let mut looker = Looker::new(of, pinned.map_err(|error| error.to_string()));
            // Whoever started it waits for it.
            let _ = ready.send(());
            run(&mut looker, period, &taken);
        });
        // Only a panic of the thread ends this wait early, and that shows as absent figures.
        let _ = is_ready.recv();
        Self { tree, orders: Some(orders), thread: Some(thread), start: None, end: None }
    }

    /// A window opens in a moment, which is when to look at what would cost too much within.
    pub fn before_window(&self) {
        self.tell(Order::Foresee);
    }

    /// The window opens: reads CPU time and samples from now on. `closes` is when it will close, if that is known.
    pub fn begin_window(&mut self, closes: Option<Instant>) {
        (self.start, self.end) = (CpuReading::take(&self.tree), None);
        self.tell(Order::Begin { start: self.start.clone(), closes });
    }

    /// The window closes: reads CPU time and no more, for whoever has several trees to read at that moment.
    pub fn close_window(&mut self) {
        self.end = CpuReading::take(&self.tree);
    }

    /// The window has closed: reads CPU time at once unless that is done, then gathers what was sampled.
    pub fn end_window(&mut self) -> Usage {
        let end = self.end.take().or_else(|| CpuReading::take(&self.tree));
        let cpu: Told<_> = match (&self.start, &end) {
            (Some(start), Some(end)) => end.since(start),
            _ => Err(NOBODY.to_owned()),
        };
        let (reply, seen) = mpsc::channel();
        self.tell(Order::End { reply });
        Usage::new(cpu, seen.recv().unwrap_or_default())
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

/// What the thread does.
fn run(looker: &mut Looker, period: Option<Duration>, orders: &Receiver<Order>) {
    let (mut next, mut last) = (Instant::NEVER, Instant::NEVER);
    loop {
        match orders.recv_timeout(next.min(last).remaining()) {
            Ok(Order::Foresee) if period.is_none() => {}
            Ok(Order::Foresee) => looker.before_begin(),
            Ok(Order::Begin { .. }) if period.is_none() => looker.begin_blind(),
            Ok(Order::Begin { start, closes }) => {
                // Samples are that far apart whatever they cost, and however late one is.
                next = start.as_ref().map_or_else(clock::now, |reading| reading.at);
                last = closes.map_or(Instant::NEVER, |closes| closes - BEFORE_END);
                looker.begin(start);
            }
            Ok(Order::End { reply }) => {
                (next, last) = (Instant::NEVER, Instant::NEVER);
                // Whoever asked waits for it.
                let _ = reply.send(looker.end());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if next.is_past() {
            looker.look();
            while next.is_past() {
                next = next + period.unwrap_or(PERIOD);
            }
        }
        if last.is_past() {
            last = Instant::NEVER;
            looker.before_end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_could_not_be_read_is_absent_with_a_reason_and_never_zero() {
        let mut sampler =
            Sampler::start(Tree::new(u32::MAX, Some("/nowhere".into())), &[], Some(PERIOD));
        sampler.begin_window(None);
        let usage = sampler.end_window();
        assert_eq!(usage.rss_mean_bytes, None);
        assert_eq!(usage.cpu, None);
        assert_eq!(usage.samples_since(clock::now()), []);
        let names: Vec<&str> = usage.absent.keys().map(String::as_str).collect();
        assert!(names.contains(&"rss_mean_bytes") && names.contains(&"cpu_us"), "{names:?}");
    }

    #[test]
    fn a_living_tree_has_memory_threads_and_files() {
        let group = tempfile::tempdir().expect("folder");
        let me = std::process::id().to_string();
        std::fs::write(group.path().join("cgroup.procs"), me).expect("write");
        let stat = "usage_usec 30\nuser_usec 20\nsystem_usec 10\n";
        std::fs::write(group.path().join("cpu.stat"), stat).expect("write");
        let mut sampler =
            Sampler::start(Tree::new(0, Some(group.path().to_owned())), &[], Some(PERIOD));
        sampler.begin_window(None);
        let opened = clock::now();
        let usage = sampler.end_window();
        assert!(usage.rss_before_bytes.is_some_and(|bytes| bytes > 500_000), "{usage:?}");
        assert!(usage.rss_peak_bytes >= usage.rss_mean_bytes && usage.rss_mean_bytes.is_some());
        assert!(usage.threads_peak.is_some_and(|threads| threads >= 2));
        assert!(usage.open_files_peak.is_some() && usage.cpu.is_some());
        assert!(usage.shared_bytes.is_some() && usage.memory_peak.is_some(), "{usage:?}");
        // Other tests' threads come and go in this process.
        let others = ["context_switches", "run_queue_wait_us"];
        let absent: BTreeMap<_, _> =
            usage.absent.iter().filter(|(name, _)| !others.contains(&name.as_str())).collect();
        assert_eq!(absent, BTreeMap::new());
        assert_eq!(usage.samples_since(opened).len(), 1);
        assert!(sampler.end_window().samples_since(opened).is_empty(), "no window is open");
    }

    #[test]
    fn a_sampler_that_is_off_reads_at_the_ends_and_says_why_there_is_no_more() {
        let group = tempfile::tempdir().expect("folder");
        let me = std::process::id().to_string();
        std::fs::write(group.path().join("cgroup.procs"), me).expect("write");
        let stat = "usage_usec 30\nuser_usec 20\nsystem_usec 10\n";
        std::fs::write(group.path().join("cpu.stat"), stat).expect("write");
        let mut sampler = Sampler::start(Tree::new(0, Some(group.path().to_owned())), &[], None);
        sampler.begin_window(None);
        let opened = clock::now();
        let usage = sampler.end_window();
        assert!(usage.rss_before_bytes.is_some() && usage.pss_after_bytes.is_some(), "{usage:?}");
        assert!(usage.cpu.is_some() && usage.cpus_allowed.is_some(), "{usage:?}");
        assert_eq!(usage.samples_since(opened), []);
        let unseen = [
            "rss_mean_bytes",
            "rss_peak_bytes",
            "threads_peak",
            "open_files_peak",
            "context_switches",
        ];
        for name in unseen {
            assert!(usage.absent[name].contains("the sampler was off"), "{name}: {usage:?}");
        }
    }
}
