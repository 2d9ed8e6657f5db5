//! What becomes of connections: kept, closed, pipelined, fed in pieces, and fed with what is no HTTP.

use std::time::Duration;

use super::asker::{Asker, Fault, pause, says, words};
use super::check::{Check, Claim, Claims};
use super::question::{Manner, Question, Request, shown};
use crate::generator::probe::ProbeError;
use crate::http::request::{RequestKind, Version};
use crate::matrix::{Does, Target};

const KEPT: &[Claim] = &[Claim::Does(Does::KeepAlive), Claim::Http11];
const PIECES: &[Claim] = &[Claim::Does(Does::Pieces)];

/// Requests on one connection, and in one write.
const IN_A_ROW: usize = 10;
const AT_ONCE: usize = 5;
/// A request byte by byte takes no longer.
const DRIP: Duration = Duration::from_millis(800);
/// Between two pieces of a request.
const PAUSE: Duration = Duration::from_millis(30);
/// Beyond any bound that a server should have for heads.
const ENDLESS: usize = 2 << 20;
const GARBAGE: &[u8] = b"this is not HTTP\r\n\r\n";

pub(super) fn checks<'q>(claims: Claims<'_>, questions: &'q [Question]) -> Vec<Check<'q>> {
    let first = plain(questions);
    let mut checks = vec![version(claims.target, first)];
    checks.extend(kept(claims, first, questions));
    checks.extend(closed(claims, first));
    checks.extend(in_pieces(first));
    checks.extend(refused(first));
    checks
}

/// The request that connections are tried with: the first without a body, if there is one.
pub(super) fn plain(questions: &[Question]) -> &Question {
    questions.iter().find(|question| question.body.is_empty()).unwrap_or(&questions[0])
}

fn version<'q>(target: &Target, first: &'q Question) -> Check<'q> {
    if target.serves.http_1_1 {
        return Check::new("answers in HTTP/1.1", &[], |asker| {
            let (_, request, answer) = asker.ask(first, Manner::Kept)?;
            must_be_in(&request, answer.version, Version::Http11)
        })
        .or_declare(Claim::Http11);
    }
    Check::new("answers in HTTP/1.0, and closes", &[], |asker| {
        let (mut line, request, answer) = asker.ask(first, Manner::Kept)?;
        must_be_in(&request, answer.version, Version::Http10)?;
        line.must_close(&request)
    })
}

fn must_be_in(request: &Request, is: Version, right: Version) -> Result<(), Fault> {
    let word = |version| if version == Version::Http10 { "HTTP/1.0" } else { "HTTP/1.1" };
    if is == right {
        return Ok(());
    }
    let what = format!("an answer in {} where {} was expected", word(is), word(right));
    Err(Fault::new(&request.shown, what))
}

fn kept<'q>(claims: Claims<'_>, first: &'q Question, all: &'q [Question]) -> [Check<'q>; 3] {
    let with_404 = claims.hold(Claim::Contract);
    [
        Check::new(format!("{IN_A_ROW} requests on one connection"), KEPT, |asker| {
            let (mut line, request, _) = asker.ask(first, Manner::Kept)?;
            (2..=IN_A_ROW).try_for_each(|number| {
                let way = format!("as number {number} on one connection");
                line.ask(&request.clone().in_a_way(&way)).map(|_| ())
            })
        })
        .or_declare(Claim::Does(Does::KeepAlive)),
        Check::new("a connection is kept", KEPT, |asker| {
            let (mut line, request, _) = asker.ask(first, Manner::Kept)?;
            line.must_stay(&request)?;
            line.ask(&request.in_a_way("after a pause")).map(|_| ())
        })
        .or_declare(Claim::Does(Does::KeepAlive)),
        Check::new(format!("{AT_ONCE} requests in one write"), KEPT, move |asker| {
            pipelined(asker, all, with_404)
        }),
    ]
}

/// Each of the workloads; by the contract between them a path that is not there, so that answers out of order are seen.
fn pipelined(asker: &Asker<'_>, questions: &[Question], with_404: bool) -> Result<(), Fault> {
    let mut elsewhere = plain(questions).at("/no-such-path").by("GET", b"");
    if with_404 {
        let alone = asker.request(&elsewhere, Manner::Kept);
        let answer = asker.connect(&alone.shown)?.ask_anything(&alone)?;
        // Whether it is the right one is another check's business.
        elsewhere = elsewhere.refused(answer.status);
    }
    let between = with_404.then_some(&elsewhere);
    let cycle: Vec<&Question> =
        questions.iter().flat_map(|question| [Some(question), between]).flatten().collect();
    let requests: Vec<Request> = (1..)
        .zip(cycle.into_iter().cycle().take(AT_ONCE))
        .map(|(number, question)| {
            let way = format!("as number {number} of {AT_ONCE} in one write");
            asker.request(question, Manner::Kept).in_a_way(&way)
        })
        .collect();
    let mut line = asker.connect(&requests[0].shown)?;
    let bytes: Vec<u8> = requests.iter().flat_map(|request| request.bytes.clone()).collect();
    line.send(&bytes);
    requests.iter().try_for_each(|request| line.answer(request).map(|_| ()))
}

fn closed<'q>(claims: Claims<'_>, first: &'q Question) -> [Check<'q>; 3] {
    // HTTP only wants that it is said (RFC 9112, 9.6: should), the contract demands it.
    let must_say = claims.hold(Claim::Contract);
    // HTTP itself leaves a server free to close.
    let needs_kept = &[
        Claim::Contract,
        Claim::Does(Does::Parses),
        Claim::Does(Does::KeepAlive),
        Claim::Http11,
        Claim::Does(Does::OldKeepAlive),
    ];
    [
        Check::new(
            "`Connection: close`",
            &[Claim::Does(Does::Parses), Claim::Http11],
            move |asker| {
                let (mut line, request, answer) = asker.ask(first, Manner::Closing)?;
                if must_say && !says(&answer, "connection", "close") {
                    let what = "no `Connection: close` in the answer";
                    return Err(Fault::new(&request.shown, what));
                }
                line.must_close(&request)
            },
        ),
        Check::new("HTTP/1.0 closes", &[Claim::Does(Does::Parses)], |asker| {
            let (mut line, request, _) = asker.ask(first, Manner::Old)?;
            line.must_close(&request)
        }),
        Check::new("HTTP/1.0 with keep-alive", needs_kept, |asker| {
            let (mut line, request, answer) = asker.ask(first, Manner::OldKept)?;
            if !says(&answer, "connection", "keep-alive") {
                let what = "no `Connection: keep-alive` in the answer";
                return Err(Fault::new(&request.shown, what));
            }
            line.must_stay(&request)?;
            line.ask(&request.in_a_way("again on one connection")).map(|_| ())
        })
        .or_declare(Claim::Does(Does::OldKeepAlive)),
    ]
}

fn in_pieces(first: &Question) -> [Check<'_>; 2] {
    [
        Check::new("a request byte by byte", PIECES, |asker| {
            let request = asker.request(first, Manner::Kept).in_a_way("byte by byte");
            let mut line = asker.connect(&request.shown)?;
            let count = u32::try_from(request.bytes.len()).unwrap_or(u32::MAX);
            for byte in &request.bytes {
                line.send(&[*byte]);
                pause((DRIP / count).min(Duration::from_millis(2)));
            }
            line.answer(&request).map(|_| ())
        })
        .or_declare(Claim::Does(Does::Pieces)),
        Check::new("a head cut inside its end", PIECES, |asker| {
            (1..4).try_for_each(|left| {
                let way = format!("cut {left} before the end of its head");
                let request = asker.request(first, Manner::Kept).in_a_way(&way);
                let mut line = asker.connect(&request.shown)?;
                let (one, other) = request.bytes.split_at(request.head_length() - left);
                line.send(one);
                pause(PAUSE);
                line.send(other);
                line.answer(&request).map(|_| ())
            })
        })
        .or_declare(Claim::Does(Does::Pieces)),
    ]
}

fn refused(first: &Question) -> [Check<'_>; 2] {
    [
        Check::new(
            "what is not HTTP is 400",
            &[Claim::Does(Does::Parses), Claim::Does(Does::Refusals)],
            |asker| {
                let request = by_hand(first, GARBAGE.to_vec());
                let mut line = asker.connect(&request.shown)?;
                line.ask(&request)?;
                line.must_close(&request)?;
                drop(line);
                asker.still_answers(first, &request.shown)
            },
        )
        .or_declare(Claim::Does(Does::Refusals)),
        Check::new(
            "an endless head is refused",
            &[Claim::Does(Does::Parses), Claim::Does(Does::Bounds)],
            |asker| endless(asker, first),
        )
        .or_declare(Claim::Does(Does::Bounds)),
    ]
}

/// Bytes that are no request, to which 400 is right.
fn by_hand(first: &Question, bytes: Vec<u8>) -> Request {
    let kind = RequestKind { is_head: false, version: Version::Http11, keep_alive: false };
    let right = first.clone().refused(400).right;
    Request { shown: shown(&bytes), bytes, kind, right }
}

/// A client's error, or the end of the connection; and the next request is answered rightly.
fn endless(asker: &Asker<'_>, first: &Question) -> Result<(), Fault> {
    let field = "x".repeat(ENDLESS);
    let request = asker.request(&first.clone().with("X-Endless", &field), Manner::Kept);
    let request = request.in_a_way("with a head of 2 MiB");
    let mut line = asker.connect(&request.shown)?;
    line.send(&request.bytes);
    let what = match line.answer_or_end(&request) {
        Ok(answer) if (400..500).contains(&answer.status) => None,
        Ok(answer) => {
            Some(format!("{} where 431 or the end of the connection was expected", answer.status))
        }
        Err(error @ (ProbeError::Timeout(_) | ProbeError::Protocol(_))) => Some(words(&error)),
        Err(_) => None,
    };
    if let Some(what) = what {
        return Err(Fault::new(&request.shown, what));
    }
    drop(line);
    asker.still_answers(first, "a head of 2 MiB")
}
