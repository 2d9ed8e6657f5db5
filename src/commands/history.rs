//! `orchestrate history`: what the rows of a matrix did from run to run, made from what is committed of its runs.

use std::path::{Path, PathBuf};

use super::{choice, compare, default_results, names_of, nothing};
use crate::cli::{self, AlarmOn, HistoryFormat};
use crate::clock;
use crate::console::Console;
use crate::error::{End, Error};
use crate::history::alarm::{self, From};
use crate::history::collect::{Collector, LeftOut};
use crate::history::found::Found;
use crate::history::{self as told};
use crate::judge::metric::Metric;
use crate::matrix;
use crate::matrix::choice::Choice;
use crate::matrix::problem::{Problem, nearest};
use crate::record::changes::Changes;
use crate::record::{outline, store};
use crate::report::escape::plain;
use crate::report::history::{Shown, csv, json, lay_out};
use crate::report::{html, markdown, table};
use crate::units::count_of;

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
    let Collected { history, memory, left_out, .. } = &collected;
    let shown = Shown { name: &place.name, history, memory, left_out };
    let text = match words.format {
        HistoryFormat::Table => table::write(&lay_out(shown)),
        HistoryFormat::Md => markdown::write(&lay_out(shown)),
        HistoryFormat::Csv => csv::write(history, memory),
        HistoryFormat::Json => json::write(shown),
        HistoryFormat::Html => html::history::page(shown),
    };
    console.data(&text)?;
    let Some(from) = from else { return Ok(End::Done) };
    tell_behind(&collected, console);
    // Who judged nothing must not be told that all is well.
    if !is_judged(history) {
        console.insist(
            "the newest run has no row with a ratio to a control that counts, so nothing was judged",
        );
        console.insist(&format!("hint: {}", why_nothing(history)));
        return Ok(End::Nothing);
    }
    let end = raise(&place, &words.matrix, &collected, from, console);
    Ok(match end {
        End::Done if collected.is_newest_unread => End::Nothing,
        end => end,
    })
}

/// Why nothing of the newest run is judged, and what to do about it.
fn why_nothing(history: &told::History) -> String {
    let newest = history.runs.len().saturating_sub(1);
    let series = history.lines.iter().filter_map(|line| line.newest());
    let left_out = series.flat_map(|series| &series.left_out).filter(|(run, _)| *run == newest);
    let mut reasons: Vec<&str> = left_out.map(|(_, reason)| reason.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() {
        return "`[run] control` names the row that stands for the machine".to_owned();
    }
    format!("its rows do not count: {}", plain(&reasons.join(", ")))
}

/// Says which runs are newer than all that is judged. A matrix of which every night is cut off must not be mute for ever.
fn tell_behind(collected: &Collected, console: Console) {
    let Some((last, why)) = collected.behind.last() else { return };
    let newest = collected.history.newest().map_or("none", |run| run.id.as_str());
    let others = match collected.behind.len() - 1 {
        0 => String::new(),
        others => format!(", as {} before it", count_of(others, "run")),
    };
    console.insist(&format!(
        "what is judged is run {}: run {last} is newer and left out{others}: {why}",
        plain(newest)
    ));
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

/// What is said of a run of which nothing was made but its trials.
const WITHOUT_SUMMARY: &str = "without a summary";

/// Which rows and figures are wanted.
pub(super) struct Wanted {
    pub(super) choice: Choice,
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
        let choice = choice(targets, workloads, loads)?;
        let mut chosen = compare::metrics(metrics)?;
        if metrics.is_empty() {
            chosen = Metric::ALL.into_iter().filter(|metric| metric.decides).collect();
        }
        Ok(Self { choice, metrics: chosen })
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
    /// Runs behind the newest one that counts which do not, and why.
    behind: Vec<(String, &'static str)>,
    /// Whether the newest of all cannot be read.
    is_newest_unread: bool,
}

/// Reads the runs one after the other. What cannot be read, or is no run of the matrix, is said and left out.
pub(super) fn collect(
    place: &Place,
    wanted: &Wanted,
    console: Console,
) -> Result<Collected, Error> {
    let memory = Changes::read(&place.folder).map_err(Error::ours)?;
    let mut collector = Collector::new(&place.name, &wanted.metrics, &clock::wall().to_string());
    let mut others: Vec<(&str, usize)> = Vec::new();
    let (mut bad, mut behind, mut is_newest_unread) = (0, Vec::new(), false);
    for folder in store::folders(&place.folder).iter().filter(|folder| store::is_run(folder)) {
        let name = plain(&folder.file_name().unwrap_or_default().to_string_lossy());
        let outline = store::has_summary(folder).then(|| outline::read(folder));
        is_newest_unread = matches!(outline, Some(Err(_)));
        let outcome = match outline {
            None => Err(LeftOut::Lacking(WITHOUT_SUMMARY)),
            Some(Ok(outline)) => collector.take(&outline),
            Some(Err(error)) => Err(LeftOut::Foreign(error.to_string())),
        };
        match outcome {
            Ok(()) => behind.clear(),
            Err(LeftOut::Lacking(why)) => {
                count(&mut others, why);
                behind.push((name, why));
            }
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
    let history = history
        .select(&wanted.choice)
        .map_err(|none| nothing(&none, &none.known, none.guess.as_deref()))?;
    Ok(Collected { history, memory, left_out, behind, is_newest_unread })
}

fn count<'w>(all: &mut Vec<(&'w str, usize)>, why: &'w str) {
    match all.iter_mut().find(|(other, _)| *other == why) {
        Some((_, count)) => *count += 1,
        None => all.push((why, 1)),
    }
}
