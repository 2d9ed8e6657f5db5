//! Heads: what is accepted, what is refused, what is skipped, which connections live on.

use std::ops::Add;

use super::*;

/// An answer without body to a HEAD request, of which `head` is all.
#[track_caller]
fn check_head(head: impl AsRef<[u8]>, expected: &str) {
    check(HEAD, head, expected);
}

#[test]
fn status_lines_are_accepted_as_servers_write_them() {
    for line in ["HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 200", "HTTP/1.1 200  OK"] {
        check_head(format!("{line}\r\n\r\n"), "200 None reuse Idle");
        check_head(format!("{line}\n\n"), "200 None reuse Idle");
    }
    check_head("HTTP/1.1 500 Ori\u{eb}ntatieprobleem\r\n\r\n", "500 None reuse Idle");
    check_head("HTTP/1.1 200 tab\there\r\n\r\n", "200 None reuse Idle");
    check_head("\r\n\nHTTP/1.1 200 OK\r\n\r\n", "200 None reuse Idle");
}

#[test]
fn status_lines_that_are_not_of_http_1_are_refused() {
    for line in [
        "HTP/1.1 200 OK",
        "HTTPER/1.1 200 OK",
        "RTSP/1.1 200 OK",
        "ICE/1.1 200 OK",
        "http/1.1 200 OK",
        "HTTP/01.1 200 OK",
        "HTTP/11.1 200 OK",
        "HTTP/5.6 200 OK",
        "HTTP/0.9 200 OK",
        "HTTP/2 200 OK\r\n",
        "HTTP/1. 200 OK",
        "HTTP/1.2z 200 OK",
        "HTTP/1.01 200 OK",
        "HTTP/1.1\t200 OK",
        " HTTP/1.1 200 OK",
    ] {
        check_head(format!("{line}\r\n\r\n"), "!Version");
    }
    check_head("\rHTTP/1.1 200 OK\r\n\r\n", "!LineEnd");
    for rest in ["", " OK", " 2 OK", " 20", "  200 OK", " 2000 OK", " 200X", " 200X OK", " -20 OK"]
    {
        check_head(format!("HTTP/1.1 {rest}\r\n\r\n"), "!StatusLine");
    }
    for rest in ["200 O\0K", "200 OK\rX", "200 OK\r\r\n", "200\rX", "200 \u{7f}"] {
        check_head(format!("HTTP/1.1 {rest}\r\n\r\n"), "!StatusLine");
    }
}

#[test]
fn a_status_is_taken_by_its_class_from_100_to_599() {
    for status in [200, 201, 205, 299, 300, 304, 400, 418, 499, 500, 599] {
        let expected = format!("{status} None reuse Idle");
        check_head(format!("HTTP/1.1 {status} X\r\n\r\n"), &expected);
    }
    check_head("HTTP/1.1 600 X\r\n\r\n", "!Status(600)");
    check_head("HTTP/1.1 999 X\r\n\r\n", "!Status(999)");
    check_head("HTTP/1.1 099 X\r\n\r\n", "!Status(99)");
    check_head("HTTP/1.1 000 X\r\n\r\n", "!Status(0)");
}

#[test]
fn fields_are_accepted_or_refused_by_their_grammar() {
    let accepted = [
        "A: b",
        "A:b",
        "A:",
        "A: \r\nB: c",
        "A: \t b\t \t",
        "X-$PrototypeBI-Version: 1.6.0.3",
        "DCLK_imp: v7;x;0-0;~okv=;dcmt=text/xml;;~cs=o",
        ".et-Cookie: a",
        "|~: 1",
        "A: caf\u{e9}",
        "A: 1\nB: 2",
        "A: folded\r\n over\r\n\tlines",
        "A:\r\n b",
    ];
    for field in accepted {
        check_head(format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n"), "200 None reuse Idle");
    }
    let names = ["A : b", " A: b", "\tA: b", ": b", "A b: c", "A", "{: 1", "A\0: b", "A\u{e9}: b"];
    for field in names {
        check_head(format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n"), "!FieldName");
    }
    for field in ["A: b\0", "A: b\rc", "A: b\r\r\n", "A: \u{1b}", "A: \u{7f}", "A: 1\rB: 2"] {
        check_head(format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n"), "!FieldValue");
    }
    check_head("HTTP/1.1 200 OK\r\nA: b\r\n\rX", "!LineEnd");
}

#[test]
fn a_head_too_large_is_an_error_of_its_own() {
    let head = |fill: usize| format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "a".repeat(fill));
    let room = head::HEAD_LIMIT - head(0).len();
    for pieces in [1, 7, 4096, 1 << 20] {
        let said = |text: &str| read(HEAD, text.as_bytes().chunks(pieces.max(512))).finish();
        assert_eq!(said(&head(room)), "200 None reuse Idle");
        assert_eq!(said(&head(room + 1)), "!HeadTooLarge");
        assert_eq!(said(&head(room * 3)), "!HeadTooLarge");
    }
    let many = |fields: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(fields));
    assert_eq!(read(HEAD, [many(256).as_bytes()]).finish(), "200 None reuse Idle");
    assert_eq!(read(HEAD, [many(257).as_bytes()]).finish(), "!TooManyFields");
}

#[test]
fn interim_answers_are_skipped() {
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let interim = "HTTP/1.1 100 Continue\r\n\r\n";
    check(GET, format!("{interim}{last}"), "200 Length 'ok' reuse Idle");
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(3);
    check(
        GET,
        format!("{hints}{last}{interim}{last}"),
        &"200 Length 'ok' reuse ".repeat(2).add("Idle"),
    );
    let framed = "HTTP/1.1 199 X\r\nContent-Length: 5\r\nConnection: close\r\n\r\n";
    check(GET, format!("{framed}{last}"), "200 Length 'ok' reuse Idle");
    check(GET, interim, "InsideHead");
    let storm = interim.repeat(10_000) + last;
    assert_eq!(read(GET, storm.as_bytes().chunks(1000)).finish(), "200 Length 'ok' reuse Idle");
}

#[test]
fn switching_protocols_is_an_error() {
    let upgrade = "Connection: upgrade\r\nUpgrade: h2c\r\n";
    check(GET, format!("HTTP/1.1 101 X\r\n{upgrade}\r\nproto"), "!SwitchingProtocols");
    let length = "Content-Length: 4\r\n\r\nbody";
    check(GET, format!("HTTP/1.1 200 OK\r\n{upgrade}{length}"), "200 Length 'body' reuse Idle");
}

/// Whether a connection lives on after an answer of `version` with these fields.
#[track_caller]
fn check_reuse(request: RequestKind, version: &str, fields: &str, expected: &str) {
    let head = format!("HTTP/{version} 200 OK\r\nContent-Length: 0\r\n{fields}\r\n");
    let end = if expected == "reuse" { "reuse Idle" } else { expected };
    check(request, head, &format!("200 Length {end}"));
}

#[test]
fn the_connection_lives_on_by_version_and_words() {
    check_reuse(GET, "1.1", "", "reuse");
    check_reuse(GET, "1.1", "Connection: close\r\n", "close");
    check_reuse(GET, "1.1", "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n", "reuse");
    check_reuse(GET, "1.1", "connection:CLOSE\r\n", "close");
    check_reuse(GET, "1.1", "Connection: a, ,Close ,b\r\n", "close");
    check_reuse(GET, "1.1", "Connection: a\r\nX: y\r\nCONNECTION: close\r\n", "close");
    check_reuse(GET, "1.1", "Connection: a,\r\n\tclose\r\n", "close");
    check_reuse(GET, "1.1", "Connection: closed, not-close\r\n", "reuse");
    check_reuse(GET, "1.1", "Connection: \"close\"\r\n", "reuse");
    check_reuse(GET, "1.1", "Connection: keep-alive, close\r\n", "close");
    check_reuse(GET, "1.1", "Proxy-Connection: close\r\n_onnection: close\r\n", "reuse");
    check_reuse(GET, "1.0", "", "close");
    check_reuse(GET, "1.0", "Connection: Keep-Alive\r\n", "reuse");
    check_reuse(GET, "1.0", "Connection: keep-alive, close\r\n", "close");
}

#[test]
fn the_request_has_its_say_in_whether_the_connection_lives_on() {
    check_reuse(GET_CLOSE, "1.1", "Connection: keep-alive\r\n", "close");
    check_reuse(GET_10, "1.1", "", "close");
    check_reuse(GET_10, "1.1", "Connection: keep-alive\r\n", "reuse");
    check_reuse(GET_10, "1.0", "Connection: keep-alive\r\n", "reuse");
    check_reuse(GET_10, "1.0", "", "close");
    check_reuse(
        RequestKind { keep_alive: false, ..GET_10 },
        "1.0",
        "Connection: keep-alive\r\n",
        "close",
    );
}

#[test]
fn fields_are_found_by_name_in_the_order_received() {
    let raw =
        b"\r\nHTTP/1.1 200 OK\r\nServer: a: b \r\nx-empty:\nX-Fold: a\r\n  b\r\nserver: c\r\n\r\n";
    let (_, event) = Decoder::new().decode(raw, HEAD).unwrap();
    let Event::Head(head) = event else { panic!("{event:?}") };
    assert_eq!(head.field("SERVER"), Some(&b"a: b"[..]));
    assert_eq!(head.field("x-none"), None);
    let fields = head.fields().map(|(n, v)| [n, b"=", v].concat()).collect::<Vec<_>>();
    assert_eq!(fields, [&b"Server=a: b"[..], b"x-empty=", b"X-Fold=a\r\n  b", b"server=c"]);
    assert_eq!((head.version, head.keep_alive, head.raw), (Version::Http11, true, &raw[..]));
}
