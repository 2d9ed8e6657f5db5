//! What one thread counts: outcomes, times, a series; how threads are merged; and the identity that must hold.
//!
//! Nothing here knows of sockets. A tally is filled while load runs, without allocating, and merged when all is over.

use std::collections::BTreeMap;
use std::time::Duration;

use super::times::{Histograms, Stamps};
use crate::clock::Instant;
use crate::outcome::{Counts, Kind, Lost, Wrong};

/// The length of one step of the series.
pub(super) const STEP: Duration = Duration::from_millis(100);
/// Steps that room is made for at once: ten minutes. A longer series grows as it goes.
const STEPS_RESERVED: u128 = 6000;
/// Examples kept of each kind.
const EXAMPLES_PER_KIND: u64 = 3;
/// Statuses that are told apart; any other is no HTTP answer.
const STATUSES: usize = 600;
/// A request must be this old at the end of a window to be counted as unanswered, see [`Tally::close`].
const UNANSWERED_AFTER: Duration = Duration::from_secs(1);

/// Outcomes of one thread, or of all.
#[derive(Debug)]
pub(super) struct Tally {
    opened: Instant,
    is_paced: bool,
    in_line_at_opening: u64,
    pub(super) carried_in: u64,
    pub(super) sent: u64,
    pub(super) good: u64,
    pub(super) checked: u64,
    pub(super) wrong: Counts<Wrong>,
    pub(super) lost: Counts<Lost>,
    pub(super) unfinished: u64,
    pub(super) in_line: u64,
    pub(super) replayed: u64,
    pub(super) reconnects: u64,
    /// Connections that we ended, as bytes came on them that nobody had asked for.
    pub(super) unsolicited: u64,
    pub(super) kept_open: u64,
    pub(super) connections_opened: u64,
    pub(super) requests_written: u64,
    pub(super) bytes_received: u64,
    pub(super) body_bytes: u64,
    status: Box<[u64]>,
    pub(super) times: Histograms,
    steps: Vec<StepTally>,
    examples: Vec<Noted>,
    /// When each request that the end of the window cut off had been sent.
    cut_off: Vec<Instant>,
}

/// One step of the series.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StepTally {
    pub(super) good: u64,
    pub(super) bad: u64,
    pub(super) answers: u64,
    pub(super) service_nanos: u64,
    pub(super) response_nanos_max: u64,
}

/// A wrong or lost request, kept for a person to look at.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    pub(super) kind: &'static str,
    pub(super) at: Instant,
    pub(super) detail: String,
}

impl Tally {
    /// An empty one, with room for a series of `length`.
    pub(super) fn new(length: Duration, is_paced: bool) -> Self {
        let steps = (length.as_nanos().div_ceil(STEP.as_nanos()) + 1).min(STEPS_RESERVED);
        Self {
            opened: Instant::NEVER,
            is_paced,
            in_line_at_opening: 0,
            carried_in: 0,
            sent: 0,
            good: 0,
            checked: 0,
            wrong: Counts::new(),
            lost: Counts::new(),
            unfinished: 0,
            in_line: 0,
            replayed: 0,
            reconnects: 0,
            unsolicited: 0,
            kept_open: 0,
            connections_opened: 0,
            requests_written: 0,
            bytes_received: 0,
            body_bytes: 0,
            status: vec![0; STATUSES].into_boxed_slice(),
            times: Histograms::new(),
            steps: Vec::with_capacity(usize::try_from(steps).unwrap_or(0)),
            examples: Vec::new(),
            cut_off: Vec::new(),
        }
    }

    /// Counting begins at `opened`, with so many requests under way, and so many in line for a connection.
    pub(super) fn open(&mut self, opened: Instant, under_way: u64, in_line: u64) {
        self.opened = opened;
        self.carried_in = under_way + in_line;
        self.in_line_at_opening = in_line;
    }

    /// A whole answer.
    #[inline]
    pub(super) fn answered(
        &mut self,
        stamps: &Stamps,
        done: Instant,
        status: u16,
        verdict: Result<(), Wrong>,
    ) {
        self.status[usize::from(status)] += 1;
        self.times.record(stamps, done, self.is_paced);
        let response_nanos = done.nanos_since(stamps.intended);
        let step = self.step(done);
        step.answers += 1;
        step.service_nanos += done.nanos_since(stamps.sent);
        step.response_nanos_max = step.response_nanos_max.max(response_nanos);
        match verdict {
            Ok(()) => {
                step.good += 1;
                self.good += 1;
            }
            Err(wrong) => {
                step.bad += 1;
                self.wrong.add(wrong);
            }
        }
    }

    /// A request that got no whole answer.
    pub(super) fn lost(&mut self, kind: Lost, at: Instant) {
        self.step(at).bad += 1;
        self.lost.add(kind);
    }

    /// Keeps an example of `kind`, unless there are enough; `detail` is only made if it is kept.
    pub(super) fn note<K: Kind>(&mut self, kind: K, at: Instant, detail: impl FnOnce() -> String) {
        let kept = self.examples.iter().filter(|noted| noted.kind == kind.name()).count() as u64;
        if kept < EXAMPLES_PER_KIND {
            self.examples.push(Noted { kind: kind.name(), at, detail: detail() });
        }
    }

    /// The window closes on requests under way; each is told by the instant when it was sent.
    pub(super) fn cut_off(&mut self, sent_at: impl Iterator<Item = Instant>) {
        self.cut_off.extend(sent_at);
    }

    /// Counting ends, with so many requests due and still in line for a connection. What is under way or in line is
    /// unfinished, less what [`Tally::settle_unanswered`] finds too old.
    pub(super) fn close(&mut self, in_line: u64) {
        // Those in line at the opening were carried in, although they were taken later.
        self.sent = self.sent + in_line - self.in_line_at_opening;
        self.in_line = in_line;
        self.unfinished = self.cut_off.len() as u64 + in_line;
    }

    /// Of the requests that the end cut off, those older than a second and than ten times the p99 of
    /// service time are lost, not unfinished. Called once, on the merged tally.
    pub(super) fn settle_unanswered(&mut self, closed: Instant) {
        let p99 = Duration::from_nanos(self.times.service.value_at_quantile(0.99));
        let oldest = UNANSWERED_AFTER.max(p99 * 10);
        for sent in std::mem::take(&mut self.cut_off) {
            if closed.since(sent) > oldest {
                self.unfinished -= 1;
                self.lost.add(Lost::Unanswered);
            }
        }
    }

    /// Takes in what another thread counted in the same window.
    ///
    /// # Panics
    /// If either does not add up.
    pub(super) fn merge(&mut self, other: Self) {
        assert!(self.adds_up(), "mine does not add up: {self:?}");
        assert!(other.adds_up(), "theirs does not add up: {other:?}");
        self.opened = self.opened.min(other.opened);
        self.carried_in += other.carried_in;
        self.sent += other.sent;
        self.good += other.good;
        self.checked += other.checked;
        self.wrong.merge(&other.wrong);
        self.lost.merge(&other.lost);
        self.unfinished += other.unfinished;
        self.in_line += other.in_line;
        self.replayed += other.replayed;
        self.reconnects += other.reconnects;
        self.unsolicited += other.unsolicited;
        self.kept_open += other.kept_open;
        self.connections_opened += other.connections_opened;
        self.requests_written += other.requests_written;
        self.bytes_received += other.bytes_received;
        self.body_bytes += other.body_bytes;
        for (mine, theirs) in self.status.iter_mut().zip(&other.status) {
            *mine += theirs;
        }
        self.times.merge(&other.times);
        self.merge_steps(&other.steps);
        self.examples.extend(other.examples);
        self.cut_off.extend(other.cut_off);
    }

    fn merge_steps(&mut self, others: &[StepTally]) {
        if self.steps.len() < others.len() {
            self.steps.resize_with(others.len(), StepTally::default);
        }
        for (mine, theirs) in self.steps.iter_mut().zip(others) {
            mine.good += theirs.good;
            mine.bad += theirs.bad;
            mine.answers += theirs.answers;
            mine.service_nanos += theirs.service_nanos;
            mine.response_nanos_max = mine.response_nanos_max.max(theirs.response_nanos_max);
        }
    }

    /// Whether every attempt has exactly one outcome.
    pub(super) fn adds_up(&self) -> bool {
        self.attempted() == self.good + self.wrong.total() + self.lost.total() + self.unfinished
    }

    pub(super) fn attempted(&self) -> u64 {
        self.carried_in + self.sent
    }

    pub(super) fn answers(&self) -> u64 {
        self.good + self.wrong.total()
    }

    pub(super) fn opened(&self) -> Instant {
        self.opened
    }

    pub(super) fn steps(&self) -> &[StepTally] {
        &self.steps
    }

    pub(super) fn examples(&self) -> &[Noted] {
        &self.examples
    }

    pub(super) fn statuses(&self) -> BTreeMap<u16, u64> {
        (0u16..).zip(self.status.iter().copied()).filter(|(_, count)| *count > 0).collect()
    }

    /// The step that an instant falls in. Its place was made room for, unless the window is longer than said.
    #[inline]
    fn step(&mut self, at: Instant) -> &mut StepTally {
        let index = at.since(self.opened).as_nanos() / STEP.as_nanos();
        let index = usize::try_from(index).expect("a window has fewer steps than memory has bytes");
        if index >= self.steps.len() {
            self.steps.resize_with(index + 1, StepTally::default);
        }
        &mut self.steps[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENED: Instant = Instant::from_nanos(10_000_000_000);

    fn stamps(sent: Instant) -> Stamps {
        Stamps { begun: sent, sent, first_byte: sent, ..Stamps::taken(sent, sent) }
    }

    fn tally() -> Tally {
        let mut tally = Tally::new(Duration::from_secs(1), false);
        tally.open(OPENED, 1, 0);
        tally
    }

    #[test]
    fn every_outcome_is_counted_once_and_in_its_step() {
        let mut tally = tally();
        tally.sent = 3;
        let done = OPENED + Duration::from_millis(250);
        tally.answered(&stamps(OPENED), done, 200, Ok(()));
        tally.answered(&stamps(OPENED), done, 404, Err(Wrong::Status));
        tally.lost(Lost::Timeout, OPENED + Duration::from_millis(50));
        assert!(!tally.adds_up());
        tally.cut_off([OPENED].into_iter());
        tally.close(0);
        assert!(tally.adds_up());
        let steps: Vec<(u64, u64)> =
            tally.steps().iter().map(|step| (step.good, step.bad)).collect();
        assert_eq!(steps, [(0, 1), (0, 0), (1, 1)]);
        assert_eq!(tally.statuses(), BTreeMap::from([(200, 1), (404, 1)]));
    }

    #[test]
    fn only_what_is_far_older_than_other_answers_is_lost_at_the_end() {
        let closed = OPENED + Duration::from_secs(5);
        let mut tally = tally();
        tally.sent = 3;
        tally.answered(&stamps(OPENED), OPENED + Duration::from_millis(200), 200, Ok(()));
        // The p99 is 200 ms, so the bound is two seconds.
        let ages = [Duration::from_millis(1900), Duration::from_millis(2100), Duration::ZERO];
        tally.cut_off(ages.into_iter().map(|age| closed - age));
        tally.close(0);
        tally.settle_unanswered(closed);
        assert_eq!((tally.unfinished, tally.lost.of(Lost::Unanswered)), (2, 1));
        assert!(tally.adds_up());
    }

    #[test]
    fn what_waits_in_line_at_the_opening_is_carried_in_and_not_sent_again() {
        let mut tally = Tally::new(Duration::from_secs(1), true);
        tally.open(OPENED, 2, 3);
        // Of five in line over time, three were due before; four are taken, one still waits at the end.
        tally.sent = 4;
        for _ in 0..5 {
            tally.answered(&stamps(OPENED), OPENED, 200, Ok(()));
        }
        tally.cut_off([OPENED].into_iter());
        tally.close(1);
        assert_eq!((tally.carried_in, tally.sent, tally.unfinished), (5, 2, 2));
        assert!(tally.adds_up());
    }

    #[test]
    fn merging_adds_counts_and_steps() {
        let mut first = tally();
        first.answered(&stamps(OPENED), OPENED + Duration::from_millis(10), 200, Ok(()));
        let mut second = tally();
        second.answered(&stamps(OPENED), OPENED + Duration::from_millis(110), 200, Ok(()));
        first.merge(second);
        assert_eq!((first.good, first.attempted(), first.steps().len()), (2, 2, 2));
        assert_eq!(first.times.service.len(), 2);
    }

    #[test]
    fn examples_of_one_kind_are_bounded() {
        let mut tally = tally();
        for _ in 0..10 {
            tally.note(Wrong::Status, OPENED, || "404".to_owned());
        }
        tally.note(Lost::Timeout, OPENED, String::new);
        assert_eq!(tally.examples().len(), 4);
    }
}
