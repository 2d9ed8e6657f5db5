//! Is this answer right? One judge for verification and for load.
//!
//! It reads no answers: it is shown the head and the pieces of the body that
//! [`framing`](super::framing) finds, in order, and keeps none of them but JSON. What is right
//! comes from a workload, or from the answer that verification saw.

mod json;
mod mismatch;
mod search;

pub use mismatch::{Mismatch, explain};
use search::Search;
use sha2::{Digest, Sha256};

use super::framing::Head;
use crate::outcome::Wrong;

/// The longest body that is read as JSON, in bytes; a longer one is wrong.
pub const JSON_LIMIT: usize = 16 * 1024 * 1024;

/// Which answer is right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expectation {
    /// The status.
    pub status: StatusExpectation,
    /// The body.
    pub body: BodyExpectation,
    /// Fields, each of which must be there with this value; the case of names does not matter.
    pub headers: Vec<(String, String)>,
    /// The length of the body in bytes, for bodies that have none of their own. See
    /// [`Expectation::pinned_to`].
    pub length: Option<u64>,
}

/// Which status is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusExpectation {
    /// 200 to 299.
    #[default]
    Any2xx,
    /// This one.
    Exactly(u16),
}

/// Which body is right.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum BodyExpectation {
    /// Every body.
    #[default]
    Any,
    /// These bytes.
    Bytes(Vec<u8>),
    /// One that is this value as JSON: order of members, white space and `1` for `1.0` are equal.
    Json(serde_json::Value),
    /// One in which these bytes occur.
    Contains(Vec<u8>),
    /// One of so many bytes.
    Length(u64),
    /// One with this digest.
    Sha256([u8; 32]),
}

/// How closely an answer is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Depth {
    /// Status, fields and length.
    Length,
    /// The content of the body besides.
    Content,
}

impl Expectation {
    /// This expectation, narrowed by the body that verification saw. Where every body was right,
    /// these bytes are from now on; where JSON or a digest is expected, the length must stay. What
    /// must only *contain* something may differ in the rest, so it is left as it is.
    #[must_use]
    pub fn pinned_to(mut self, body: &[u8]) -> Self {
        match self.body {
            BodyExpectation::Any => self.body = BodyExpectation::Bytes(body.to_vec()),
            BodyExpectation::Json(_) | BodyExpectation::Sha256(_) => {
                self.length = Some(body.len() as u64);
            }
            BodyExpectation::Bytes(_)
            | BodyExpectation::Contains(_)
            | BodyExpectation::Length(_) => {}
        }
        self
    }

    /// How long the body must be, in bytes.
    pub fn expected_length(&self) -> Option<u64> {
        match &self.body {
            BodyExpectation::Bytes(bytes) => Some(bytes.len() as u64),
            BodyExpectation::Length(length) => Some(*length),
            _ => self.length,
        }
    }

    fn allows_status(&self, status: u16) -> bool {
        match self.status {
            StatusExpectation::Any2xx => (200..=299).contains(&status),
            StatusExpectation::Exactly(right) => status == right,
        }
    }

    /// The first declared field that the head has not, or not with this value.
    fn missing_header(&self, head: &Head<'_>) -> Option<&(String, String)> {
        self.headers.iter().find(|(name, value)| {
            !head.fields().any(|(n, v)| {
                n.eq_ignore_ascii_case(name.as_bytes()) && v == value.trim_ascii().as_bytes()
            })
        })
    }
}

/// The judgement of one answer, while it streams.
#[derive(Debug)]
pub struct Judge<'e> {
    expectation: &'e Expectation,
    /// What the head was wrong in.
    wrong: Option<Wrong>,
    received: u64,
    content: Content<'e>,
    /// The first byte that is not what was expected, counted from 0.
    differs_at: Option<u64>,
}

/// What is known of the content so far.
#[derive(Debug)]
enum Content<'e> {
    NotLookedAt,
    /// What is still to come, if all was right so far.
    Bytes(Option<&'e [u8]>),
    Search(Search<'e>),
    /// All of it so far, unless it is too long.
    Json(Option<Vec<u8>>),
    Sha256(Sha256),
}

impl<'e> Judge<'e> {
    /// For an answer of which nothing was seen yet. Allocates only to search.
    #[inline]
    pub fn new(expectation: &'e Expectation, depth: Depth) -> Self {
        let content = match (depth, &expectation.body) {
            (Depth::Length, _)
            | (Depth::Content, BodyExpectation::Any | BodyExpectation::Length(_)) => {
                Content::NotLookedAt
            }
            (_, BodyExpectation::Bytes(bytes)) => Content::Bytes(Some(bytes)),
            (_, BodyExpectation::Contains(needle)) => Content::Search(Search::new(needle)),
            (_, BodyExpectation::Json(_)) => Content::Json(Some(Vec::new())),
            (_, BodyExpectation::Sha256(_)) => Content::Sha256(Sha256::new()),
        };
        Self { expectation, wrong: None, received: 0, content, differs_at: None }
    }

    /// Takes the head.
    #[inline]
    pub fn head(&mut self, head: &Head<'_>) {
        if !self.expectation.allows_status(head.status) {
            self.wrong = Some(Wrong::Status);
        } else if self.expectation.missing_header(head).is_some() {
            self.wrong = Some(Wrong::Header);
        }
    }

    /// Whether the bytes of the body matter; if not, they may be skipped.
    #[inline]
    pub fn needs_content(&self) -> bool {
        self.wrong.is_none() && !matches!(self.content, Content::NotLookedAt)
    }

    /// Takes the next piece of the body.
    #[inline]
    pub fn body(&mut self, piece: &[u8]) {
        if self.needs_content() {
            let expected = self.content.expected();
            self.content.take(piece);
            if expected.is_some() && self.content.expected().is_none() {
                let same = expected.unwrap_or_default().iter().zip(piece);
                let same = same.take_while(|(one, other)| one == other).count();
                self.differs_at = Some(self.received + same as u64);
            }
        }
        self.received += piece.len() as u64;
    }

    /// The first byte that differs from the right content, counted from 0; `None` if there is none, or if that is not known.
    pub fn differs_at(&self) -> Option<u64> {
        self.differs_at
    }

    /// So many bytes of the body went by unread.
    ///
    /// # Panics
    ///
    /// If they matter, see [`Judge::needs_content`].
    #[inline]
    pub fn skipped(&mut self, bytes: u64) {
        assert!(!self.needs_content(), "{bytes} bytes skipped that were to be compared");
        self.received += bytes;
    }

    /// How many bytes of the body went by.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The judgement, once the answer is complete.
    #[inline]
    pub fn end(self) -> Result<(), Wrong> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        if self.expectation.expected_length().is_some_and(|length| length != self.received) {
            return Err(Wrong::Length);
        }
        if self.content.into_verdict(&self.expectation.body) { Ok(()) } else { Err(Wrong::Body) }
    }
}

impl<'e> Content<'e> {
    /// The bytes that are to come, as long as all was right.
    fn expected(&self) -> Option<&'e [u8]> {
        if let Self::Bytes(rest) = self { *rest } else { None }
    }

    fn take(&mut self, piece: &[u8]) {
        match self {
            Self::NotLookedAt => {}
            Self::Bytes(rest) => *rest = rest.and_then(|rest| rest.strip_prefix(piece)),
            Self::Search(search) => search.take(piece),
            Self::Json(text) => match text {
                Some(so_far) if so_far.len() + piece.len() <= JSON_LIMIT => {
                    so_far.extend_from_slice(piece);
                }
                _ => *text = None,
            },
            Self::Sha256(digest) => digest.update(piece),
        }
    }

    /// Whether what was taken is right, now that it is all.
    fn into_verdict(self, body: &BodyExpectation) -> bool {
        match (self, body) {
            (Self::Bytes(rest), _) => rest == Some(&[]),
            (Self::Search(search), _) => search.has_found(),
            (Self::Json(text), BodyExpectation::Json(right)) => text
                .and_then(|text| serde_json::from_slice(&text).ok())
                .is_some_and(|actual| json::difference(right, &actual).is_none()),
            (Self::Sha256(digest), BodyExpectation::Sha256(right)) => {
                digest.finalize().as_slice() == right
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
