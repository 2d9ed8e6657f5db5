//! `orchestrate build`: tools and builds of the selected targets, and no more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Planned, interrupt, lock, places, provision, read_and_plan, seats};
use crate::cli;
use crate::console::Console;
use crate::console::progress::Progress;
use crate::error::{End, Error};
use crate::event::Event;
use crate::host::Split;
use crate::interrupt::Interrupt;
use crate::matrix::service::needed_by_any;
use crate::places::Places;
use crate::prepare::{self, PrepareError, Prepared, Workshop};
use crate::record::trial::Ended;
use crate::run::lock::Lock;
use crate::target::provision::search_path;
use crate::target::sweep::sweep;

pub(super) fn build(words: &cli::Build, console: Console) -> Result<End, Error> {
    let planned = read_and_plan(&words.matrix, &words.select, cli::Set::default())?;
    let how = Making {
        verb: "build",
        matrix: &words.matrix,
        provision: words.provision,
        rebuild: words.rebuild,
        share_machine: words.share_machine,
    };
    let made = match make(&planned, &how, console)? {
        Ok(made) => made,
        Err(end) => return Ok(end),
    };
    let services = needed_by_any(&planned.matrix, &made.targets);
    let of_plan = || {
        let targets = made.targets.iter().map(|place| &made.prepared[*place]);
        targets.chain(services.iter().map(|place| &made.services[*place]))
    };
    let count = |is: fn(&Prepared) -> bool| of_plan().filter(|one| is(one)).count();
    let ready = count(|one| matches!(one, Prepared::Ready(_)));
    let failed = count(|one| matches!(one, Prepared::Out(Ended::Failed(_))));
    let skipped = count(|one| matches!(one, Prepared::Out(Ended::Skipped(_))));
    console.say(&format!(
        "{ready} ready, {failed} failed, {skipped} skipped; logs in {}",
        made.logs.display()
    ));
    Ok(match (failed, skipped) {
        (1.., _) => End::TargetFailed,
        (0, 1..) if words.require_all => End::TargetFailed,
        _ if ready == 0 => End::Nothing,
        _ => End::Done,
    })
}

/// How targets are made.
pub(super) struct Making<'w> {
    /// The verb, for who asks who holds the machine.
    pub(super) verb: &'static str,
    pub(super) matrix: &'w Path,
    pub(super) provision: Option<cli::Consent>,
    pub(super) rebuild: bool,
    pub(super) share_machine: bool,
}

/// What is there once they are made; the machine is held as long as this is.
pub(super) struct Made {
    /// Places of the targets of the plan.
    pub(super) targets: BTreeSet<usize>,
    /// Each target's tools and build, in the order of the matrix.
    pub(super) prepared: Vec<Prepared>,
    /// Each service's, likewise.
    pub(super) services: Vec<Prepared>,
    /// The CPUs of each service.
    pub(super) service_cpus: Vec<Vec<usize>>,
    pub(super) split: Split,
    pub(super) places: Places,
    pub(super) path: String,
    pub(super) logs: PathBuf,
    pub(super) interrupt: Interrupt,
    _lock: Option<Lock>,
}

/// Takes the machine, and sees to the tools and the builds of a plan's targets; or how that was ended early.
pub(super) fn make(
    planned: &Planned,
    how: &Making<'_>,
    console: Console,
) -> Result<Result<Made, End>, Error> {
    let Planned { matrix, plan } = planned;
    let (split, service_cpus) = seats(matrix)?;
    let interrupt = interrupt()?;
    let lock = if how.share_machine { None } else { Some(lock(how.verb, how.matrix)?) };
    let (places, mut path) = places(matrix);
    if let Some(consent) = how.provision {
        let asks = consent == cli::Consent::Ask;
        provision::get_missing(matrix, plan, &places, &path, asks, &interrupt, console)?;
        path = search_path(&matrix.toolchains, &places.tools, &path);
    }
    let logs = places.builds.join("@logs");
    std::fs::create_dir_all(&logs)
        .map_err(|error| Error::Ours(format!("cannot make `{}`: {error}", logs.display())))?;
    let shop = Workshop {
        matrix,
        builds: &places.builds,
        assets: &places.assets,
        cpus: &split.server,
        path: &path,
        logs: &logs,
        rebuild: how.rebuild,
        interrupt: &interrupt,
    };
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let mut progress = Progress::new(console);
    let mut tell = |event: &Event| progress.show(event);
    for what in sweep() {
        tell(&Event::Swept { what });
    }
    let prepared = prepare::prepare_services(&shop, &targets, &service_cpus, &mut tell)
        .and_then(|services| Ok((services, prepare::prepare(&shop, &targets, &mut tell)?)));
    let (services, prepared) = match prepared {
        Ok(prepared) => prepared,
        Err(PrepareError::Interrupted) => {
            return Ok(Err(End::Interrupted(interrupt.exit_code())));
        }
        Err(error) => return Err(Error::ours(error)),
    };
    Ok(Ok(Made {
        targets,
        prepared,
        services,
        service_cpus,
        split,
        places,
        path,
        logs,
        interrupt,
        _lock: lock,
    }))
}
