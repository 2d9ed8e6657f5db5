//! What reading answers can yield: events, ends, errors. Shapes only.

use thiserror::Error;

use crate::http::request::Version;

/// What the bytes of a connection held next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Nothing was consumed: a head, a chunk's line or a trailer section is not whole, or there is
    /// nothing to read. The caller keeps the bytes and calls again with more after them.
    NeedMore,
    /// Bytes were consumed that carry nothing for the caller: interim answers, the lines between
    /// chunks. Call again with the rest.
    Skipped,
    /// The head of the answer.
    Head(Head<'a>),
    /// Some bytes of the body, at least one.
    Body(&'a [u8]),
    /// The answer is complete.
    End {
        /// Whether the connection may carry another request.
        reusable: bool,
    },
}

/// The head of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'a> {
    /// 200 to 599.
    pub status: u16,
    /// The version that the answer names.
    pub version: Version,
    /// The head's bytes, through the empty line that ends it.
    pub raw: &'a [u8],
    /// What `Content-Length` says, also where there is no body; absent where a transfer coding
    /// overrides it, and where it is invalid but does not matter.
    pub content_length: Option<u64>,
    /// What ends the body.
    pub framing: Framing,
    /// Whether the answer's own words let the connection live on.
    pub keep_alive: bool,
}

/// What ends the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Its length.
    Length,
    /// Its last chunk.
    Chunked,
    /// The end of the connection.
    UntilClose,
    /// There is none, whatever the fields say: HEAD, 204, 304.
    None,
}

impl Framing {
    /// Its name on disk.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Chunked => "chunked",
            Self::UntilClose => "close",
            Self::None => "none",
        }
    }
}

/// What the end of the connection means for the answer being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndOfFile {
    /// No byte of an answer has come since the last one ended. Whether that is an end between
    /// answers or before the first byte of one is known to whoever knows if a request is open.
    Idle,
    /// The answer is complete; this is what ends a body without length.
    Complete,
    /// After the first byte of an answer, interim ones included, and before the end of its head.
    InsideHead,
    /// After the head and before the end of the body.
    InsideBody,
}

/// Why the bytes are no answers. Nothing after it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum FramingError {
    /// It does not begin with `HTTP/1.0` or `HTTP/1.1`.
    #[error("the answer does not begin with HTTP/1.0 or HTTP/1.1")]
    Version,
    /// What follows the version is no status of three digits, or the reason holds a control
    /// character.
    #[error("malformed status line")]
    StatusLine,
    /// The status is outside 100 to 599.
    #[error("status {0} is outside 100 to 599")]
    Status(u16),
    /// 101, which was not asked for.
    #[error("the server switches to another protocol")]
    SwitchingProtocols,
    /// The name of a field is no token, or white space goes before it or before its colon.
    #[error("malformed header name")]
    FieldName,
    /// The value of a field holds a control character.
    #[error("malformed header value")]
    FieldValue,
    /// CR without LF.
    #[error("CR without LF in the head")]
    LineEnd,
    /// The head has more than 256 fields.
    #[error("more than 256 headers")]
    TooManyFields,
    /// The head has no end within 64 KiB.
    #[error("the head is longer than 64 KiB")]
    HeadTooLarge,
    /// `Content-Length` is no number up to 2^63 - 1, or there are several that differ.
    #[error("invalid Content-Length")]
    ContentLength,
    /// A chunk does not begin with a size up to 2^63 - 1.
    #[error("invalid chunk size")]
    ChunkSize,
    /// A chunk's line has no end within 16 KiB.
    #[error("the line before a chunk is longer than 16 KiB")]
    ChunkLineTooLong,
    /// No line end where a chunk must end by its size.
    #[error("a chunk does not end where its size says")]
    ChunkEnd,
    /// A trailer field is malformed.
    #[error("malformed trailer")]
    Trailer,
    /// The trailers have no end within 64 KiB, or are more than 64.
    #[error("the trailers are longer than 64 KiB or more than 64")]
    TrailerTooLarge,
}
