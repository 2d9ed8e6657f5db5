//! What stands in the contract about paths and methods: 404, HEAD, queries, fields, types.

use super::asker::{Asker, Fault, field};
use super::check::{Check, Claim};
use super::question::{Manner, Question};
use crate::generator::probe::Answer;
use crate::matrix::{Does, Target};

const NEEDS: &[Claim] = &[Claim::Contract, Claim::Does(Does::Parses)];

/// The type of each workload's answer.
const TYPES: [(&str, &str); 5] = [
    ("hello", "text/plain"),
    ("file", "text/javascript"),
    ("static", "image/png"),
    ("json", "application/json"),
    ("cpu", "text/plain"),
];
/// A body that nobody asked for.
const BODY: &[u8] = b"{\"a body\": \"that is read\"}";

pub(super) fn checks<'q>(target: &'q Target, questions: &'q [Question]) -> Vec<Check<'q>> {
    let Some(first) = questions.iter().find(|question| question.is_of_a_path()) else {
        return Vec::new();
    };
    let mut checks = vec![
        Check::new("unknown paths are 404", NEEDS, |asker| unknown_paths(asker, first, questions))
            .or_declare(Claim::Does(Does::Parses)),
        Check::new("Content-Length and Date", &[Claim::Contract], |asker| {
            // Who parses nothing need not say what time it is, and has no other answer.
            let parses = target.serves.does(Does::Parses);
            let names = if parses { &["Content-Length", "Date"][..] } else { &["Content-Length"] };
            let unknown = first.at("/no-such-path").by("GET", b"");
            let mut all = questions.iter().chain(parses.then_some(&unknown));
            all.try_for_each(|question| has_fields(asker, question, names))
        }),
    ];
    for question in questions.iter().filter(|question| question.is_of_a_path()) {
        checks.extend(of(target, question));
    }
    checks
}

fn of<'q>(target: &'q Target, question: &'q Question) -> Vec<Check<'q>> {
    let name = &question.workload;
    let mut checks = vec![
        Check::new(format!("other methods on the path of {name}"), NEEDS, move |asker| {
            other_methods(asker, target, question)
        })
        .or_declare(Claim::Does(Does::Parses)),
    ];
    if question.method == "GET" {
        let needs = &[Claim::Contract, Claim::Does(Does::Parses), Claim::Does(Does::Head)];
        let head = Check::new(format!("HEAD of {name}"), needs, |asker| head(asker, question));
        checks.push(head.or_declare(Claim::Does(Does::Head)));
        checks.push(Check::new(format!("a query on the path of {name}"), NEEDS, |asker| {
            let sign = if question.path.contains('?') { '&' } else { '?' };
            let path = format!("{}{sign}n=1", question.path);
            asker.ask(&question.at(path), Manner::Kept).map(|_| ())
        }));
    }
    // Who says which type is right has said it in the expectation.
    let is_own =
        question.right.headers.iter().any(|(it, _)| it.eq_ignore_ascii_case("content-type"));
    let right = TYPES.iter().find(|(workload, _)| question.is_of_contract_as(workload));
    let right = right.filter(|_| !is_own);
    if let Some((_, right)) = right {
        checks.push(Check::new(format!("type of {name}"), NEEDS, move |asker| {
            let (_, request, answer) = asker.ask(question, Manner::Kept)?;
            must_be_of_type(&request.shown, &answer, right)
        }));
    }
    checks
}

fn unknown_paths(asker: &Asker<'_>, first: &Question, questions: &[Question]) -> Result<(), Fault> {
    let longer = questions
        .iter()
        .filter(|question| question.is_of_a_path() && question.path.len() > 1)
        .filter(|question| !question.path.contains('?'))
        .map(|question| format!("{}-no-more", question.path));
    for path in ["/no-such-path".to_owned(), "/no/such/path".to_owned()].into_iter().chain(longer) {
        asker.ask(&first.at(path).by("GET", b"").refused(404), Manner::Kept)?;
    }
    Ok(())
}

/// 404, its body is read, and the connection stays usable.
fn other_methods(asker: &Asker<'_>, target: &Target, question: &Question) -> Result<(), Fault> {
    let others: &[(&str, &[u8])] = match question.method.as_str() {
        "GET" => &[("POST", BODY), ("DELETE", b"")],
        "POST" => &[("PUT", BODY), ("GET", b"")],
        _ => &[("GET", b"")],
    };
    let keeps = target.serves.does(Does::KeepAlive) && target.serves.http_1_1;
    for (method, body) in others {
        let (mut line, request, _) =
            asker.ask(&question.by(method, body).refused(404), Manner::Kept)?;
        if keeps {
            let after = format!("after {} on the same connection", request.shown);
            line.ask(&asker.request(question, Manner::Kept).in_a_way(&after))?;
        }
    }
    Ok(())
}

/// As to GET, without a body.
fn head(asker: &Asker<'_>, question: &Question) -> Result<(), Fault> {
    let (_, _, to_get) = asker.ask(question, Manner::Closing)?;
    let request = asker.request(&question.by("HEAD", b""), Manner::Closing);
    let mut line = asker.connect(&request.shown)?;
    let to_head = line.ask_anything(&request)?;
    let fault = |what: String| Err(Fault::new(&request.shown, what));
    if to_head.status != to_get.status {
        return fault(format!(
            "{} where {} was expected, as to GET",
            to_head.status, to_get.status
        ));
    }
    for name in ["content-length", "content-type"] {
        let (is, right) = (field(&to_head, name), field(&to_get, name));
        if is != right {
            return fault(format!("{}, as to GET", differs(name, is.as_deref(), right.as_deref())));
        }
    }
    match line.rest() {
        0 => Ok(()),
        _ => fault("a body followed, where none was expected".to_owned()),
    }
}

fn has_fields(asker: &Asker<'_>, question: &Question, names: &[&str]) -> Result<(), Fault> {
    let request = asker.request(question, Manner::Kept);
    let answer = asker.connect(&request.shown)?.ask_anything(&request)?;
    for name in names {
        if field(&answer, name).is_none() {
            return Err(Fault::new(&request.shown, format!("no header `{name}` in the answer")));
        }
    }
    Ok(())
}

/// Parameters of the type, such as the character set, are free.
pub(super) fn must_be_of_type(asked: &str, answer: &Answer, right: &str) -> Result<(), Fault> {
    let is = field(answer, "content-type");
    let essence = is.as_deref().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(right) {
        return Ok(());
    }
    Err(Fault::new(asked, differs("Content-Type", is.as_deref(), Some(right))))
}

fn differs(name: &str, is: Option<&str>, right: Option<&str>) -> String {
    match (is, right) {
        (Some(is), Some(right)) => format!("`{name}: {is}` where `{right}` was expected"),
        (None, Some(right)) => format!("no `{name}` where `{right}` was expected"),
        (is, None) => format!("`{name}: {}` where none was expected", is.unwrap_or_default()),
    }
}
