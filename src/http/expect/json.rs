//! Equality of JSON values, and where two of them differ.
//!
//! It parses nothing. Members may come in any order; a number is its value, so that a server which
//! writes `1.0` as `1` is right.

use serde_json::{Number, Value};

/// The place (RFC 6901) of the first difference, with what stands there; `None` for equal values.
pub(super) fn difference(right: &Value, actual: &Value) -> Option<(String, String)> {
    let below = |key: &str, found: Option<(String, String)>| {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.map(|(place, what)| (format!("/{key}{place}"), what))
    };
    match (right, actual) {
        (Value::Object(right), Value::Object(actual)) if right.len() == actual.len() => {
            right.iter().find_map(|(key, value)| match actual.get(key) {
                Some(other) => below(key, difference(value, other)),
                None => below(key, Some((String::new(), "nothing".into()))),
            })
        }
        (Value::Array(right), Value::Array(actual)) if right.len() == actual.len() => right
            .iter()
            .zip(actual)
            .enumerate()
            .find_map(|(at, (value, other))| below(&at.to_string(), difference(value, other))),
        (Value::Number(right), Value::Number(actual)) if same_number(right, actual) => None,
        _ if right == actual => None,
        _ => Some((String::new(), actual.to_string())),
    }
}

/// Whole numbers are compared as such: beyond 2^53 they would be equal as floating point to others.
fn same_number(right: &Number, actual: &Number) -> bool {
    let has_fraction = right.is_f64() || actual.is_f64();
    right == actual || (has_fraction && right.as_f64() == actual.as_f64())
}
