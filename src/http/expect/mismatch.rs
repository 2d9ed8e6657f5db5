//! What is wrong with an answer, in words, for a body that is there as a whole.
//!
//! The judgement itself is the judge's; here only its reason is told. Text that came from a server
//! is cut short and its control characters are escaped.

use std::fmt::{self, Display, Formatter};

use super::{
    BodyExpectation, Depth, Expectation, JSON_LIMIT, Judge, StatusExpectation, Wrong, json,
};
use crate::http::framing::Head;

/// How much of a body is quoted, in bytes.
const QUOTED: usize = 40;

/// How an answer differs from the right one. Displayed as in `404 where 200 was expected`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// What is wrong.
    pub wrong: Wrong,
    text: String,
}

impl Display for Mismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Judges a whole answer at full depth; `None` if it is right.
pub fn explain(expectation: &Expectation, head: &Head<'_>, body: &[u8]) -> Option<Mismatch> {
    let mut judge = Judge::new(expectation, Depth::Content);
    judge.head(head);
    judge.body(body);
    let wrong = judge.end().err()?;
    let text = match wrong {
        Wrong::Status => explain_status(expectation.status, head.status),
        Wrong::Header => explain_header(expectation, head),
        Wrong::Length => {
            let right = expectation.expected_length().unwrap_or_default();
            let were = if right == 1 { "was" } else { "were" };
            format!("{} where {right} {were} expected", count(body.len()))
        }
        Wrong::Body => explain_body(&expectation.body, body),
    };
    Some(Mismatch { wrong, text })
}

fn explain_status(right: StatusExpectation, actual: u16) -> String {
    match right {
        StatusExpectation::Any2xx => format!("{actual} where any 2xx was expected"),
        StatusExpectation::Exactly(right) => format!("{actual} where {right} was expected"),
    }
}

fn explain_header(expectation: &Expectation, head: &Head<'_>) -> String {
    let Some((name, right)) = expectation.missing_header(head) else { return String::new() };
    match head.field(name) {
        Some(actual) => {
            format!("`{name}: {}` where `{right}` was expected", quote(actual))
        }
        None => format!("no header `{name}` where `{right}` was expected"),
    }
}

fn explain_body(right: &BodyExpectation, body: &[u8]) -> String {
    match right {
        BodyExpectation::Bytes(right) => {
            let at = right.iter().zip(body).take_while(|(a, b)| a == b).count();
            let (actual, right) = (quote(&body[at..]), quote(&right[at..]));
            format!("`{actual}` from byte {at} on where `{right}` was expected")
        }
        BodyExpectation::Contains(needle) => {
            format!("{} without `{}` in them", count(body.len()), quote(needle))
        }
        BodyExpectation::Json(right) => explain_json(right, body),
        BodyExpectation::Sha256(right) => {
            let actual = <sha2::Sha256 as sha2::Digest>::digest(body);
            format!("sha256 {} where {} was expected", hex(&actual), hex(right))
        }
        BodyExpectation::Any | BodyExpectation::Length(_) => String::new(),
    }
}

fn explain_json(right: &serde_json::Value, body: &[u8]) -> String {
    if body.len() > JSON_LIMIT {
        return format!("{} are too many to be read as JSON", count(body.len()));
    }
    match serde_json::from_slice(body) {
        Err(error) => format!("`{}` where JSON was expected: {error}", quote(body)),
        Ok(actual) => {
            let (place, what) = json::difference(right, &actual).unwrap_or_default();
            let expected = right.pointer(&place).map(ToString::to_string).unwrap_or_default();
            let (what, expected) = (quote(what.as_bytes()), quote(expected.as_bytes()));
            let place = if place.is_empty() { place } else { format!(" at `{place}`") };
            format!("JSON `{what}`{place} where `{expected}` was expected")
        }
    }
}

fn count(bytes: usize) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

fn quote(bytes: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]);
    let shown: String = shown
        .chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect();
    if bytes.len() > QUOTED { format!("{shown}...") } else { shown }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
