//! `orchestrate noise`: what measuring itself makes of one target, seen by measuring it in two guises.

use super::run::{How, carry_out, end, tell_end};
use super::{Planned, read_and_plan, report};
use crate::cli;
use crate::console::Console;
use crate::error::{End, Error};
use crate::host;
use crate::matrix::Matrix;
use crate::matrix::Order;
use crate::matrix::problem::Problem;
use crate::places::Places;
use crate::plan::{Guise, load_words};
use crate::record::floor::NoiseFloor;
use crate::record::run::Purpose;
use crate::record::{file, store};
use crate::report::escape::plain;
use crate::report::noise::{self, Rows};
use crate::report::summarise::summarise;
use crate::stats::comparison::ROUNDS_MIN;
use crate::units::{count_of, write_duration};

pub(super) fn noise(words: &cli::Noise, console: Console) -> Result<End, Error> {
    let Planned { mut matrix, plan } = read_and_plan(&words.matrix, &words.select, words.set)?;
    // Of two rows in a fixed order the second would differ by coming second.
    matrix.run.order = Order::Shuffled;
    let plan = plan.in_guises(&matrix, &[Guise::Itself, Guise::Again, Guise::Unsampled]);
    let label = |place: usize| plan.cells[place].label(&matrix);
    let [sampled, again, unsampled] = [label(0), label(1), label(2)];
    matrix.run.reference.clone_from(&sampled);
    // All rows are one target; none stands for the machine.
    matrix.run.control = None;
    let cell = plan.cells[0];
    console.say(&format!(
        "measuring {} on {} under {}, under two names, and without the sampler",
        plain(&sampled),
        plain(&matrix.workloads[cell.workload].name),
        load_words(&matrix.loads[cell.load])
    ));
    let how = How {
        verb: "noise",
        purpose: Some(Purpose::Noise),
        typed: None,
        against: None,
        matrix: &words.matrix,
        provision: words.provision,
        results: words.results.as_deref(),
        events: None,
        rebuild: words.rebuild,
        fail_fast: false,
        time_limit: None,
        share_machine: words.share_machine,
        begun: None,
        base: None,
        goes_on: None,
    };
    let planned = Planned { matrix, plan };
    let (done, interrupt) = match carry_out(&planned, &how, console)? {
        Ok(carried_out) => carried_out,
        Err(end) => return Ok(end),
    };
    report::write_files(&done.folder)?;
    let summary = summarise(&store::read(&done.folder).map_err(Error::ours)?);
    let rows = Rows { with: &sampled, again: &again, without: &unsampled };
    console.data(&noise::told(&summary, rows))?;
    if let Some(floor) = NoiseFloor::of(&summary) {
        keep(&planned.matrix, &floor, console);
    }
    tell_end(&done, None, console);
    console.say(&format!("kept in {}", done.folder.display()));
    Ok(end(&done, false, &interrupt))
}

/// Keeps the floor for runs to come. Where that cannot be written, they are made all the same.
fn keep(matrix: &Matrix, floor: &NoiseFloor, console: Console) {
    let path = Places::of(&matrix.path).noise(&matrix.run.name);
    if let Err(error) = file::make_folder_of(&path).and_then(|()| file::write_json(&path, floor)) {
        console.insist(&format!("the noise floor is not kept: {error}"));
    }
}

/// Refuses a `min-effect` that this machine was measured not to see.
///
/// # Errors
/// If it is below the noise floor of a table of the plan.
pub(super) fn check_effect(planned: &Planned) -> Result<(), Error> {
    let Planned { matrix, plan } = planned;
    let path = Places::of(&matrix.path).noise(&matrix.run.name);
    // Without a floor that can be read nothing is known against it.
    let Ok(floor) = file::read_json::<NoiseFloor>(&path) else { return Ok(()) };
    let is_measured = plan.tables().into_iter().any(|(workload, load)| {
        matrix.workloads[workload].name == floor.workload && matrix.loads[load].name == floor.load
    });
    let run = &matrix.run;
    let model = host::facts().cpu_model;
    let seconds = run.measure.as_secs_f64();
    let smallest = floor.smallest_effect(run.max_rounds, seconds, model.as_deref());
    // Of fewer rounds nobody is told a verdict, so that it decides nothing.
    let is_decisive = is_measured && run.max_rounds as usize >= ROUNDS_MIN;
    let Some(smallest) = smallest.filter(|it| is_decisive && *it > run.min_effect) else {
        return Ok(());
    };
    let (date, percent) = (floor.at.get(..10).unwrap_or(&floor.at), |share: f64| share * 100.0);
    let what = format!(
        "`min-effect` is {:.1} %, and differences under {:.1} % cannot be told from none here in {} of {} \
         (`orchestrate noise`, {date}, {} on {} under {})",
        percent(run.min_effect),
        percent(smallest),
        count_of(run.max_rounds as usize, "round"),
        write_duration(run.measure),
        plain(&floor.target),
        plain(&floor.workload),
        plain(&floor.load),
    );
    let hint = "raise `min-effect`, make more rounds or longer windows, or run with `--any-effect`";
    Err(Error::Problems(vec![Problem::without_place(what).hint(hint)]))
}
