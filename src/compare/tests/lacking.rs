//! What is told of rows of which a figure that decides is not known, or in too few rounds.

use super::{alike, compared, of_a, pair, row_of, summary};
use crate::outcome::Change;
use crate::record::summary::CellSummary;

/// Takes out of a row what is known of its CPU time per answer.
fn without_cpu(cell: &mut CellSummary) {
    cell.cpu_us_per_request = None;
    cell.versus_control.remove("cpu");
}

fn with(goodput: f64, change: impl Fn(&mut CellSummary)) -> Vec<CellSummary> {
    let mut cells = pair([goodput, 1.0, 1.0, 1.0, 1.0, 1.0]);
    change(&mut cells[1]);
    cells
}

#[test]
fn a_row_of_which_a_run_lacks_a_figure_that_decides_is_open_unless_another_is_worse() {
    let lacking = |goodput| with(goodput, without_cpu);
    for (base, new, change, reason) in [
        (alike(), lacking(1.0), Change::Unclear, Some("cpu is not known in the new run")),
        (alike(), lacking(1.2), Change::Unclear, Some("cpu is not known in the new run")),
        (alike(), lacking(0.8), Change::Worse, None),
        (lacking(1.0), alike(), Change::Unclear, Some("cpu is not known in the base run")),
        // Of a server that is not ours no run knows it.
        (lacking(1.0), lacking(1.0), Change::Same, None),
        (lacking(1.0), lacking(1.2), Change::Better, None),
    ] {
        let row = of_a(base, new);
        assert_eq!((row.change, row.reason.as_deref()), (change, reason), "{row:#?}");
    }
}

#[test]
fn a_figure_that_too_few_rounds_have_beside_the_control_leaves_its_row_open() {
    let once = with(1.0, |cell| {
        let cpu = cell.versus_control.get_mut("cpu").expect("a ratio");
        (cpu.rounds, cpu.deviation) = (1, None);
    });
    let never = with(1.0, |cell| {
        cell.versus_control.remove("cpu");
    });
    for (new, rounds) in [(once, "1 round"), (never, "0 rounds")] {
        let row = row_of(&compared(&summary(alike()), &summary(new)), "a");
        assert_eq!(row.change, Change::Unclear, "{row:#?}");
        let reason = format!(
            "cpu is known of it and of the control together in {rounds} in the new run: a verdict takes 5"
        );
        assert_eq!(row.reason, Some(reason));
    }
}
