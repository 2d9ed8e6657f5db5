//! `orchestrate report`: the tables of a run, made from its folder alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{default_results, globs, nothing};
use crate::cli::{self, Format, GroupBy, Part};
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::problem::Problem;
use crate::record::store::StoreError;
use crate::record::summary::Summary;
use crate::record::trial::{Spot, TrialRecord};
use crate::record::{file, store};
use crate::report::column::{Column, ColumnError};
use crate::report::layout::{Group, Layout, Without, lay_out_as};
use crate::report::select::Selection;
use crate::report::summarise::summarise;
use crate::report::{classic, csv, html, markdown, svg, table};
use crate::units::count_of;

pub(super) fn report(words: &cli::Report, console: Console) -> Result<End, Error> {
    let (selection, layout) = choose(words)?;
    let results = words.results.clone().unwrap_or_else(default_results);
    let folder = find(&results, words.run.as_deref(), console)?;
    let Known { summary, trials } = read(&folder, console)?;
    let trials = trials.as_deref();
    if words.write {
        write_all(&folder, &summary, trials)?;
    }
    let summary =
        selection.of(summary).map_err(|none| nothing(&none, &none.known, none.guess.as_deref()))?;
    if let Some(folder) = &words.svg {
        write_charts(folder, &summary, trials, console)?;
    }
    let text = match made_of(words.format) {
        Made::Report(Kind::Table) => tables(&summary, &layout, console),
        Made::Report(kind) => write_as(&summary, trials, kind, &layout),
        Made::Cells(words) => in_words(&folder, &summary, trials, words)?,
    };
    console.data(&text)?;
    Ok(End::Done)
}

/// What a format is made of.
enum Made {
    /// All rounds of all rows.
    Report(Kind),
    /// One trial a cell, in the words of an older tool.
    Cells(classic::Words),
}

/// How a report of all rounds is written.
#[derive(Clone, Copy)]
enum Kind {
    Table,
    Md,
    Csv,
    Json,
    Html,
}

fn made_of(format: Format) -> Made {
    match format {
        Format::Table => Made::Report(Kind::Table),
        Format::Md => Made::Report(Kind::Md),
        Format::Csv => Made::Report(Kind::Csv),
        Format::Json => Made::Report(Kind::Json),
        Format::Html => Made::Report(Kind::Html),
        Format::Ab => Made::Cells(classic::ab),
        Format::Siege => Made::Cells(classic::siege),
        Format::Webbench => Made::Cells(classic::webbench),
    }
}

/// Each cell in the words of an older tool. The histograms of those trials are read once it is known which they are.
fn in_words(
    folder: &Path,
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
    words: classic::Words,
) -> Result<String, Error> {
    let Some(trials) = trials else {
        return Err(Error::Nothing {
            what: format!("there is no trials.ndjson in `{}`", folder.display()),
            hint: "these words are those of one trial; `--format table` needs only summary.json"
                .to_owned(),
        });
    };
    let told = classic::told(summary, trials);
    let spots: BTreeSet<Spot> = told.iter().filter_map(classic::Told::spot).collect();
    let run = store::read_with_histograms_of(folder, &spots).map_err(Error::ours)?;
    Ok(classic::write(&told, &run.trials, words))
}

/// What is known of a run.
struct Known {
    summary: Summary,
    /// Absent where only what was committed is at hand.
    trials: Option<Vec<TrialRecord>>,
}

fn read(folder: &Path, console: Console) -> Result<Known, Error> {
    if !store::has_trials(folder) {
        // Of a run that came with a repository there is only what was committed.
        let summary = store::read_summary(folder).map_err(Error::ours)?;
        return Ok(Known { summary, trials: None });
    }
    let run = store::read_figures(folder).map_err(Error::ours)?;
    if run.is_torn {
        console.insist("the last line of trials.ndjson is torn and was left out");
    }
    Ok(Known { summary: summarise(&run), trials: Some(run.trials) })
}

fn write_charts(
    folder: &Path,
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
    console: Console,
) -> Result<(), Error> {
    file::make_folder(folder).map_err(Error::ours)?;
    let charts = svg::files(summary, trials);
    for chart in &charts {
        let path = folder.join(&chart.file);
        file::write_beside(&path, chart.text.as_bytes()).map_err(Error::ours)?;
    }
    console.say(&format!("{} in {}", count_of(charts.len(), "chart"), folder.display()));
    Ok(())
}

/// Which tables are wanted, and how they are laid out; every fault of the words is told.
fn choose(words: &cli::Report) -> Result<(Selection, Layout), Error> {
    let mut problems = Vec::new();
    let selection = Selection {
        workloads: globs(&words.workload, &mut problems),
        loads: globs(&words.load, &mut problems),
    };
    let mut layout = Layout::default();
    let told = |error: &ColumnError| Problem::without_place(error.to_string()).hint(error.hint());
    if !words.columns.is_empty() {
        match Column::parse_list(words.columns.iter().map(String::as_str)) {
            Ok(columns) => layout.columns = columns,
            Err(errors) => problems.extend(errors.iter().map(told)),
        }
    }
    match words.sort.as_deref().map(Column::parse) {
        Some(Err(error)) => problems.push(told(&error)),
        sort => layout.sort = sort.and_then(Result::ok),
    }
    layout.group = words.group.map(|group| match group {
        GroupBy::Kind => Group::Kind,
        GroupBy::Language => Group::Language,
    });
    layout.without = without(&words.without);
    let is_laid_out = matches!(words.format, Format::Table | Format::Md);
    if layout != Layout::default() && !is_laid_out {
        let what = "`--columns`, `--sort`, `--group` and `--without` go with `--format table` and \
                    `--format md`";
        let hint =
            "the other formats are what they are; `csv` and `json` hold every figure of every row";
        problems.push(Problem::without_place(what).hint(hint));
    }
    if problems.is_empty() { Ok((selection, layout)) } else { Err(Error::Problems(problems)) }
}

fn without(parts: &[Part]) -> Without {
    let is_named = |part| parts.contains(&part);
    Without {
        title: is_named(Part::Title),
        sentences: is_named(Part::Sentences),
        notes: is_named(Part::Notes),
        audit: is_named(Part::Audit),
        provenance: is_named(Part::Provenance),
    }
}

/// The folder of the run that is wanted. Where no run is complete, the newest partial one is better than none.
fn find(results: &Path, wanted: Option<&str>, console: Console) -> Result<PathBuf, Error> {
    let found = store::find(results, wanted).or_else(|error: StoreError| match wanted {
        None => {
            let folder = store::find_newest(results)?;
            console.say(&format!("no run is complete; this is the newest: {}", folder.display()));
            Ok(folder)
        }
        Some(name) => {
            // Of a matrix without a complete run, likewise.
            let folder = newest_of(&results.join(name)).ok_or(error)?;
            console.say(&format!(
                "no run of {name} is complete; this is the newest: {}",
                folder.display()
            ));
            Ok(folder)
        }
    });
    found.map_err(|error: StoreError| super::no_run(&error, super::NAME_A_RUN))
}

fn newest_of(matrix: &Path) -> Option<PathBuf> {
    store::folders(matrix).into_iter().rfind(|folder| store::is_run(folder))
}

/// Makes the files of a run that follow from its trials; its summary.
pub(super) fn write_files(folder: &Path) -> Result<Summary, Error> {
    let run = store::read_figures(folder).map_err(Error::ours)?;
    let summary = summarise(&run);
    write_all(folder, &summary, Some(&run.trials))?;
    Ok(summary)
}

fn write_all(
    folder: &Path,
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
) -> Result<(), Error> {
    // Without trials the summary is what all else is made from.
    let summary_file = trials.map(|_| ("summary.json", Kind::Json));
    let tables = [("tables.md", Kind::Md), ("tables.csv", Kind::Csv)];
    for (name, kind) in summary_file.into_iter().chain(tables).chain([("report.html", Kind::Html)])
    {
        let text = write_as(summary, trials, kind, &Layout::default());
        file::write_beside(&folder.join(name), text.as_bytes()).map_err(Error::ours)?;
    }
    Ok(())
}

/// The tables of a summary, for whoever reads them: within a terminal's lines, or as wide as they are.
pub(super) fn tables(summary: &Summary, layout: &Layout, console: Console) -> String {
    let report = lay_out_as(summary, layout);
    match console.room_for_data() {
        Some(room) => table::write_within(&report, room),
        None => table::write(&report),
    }
}

fn write_as(
    summary: &Summary,
    trials: Option<&[TrialRecord]>,
    kind: Kind,
    layout: &Layout,
) -> String {
    match kind {
        Kind::Table => table::write(&lay_out_as(summary, layout)),
        Kind::Md => markdown::write(&lay_out_as(summary, layout)),
        Kind::Csv => csv::write(summary),
        Kind::Html => html::page(summary, trials),
        Kind::Json => {
            let mut text = serde_json::to_string_pretty(summary)
                .expect("a summary has only names and numbers");
            text.push('\n');
            text
        }
    }
}
