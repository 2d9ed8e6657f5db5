//! What the head of an answer says about the bytes after it.
//!
//! httparse finds the head's end and refuses what is malformed; here the three fields that frame
//! the answer are read out of it. What the request has to say about it is not known here. Input:
//! the bytes from the first one of a head on.
//!
//! Lenient: a missing reason with or without the space before it, bare LF as the end of a line,
//! empty lines before the head, obs-fold (read as white space). Refused: bare CR, NUL and other
//! control characters, white space before a field's name or before its colon, other versions.

use std::mem::MaybeUninit;

use super::FramingError;
use crate::http::request::Version;

/// The longest head that is read, in bytes.
pub(super) const HEAD_LIMIT: usize = 64 * 1024;
/// The most fields that a head may have.
pub(super) const FIELD_LIMIT: usize = 256;

/// What is kept of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    /// How long the head is, in bytes.
    pub(super) bytes: usize,
    pub(super) status: u16,
    pub(super) version: Version,
    pub(super) length: Length,
    pub(super) transfer: Transfer,
    pub(super) says_close: bool,
    pub(super) says_keep_alive: bool,
}

/// What all `Content-Length` fields say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Absent,
    Bytes(u64),
    /// Not a number, above 2^63 - 1, or several that differ.
    Invalid,
}

/// What all `Transfer-Encoding` fields say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Absent,
    /// Codings, none of them chunked.
    Other,
    /// Chunked is the last coding, and there only.
    Chunked,
    /// Something follows chunked.
    Broken,
}

/// Reads a head from its first byte on; `None` as long as its end has not come.
///
/// What is found depends on the head's own bytes only, never on what follows it.
pub(super) fn parse(input: &[u8]) -> Result<Option<Facts>, FramingError> {
    // Cut first, so that a head is too large wherever reads happened to end.
    let seen = &input[..input.len().min(HEAD_LIMIT)];
    let mut slots = [const { MaybeUninit::uninit() }; FIELD_LIMIT];
    let mut answer = httparse::Response::new(&mut []);
    let mut config = httparse::ParserConfig::default();
    config.allow_obsolete_multiline_headers_in_responses(true);
    match config.parse_response_with_uninit_headers(&mut answer, seen, &mut slots) {
        Ok(httparse::Status::Complete(bytes)) => facts(&answer, bytes).map(Some),
        Ok(httparse::Status::Partial) if seen.len() == HEAD_LIMIT => {
            Err(FramingError::HeadTooLarge)
        }
        Ok(httparse::Status::Partial) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn facts(answer: &httparse::Response<'_, '_>, bytes: usize) -> Result<Facts, FramingError> {
    let status = answer.code.unwrap_or_default();
    if !(100..=599).contains(&status) {
        return Err(FramingError::Status(status));
    }
    let version = if answer.version == Some(1) { Version::Http11 } else { Version::Http10 };
    let mut facts = Facts {
        bytes,
        status,
        version,
        length: Length::Absent,
        transfer: Transfer::Absent,
        says_close: false,
        says_keep_alive: false,
    };
    for field in answer.headers.iter() {
        facts.read_field(field.name, field.value);
    }
    Ok(facts)
}

impl Facts {
    /// The length first: it tells all but a few fields apart.
    fn read_field(&mut self, name: &str, value: &[u8]) {
        match name.len() {
            10 if name.eq_ignore_ascii_case("connection") => self.read_connection(value),
            14 if name.eq_ignore_ascii_case("content-length") => {
                self.length = self.length.and(value);
            }
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                self.transfer = self.transfer.and(value);
            }
            _ => {}
        }
    }

    fn read_connection(&mut self, value: &[u8]) {
        for token in list(value) {
            self.says_close |= token.eq_ignore_ascii_case(b"close");
            self.says_keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Whether the connection lives on by the answer's own words (RFC 9112, 9.3).
    pub(super) fn keeps_alive(&self) -> bool {
        !self.says_close && (self.says_keep_alive || self.version == Version::Http11)
    }

    /// Whether the fields that frame the answer leave no doubt. After an answer that is not sound
    /// a connection is not used again (RFC 9112, 6.1 and 6.3).
    pub(super) fn is_sound(&self) -> bool {
        match self.transfer {
            Transfer::Absent => self.length != Length::Invalid,
            Transfer::Chunked => self.length == Length::Absent && self.version == Version::Http11,
            Transfer::Other | Transfer::Broken => false,
        }
    }
}

impl Length {
    /// Several values are one as long as they are equal (RFC 9112, 6.3).
    fn and(self, value: &[u8]) -> Self {
        value.split(|&b| b == b',').fold(self, |so_far, element| {
            match (so_far, decimal(element.trim_ascii())) {
                (Self::Absent, Some(n)) => Self::Bytes(n),
                (Self::Bytes(m), Some(n)) if m == n => so_far,
                _ => Self::Invalid,
            }
        })
    }
}

impl Transfer {
    fn and(self, value: &[u8]) -> Self {
        let present = if self == Self::Absent { Self::Other } else { self };
        list(value).fold(present, |so_far, coding| match so_far {
            Self::Chunked | Self::Broken => Self::Broken,
            Self::Absent | Self::Other if coding.eq_ignore_ascii_case(b"chunked") => Self::Chunked,
            Self::Absent | Self::Other => Self::Other,
        })
    }
}

/// The elements of a comma-separated list, empty ones left out. A fold counts as white space.
fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&b| b == b',').map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
}

/// Digits and nothing else, up to 2^63 - 1.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().try_fold(0_u64, |sum, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })?;
    (number <= super::LENGTH_LIMIT).then_some(number)
}

impl From<httparse::Error> for FramingError {
    fn from(error: httparse::Error) -> Self {
        match error {
            httparse::Error::Version => Self::Version,
            httparse::Error::Status | httparse::Error::Token => Self::StatusLine,
            httparse::Error::HeaderName => Self::FieldName,
            httparse::Error::HeaderValue => Self::FieldValue,
            httparse::Error::NewLine => Self::LineEnd,
            httparse::Error::TooManyHeaders => Self::TooManyFields,
        }
    }
}
