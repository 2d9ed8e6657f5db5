//! The floor: a loop that only writes, reads and counts. Edge-triggered, registered once; one write and one read a
//! request; the length of an answer is known beforehand, so nothing is parsed, and nothing is recorded.
//!
//! `bare ADDRESS PATH CONNECTIONS SECONDS RATE`, with 0 for no rate. Paced, it waits as the generator does: a timer, and
//! a spin for the rest, which is counted apart.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use orchestrate::clock::{self, Instant};
use orchestrate::generator::probe;
use orchestrate::http::request::{RequestKind, Version};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// The word that makes this program the bare loop.
pub(crate) const VERB: &str = "bare";

/// How early the timer wakes it; as in the generator.
const SPIN: Duration = Duration::from_micros(60);
/// What tells the timer from a connection.
const TIMER: u64 = u64::MAX;
/// The longest wait, so that the end is seen.
const LONGEST: Duration = Duration::from_millis(10);

struct Bare {
    epoll: OwnedFd,
    streams: Vec<TcpStream>,
    /// Bytes of the answer still to come, of each connection.
    left: Vec<usize>,
    request: Vec<u8>,
    answer_bytes: usize,
    buffer: Vec<u8>,
    answers: u64,
    spun: Duration,
}

/// Runs the loop that the words after [`VERB`] describe; returns its counts as text.
pub(crate) fn bare(words: &[OsString]) -> Result<String, String> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let [address, path, connections, seconds, rate] = words.as_slice() else {
        return Err("bare ADDRESS PATH CONNECTIONS SECONDS RATE".to_owned());
    };
    let wrong = |error: &dyn std::fmt::Display| format!("bare: {error}");
    let address: SocketAddr = address.parse().map_err(|error| wrong(&error))?;
    let connections: usize = connections.parse().map_err(|error| wrong(&error))?;
    let seconds: u64 = seconds.parse().map_err(|error| wrong(&error))?;
    let rate: f64 = rate.parse().map_err(|error| wrong(&error))?;
    let mut bare = Bare::connect(address, path, connections)?;
    let ends = clock::now() + Duration::from_secs(seconds);
    let outcome = if rate > 0.0 { bare.paced(rate, ends) } else { bare.closed(ends) };
    outcome.map_err(|error| wrong(&error))?;
    Ok(format!("answers {}\nspun_us {}\n", bare.answers, bare.spun.as_micros()))
}

impl Bare {
    fn connect(address: SocketAddr, path: &str, connections: usize) -> Result<Self, String> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
        let kind = RequestKind { is_head: false, version: Version::Http11, keep_alive: true };
        let answer = probe::ask(address, &request, kind, Duration::from_secs(3))
            .map_err(|error| error.to_string())?;
        let answer_bytes = answer.head().raw.len() + answer.body.len();
        let open = || -> io::Result<_> {
            let epoll = epoll::create(CreateFlags::CLOEXEC)?;
            let mut streams = Vec::with_capacity(connections);
            for index in 0..connections {
                let stream = TcpStream::connect(address)?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                let flags = EventFlags::IN | EventFlags::ET;
                epoll::add(&epoll, &stream, EventData::new_u64(index as u64), flags)?;
                streams.push(stream);
            }
            Ok((epoll, streams))
        };
        let (epoll, streams) = open().map_err(|error| error.to_string())?;
        Ok(Self {
            epoll,
            left: vec![0; streams.len()],
            streams,
            request,
            answer_bytes,
            buffer: vec![0; 128 * 1024],
            answers: 0,
            spun: Duration::ZERO,
        })
    }

    /// Each request as soon as the one before is answered.
    fn closed(&mut self, ends: Instant) -> io::Result<()> {
        for index in 0..self.streams.len() {
            self.send(index)?;
        }
        let mut events = Vec::with_capacity(1024);
        while !ends.is_past() {
            self.wait(&mut events, LONGEST)?;
            for event in &events {
                let index = place(event);
                if self.receive(index)? {
                    self.send(index)?;
                }
            }
        }
        Ok(())
    }

    /// Requests at even distances, each on the connection that has been idle for longest.
    fn paced(&mut self, rate: f64, ends: Instant) -> io::Result<()> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK)?;
        let flags = EventFlags::IN | EventFlags::ET;
        epoll::add(&self.epoll, &timer, EventData::new_u64(TIMER), flags)?;
        let mut idle: VecDeque<usize> = (0..self.streams.len()).collect();
        let mut events = Vec::with_capacity(1024);
        let start = clock::now();
        let due = |number: u64| start + Duration::from_secs_f64(number as f64 / rate);
        let mut number = 0;
        loop {
            let now = clock::now();
            if now >= ends {
                return Ok(());
            }
            while due(number) <= now
                && let Some(index) = idle.pop_front()
            {
                self.send(index)?;
                number += 1;
            }
            let left = due(number).since(now);
            let longest = if left > SPIN {
                set(&timer, due(number) - SPIN)?;
                LONGEST
            } else if left.is_zero() {
                LONGEST
            } else {
                Duration::ZERO
            };
            self.wait(&mut events, longest)?;
            if events.is_empty() && longest.is_zero() {
                self.spun += clock::now().since(now);
            }
            for event in events.iter().filter(|event| event.data.u64() != TIMER) {
                let index = place(event);
                if self.receive(index)? {
                    idle.push_back(index);
                }
            }
        }
    }

    fn wait(&self, events: &mut Vec<Event>, longest: Duration) -> io::Result<()> {
        events.clear();
        let longest = timespec(longest);
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(events), Some(&longest)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&mut self, index: usize) -> io::Result<()> {
        let written = (&self.streams[index]).write(&self.request)?;
        if written < self.request.len() {
            return Err(io::Error::other("a request was cut in two"));
        }
        self.left[index] = self.answer_bytes;
        Ok(())
    }

    /// Reads until the answer is whole or the socket is empty; true if it is whole.
    fn receive(&mut self, index: usize) -> io::Result<bool> {
        loop {
            let stream = self.streams[index].as_fd();
            let read = match rustix::net::recv(stream, &mut self.buffer[..], RecvFlags::empty()) {
                Ok((read, _)) => read,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
                Err(error) => return Err(error.into()),
            };
            if read == 0 || read > self.left[index] {
                return Err(io::Error::other("an answer of another length"));
            }
            self.left[index] -= read;
            if self.left[index] == 0 {
                self.answers += 1;
                return Ok(true);
            }
            if read < self.buffer.len() {
                return Ok(false);
            }
        }
    }
}

fn place(event: &Event) -> usize {
    usize::try_from(event.data.u64()).expect("the place of a connection")
}

fn set(timer: &OwnedFd, instant: Instant) -> io::Result<()> {
    let at = timespec(Duration::from_nanos(instant.as_nanos()));
    let once = Itimerspec { it_interval: timespec(Duration::ZERO), it_value: at };
    timerfd_settime(timer, TimerfdTimerFlags::ABSTIME, &once)?;
    Ok(())
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).expect("the clock's seconds fit"),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
