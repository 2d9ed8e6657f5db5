//! The right answer of a workload, as `expect = { ... }` gives it.

use super::problem::Problem;
use super::quantity::parse_size;
use super::reading::Reading;
use super::request::{body, headers};
use super::table::Table;
use super::values::{quoted, refusal};
use super::wire::{Placed, Value};
use crate::http::expect::{BodyExpectation, Expectation, StatusExpectation};

/// The keys that say which content is right; one of them may stand.
pub(super) const CONTENTS: [&str; 6] =
    ["body", "body-file", "json", "contains", "length", "sha256"];

/// The status codes that may be expected.
pub(super) const STATUS_MIN: u16 = 200;
pub(super) const STATUS_MAX: u16 = 599;

/// Reads a table of `expect`.
pub(super) fn expectation(mut table: Table<'_>) -> Expectation {
    report_two_contents(&table);
    let status = table.whole("status", STATUS_MIN..=STATUS_MAX);
    let expectation = Expectation {
        length: None,
        status: status.map_or(StatusExpectation::Any2xx, StatusExpectation::Exactly),
        body: content(&mut table),
        headers: headers(&mut table).into_iter().map(|(n, v)| (n.value, v.value)).collect(),
    };
    table.finish();
    expectation
}

fn report_two_contents(table: &Table<'_>) {
    let given: Vec<&str> = CONTENTS.into_iter().filter(|key| table.has(key)).collect();
    // `body` beside `body-file` is told where a body is read.
    if given.len() > 1 && given != ["body", "body-file"] {
        let place = given.iter().filter_map(|key| table.value_of(key)).map(|node| &node.place);
        if let Some(last) = place.max_by_key(|place| place.span.start) {
            let what = format!("the content is expected twice: {}", quoted(given.iter().copied()));
            table.reading.report(Problem::at(last.clone(), what).hint("leave one of them"));
        }
    }
}

fn content(table: &mut Table<'_>) -> BodyExpectation {
    let bytes = body(table).map(BodyExpectation::Bytes);
    let json = table.take("json").and_then(|node| json(table.reading, &node));
    let contains = table.text("contains").map(|text| text.value.into_bytes());
    let length =
        table.read(
            "length",
            "a number of bytes such as `305867` or `12 kB`",
            |value| match value {
                Value::Whole(bytes) => u64::try_from(*bytes).ok(),
                Value::Text(text) => parse_size(text),
                _ => None,
            },
        );
    let digest = table.read("sha256", "64 hexadecimal digits", |value| match value {
        Value::Text(digits) => digest(digits),
        _ => None,
    });
    bytes
        .or(json.map(BodyExpectation::Json))
        .or(contains.map(BodyExpectation::Contains))
        .or(length.map(|length| BodyExpectation::Length(length.value)))
        .or(digest.map(|digest| BodyExpectation::Sha256(digest.value)))
        .unwrap_or(BodyExpectation::Any)
}

/// JSON: a string is read as its text, anything else means what it is in TOML.
fn json(reading: &Reading<'_>, node: &Placed<Value>) -> Option<serde_json::Value> {
    if let Value::Text(text) = &node.value {
        return serde_json::from_str(text)
            .map_err(|error| {
                reading.report(
                    Problem::at(node.place.clone(), format!("`json` is no JSON: {error}"))
                        .hint("a string of JSON needs quotes of its own: json = '\"text\"'"),
                );
            })
            .ok();
    }
    let value = as_json(&node.value);
    if value.is_none() {
        let expected = "JSON as a string, or a table, list, number or boolean";
        reading.report(refusal("json", expected, node));
    }
    value
}

fn as_json(value: &Value) -> Option<serde_json::Value> {
    Some(match value {
        Value::Text(text) => text.clone().into(),
        Value::Whole(number) => (*number).into(),
        Value::Number(number) => serde_json::Number::from_f64(*number)?.into(),
        Value::Boolean(truth) => (*truth).into(),
        Value::List(items) => {
            items.iter().map(|item| as_json(&item.value)).collect::<Option<Vec<_>>>()?.into()
        }
        Value::Table(entries) => entries
            .iter()
            .map(|(key, node)| Some((key.value.clone(), as_json(&node.value)?)))
            .collect::<Option<serde_json::Map<_, _>>>()?
            .into(),
        Value::Other => return None,
    })
}

fn digest(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_64_hexadecimal_digits() {
        let digits = "00ff".to_owned() + &"Ab".repeat(30);
        let bytes = digest(&digits).expect("a digest");
        assert_eq!(bytes[..3], [0x00, 0xff, 0xab]);
        assert_eq!(digest(&digits[1..]), None);
        assert_eq!(digest(&digits.replace('f', "g")), None);
        assert_eq!(digest(&"é".repeat(32)), None);
    }
}
