//! Patterns of names as a matrix gives them, and those among them that match nothing.

use super::globs::Globs;
use super::problem::{Problem, nearest};
use super::reading::Reading;
use super::table::Table;
use super::values::quoted;
use super::wire::Placed;

/// What a pattern looks like.
pub(super) const FORMS: &str =
    "patterns are such as `go/*`, `*.rs`, `{a,b}`, `[0-9]`; `[[]` is a `[`";
/// How many names a hint tells.
const NAMES_TOLD: usize = 12;

/// Patterns, each with its place.
#[derive(Clone)]
pub(super) struct Patterns {
    pub(super) globs: Globs,
    pub(super) written: Vec<Placed<String>>,
    /// Whether some pattern had a fault, so that what they match is not what was meant.
    is_faulty: bool,
}

/// Takes patterns of names out of a table; without any, all names match.
pub(super) fn patterns(table: &mut Table<'_>, key: &'static str) -> Patterns {
    let mut written = Vec::new();
    let faults = table.reading.count();
    if let Some(list) = table.texts(key) {
        if list.value.is_empty() {
            let hint = "leave it out for all, or name some";
            table.reading.report(Problem::at(list.place, format!("`{key}` is empty")).hint(hint));
        }
        for pattern in list.value {
            match Globs::parse(&[&pattern.value]) {
                Ok(_) => written.push(pattern),
                Err(error) => {
                    let problem = Problem::at(pattern.place, error.to_string());
                    table.reading.report(problem.hint(FORMS));
                }
            }
        }
    }
    let texts: Vec<&str> = written.iter().map(|pattern| pattern.value.as_str()).collect();
    let globs = Globs::parse(&texts).unwrap_or_else(|_| Globs::all());
    Patterns { globs, written, is_faulty: table.reading.count() > faults }
}

impl Patterns {
    /// Those that all names match.
    pub(super) fn all() -> Self {
        Self { globs: Globs::all(), written: Vec::new(), is_faulty: false }
    }

    /// Whether a name is among them, or would perhaps be if they had no fault.
    pub(super) fn may_match(&self, name: &str) -> bool {
        self.is_faulty || self.globs.matches(name)
    }

    /// Notes every pattern that is none of `names`, which are names of `sort`s.
    pub(super) fn report_idle(&mut self, reading: &Reading<'_>, sort: &str, names: &[&str]) {
        for pattern in &self.written {
            let glob = pattern.value.trim_start_matches('!');
            let is_idle = Globs::parse(&[glob])
                .is_ok_and(|globs| !names.iter().any(|name| globs.matches(name)));
            self.is_faulty |= is_idle;
            if is_idle {
                let what = format!("`{glob}` matches no {sort}");
                let problem = Problem::at(pattern.place.clone(), what);
                reading.report(problem.hint(hint(glob, sort, names)));
            }
        }
    }
}

/// The name that was meant, else the names there are.
pub(super) fn hint(name: &str, sort: &str, names: &[&str]) -> String {
    if let Some(guess) = nearest(name, names.iter().copied()) {
        return format!("did you mean `{guess}`?");
    }
    let told = quoted(names.iter().copied().take(NAMES_TOLD));
    match names.len() {
        0 => format!("there is no {sort}"),
        1..=NAMES_TOLD => format!("there is {told}"),
        count => format!("there is {told} and {} more", count - NAMES_TOLD),
    }
}
