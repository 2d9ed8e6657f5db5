//! The load generator: makes a load against one address, and tells what came of it.
//!
//! One pinned thread for each CPU, on each a tokio runtime of its own, its slots as tasks, its own tallies. Threads meet
//! the run at the gate (when does the window open?) and nowhere else until all is over. Reading order: [`arrival`], then
//! `supply`, `slot`, `life`, `connection`, `worker`, `tally`.
//!
//! Not here: what the server costs, and what limits whom.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{self, Instant};
use crate::http::expect::Expectation;
use crate::http::request::RequestKind;
use crate::matrix::{Arrival, VerifyDepth};
use crate::record::measured::Measured;

pub mod arrival;
mod connection;
mod cost;
mod gate;
mod life;
mod pace;
pub mod ports;
pub mod probe;
mod result;
mod slot;
mod supply;
mod system;
mod tally;
mod thread;
mod times;
mod worker;

use gate::{Gate, LEAD, Progress};
use tally::Tally;

/// What a load is made of.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Whom to ask.
    pub address: SocketAddr,
    /// The request, as bytes.
    pub request: Vec<u8>,
    /// What the request implies for its answer.
    pub kind: RequestKind,
    /// Whether it may be written again after a stale connection: GET and HEAD.
    pub is_idempotent: bool,
    /// The right answer.
    pub expectation: Expectation,
    /// Connections, or slots for one connection after another.
    pub connections: usize,
    /// Requests under way on each.
    pub pipeline: usize,
    /// When requests are made.
    pub arrival: Arrival,
    /// Exactly so many requests instead of a window.
    pub requests: Option<u64>,
    /// Time for one request, connecting included.
    pub timeout: Duration,
    /// How often content is compared.
    pub verify: VerifyDepth,
    /// Draws what is sampled, and the distances of Poisson arrivals.
    pub seed: u64,
    /// The longest that the load may go on before its window.
    pub warm_up_max: Duration,
    /// The longest that the window may be.
    pub window_max: Duration,
    /// Whether the window opens with the load, without any warm-up.
    pub opens_at_once: bool,
}

/// What all threads know of the load.
#[derive(Debug)]
struct Job {
    address: SocketAddr,
    request: Vec<u8>,
    /// The request as often as one connection may have it under way.
    requests: Vec<u8>,
    kind: RequestKind,
    is_idempotent: bool,
    expectation: Expectation,
    pipeline: usize,
    timeout: Duration,
    verify: VerifyDepth,
    warm_up_max: Duration,
    window_max: Duration,
}

/// What one thread brings back.
#[derive(Debug)]
struct Yield {
    warm_up: Tally,
    window: Tally,
    first_connect: Instant,
    closed: Instant,
    cost: Option<cost::Cost>,
    turn_nanos_max: u64,
    /// Whether the window was seen to its end.
    is_complete: bool,
}

/// The load before the window, in sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WarmUp {
    /// Whole answers, right or wrong.
    pub answers: u64,
    /// Wrong answers and lost requests.
    pub bad: u64,
    /// Requests wholly written.
    pub requests_written: u64,
}

/// What a load came to.
#[derive(Debug)]
pub struct Loaded {
    /// The window.
    pub measured: Measured,
    /// Requests wholly written in the window.
    pub requests_written: u64,
    /// What went before it.
    pub warm_up: WarmUp,
    /// When the window opened.
    pub opened: Instant,
    /// When it closed.
    pub closed: Instant,
}

/// Why no load could be made: the fault is ours, or the machine's.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// No thread, runtime or timer.
    #[error("cannot run a thread of the load generator: {0}")]
    Thread(#[from] std::io::Error),
    /// Too few descriptors for the connections.
    #[error("{wanted} connections need more open files than the {allowed} that are allowed")]
    OpenFiles {
        /// Connections asked for.
        wanted: u64,
        /// The limit of open files.
        allowed: u64,
    },
    /// It was cancelled before its window closed.
    #[error("the load was cancelled")]
    Cancelled,
}

/// A load that is going on.
#[derive(Debug)]
pub struct Generator {
    gate: Arc<Gate>,
    progress: Vec<Arc<Progress>>,
    threads: Vec<std::thread::JoinHandle<std::io::Result<Yield>>>,
    /// Whether it ends after so many requests, and so has a window from its first connect to its last end.
    is_counted: bool,
}

impl Generator {
    /// Starts the load on `cpus`, one thread each, pinned if that is allowed ([`crate::affinity::why_not`] tells), but
    /// never more threads than connections.
    ///
    /// # Errors
    /// If there are too few descriptors, or a thread cannot be started.
    pub fn start(spec: Spec, cpus: &[usize]) -> Result<Self, GeneratorError> {
        assert!(spec.connections > 0 && spec.pipeline > 0, "a load has connections and a depth");
        thread::allow_open_files(spec.connections as u64)?;
        let slots = spec
            .requests
            .map_or(spec.connections, |requests| {
                usize::try_from(requests).unwrap_or(usize::MAX).min(spec.connections)
            })
            .max(1);
        let count = cpus.len().clamp(1, slots);
        // What is due while threads start would wait for them, and be taken for a queue of the server.
        let lead = if spec.arrival == Arrival::ClosedLoop { Duration::ZERO } else { LEAD };
        let start = clock::now() + lead;
        let gate = Arc::new(Gate::new());
        let is_counted = spec.requests.is_some();
        if is_counted || spec.opens_at_once {
            gate.set(start, start + spec.window_max);
        }
        let progress: Vec<_> = (0..count).map(|_| Arc::new(Progress::new(start))).collect();
        let orders = thread::orders(&spec, slots, count, start);
        let job = Arc::new(Job::new(spec));
        // Should one not start, those that have are ended with this.
        let threads = Vec::with_capacity(count);
        let mut generator = Self { gate, progress, threads, is_counted };
        for (index, order) in orders.into_iter().enumerate() {
            let meeting = (Arc::clone(&generator.gate), Arc::clone(&generator.progress[index]));
            let cpu = cpus.get(index).copied();
            generator.threads.push(thread::spawn(Arc::clone(&job), order, cpu, meeting)?);
        }
        Ok(generator)
    }

    /// Right answers per second in the last complete tenths of a second of the warm-up, oldest first.
    pub fn recent_goodput(&self, tenths: usize) -> Vec<f64> {
        gate::recent_goodput(&self.progress, tenths)
    }

    /// The numbers of the threads that make the load.
    pub fn thread_ids(&self) -> BTreeSet<u32> {
        self.progress.iter().filter_map(|progress| progress.thread_id()).collect()
    }

    /// Opens a window of `length` a moment from now; tells when it opens and closes.
    pub fn open_window(&self, length: Duration) -> (Instant, Instant) {
        let opens = clock::now() + LEAD;
        self.gate.set(opens, opens + length);
        (opens, opens + length)
    }

    /// Closes the open window at once; what was counted in it stays.
    pub fn cut_short(&self) {
        self.gate.cut_short();
    }

    /// Whether every thread has ended.
    pub fn is_over(&self) -> bool {
        self.threads.iter().all(std::thread::JoinHandle::is_finished)
    }

    /// Waits until the window has closed, and adds up what the threads counted.
    ///
    /// # Errors
    /// If a thread failed, or the load was cancelled.
    pub fn finish(mut self) -> Result<Loaded, GeneratorError> {
        let ends: Vec<_> = self.threads.drain(..).map(std::thread::JoinHandle::join).collect();
        let mut yields = Vec::with_capacity(ends.len());
        for end in ends {
            match end {
                Ok(outcome) => yields.push(outcome?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result::add_up(yields, self.is_counted).ok_or(GeneratorError::Cancelled)
    }
}

impl Drop for Generator {
    /// A load that is let go of ends.
    fn drop(&mut self) {
        self.gate.cancel();
        for thread in self.threads.drain(..) {
            // A panic there has been reported there; this is no place to raise it again.
            drop(thread.join());
        }
    }
}

impl Job {
    fn new(spec: Spec) -> Self {
        Self {
            address: spec.address,
            requests: spec.request.repeat(spec.pipeline),
            request: spec.request,
            kind: spec.kind,
            is_idempotent: spec.is_idempotent,
            expectation: spec.expectation,
            pipeline: spec.pipeline,
            timeout: spec.timeout,
            verify: spec.verify,
            warm_up_max: spec.warm_up_max,
            window_max: spec.window_max,
        }
    }
}
