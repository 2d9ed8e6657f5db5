//! Lines of all rows over each other, by a logarithm, each with its name at its end.

use super::axis::{Axis, spread};
use super::canvas::{Anchor, Canvas, WIDTH, fit};

/// Where the plot begins and ends; the names stand behind it.
pub(super) const PLOT: (f64, f64) = (54.0, 282.0);
/// Where names begin.
const NAMES: f64 = 298.0;
/// From one name to the next.
const NAME: f64 = 13.0;
/// The height of a plot, at least.
const HEIGHT: f64 = 210.0;
const TOP: f64 = 10.0;

/// A row.
pub(super) struct Line<'s> {
    pub(super) label: &'s str,
    pub(super) classes: &'s str,
    /// One value for each place; gaps are what is not known.
    pub(super) values: Vec<Option<f64>>,
}

/// What stands on both axes.
pub(super) struct Axes<'w> {
    /// Where the values stand, from 0 to 1, and what is written below.
    pub(super) places: Vec<(f64, String)>,
    pub(super) write: &'w dyn Fn(f64) -> String,
    /// What the places are.
    pub(super) below: &'w str,
    /// Whether each value is a dot too.
    pub(super) has_dots: bool,
}

/// Draws them; the drawing and its height. `None` if there is nothing to draw.
pub(super) fn draw(lines: &[Line<'_>], axes: &Axes<'_>) -> Option<(String, f64)> {
    let lines: Vec<&Line<'_>> =
        lines.iter().filter(|line| line.values.iter().flatten().next().is_some()).collect();
    let height = HEIGHT.max(lines.len() as f64 * NAME + 4.0);
    let bottom = TOP + height;
    let values = lines.iter().flat_map(|line| line.values.iter().flatten().copied());
    let up = Axis::log(values, bottom, TOP)?;
    let along = Axis::between(0.0, 1.0, PLOT.0 + 6.0, PLOT.1 - 6.0);
    let mut canvas = Canvas::default();
    for tick in up.ticks(8) {
        let y = up.at(tick);
        canvas.line("g", (PLOT.0, y), (PLOT.1, y));
        canvas.text("m s", (PLOT.0 - 5.0, y + 3.5), Anchor::End, &(axes.write)(tick));
    }
    let step = axes.places.len().div_ceil(10).max(1);
    for (place, text) in axes.places.iter().step_by(step) {
        let x = along.at(*place);
        canvas.line("g", (x, TOP), (x, bottom));
        canvas.text("m s", (x, bottom + 15.0), Anchor::Middle, text);
    }
    canvas.text("m s", (f64::midpoint(PLOT.0, PLOT.1), bottom + 31.0), Anchor::Middle, axes.below);
    let points = |line: &Line<'_>| -> Vec<Option<(f64, f64)>> {
        let values = line.values.iter().zip(&axes.places);
        values.map(|(value, (place, _))| value.map(|it| (along.at(*place), up.at(it)))).collect()
    };
    let ends: Vec<(f64, f64)> =
        lines.iter().filter_map(|line| points(line).into_iter().flatten().last()).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, y)| *y).collect();
    let names = spread(&wanted, NAME, TOP + 4.0, bottom - 2.0);
    for ((line, (x, y)), name) in lines.iter().zip(&ends).zip(names) {
        canvas.open(line.classes, line.label);
        canvas.lines(
            "w",
            [Some((*x, *y)), Some((PLOT.1, *y)), Some((NAMES - 3.0, name))].into_iter(),
        );
        canvas.lines("l", points(line).into_iter());
        if axes.has_dots {
            canvas.dots("q", points(line).into_iter().flatten());
        }
        let label = fit(line.label, 10.5, WIDTH - NAMES - 2.0);
        canvas.text("s", (NAMES, name + 3.5), Anchor::Start, &label);
        canvas.close();
    }
    Some((canvas.finish(), bottom + 36.0))
}
