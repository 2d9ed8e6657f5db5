//! What the bench says: a table for each case, and the figures to reach; as text, and as a section of a Markdown file.

use std::fmt::Write as _;
use std::path::Path;

/// Between these lines of a Markdown file the section is put.
const BEGIN: &str = "<!-- peers:begin -->";
const END: &str = "<!-- peers:end -->";

/// One table, with remarks below it.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

/// A figure to reach, and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) goal: String,
    pub(crate) measured: String,
    pub(crate) bound: String,
    pub(crate) verdict: &'static str,
}

/// Everything that is said.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tables: Vec<Table>,
    pub(crate) figures: Vec<Figure>,
}

impl Figure {
    /// A figure of which `bound` must not lie above `goal`.
    pub(crate) fn at_most(
        what: &str,
        (goal, goal_text): (f64, &str),
        measured: f64,
        bound: Option<f64>,
        write: impl Fn(f64) -> String,
    ) -> Self {
        Self {
            what: what.to_owned(),
            goal: goal_text.to_owned(),
            measured: write(measured),
            bound: bound.map_or_else(|| "-".to_owned(), &write),
            verdict: if bound.unwrap_or(measured) <= goal { "met" } else { "not met" },
        }
    }

    /// A figure that could not be measured.
    pub(crate) fn absent(what: &str, goal: &str, why: &str) -> Self {
        Self {
            what: what.to_owned(),
            goal: goal.to_owned(),
            measured: why.to_owned(),
            bound: "-".to_owned(),
            verdict: "not measured",
        }
    }
}

impl Report {
    /// The figures to reach, as a table.
    pub(crate) fn figures(&self) -> Table {
        let cells = |it: &Figure| {
            vec![
                it.what.clone(),
                it.goal.clone(),
                it.measured.clone(),
                it.bound.clone(),
                it.verdict.to_owned(),
            ]
        };
        Table {
            title: "Figures to reach".to_owned(),
            head: vec!["what", "figure to reach", "measured", "bound", "met or not"],
            rows: self.figures.iter().map(cells).collect(),
            notes: Vec::new(),
        }
    }
}

impl Table {
    /// In columns.
    pub(crate) fn text(&self) -> String {
        let head: Vec<String> = self.head.iter().map(|&cell| cell.to_owned()).collect();
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&head]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let mut text = format!("\n{}\n", self.title);
        for row in std::iter::once(&head).chain(&self.rows) {
            let mut line = String::new();
            for (cell, &width) in row.iter().zip(&widths) {
                write!(line, "  {cell:<width$}").expect("a string takes everything");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        for note in &self.notes {
            writeln!(text, "  {note}").expect("a string takes everything");
        }
        text
    }

    /// In Markdown, below a heading.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.title);
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        text.push_str(&line(&mut self.head.iter().copied()));
        text.push_str(&line(&mut self.head.iter().map(|_| "---")));
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        for note in &self.notes {
            write!(text, "\n{note}\n").expect("a string takes everything");
        }
        text.push('\n');
        text
    }
}

/// Puts a section into a file: between its marks, or as all of a file that is not there yet.
pub(crate) fn put(file: &Path, section: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let section = format!("{BEGIN}\n{}\n{END}", section.trim_end());
    let text = if file.exists() {
        let text = std::fs::read_to_string(file).map_err(failed)?;
        let places = text.find(BEGIN).zip(text.find(END)).filter(|(begin, end)| begin < end);
        let Some((begin, end)) = places else {
            return Err(format!("{}: no `{BEGIN}` before `{END}`", file.display()));
        };
        format!("{}{section}{}", &text[..begin], &text[end + END.len()..])
    } else {
        format!("{section}\n")
    };
    std::fs::write(file, text).map_err(failed)
}
