//! A TOML file as it is written: a tree of values that each know their place.
//!
//! Not here: what a key means. Input is the text of a matrix, a `target.toml` or a `toolchains.toml`.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::problem::{Place, Problem, Source};

/// Something that stands at a place in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Boolean(bool),
    List(Vec<Placed<Value>>),
    Table(Entries),
    /// A date, or a number beyond all bounds: nothing that a matrix has a use for.
    Other,
}

/// The keys of a table with their values, in the order of the file.
pub(super) type Entries = Vec<(Placed<String>, Placed<Value>)>;

impl Value {
    /// What sort of value it is, for messages.
    pub(super) fn sort(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Whole(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other => "this",
        }
    }
}

/// Reads a file's text as TOML.
///
/// # Errors
/// What the parser says, once for each line that it stumbles over.
pub(super) fn parse(source: &Arc<Source>) -> Result<Entries, Vec<Problem>> {
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    let mut problems: Vec<(usize, Problem)> = Vec::new();
    for error in errors {
        let place = place(source, error.span().unwrap_or_default());
        let (line, _) = place.line_and_column();
        if !problems.iter().any(|(known, _)| *known == line) {
            problems.push((line, Problem::at(place, format!("no TOML: {}", error.message()))));
        }
    }
    if problems.is_empty() {
        Ok(entries(source, document.into_inner()))
    } else {
        Err(problems.into_iter().map(|(_, problem)| problem).collect())
    }
}

fn entries(source: &Arc<Source>, table: DeTable<'_>) -> Entries {
    let mut entries: Entries = table
        .into_iter()
        .map(|(key, node)| {
            let place = place(source, key.span());
            (Placed { value: key.into_inner().into_owned(), place }, value(source, node))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.place.span.start);
    entries
}

fn value(source: &Arc<Source>, node: Spanned<DeValue<'_>>) -> Placed<Value> {
    let place = place(source, node.span());
    let value = match node.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => whole(&number).map_or(Value::Other, Value::Whole),
        DeValue::Float(number) => number.as_str().parse().map_or(Value::Other, Value::Number),
        DeValue::Boolean(truth) => Value::Boolean(truth),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(items) => {
            Value::List(items.into_iter().map(|item| value(source, item)).collect())
        }
        DeValue::Table(table) => Value::Table(entries(source, table)),
    };
    Placed { value, place }
}

fn whole(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn place(source: &Arc<Source>, span: Range<usize>) -> Place {
    Place { source: Arc::clone(source), span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source { path: "m.toml".into(), text: text.to_owned() })
    }

    fn written(place: &Place) -> &str {
        &place.source.text[place.span.clone()]
    }

    #[test]
    fn every_key_and_value_knows_its_place_and_keys_keep_their_order() {
        let source = source("z = 1\na = [\"x\", 2.5]\n[t]\nb.c = true\n[[u]]\nd = 1979-05-27\n");
        let root = parse(&source).expect("TOML");
        let keys: Vec<&str> = root.iter().map(|(key, _)| written(&key.place)).collect();
        assert_eq!(keys, ["z", "a", "t", "u"]);
        assert_eq!(root[0].1.value, Value::Whole(1));
        let Value::List(items) = &root[1].1.value else { panic!("a list") };
        assert_eq!(items[0].value, Value::Text("x".into()));
        assert_eq!(written(&items[0].place), "\"x\"");
        assert_eq!(items[1].value, Value::Number(2.5));
        assert_eq!(written(&root[2].1.place), "[t]");
        let Value::List(tables) = &root[3].1.value else { panic!("a list of tables") };
        assert_eq!(written(&tables[0].place), "[[u]]");
        let Value::Table(inner) = &tables[0].value else { panic!("a table") };
        assert_eq!(inner[0].1.value, Value::Other);
    }

    #[test]
    fn the_parser_is_quoted_once_for_each_line_that_is_no_toml() {
        let problems =
            parse(&source("a = 1\na = = 2\nb = \"\nc = 3\na = 4\n")).expect_err("faults");
        let lines: Vec<usize> = problems
            .iter()
            .filter_map(|problem| Some(problem.place.as_ref()?.line_and_column().0))
            .collect();
        assert_eq!(lines, [2, 3, 5], "{problems:#?}");
        assert!(problems.iter().all(|problem| problem.what.starts_with("no TOML: ")));
    }
}
