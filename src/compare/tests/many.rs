//! What is told of a row in view of others, and of what it was built from.

use super::{A, CONTROL, alike, compared, of_a, pair, row_of, rows, summary};
use crate::outcome::Change;

#[test]
fn a_change_of_a_row_of_which_nothing_has_changed_is_told_to_be_odd() {
    let with = |digest: Option<&str>, factor: f64| {
        let mut cells = pair([factor, 1.0, 1.0, 1.0, 1.0, 1.0]);
        cells[1].source_digest = digest.map(str::to_owned);
        cells
    };
    let odd = "nothing that its build is known to depend on has changed: look for another cause";
    for (old, new, factor, reason) in [
        (Some("x"), Some("x"), 0.9, Some(odd)),
        (Some("x"), Some("x"), 1.1, Some(odd)),
        (Some("x"), Some("x"), 1.0, None),
        (Some("x"), Some("y"), 0.9, None),
        (None, None, 0.9, None),
    ] {
        let row = of_a(with(old, 1.0), with(new, factor));
        assert_eq!(row.reason.as_deref(), reason, "{old:?} {new:?} {factor}");
    }
    // Of sources that nobody knows the digest is that of the commands.
    let [mut base, new] = [with(Some("x"), 1.0), with(Some("x"), 0.9)].map(summary);
    base.run.targets[1].are_sources_known = false;
    let row = row_of(&compared(&base, &new), "a");
    assert_eq!((row.change, row.reason), (Change::Worse, None));
}

#[test]
fn a_control_that_was_built_from_something_else_says_so_on_its_own_row() {
    let with = |digest: Option<&str>| {
        let mut cells = alike();
        cells[0].source_digest = digest.map(str::to_owned);
        summary(cells)
    };
    for (old, new, is_told) in
        [(Some("x"), Some("y"), true), (Some("x"), Some("x"), false), (None, Some("y"), false)]
    {
        let row = row_of(&compared(&with(old), &with(new)), "c");
        assert_eq!((row.change, row.reason.is_some()), (Change::Control, is_told));
    }
}

#[test]
fn where_most_rows_move_as_one_the_control_is_suspected_first() {
    let run = |slower: usize| {
        let names: Vec<String> = (0..8).map(|at| format!("r{at}")).collect();
        let mut levels = vec![("c", CONTROL)];
        levels.extend(names.iter().map(|name| (name.as_str(), A)));
        levels.iter_mut().skip(1).take(slower).for_each(|(_, level)| level[0] *= 0.9);
        summary(rows(&levels))
    };
    let first = |slower: usize| {
        let doubts = compared(&run(0), &run(slower)).doubts;
        doubts.first().map(|doubt| doubt.what.clone())
    };
    assert_eq!((first(0), first(5)), (None, None));
    let told = first(6).expect("a doubt");
    assert!(told.starts_with("6 of 8 rows of hello under c64 have less goodput"), "{told}");
    assert!(told.ends_with("the control may have changed"), "{told}");
}

#[test]
fn among_many_rows_one_that_lies_just_beyond_may_do_so_by_chance() {
    let names: Vec<String> = (0..20).map(|at| format!("r{at}")).collect();
    let run = |factor: f64| {
        let mut levels = vec![("c", CONTROL)];
        levels.extend(names.iter().map(|name| (name.as_str(), A)));
        levels[5].1[0] *= factor;
        summary(rows(&levels))
    };
    let of_row = |factor: f64| row_of(&compared(&run(1.0), &run(factor)), "r4");
    let alone = |factor: f64| of_a(alike(), pair([factor, 1.0, 1.0, 1.0, 1.0, 1.0])).change;
    let found = of_row(0.97);
    assert_eq!((alone(0.97), found.change), (Change::Worse, Change::Unclear), "{found:?}");
    let reason = found.reason.expect("a reason");
    assert!(reason.starts_with("goodput would be worse by itself; among 40 figures"), "{reason}");
    assert_eq!(of_row(0.94).change, Change::Worse);
}
