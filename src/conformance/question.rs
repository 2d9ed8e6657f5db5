//! What is asked: the request of a workload, or one made from it, and which answer is right.

use std::net::SocketAddr;

use crate::http::expect::{Expectation, StatusExpectation};
use crate::http::request::{RequestKind, RequestParts, Version, encode};
use crate::matrix::{Target, Workload};
use crate::trial::{AskError, headers};

/// The longest request line that is shown.
const SHOWN: usize = 120;

/// A request without its manner, and the right answer to it.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// The workload that it comes from.
    pub(super) workload: String,
    /// Whether that is one of the contract.
    pub(super) is_of_contract: bool,
    pub(super) method: String,
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) right: Expectation,
}

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// In HTTP/1.1.
    Kept,
    /// In HTTP/1.1 with `Connection: close`.
    Closing,
    /// In HTTP/1.0.
    Old,
    /// In HTTP/1.0 with `Connection: keep-alive`.
    OldKept,
}

/// A request as bytes.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// In words, escaped.
    pub(super) shown: String,
    pub(super) bytes: Vec<u8>,
    pub(super) kind: RequestKind,
    pub(super) right: Expectation,
}

impl Question {
    /// What a workload asks of a target.
    ///
    /// # Errors
    /// If a header's value is missing.
    pub(super) fn new(target: &Target, workload: &Workload) -> Result<Self, AskError> {
        let spec = target.request_of(workload);
        Ok(Self {
            workload: workload.name.clone(),
            is_of_contract: workload.is_of_contract,
            method: spec.method.clone(),
            path: spec.path.clone(),
            headers: headers(spec)?,
            body: spec.body.clone(),
            right: target.expectation_of(workload).cloned().unwrap_or_default(),
        })
    }

    /// Whether it is what the contract calls by this name.
    pub(super) fn is_of_contract_as(&self, name: &str) -> bool {
        self.is_of_contract && self.workload == name
    }

    /// Whether it can be asked with another path.
    pub(super) fn is_of_a_path(&self) -> bool {
        self.path.starts_with('/')
    }

    /// The same with another path.
    pub(super) fn at(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self.clone() }
    }

    /// The same with another method and body.
    pub(super) fn by(&self, method: &str, body: &[u8]) -> Self {
        Self { method: method.to_owned(), body: body.to_owned(), ..self.clone() }
    }

    /// The same with a header more.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, of which another answer is right.
    pub(super) fn expecting(self, right: Expectation) -> Self {
        Self { right, ..self }
    }

    /// The same, of which any answer with this status is right.
    pub(super) fn refused(self, status: u16) -> Self {
        let status = StatusExpectation::Exactly(status);
        self.expecting(Expectation { status, ..Expectation::default() })
    }

    /// Its bytes.
    ///
    /// # Panics
    /// If the request of the workload cannot be sent, which is checked before anything starts.
    pub(super) fn request(&self, address: SocketAddr, manner: Manner) -> Request {
        let parts = RequestParts {
            method: &self.method,
            path: &self.path,
            authority: &address.to_string(),
            headers: &self.headers,
            body: &self.body,
            version: manner.version(),
            keep_alive: manner != Manner::Closing && manner != Manner::Old,
        };
        Request {
            shown: self.shown(manner),
            bytes: encode(&parts).expect("requests are checked before anything starts"),
            kind: parts.kind(),
            right: self.right.clone(),
        }
    }

    fn shown(&self, manner: Manner) -> String {
        let version = match manner.version() {
            Version::Http10 => "1.0",
            Version::Http11 => "1.1",
        };
        let line = shown(format!("{} {} HTTP/{version}", self.method, self.path).as_bytes());
        match manner {
            Manner::Kept | Manner::Old => line,
            Manner::Closing => format!("{line} with `Connection: close`"),
            Manner::OldKept => format!("{line} with `Connection: keep-alive`"),
        }
    }
}

impl Manner {
    fn version(self) -> Version {
        match self {
            Self::Kept | Self::Closing => Version::Http11,
            Self::Old | Self::OldKept => Version::Http10,
        }
    }
}

impl Request {
    /// The same bytes, sent in a way that is told in words.
    pub(super) fn in_a_way(mut self, way: &str) -> Self {
        self.shown = format!("{} {way}", self.shown);
        self
    }

    /// Where its body begins.
    pub(super) fn head_length(&self) -> usize {
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n");
        end.map_or(self.bytes.len(), |end| end + 4)
    }
}

/// Bytes that are sent, between backticks; long ones are cut short.
pub(super) fn shown(bytes: &[u8]) -> String {
    let end = if bytes.len() > SHOWN { "..." } else { "" };
    let text: String = bytes[..bytes.len().min(SHOWN)].iter().map(|byte| escaped(*byte)).collect();
    format!("`{text}{end}`")
}

/// What can be seen stands for itself, so that a path is told as it is sent.
fn escaped(byte: u8) -> String {
    match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        other => other.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_that_of_its_workload_but_for_what_its_manner_says() {
        let question = Question {
            workload: "hello".into(),
            is_of_contract: false,
            method: "POST".into(),
            path: "/".into(),
            headers: vec![("Accept".into(), "*/*".into())],
            body: b"x".into(),
            right: Expectation::default(),
        };
        let request =
            question.by("PUT", b"a body").request(([127, 0, 0, 1], 80).into(), Manner::OldKept);
        let right = "PUT / HTTP/1.0\r\nHost: 127.0.0.1:80\r\nAccept: */*\r\nContent-Length: 6\r\n\
                     Connection: keep-alive\r\n\r\na body";
        assert_eq!(String::from_utf8(request.bytes).expect("text"), right);
    }

    #[test]
    fn what_is_sent_is_told_as_it_is_and_harmlessly() {
        for (bytes, text) in [
            (&b"GET /..\\x\"y HTTP/1.1"[..], "`GET /..\\x\"y HTTP/1.1`"),
            (b"no HTTP\r\n\x00\xff", "`no HTTP\\r\\n\\x00\\xff`"),
            (&[b'x'; 121], &format!("`{}...`", "x".repeat(120))),
        ] {
            assert_eq!(shown(bytes), text);
        }
    }
}
