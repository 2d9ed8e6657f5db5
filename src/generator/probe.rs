//! One request on a fresh connection, its whole answer kept: how verification looks at what the load will ask for.
//!
//! The bytes sent are those of the load, and the answer is read by the same decoder; only nothing is hurried here.

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
    let deadline = clock::now() + timeout;
    let mut stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(timeout))?;
    // What a server says before it refuses a request is an answer too, so a failed write is told by the read.
    let written = stream.write_all(request);
    let answer = read(&mut stream, kind, deadline, timeout);
    match (answer, written) {
        (Err(ProbeError::ClosedEarly(_) | ProbeError::Io(_)), Err(error)) => Err(error.into()),
        (answer, _) => answer,
    }
}

fn read(
    stream: &mut TcpStream,
    kind: RequestKind,
    deadline: Instant,
    timeout: Duration,
) -> Result<Answer, ProbeError> {
    let mut decoder = Decoder::new();
    let (mut bytes, mut consumed) = (Vec::new(), 0);
    let mut answer: Option<Answer> = None;
    let mut piece = vec![0; 64 * 1024];
    loop {
        while let Some(is_reusable) =
            understand(&mut decoder, &bytes, &mut consumed, kind, &mut answer)?
        {
            if let Some(mut whole) = answer.take() {
                whole.is_reusable = is_reusable;
                return Ok(whole);
            }
        }
        if bytes.len() > LONGEST {
            return Err(ProbeError::TooLong);
        }
        let left = deadline.remaining();
        if left.is_zero() {
            return Err(ProbeError::Timeout(timeout));
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(0) => return at_end(&mut decoder, answer),
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Goes through what has come; `Some` at the end of the answer, with whether the connection lives on.
fn understand(
    decoder: &mut Decoder,
    bytes: &[u8],
    consumed: &mut usize,
    kind: RequestKind,
    answer: &mut Option<Answer>,
) -> Result<Option<bool>, FramingError> {
    loop {
        let (used, event) = decoder.decode(&bytes[*consumed..], kind)?;
        *consumed += used;
        match event {
            Event::NeedMore => return Ok(None),
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
            Event::End { reusable } => return Ok(Some(reusable)),
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
