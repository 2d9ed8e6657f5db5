//! Right and wrong answers, each judged in pieces and explained as a whole.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::http::framing::{Decoder, Event};
use crate::http::request::{RequestKind, Version};

const GET: RequestKind = RequestKind { is_head: false, version: Version::Http11, keep_alive: true };
const PLAIN: &str = "200 OK\r\nContent-Type: text/plain";

fn of_body(body: BodyExpectation) -> Expectation {
    Expectation { body, ..Expectation::default() }
}

fn bytes(body: &str) -> Expectation {
    of_body(BodyExpectation::Bytes(body.into()))
}

fn header(name: &str, value: &str) -> Expectation {
    Expectation { headers: vec![(name.into(), value.into())], ..Expectation::default() }
}

fn with_head<T>(head: &str, judge: impl FnOnce(&Head<'_>) -> T) -> T {
    let raw = format!("HTTP/1.1 {head}\r\n\r\n");
    match Decoder::new().decode(raw.as_bytes(), GET).unwrap() {
        (_, Event::Head(head)) => judge(&head),
        (_, event) => panic!("{event:?}"),
    }
}

fn judge(expectation: &Expectation, depth: Depth, head: &str, pieces: &[&[u8]]) -> Option<Wrong> {
    let mut judge = Judge::new(expectation, depth);
    with_head(head, |head| judge.head(head));
    for piece in pieces {
        judge.body(piece);
    }
    judge.end().err()
}

/// Judges whole, byte by byte and cut at every place; then compares the explanation, empty for an
/// answer that is right.
#[track_caller]
fn check(expectation: &Expectation, head: &str, body: &str, expected: &str) {
    let body = body.as_bytes();
    let mismatch = with_head(head, |head| explain(expectation, head, body));
    let wrong = mismatch.as_ref().map(|mismatch| mismatch.wrong);
    let single = body.chunks(1).collect::<Vec<_>>();
    assert_eq!(judge(expectation, Depth::Content, head, &single), wrong, "byte by byte");
    for at in 0..=body.len() {
        let (first, second) = body.split_at(at);
        assert_eq!(judge(expectation, Depth::Content, head, &[first, second]), wrong, "at {at}");
    }
    let shallow = wrong.filter(|&wrong| wrong != Wrong::Body);
    assert_eq!(judge(expectation, Depth::Length, head, &[body]), shallow, "by length only");
    assert_eq!(mismatch.map(|m| m.to_string()).unwrap_or_default(), expected);
}

#[test]
fn a_status_is_right_as_declared_or_in_the_200s() {
    let any = Expectation::default();
    check(&any, "200 OK", "x", "");
    check(&any, "299 X", "", "");
    check(&any, "404 Not Found", "", "404 where any 2xx was expected");
    check(&any, "302 Found", "", "302 where any 2xx was expected");
    let not_found = Expectation { status: StatusExpectation::Exactly(404), ..any };
    check(&not_found, "404 X", "", "");
    check(&not_found, "200 X", "", "200 where 404 was expected");
}

#[test]
fn bytes_are_right_to_the_last_one() {
    check(&bytes("hello world"), PLAIN, "hello world", "");
    check(&bytes(""), PLAIN, "", "");
    check(&bytes("hello world"), PLAIN, "hello world\n", "12 bytes where 11 were expected");
    check(&bytes("hello world"), PLAIN, "", "0 bytes where 11 were expected");
    check(&bytes("x"), PLAIN, "hello", "5 bytes where 1 was expected");
    check(&bytes(""), PLAIN, "x", "1 byte where 0 were expected");
    let text = "`World` from byte 6 on where `world` was expected";
    check(&bytes("hello world"), PLAIN, "hello World", text);
    let text = r"`\u{1b}[0m` from byte 0 on where `abcd` was expected";
    check(&bytes("abcd"), PLAIN, "\u{1b}[0m", text);
}

#[test]
fn what_must_be_contained_may_stand_anywhere() {
    let contains = |needle: &str| of_body(BodyExpectation::Contains(needle.into()));
    check(&contains("aab"), PLAIN, "aaaab", "");
    check(&contains("abab"), PLAIN, "aababac abab", "");
    check(&contains(""), PLAIN, "", "");
    check(&contains("aab"), PLAIN, "aaaa", "4 bytes without `aab` in them");
    check(&contains("a"), PLAIN, "", "0 bytes without `a` in them");
}

#[test]
fn json_is_compared_as_values() {
    let right = of_body(BodyExpectation::Json(json!({"a": [1, {"b/c": 2.0}], "d": null})));
    check(&right, PLAIN, r#"{"a":[1,{"b/c":2.0}],"d":null}"#, "");
    check(&right, PLAIN, r#" { "d" : null, "a": [1.0, {"b\/c": 2}] } "#, "");
    let text = "JSON `3` at `/a/1/b~1c` where `2.0` was expected";
    check(&right, PLAIN, r#"{"a":[1,{"b/c":3}],"d":null}"#, text);
    let text = "JSON `nothing` at `/d` where `null` was expected";
    check(&right, PLAIN, r#"{"a":[1,{"b/c":2}],"e":null}"#, text);
    let text = "JSON `[]` where `{\"a\":[1,{\"b/c\":2.0}],\"d\":null}` was expected";
    check(&right, PLAIN, "[]", text);
    let whole = of_body(BodyExpectation::Json(json!(9_007_199_254_740_993_u64)));
    let text = "JSON `9007199254740992` where `9007199254740993` was expected";
    check(&whole, PLAIN, "9007199254740992", text);
    let text = "`{` where JSON was expected: EOF while parsing an object at line 1 column 1";
    check(&right, PLAIN, "{", text);
}

#[test]
fn a_body_too_long_to_be_read_as_json_is_wrong() {
    let right = of_body(BodyExpectation::Json(json!(1)));
    let mut body = vec![b' '; JSON_LIMIT];
    body[0] = b'1';
    assert_eq!(judge(&right, Depth::Content, PLAIN, &[&body]), None);
    let judged = judge(&right, Depth::Content, PLAIN, &[&body, b" ", b" "]);
    assert_eq!(judged, Some(Wrong::Body));
}

#[test]
fn lengths_and_digests_are_compared() {
    check(&of_body(BodyExpectation::Length(5)), PLAIN, "hello", "");
    let text = "4 bytes where 5 were expected";
    check(&of_body(BodyExpectation::Length(5)), PLAIN, "hell", text);
    let digest: [u8; 32] = Sha256::digest(b"hello").into();
    check(&of_body(BodyExpectation::Sha256(digest)), PLAIN, "hello", "");
    let mismatch = with_head(PLAIN, |head| {
        explain(&of_body(BodyExpectation::Sha256(digest)), head, b"").unwrap().to_string()
    });
    assert!(mismatch.starts_with("sha256 e3b0c44298fc1c14"), "{mismatch}");
    assert!(mismatch.contains("27ae41e4649b934ca495991b7852b855 where 2cf24dba5fb0a30e"));
}

#[test]
fn declared_headers_must_be_there_with_their_value() {
    check(&header("content-type", "text/plain"), PLAIN, "", "");
    check(&header("Content-Type", " text/plain "), PLAIN, "", "");
    check(&header("vary", "b"), "200 OK\r\nVary: a\r\nvary:b ", "", "");
    let text = "`content-type: text/plain` where `text/html` was expected";
    check(&header("content-type", "text/html"), PLAIN, "", text);
    let text = "no header `etag` where `x` was expected";
    check(&header("etag", "x"), PLAIN, "", text);
}

#[test]
fn the_first_reason_is_status_then_header_then_length_then_body() {
    let mut all = bytes("hello");
    all.headers.push(("a".into(), "b".into()));
    check(&all, "404 X", "hell", "404 where any 2xx was expected");
    check(&all, "200 X", "hell", "no header `a` where `b` was expected");
    check(&all, "200 X\r\na: b", "hell", "4 bytes where 5 were expected");
    check(&all, "200 X\r\na: b", "hellx", "`x` from byte 4 on where `o` was expected");
    check(&all, "200 X\r\na: b", "hello", "");
}

#[test]
fn what_verification_saw_narrows_what_left_it_open() {
    let any = Expectation::default().pinned_to(b"hello");
    assert_eq!(any, bytes("hello"));
    let json = of_body(BodyExpectation::Json(json!(1))).pinned_to(b"1 ");
    check(&json, PLAIN, " 1", "");
    check(&json, PLAIN, "1", "1 byte where 2 were expected");
    let contains = of_body(BodyExpectation::Contains(b"a".to_vec()));
    assert_eq!(contains.clone().pinned_to(b"ab"), contains);
    assert_eq!(bytes("hello").pinned_to(b"other"), bytes("hello"));
}

#[test]
fn content_is_needed_only_where_it_can_change_the_judgement() {
    let right = bytes("hello");
    let mut shallow = Judge::new(&right, Depth::Length);
    assert!(!shallow.needs_content());
    shallow.skipped(4);
    shallow.body(b"o");
    assert_eq!((shallow.received(), shallow.end()), (5, Ok(())));
    let mut judge = Judge::new(&right, Depth::Content);
    assert!(judge.needs_content());
    with_head("404 X", |head| judge.head(head));
    assert!(!judge.needs_content());
    assert!(!Judge::new(&Expectation::default(), Depth::Content).needs_content());
}

#[test]
#[should_panic(expected = "5 bytes skipped that were to be compared")]
fn skipping_what_must_be_compared_is_the_callers_mistake() {
    Judge::new(&bytes("hello"), Depth::Content).skipped(5);
}

fn body_expectation() -> impl Strategy<Value = BodyExpectation> {
    prop_oneof![
        Just(BodyExpectation::Any),
        "[ab1]{0,3}".prop_map(|text| BodyExpectation::Bytes(text.into())),
        "[ab1]{0,3}".prop_map(|text| BodyExpectation::Contains(text.into())),
        (0_u64..4).prop_map(BodyExpectation::Length),
        (0..12).prop_map(|n| BodyExpectation::Json(json!(n))),
        "[ab1]{0,2}".prop_map(|text| BodyExpectation::Sha256(Sha256::digest(text).into())),
    ]
}

proptest! {
    #[test]
    fn a_judgement_does_not_depend_on_the_pieces(
        body in body_expectation(), pieces in vec("[ab1]{0,3}", 0..4),
    ) {
        let expectation = of_body(body);
        let whole = pieces.concat();
        let pieces = pieces.iter().map(String::as_bytes).collect::<Vec<_>>();
        let in_pieces = judge(&expectation, Depth::Content, PLAIN, &pieces);
        let at_once = with_head(PLAIN, |head| explain(&expectation, head, whole.as_bytes()));
        prop_assert_eq!(in_pieces, at_once.map(|mismatch| mismatch.wrong));
        let pinned = expectation.pinned_to(whole.as_bytes());
        prop_assert_eq!(judge(&pinned, Depth::Content, PLAIN, &pieces), in_pieces);
    }
}
