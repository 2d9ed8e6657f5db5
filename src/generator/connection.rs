//! One connection: requests out, answers in, and how it ends.
//!
//! Bytes are understood in [`crate::http`]; what an end means for requests that it leaves open is decided in
//! [`super::life`]. Nothing is allocated here for an answer that comes in one piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead as _, AsyncWrite as _, Interest, ReadBuf};
use tokio::net::TcpStream;

use super::slot::Slot;
use super::supply::Next;
use super::system;
use super::times::Stamps;
use super::worker::Worker;
use crate::clock::Instant;
use crate::http::expect::Judge;
use crate::http::framing::{Decoder, EndOfFile, Event, FramingError};
use crate::outcome::Wrong;

/// A body is discarded in the kernel if at least so much of it is still to come.
const DISCARD_FROM: u64 = 8 * 1024;

/// A connection in use by a slot.
#[derive(Debug)]
pub(super) struct Connection<'w> {
    worker: &'w Worker,
    slot: &'w Slot,
    index: usize,
    stream: TcpStream,
    decoder: Decoder,
    /// Of the answer whose head has come.
    judge: Option<Judge<'w>>,
    /// Whether the next answer is the first of its slot.
    is_first: bool,
    /// Whether the content of the current answer is compared.
    is_checked: bool,
    status: u16,
    /// Bytes of a head or a chunk's line that is not yet whole.
    kept: Vec<u8>,
    /// How many of the slot's outstanding requests have been begun here.
    begun: usize,
    /// Bytes of begun requests that are not yet written.
    unwritten: usize,
    was_reset: bool,
    answered: u64,
}

/// How a connection ended.
#[derive(Debug)]
pub(super) enum End {
    /// After a whole answer that does not let it live on. `is_closed` if the server has closed it already.
    Finished { is_closed: bool },
    /// Between two answers, by the server.
    BetweenAnswers,
    /// While a request was open: reset by the server, or closed.
    Broken { is_reset: bool, is_inside: bool },
    /// The oldest request was not answered before its deadline.
    Expired,
    /// What came is no HTTP answer.
    Protocol(FramingError),
    /// Bytes came that no request had asked for.
    Unsolicited,
    /// There are no more requests to make.
    Idle,
    /// Another failure of the system.
    Failed(io::Error),
}

impl<'w> Connection<'w> {
    pub(super) fn new(worker: &'w Worker, index: usize, stream: TcpStream, answers: u64) -> Self {
        Self {
            worker,
            slot: &worker.slots[index],
            index,
            stream,
            decoder: Decoder::new(),
            judge: None,
            is_first: answers == 0,
            is_checked: false,
            status: 0,
            kept: Vec::new(),
            begun: 0,
            unwritten: 0,
            was_reset: false,
            answered: 0,
        }
    }

    /// How many answers it has brought.
    pub(super) fn answered(&self) -> u64 {
        self.answered
    }

    /// The socket, to wait for the server's close.
    pub(super) fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Keeps requests going until the connection ends.
    pub(super) fn poll_serve(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        let mut now = None;
        loop {
            if self.slot.take_expired() {
                return Poll::Ready(End::Expired);
            }
            if !self.begin(&mut now) {
                return Poll::Ready(End::Idle);
            }
            // A failed write is told by the read that follows: the server may have answered before it closed.
            if let Poll::Ready(Err(error)) = self.poll_write(cx) {
                self.unwritten = 0;
                // The system tells a reset once, and to the read that follows only the end.
                self.was_reset |= error.kind() == io::ErrorKind::ConnectionReset;
            }
            self.slot.remember(cx);
            match ready!(self.poll_receive(cx)) {
                Ok(received) => now = Some(received),
                Err(end) => return Poll::Ready(end),
            }
        }
    }

    /// Begins what the slot holds and what else there is to take; false if there is nothing, now or later.
    fn begin(&mut self, now: &mut Option<Instant>) -> bool {
        if self.begun == self.worker.job.pipeline {
            return true;
        }
        // Read before anything is borrowed: the window may open or close with it, and that looks at every slot.
        let now = *now.get_or_insert_with(|| self.worker.stamp());
        if self.worker.is_closed() {
            return false;
        }
        let mut outstanding = self.slot.outstanding.borrow_mut();
        let mut next = None;
        while outstanding.len() < self.worker.job.pipeline {
            match self.worker.take(now) {
                Next::Due(intended) => outstanding.push_back(Stamps::taken(intended, now)),
                none => {
                    next = Some(none);
                    break;
                }
            }
        }
        match next {
            Some(Next::Never) if outstanding.is_empty() => return false,
            Some(Next::Later) => self.worker.rest(self.index, now),
            _ => self.worker.unrest(self.index),
        }
        for stamps in outstanding.iter_mut().skip(self.begun) {
            stamps.begun = stamps.begun.min(now);
            stamps.sent = stamps.sent.min(now);
            self.unwritten += self.worker.job.request.len();
        }
        let had_none = self.begun == 0;
        self.begun = outstanding.len();
        if had_none {
            self.set_deadline(outstanding.front());
        }
        true
    }

    fn set_deadline(&self, oldest: Option<&Stamps>) {
        let deadline =
            oldest.map_or(Instant::NEVER, |stamps| stamps.begun + self.worker.job.timeout);
        self.slot.expect_until(deadline);
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let requests = &self.worker.job.requests;
        let size = self.worker.job.request.len();
        while self.unwritten > 0 {
            // All requests are alike, so what is left to write is an end of as many of them.
            let rest = &requests[requests.len() - self.unwritten..];
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            let left = self.unwritten - written;
            let whole = self.unwritten.div_ceil(size) - left.div_ceil(size);
            self.worker.wrote(whole);
            self.unwritten = left;
        }
        Poll::Ready(Ok(()))
    }

    /// Takes what has come, once; tells when.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, End>> {
        if self.kept.is_empty()
            && self.decoder.discardable().is_some_and(|rest| rest >= DISCARD_FROM)
            && !self.judge.as_ref().is_some_and(Judge::needs_content)
        {
            return self.poll_discard(cx);
        }
        let mut buffer = self.worker.buffer.borrow_mut();
        let kept = self.kept.len();
        buffer[..kept].copy_from_slice(&self.kept);
        let mut unread = ReadBuf::new(&mut buffer[kept..]);
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut unread));
        let read = unread.filled().len();
        let now = self.worker.stamp();
        self.worker.saw_event();
        Poll::Ready(match result {
            Err(error) => Err(self.broken(error)),
            Ok(()) if read == 0 => Err(self.end_of_file(now)),
            Ok(()) => {
                self.worker.count(|tally| tally.bytes_received += read as u64);
                self.kept.clear();
                self.understand(&buffer[..kept + read], now).map(|()| now)
            }
        })
    }

    /// Throws away bytes of a body in the kernel, where nobody looks at them.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<Result<Instant, End>> {
        let mut buffer = self.worker.buffer.borrow_mut();
        loop {
            if let Err(error) = ready!(self.stream.poll_read_ready(cx)) {
                return Poll::Ready(Err(self.broken(error)));
            }
            let rest = self.decoder.discardable().expect("asked before");
            let most = usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len());
            let mut taken = None;
            let outcome = self.stream.try_io(Interest::READABLE, || {
                let bytes = system::discard(&self.stream, &mut buffer[..most])?;
                taken = Some(bytes);
                // Fewer bytes than asked for: the socket is empty, and saying so spares a call that would only tell
                // it again. An end of the connection must stay ready to be read.
                if 0 < bytes && bytes < most {
                    Err(io::ErrorKind::WouldBlock.into())
                } else {
                    Ok(())
                }
            });
            let now = match (outcome, taken) {
                (_, Some(_)) => self.worker.stamp(),
                (Err(error), None) if error.kind() == io::ErrorKind::WouldBlock => continue,
                (Err(error), None) => return Poll::Ready(Err(self.broken(error))),
                (Ok(()), None) => unreachable!("a call that succeeded told its bytes"),
            };
            self.worker.saw_event();
            let bytes = taken.unwrap_or_default() as u64;
            if bytes == 0 {
                return Poll::Ready(Err(self.end_of_file(now)));
            }
            self.worker.count(|tally| {
                tally.bytes_received += bytes;
                tally.body_bytes += bytes;
            });
            self.decoder.discarded(bytes);
            if let Some(judge) = &mut self.judge {
                judge.skipped(bytes);
            }
            return Poll::Ready(self.understand(&[], now).map(|()| now));
        }
    }

    /// Goes through bytes that came at `now`, and keeps what is not yet whole.
    fn understand(&mut self, mut input: &[u8], now: Instant) -> Result<(), End> {
        loop {
            match self.slot.outstanding.borrow_mut().front_mut() {
                Some(stamps) if self.begun > 0 => {
                    if !input.is_empty() {
                        stamps.first_byte = stamps.first_byte.min(now);
                    }
                }
                _ if input.is_empty() => return Ok(()),
                _ => return Err(End::Unsolicited),
            }
            let (bytes, event) =
                self.decoder.decode(input, self.worker.job.kind).map_err(End::Protocol)?;
            input = &input[bytes..];
            match event {
                Event::NeedMore => {
                    self.kept.extend_from_slice(input);
                    return Ok(());
                }
                Event::Skipped => {}
                Event::Head(head) => {
                    self.status = head.status;
                    let depth = self.worker.depth(std::mem::take(&mut self.is_first));
                    let judge = self.judge.insert(Judge::new(&self.worker.job.expectation, depth));
                    judge.head(&head);
                    self.is_checked = judge.needs_content();
                }
                Event::Body(piece) => {
                    self.worker.count(|tally| tally.body_bytes += piece.len() as u64);
                    if let Some(judge) = &mut self.judge {
                        judge.body(piece);
                    }
                }
                Event::End { reusable } => {
                    self.answer(now);
                    if !reusable {
                        return Err(End::Finished { is_closed: false });
                    }
                }
            }
        }
    }

    /// The oldest request has its whole answer.
    fn answer(&mut self, now: Instant) {
        let judge = self.judge.take().expect("an answer that has ended had a head");
        let (received, differs_at) = (judge.received(), judge.differs_at());
        let verdict = judge.end();
        let mut outstanding = self.slot.outstanding.borrow_mut();
        let stamps = outstanding.pop_front().expect("an answer answers a request");
        self.begun -= 1;
        self.answered += 1;
        self.set_deadline(outstanding.front().filter(|_| self.begun > 0));
        drop(outstanding);
        match verdict {
            Ok(()) => self.worker.saw_good(now),
            Err(wrong) => self.note_wrong(wrong, received, differs_at, now),
        }
        self.worker.ended(now);
        let is_checked = std::mem::take(&mut self.is_checked);
        self.worker.count(|tally| {
            tally.checked += u64::from(is_checked);
            tally.answered(&stamps, now, self.status, verdict);
        });
    }

    #[cold]
    fn note_wrong(&self, wrong: Wrong, received: u64, differs_at: Option<u64>, now: Instant) {
        let status = self.status;
        self.worker.count(|tally| {
            tally.note(wrong, now, || {
                let differs = differs_at.map_or_else(String::new, |byte| {
                    format!(", others than expected from byte {byte} on")
                });
                format!("status {status}, {received} bytes of body{differs}")
            });
        });
    }

    fn end_of_file(&mut self, now: Instant) -> End {
        match self.decoder.end_of_file() {
            EndOfFile::Complete => {
                self.answer(now);
                End::Finished { is_closed: true }
            }
            EndOfFile::Idle if self.begun == 0 => End::BetweenAnswers,
            EndOfFile::Idle => End::Broken { is_reset: self.was_reset, is_inside: false },
            EndOfFile::InsideHead | EndOfFile::InsideBody => {
                End::Broken { is_reset: self.was_reset, is_inside: true }
            }
        }
    }

    fn broken(&self, error: io::Error) -> End {
        match error.kind() {
            _ if self.begun == 0 => End::BetweenAnswers,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted => {
                End::Broken { is_reset: true, is_inside: !self.decoder.is_idle() }
            }
            _ => End::Failed(error),
        }
    }
}
