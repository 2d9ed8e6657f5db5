//! Right answers per second against CPU time per answer: a point a row.

use super::super::summarise::is_rankable;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, WIDTH, fit, width};
use super::rows::{Row, Table, tick_of_micros, tick_of_number};
use super::{Chart, Name};
use crate::judge::row::is_lower_bound;
use crate::record::summary::CellSummary;
use crate::units::{write_micros, write_number};

/// Where the plot begins and ends; the names stand behind it.
const PLOT: (f64, f64) = (54.0, 276.0);
const TOP: f64 = 22.0;
const NAMES: f64 = 290.0;
const NAME: f64 = 14.0;
const HEIGHT: f64 = 210.0;
const DOT: f64 = 5.0;

/// A point, and the number by which its name is found.
struct Point<'s> {
    row: &'s Row<'s>,
    number: String,
    cpu: f64,
    goodput: f64,
}

pub(super) fn chart(table: &Table<'_>) -> Option<Chart> {
    let points: Vec<Point<'_>> = (1..).zip(table.rows.iter()).filter_map(point).collect();
    let height = HEIGHT.max(points.len() as f64 * NAME + 4.0);
    let bottom = TOP + height;
    let up = Axis::log(points.iter().map(|it| it.goodput), bottom, TOP)?;
    let along = Axis::log(points.iter().map(|it| it.cpu), PLOT.0, PLOT.1)?;
    let mut canvas = Canvas::default();
    frame(&mut canvas, &up, &along, bottom);
    let at = |point: &Point<'_>| (along.at(point.cpu), up.at(point.goodput));
    let dots: Vec<(f64, f64)> = points.iter().map(at).collect();
    // Where an arrow is no number stands.
    let is_arrow = |place: &usize| is_lower_bound(points[*place].row.cell);
    let arrows =
        (0..points.len()).filter(is_arrow).map(|place| (dots[place].0, dots[place].1 - 14.0));
    let mut taken: Vec<(f64, f64)> = arrows.collect();
    for (index, point) in points.iter().enumerate() {
        let Point { row, number, cpu, goodput } = point;
        let (cpu, goodput) = (write_micros(*cpu), write_number(*goodput));
        let told = format!("{}: {goodput} right answers/s, {cpu} per answer", row.cell.target);
        canvas.open(&row.classes, &told);
        if is_lower_bound(row.cell) {
            canvas.arrow_up("i", dots[index], 18.0);
        }
        canvas.circle(if is_rankable(row.cell) { "d" } else { "h" }, dots[index], DOT);
        let place = free(dots[index], number, &dots, &taken, (TOP, bottom));
        canvas.text("s", (place.0, place.1 + 3.5), Anchor::Middle, number);
        taken.push(place);
        let y = TOP + 8.0 + index as f64 * NAME;
        canvas.circle("d", (NAMES + 3.0, y - 3.5), 3.5);
        canvas.text("m s", (NAMES + 23.0, y), Anchor::End, number);
        let label = fit(&row.cell.target, 10.5, WIDTH - NAMES - 30.0);
        canvas.text("s", (NAMES + 28.0, y), Anchor::Start, &label);
        canvas.close();
    }
    let any = |is: fn(&CellSummary) -> bool| points.iter().any(|point| is(point.row.cell));
    let bound = if any(is_lower_bound) { " An arrow: a lower bound." } else { "" };
    let hollow = if any(|cell| !is_rankable(cell)) { " An empty dot: not ranked." } else { "" };
    Some(Chart {
        name: Name::Cost,
        title: "Right answers against CPU".to_owned(),
        about: format!(
            "Both axes are logarithmic; up and left is better: more answers, for less. The numbers are those of the \
             list, which stands in the order of the table.{bound}{hollow}"
        ),
        height: bottom + 36.0,
        body: canvas.finish(),
    })
}

fn point<'s>((number, row): (usize, &'s Row<'s>)) -> Option<Point<'s>> {
    let above_zero = |value: f64| Some(value).filter(|value| *value > 0.0 && value.is_finite());
    let goodput = above_zero(row.cell.goodput_per_second.as_ref()?.mean)?;
    let cpu = above_zero(row.cell.cpu_us_per_request.as_ref()?.mean)?;
    Some(Point { row, number: number.to_string(), cpu, goodput })
}

fn frame(canvas: &mut Canvas, up: &Axis, along: &Axis, bottom: f64) {
    for tick in up.ticks(8) {
        let y = up.at(tick);
        canvas.line("g", (PLOT.0, y), (PLOT.1, y));
        canvas.text("m s", (PLOT.0 - 5.0, y + 3.5), Anchor::End, &tick_of_number(tick));
    }
    let mut end = f64::NEG_INFINITY;
    for tick in along.ticks(6) {
        let x = along.at(tick);
        canvas.line("g", (x, TOP), (x, bottom));
        let text = tick_of_micros(tick);
        let half = width(&text, 10.5) / 2.0;
        // Of two that would touch, the first is written.
        if x - half > end + 4.0 {
            canvas.text("m s", (x, bottom + 15.0), Anchor::Middle, &text);
            end = x + half;
        }
    }
    canvas.text("m s", (4.0, 11.0), Anchor::Start, "right answers per second");
    let middle = f64::midpoint(PLOT.0, PLOT.1);
    canvas.text(
        "m s",
        (middle, bottom + 31.0),
        Anchor::Middle,
        "CPU time of the server per answer",
    );
}

/// A place for a number beside its dot: the first that touches no other dot and no other number.
fn free(
    (x, y): (f64, f64),
    number: &str,
    dots: &[(f64, f64)],
    taken: &[(f64, f64)],
    (top, bottom): (f64, f64),
) -> (f64, f64) {
    let across = DOT + 4.0 + width(number, 10.5) / 2.0;
    let touches = |place: (f64, f64), other: (f64, f64), gap: (f64, f64)| {
        (place.0 - other.0).abs() < gap.0 && (place.1 - other.1).abs() < gap.1
    };
    let places = (1..=3).flat_map(|ring| {
        let far = f64::from(ring);
        [(1.0, 0.0), (0.8, -1.0), (0.0, -1.3), (-0.8, -1.0), (-1.0, 0.0), (0.8, 1.0), (0.0, 1.3)]
            .map(|(dx, dy)| (x + dx * across * far, y + dy * 10.0 * far))
    });
    let is_free = |place: &(f64, f64)| {
        let is_inside = (PLOT.0 + 4.0..PLOT.1 - 2.0).contains(&place.0)
            && (top + 5.0..bottom - 4.0).contains(&place.1);
        is_inside
            && !dots.iter().any(|dot| touches(*place, *dot, (across - 1.0, 10.0)))
            && !taken.iter().any(|other| touches(*place, *other, (15.0, 10.0)))
    };
    let mut places = places;
    places.find(is_free).unwrap_or((x + across, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_dots_that_stand_close_do_not_stand_on_each_other() {
        let dots: Vec<(f64, f64)> = (0..6).map(|it| (150.0 + f64::from(it) * 7.0, 100.0)).collect();
        let mut taken = Vec::new();
        for dot in &dots {
            taken.push(free(*dot, "12", &dots, &taken, (22.0, 232.0)));
        }
        for (index, one) in taken.iter().enumerate() {
            for other in &taken[index + 1..] {
                let apart = ((one.0 - other.0).abs(), (one.1 - other.1).abs());
                assert!(apart.0 >= 15.0 || apart.1 >= 10.0, "{taken:?}");
            }
        }
    }
}
