//! The request of a workload: method, path, headers and body.

use super::problem::{Problem, nearest};
use super::table::Table;
use super::values::{other_form, text};
use super::wire::{Placed, Value};
use super::{HeaderValue, RequestSpec};

/// The methods that a misspelt one is compared with.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
/// Headers that follow from something else, and from what.
const DERIVED: [(&str, &str); 4] = [
    ("host", "it follows from the target"),
    ("connection", "it follows from `keep-alive` of the load"),
    ("content-length", "it follows from the body"),
    ("transfer-encoding", "a body is sent whole, with its length"),
];

/// Takes the keys of a request out of a table.
pub(super) fn request(table: &mut Table<'_>) -> RequestSpec {
    RequestSpec {
        method: method(table),
        path: path(table, "path").unwrap_or_else(|| "/".to_owned()),
        headers: headers(table)
            .into_iter()
            .map(|(name, value)| match value.value.strip_prefix("env:") {
                Some(variable) => (name.value, HeaderValue::Environment(variable.to_owned())),
                None => (name.value, HeaderValue::Plain(value.value)),
            })
            .collect(),
        body: body(table).unwrap_or_default(),
    }
}

fn method(table: &mut Table<'_>) -> String {
    let Some(method) = table.text("method") else { return "GET".to_owned() };
    let upper = method.value.to_ascii_uppercase();
    let is_misspelt = method.value != upper && METHODS.contains(&upper.as_str());
    if is_misspelt || !is_token(&method.value) {
        let what = format!("`{}` is no method", method.value.escape_debug());
        let problem = Problem::at(method.place.clone(), what);
        let hint = nearest(&upper, METHODS).map_or_else(
            || "a method is one word such as `GET` or `POST`".to_owned(),
            |guess| format!("did you mean `{guess}`?"),
        );
        table.reading.report(problem.hint(hint));
    }
    method.value
}

/// Takes a path out of a table, with its query and as it is sent.
pub(super) fn path(table: &mut Table<'_>, key: &'static str) -> Option<String> {
    let path = table.text(key)?;
    if let Some((what, hint)) = fault_of_path(&path.value, key) {
        table.reading.report(Problem::at(path.place.clone(), what).hint(hint));
    }
    Some(path.value)
}

fn fault_of_path(path: &str, key: &str) -> Option<(String, &'static str)> {
    let is_planned = |what: &str| format!("{what} is not supported yet");
    for scheme in ["https://", "unix:"] {
        if path.starts_with(scheme) {
            return Some((
                is_planned(&format!("`{scheme}`")),
                "targets are asked over HTTP and TCP",
            ));
        }
    }
    for variable in ["{seq}", "{random}"] {
        if path.contains(variable) {
            return Some((is_planned(&format!("`{variable}` in a path")), "write one path"));
        }
    }
    if !path.starts_with('/') {
        let hint = if path.starts_with("http://") {
            "leave out scheme and host; the host is the target's"
        } else {
            "put a `/` in front"
        };
        return Some((format!("`{key}` must begin with `/`"), hint));
    }
    let is_sound = path.chars().all(|c| c.is_ascii_graphic() && c != '#');
    (!is_sound).then(|| {
        (format!("`{key}` holds what cannot be sent"), "write it with percent-encoding: `%20`")
    })
}

/// Takes `headers` out of a table: names and values that can be sent.
pub(super) fn headers(table: &mut Table<'_>) -> Vec<(Placed<String>, Placed<String>)> {
    let mut headers = Vec::new();
    for (name, node) in table.named("headers") {
        if let Some(problem) = fault_of_header(&name, &node) {
            table.reading.report(problem);
        } else if let Some(value) = text(&node.value) {
            headers.push((name, Placed { value, place: node.place }));
        }
    }
    headers
}

fn fault_of_header(name: &Placed<String>, node: &Placed<Value>) -> Option<Problem> {
    if !is_token(&name.value) {
        let what = format!("`{}` is no name of a header", name.value.escape_debug());
        let hint = "a name is made of letters, digits and `-`: `X-Request-Id`";
        return Some(Problem::at(name.place.clone(), what).hint(hint));
    }
    let Value::Text(value) = &node.value else {
        let what = format!("the value of `{}` must be a string", name.value);
        return Some(Problem::at(node.place.clone(), what).maybe_hint(other_form(node, text)));
    };
    if value.chars().any(|c| c.is_control() && c != '\t') {
        let what = format!("the value of `{}` holds a line end or control character", name.value);
        return Some(Problem::at(node.place.clone(), what).hint("leave it out"));
    }
    if value == "env:" {
        let what = format!("the value of `{}` names no variable", name.value);
        return Some(Problem::at(node.place.clone(), what).hint("write `env:NAME`"));
    }
    None
}

/// Notes headers of a request that are ours to send.
pub(super) fn report_derived(table: &Table<'_>) {
    let Some(Value::Table(entries)) = table.value_of("headers").map(|node| &node.value) else {
        return;
    };
    for (name, _) in entries {
        let derived = DERIVED.iter().find(|(header, _)| name.value.eq_ignore_ascii_case(header));
        if let Some((_, reason)) = derived {
            let what = format!("`{}` cannot be set", name.value);
            table.reading.report(Problem::at(name.place.clone(), what).hint(*reason));
        }
    }
}

/// Takes `body` or `body-file` out of a table.
pub(super) fn body(table: &mut Table<'_>) -> Option<Vec<u8>> {
    let body = table.text("body");
    let file = table.path("body-file");
    if let (Some(_), Some(file)) = (&body, &file) {
        table.reading.report(
            Problem::at(file.place.clone(), "`body-file` stands beside `body`")
                .hint("leave one of them out"),
        );
        return None;
    }
    match (body, file) {
        (Some(body), _) => Some(body.value.into_bytes()),
        (None, Some(file)) => Some(table.reading.content(&file).unwrap_or_default()),
        (None, None) => None,
    }
}

/// Whether a text is a token as HTTP has it (RFC 9110, 5.6.2).
fn is_token(text: &str) -> bool {
    let is_sign = |c: char| "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || is_sign(c))
}
