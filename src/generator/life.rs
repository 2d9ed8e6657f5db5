//! A connection slot: takes requests, connects, and decides what the end of a connection means for them.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};

use super::connection::{Connection, End};
use super::slot::Slot;
use super::supply::Next;
use super::times::Stamps;
use super::worker::Worker;
use crate::clock::Instant;
use crate::outcome::Lost;
use crate::units::write_duration;

/// After a failed connect a slot waits so long, or a server that is gone would be asked a million times.
const PAUSE: Duration = Duration::from_millis(10);
/// How long the server may take to close a connection that it said, or was asked, to close.
const CLOSE_WITHIN: Duration = Duration::from_millis(100);

/// The life of a slot; it ends when there is nothing more to ask.
pub(super) async fn run(worker: Rc<Worker>, index: usize) {
    let _witness = Witness(&worker);
    let slot = &worker.slots[index];
    let mut life = Life { worker: &worker, slot, index, answers: 0, close_within: CLOSE_WITHIN };
    while life.next_request().await {
        match life.connect().await {
            Ok(stream) => life.serve(stream).await,
            Err((kind, error)) => {
                life.lose_oldest(kind, || error.to_string());
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    worker.finish();
}

/// A task that panics would be forgotten by the runtime, and its slot with it.
struct Witness<'w>(&'w Worker);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.saw_panic();
        }
    }
}

/// What becomes of requests that were written behind the one with which a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The server ended the connection: they are stale.
    Stale,
    /// We did, for this reason.
    Lost(Lost),
}

struct Life<'w> {
    worker: &'w Worker,
    slot: &'w Slot,
    index: usize,
    /// Answers on all of its connections.
    answers: u64,
    /// How long the server is waited for to close; not again, once it has left a connection open.
    close_within: Duration,
}

impl Life<'_> {
    /// Waits until the slot holds a request; false if there will be none.
    async fn next_request(&self) -> bool {
        poll_fn(|cx| {
            self.slot.remember(cx);
            let now = self.worker.stamp();
            if self.worker.is_closed() {
                return Poll::Ready(false);
            }
            if !self.slot.outstanding.borrow().is_empty() {
                return Poll::Ready(true);
            }
            match self.worker.take(now) {
                Next::Due(intended) => {
                    self.slot.outstanding.borrow_mut().push_back(Stamps::taken(intended, now));
                    Poll::Ready(true)
                }
                Next::Later => {
                    self.worker.rest(self.index, now);
                    Poll::Pending
                }
                Next::Never => Poll::Ready(false),
            }
        })
        .await
    }

    async fn connect(&self) -> Result<TcpStream, (Lost, io::Error)> {
        let began = self.worker.stamp();
        self.worker.connects(began);
        if let Some(oldest) = self.slot.outstanding.borrow_mut().front_mut() {
            oldest.begun = oldest.begun.min(began);
            self.slot.expect_until(oldest.begun + self.worker.job.timeout);
        }
        let opening = open(self.worker);
        let opened = self.unless_expired(opening).await;
        let now = self.worker.stamp();
        self.worker.saw_event();
        match opened {
            Some(Ok(stream)) => {
                self.worker.count(|tally| {
                    tally.connections_opened += 1;
                    tally.times.connect.saturating_record(now.nanos_since(began));
                });
                Ok(stream)
            }
            Some(Err(error)) => Err((connect_failure(&error), error)),
            None => Err((Lost::ConnectTimeout, io::ErrorKind::TimedOut.into())),
        }
    }

    /// What a future comes to, or `None` if the slot's deadline passes first.
    async fn unless_expired<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            self.slot.remember(cx);
            if let Poll::Ready(done) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(done));
            }
            if self.slot.take_expired() { Poll::Ready(None) } else { Poll::Pending }
        })
        .await
    }

    async fn serve(&mut self, stream: TcpStream) {
        let mut connection = Connection::new(self.worker, self.index, stream, self.answers);
        let end = poll_fn(|cx| connection.poll_serve(cx)).await;
        self.worker.unrest(self.index);
        self.slot.expect_until(Instant::NEVER);
        let answered = connection.answered();
        self.answers += answered;
        let is_kept = self.worker.job.kind.keep_alive;
        // What the peer has ended may be asked again elsewhere; what we have ended is lost with the oldest.
        let rest = match end {
            End::Idle => Rest::Stale,
            End::Finished { is_closed } => {
                self.worker.count(|tally| tally.reconnects += u64::from(is_kept));
                if !is_closed {
                    self.await_close(connection.into_stream()).await;
                }
                Rest::Stale
            }
            End::BetweenAnswers => {
                self.worker.count(|tally| tally.reconnects += 1);
                Rest::Stale
            }
            End::Unsolicited => {
                let now = self.worker.stamp();
                self.worker.count(|tally| {
                    tally.unsolicited += 1;
                    tally.note(Lost::Protocol, now, || "bytes that nobody asked for".to_owned());
                });
                Rest::Lost(Lost::Protocol)
            }
            End::Broken { is_reset, is_inside } => self.broken(is_reset, is_inside, answered),
            End::Expired => {
                let limit = write_duration(self.worker.job.timeout);
                self.lose_oldest(Lost::Timeout, || format!("no whole answer within {limit}"));
                Rest::Lost(Lost::Timeout)
            }
            End::Protocol(error) => {
                self.lose_oldest(Lost::Protocol, || error.to_string());
                Rest::Lost(Lost::Protocol)
            }
            End::Failed(error) => {
                self.lose_oldest(Lost::Other, || error.to_string());
                Rest::Lost(Lost::Other)
            }
        };
        self.settle_rest(rest, answered);
    }

    /// The connection broke under its oldest request; tells what becomes of those behind it.
    fn broken(&self, is_reset: bool, is_inside: bool, answered: u64) -> Rest {
        let kind = match (is_reset, is_inside) {
            (true, true) => Lost::ResetInside,
            (true, false) => Lost::ResetBefore,
            (false, true) => Lost::ClosedEarlyInside,
            (false, false) => Lost::ClosedEarlyBefore,
        };
        if is_inside || answered == 0 || !self.may_replay_oldest() {
            let after = if answered == 0 { "on a new connection" } else { "on a kept connection" };
            self.lose_oldest(kind, || after.to_owned());
        } else {
            // Seen from the server it was closed between two answers.
            self.worker.count(|tally| tally.reconnects += 1);
        }
        Rest::Stale
    }

    fn may_replay_oldest(&self) -> bool {
        let outstanding = self.slot.outstanding.borrow();
        self.worker.job.is_idempotent
            && outstanding.front().is_some_and(|oldest| !oldest.is_replayed)
    }

    /// Requests that were written on a connection that has ended, and of whose answers no byte came: stale ones are
    /// written once more if that is allowed (RFC 9112, 9.5), all others are lost.
    fn settle_rest(&self, rest: Rest, answered: u64) {
        let was_written = |stamps: &Stamps| stamps.sent != Instant::NEVER;
        let may_replay = self.worker.job.is_idempotent && answered > 0 && rest == Rest::Stale;
        let mut outstanding = self.slot.outstanding.borrow_mut();
        let mut lost = 0;
        outstanding.retain_mut(|stamps| {
            if !was_written(stamps) {
                return true;
            }
            let keeps = may_replay && !stamps.is_replayed;
            if keeps {
                stamps.is_replayed = true;
                self.worker.count(|tally| tally.replayed += 1);
            }
            lost += u64::from(!keeps);
            keeps
        });
        drop(outstanding);
        let kind = match rest {
            Rest::Stale => Lost::ClosedEarlyBefore,
            Rest::Lost(kind) => kind,
        };
        let now = self.worker.stamp();
        for _ in 0..lost {
            self.worker.ended(now);
            self.worker.count(|tally| tally.lost(kind, now));
        }
    }

    fn lose_oldest(&self, kind: Lost, detail: impl FnOnce() -> String) {
        let now = self.worker.stamp();
        let oldest = self.slot.outstanding.borrow_mut().pop_front();
        assert!(oldest.is_some(), "a request is lost that was never made");
        self.slot.expect_until(Instant::NEVER);
        self.worker.ended(now);
        self.worker.count(|tally| {
            tally.lost(kind, now);
            tally.note(kind, now, detail);
        });
    }

    /// Waits briefly for the server to close, so that the port it used stays with the server's side.
    async fn await_close(&mut self, mut stream: TcpStream) {
        if self.close_within.is_zero() {
            self.worker.count(|tally| tally.kept_open += 1);
            return;
        }
        self.slot.expect_until(self.worker.stamp() + self.close_within);
        let closed = self.unless_expired(poll_fn(|cx| poll_end(&mut stream, cx))).await;
        self.slot.expect_until(Instant::NEVER);
        if closed.is_none() {
            self.close_within = Duration::ZERO;
            self.worker.count(|tally| tally.kept_open += 1);
        }
    }
}

/// Reads until the end of the connection, however it comes.
fn poll_end(stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<()> {
    let mut bytes = [0; 1024];
    loop {
        let mut unread = ReadBuf::new(&mut bytes);
        match std::pin::Pin::new(&mut *stream).poll_read(cx, &mut unread) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) if !unread.filled().is_empty() => {}
            Poll::Ready(_) => return Poll::Ready(()),
        }
    }
}

async fn open(worker: &Worker) -> io::Result<TcpStream> {
    let address = worker.job.address;
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if worker.job.kind.keep_alive {
        // Without it a request waits for the acknowledgement of the one before, should it be cut in two.
        socket.set_nodelay(true)?;
    }
    socket.connect(address).await
}

fn connect_failure(error: &io::Error) -> Lost {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Lost::ConnectRefused,
        io::ErrorKind::TimedOut => Lost::ConnectTimeout,
        io::ErrorKind::AddrNotAvailable => Lost::PortsExhausted,
        _ => Lost::ConnectOther,
    }
}
