//! Answers in: where the head of each ends, where its body ends, and whether the connection may
//! carry another one.
//!
//! It does not judge whether an answer is right, and it keeps no bytes but a copy of the last
//! head: what is not consumed stays with the caller. Input: the bytes of one connection, in order,
//! cut anywhere, and the request that each answer answers.
//!
//! The common answer, whole in one read and with the same head as the one before, costs one
//! comparison and no parse; any other costs one parse. Nothing is allocated.

mod chunked;
mod event;
mod fields;
mod head;
mod remembered;

use chunked::{Chunked, Piece};
pub use event::{EndOfFile, Event, Framing, FramingError, Head};
pub use fields::Fields;
use head::{Facts, Length, Transfer};
use remembered::Remembered;

use super::request::{RequestKind, Version};

/// The longest body or chunk, in bytes: 2^63 - 1.
const LENGTH_LIMIT: u64 = u64::MAX >> 1;

/// Reads the answers of one connection.
#[derive(Debug, Clone)]
pub struct Decoder {
    state: State,
    /// Whether bytes of a head were shown and not consumed, or an interim answer went before.
    has_begun: bool,
    /// Whether the connection may be used after the answer that is being read.
    persists: bool,
    failed: Option<FramingError>,
    remembered: Remembered,
}

/// What the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    /// In a body of which so many bytes are left; none is an end not yet told.
    Length(u64),
    Chunked(Chunked),
    UntilClose,
}

enum Step<'a> {
    Incomplete,
    Passed(usize),
    Found(usize, Event<'a>),
}

impl Decoder {
    /// For a new connection.
    pub fn new() -> Self {
        Self {
            state: State::Head,
            has_begun: false,
            persists: false,
            failed: None,
            remembered: Remembered::nothing(),
        }
    }

    /// Makes ready for another connection to the same server. The last head is still remembered,
    /// as the server's next one is likely to equal it.
    pub fn restart(&mut self) {
        self.state = State::Head;
        self.has_begun = false;
        self.failed = None;
    }

    /// Decodes the next event out of `input`, the bytes not yet consumed; `request` is the one
    /// that the current answer answers. Tells how many bytes are consumed now, and the event.
    ///
    /// Call it until it says [`Event::NeedMore`] or an answer has ended and nothing is left: the
    /// end of an answer is told by a call of its own, for which no further byte is needed. An
    /// error is final and is told again on each call.
    #[inline]
    pub fn decode<'a>(
        &mut self,
        input: &'a [u8],
        request: RequestKind,
    ) -> Result<(usize, Event<'a>), FramingError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut at = 0;
        loop {
            match self.step(&input[at..], request) {
                Ok(Step::Incomplete) if at == 0 => return Ok((0, Event::NeedMore)),
                Ok(Step::Incomplete) => return Ok((at, Event::Skipped)),
                Ok(Step::Passed(bytes)) => at += bytes,
                Ok(Step::Found(bytes, event)) => return Ok((at + bytes, event)),
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        }
    }

    /// How many of the coming bytes are certainly body: the rest of a body of known length, or of
    /// the current chunk. They may be thrown away unread, see [`Decoder::discarded`].
    pub fn discardable(&self) -> Option<u64> {
        match self.state {
            State::Length(left) | State::Chunked(Chunked::Data(left)) => Some(left),
            _ => None,
        }
        .filter(|&left| left > 0 && self.failed.is_none())
    }

    /// So many bytes of the body were thrown away instead of decoded. The next call of
    /// [`Decoder::decode`] tells the end, if they were the last.
    ///
    /// # Panics
    ///
    /// If they are more than [`Decoder::discardable`] allows.
    pub fn discarded(&mut self, bytes: u64) {
        let allowed = self.discardable().unwrap_or_default();
        assert!(bytes <= allowed, "{bytes} bytes discarded of {allowed} that may be");
        match &mut self.state {
            State::Length(left) => *left -= bytes,
            State::Chunked(chunked @ Chunked::Data(_)) => chunked.passed(allowed, bytes),
            State::Chunked(_) | State::Head | State::UntilClose => {}
        }
    }

    /// The peer closed the connection: what that means for the answer being read. Call it when
    /// every event before has been taken.
    pub fn end_of_file(&mut self) -> EndOfFile {
        match self.state {
            State::Head if self.is_idle() => EndOfFile::Idle,
            State::Head => EndOfFile::InsideHead,
            State::Length(0) | State::UntilClose => {
                self.state = State::Head;
                EndOfFile::Complete
            }
            State::Length(_) | State::Chunked(_) => EndOfFile::InsideBody,
        }
    }

    /// Whether no byte of an answer has been seen since the last one ended.
    pub fn is_idle(&self) -> bool {
        self.state == State::Head && !self.has_begun
    }

    #[inline]
    fn step<'a>(
        &mut self,
        input: &'a [u8],
        request: RequestKind,
    ) -> Result<Step<'a>, FramingError> {
        match &mut self.state {
            State::Length(0) => Ok(self.end(0)),
            _ if input.is_empty() => Ok(Step::Incomplete),
            State::Head => self.head(input, request),
            State::Length(left) => {
                let body = at_most(input, *left);
                *left -= body.len() as u64;
                Ok(Step::Found(body.len(), Event::Body(body)))
            }
            State::UntilClose => Ok(Step::Found(input.len(), Event::Body(input))),
            State::Chunked(chunked) => Ok(match chunked.step(input)? {
                Piece::Incomplete => Step::Incomplete,
                Piece::Passed(bytes) => Step::Passed(bytes),
                Piece::Data(data) => Step::Found(data.len(), Event::Body(data)),
                Piece::Last(bytes) => self.end(bytes),
            }),
        }
    }

    fn end<'a>(&mut self, bytes: usize) -> Step<'a> {
        self.state = State::Head;
        Step::Found(bytes, Event::End { reusable: self.persists })
    }

    #[inline]
    fn head<'a>(
        &mut self,
        input: &'a [u8],
        request: RequestKind,
    ) -> Result<Step<'a>, FramingError> {
        self.has_begun = true;
        let facts = match self.remembered.recall(input) {
            Some(facts) => facts,
            None => match head::parse(input)? {
                None => return Ok(Step::Incomplete),
                // The only one after which the connection no longer speaks HTTP.
                Some(facts) if facts.status == 101 => {
                    return Err(FramingError::SwitchingProtocols);
                }
                Some(facts) if facts.status < 200 => return Ok(Step::Passed(facts.bytes)),
                Some(facts) => {
                    self.remembered.keep(&input[..facts.bytes], facts);
                    facts
                }
            },
        };
        let head = self.begin_body(facts, &input[..facts.bytes], request)?;
        self.has_begun = false;
        Ok(Step::Found(facts.bytes, Event::Head(head)))
    }

    /// RFC 9112, 6.3: which rule says where the body ends.
    #[inline]
    fn begin_body<'a>(
        &mut self,
        facts: Facts,
        raw: &'a [u8],
        request: RequestKind,
    ) -> Result<Head<'a>, FramingError> {
        let has_no_body = request.is_head || matches!(facts.status, 204 | 304);
        let (framing, state) = match (facts.transfer, facts.length) {
            _ if has_no_body => (Framing::None, State::Length(0)),
            (Transfer::Chunked, _) => (Framing::Chunked, State::Chunked(Chunked::Line)),
            (Transfer::Absent, Length::Bytes(length)) => (Framing::Length, State::Length(length)),
            (Transfer::Absent, Length::Invalid) => return Err(FramingError::ContentLength),
            _ => (Framing::UntilClose, State::UntilClose),
        };
        self.state = state;
        // To a request of 1.0 the connection lives on only if the answer says so in words.
        let is_granted = facts.says_keep_alive || request.version == Version::Http11;
        self.persists = request.keep_alive
            && is_granted
            && facts.keeps_alive()
            && facts.is_sound()
            && framing != Framing::UntilClose;
        let content_length = match (facts.transfer, facts.length) {
            (Transfer::Absent, Length::Bytes(length)) => Some(length),
            _ => None,
        };
        Ok(Head {
            status: facts.status,
            version: facts.version,
            raw,
            content_length,
            framing,
            keep_alive: facts.keeps_alive(),
        })
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

fn at_most(input: &[u8], left: u64) -> &[u8] {
    let bytes = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
    &input[..bytes]
}

#[cfg(test)]
mod tests;
