//! The forms that values may have, as JSON Schema: bounds, words and patterns.
//!
//! Patterns hold of the regular expressions of ECMA-262 and of Rust alike, since both kinds of validators are in use.

use serde_json::{Map, Value, json};

use super::written::reference;
use crate::matrix::keys::{DURATION_MAX, NAME_LENGTHS, RATES, Sort};

const NAME: &str = r"^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$";
/// No part between two `/` is empty, `.` or `..`.
const TARGET_NAME: &str =
    r"^[\p{L}\p{N}][\p{L}\p{M}\p{N}._+-]*(?:/(?!\.{1,2}(?:/|$))[\p{L}\p{M}\p{N}._+-]+)*$";
const SERVICE_NAME: &str = "^[a-z][a-z0-9-]*$";
/// Numbers with units, in the words that they may be written in.
const TIME: &str = concat!(
    r"^\s*(?:[0-9][0-9\s]*(?:\.[0-9]+)?\s*",
    r"(?:nanos|nsec|ns|usec|us|µs|millis|msec|ms|seconds|second|secs|sec|s|minutes|minute|mins|min|m|",
    r"hours|hour|hrs|hr|h|days|day|d|weeks|week|wks|wk|w)\s*)+$"
);
/// Nothing with a unit.
const ZERO: &str = r"^\s*0\s*$";
const SHARE: &str = r"^\s*\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*%?\s*$";
const RATE: &str = r"^\s*[0-9.,_]+\s*(?:/s|req/s|k|k/s|/min)?\s*$";
const SIZE: &str = r"^\s*[0-9.,_]+\s*(?:B|kB|MB|GB|KiB|MiB|GiB)?\s*$";
const CPUS: &str = r"\s*[0-9]+\s*(?:-\s*[0-9]+\s*)?(?:,\s*[0-9]+\s*(?:-\s*[0-9]+\s*)?)*";
const METHOD: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
const TOKEN: &str = METHOD;
/// What can be sent; two words in braces are kept for later.
const PATH: &str = r#"^(?!.*\{(?:seq|random)\})/[!"$-~]*$"#;
const HEADER: &str = r"^(?!env:$)[^\u0000-\u0008\u000A-\u001F\u007F-\u009F]*$";
const VARIABLE: &str = r"^[^=\u0000]+$";
/// Something besides space.
const COMMAND: &str = r"\S";
const NEED: &str = r"^\s*[\p{L}\p{M}\p{N}_.+#-]+\s*(?:>=\s*[0-9]+(?:\.[0-9]+)*\.?\s*)?$";
const DIGEST: &str = "^[0-9A-Fa-f]{64}$";
const EXPRESSION: &str = r"\(";

/// The keywords that hold of a value.
pub(super) fn form(sort: Sort) -> Map<String, Value> {
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let or_number = |number: Value, pattern: &str| json!({ "anyOf": [number, text(pattern)] });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let schema = match sort {
        Sort::Text | Sort::File => json!({ "type": "string" }),
        Sort::Name => json!({ "type": "string", "pattern": NAME, "maxLength": NAME_LENGTHS.1 }),
        Sort::TargetName => {
            json!({ "type": "string", "pattern": TARGET_NAME, "maxLength": NAME_LENGTHS.1 })
        }
        Sort::ServiceName => {
            json!({ "type": "string", "pattern": SERVICE_NAME, "maxLength": NAME_LENGTHS.0 })
        }
        Sort::Truth => json!({ "type": "boolean" }),
        Sort::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Sort::Time { least } => {
            let (least, most) = (least.as_secs_f64(), DURATION_MAX.as_secs_f64());
            let seconds = json!({ "type": "number", "minimum": least, "maximum": most });
            json!({ "anyOf": [seconds, text(TIME), text(ZERO)] })
        }
        Sort::Share => {
            or_number(json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 }), SHARE)
        }
        Sort::Rate => {
            or_number(json!({ "type": "number", "minimum": RATES.0, "maximum": RATES.1 }), RATE)
        }
        Sort::Size => or_number(json!({ "type": "integer", "minimum": 0 }), SIZE),
        Sort::Cpus(words) => text(&format!("^(?:{}|{CPUS})$", words.join("|"))),
        Sort::Choice(words) => json!({ "enum": words }),
        Sort::Choices(words) => list(json!({ "enum": words })),
        Sort::Method => text(METHOD),
        Sort::Path => text(PATH),
        Sort::Command => text(COMMAND),
        Sort::Commands => list(text(COMMAND)),
        Sort::Needs => list(text(NEED)),
        Sort::Texts => list(json!({ "type": "string" })),
        Sort::Globs => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Sort::Headers => named(TOKEN, &text(HEADER)),
        Sort::Variables => named(VARIABLE, &json!({ "type": ["string", "integer", "boolean"] })),
        Sort::Json => json!({ "type": ["string", "number", "boolean", "array", "object"] }),
        Sort::Digest => text(DIGEST),
        Sort::Expression => text(EXPRESSION),
        Sort::Table(keys) => reference(keys),
        Sort::Tables(keys) => list(reference(keys)),
        Sort::Either(all) => {
            let all: Vec<Value> = all.iter().map(|keys| reference(keys)).collect();
            json!({ "type": "array", "items": { "oneOf": all }, "minItems": 1 })
        }
        Sort::Named(keys) => named(NAME, &reference(keys)),
    };
    match schema {
        Value::Object(schema) => schema,
        other => unreachable!("{other} is no object"),
    }
}

/// A table whose keys are the user's.
fn named(names: &str, value: &Value) -> Value {
    json!({
        "type": "object",
        "propertyNames": { "pattern": names },
        "additionalProperties": value,
    })
}
