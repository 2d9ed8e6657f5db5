//! A request as bytes, built once before the load and written many times.
//!
//! It does not send anything and does not choose anything: method, path, fields and body come from
//! a workload, version and keep-alive from a load, the authority from where the target listens.

use thiserror::Error;

/// A version of HTTP/1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
}

impl Version {
    /// Its number: `1.1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http10 => "1.0",
            Self::Http11 => "1.1",
        }
    }
}

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub struct RequestParts<'a> {
    /// The method, as it is sent: methods are case-sensitive.
    pub method: &'a str,
    /// The request target: it begins with `/`, or is `*`, or is a whole `http://` address.
    pub path: &'a str,
    /// `host:port`, the value of `Host` unless `headers` declares one.
    pub authority: &'a str,
    /// Declared fields, sent in this order after `Host`.
    pub headers: &'a [(String, String)],
    /// The body, empty for none.
    pub body: &'a [u8],
    /// The version that the request names.
    pub version: Version,
    /// Whether the connection is meant to carry further requests.
    pub keep_alive: bool,
}

/// What must be known of a request to read the answer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKind {
    /// HEAD: the answer has no body, whatever its fields say.
    pub is_head: bool,
    /// The version that the request named.
    pub version: Version,
    /// Whether the request asked for, or left standing, a connection that lives on.
    pub keep_alive: bool,
}

/// Why a request cannot be sent as declared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The method is no token, or is CONNECT.
    #[error("`{0}` cannot be a method")]
    Method(String),
    /// The path holds what a request line cannot carry.
    #[error("`{0}` cannot be a path")]
    Path(String),
    /// The authority, or the declared `Host`, holds what it cannot.
    #[error("`{0}` cannot be a host")]
    Host(String),
    /// `Host` is declared more than once.
    #[error("`Host` is declared more than once")]
    HostTwice,
    /// A field's name is no token.
    #[error("`{0}` cannot be the name of a header")]
    FieldName(String),
    /// The value of the field of this name holds a control character.
    #[error("the value of header `{0}` holds a control character")]
    FieldValue(String),
    /// The declared `Content-Length` is not the body's.
    #[error("`Content-Length: {declared}` is declared, the body has {actual} bytes")]
    ContentLength {
        /// The value as it was declared.
        declared: String,
        /// The length of the body in bytes.
        actual: usize,
    },
    /// `Transfer-Encoding` is declared.
    #[error("`Transfer-Encoding` cannot be declared: a body is sent with its length")]
    TransferEncoding,
}

impl RequestParts<'_> {
    /// What the reader of the answer must know. A declared `Connection: close` counts as asking
    /// for the end of the connection.
    pub fn kind(&self) -> RequestKind {
        let closes = self
            .declared("connection")
            .flat_map(|value| value.split(','))
            .any(|token| token.trim_ascii().eq_ignore_ascii_case("close"));
        RequestKind {
            is_head: self.method == "HEAD",
            version: self.version,
            keep_alive: self.keep_alive && !closes,
        }
    }

    fn declared<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| &**v)
    }

    fn has(&self, name: &str) -> bool {
        self.declared(name).next().is_some()
    }
}

/// The request's bytes: `Host` first, then the declared fields in order, then `Content-Length`
/// where there is a body or the method is one that has one, then `Connection` where the version's
/// default is not what is meant. A declared `Host`, `Content-Length` or `Connection` stands for
/// ours.
pub fn encode(parts: &RequestParts<'_>) -> Result<Vec<u8>, RequestError> {
    check(parts)?;
    let host = parts.declared("host").next().unwrap_or(parts.authority);
    let mut out = Vec::with_capacity(256 + parts.body.len());
    let version = match parts.version {
        Version::Http10 => "HTTP/1.0",
        Version::Http11 => "HTTP/1.1",
    };
    push(&mut out, &[parts.method, " ", parts.path, " ", version, "\r\n"]);
    push(&mut out, &["Host: ", host, "\r\n"]);
    for (name, value) in parts.headers.iter().filter(|(n, _)| !n.eq_ignore_ascii_case("host")) {
        push(&mut out, &[name, ": ", value, "\r\n"]);
    }
    let has_body = !parts.body.is_empty() || matches!(parts.method, "POST" | "PUT" | "PATCH");
    if has_body && !parts.has("content-length") {
        push(&mut out, &["Content-Length: ", &parts.body.len().to_string(), "\r\n"]);
    }
    if !parts.has("connection") {
        match (parts.version, parts.keep_alive) {
            (Version::Http11, false) => push(&mut out, &["Connection: close\r\n"]),
            (Version::Http10, true) => push(&mut out, &["Connection: keep-alive\r\n"]),
            _ => {}
        }
    }
    push(&mut out, &["\r\n"]);
    out.extend_from_slice(parts.body);
    Ok(out)
}

fn push(out: &mut Vec<u8>, pieces: &[&str]) {
    for piece in pieces {
        out.extend_from_slice(piece.as_bytes());
    }
}

fn check(parts: &RequestParts<'_>) -> Result<(), RequestError> {
    // After CONNECT the connection would no longer speak HTTP.
    if !is_token(parts.method) || parts.method == "CONNECT" {
        return Err(RequestError::Method(parts.method.escape_debug().to_string()));
    }
    let is_target =
        parts.path.starts_with('/') || parts.path == "*" || parts.path.starts_with("http://");
    if !is_target || !is_visible(parts.path) {
        return Err(RequestError::Path(parts.path.escape_debug().to_string()));
    }
    if parts.declared("host").count() > 1 {
        return Err(RequestError::HostTwice);
    }
    let host = parts.declared("host").next().unwrap_or(parts.authority);
    if !is_visible(host) {
        return Err(RequestError::Host(host.escape_debug().to_string()));
    }
    parts.headers.iter().try_for_each(|(name, value)| check_field(name, value, parts.body.len()))
}

fn check_field(name: &str, value: &str, body: usize) -> Result<(), RequestError> {
    if !is_token(name) {
        return Err(RequestError::FieldName(name.escape_debug().to_string()));
    }
    if value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
        return Err(RequestError::FieldValue(name.to_owned()));
    }
    if name.eq_ignore_ascii_case("transfer-encoding") {
        return Err(RequestError::TransferEncoding);
    }
    // A length that is not the body's makes the server wait for more, or read the next request
    // from the middle of this one.
    if name.eq_ignore_ascii_case("content-length") && value.trim_ascii() != body.to_string() {
        return Err(RequestError::ContentLength { declared: value.to_owned(), actual: body });
    }
    Ok(())
}

/// RFC 9110, 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
