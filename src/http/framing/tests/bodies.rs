//! Bodies by length and until close, answers without body, and answers one after the other.

use std::ops::Add;

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[track_caller]
fn check_fields(fields: &str, body: &str, expected: &str) {
    check(GET, format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}"), expected);
}

#[test]
fn a_body_ends_by_its_length() {
    check_fields("Content-Length: 11\r\n", "hello world", "200 Length 'hello world' reuse Idle");
    check_fields("Content-Length: 0\r\n", "", "200 Length reuse Idle");
    check_fields("content-LENGTH:\t3 \t\r\n", "abc", "200 Length 'abc' reuse Idle");
    check_fields("Content-Length: 003\r\n", "abc", "200 Length 'abc' reuse Idle");
    check_fields("Content-Length: 3\r\n", "ab", "200 Length 'ab' InsideBody");
    check_fields("Content-Length-X: 3\r\nContent-Length: 1\r\n", "a", "200 Length 'a' reuse Idle");
}

#[test]
fn equal_lengths_are_one_and_all_else_is_an_error() {
    for same in ["5, 5", "5,5 ,\t5", "5\r\nContent-Length: 5", "5\r\nX: y\r\ncontent-length: 05,5"]
    {
        let fields = format!("Content-Length: {same}\r\n");
        check_fields(&fields, "hello", "200 Length 'hello' reuse Idle");
    }
    for wrong in [
        "",
        "5, 6",
        "5\r\nContent-Length: 6",
        "+5",
        "-1",
        "5 5",
        "5,",
        ",5",
        "5;",
        "0x5",
        "5.0",
        "five",
        "5\r\n 5",
        "1e1",
        "\u{665}",
        "9223372036854775808",
        "18446744073709551616",
        "99999999999999999999999999",
        "5\r\nContent-Length:",
    ] {
        check_fields(&format!("Content-Length: {wrong}\r\n"), "hello", "!ContentLength");
    }
    let largest = "Content-Length: 9223372036854775807\r\n";
    check_fields(largest, "hello", "200 Length 'hello' InsideBody");
}

#[test]
fn without_length_or_chunks_the_body_is_what_comes_until_close() {
    check_fields("", "", "200 UntilClose Complete");
    check_fields("", "hello", "200 UntilClose 'hello' Complete");
    check_fields("Connection: close\r\n", "a\n", "200 UntilClose 'a\\n' Complete");
    check_fields("Connection: keep-alive\r\n", "a", "200 UntilClose 'a' Complete");
    check_fields("Upgrade: h2c\r\nConnection: upgrade\r\n", "a", "200 UntilClose 'a' Complete");
    let twice = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.0 200 OK\r\n\r\n";
    check(GET, twice, "200 UntilClose 'HTTP/1.0 200 OK\\r\\n\\r\\n' Complete");
    check(GET, "HTTP/1.1 301\r\n\r\n", "301 UntilClose Complete");
    check(GET, "HTTP/1.1 200 OK\nA: b\n\nBODY\n", "200 UntilClose 'BODY\\n' Complete");
}

#[test]
fn transfer_codings_that_do_not_end_in_chunked_last_until_close() {
    for codings in [
        "foo",
        "identity",
        "gzip",
        "chunked, gzip",
        "chunked, chunked",
        "chunkedchunked",
        "",
        ",",
        "chunked;a=b",
        "chunked\r\n  abc",
        "chunked\r\nTransfer-Encoding: identity",
        "chunked\r\ntransfer-encoding: chunked",
        "\"chunked\"",
        "chunked, gzip, chunked",
    ] {
        let fields = format!("Transfer-Encoding: {codings}\r\nContent-Length: 1\r\n");
        check_fields(&fields, "2\r\n", "200 UntilClose '2\\r\\n' Complete");
    }
}

#[test]
fn head_204_and_304_have_no_body_whatever_their_fields_say() {
    let then = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    for fields in
        ["", "Content-Length: 1234\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n"]
    {
        for status in [204, 304] {
            let answer = format!("HTTP/1.1 {status} X\r\n{fields}\r\n{OK}");
            check(GET, answer, &format!("{status} None reuse 200 Length 'ok' reuse Idle"));
        }
        let answer = format!("HTTP/1.1 200 OK\r\n{fields}\r\n{then}");
        check(HEAD, answer, "200 None reuse 200 None reuse Idle");
    }
    check(GET, format!("HTTP/1.1 204 X\r\nConnection: close\r\n\r\n{OK}"), "204 None close");
    check(GET, "HTTP/1.0 204 X\r\nConnection: keep-alive\r\n\r\n", "204 None reuse Idle");
    check(
        GET,
        format!("HTTP/1.1 205 X\r\nContent-Length: 1\r\n\r\na{OK}"),
        "205 Length 'a' reuse 200 Length 'ok' reuse Idle",
    );
}

#[test]
fn fields_in_doubt_end_the_connection_even_where_there_is_no_body() {
    for fields in [
        "Content-Length: x",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip",
        "Content-Length: 1, 2",
    ] {
        check(HEAD, format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n"), "200 None close");
        check(GET, format!("HTTP/1.1 304 X\r\n{fields}\r\n\r\n"), "304 None close");
    }
}

#[test]
fn the_declared_length_is_told_where_it_counts_or_would() {
    let declared = |request, fields: &str| {
        let raw = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        match Decoder::new().decode(raw.as_bytes(), request).unwrap() {
            (_, Event::Head(head)) => head.content_length,
            (_, event) => panic!("{event:?}"),
        }
    };
    assert_eq!(declared(GET, "Content-Length: 7"), Some(7));
    assert_eq!(declared(HEAD, "Content-Length: 7"), Some(7));
    assert_eq!(declared(HEAD, "Content-Length: x"), None);
    assert_eq!(declared(GET, "Content-Length: 7\r\nTransfer-Encoding: chunked"), None);
    assert_eq!(declared(GET, "X: y"), None);
}

#[test]
fn answers_in_one_read_come_in_order() {
    let three = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nAAA\
        HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nBBBB\
        HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    let expected = "200 Length 'AAA' reuse 201 Length 'BBBB' reuse 202 Length reuse Idle";
    check(GET, three, expected);
    check(GET, OK.repeat(3), &"200 Length 'ok' reuse ".repeat(3).add("Idle"));
    check(GET, format!("{OK}\r\n{OK}"), &"200 Length 'ok' reuse ".repeat(2).add("Idle"));
    check(GET, format!("{OK}HTTP/1.1 2"), "200 Length 'ok' reuse InsideHead");
    check(GET, format!("{OK}junk"), "200 Length 'ok' reuse !Version");
    check(GET, "", "Idle");
}

#[test]
fn an_end_needs_no_further_byte_and_an_error_is_told_again() {
    let mut decoder = Decoder::new();
    assert!(decoder.is_idle());
    assert_eq!(decoder.decode(b"HTTP", GET), Ok((0, Event::NeedMore)));
    assert!(!decoder.is_idle());
    let (consumed, _) = decoder.decode(&OK.as_bytes()[..OK.len() - 2], GET).unwrap();
    assert_eq!((consumed, decoder.discardable()), (OK.len() - 2, Some(2)));
    assert_eq!(decoder.decode(b"", GET), Ok((0, Event::NeedMore)));
    decoder.discarded(2);
    assert_eq!(decoder.discardable(), None);
    assert_eq!(decoder.decode(b"", GET), Ok((0, Event::End { reusable: true })));
    assert!(decoder.is_idle());
    assert_eq!(decoder.decode(b"x", GET), Err(FramingError::Version));
    assert_eq!(decoder.decode(OK.as_bytes(), GET), Err(FramingError::Version));
    assert_eq!(decoder.discardable(), None);
    decoder.restart();
    assert!(decoder.is_idle());
    assert!(matches!(decoder.decode(OK.as_bytes(), GET), Ok((_, Event::Head(_)))));
}

#[test]
#[should_panic(expected = "3 bytes discarded of 2 that may be")]
fn discarding_more_than_the_body_is_the_callers_mistake() {
    let mut decoder = Decoder::new();
    decoder.decode(OK.as_bytes(), GET).unwrap();
    decoder.discarded(3);
}
