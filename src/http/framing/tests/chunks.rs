//! Bodies in chunks: sizes, extensions, line ends, trailers.

use super::*;

#[track_caller]
fn check_chunks(body: impl AsRef<str>, expected: &str) {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    check(GET, format!("{head}{}", body.as_ref()), &format!("200 Chunked {expected}"));
}

#[test]
fn chunks_are_joined_and_the_empty_one_ends_them() {
    check_chunks("b\r\nhello world\r\n0\r\n\r\n", "'hello world' reuse Idle");
    check_chunks("6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n", "'hello world' reuse Idle");
    check_chunks("0\r\n\r\n", "reuse Idle");
    check_chunks("1\r\n\n\r\n0\r\n\r\n", "'\\n' reuse Idle");
    let next = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    check_chunks(format!("2\r\nOK\r\n0\r\n\r\n{next}"), "'OK' reuse 200 Length 'ok' reuse Idle");
}

#[test]
fn sizes_are_hexadecimal_of_any_case_with_any_zeros() {
    for size in ["a", "A", "0a", "0000000000000000000000A"] {
        check_chunks(format!("{size}\r\n0123456789\r\n0\r\n\r\n"), "'0123456789' reuse Idle");
    }
    for last in ["0", "000", "00000000000000000000000", "0;x", "0 \t"] {
        check_chunks(format!("{last}\r\n\r\n"), "reuse Idle");
    }
    check_chunks("7fffffffffffffff\r\nabc", "'abc' InsideBody");
}

#[test]
fn sizes_that_are_none_or_too_large_are_refused() {
    for size in [
        "",
        "z",
        "1x",
        "g1",
        "0x1",
        "-1",
        "+1",
        " 1",
        "1 1",
        "1 x",
        "\u{661}",
        ";a",
        "1,",
        "1\r",
        "1;a\rb",
        "1;a\0b",
        "1;a\u{7f}",
        "8000000000000000",
        "ffffffffffffffff",
        "fffffffffffffffff",
        "10000000000000000",
        "00000000000000000008000000000000000",
    ] {
        check_chunks(format!("{size}\r\na\r\n0\r\n\r\n"), "!ChunkSize");
        check_chunks(format!("2\r\nok\r\n{size}\r\na\r\n0\r\n\r\n"), "'ok' !ChunkSize");
    }
}

#[test]
fn extensions_and_white_space_after_a_size_are_skipped() {
    for extension in [
        ";comment=hi",
        " ; comment",
        "\t;\ta\t=\tb",
        ";",
        ";a;b;c=d",
        ";a=\"I love; extensions\"",
        ";a=\"\\\"\";b",
        ";unbalanced=\"",
        "  ",
        ";\u{e9}",
        ";a=f00d",
    ] {
        check_chunks(format!("2{extension}\r\nok\r\n0{extension}\r\n\r\n"), "'ok' reuse Idle");
    }
}

#[test]
fn a_line_before_a_chunk_has_a_limit() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let line = |fill: usize| format!("{head}2;{}\r\nok\r\n0\r\n\r\n", "a".repeat(fill));
    let room = chunked::CHUNK_LINE_LIMIT - "2;\r\n".len();
    for piece in [100, 1 << 20] {
        let said = |text: String| read(GET, text.as_bytes().chunks(piece)).finish();
        assert_eq!(said(line(room)), "200 Chunked 'ok' reuse Idle");
        assert_eq!(said(line(room + 1)), "200 Chunked !ChunkLineTooLong");
        assert_eq!(said(line(room * 2)), "200 Chunked !ChunkLineTooLong");
    }
}

#[test]
fn the_lines_of_chunks_end_in_both_bytes() {
    check_chunks("2\nok\r\n0\r\n\r\n", "!ChunkSize");
    check_chunks("2\rXok\r\n0\r\n\r\n", "!ChunkSize");
    check_chunks("2\r\nok\n0\r\n\r\n", "'ok' !ChunkEnd");
    check_chunks("2\r\nok\rX0\r\n\r\n", "'ok' !ChunkEnd");
    check_chunks("2\r\nokay\r\n0\r\n\r\n", "'ok' !ChunkEnd");
    check_chunks("2\r\nok0\r\n\r\n", "'ok' !ChunkEnd");
    check_chunks("3\r\nok\r\n0\r\n\r\n", "'ok\\r' !ChunkEnd");
    check_chunks("0\n\r\n", "!ChunkSize");
}

#[test]
fn trailers_are_dropped() {
    for trailer in ["a: b\r\n", "a: b\r\nc: d\r\n", "a:\r\n", "Content-Length: 7\r\n", "a: b\n"] {
        check_chunks(format!("2\r\nok\r\n0\r\n{trailer}\r\n"), "'ok' reuse Idle");
    }
    check_chunks("0\r\na: b\nc: d\n\n", "reuse Idle");
    check_chunks("0\r\n\n", "reuse Idle");
    for trailer in ["a b\r\n", ": b\r\n", "a: \0\r\n", "a: b\r\n c\r\n", "\rX"] {
        check_chunks(format!("2\r\nok\r\n0\r\n{trailer}\r\n"), "'ok' !Trailer");
    }
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    for trailers in ["a: b\r\n".repeat(65), format!("a: {}\r\n", "b".repeat(1 << 16))] {
        let text = format!("{head}{trailers}\r\n");
        assert_eq!(read(GET, [text.as_bytes()]).finish(), "200 Chunked !TrailerTooLarge");
    }
}

#[test]
fn chunked_wins_over_a_length_and_what_is_in_doubt_is_not_reused() {
    let body = "2\r\nok\r\n0\r\n\r\n";
    let check = |version: &str, fields: &str, end: &str| {
        let answer = format!("HTTP/{version} 200 OK\r\n{fields}\r\n{body}");
        super::check(GET, answer, &format!("200 Chunked 'ok' {end}"));
    };
    check("1.1", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "close");
    check("1.1", "Content-Length: x\r\nTransfer-Encoding: chunked\r\n", "close");
    check("1.0", "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n", "close");
    check("1.1", "Transfer-Encoding: Chunked\r\nConnection: close\r\n", "close");
    for codings in ["CHUNKED", "gzip, chunked", ",chunked,", "gzip\r\nTRANSFER-ENCODING:chunked"] {
        check("1.1", &format!("Transfer-Encoding: {codings}\r\n"), "reuse Idle");
    }
}

#[test]
fn only_the_data_of_a_chunk_may_be_discarded() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut decoder = Decoder::new();
    assert!(matches!(decoder.decode(head, GET), Ok((_, Event::Head(_)))));
    assert_eq!(decoder.discardable(), None);
    decoder.discarded(0);
    assert_eq!(decoder.decode(b"a\r\n", GET), Ok((3, Event::Skipped)));
    assert_eq!(decoder.discardable(), Some(10));
    decoder.discarded(4);
    assert_eq!(decoder.decode(b"45", GET), Ok((2, Event::Body(b"45"))));
    assert_eq!(decoder.discardable(), Some(4));
    decoder.discarded(4);
    assert_eq!(decoder.discardable(), None);
    assert_eq!(decoder.decode(b"\r\n0\r\n\r", GET), Ok((5, Event::Skipped)));
    assert_eq!(decoder.decode(b"\r\n", GET), Ok((2, Event::End { reusable: true })));
}
