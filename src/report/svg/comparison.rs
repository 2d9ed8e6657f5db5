//! The rows of a table beside each other: the figure that ranks them, its interval, and the points of all rounds.

use super::super::summarise::is_rankable;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, WIDTH, fit, num, width, wrap};
use super::rows::{Row, Table};
use super::{Chart, Name};
use crate::record::summary::Figure;

/// Where the plot begins and ends.
const PLOT: (f64, f64) = (8.0, WIDTH - 10.0);
/// The height of a row with a figure.
const ROW: f64 = 40.0;
/// The room of a rank of one or two digits.
const RANK: f64 = 22.0;
/// From how many rows on the axis stands above them too.
const MANY: usize = 8;

pub(super) fn chart(table: &Table<'_>) -> Option<Chart> {
    let figures = || table.measured().filter_map(|row| table.figure(row.cell));
    let points = || figures().flat_map(|figure| figure.points.iter().copied().chain([figure.mean]));
    let highest = points().fold(0.0, f64::max);
    // An interval of two rounds may be wider than all else together.
    let ends = || figures().filter_map(|figure| figure.high).map(|high| high.min(highest * 1.25));
    let lowest = points().fold(f64::INFINITY, f64::min);
    let values = || points().chain(ends());
    // What lies so far apart is seen by its logarithm only.
    let is_log = highest / lowest > 40.0;
    let axis = if is_log {
        Axis::log(values(), PLOT.0, PLOT.1)
    } else {
        Axis::from_zero(values(), PLOT.0, PLOT.1)
    }?;
    let is_tall = table.rows.len() > MANY;
    let top = if is_tall { 22.0 } else { 4.0 };
    let heights: Vec<f64> = table.rows.iter().map(height).collect();
    let bottom = top + heights.iter().sum::<f64>();
    let mut canvas = Canvas::default();
    frame(&mut canvas, table, &axis, (top, bottom), is_tall);
    let mut y = top;
    for (row, height) in table.rows.iter().zip(&heights) {
        draw(&mut canvas, table, row, &axis, y);
        y += height;
    }
    let (figure, better) = table.words();
    let scale = if is_log { ", on a logarithmic axis" } else { "" };
    canvas.text("m s", (PLOT.0, bottom + 30.0), Anchor::Start, &format!("{figure}{scale}"));
    canvas.text("m s", (PLOT.1, bottom + 30.0), Anchor::End, better);
    Some(Chart {
        name: Name::Comparison,
        title: format!("Comparison: {figure}"),
        about: about(table, &axis),
        height: bottom + 36.0,
        body: canvas.finish(),
    })
}

fn about(table: &Table<'_>, axis: &Axis) -> String {
    let mut about = vec![
        "Large dot: geometric mean over rounds; bar: its 95 % interval; pale dots: the rounds.",
    ];
    if table.measured().any(|row| table.is_bound(row.cell)) {
        about.push("An arrow: a lower bound, where the load generator was the limit.");
    }
    if table.measured().any(|row| !is_rankable(row.cell)) {
        about.push("An empty dot: not ranked.");
    }
    let is_cut = |figure: &Figure| figure.high.is_some_and(|high| axis.is_beyond(high));
    if table.measured().filter_map(|row| table.figure(row.cell)).any(is_cut) {
        about.push("A bar without its right end goes on beyond the edge.");
    }
    if table.rows.iter().any(|row| row.cell.target == table.reference) {
        about.push("Dashed: the reference.");
    }
    about.join(" ")
}

fn frame(
    canvas: &mut Canvas,
    table: &Table<'_>,
    axis: &Axis,
    (top, bottom): (f64, f64),
    is_tall: bool,
) {
    for tick in axis.ticks(5) {
        let x = axis.at(tick);
        canvas.line("g", (x, top), (x, bottom));
        let text = table.write_tick(tick);
        let half = (width(&text, 10.5) / 2.0).min(WIDTH / 2.0);
        let x = x.clamp(half, WIDTH - half);
        canvas.text("m s", (x, bottom + 14.0), Anchor::Middle, &text);
        if is_tall {
            canvas.text("m s", (x, top - 8.0), Anchor::Middle, &text);
        }
    }
}

/// The lines of the reason why a row has no figure.
fn reason(row: &Row<'_>) -> Vec<String> {
    let reason = row.cell.reason.as_deref().unwrap_or("no figure");
    wrap(reason, 10.5, PLOT.1 - PLOT.0 - 22.0, 3)
}

fn height(row: &Row<'_>) -> f64 {
    match row.cell.reason {
        None => ROW,
        Some(_) => 22.0 + 14.0 * reason(row).len() as f64,
    }
}

fn draw(canvas: &mut Canvas, table: &Table<'_>, row: &Row<'_>, axis: &Axis, y: f64) {
    let cell = row.cell;
    let figure = if cell.reason.is_none() { table.figure(cell) } else { None };
    let value = figure.map_or_else(String::new, |figure| value(table, row, figure));
    canvas.open(&row.classes, &format!("{} {value}", cell.target));
    let mut x = PLOT.0;
    if let Some(room) = room_for_ranks(table) {
        let rank = table.rank(cell).unwrap_or_else(|| "–".to_owned());
        canvas.text("m v", (x, y + 14.0), Anchor::Start, &rank);
        x += room;
    }
    let room = PLOT.1 - x - if value.is_empty() { 0.0 } else { width(&value, 12.0) + 10.0 };
    canvas.text("b", (x, y + 14.0), Anchor::Start, &fit(&cell.target, 12.5, room));
    canvas.text("v", (PLOT.1, y + 14.0), Anchor::End, &value);
    if let Some(figure) = figure {
        mark(canvas, table, row, figure, axis, y + 26.0);
    } else {
        let lines = reason(row);
        for (line, text) in lines.iter().enumerate() {
            canvas.text("m s v", (x, y + 29.0 + 14.0 * line as f64), Anchor::Start, text);
        }
    }
    canvas.close();
}

/// The width of what stands before the names; nothing where no row is ranked.
fn room_for_ranks(table: &Table<'_>) -> Option<f64> {
    let ranks = table.rows.iter().filter_map(|row| table.rank(row.cell));
    ranks.map(|rank| (width(&rank, 12.0) + 8.0).max(RANK)).reduce(f64::max)
}

fn value(table: &Table<'_>, row: &Row<'_>, figure: &Figure) -> String {
    let bound = if table.is_bound(row.cell) { ">= " } else { "" };
    let value = fit(&table.write(figure.mean), 12.0, 120.0);
    match figure.half_width() {
        Some(half) if half < 1.0 => format!("{bound}{value} ±{:.1} %", half * 100.0),
        Some(half) => format!("{bound}{value} ×/÷ {:.1}", half + 1.0),
        None => format!("{bound}{value}"),
    }
}

/// Points, interval and mean of a row.
fn mark(
    canvas: &mut Canvas,
    table: &Table<'_>,
    row: &Row<'_>,
    figure: &Figure,
    axis: &Axis,
    y: f64,
) {
    // What belongs to a name stands on a line below it.
    canvas.line("g", (PLOT.0, y), (PLOT.1, y));
    let reference = table.measured().find(|row| row.cell.target == table.reference);
    if let Some(figure) = reference.and_then(|row| table.figure(row.cell)) {
        let x = axis.at(figure.mean);
        canvas.line("r", (x, y - 8.0), (x, y + 8.0));
    }
    let mean = axis.at(figure.mean);
    if let (Some(low), Some(high)) = (figure.low, figure.high) {
        let (from, to) = (axis.at(low), axis.at(high));
        // The end of a bar that is cut has no cap.
        let cap = |x: f64| format!("M{} {}v6", num(x), num(y - 3.0));
        let end = if axis.is_beyond(high) { String::new() } else { cap(to) };
        let bar = format!("M{} {}H{}", num(from), num(y), num(to));
        canvas.path("i", &format!("{bar}{}{end}", cap(from)));
    }
    canvas.dots("o", figure.points.iter().map(|point| (axis.at(*point), y)));
    if table.is_bound(row.cell) {
        let from = figure.high.map_or(mean, |high| axis.at(high).max(mean));
        canvas.arrow("i", (from, y), (WIDTH - 2.0 - from).clamp(6.0, 26.0));
    }
    let class = if is_rankable(row.cell) { "d" } else { "h" };
    canvas.circle(class, (mean, y), 5.0);
}
