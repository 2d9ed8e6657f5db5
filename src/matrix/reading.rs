//! What goes with reading a matrix: where files come from, and every fault that was found so far.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{Files, tidy};
use super::problem::{Place, Problem, Source};
use super::table::Table;
use super::wire::{self, Placed};

/// What goes wrong most often with a path.
pub(super) const RELATIVE: &str = "paths start from the folder of the file that they stand in";
/// What to do without a matrix.
const FIRST: &str = "`orchestrate init` writes a first matrix, `orchestrate init --example` the default ones with their targets";

/// One reading of one matrix with all that it names.
pub(super) struct Reading<'f> {
    pub(super) files: &'f dyn Files,
    problems: RefCell<Vec<Problem>>,
}

impl<'f> Reading<'f> {
    pub(super) fn new(files: &'f dyn Files) -> Self {
        Self { files, problems: RefCell::default() }
    }

    /// Notes a fault and goes on.
    pub(super) fn report(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// How many faults were noted so far.
    pub(super) fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// Every fault: by file in the order in which files were read, then by place, each said once.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut order: Vec<PathBuf> = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for problem in self.problems.into_inner() {
            let path = problem.place.as_ref().map(|place| place.source.path.clone());
            order.extend(path.filter(|path| !order.contains(path)));
            let is_known =
                |known: &Problem| known.what == problem.what && known.place == problem.place;
            if !problems.iter().any(is_known) {
                problems.push(problem);
            }
        }
        problems.sort_by_key(|problem| {
            problem.place.as_ref().map(|place| {
                (order.iter().position(|path| *path == place.source.path), place.span.start)
            })
        });
        problems
    }

    /// A file as a table; `None` if it cannot be read, which is noted at `named`, where it is asked for.
    pub(super) fn toml<'r>(&'r self, path: &Path, named: Option<&Place>) -> Option<Table<'r>> {
        let bytes = self.bytes(path, named)?;
        let shown = self.shown(path);
        let Ok(text) = String::from_utf8(bytes) else {
            self.report(Problem {
                place: named.cloned(),
                what: format!("`{}` is no UTF-8 text", shown.display()),
                hint: Some("save it as UTF-8".to_owned()),
            });
            return None;
        };
        // A byte order mark says nothing in UTF-8, and would count as a column.
        let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
        self.toml_text(shown, text)
    }

    /// A text as a table; `None` if it is no TOML.
    pub(super) fn toml_text(&self, path: PathBuf, text: String) -> Option<Table<'_>> {
        let source = Arc::new(Source { path, text });
        match wire::parse(&source) {
            Ok(entries) => Some(Table::new(self, Place { source, span: 0..0 }, entries)),
            Err(problems) => {
                self.problems.borrow_mut().extend(problems);
                None
            }
        }
    }

    /// The content of a file that a key names.
    pub(super) fn content(&self, file: &Placed<PathBuf>) -> Option<Vec<u8>> {
        self.bytes(&file.value, Some(&file.place))
    }

    fn bytes(&self, path: &Path, named: Option<&Place>) -> Option<Vec<u8>> {
        match self.files.read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let shown = self.shown(path);
                self.report(Problem {
                    place: named.cloned(),
                    what: format!("cannot read `{}`: {error}", shown.display()),
                    hint: (error.kind() == ErrorKind::NotFound)
                        .then(|| if named.is_some() { RELATIVE } else { FIRST }.to_owned()),
                });
                None
            }
        }
    }

    /// A path in full.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        tidy(&self.files.here().join(path))
    }

    /// A path as messages show it: below the current folder without what leads there.
    pub(super) fn shown(&self, path: &Path) -> PathBuf {
        let absolute = self.absolute(path);
        match absolute.strip_prefix(self.files.here()) {
            Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
            // The current folder itself is shown as it was named.
            Ok(_) if path.is_relative() => path.to_owned(),
            _ => absolute,
        }
    }
}
