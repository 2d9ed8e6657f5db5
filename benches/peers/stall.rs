//! A server of our own that follows a script: it stalls once, or delays every answer. It notes when it answered, so that
//! what a generator says of it can be held against the truth.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use orchestrate::affinity;
use orchestrate::clock::{self, Instant};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world";
/// What tells the listener from a connection.
const LISTENER: u64 = u64::MAX;
/// How often it looks whether it is to end.
const LOOK_MILLIS: i64 = 20;

/// What it does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Script {
    /// Once, so long after its first answer, it does nothing for so long.
    Stall { after: Duration, length: Duration },
    /// It answers so long after it was asked.
    Delay(Duration),
}

/// The server, on a thread of its own.
#[derive(Debug)]
pub(crate) struct Scripted {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Vec<Instant>>>,
}

struct Loop {
    script: Script,
    epoll: std::os::fd::OwnedFd,
    listener: TcpListener,
    streams: HashMap<u64, TcpStream>,
    next_id: u64,
    /// Who is to be answered when, soonest first: every delay is the same.
    due: VecDeque<(Instant, u64)>,
    answered: Vec<Instant>,
    stalls_at: Option<Instant>,
    buffer: Vec<u8>,
}

impl Scripted {
    /// Starts it on `cpu`.
    pub(crate) fn start(cpu: usize, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        let mut server = Loop {
            script,
            epoll,
            listener,
            streams: HashMap::new(),
            next_id: 0,
            due: VecDeque::new(),
            answered: Vec::with_capacity(100_000),
            stalls_at: None,
            buffer: vec![0; 64 * 1024],
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let asked_to_end = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            affinity::pin_current_thread(&[cpu])?;
            while !asked_to_end.load(Ordering::Relaxed) {
                server.turn()?;
            }
            Ok(server.answered)
        });
        Ok(Self { address, is_over, thread })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it; returns when it answered, in order.
    pub(crate) fn end(self) -> io::Result<Vec<Instant>> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")))
    }
}

impl Loop {
    fn turn(&mut self) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::with_capacity(1024);
        // While somebody is to be answered soon it does not sleep: the delay is to be exact.
        let millis = if self.due.is_empty() { LOOK_MILLIS } else { 0 };
        let longest = Timespec { tv_sec: 0, tv_nsec: millis * 1_000_000 };
        let room = rustix::buffer::spare_capacity(&mut events);
        match epoll::wait(&self.epoll, room, Some(&longest)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events {
            match event.data.u64() {
                LISTENER => self.accept()?,
                id => self.receive(id),
            }
        }
        while self.due.front().is_some_and(|(instant, _)| instant.is_past()) {
            if let Some((_, id)) = self.due.pop_front() {
                self.answer(id);
            }
        }
        if self.stalls_at.is_some_and(Instant::is_past)
            && let Script::Stall { length, .. } = self.script
        {
            self.stalls_at = None;
            clock::sleep_until(clock::now() + length);
        }
        Ok(())
    }

    fn accept(&mut self) -> io::Result<()> {
        while let Ok((stream, _)) = self.listener.accept() {
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let id = self.next_id;
            self.next_id += 1;
            epoll::add(&self.epoll, &stream, EventData::new_u64(id), EventFlags::IN)?;
            self.streams.insert(id, stream);
        }
        Ok(())
    }

    /// Takes what one connection asks. A request is small, and comes in one piece over loopback.
    fn receive(&mut self, id: u64) {
        let Some(mut stream) = self.streams.get(&id) else { return };
        let read = match stream.read(&mut self.buffer) {
            Ok(0) => 0,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(_) => 0,
        };
        if read == 0 {
            self.streams.remove(&id);
            return;
        }
        let requests = self.buffer[..read].windows(4).filter(|it| *it == b"\r\n\r\n").count();
        for _ in 0..requests {
            match self.script {
                // One at a time, so that no client can make it any faster.
                Script::Delay(delay) => {
                    let now = clock::now();
                    let free = self.due.back().map_or(now, |(last, _)| now.max(*last));
                    self.due.push_back((free + delay, id));
                }
                Script::Stall { .. } => self.answer(id),
            }
        }
    }

    fn answer(&mut self, id: u64) {
        let Some(mut stream) = self.streams.get(&id) else { return };
        if stream.write_all(ANSWER).is_err() {
            self.streams.remove(&id);
            return;
        }
        let now = clock::now();
        if let Script::Stall { after, .. } = self.script
            && self.answered.is_empty()
        {
            self.stalls_at = Some(now + after);
        }
        self.answered.push(now);
    }
}

/// The quantiles of the true response times, in microseconds, of what was answered within `window` after `opened_after`
/// from the first answer. The n-th answer is taken for that of the n-th intended instant, which lies n / rate after the
/// first; the first is where it must be for the fastest answer of all to have taken no time.
pub(crate) fn true_quantiles(
    answered: &[Instant],
    rate: f64,
    opened_after: Duration,
    window: Duration,
    quantiles: &[f64],
) -> Option<Vec<f64>> {
    let first = *answered.first()?;
    let after_due = |number: usize, at: Instant| {
        at.nanos_since(first) as f64 / 1e3 - number as f64 / rate * 1e6
    };
    let offsets: Vec<f64> =
        answered.iter().enumerate().map(|(number, &at)| after_due(number, at)).collect();
    let fastest = offsets.iter().copied().reduce(f64::min)?;
    let opens = first + opened_after;
    let mut times: Vec<f64> = answered
        .iter()
        .zip(&offsets)
        .filter(|(at, _)| **at >= opens && **at < opens + window)
        .map(|(_, offset)| offset - fastest)
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let at = |quantile: &f64| {
        let place = (quantile * times.len() as f64).ceil().max(1.0);
        times.iter().zip(1..).find(|(_, rank)| f64::from(*rank) >= place).map(|(time, _)| *time)
    };
    quantiles.iter().map(at).collect()
}
