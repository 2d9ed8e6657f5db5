//! What is told of rows whose figures are only bounds.

use super::{A, CONTROL, alike, bearing, compared, of_a, pair, row_of, rows, summary};
use crate::compare::{Settings, compare};
use crate::judge::metric::Metric;
use crate::outcome::{Change, Doubt};
use crate::record::summary::Summary;

#[test]
fn a_lower_bound_is_never_called_worse_and_its_cpu_still_counts() {
    let faster = |bound: bool| {
        let mut cells = pair([1.3, 1.0, 1.0, 1.0, 1.0, 1.0]);
        if bound {
            cells[1].caveats = bearing(Doubt::ClientBound)[1].caveats.clone();
        }
        cells
    };
    let slower = || bearing(Doubt::ClientBound);
    for (base, new, change) in [
        (alike(), slower(), Change::Unclear),
        (alike(), faster(true), Change::Better),
        (slower(), faster(false), Change::Unclear),
        (slower(), slower(), Change::Unclear),
        (faster(true), alike(), Change::Worse),
    ] {
        assert_eq!(of_a(base, new).change, change);
    }
    let row = of_a(alike(), slower());
    let reason = "goodput is a lower bound in the new run: the load generator was the limit";
    assert_eq!(row.reason.as_deref(), Some(reason));
    let mut costly = pair([1.0, 1.2, 1.0, 1.0, 1.0, 1.0]);
    costly[1].caveats = bearing(Doubt::ClientBound)[1].caveats.clone();
    assert_eq!(of_a(alike(), costly).change, Change::Worse);
}

#[test]
fn a_bound_of_the_control_bounds_what_is_held_against_it() {
    let with = |factor: f64, row: bool, control: bool| {
        let mut cells = pair([factor, 1.0, 1.0, 1.0, 1.0, 1.0]);
        for (at, is_bound) in [(0, control), (1, row)] {
            if is_bound {
                cells[at].caveats = bearing(Doubt::ClientBound)[1].caveats.clone();
            }
        }
        cells
    };
    let alike = || with(1.0, false, false);
    for (base, new, change) in [
        // The control could answer more than it looks, so the row's share of it may be less.
        (alike(), with(0.8, false, true), Change::Worse),
        (alike(), with(1.3, false, true), Change::Unclear),
        (with(1.0, false, true), with(1.3, false, false), Change::Better),
        (with(1.0, false, true), with(0.8, false, false), Change::Unclear),
        (with(1.0, false, true), with(0.8, false, true), Change::Unclear),
        // Both in one run: nothing is known of their ratio.
        (alike(), with(0.8, true, true), Change::Unclear),
        (alike(), with(1.3, true, true), Change::Unclear),
    ] {
        let row = of_a(base, new);
        assert_eq!(row.change, change, "{row:#?}");
    }
    let row = of_a(with(1.0, false, true), with(0.8, false, true));
    let reason = "goodput of the control is a lower bound in the base run and in the new run: the load generator was the limit";
    assert_eq!(row.reason.as_deref(), Some(reason));
    assert!(row.figures[0].base_control_is_bound && row.figures[0].new_control_is_bound);
    let (base, new) = (summary(with(1.0, false, true)), summary(alike()));
    let control = row_of(&compared(&base, &new), "c").figures.swap_remove(0);
    assert!(control.base_is_bound && !control.base_control_is_bound, "{control:?}");
    // What an answer costs is the same, whoever was the limit.
    assert_eq!(row.figures[1].change, Some(Change::Same));
}

/// A run of twenty rows, of which the fifth has so many times its right answers.
fn twenty(factor: f64, are_bounds: impl Fn(usize) -> bool) -> Summary {
    let names: Vec<String> = (0..20).map(|at| format!("r{at}")).collect();
    let mut levels = vec![("c", CONTROL)];
    levels.extend(names.iter().map(|name| (name.as_str(), A)));
    levels[5].1[0] *= factor;
    let mut cells = rows(&levels);
    for (at, cell) in cells.iter_mut().enumerate().skip(1) {
        if are_bounds(at) {
            cell.caveats = bearing(Doubt::ClientBound)[1].caveats.clone();
        }
    }
    summary(cells)
}

#[test]
fn what_a_bound_can_never_say_it_is_not_told_to_say_by_itself() {
    // Among forty figures it does not stand either.
    let found = row_of(&compared(&twenty(1.0, |_| false), &twenty(0.97, |at| at == 5)), "r4");
    assert_eq!(found.change, Change::Unclear);
    let reason = "goodput is a lower bound in the new run: the load generator was the limit";
    assert_eq!(found.reason.as_deref(), Some(reason));
}

#[test]
fn figures_that_are_bounds_in_both_runs_make_it_no_harder_to_tell_the_others() {
    let of_row = |are_bounds: fn(usize) -> bool| {
        let (base, new) = (twenty(1.0, are_bounds), twenty(0.973, are_bounds));
        let settings = Settings { decides: vec![Metric::named("goodput")], ..Settings::of(&new) };
        row_of(&compare(&base, &new, &settings), "r4")
    };
    assert_eq!(of_row(|_| false).change, Change::Unclear, "one of twenty");
    let found = of_row(|at| at != 5);
    assert_eq!(found.change, Change::Worse, "the only one that can be told: {found:#?}");
    let both = of_row(|at| at == 5);
    assert_eq!((both.change, both.figures[0].change), (Change::Unclear, Some(Change::Unclear)));
    assert!(both.figures[0].base_is_bound && both.figures[0].new_is_bound);
    let reason = both.reason.expect("a reason");
    assert!(reason.starts_with("goodput is a lower bound in the base run and in the new run"));
}
