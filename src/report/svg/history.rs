//! A row from run to run: every run a dot, every level a line, and where one gave way to the next.

use super::super::escape;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, WIDTH, fit, num};
use crate::history::found::Found;
use crate::history::{History, Line, Series};

const PLOT: (f64, f64) = (58.0, WIDTH - 8.0);
const TOP: f64 = 18.0;
const BOTTOM: f64 = 148.0;
const HEIGHT: f64 = BOTTOM + 22.0;
/// Labels of changes that are nearer to each other stand in two lines.
const LABEL: f64 = 62.0;

/// The words of a chart.
pub(in crate::report) struct Words<'w> {
    /// What a figure of a series is, written.
    pub(in crate::report) level: &'w dyn Fn(&Series, f64) -> String,
    /// A change, in few letters.
    pub(in crate::report) change: &'w dyn Fn(Found<'_>) -> String,
    /// What all changes of the row are told as.
    pub(in crate::report) title: String,
}

/// The chart of a row, for a page that has the rules of charts. `None` if there is nothing to draw. Ratios and absolute figures share no
/// axis: series of another kind than the newest one are not drawn.
pub(in crate::report) fn chart(
    history: &History,
    line: &Line,
    words: &Words<'_>,
) -> Option<String> {
    let newest = line.newest()?;
    let drawn: Vec<&Series> = line
        .series
        .iter()
        .filter(|series| series.yardstick == newest.yardstick && !series.points.is_empty())
        .collect();
    let values = drawn.iter().flat_map(|series| &series.points).map(|point| point.value);
    let up = Axis::log(values, BOTTOM, TOP)?;
    let last = history.runs.len().saturating_sub(1);
    let along = Axis::between(0.0, last.max(1) as f64, PLOT.0 + 6.0, PLOT.1 - 6.0);
    let mut canvas = Canvas::default();
    for tick in up.ticks(4) {
        let y = up.at(tick);
        canvas.line("g", (PLOT.0, y), (PLOT.1, y));
        canvas.text("m s", (PLOT.0 - 5.0, y + 3.5), Anchor::End, &(words.level)(newest, tick));
    }
    dates(&mut canvas, history, along);
    for (place, series) in drawn.iter().enumerate() {
        // The newest is the first colour.
        let colour = (drawn.len() - 1 - place) % super::palette::COLOURS;
        canvas.open(&format!("k{colour}"), &words.title);
        draw(&mut canvas, series, along, up);
        canvas.close();
    }
    let mut labels: Vec<f64> = Vec::new();
    for series in &drawn {
        for found in history.found_in(line, series) {
            mark(&mut canvas, found, along, &mut labels, words);
        }
    }
    let title = escape::markup(&words.title);
    Some(format!(
        "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{title}\">{}</svg>",
        num(WIDTH),
        num(HEIGHT),
        canvas.finish()
    ))
}

/// The dates of the first and the last run, and of one between where there is room.
fn dates(canvas: &mut Canvas, history: &History, along: Axis) {
    let last = history.runs.len().saturating_sub(1);
    let mut places = vec![(0, Anchor::Start)];
    if last >= 8 {
        places.push((last / 2, Anchor::Middle));
    }
    if last >= 1 {
        places.push((last, Anchor::End));
    }
    for (place, anchor) in places {
        let date = history.runs[place].started_at.get(..10).unwrap_or_default();
        let x = match anchor {
            Anchor::Start => PLOT.0,
            Anchor::Middle => along.at(place as f64),
            Anchor::End => PLOT.1,
        };
        canvas.text("m s", (x, BOTTOM + 16.0), anchor, date);
    }
}

fn draw(canvas: &mut Canvas, series: &Series, along: Axis, up: Axis) {
    let place = |point: &crate::history::Point| (along.at(point.run as f64), up.at(point.value));
    canvas.lines("w", series.points.iter().map(|point| Some(place(point))));
    canvas.dots("q", series.points.iter().map(place));
    for (number, level) in series.judged.levels.iter().enumerate() {
        let (Some(mean), points) = (series.level(number), &series.points[level.clone()]) else {
            continue;
        };
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let y = up.at(mean);
            let (from, to) = (along.at(first.run as f64), along.at(last.run as f64));
            canvas.line("l", (from - 2.0, y), (to + 2.0, y));
        }
    }
}

/// A line where a change begins, with its size above.
fn mark(
    canvas: &mut Canvas,
    found: Found<'_>,
    along: Axis,
    labels: &mut Vec<f64>,
    words: &Words<'_>,
) {
    let run = found.series.points[found.change.at].run as f64;
    // Between the last run of the old level and the first of the new one.
    let x = along.at((run - 0.5).max(0.0));
    let class = if found.is_worse() { "x" } else { "r" };
    canvas.line(class, (x, TOP - 4.0), (x, BOTTOM));
    // One that would stand on another is left to the note.
    if labels.iter().any(|other| (other - x).abs() < LABEL) {
        return;
    }
    labels.push(x);
    let text = fit(&(words.change)(found), 10.5, 2.0 * LABEL);
    let anchor = if x < PLOT.0 + LABEL / 2.0 {
        Anchor::Start
    } else if x > PLOT.1 - LABEL / 2.0 {
        Anchor::End
    } else {
        Anchor::Middle
    };
    let x = if anchor == Anchor::End { PLOT.1 } else { x };
    canvas.text("s", (x, TOP - 7.0), anchor, &text);
}
