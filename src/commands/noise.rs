//! `orchestrate noise`: what measuring itself makes of one target, seen by measuring it in two guises.

use super::run::{How, carry_out, end, tell_interruption};
use super::{Planned, read_and_plan, report};
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::matrix::Order;
use crate::plan::{Guise, load_words};
use crate::record::run::Purpose;
use crate::record::store;
use crate::report::escape::plain;
use crate::report::noise::{Rows, sampler_cost};
use crate::report::summarise::summarise;

pub(super) fn noise(words: &cli::Noise, console: Console) -> Result<End, Error> {
    let Planned { mut matrix, plan } = read_and_plan(&words.matrix, &words.select, words.set)?;
    // Of two rows in a fixed order the second would differ by coming second.
    matrix.run.order = Order::Shuffled;
    let plan = plan.in_guises(&matrix, &[Guise::Itself, Guise::Unsampled]);
    let [sampled, unsampled] = [&plan.cells[0], &plan.cells[1]].map(|cell| cell.label(&matrix));
    matrix.run.reference.clone_from(&unsampled);
    let cell = plan.cells[0];
    console.say(&format!(
        "measuring {} on {} under {}, with the sampler and without",
        plain(&sampled),
        plain(&matrix.workloads[cell.workload].name),
        load_words(&matrix.loads[cell.load])
    ));
    let how = How {
        verb: "noise",
        purpose: Some(Purpose::Noise),
        matrix: &words.matrix,
        provision: words.provision,
        results: words.results.as_deref(),
        events: None,
        rebuild: words.rebuild,
        fail_fast: false,
        share_machine: words.share_machine,
    };
    let (done, interrupt) = carry_out(&Planned { matrix, plan }, &how, console)?;
    report::write_files(&done.folder)?;
    let summary = summarise(&store::read(&done.folder).map_err(Error::ours)?);
    let rows = Rows { with: &sampled, without: &unsampled };
    console.data(&sampler_cost(&summary, rows))?;
    tell_interruption(&done, console);
    console.say(&format!("kept in {}", done.folder.display()));
    Ok(end(&done, false, &interrupt))
}
