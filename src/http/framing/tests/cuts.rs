//! What is said of a connection depends on its bytes, not on how reads cut them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Pieces of streams: answers that are right, and what may go wrong inside one.
fn fragment() -> impl Strategy<Value = &'static str> {
    select(vec![
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 X\nContent-Length: 1234\n\n",
        "Content-Length: 5\r\n",
        "Content-Length: 5\r\n\r\nhello",
        "Transfer-Encoding: gzip\r\n",
        "Connection: close\r\n",
        "Date: now\r\n",
        " folded\r\n",
        "\r\n",
        "\n",
        "\r",
        "5\r\nhello\r\n",
        "3;a=\"b\"\r\nabc\r\n",
        "0\r\n\r\n",
        "0\r\na: b\r\n\r\n",
        "ffffffffffffffff\r\n",
        ":",
        "\0",
    ])
}

/// Mostly streams of fragments, sometimes with bytes changed.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (vec(fragment(), 0..12), changes).prop_map(|(fragments, changes)| {
        let mut bytes = fragments.concat().into_bytes();
        for (at, byte) in changes.into_iter().filter(|_| !fragments.is_empty()) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn request() -> impl Strategy<Value = RequestKind> {
    select(vec![GET, GET, GET, HEAD, GET_10, GET_CLOSE])
}

fn cut<'b>(bytes: &'b [u8], sizes: &[usize]) -> Vec<&'b [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for size in sizes {
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// The bodies left out: those that were discarded are never seen.
fn without_bodies(said: &str) -> String {
    let (mut rest, mut is_body, mut is_escaped) = (String::new(), false, false);
    for sign in said.chars() {
        match sign {
            '\'' if !is_escaped => is_body = !is_body,
            _ if is_body => {}
            _ => rest.push(sign),
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn framing_does_not_depend_on_the_cuts(
        bytes in stream(), sizes in vec(0_usize..20, 0..40), request in request(),
    ) {
        let whole = read(request, [&bytes[..]]).finish();
        prop_assert_eq!(read(request, cut(&bytes, &sizes)).finish(), &whole[..]);
        prop_assert_eq!(read(request, bytes.chunks(1)).finish(), whole);
    }

    #[test]
    fn discarding_a_body_ends_it_where_reading_does(
        fragments in vec(fragment(), 0..12), sizes in vec(0_usize..20, 0..40),
    ) {
        let bytes = fragments.concat().into_bytes();
        let mut reader = Reader { discards: true, ..Reader::new(GET) };
        for piece in cut(&bytes, &sizes) {
            reader.take(piece);
        }
        let read = read(GET, [&bytes[..]]).finish();
        prop_assert_eq!(without_bodies(&reader.finish()), without_bodies(&read));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in vec(any::<u8>(), 0..200), sizes in vec(0_usize..20, 0..20), request in request(),
    ) {
        let start = b"HTTP/1.1 200 OK\r\n";
        for bytes in [bytes.clone(), [&start[..], &bytes].concat()] {
            let whole = read(request, [&bytes[..]]).finish();
            prop_assert_eq!(read(request, cut(&bytes, &sizes)).finish(), whole);
        }
    }

    #[test]
    fn a_remembered_head_is_framed_as_a_parsed_one(
        head in vec(fragment(), 0..5),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
        next in stream(),
    ) {
        let head = format!("HTTP/1.1 200 OK\r\n{}\r\n\r\n", head.concat());
        let mut other = head.clone().into_bytes();
        for (at, byte) in changes {
            let at = at.index(other.len());
            other[at] = byte;
        }
        other.extend_from_slice(&next);
        let mut remembering = Decoder::new();
        let _ = remembering.decode(head.as_bytes(), GET);
        remembering.restart();
        prop_assert_eq!(remembering.decode(&other, GET), Decoder::new().decode(&other, GET));
    }
}
