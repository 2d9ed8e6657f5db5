//! HTTP/1 as bytes: a request's bytes out, where the answers that come back begin and end, and
//! whether an answer is the right one.
//!
//! It is no client. It opens no socket, reads no clock and starts nothing; the bytes come from
//! whoever holds the connection. Rules are those of RFC 9110 and RFC 9112, lenient only where a
//! file says so.

pub mod expect;
pub mod framing;
pub mod request;
