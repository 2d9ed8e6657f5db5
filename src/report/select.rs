//! Which tables of a run are wanted, by the names of their workloads and loads.

use crate::matrix::globs::Globs;
use crate::record::run::PlannedTable;
use crate::record::summary::Summary;

/// The tables that are wanted; `None` wants all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Names of workloads.
    pub workloads: Option<Globs>,
    /// Names of loads.
    pub loads: Option<Globs>,
}

/// A selection that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} of the run matches {patterns}")]
pub struct NoTable {
    /// `workload`, `load`, or `table` where only both together match nothing.
    pub kind: &'static str,
    patterns: String,
    /// The names there are.
    pub known: Vec<String>,
    /// The one of them that was most likely meant.
    pub guess: Option<String>,
}

impl Selection {
    /// A summary of the tables that are wanted alone.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(&self, mut summary: Summary) -> Result<Summary, NoTable> {
        let tables = &summary.run.tables;
        check("workload", self.workloads.as_ref(), tables, |table| &table.workload)?;
        check("load", self.loads.as_ref(), tables, |table| &table.load)?;
        let is_wanted = |workload: &str, load: &str| {
            self.workloads.as_ref().is_none_or(|globs| globs.matches(workload))
                && self.loads.as_ref().is_none_or(|globs| globs.matches(load))
        };
        if !tables.is_empty() && !tables.iter().any(|it| is_wanted(&it.workload, &it.load)) {
            let known = tables.iter().map(|it| format!("{} under {}", it.workload, it.load));
            let globs = [&self.workloads, &self.loads].into_iter().flatten();
            let patterns = globs.map(written).collect::<Vec<_>>().join(" under ");
            let known = known.collect();
            return Err(NoTable { kind: "table", patterns, known, guess: None });
        }
        summary.run.tables.retain(|table| is_wanted(&table.workload, &table.load));
        summary.noise.retain(|noise| is_wanted(&noise.workload, &noise.load));
        summary.cells.retain(|cell| is_wanted(&cell.workload, &cell.load));
        Ok(summary)
    }
}

fn check(
    kind: &'static str,
    globs: Option<&Globs>,
    tables: &[PlannedTable],
    name: impl Fn(&PlannedTable) -> &String,
) -> Result<(), NoTable> {
    let Some(globs) = globs else { return Ok(()) };
    let mut known: Vec<String> = Vec::new();
    for name in tables.iter().map(name) {
        if !known.contains(name) {
            known.push(name.clone());
        }
    }
    if known.iter().any(|name| globs.matches(name)) {
        return Ok(());
    }
    let guess = globs.guess(&known).map(str::to_owned);
    Err(NoTable { kind, patterns: written(globs), known, guess })
}

fn written(globs: &Globs) -> String {
    let patterns = globs.patterns().iter().map(|pattern| format!("`{pattern}`"));
    patterns.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::super::summarise::summarise;
    use super::*;

    fn selected(workloads: &[&str], loads: &[&str]) -> Result<Vec<String>, NoTable> {
        let mut summary = summarise(&fixture::run());
        for (workload, load) in [("file", "c64"), ("hello", "c1")] {
            let mut table = summary.run.tables[0].clone();
            (table.workload, table.load) = (workload.to_owned(), load.to_owned());
            summary.run.tables.push(table);
        }
        let globs = |patterns: &[&str]| {
            (!patterns.is_empty()).then(|| Globs::parse(patterns).expect("patterns"))
        };
        let selection = Selection { workloads: globs(workloads), loads: globs(loads) };
        let summary = selection.of(summary)?;
        let is_here = |workload: &str| summary.cells.iter().any(|cell| cell.workload == workload);
        let has_hello = summary.run.tables.iter().any(|it| it.workload == "hello");
        assert_eq!(is_here("hello"), has_hello && loads != ["c1"]);
        let tables = summary.run.tables.iter();
        Ok(tables.map(|table| format!("{} {}", table.workload, table.load)).collect())
    }

    #[test]
    fn tables_are_chosen_by_workload_and_load_and_their_rows_go_with_them() {
        for (workloads, loads, expected) in [
            (&[][..], &[][..], &["hello c64", "file c64", "hello c1"][..]),
            (&["hello"], &[], &["hello c64", "hello c1"]),
            (&["!hello"], &[], &["file c64"]),
            (&["h*"], &["c1"], &["hello c1"]),
        ] {
            assert_eq!(selected(workloads, loads).expect("tables"), expected);
        }
    }

    #[test]
    fn what_selects_nothing_is_told_with_the_names_there_are() {
        for (workloads, loads, what, known) in [
            (
                &["helo", "x"][..],
                &[][..],
                "no workload of the run matches `helo`, `x`",
                "hello file",
            ),
            (&[], &["c2"], "no load of the run matches `c2`", "c64 c1"),
            (
                &["file"],
                &["c1"],
                "no table of the run matches `file` under `c1`",
                "hello under c64 file under c64 hello under c1",
            ),
        ] {
            let none = selected(workloads, loads).expect_err("nothing");
            assert_eq!((none.to_string().as_str(), none.known.join(" ").as_str()), (what, known));
        }
    }
}
