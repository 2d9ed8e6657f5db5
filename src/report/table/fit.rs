//! A table for a terminal that has no room for all of it: columns give way, one after the other in their own order, and a reason
//! that is too long ends in an ellipsis and stands whole below.

use super::super::escape::plain;
use super::super::layout::{Body, Table};

/// A reason that is cut shows as many letters at least.
const REASON_MIN: usize = 16;

/// A table that fits, as far as it can be made to.
pub(super) struct Fitted {
    pub(super) table: Table,
    /// What is said below it: what was left out, and what was cut.
    pub(super) below: Vec<String>,
}

/// Makes a table fit into lines of `room` letters, as `width` measures them.
pub(super) fn fit(table: &Table, room: usize, width: impl Fn(&Table) -> usize) -> Fitted {
    let mut fitted = table.clone();
    let mut left_out: Vec<String> = Vec::new();
    while width(&without_reasons(&fitted)) > room {
        let Some(first) = fitted.give_way.iter().flatten().min().copied() else { break };
        let stays: Vec<bool> = fitted.give_way.iter().map(|when| *when != Some(first)).collect();
        let gone = fitted.heads.iter().zip(&stays).filter(|(_, stays)| !**stays);
        left_out.extend(gone.map(|(head, _)| head.clone()));
        keep(&mut fitted, &stays);
    }
    let mut below = cut_reasons(&mut fitted, room, width);
    if !left_out.is_empty() {
        below.push(format!("left out for want of room: {}", left_out.join(", ")));
    }
    Fitted { table: fitted, below }
}

/// Keeps those columns that stay.
fn keep(table: &mut Table, stays: &[bool]) {
    retain(&mut table.heads, stays);
    retain(&mut table.are_figures, stays);
    retain(&mut table.give_way, stays);
    for row in &mut table.rows {
        let (of_names, of_figures) = stays.split_at(row.names.len().min(stays.len()));
        retain(&mut row.names, of_names);
        if let Body::Figures(figures) = &mut row.body {
            retain(figures, of_figures);
        }
    }
}

fn retain<T>(values: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    values.retain(|_| stays.next().copied().unwrap_or(true));
}

fn without_reasons(table: &Table) -> Table {
    let mut bare = table.clone();
    for row in &mut bare.rows {
        if matches!(row.body, Body::Reason(_)) {
            row.body = Body::Figures(Vec::new());
        }
    }
    bare
}

/// Cuts reasons that reach beyond the lines; each is told whole.
fn cut_reasons(table: &mut Table, room: usize, width: impl Fn(&Table) -> usize) -> Vec<String> {
    let mut told = Vec::new();
    for place in 0..table.rows.len() {
        let Body::Reason(reason) = &table.rows[place].body else { continue };
        let whole = plain(reason);
        let over = width(&alone(table, place)).saturating_sub(room);
        if over == 0 {
            continue;
        }
        let letters = whole.chars().count();
        let left = letters.saturating_sub(over + 1).max(REASON_MIN);
        if left + 1 >= letters {
            continue;
        }
        told.push(format!("{} — {reason}", table.rows[place].label));
        let cut: String = whole.chars().take(left).collect();
        table.rows[place].body = Body::Reason(format!("{}…", cut.trim_end()));
    }
    told
}

/// The table with the reason of no row but this one.
fn alone(table: &Table, place: usize) -> Table {
    let mut bare = without_reasons(table);
    bare.rows[place].body = table.rows[place].body.clone();
    bare
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::super::layout::{Layout, Without, lay_out_as};
    use super::super::super::summarise::summarise;
    use super::super::{width, write_within};
    use crate::report::column::Column;
    use crate::report::layout::Report;

    fn report(columns: &[Column]) -> Report {
        let without =
            Without { sentences: true, notes: true, provenance: true, ..Without::default() };
        let layout = Layout { columns: columns.to_vec(), without, ..Layout::default() };
        lay_out_as(&summarise(&fixture::run()), &layout)
    }

    #[test]
    fn columns_give_way_in_their_order_until_there_is_room() {
        insta::assert_snapshot!(write_within(&report(&[]), 90), @r##"
        hello · 64 connections, closed loop · 2 rounds of 1 s
          target            right answers/s   vs go/base      p50 / p99   CPU/answer   limit
          c/fast         >= 121,000 ±13.4 %      >= 2.00   500 / 900 us       5.0 us   generator
          go/base            60,600 ±13.4 %         1.00   1.0 / 2.5 ms        16 us   server
          php/bad|`<b>   failed in verify: 404 where 200 was expected
          dart/none      not installed: dart is missing (get it from its makers)
          go/raw         not offered
          left out for want of room: cores, kind, memory

        audit of hello · what answered GET /, and what it could use
          target    status   body   type   ends by   connection    cores   processes   threads
          c/fast       200   11 B   none   length    kept         1 of 1           —         2
          go/base      200   11 B   none   length    kept         1 of 1           —         2
          There is no difference that nobody declared.
          left out for want of room: sha256, head, HTTP
        "##);
        insta::assert_snapshot!(write_within(&report(&[]), 50), @r##"
        hello · 64 connections, closed loop · 2 rounds of 1 s
          target              right answers/s   vs go/base
          c/fast           >= 121,000 ±13.4 %      >= 2.00
          go/base              60,600 ±13.4 %         1.00
          php/bad|`<b>   failed in verify: 404 where 200…
          dart/none      not installed: dart is missing (…
          go/raw         not offered
          php/bad|`<b> — failed in verify: 404 where 200 was expected
          dart/none — not installed: dart is missing (get it from its makers)
          left out for want of room: cores, kind, memory, CPU/answer, p50 / p99, limit

        audit of hello · what answered GET /, and what it could use
          target    status   body   connection   threads
          c/fast       200   11 B   kept               2
          go/base      200   11 B   kept               2
          There is no difference that nobody declared.
          left out for want of room: sha256, head, HTTP, processes, ends by, cores, type
        "##);
    }

    #[test]
    fn no_line_of_a_table_is_longer_than_the_room_where_that_can_be() {
        let table = report(&[]).tables.remove(0);
        for room in [60, 61, 75, 90, 120, 200] {
            let fitted = super::fit(&table, room, width).table;
            assert!(width(&fitted) <= room, "{room}: {}", width(&fitted));
            let (heads, flags) = (fitted.heads.len(), fitted.are_figures.len());
            assert_eq!((heads, fitted.give_way.len()), (flags, flags));
        }
        assert_eq!(super::fit(&table, 200, width).table, table);
    }

    #[test]
    fn what_somebody_chose_gives_way_to_nothing() {
        let table = report(&[Column::Kind, Column::Goodput, Column::Cores]).tables.remove(0);
        let fitted = super::fit(&table, 20, width);
        assert_eq!(fitted.table.heads, table.heads);
    }
}
