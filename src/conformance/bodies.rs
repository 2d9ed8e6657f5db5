//! What stands in the contract about `json`: bodies in pieces, bodies that are asked for, bodies that are wrong or large.

use std::time::Duration;

use serde_json::json;

use super::asker::{Asker, Fault, Line, pause, words};
use super::check::{Check, Claim};
use super::question::{Manner, Question, shown};
use crate::generator::probe::ProbeError;
use crate::http::expect::{BodyExpectation, Expectation, StatusExpectation};
use crate::matrix::{Does, Target};

const NEEDS: &[Claim] = &[Claim::Contract];
const CONTINUES: &[Claim] = &[Claim::Contract, Claim::Http11, Claim::Does(Does::Expectations)];

/// Between two pieces of a body.
const PAUSE: Duration = Duration::from_millis(20);
const PIECES: usize = 5;
/// How long the word to go on is waited for.
const CONTINUES_WITHIN: Duration = Duration::from_secs(1);
/// A body that must be taken, in bytes.
const LARGE: usize = 1 << 20;
const MALFORMED: [&[u8]; 4] = [b"{\"n\": ", b"{\"n\": 1}}", b"not JSON at all", b"{\"n\": 01}"];
const WITHOUT_N: [&[u8]; 4] = [b"{\"m\": 1}", b"{\"n\": \"1\"}", b"[1, 2]", b"null"];

pub(super) fn checks<'q>(target: &Target, questions: &'q [Question]) -> Vec<Check<'q>> {
    let question = questions.iter().find(|question| question.is_of_contract_as("json"));
    // Who knowingly answers otherwise is not held to the contract's answer.
    let is_own = target.expect.contains_key("json");
    let question = question.filter(|_| !is_own);
    let Some(question) = question else { return Vec::new() };
    vec![
        Check::new("a body in pieces, apart from its head", NEEDS, |asker| {
            in_pieces(asker, question)
        }),
        Check::new("`Expect: 100-continue`", CONTINUES, |asker| continued(asker, question))
            .or_declare(Claim::Does(Does::Expectations)),
        Check::new("malformed JSON is 400", NEEDS, |asker| {
            all_refused(asker, question, &MALFORMED)
        }),
        Check::new("JSON without a number n is 400", NEEDS, |asker| {
            all_refused(asker, question, &WITHOUT_N)
        }),
        Check::new("a body of 1 MiB is taken", NEEDS, |asker| large(asker, question)),
    ]
}

fn in_pieces(asker: &Asker<'_>, question: &Question) -> Result<(), Fault> {
    let request = asker.request(question, Manner::Kept).in_a_way("with its body in pieces");
    let mut line = asker.connect(&request.shown)?;
    let (head, body) = request.bytes.split_at(request.head_length());
    line.send(head);
    for piece in body.chunks(body.len().div_ceil(PIECES).max(1)) {
        pause(PAUSE);
        line.send(piece);
    }
    line.answer(&request).map(|_| ())
}

/// 100 and then the answer, or at once an answer that does not want the body.
fn continued(asker: &Asker<'_>, question: &Question) -> Result<(), Fault> {
    let asks = question.clone().with("Expect", "100-continue");
    let request = asker.request(&asks, Manner::Kept).in_a_way("with `Expect: 100-continue`");
    let mut line = asker.connect(&request.shown)?;
    let (head, body) = request.bytes.split_at(request.head_length());
    line.send(head);
    let first = line.first_bytes("HTTP/1.1 100".len(), CONTINUES_WITHIN);
    if first.is_empty() {
        let what = "neither 100 nor an answer within 1 s";
        return Err(Fault::new(&request.shown, what));
    }
    if first.ends_with(b" 100") {
        line.send(body);
        return line.answer(&request).map(|_| ());
    }
    let answer = line.any_answer(&request)?;
    if answer.status == 417 {
        return Ok(());
    }
    let what = format!("{} where 100 or 417 was expected", answer.status);
    Err(Fault::new(&request.shown, what))
}

fn all_refused(asker: &Asker<'_>, question: &Question, bodies: &[&[u8]]) -> Result<(), Fault> {
    bodies.iter().try_for_each(|body| {
        let request = asker.request(&question.by("POST", body).refused(400), Manner::Kept);
        let request = request.in_a_way(&format!("with the body {}", shown(body)));
        let mut line = asker.connect(&request.shown)?;
        line.ask(&request).map(|_| ())
    })
}

fn large(asker: &Asker<'_>, question: &Question) -> Result<(), Fault> {
    let filler = "x".repeat(LARGE - br#"{"n":41,"filler":""}"#.len());
    let body = json!({"n": 41, "filler": filler}).to_string();
    assert_eq!(body.len(), LARGE, "the body is as large as is said");
    let right = Expectation {
        status: StatusExpectation::Exactly(200),
        body: BodyExpectation::Json(json!({"n": 42, "filler": filler})),
        ..Expectation::default()
    };
    let asks = question.by("POST", body.as_bytes()).expecting(right);
    let request = asker.request(&asks, Manner::Kept).in_a_way("with a body of 1 MiB");
    let mut line = asker.connect(&request.shown)?;
    line.send(&request.bytes);
    match line.answer_or_end(&request) {
        Err(error @ ProbeError::Timeout(_)) => Err(Fault::new(&request.shown, words(&error))),
        Err(error) => {
            Err(Fault::new(&request.shown, format!("it was not taken: {}", words(&error))))
        }
        Ok(answer) => Line::judge(&request, answer).map(|_| ()),
    }
}
