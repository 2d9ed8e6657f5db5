//! A fault in what the user wrote: where, what, and what to do.
//!
//! Not here: how it is shown; that is `console`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A file that was read, kept so that a problem can point into it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// A stretch of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// Bytes of its text.
    pub span: Range<usize>,
}

impl Place {
    /// What is written there.
    pub fn text(&self) -> &str {
        let text = &self.source.text;
        let end = text.floor_char_boundary(self.span.end);
        &text[text.floor_char_boundary(self.span.start).min(end)..end]
    }

    /// Line and column of the first character, both from 1; the column counts characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let start = self.source.text.floor_char_boundary(self.span.start);
        let before = &self.source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// One fault in a matrix, a target file or a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands, if it stands in a file.
    pub place: Option<Place>,
    /// What is wrong: lower case, no full stop, names in backticks.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A fault that stands in no file.
    pub fn without_place(what: impl Into<String>) -> Self {
        Self { place: None, what: what.into(), hint: None }
    }

    /// A fault at a place.
    pub fn at(place: Place, what: impl Into<String>) -> Self {
        Self { place: Some(place), what: what.into(), hint: None }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.maybe_hint(Some(hint.into()))
    }

    /// The same, with what to do about it where that is known.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }
}

/// The name among `known` that `name` was most likely meant to be: by its letters, large or small, else as the last part of
/// a path.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let small = name.to_lowercase();
    let by_letters = known
        .iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&small, &candidate.to_lowercase()), *candidate)
        })
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count();
            // Names that share no letter are not near each other, however short they are.
            *distance <= length.max(3) / 3 && *distance < length.max(small.chars().count())
        })
        .min();
    let is_end = |candidate: &&str| candidate.rsplit_once('/').is_some_and(|(_, end)| end == name);
    by_letters
        .map(|(_, candidate)| candidate)
        .or_else(|| known.iter().copied().find(|candidate| is_end(candidate)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_column_count_from_one_and_in_characters() {
        let source = Arc::new(Source { path: "m.toml".into(), text: "a = 1\n\"ä\" = 2\n".into() });
        for (start, expected) in [(0, (1, 1)), (4, (1, 5)), (6, (2, 1)), (11, (2, 5)), (99, (3, 1))]
        {
            let place = Place { source: Arc::clone(&source), span: start..start + 1 };
            assert_eq!(place.line_and_column(), expected, "{start}");
        }
    }

    #[test]
    fn the_nearest_name_is_found_and_a_distant_one_is_not() {
        let known = ["rounds", "measure", "warm-up", "warm-up-max"];
        assert_eq!(nearest("round", known), Some("rounds"));
        assert_eq!(nearest("mesure", known), Some("measure"));
        assert_eq!(nearest("warmup", known), Some("warm-up"));
        assert_eq!(nearest("Warm_Up_Max", known), Some("warm-up-max"));
        assert_eq!(nearest("colour", known), None);
        let known = ["go/net-http", "node/http", "a"];
        assert_eq!(nearest("http", known), Some("node/http"));
        assert_eq!(nearest("GO/net-http", known), Some("go/net-http"));
        assert_eq!(nearest("b", known), None);
        assert_eq!(nearest("A", known), Some("a"));
        assert_eq!(nearest("", known), None);
    }
}
