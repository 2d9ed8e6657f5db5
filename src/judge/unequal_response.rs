//! `unequal-response`: a target answers with another body than the workload expects, by an expectation of its own; or, where
//! no expectation says who is right, with another than the others.

use std::collections::BTreeMap;

use crate::http::expect::Mismatch;
use crate::outcome::Doubt;
use crate::record::measured::ResponseSeen;
use crate::record::trial::Caveat;
use crate::units::write_count;

/// The doubt of a target that has an answer of its own, which is not what the workload expects.
pub fn knowingly(mismatch: &Mismatch) -> Caveat {
    Caveat {
        caveat: Doubt::UnequalResponse,
        detail: format!("its own `expect` takes for right what the workload does not: {mismatch}"),
    }
}

/// The doubts of rows whose answer differs from that of most rows, or of the first where no answer is most common.
/// Rows come with their labels, in order; a row without an answer is left out.
pub fn judge(rows: &[(&str, Option<&ResponseSeen>)]) -> BTreeMap<String, Caveat> {
    let seen: Vec<(&str, &ResponseSeen)> =
        rows.iter().filter_map(|(label, answer)| Some((*label, (*answer)?))).collect();
    let Some((model, usual)) = most_common(&seen) else { return BTreeMap::new() };
    seen.iter()
        .filter(|(_, answer)| !is_alike(answer, usual))
        .map(|(label, answer)| ((*label).to_owned(), caveat(answer, model, usual)))
        .collect()
}

/// Whether two answers are the same to a client: status, length and content.
fn is_alike(one: &ResponseSeen, other: &ResponseSeen) -> bool {
    (one.status, one.length, &one.sha256) == (other.status, other.length, &other.sha256)
}

fn most_common<'a>(seen: &[(&'a str, &'a ResponseSeen)]) -> Option<(&'a str, &'a ResponseSeen)> {
    let count =
        |answer: &ResponseSeen| seen.iter().filter(|(_, other)| is_alike(other, answer)).count();
    let most = seen.iter().map(|(_, answer)| count(answer)).max()?;
    seen.iter().find(|(_, answer)| count(answer) == most).copied()
}

fn caveat(answer: &ResponseSeen, model: &str, usual: &ResponseSeen) -> Caveat {
    let what = if answer.status != usual.status {
        format!("status {} where {model} answers with {}", answer.status, usual.status)
    } else if answer.length == usual.length {
        format!("{} bytes that differ from those of {model}", write_count(answer.length))
    } else {
        format!(
            "{} bytes where {model} answers with {}",
            write_count(answer.length),
            write_count(usual.length)
        )
    };
    Caveat {
        caveat: Doubt::UnequalResponse,
        detail: format!("it answers with {what}; say in the workload's `expect` which is right"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(length: u64, sha256: &str) -> ResponseSeen {
        ResponseSeen {
            status: 200,
            length,
            sha256: sha256.to_owned(),
            content_type: None,
            header_bytes: 90,
            http: None,
            framing: None,
            keep_alive: None,
        }
    }

    #[test]
    fn the_few_differ_from_the_many_and_of_two_the_second_from_the_first() {
        let (usual, longer, other) = (answer(11, "a"), answer(13, "b"), answer(11, "c"));
        let rows = [("one", Some(&longer)), ("two", Some(&usual)), ("three", Some(&usual))];
        let found = judge(&rows);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["one"]);
        assert!(
            found["one"].detail.starts_with("it answers with 13 bytes where two answers with 11")
        );
        let found = judge(&[("one", Some(&usual)), ("gone", None), ("two", Some(&other))]);
        assert!(found["two"].detail.contains("11 bytes that differ from those of one"));
        assert!(judge(&[("one", Some(&usual)), ("two", Some(&usual))]).is_empty());
        let no_content = ResponseSeen { status: 204, ..answer(0, "e") };
        let found = judge(&[("one", Some(&answer(0, "e"))), ("two", Some(&no_content))]);
        assert!(found["two"].detail.contains("status 204 where one answers with 200"));
    }
}
