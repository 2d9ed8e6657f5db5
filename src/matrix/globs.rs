//! Patterns of names: `*`, `go/*`, `!*/cluster`.

use super::problem::nearest;

/// Patterns of names, where `!` in front excludes.
#[derive(Debug, Clone)]
pub struct Globs {
    patterns: Vec<String>,
    included: globset::GlobSet,
    excluded: globset::GlobSet,
}

impl Globs {
    /// Reads patterns; `!pattern` excludes, and excluding alone starts from everything.
    ///
    /// # Errors
    /// The pattern that is no glob, and why.
    pub fn parse<S: AsRef<str>>(patterns: &[S]) -> Result<Self, GlobError> {
        let mut included = globset::GlobSetBuilder::new();
        let mut excluded = globset::GlobSetBuilder::new();
        let mut starts_empty = false;
        for pattern in patterns {
            let text = pattern.as_ref();
            let (set, glob) = if let Some(glob) = text.strip_prefix('!') {
                (&mut excluded, glob)
            } else {
                starts_empty = true;
                (&mut included, text)
            };
            set.add(globset::Glob::new(glob).map_err(|error| GlobError::new(text, &error))?);
        }
        if !starts_empty {
            included.add(globset::Glob::new("*").map_err(|error| GlobError::new("*", &error))?);
        }
        let build = |set: globset::GlobSetBuilder| {
            set.build().map_err(|error| GlobError::new("these patterns", &error))
        };
        Ok(Self {
            patterns: patterns.iter().map(|pattern| pattern.as_ref().to_owned()).collect(),
            included: build(included)?,
            excluded: build(excluded)?,
        })
    }

    /// Every name.
    pub fn all() -> Self {
        Self::parse(&["*"]).expect("`*` is a pattern")
    }

    /// Whether a name is among them. `*` matches across `/`.
    pub fn matches(&self, name: &str) -> bool {
        self.included.is_match(name) && !self.excluded.is_match(name)
    }

    /// The name that was most likely meant by one of the patterns that matches none of them.
    pub fn guess<'n>(&self, names: &'n [String]) -> Option<&'n str> {
        let texts = self.patterns.iter().map(|pattern| pattern.trim_start_matches('!'));
        texts
            .filter(|text| !names.iter().any(|name| name == text))
            .find_map(|text| nearest(text, names.iter().map(String::as_str)))
    }

    /// As written.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

/// A pattern that is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no pattern: {reason}")]
pub struct GlobError {
    pattern: String,
    reason: String,
}

impl GlobError {
    fn new(pattern: &str, error: &globset::Error) -> Self {
        Self { pattern: pattern.to_owned(), reason: error.kind().to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_among_them_if_a_pattern_takes_it_in_and_none_takes_it_out() {
        for (patterns, name, expected) in [
            (&["*"][..], "go/net-http", true),
            (&["go/*"], "go/net-http", true),
            (&["go/*"], "node/http", false),
            (&["*", "!node/*"], "node/http", false),
            (&["!node/*"], "go/net-http", true),
            (&["!node/*"], "node/http", false),
            (&["go/net-http+*"], "go/net-http+one-core", true),
            (&["go/net-http"], "go/net-http+one-core", false),
        ] {
            let globs = Globs::parse(patterns).expect("patterns");
            assert_eq!(globs.matches(name), expected, "{patterns:?} {name}");
        }
        assert!(Globs::parse(&["[x"]).is_err());
    }
}
