//! `orchestrate history`: what the rows of a matrix did from run to run, made from what is committed of its runs.

use std::path::{Path, PathBuf};

use super::{compare, default_results, globs, names_of, nothing};
use crate::cli::{self, AlarmOn, HistoryFormat};
use crate::console::Console;
use crate::error::{End, Error};
use crate::history::alarm::{self, From};
use crate::history::collect::{Collector, LeftOut};
use crate::history::found::Found;
use crate::history::select::Selection;
use crate::history::{self as told};
use crate::judge::metric::Metric;
use crate::matrix;
use crate::matrix::problem::{Problem, nearest};
use crate::record::changes::Changes;
use crate::record::{outline, store};
use crate::report::escape::plain;
use crate::report::history::{Shown, csv, json, lay_out};
use crate::report::{html, markdown, table};

pub(super) fn history(words: &cli::History, console: Console) -> Result<End, Error> {
    let wanted = Wanted::of(&words.target, &words.workload, &words.load, &words.metric)?;
    let from = from(&words.fail_on);
    if from.is_some() && !wanted.metrics.iter().any(|metric| metric.decides) {
        let problem = Problem::without_place("`--fail-on` has no figure that could fail");
        let hint = "`--metric` names only such that inform; `goodput` and `cpu` decide";
        return Err(Error::Problems(vec![problem.hint(hint)]));
    }
    let place = find(&words.matrix, words.results.as_deref())?;
    let collected = collect(&place, &wanted, console)?;
    let Collected { history, memory, left_out } = &collected;
    let shown = Shown { name: &place.name, history, memory, left_out };
    let text = match words.format {
        HistoryFormat::Table => table::write(&lay_out(shown)),
        HistoryFormat::Md => markdown::write(&lay_out(shown)),
        HistoryFormat::Csv => csv::write(history, memory),
        HistoryFormat::Json => json::write(shown),
        HistoryFormat::Html => html::history::page(shown),
    };
    console.data(&text)?;
    match from {
        // Who judged nothing must not be told that all is well.
        Some(_) if !is_judged(history) => {
            console.insist(
                "the newest run has no row with a ratio to a control, so nothing was judged",
            );
            console.insist("hint: `[run] control` names the row that stands for the machine");
            Ok(End::Nothing)
        }
        Some(from) => Ok(raise(&place, &words.matrix, &collected, from, console)),
        None => Ok(End::Done),
    }
}

/// Whether there is a row in the newest run that can be judged, once there are enough runs.
fn is_judged(history: &told::History) -> bool {
    let newest = history.runs.len().checked_sub(1);
    let series = history.lines.iter().filter(|line| line.metric.decides);
    series.filter_map(|line| line.newest()).any(|series| {
        series.yardstick == told::Yardstick::Control
            && series.points.last().map(|point| point.run) == newest
    })
}

/// What `--fail-on` asks for. What is suspected may well be confirmed.
fn from(fail_on: &[AlarmOn]) -> Option<From> {
    let is_asked = |what| fail_on.contains(&what);
    match (is_asked(AlarmOn::Suspected), is_asked(AlarmOn::Confirmed)) {
        (true, _) => Some(From::Suspected),
        (false, true) => Some(From::Confirmed),
        (false, false) => None,
    }
}

/// Raises the alarms that there are, and remembers them.
fn raise(place: &Place, matrix: &str, collected: &Collected, from: From, console: Console) -> End {
    let Collected { history, memory, .. } = collected;
    let raised = alarm::raised(history, memory, from);
    let (Some(newest), false) = (history.newest(), raised.is_empty()) else { return End::Done };
    for found in &raised {
        console.insist(&said(found, memory));
    }
    console.insist(&format!(
        "hint: `orchestrate accept {} [ROW...]` takes a change for the new level",
        plain(matrix)
    ));
    let after = alarm::remember_told(memory, &raised, newest);
    if after != *memory
        && let Err(error) = after.write(&place.folder)
    {
        // The alarm matters more than that it may come again.
        console.insist(&format!("{error}, so this is told again with the next run"));
    }
    End::Regression
}

/// A change in a line.
pub(super) fn said(found: &Found<'_>, memory: &Changes) -> String {
    use crate::report::history::told;
    let line = found.line;
    plain(&format!(
        "{} under {}: {}: {}",
        line.workload,
        line.load,
        line.target,
        told(*found, memory)
    ))
}

/// Which rows and figures are wanted.
pub(super) struct Wanted {
    pub(super) selection: Selection,
    pub(super) metrics: Vec<Metric>,
}

impl Wanted {
    /// As it was typed; every fault of the words is told.
    pub(super) fn of(
        targets: &[String],
        workloads: &[String],
        loads: &[String],
        metrics: &[String],
    ) -> Result<Self, Error> {
        let mut problems = Vec::new();
        let selection = Selection {
            targets: globs(targets, &mut problems),
            workloads: globs(workloads, &mut problems),
            loads: globs(loads, &mut problems),
        };
        if !problems.is_empty() {
            return Err(Error::Problems(problems));
        }
        let mut chosen = compare::metrics(metrics)?;
        if metrics.is_empty() {
            chosen = Metric::ALL.into_iter().filter(|metric| metric.decides).collect();
        }
        Ok(Self { selection, metrics: chosen })
    }
}

/// Where the runs of a matrix are.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) name: String,
}

/// The folder of a matrix's runs: by its file, by its name, or as such.
pub(super) fn find(wanted: &str, results: Option<&Path>) -> Result<Place, Error> {
    let path = Path::new(wanted);
    if path.is_file() || path.extension().is_some_and(|it| it == "toml") {
        let run = matrix::read(path, None).map_err(Error::Problems)?.run;
        let results = results.map_or(run.results, Path::to_owned);
        return Ok(Place { folder: results.join(&run.name), name: run.name });
    }
    let results = results.map_or_else(default_results, Path::to_owned);
    let folders = [results.join(path), path.to_owned()];
    if let Some(folder) = folders.into_iter().find(|folder| folder.is_dir())
        && let Some(name) = folder.file_name()
    {
        let name = name.to_string_lossy().into_owned();
        return Ok(Place { folder, name });
    }
    let known = names_of(&store::folders(&results));
    let what = format!("no results are those of a matrix `{}`", wanted.escape_debug());
    if known.is_empty() {
        let hint = format!("there are none at all in `{}`", results.display());
        return Err(Error::Nothing { what, hint });
    }
    let guess = nearest(wanted, known.iter().map(String::as_str));
    Err(nothing(&what, &known, guess))
}

/// The runs of a matrix, and what is remembered of them.
pub(super) struct Collected {
    pub(super) history: told::History,
    pub(super) memory: Changes,
    /// Runs that do not count, in words.
    left_out: String,
}

/// Reads the runs one after the other. What cannot be read, or is no run of the matrix, is said and left out.
pub(super) fn collect(
    place: &Place,
    wanted: &Wanted,
    console: Console,
) -> Result<Collected, Error> {
    let memory = Changes::read(&place.folder).map_err(Error::ours)?;
    let mut collector = Collector::new(&place.name, &wanted.metrics);
    let mut others: Vec<(&str, usize)> = Vec::new();
    let mut bad = 0;
    for folder in store::folders(&place.folder).iter().filter(|folder| store::is_run(folder)) {
        let name = plain(&folder.file_name().unwrap_or_default().to_string_lossy());
        if !store::has_summary(folder) {
            count(&mut others, "without a summary");
            continue;
        }
        let outcome = match outline::read(folder) {
            Ok(outline) => collector.take(&outline),
            Err(error) => Err(LeftOut::Foreign(error.to_string())),
        };
        match outcome {
            Ok(()) => {}
            Err(LeftOut::Other(why)) => count(&mut others, why),
            Err(LeftOut::Foreign(why)) => {
                bad += 1;
                console.insist(&format!("run {name} is left out: {}", plain(&why)));
            }
        }
    }
    others.extend((bad > 0).then_some(("not of this matrix or damaged", bad)));
    let left_out: Vec<String> =
        others.iter().map(|(why, count)| format!("{count} {why}")).collect();
    let left_out = left_out.join(", ");
    let history = collector.finish();
    if history.runs.is_empty() {
        let what = format!("no run of `{}` is whole", plain(&place.name));
        let hint = match left_out.as_str() {
            "" => format!("`{}` holds none at all", place.folder.display()),
            left_out => format!("left out: {left_out}"),
        };
        return Err(Error::Nothing { what, hint });
    }
    let history = wanted
        .selection
        .of(history)
        .map_err(|none| nothing(&none, &none.known, none.guess.as_deref()))?;
    Ok(Collected { history, memory, left_out })
}

fn count<'w>(all: &mut Vec<(&'w str, usize)>, why: &'w str) {
    match all.iter_mut().find(|(other, _)| *other == why) {
        Some((_, count)) => *count += 1,
        None => all.push((why, 1)),
    }
}
