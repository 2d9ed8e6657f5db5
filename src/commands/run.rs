//! `orchestrate run`: everything, from the matrix to the tables.

use std::path::Path;

use super::events::EventLog;
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
use crate::run::{self, Done, Order};
use crate::target::git::Git;
use crate::target::provision::search_path;
use crate::trial::Ask;
use crate::units::count_of;

pub(super) fn run(words: &cli::Run, console: Console) -> Result<End, Error> {
    let planned = read_and_plan(&words.matrix, &words.select, words.set)?;
    if !words.any_effect {
        super::noise::check_effect(&planned)?;
    }
    let how = How {
        verb: "run",
        purpose: None,
        against: words.against.as_deref(),
        matrix: &words.matrix,
        provision: words.provision,
        results: words.results.as_deref(),
        events: words.events.as_deref(),
        rebuild: words.rebuild,
        fail_fast: words.fail_fast,
        share_machine: words.share_machine,
    };
    let (done, interrupt) = match carry_out(&planned, &how, console)? {
        Ok(carried_out) => carried_out,
        Err(end) => return Ok(end),
    };
    let summary = report::write_files(&done.folder)?;
    // Standard output holds one thing: events, if they were asked for there.
    if words.events.as_deref() != Some(Path::new("-")) {
        console.data(&report::tables(&summary))?;
    }
    tell_interruption(&done, console);
    let since = compare::against(&summary, &Settings::of(&summary));
    let rows: Vec<&Row> = since.iter().flat_map(|table| &table.rows).collect();
    Ok(
        match (
            end(&done, words.require_all, &interrupt),
            super::compare::end(&rows, &words.fail_on),
        ) {
            // What is worse goes before what failed, which may be the earlier one; and both before what is open.
            (interrupted @ End::Interrupted(_), _) => interrupted,
            (_, End::Regression) => End::Regression,
            (End::Done, since) => since,
            (other, _) => other,
        },
    )
}

/// How a plan is carried out.
pub(super) struct How<'w> {
    /// The verb, for who asks who holds the machine.
    pub(super) verb: &'static str,
    pub(super) purpose: Option<Purpose>,
    /// The revision whose targets take part too.
    pub(super) against: Option<&'w str>,
    pub(super) matrix: &'w Path,
    pub(super) provision: Option<cli::Consent>,
    pub(super) results: Option<&'w Path>,
    pub(super) events: Option<&'w Path>,
    pub(super) rebuild: bool,
    pub(super) fail_fast: bool,
    pub(super) share_machine: bool,
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
        interrupt: &interrupt,
    };
    let done = go(&order, how.events, console)?;
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

/// Says what is kept, if a signal ended it.
pub(super) fn tell_interruption(done: &Done, console: Console) {
    if done.is_interrupted {
        console.insist(&format!(
            "interrupted: {} kept in {}",
            count_of(done.measured + done.failed + done.skipped, "trial"),
            done.folder.display()
        ));
    }
}

fn go(order: &Order<'_>, events: Option<&Path>, console: Console) -> Result<Done, Error> {
    let mut log = EventLog::default();
    if let Some(path) = events {
        let say = |error| Error::Ours(format!("cannot write `{}`: {error}", path.display()));
        log.add(path).map_err(say)?;
    }
    let mut progress = Progress::new(console);
    run::run(order, &mut |event| {
        if let Event::RunStarted { folder, .. } = event {
            // Without it the run is as good; the trials say all that events do.
            let _ = log.add(&Path::new(folder).join("events.ndjson"));
        }
        log.write(event);
        progress.show(event);
    })
    .map_err(Error::ours)
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
            let problem = Problem::without_place(error.to_string());
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
