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
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The name among `known` that `name` was most likely meant to be.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(3) / 3)
        .min()
        .map(|(_, candidate)| candidate)
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
        assert_eq!(nearest("colour", known), None);
    }
}
