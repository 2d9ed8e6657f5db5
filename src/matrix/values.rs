//! The sorts of values that a table is asked for, and what is said of a value that is of another.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::problem::{Problem, nearest};
use super::table::Table;
use super::wire::{Placed, Value};
use crate::units::{parse_duration, parse_share, write_duration};

/// The longest duration that a matrix may ask for.
pub(super) const DURATION_MAX: Duration = Duration::from_hours(7 * 24);
/// How much of a faulty value a message repeats, in characters.
const QUOTED_MAX: usize = 40;

impl Table<'_> {
    /// A string.
    pub(super) fn text(&mut self, key: &'static str) -> Option<Placed<String>> {
        self.read(key, "a string", text)
    }

    /// `true` or `false`.
    pub(super) fn boolean(&mut self, key: &'static str) -> Option<Placed<bool>> {
        self.read(key, "`true` or `false`", |value| match value {
            Value::Boolean(truth) => Some(*truth),
            _ => None,
        })
    }

    /// A whole number within bounds.
    pub(super) fn whole<N>(&mut self, key: &'static str, range: RangeInclusive<N>) -> Option<N>
    where
        N: TryFrom<i64> + PartialOrd + std::fmt::Display,
    {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(key, &expected, |value| match value {
            Value::Whole(number) => N::try_from(*number).ok().filter(|n| range.contains(n)),
            _ => None,
        })
        .map(|number| number.value)
    }

    /// A duration of at least so much: a string with a unit, or a number of seconds.
    pub(super) fn duration(
        &mut self,
        key: &'static str,
        least: Duration,
    ) -> Option<Placed<Duration>> {
        let from = match least {
            Duration::ZERO => String::new(),
            least => format!(" from {}", write_duration(least)),
        };
        let expected = format!("a duration such as `500ms`, `2s` or `1m 30s`,{from} up to 7 days");
        self.read(key, &expected, |value| {
            let duration = match value {
                Value::Text(text) => parse_duration(text).ok()?,
                #[expect(clippy::cast_precision_loss, reason = "far below what is allowed")]
                Value::Whole(seconds) => Duration::try_from_secs_f64(*seconds as f64).ok()?,
                Value::Number(seconds) => Duration::try_from_secs_f64(*seconds).ok()?,
                _ => return None,
            };
            (least..=DURATION_MAX).contains(&duration).then_some(duration)
        })
    }

    /// A share below 1: `2%`, or a plain number.
    pub(super) fn share(&mut self, key: &'static str) -> Option<f64> {
        self.read(key, "a share such as `2%`, below 100%", |value| {
            match value {
                Value::Text(text) => parse_share(text).ok(),
                Value::Whole(number) => parse_share(&number.to_string()).ok(),
                Value::Number(number) => parse_share(&number.to_string()).ok(),
                _ => None,
            }
            .filter(|share| *share < 1.0)
        })
        .map(|share| share.value)
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let node = self.take(key)?;
        let chosen = |value: &Value| {
            let is_written =
                |word: &str| matches!(value, Value::Text(text) if text.as_str() == word);
            words.iter().find(|(word, _)| is_written(word)).map(|(_, value)| *value)
        };
        let found = chosen(&node.value);
        if found.is_none() {
            let names = words.iter().map(|(word, _)| *word);
            let problem = refusal(key, &format!("one of {}", quoted(names.clone())), &node);
            let guess = match &node.value {
                Value::Text(text) => nearest(text, names),
                _ => None,
            };
            let guess = guess.map(|word| format!("did you mean `{word}`?"));
            self.reading.report(problem.maybe_hint(guess.or_else(|| other_form(&node, chosen))));
        }
        found
    }

    /// A path, relative to the folder of the file that it stands in.
    pub(super) fn path(&mut self, key: &'static str) -> Option<Placed<PathBuf>> {
        let written = self.text(key)?;
        let file = &written.place.source.path;
        let value = file.parent().unwrap_or(Path::new("")).join(written.value);
        Some(Placed { value, place: written.place })
    }

    /// A list of strings.
    pub(super) fn texts(&mut self, key: &'static str) -> Option<Placed<Vec<Placed<String>>>> {
        let list = self.read(key, "a list of strings", |value| match value {
            Value::List(items) => Some(items.clone()),
            _ => None,
        })?;
        let mut texts = Vec::new();
        for item in list.value {
            match text(&item.value) {
                Some(value) => texts.push(Placed { value, place: item.place }),
                None => self.reading.report(refusal(key, "a list of strings alone", &item)),
            }
        }
        Some(Placed { value: texts, place: list.place })
    }
}

/// The text of a string.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// How the same would be written in another form that is right: without quotes, in quotes, or in brackets.
pub(super) fn other_form<T>(
    node: &Placed<Value>,
    convert: impl Fn(&Value) -> Option<T>,
) -> Option<String> {
    let is_right = |value: Value| convert(&value).is_some();
    let written = clipped(node.place.text());
    match &node.value {
        Value::Text(text) => {
            let bare = [
                text.parse().ok().map(Value::Whole),
                text.parse().ok().map(Value::Number),
                text.parse().ok().map(Value::Boolean),
            ];
            if bare.into_iter().flatten().any(is_right) {
                return Some(format!("write it without quotes: `{}`", clipped(text)));
            }
            let is_one_of_list = convert(&Value::List(vec![node.clone()])).is_some();
            is_one_of_list.then(|| format!("write it in brackets: `[{written}]`"))
        }
        Value::Whole(_) | Value::Number(_) | Value::Boolean(_) | Value::Other => {
            let text = node.place.text().to_owned();
            is_right(Value::Text(text)).then(|| format!("write it in quotes: `\"{written}\"`"))
        }
        Value::List(_) if is_right(Value::Text("a".to_owned())) => {
            Some("write it as one string, in quotes and without brackets".to_owned())
        }
        Value::List(_) | Value::Table(_) => None,
    }
}

/// A value that is not what it must be.
pub(super) fn refusal(key: &str, expected: &str, node: &Placed<Value>) -> Problem {
    let found = match &node.value {
        Value::List(_) | Value::Table(_) => node.value.sort().to_owned(),
        _ => format!("`{}`", clipped(node.place.text())),
    };
    Problem::at(node.place.clone(), format!("`{key}` must be {expected}, not {found}"))
}

/// Names in backticks with commas between them.
pub(super) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The first line of a text, and not too much of it.
pub(super) fn clipped(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= QUOTED_MAX {
        return line.to_owned();
    }
    let start: String = line.chars().take(QUOTED_MAX).collect();
    format!("{start}...")
}
