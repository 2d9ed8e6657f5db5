//! A body in chunks (RFC 9112, 7.1): where its data lies and where it ends.
//!
//! It keeps no bytes: a chunk's line and the trailer section are read once they are whole, and the
//! data is handed through. Input: the bytes after a head that says chunked.
//!
//! Extensions are skipped, quoted or not, without being understood. The leniency with bare LF is
//! for heads and trailers only (RFC 9112, 2.2): a chunk that ends in a bare LF is most likely one
//! whose size is wrong by one.

use super::FramingError;

/// The longest line before a chunk, extensions included, in bytes.
pub(super) const CHUNK_LINE_LIMIT: usize = 16 * 1024;
const TRAILER_LIMIT: usize = super::head::HEAD_LIMIT;
const TRAILER_FIELD_LIMIT: usize = 64;

/// Where in a chunked body the next byte lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunked {
    /// At the line with a chunk's size.
    Line,
    /// In a chunk's data; so many bytes are left, at least one.
    Data(u64),
    /// At the line end after a chunk's data.
    DataEnd,
    /// At the trailer section.
    Trailer,
}

/// What the next bytes were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Incomplete,
    /// So many bytes that are no data.
    Passed(usize),
    Data(&'a [u8]),
    /// The last so many bytes of the body.
    Last(usize),
}

impl Chunked {
    pub(super) fn step<'a>(&mut self, input: &'a [u8]) -> Result<Piece<'a>, FramingError> {
        match *self {
            Self::Line => {
                let Some((bytes, size)) = line(input)? else { return Ok(Piece::Incomplete) };
                *self = if size == 0 { Self::Trailer } else { Self::Data(size) };
                Ok(Piece::Passed(bytes))
            }
            Self::Data(_) if input.is_empty() => Ok(Piece::Incomplete),
            Self::Data(left) => {
                let data = super::at_most(input, left);
                self.passed(left, data.len() as u64);
                Ok(Piece::Data(data))
            }
            Self::DataEnd => match input {
                [b'\r', b'\n', ..] => {
                    *self = Self::Line;
                    Ok(Piece::Passed(2))
                }
                [] | [b'\r'] => Ok(Piece::Incomplete),
                _ => Err(FramingError::ChunkEnd),
            },
            Self::Trailer => trailer(input),
        }
    }

    /// Moves on by `bytes` of the `left` that the chunk had.
    pub(super) fn passed(&mut self, left: u64, bytes: u64) {
        *self = if bytes == left { Self::DataEnd } else { Self::Data(left - bytes) };
    }
}

/// A chunk's line: its length in bytes, and the size of the chunk.
fn line(input: &[u8]) -> Result<Option<(usize, u64)>, FramingError> {
    let seen = &input[..input.len().min(CHUNK_LINE_LIMIT)];
    let digits = seen.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    // Judged before the line is whole, so that nonsense is not waited for.
    let size = hexadecimal(&seen[..digits]).ok_or(FramingError::ChunkSize)?;
    let rest = &seen[digits..];
    let space = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let extension = match rest.get(space) {
        Some(b';') => rest[space..].iter().take_while(|&&b| is_text(b)).count(),
        _ => 0,
    };
    let at = digits + space + extension;
    match &seen[at..] {
        _ if digits == 0 && !seen.is_empty() => Err(FramingError::ChunkSize),
        [b'\r', b'\n', ..] => Ok(Some((at + 2, size))),
        [] | [b'\r'] if seen.len() == CHUNK_LINE_LIMIT => Err(FramingError::ChunkLineTooLong),
        [] | [b'\r'] => Ok(None),
        _ => Err(FramingError::ChunkSize),
    }
}

fn is_text(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}

/// Up to 2^63 - 1; leading zeros in any number.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let size = digits.iter().try_fold(0_u64, |sum, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        sum.checked_mul(16)?.checked_add(u64::from(digit))
    })?;
    (size <= super::LENGTH_LIMIT).then_some(size)
}

/// Trailer fields are parsed and dropped (RFC 9110, 6.5.1); a folded one is refused.
fn trailer(input: &[u8]) -> Result<Piece<'static>, FramingError> {
    // Nearly every chunked body ends so.
    if input.starts_with(b"\r\n") {
        return Ok(Piece::Last(2));
    }
    let seen = &input[..input.len().min(TRAILER_LIMIT)];
    let mut slots = [httparse::EMPTY_HEADER; TRAILER_FIELD_LIMIT];
    match httparse::parse_headers(seen, &mut slots) {
        Ok(httparse::Status::Complete((bytes, _))) => Ok(Piece::Last(bytes)),
        Ok(httparse::Status::Partial) if seen.len() == TRAILER_LIMIT => {
            Err(FramingError::TrailerTooLarge)
        }
        Ok(httparse::Status::Partial) => Ok(Piece::Incomplete),
        Err(httparse::Error::TooManyHeaders) => Err(FramingError::TrailerTooLarge),
        Err(_) => Err(FramingError::Trailer),
    }
}
