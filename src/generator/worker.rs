//! What the slots of one thread share: the job, the supply of requests, the tallies, and the edges of the window.
//!
//! Everything is in cells, as one thread runs all of it. An event reads the clock once, through [`Worker::stamp`], which
//! also notices that the window has opened or closed: so what happens at an instant is counted on the right side of it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Waker};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::cost::{Cost, CostReading, Turn};
use super::gate::{Gate, Progress};
use super::slot::Slot;
use super::supply::{Next, Supply};
use super::tally::Tally;
use super::thread::wake_ups;
use super::times::Stamps;
use super::{Job, Yield};
use crate::clock::{self, Instant};
use crate::http::expect::Depth;
use crate::matrix::VerifyDepth;

/// Bytes read at once; all connections of a thread share the buffer.
const BUFFER_BYTES: usize = 128 * 1024;
/// Of how many answers one has its content compared, in the mean.
const SAMPLED: u32 = 1000;

/// The state of one thread of the generator.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) job: Arc<Job>,
    pub(super) supply: Supply,
    pub(super) slots: Vec<Slot>,
    pub(super) buffer: RefCell<Box<[u8]>>,
    gate: Arc<Gate>,
    progress: Arc<Progress>,
    phase: Cell<Phase>,
    edge: Cell<Instant>,
    closes: Cell<Instant>,
    warm_up: RefCell<Tally>,
    window: RefCell<Tally>,
    /// The step of the warm-up that is going on, and the right answers in it.
    step: Cell<(u64, u64)>,
    idle: RefCell<VecDeque<usize>>,
    pacer: RefCell<Option<Waker>>,
    /// Rises with everything that a socket brings, so that a spin knows whether it was in vain.
    events: Cell<u64>,
    spin_nanos: Cell<u64>,
    opened_cost: Cell<Option<CostReading>>,
    cost: Cell<Option<Cost>>,
    turn: Cell<Turn>,
    finished: Cell<usize>,
    has_panicked: Cell<bool>,
    first_connect: Cell<Instant>,
    last_end: Cell<Instant>,
    until_sample: Cell<u32>,
    draw: RefCell<ChaCha8Rng>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Open,
    Closed,
}

impl Worker {
    pub(super) fn new(
        job: Arc<Job>,
        supply: Supply,
        slots: usize,
        seed: u64,
        meeting: (Arc<Gate>, Arc<Progress>),
    ) -> Self {
        let is_paced = supply.is_paced();
        let depth = job.pipeline;
        let (gate, progress) = meeting;
        let mut draw = ChaCha8Rng::seed_from_u64(seed);
        let mut warm_up = Tally::new(job.warm_up_max, is_paced);
        warm_up.open(clock::now(), 0, 0);
        Self {
            supply,
            slots: (0..slots).map(|_| Slot::new(depth)).collect(),
            buffer: RefCell::new(vec![0; BUFFER_BYTES].into_boxed_slice()),
            gate,
            progress,
            phase: Cell::new(Phase::WarmUp),
            edge: Cell::new(Instant::NEVER),
            closes: Cell::new(Instant::NEVER),
            warm_up: RefCell::new(warm_up),
            window: RefCell::new(Tally::new(job.window_max, is_paced)),
            step: Cell::new((0, 0)),
            idle: RefCell::new(VecDeque::with_capacity(slots)),
            pacer: RefCell::new(None),
            events: Cell::new(0),
            spin_nanos: Cell::new(0),
            opened_cost: Cell::new(None),
            cost: Cell::new(None),
            turn: Cell::new(Turn::default().ends()),
            finished: Cell::new(0),
            has_panicked: Cell::new(false),
            first_connect: Cell::new(Instant::NEVER),
            last_end: Cell::new(Instant::from_nanos(0)),
            until_sample: Cell::new(draw.random_range(1..2 * SAMPLED)),
            draw: RefCell::new(draw),
            job,
        }
    }

    /// Reads the clock for an event, and crosses the edge of the window if it is past.
    #[inline]
    pub(super) fn stamp(&self) -> Instant {
        let now = clock::now();
        self.turn.set(self.turn.get().goes_on(now, wake_ups()));
        if now >= self.edge.get() {
            self.cross(now);
        }
        now
    }

    /// Counts in whichever tally the present belongs to; in none once the window has closed.
    #[inline]
    pub(super) fn count(&self, count: impl FnOnce(&mut Tally)) {
        match self.phase.get() {
            Phase::WarmUp => count(&mut self.warm_up.borrow_mut()),
            Phase::Open => count(&mut self.window.borrow_mut()),
            Phase::Closed => {}
        }
    }

    /// Requests were written wholly. What was taken before the window closed may be written after it, and is told all the
    /// same: the server receives it too.
    #[inline]
    pub(super) fn wrote(&self, requests: usize) {
        let is_warm_up = self.phase.get() == Phase::WarmUp;
        let tally = if is_warm_up { &self.warm_up } else { &self.window };
        tally.borrow_mut().requests_written += requests as u64;
    }

    /// A right answer at `now`: the warm-up shows its progress by them.
    #[inline]
    pub(super) fn saw_good(&self, now: Instant) {
        if self.phase.get() == Phase::WarmUp {
            self.roll(now);
            let (step, good) = self.step.get();
            self.step.set((step, good + 1));
        }
    }

    /// Publishes the steps of the warm-up that are over.
    pub(super) fn roll(&self, now: Instant) {
        let (step, good) = self.step.get();
        let present = self.progress.step_of(now);
        if present > step {
            self.progress.publish(step, good);
            if present > step + 1 {
                self.progress.publish(present - 1, 0);
            }
            self.step.set((present, 0));
        }
    }

    /// Something came of a socket.
    #[inline]
    pub(super) fn saw_event(&self) {
        self.events.set(self.events.get() + 1);
    }

    pub(super) fn events(&self) -> u64 {
        self.events.get()
    }

    pub(super) fn spun(&self, nanos: u64) {
        self.spin_nanos.set(self.spin_nanos.get() + nanos);
    }

    /// The loop has gone round: what comes next is another turn.
    pub(super) fn ends_turn(&self) {
        self.turn.set(self.turn.get().ends());
    }

    /// Takes the next request for a slot; once the window has closed there is none.
    #[inline]
    pub(super) fn take(&self, now: Instant) -> Next {
        let next = if self.is_closed() { Next::Never } else { self.supply.take(now) };
        if matches!(next, Next::Due(_)) {
            self.count(|tally| tally.sent += 1);
        }
        next
    }

    /// How closely the next answer is looked at.
    #[inline]
    pub(super) fn depth(&self, is_first_of_slot: bool) -> Depth {
        match self.job.verify {
            VerifyDepth::All => Depth::Content,
            VerifyDepth::None => Depth::Length,
            VerifyDepth::Sample if is_first_of_slot => Depth::Content,
            VerifyDepth::Sample => match self.until_sample.get() {
                0 => {
                    self.until_sample.set(self.draw.borrow_mut().random_range(1..2 * SAMPLED) - 1);
                    Depth::Content
                }
                left => {
                    self.until_sample.set(left - 1);
                    Depth::Length
                }
            },
        }
    }

    /// A slot has nothing to do until the schedule says so.
    pub(super) fn rest(&self, index: usize, since: Instant) {
        let slot = &self.slots[index];
        if !slot.is_idle.replace(true) {
            slot.free_since.set(since);
            self.idle.borrow_mut().push_back(index);
            if let Some(pacer) = self.pacer.borrow_mut().take() {
                pacer.wake();
            }
        }
    }

    /// A slot is not there any more to be given a request.
    pub(super) fn unrest(&self, index: usize) {
        if self.slots[index].is_idle.replace(false) {
            self.idle.borrow_mut().retain(|idle| *idle != index);
        }
    }

    /// Hands the request that is due to the slot that has been idle for longest; false if none is idle, and then
    /// `cx` is woken by the next that is.
    pub(super) fn hand_out(&self, now: Instant, cx: &Context<'_>) -> bool {
        let Some(index) = self.idle.borrow_mut().pop_front() else {
            *self.pacer.borrow_mut() = Some(cx.waker().clone());
            return false;
        };
        let slot = &self.slots[index];
        slot.is_idle.set(false);
        match self.take(now) {
            Next::Due(intended) => {
                let stamps = Stamps::taken(intended, slot.free_since.get());
                slot.outstanding.borrow_mut().push_back(stamps);
                slot.wake();
            }
            Next::Later | Next::Never => self.rest(index, slot.free_since.get()),
        }
        true
    }

    /// A slot has panicked: an invariant does not hold, and nothing that was counted can be trusted.
    pub(super) fn saw_panic(&self) {
        self.has_panicked.set(true);
    }

    /// Whether the window has closed, and nothing is asked any more.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.phase.get() == Phase::Closed
    }

    /// When the next request is due, if a schedule says so and the window has not closed.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.is_closed() { None } else { self.supply.due() }
    }

    /// A slot has ended for good.
    pub(super) fn finish(&self) {
        self.finished.set(self.finished.get() + 1);
    }

    /// A slot begins to connect at `now`.
    pub(super) fn connects(&self, now: Instant) {
        self.first_connect.set(self.first_connect.get().min(now));
    }

    /// A request has ended at `now`.
    #[inline]
    pub(super) fn ended(&self, now: Instant) {
        self.last_end.set(now);
    }

    /// Looks whether the window is known by now, whether the load is cancelled, and whose deadline is past.
    pub(super) fn look_around(&self) {
        let now = self.stamp();
        if self.phase.get() == Phase::WarmUp {
            self.roll(now);
            let (opens, closes) = self.gate.window();
            self.closes.set(closes);
            self.edge.set(opens);
            if now >= opens {
                self.cross(now);
            }
        }
        if self.phase.get() == Phase::Open && self.gate.is_cut_short() {
            self.closes.set(now);
            self.cross(now);
        }
        for slot in &self.slots {
            if slot.deadline.get() <= now {
                slot.is_expired.set(true);
                slot.wake();
            }
        }
    }

    /// When the next edge of the window is due.
    pub(super) fn edge(&self) -> Instant {
        self.edge.get()
    }

    /// Whether there is nothing more to do.
    ///
    /// # Panics
    /// If a slot has.
    pub(super) fn is_over(&self) -> bool {
        assert!(!self.has_panicked.get(), "a connection slot panicked");
        let is_done = self.finished.get() == self.slots.len();
        if is_done && self.phase.get() == Phase::Open {
            // A quota is used up: the window ends with the last request, not with this look at it.
            self.closes.set(self.last_end.get());
            self.cross(self.last_end.get());
        }
        self.phase.get() == Phase::Closed || is_done || self.gate.is_cancelled()
    }

    fn cross(&self, now: Instant) {
        if self.phase.get() == Phase::WarmUp {
            self.open();
        }
        if self.phase.get() == Phase::Open && now >= self.closes.get() {
            self.close();
        }
    }

    fn open(&self) {
        let opens = self.edge.get();
        let under_way: usize = self.slots.iter().map(|slot| slot.outstanding.borrow().len()).sum();
        let in_line = self.supply.in_line(opens);
        let mut window = self.window.borrow_mut();
        window.open(opens, under_way as u64, in_line);
        self.turn.set(self.turn.get().forget());
        self.opened_cost.set(Some(CostReading::now(self.spin_nanos.get())));
        self.warm_up.borrow_mut().unfinished = under_way as u64;
        self.phase.set(Phase::Open);
        self.edge.set(self.closes.get());
    }

    fn close(&self) {
        let closes = self.closes.get();
        if let Some(opened) = self.opened_cost.get() {
            self.cost.set(Some(CostReading::now(self.spin_nanos.get()).since(&opened)));
        }
        let mut window = self.window.borrow_mut();
        for slot in &self.slots {
            // One that is still connecting was sent nothing yet: its age counts from its beginning.
            let outstanding = slot.outstanding.borrow();
            window.cut_off(outstanding.iter().map(|stamps| stamps.sent.min(stamps.begun)));
        }
        window.close(self.supply.in_line(closes));
        self.phase.set(Phase::Closed);
        self.edge.set(Instant::NEVER);
    }

    /// What this thread counted, once it is over.
    pub(super) fn into_yield(self) -> Yield {
        Yield {
            warm_up: self.warm_up.into_inner(),
            window: self.window.into_inner(),
            first_connect: self.first_connect.get(),
            closed: self.closes.get(),
            cost: self.cost.get(),
            turn_nanos_max: self.turn.get().nanos_max,
            is_complete: self.phase.get() == Phase::Closed,
        }
    }
}
