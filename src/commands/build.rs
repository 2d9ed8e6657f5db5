//! `orchestrate build`: tools and builds of the selected targets, and no more.

use std::collections::BTreeSet;

use super::{Planned, interrupt, lock, places, provision, read_and_plan};
use crate::cli;
use crate::console::Console;
use crate::console::progress::Progress;
use crate::error::{End, Error};
use crate::host::{self, Topology};
use crate::matrix::problem::Problem;
use crate::prepare::{self, PrepareError, Prepared, Workshop};
use crate::record::trial::Ended;
use crate::target::provision::search_path;

pub(super) fn build(words: &cli::Build, console: Console) -> Result<End, Error> {
    let Planned { matrix, plan } =
        read_and_plan(&words.matrix, &words.select, cli::Set::default())?;
    let topology = Topology::read().map_err(Error::ours)?;
    let split = host::split(&topology, &matrix.cpus)
        .map_err(|what| Error::Problems(vec![Problem::without_place(what)]))?;
    let interrupt = interrupt()?;
    let _lock = if words.share_machine { None } else { Some(lock("build", &words.matrix)?) };
    let (places, mut path) = places(&matrix);
    if let Some(consent) = words.provision {
        let asks = consent == cli::Consent::Ask;
        provision::get_missing(&matrix, &plan, &places, &path, asks, &interrupt, console)?;
        path = search_path(&matrix.toolchains, &places.tools, &path);
    }
    let logs = places.builds.join("@logs");
    std::fs::create_dir_all(&logs)
        .map_err(|error| Error::Ours(format!("cannot make `{}`: {error}", logs.display())))?;
    let shop = Workshop {
        matrix: &matrix,
        builds: &places.builds,
        assets: &places.assets,
        cpus: &split.server,
        path: &path,
        logs: &logs,
        rebuild: words.rebuild,
        interrupt: &interrupt,
    };
    let targets: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let mut progress = Progress::new(console);
    let prepared = match prepare::prepare(&shop, &targets, &mut |event| progress.show(event)) {
        Ok(prepared) => prepared,
        Err(PrepareError::Interrupted) => return Ok(End::Interrupted(interrupt.exit_code())),
        Err(error) => return Err(Error::ours(error)),
    };
    let of_plan = || targets.iter().map(|place| &prepared[*place]);
    let count = |is: fn(&Prepared) -> bool| of_plan().filter(|one| is(one)).count();
    let ready = count(|one| matches!(one, Prepared::Ready(_)));
    let failed = count(|one| matches!(one, Prepared::Out(Ended::Failed(_))));
    let skipped = count(|one| matches!(one, Prepared::Out(Ended::Skipped(_))));
    console.say(&format!(
        "{ready} ready, {failed} failed, {skipped} skipped; logs in {}",
        logs.display()
    ));
    Ok(match (failed, skipped) {
        (1.., _) => End::TargetFailed,
        (0, 1..) if words.require_all => End::TargetFailed,
        _ if ready == 0 => End::Nothing,
        _ => End::Done,
    })
}
