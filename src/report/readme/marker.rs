//! One marker: `<!-- orchestrate:begin key=value key="value with spaces" -->`, read and written.

use std::ops::Range;

/// What every marker begins with, behind `<!--` and spaces.
const NAME: &str = "orchestrate:";

/// Which of the two a marker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Begin,
    End,
}

/// A marker of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// None if it is neither.
    pub(super) word: Option<Word>,
    /// Whether nothing else stands on its line.
    pub(super) is_alone: bool,
    /// From `<!--` to `-->`.
    pub(super) span: Range<usize>,
    pub(super) keys: Vec<Key>,
    pub(super) faults: Vec<Fault>,
}

/// `key=value`, with what the value means.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    pub(super) value: String,
    pub(super) value_span: Range<usize>,
}

/// What is wrong with a marker, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) span: Range<usize>,
    pub(super) what: String,
    pub(super) hint: Option<String>,
}

impl Fault {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>, hint: &str) -> Self {
        Self { span, what: what.into(), hint: (!hint.is_empty()).then(|| hint.to_owned()) }
    }
}

/// The marker of a line that is no code, if it has one; `start` is where the line begins in the page.
pub(super) fn of_line(line: &str, start: usize) -> Option<Marker> {
    let mut comments = line.match_indices("<!--");
    let at = comments.find(|(at, _)| line[at + 4..].trim_start().starts_with(NAME))?.0;
    let before = &line[..at];
    // In a span of code it is an example.
    if before.matches('`').count() % 2 == 1 {
        return None;
    }
    let inside = at + 4;
    let close = line[inside..].find("-->").map(|close| inside + close);
    let end = close.map_or(line.trim_end().len(), |close| close + 3);
    let mut marker = Marker {
        word: None,
        is_alone: before.trim().is_empty() && line[end..].trim().is_empty(),
        span: start + at..start + end,
        keys: Vec::new(),
        faults: Vec::new(),
    };
    let fault = |what, hint| Fault::new(start + at..start + end, what, hint);
    if close.is_none() {
        let hint = "a marker stands on one line, from `<!--` to `-->`";
        marker.faults.push(fault("this marker is not closed", hint));
    } else if !marker.is_alone {
        let hint = "put it on a line of its own; an example of one stands in `code`";
        marker.faults.push(fault("this marker shares its line with other text", hint));
    }
    let body = &line[inside..close.unwrap_or(end)];
    let skipped = body.len() - body.trim_start().len() + NAME.len();
    read(&mut marker, &body[skipped..], start + inside + skipped);
    Some(marker)
}

/// Reads what stands behind the name.
fn read(marker: &mut Marker, text: &str, start: usize) {
    let length = text.find(char::is_whitespace).unwrap_or(text.len());
    marker.word = match &text[..length] {
        "begin" => Some(Word::Begin),
        "end" => Some(Word::End),
        other => {
            let what = format!("`{NAME}{}` is no marker", other.escape_debug());
            let span = start - NAME.len()..start + length;
            marker.faults.push(Fault::new(span, what, "there is `begin` and `end`"));
            return;
        }
    };
    if let Some(at) = text.find("--") {
        let hint = r"in a value in double quotes, write the second one as `\-`";
        let span = start + at..start + at + 2;
        marker.faults.push(Fault::new(span, "`--` cannot stand in a comment", hint));
        return;
    }
    let mut rest = length;
    while let Some(skipped) = text[rest..].find(|c: char| !c.is_whitespace()) {
        rest += skipped;
        match key(&text[rest..], start + rest) {
            Ok((key, length)) => {
                if marker.keys.iter().any(|other| other.name == key.name) {
                    let what = format!("`{}` is there twice", key.name);
                    let hint = "several patterns stand in one value: `a,b`";
                    marker.faults.push(Fault::new(key.name_span.clone(), what, hint));
                } else {
                    marker.keys.push(key);
                }
                rest += length;
            }
            Err(fault) => {
                marker.faults.push(fault);
                return;
            }
        }
    }
}

/// The key that a text begins with, and how long it is.
fn key(text: &str, start: usize) -> Result<(Key, usize), Fault> {
    let word = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some(equals) = text[..word].find('=').filter(|equals| *equals > 0) else {
        let what = format!("`{}` is no `key=value`", text[..word].escape_debug());
        let hint = "a value with spaces in it stands in double quotes";
        return Err(Fault::new(start..start + word, what, hint));
    };
    let from = equals + 1;
    let (value, length) = if text[from..].starts_with('"') {
        quoted(&text[from..], start + from)?
    } else {
        (text[from..word].to_owned(), word - from)
    };
    let span = start + from..start + from + length;
    if value.trim().is_empty() {
        let what = format!("`{}` has no value", text[..equals].escape_debug());
        return Err(Fault::new(start..span.end, what, ""));
    }
    let name = text[..equals].to_owned();
    let key = Key { name, name_span: start..start + equals, value, value_span: span };
    Ok((key, from + length))
}

/// A value in double quotes, and how long it is as written.
fn quoted(text: &str, start: usize) -> Result<(String, usize), Fault> {
    let mut value = String::new();
    let mut signs = text.char_indices().skip(1);
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => {
                let length = at + 1;
                if text[length..].starts_with(|c: char| !c.is_whitespace()) {
                    let what = "a value ends with its quotes, and a space comes next";
                    return Err(Fault::new(start..start + length, what, ""));
                }
                return Ok((value, length));
            }
            '\\' => {
                let escaped = signs.next().filter(|(_, c)| matches!(c, '"' | '\\' | '-'));
                let Some((_, escaped)) = escaped else {
                    let hint = r#"there is `\"`, `\\` and `\-`"#;
                    return Err(Fault::new(start + at..start + at + 1, "unknown escape", hint));
                };
                value.push(escaped);
            }
            other => value.push(other),
        }
    }
    Err(Fault::new(start..start + text.trim_end().len(), "these quotes are not closed", ""))
}

/// The end marker of a block that was filled.
pub(super) fn end(run: &str, sha256: &str) -> String {
    format!("<!-- {NAME}end run={} sha256={sha256} -->", write_value(run))
}

/// A value as it stands in a marker: in quotes where it must, and never with `--`.
fn write_value(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) && !value.contains("--") {
        return value.to_owned();
    }
    let mut written = String::from('"');
    for sign in value.chars() {
        if matches!(sign, '"' | '\\') || (sign == '-' && written.ends_with('-')) {
            written.push('\\');
        }
        written.push(sign);
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(line: &str) -> Vec<(String, String)> {
        let marker = of_line(line, 0).expect("a marker");
        assert_eq!(marker.faults, [], "{line}");
        marker.keys.into_iter().map(|key| (key.name, key.value)).collect()
    }

    #[test]
    fn a_marker_is_a_comment_of_its_own_on_a_line() {
        for (line, expected) in [
            ("<!-- orchestrate:begin matrix=a -->", &[("matrix", "a")][..]),
            ("  <!--orchestrate:end-->  ", &[]),
            ("<!-- orchestrate:begin a=b=c d=\"e f\" -->", &[("a", "b=c"), ("d", "e f")]),
            (r#"<!-- orchestrate:begin a="\"-\-\\" -->"#, &[("a", "\"--\\")]),
            (
                "<!-- orchestrate:begin workload=!a*,b load=\\d -->",
                &[("workload", "!a*,b"), ("load", "\\d")],
            ),
        ] {
            let expected: Vec<(String, String)> =
                expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            assert_eq!(keys(line), expected, "{line}");
        }
        for line in
            ["", "text", "<!-- other -->", "see `<!-- orchestrate:end -->`", "<!-- orchestrat"]
        {
            assert_eq!(of_line(line, 0), None, "{line}");
        }
    }

    #[test]
    fn a_fault_of_a_marker_is_told_with_its_place() {
        for (line, place, what) in [
            ("<!-- orchestrate:begin matrix=a", "<!-- orchestrate:begin matrix=a", "not closed"),
            ("x <!-- orchestrate:end -->", "<!-- orchestrate:end -->", "shares its line"),
            ("<!-- orchestrate:end --> x", "<!-- orchestrate:end -->", "shares its line"),
            ("<!-- orchestrate:start -->", "orchestrate:start", "`orchestrate:start` is no marker"),
            ("<!-- orchestrate: begin -->", "orchestrate:", "is no marker"),
            ("<!-- orchestrate:begin matrix -->", "matrix", "`matrix` is no `key=value`"),
            ("<!-- orchestrate:begin =a -->", "=a", "`=a` is no `key=value`"),
            ("<!-- orchestrate:begin a= -->", "a=", "`a` has no value"),
            ("<!-- orchestrate:begin a=\"\" -->", "a=\"\"", "`a` has no value"),
            ("<!-- orchestrate:begin a=b a=c -->", "a", "`a` is there twice"),
            ("<!-- orchestrate:begin a=b--c -->", "--", "`--` cannot stand"),
            ("<!-- orchestrate:begin a=\"b -->", "\"b", "not closed"),
            ("<!-- orchestrate:begin a=\"b\"c -->", "\"b\"", "ends with its quotes"),
            (r#"<!-- orchestrate:begin a="\n" -->"#, "\\", "unknown escape"),
        ] {
            let marker = of_line(line, 0).expect("a marker");
            let [fault] = marker.faults.as_slice() else { panic!("{line}: {marker:?}") };
            assert_eq!(&line[fault.span.clone()], place, "{line}");
            assert!(fault.what.contains(what), "{line}: {}", fault.what);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_as_it_was_and_closes_no_comment(
            run in "[a-z0-9._\"\\\\ >-]{1,20}",
        ) {
            proptest::prop_assume!(!run.trim().is_empty());
            let line = end(&run, "ab");
            proptest::prop_assert!(!line[4..line.len() - 3].contains("--"), "{}", line);
            let read = keys(&line);
            proptest::prop_assert_eq!(&read[0].1, &run);
        }
    }
}
