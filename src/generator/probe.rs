//! Requests made by hand, each answer whole: how verification looks at what the load will ask for, and how it is tried
//! what a server does on a connection.
//!
//! Answers are read by the decoder of the load; only nothing is hurried here.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::clock::{self, Instant};
use crate::http::framing::{Decoder, EndOfFile, Event, Framing, FramingError, Head};
use crate::http::request::{RequestKind, Version};

/// The longest answer that is kept.
const LONGEST: usize = 256 * 1024 * 1024;

/// An answer, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// The version that it names.
    pub version: Version,
    /// What ended its body.
    pub framing: Framing,
    /// Whether the connection could have carried another.
    pub is_reusable: bool,
    head: Vec<u8>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Its head, to be judged.
    pub fn head(&self) -> Head<'_> {
        Head {
            status: self.status,
            version: self.version,
            raw: &self.head,
            content_length: None,
            framing: self.framing,
            keep_alive: self.is_reusable,
        }
    }
}

/// Why there is no whole answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// No connection, or none that lasted.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What came is no answer.
    #[error("it does not answer in HTTP: {0}")]
    Protocol(#[from] FramingError),
    /// The connection ended too early.
    #[error("it closed the connection {0}")]
    ClosedEarly(&'static str),
    /// The deadline passed.
    #[error("no whole answer within {:.1} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// The answer has no end.
    #[error("the answer is longer than {LONGEST} bytes")]
    TooLong,
}

/// Asks once and waits for the whole answer, `timeout` at most.
///
/// # Errors
/// Why there is none.
pub fn ask(
    address: SocketAddr,
    request: &[u8],
    kind: RequestKind,
    timeout: Duration,
) -> Result<Answer, ProbeError> {
    let mut probe = Probe::connect(address, clock::now() + timeout)?;
    // What a server says before it refuses a request is an answer too, so a failed write is told by the read.
    let written = probe.send(request);
    match (probe.answer(kind), written) {
        (Err(ProbeError::ClosedEarly(_) | ProbeError::Io(_)), Err(error)) => Err(error.into()),
        (answer, _) => answer,
    }
}

/// What a look at a connection found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Bytes that no answer has used yet.
    Bytes,
    /// Its end, or a reset.
    End,
    /// Neither, as long as was waited.
    Nothing,
}

/// One connection on which requests are made by hand, and on which all has an end.
#[derive(Debug)]
pub struct Probe {
    stream: TcpStream,
    until: Instant,
    decoder: Decoder,
    bytes: Vec<u8>,
    consumed: usize,
}

impl Probe {
    /// Connects. Nothing that is done with the connection lasts longer than `until`.
    ///
    /// # Errors
    /// If there is no connection by then.
    pub fn connect(address: SocketAddr, until: Instant) -> Result<Self, ProbeError> {
        let began = clock::now();
        // A timeout of nothing is refused.
        let limit = until.since(began).max(Duration::from_millis(1));
        let stream = TcpStream::connect_timeout(&address, limit).map_err(|error| {
            let is_late = error.kind() == io::ErrorKind::TimedOut && until.is_past();
            if is_late { ProbeError::Timeout(limit) } else { error.into() }
        })?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, until, decoder: Decoder::new(), bytes: Vec::new(), consumed: 0 })
    }

    /// Writes bytes, as they are.
    ///
    /// # Errors
    /// If they are not taken.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let left = self.until.remaining().max(Duration::from_millis(1));
        self.stream.set_write_timeout(Some(left))?;
        self.stream.write_all(bytes)
    }

    /// Waits for the whole answer to a request of this kind.
    ///
    /// # Errors
    /// Why there is none.
    pub fn answer(&mut self, kind: RequestKind) -> Result<Answer, ProbeError> {
        let began = clock::now();
        let mut answer: Option<Answer> = None;
        loop {
            let unread = &self.bytes[self.consumed..];
            let (used, end) = understand(&mut self.decoder, unread, kind, &mut answer)?;
            self.consumed += used;
            if let Some(is_reusable) = end
                && let Some(whole) = answer.take()
            {
                return Ok(Answer { is_reusable, ..whole });
            }
            if answer.as_ref().is_some_and(|answer| answer.body.len() > LONGEST) {
                return Err(ProbeError::TooLong);
            }
            if self.until.is_past() {
                return Err(ProbeError::Timeout(self.until.since(began)));
            }
            if self.read(self.until)? == Some(0) {
                return at_end(&mut self.decoder, answer);
            }
        }
    }

    /// Waits for bytes or the end of the connection, `within` at most.
    pub fn hear(&mut self, within: Duration) -> Heard {
        if self.consumed < self.bytes.len() {
            return Heard::Bytes;
        }
        match self.read(self.until.min(clock::now() + within)) {
            Ok(Some(0)) | Err(_) => Heard::End,
            Ok(Some(_)) => Heard::Bytes,
            Ok(None) => Heard::Nothing,
        }
    }

    /// Waits for more bytes, `within` at most, whether or not there are unread ones; whether any came.
    pub fn hear_more(&mut self, within: Duration) -> bool {
        let until = self.until.min(clock::now() + within);
        self.read(until).is_ok_and(|read| read.is_some_and(|read| read > 0))
    }

    /// What has been heard and is no part of an answer yet.
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.consumed..]
    }

    /// Reads once; how many bytes came, or nothing if none did by `until`.
    fn read(&mut self, until: Instant) -> io::Result<Option<usize>> {
        if self.consumed == self.bytes.len() {
            self.bytes.clear();
            self.consumed = 0;
        }
        let mut piece = vec![0; 64 * 1024];
        self.stream.set_read_timeout(Some(until.remaining().max(Duration::from_millis(1))))?;
        match self.stream.read(&mut piece) {
            Ok(read) => {
                self.bytes.extend_from_slice(&piece[..read]);
                Ok(Some(read))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Goes through what has come: how much of it is understood, and at the end of the answer whether the connection lives on.
fn understand(
    decoder: &mut Decoder,
    bytes: &[u8],
    kind: RequestKind,
    answer: &mut Option<Answer>,
) -> Result<(usize, Option<bool>), FramingError> {
    let mut consumed = 0;
    loop {
        let (used, event) = decoder.decode(&bytes[consumed..], kind)?;
        consumed += used;
        match event {
            Event::NeedMore => return Ok((consumed, None)),
            Event::Skipped => {}
            Event::Head(head) => {
                *answer = Some(Answer {
                    status: head.status,
                    version: head.version,
                    framing: head.framing,
                    is_reusable: head.keep_alive,
                    head: head.raw.to_vec(),
                    body: Vec::new(),
                });
            }
            Event::Body(piece) => {
                if let Some(answer) = answer {
                    answer.body.extend_from_slice(piece);
                }
            }
            Event::End { reusable } => return Ok((consumed, Some(reusable))),
        }
    }
}

fn at_end(decoder: &mut Decoder, answer: Option<Answer>) -> Result<Answer, ProbeError> {
    match (decoder.end_of_file(), answer) {
        (EndOfFile::Complete, Some(answer)) => Ok(Answer { is_reusable: false, ..answer }),
        (EndOfFile::InsideBody, _) => Err(ProbeError::ClosedEarly("inside the body")),
        (EndOfFile::InsideHead, _) => Err(ProbeError::ClosedEarly("inside the head")),
        _ => Err(ProbeError::ClosedEarly("before it answered")),
    }
}
