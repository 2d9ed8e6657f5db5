//! `orchestrate run`: everything, from the matrix to the tables.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::events::EventLog;
use super::resume::{Unfinished, named, unfinished};
use super::{
    Planned, against, interrupt, lock, places, provision, read_and_plan, report, seats, version,
};
use crate::cli;
use crate::compare::{self, Row, Settings};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::error::{End, Error};
use crate::event::Event;
use crate::host;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::matrix::problem::Problem;
use crate::plan::Plan;
use crate::record::run::{Commit, Purpose};
use crate::record::store::StoreError;
use crate::record::summary::Summary;
use crate::report::layout::Layout;
use crate::run::{self, Base, Begun, Done, Order, RunError, Start};
use crate::target::git::Git;
use crate::target::provision::search_path;
use crate::trial::Ask;
use crate::units::count_of;

pub(super) fn run(words: &cli::Run, console: Console) -> Result<End, Error> {
    let Some(asked) = asked(words, console)? else { return Ok(End::Done) };
    let planned = &asked.planned;
    if !words.any_effect {
        super::noise::check_effect(planned)?;
    }
    let goes_on = how_to_go_on(&words.matrix, words.results.as_deref());
    let how = How {
        verb: "run",
        purpose: None,
        typed: None,
        against: asked.against.as_deref(),
        matrix: &words.matrix,
        provision: words.provision,
        results: words.results.as_deref(),
        events: words.events.as_deref(),
        rebuild: words.rebuild,
        fail_fast: words.fail_fast,
        time_limit: words.time_limit,
        share_machine: words.share_machine,
        begun: asked.begun.as_deref(),
        base: asked.base.as_deref(),
        goes_on: Some(&goes_on),
    };
    let (done, interrupt) = match carry_out(planned, &how, console)? {
        Ok(carried_out) => carried_out,
        Err(end) => return Ok(end),
    };
    if done.is_unchanged {
        console.say("nothing has changed since that run: there is nothing to measure");
        return Ok(End::Done);
    }
    // Standard output holds one thing: events, if they were asked for there.
    let is_shown = words.events.as_deref() != Some(Path::new("-"));
    let summary = write_and_show(&done, is_shown, console)?;
    // Of an update without any trial it may not be known what is left.
    let goes_on = Some(&*goes_on).filter(|_| asked.base.is_none() || done.counted() > 0);
    tell_end(&done, goes_on, console);
    let since = compare::against(&summary, &Settings::of(&summary));
    let rows: Vec<&Row> = since.iter().flat_map(|table| &table.rows).collect();
    let since = super::compare::end(&rows, &words.fail_on);
    Ok(match (end(&done, words.require_all, &interrupt), since) {
        // What is worse goes before what failed, which may be the earlier one; and both before what is open.
        (interrupted @ End::Interrupted(_), _) => interrupted,
        (_, End::Regression) => End::Regression,
        (End::Done, since) => since,
        (other, _) => other,
    })
}

/// What is asked for.
struct Asked {
    planned: Planned,
    /// The folder of a run that is gone on with.
    begun: Option<PathBuf>,
    /// That of a run which is brought up to date.
    base: Option<PathBuf>,
    /// The revision whose targets take part too.
    against: Option<String>,
}

/// What is asked for; nothing if the run that was to be gone on with is finished, which is said.
fn asked(words: &cli::Run, console: Console) -> Result<Option<Asked>, Error> {
    if let Some(wanted) = &words.resume {
        return Ok(match unfinished(words, wanted.as_deref(), console)? {
            Unfinished::Run { planned, folder, against } => {
                Some(Asked { planned: *planned, begun: Some(folder), base: None, against })
            }
            Unfinished::Nothing(id) => {
                console.say(&format!("run {id} is finished: there is nothing to go on with"));
                None
            }
        });
    }
    let planned = read_and_plan(&words.matrix, &words.select, words.set)?;
    let results = words.results.as_deref().unwrap_or(&planned.matrix.run.results);
    let base = words.update.as_deref().map(|base| named(results, base)).transpose()?;
    Ok(Some(Asked { planned, begun: None, base, against: words.against.clone() }))
}

/// What is typed to go on with a run that is cut off.
pub(super) fn how_to_go_on(matrix: &Path, results: Option<&Path>) -> String {
    let results = results.map(|it| format!(" --results {}", it.display()));
    format!("orchestrate run {} --resume{}", matrix.display(), results.unwrap_or_default())
}

/// Writes what is made of a run into its folder, and shows its tables.
pub(super) fn write_and_show(
    done: &Done,
    is_shown: bool,
    console: Console,
) -> Result<Summary, Error> {
    let summary = report::write_files(&done.folder)?;
    if is_shown {
        console.data(&report::tables(&summary, &Layout::default(), console))?;
    }
    Ok(summary)
}

/// How a plan is carried out.
pub(super) struct How<'w> {
    /// The verb, for who asks who holds the machine.
    pub(super) verb: &'static str,
    pub(super) purpose: Option<Purpose>,
    /// What was typed, where no matrix was.
    pub(super) typed: Option<&'w str>,
    /// The revision whose targets take part too.
    pub(super) against: Option<&'w str>,
    pub(super) matrix: &'w Path,
    pub(super) provision: Option<cli::Consent>,
    pub(super) results: Option<&'w Path>,
    pub(super) events: Option<&'w Path>,
    pub(super) rebuild: bool,
    pub(super) fail_fast: bool,
    pub(super) time_limit: Option<Duration>,
    pub(super) share_machine: bool,
    /// The folder of a run that is gone on with.
    pub(super) begun: Option<&'w Path>,
    /// That of a run which is brought up to date.
    pub(super) base: Option<&'w Path>,
    /// What is typed to go on with this one, where that can be.
    pub(super) goes_on: Option<&'w str>,
}

/// Takes the machine, gets what is missing and may be got, and goes through all trials; or how that was ended early.
pub(super) fn carry_out(
    planned: &Planned,
    how: &How<'_>,
    console: Console,
) -> Result<Result<(Done, Interrupt), End>, Error> {
    let Planned { matrix, plan } = planned;
    let (split, service_cpus) = seats(matrix)?;
    check_requests(matrix, plan)?;
    let interrupt = interrupt()?;
    let _lock = if how.share_machine { None } else { Some(lock(how.verb, how.matrix)?) };
    let (places, mut path) = places(matrix);
    let path_of_git = path.clone();
    let joined = match how.against {
        None => None,
        Some(revision) => {
            match against::join(planned, revision, (&places, &path_of_git), &interrupt, console)? {
                Ok(joined) => Some(joined),
                Err(end) => return Ok(Err(end)),
            }
        }
    };
    let Planned { matrix, plan } = joined.as_ref().map_or(planned, |joined| &joined.planned);
    if let Some(consent) = how.provision {
        let asks = consent == cli::Consent::Ask;
        provision::get_missing(matrix, plan, &places, &path, asks, &interrupt, console)?;
        path = search_path(&matrix.toolchains, &places.tools, &path);
    }
    let order = Order {
        matrix,
        plan,
        purpose: how.purpose,
        typed: how.typed,
        commit: commit(matrix, &path, &interrupt),
        against: joined.as_ref().map(|joined| &joined.against),
        host: host::facts(),
        split: &split,
        service_cpus: &service_cpus,
        places: &places,
        path: &path,
        results: how.results.unwrap_or(&matrix.run.results),
        version: &version(),
        rebuild: how.rebuild,
        fail_fast: how.fail_fast,
        time_limit: how.time_limit,
        interrupt: &interrupt,
    };
    let start = start(how).map_err(|error| told(&RunError::Store(error), None))?;
    let done = go(&order, start, how, console)?;
    // Its work trees go before what ends them early.
    drop(joined);
    Ok(Ok((done, interrupt)))
}

/// What the repository that a matrix lies in is at.
fn commit(matrix: &Matrix, path: &str, interrupt: &Interrupt) -> Option<Commit> {
    let matrix = std::path::absolute(&matrix.path).ok()?;
    let git = Git { path, is_interrupted: interrupt.flag() };
    let (id, is_changed) = git.head(matrix.parent()?)?;
    Some(Commit { id, is_changed })
}

/// What the run begins with. From here on what is gone on with is nobody else's.
fn start(how: &How<'_>) -> Result<Start, StoreError> {
    Ok(match (how.begun, how.base) {
        (Some(folder), _) => Start::GoesOn(Box::new(Begun::open(folder)?)),
        (None, Some(folder)) => Start::Updates(Box::new(Base::read(folder)?)),
        (None, None) => Start::Anew,
    })
}

/// Says what is kept, if it ended before its last trial, and how to go on.
pub(super) fn tell_end(done: &Done, goes_on: Option<&str>, console: Console) {
    let goes_on = goes_on.map_or_else(String::new, |words| format!("; go on with `{words}`"));
    let kept = count_of(done.counted(), "trial");
    if done.is_interrupted {
        let folder = done.folder.display();
        console.insist(&format!("interrupted: {kept} kept in {folder}{goes_on}"));
    } else if done.is_out_of_time {
        let out = count_of(done.planned - done.counted(), "trial");
        console.insist(&format!("the time limit is over: {out} left out, {kept} kept{goes_on}"));
    }
}

fn go(order: &Order<'_>, start: Start, how: &How<'_>, console: Console) -> Result<Done, Error> {
    let mut log = EventLog::default();
    if let Some(path) = how.events {
        let say = |error| Error::Ours(format!("cannot write `{}`: {error}", path.display()));
        log.add(path, &order.split.generator).map_err(say)?;
    }
    let mut progress = Progress::new(console);
    let mut is_on_disk = false;
    let mut tell = |event: &Event| {
        if let Event::RunStarted { folder, .. }
        | Event::RunResumed { folder, .. }
        | Event::UpdateStarted { folder, .. } = event
        {
            is_on_disk = true;
            // Without it the run is as good; the trials say all that events do.
            let _ = log.append_to(&Path::new(folder).join("events.ndjson"));
        }
        log.write(event);
        progress.show(event);
    };
    let outcome = run::run(order, start, &mut tell);
    outcome.map_err(|error| told(&error, how.goes_on.filter(|_| is_on_disk)))
}

/// Why a run ended by our own fault, and what to do then.
fn told(error: &RunError, goes_on: Option<&str>) -> Error {
    let what = error.to_string();
    let go_on = |before: &str| goes_on.map(|words| format!("{before}go on with `{words}`"));
    match error {
        RunError::Store(StoreError::Held(_)) => {
            Error::Refused { what, hint: Some("wait for it".to_owned()) }
        }
        RunError::Refused(_) => {
            let hint = "begin a new run, without `--resume` or `--update`".to_owned();
            Error::Refused { what, hint: Some(hint) }
        }
        RunError::Store(error) if error.is_want_of_room() => {
            Error::Stopped { what, hint: go_on("make room, then ") }
        }
        _ => Error::Stopped { what, hint: go_on("once that is mended, ") },
    }
}

/// Whether every request can be made: told before anything starts.
pub(super) fn check_requests(matrix: &Matrix, plan: &Plan) -> Result<(), Error> {
    let somewhere = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let mut problems: Vec<Problem> = Vec::new();
    for cell in &plan.cells {
        let asked = Ask::new(
            &matrix.targets[cell.target],
            &matrix.workloads[cell.workload],
            &matrix.loads[cell.load],
            somewhere,
        );
        if let Err(error) = asked {
            let problem = Problem::without_place(error.to_string()).maybe_hint(error.hint());
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Problems(problems)) }
}

pub(super) fn end(done: &Done, requires_all: bool, interrupt: &Interrupt) -> End {
    if done.is_interrupted {
        End::Interrupted(interrupt.exit_code())
    } else if done.failed > 0 || (requires_all && done.skipped > 0) {
        End::TargetFailed
    } else if done.measured == 0 {
        End::Nothing
    } else {
        End::Done
    }
}
