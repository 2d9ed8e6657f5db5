//! Requests as they are sent, and those that are refused.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::http::framing::{Decoder, Event};

const PARTS: RequestParts<'_> = RequestParts {
    method: "GET",
    path: "/",
    authority: "127.0.0.1:8080",
    headers: &[],
    body: b"",
    version: Version::Http11,
    keep_alive: true,
};

fn fields(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|&(name, value)| (name.into(), value.into())).collect()
}

#[track_caller]
fn check(parts: RequestParts<'_>, expected: &str) {
    assert_eq!(String::from_utf8(encode(&parts).unwrap()).unwrap(), expected);
}

#[test]
fn host_goes_first_and_declared_fields_keep_their_order() {
    check(PARTS, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n");
    let headers = fields(&[("Accept", "*/*"), ("x-a", ""), ("Accept", "text/plain")]);
    check(
        RequestParts { headers: &headers, ..PARTS },
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\nx-a: \r\nAccept: text/plain\r\n\r\n",
    );
    let headers = fields(&[("Accept", "*/*"), ("hOst", "example.org")]);
    check(
        RequestParts { headers: &headers, ..PARTS },
        "GET / HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n",
    );
}

#[test]
fn a_length_is_sent_with_a_body_and_with_methods_that_have_one() {
    for method in ["POST", "PUT", "PATCH"] {
        let expected = format!("{method} / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
        check(RequestParts { method, authority: "h", ..PARTS }, &expected);
    }
    check(
        RequestParts { body: b"a\r\n", authority: "h", ..PARTS },
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na\r\n",
    );
    let headers = fields(&[("content-length", "2")]);
    check(
        RequestParts { method: "POST", body: b"{}", authority: "h", headers: &headers, ..PARTS },
        "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\n\r\n{}",
    );
}

#[test]
fn connection_is_sent_where_the_version_means_the_other_thing() {
    let cases = [
        (Version::Http11, true, "HTTP/1.1\r\nHost: h\r\n\r\n"),
        (Version::Http11, false, "HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
        (Version::Http10, true, "HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n"),
        (Version::Http10, false, "HTTP/1.0\r\nHost: h\r\n\r\n"),
    ];
    for (version, keep_alive, expected) in cases {
        let parts = RequestParts { version, keep_alive, authority: "h", ..PARTS };
        check(parts, &format!("GET / {expected}"));
    }
}

#[test]
fn a_declared_connection_stands_for_ours_and_close_ends_reuse() {
    let headers = fields(&[("connection", "TE, Close")]);
    let parts = RequestParts { authority: "h", headers: &headers, ..PARTS };
    check(parts, "GET / HTTP/1.1\r\nHost: h\r\nconnection: TE, Close\r\n\r\n");
    assert!(!parts.kind().keep_alive);
    assert!(PARTS.kind().keep_alive);
    assert!(RequestParts { method: "HEAD", ..PARTS }.kind().is_head);
}

#[test]
fn what_a_request_cannot_carry_is_refused() {
    let refused = |parts: RequestParts<'_>| encode(&parts).unwrap_err();
    for method in ["", "GE T", "GET\r\n", "CONNECT", "G\u{e9}T"] {
        assert!(matches!(refused(RequestParts { method, ..PARTS }), RequestError::Method(_)));
    }
    for path in ["", "file", "/a b", "/a\r\nX: y", "/\0", "/\u{e9}", "/\u{7f}"] {
        assert!(matches!(refused(RequestParts { path, ..PARTS }), RequestError::Path(_)));
    }
    let authority = "a\r\nX: y";
    assert!(matches!(refused(RequestParts { authority, ..PARTS }), RequestError::Host(_)));
    let field = |name: &str, value: &str| {
        let headers = fields(&[(name, value)]);
        refused(RequestParts { headers: &headers, ..PARTS })
    };
    assert!(matches!(field("a b", ""), RequestError::FieldName(_)));
    assert!(matches!(field("", ""), RequestError::FieldName(_)));
    assert!(matches!(field("a:", ""), RequestError::FieldName(_)));
    for value in ["\r", "\n", "a\r\nb: c", "\0", "\u{7f}", "\u{1b}[0m"] {
        assert!(matches!(field("a", value), RequestError::FieldValue(_)));
    }
    assert_eq!(field("Transfer-Encoding", "chunked"), RequestError::TransferEncoding);
    assert!(matches!(field("Content-Length", "1"), RequestError::ContentLength { .. }));
    let headers = fields(&[("Host", "a"), ("host", "b")]);
    assert_eq!(refused(RequestParts { headers: &headers, ..PARTS }), RequestError::HostTwice);
}

#[test]
fn refusals_say_what_is_wrong_without_control_characters() {
    let error = encode(&RequestParts { path: "/\r\n", ..PARTS }).unwrap_err();
    assert_eq!(error.to_string(), r"`/\r\n` cannot be a path");
}

/// A request and an answer share the form of all but their first line.
fn as_answer(request: &[u8]) -> Vec<u8> {
    let line = request.iter().position(|&b| b == b'\n').unwrap();
    [b"HTTP/1.1 200 OK\r\n", &request[line + 1..]].concat()
}

proptest! {
    #[test]
    fn whatever_is_sent_is_one_well_formed_request(
        method in "GET|POST|[A-Z \r\n]{1,5}",
        path in "/[ -~]{0,9}|/[\\x00-\\x7f]{0,4}",
        headers in vec(("[a-z]{1,9}|.{0,3}", "[ -~\t]{0,9}|[\\x00-\\xff]{0,4}"), 0..4),
        body in vec(any::<u8>(), 0..20),
        keep_alive: bool,
    ) {
        let parts = RequestParts {
            method: &method, path: &path, headers: &headers, body: &body, keep_alive, ..PARTS
        };
        let Ok(bytes) = encode(&parts) else { return Ok(()) };
        let first = bytes.split(|&b| b == b'\r').next().unwrap();
        let line = format!("{method} {path} HTTP/1.1");
        prop_assert_eq!(first, line.as_bytes());
        let answer = as_answer(&bytes);
        let kind = RequestParts { method: "GET", ..parts }.kind();
        let (consumed, event) = Decoder::new().decode(&answer, kind).unwrap();
        let Event::Head(head) = event else { panic!("{event:?}") };
        prop_assert_eq!(&answer[consumed..], &body[..]);
        let declared = head.fields().map(|(name, _)| name.to_ascii_lowercase());
        let declared = declared.collect::<Vec<_>>();
        prop_assert_eq!(declared.iter().filter(|name| *name == b"host").count(), 1);
        let length = (!body.is_empty() || method == "POST").then_some(body.len() as u64);
        prop_assert_eq!(head.content_length, length);
    }
}
