//! Response time by quantile: of each row the median of what its trials say of each. Trials are never pooled.

use super::lines::{Axes, Line, draw};
use super::rows::{Row, Table, tick_of_micros};
use super::{Chart, Name};
use crate::judge::too_few::quantile;
use crate::record::measured::Times;
use crate::stats::median::median;

const QUANTILES: [(f64, &str); 5] =
    [(0.5, "50 %"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99")];

pub(super) fn chart(table: &Table<'_>) -> Option<Chart> {
    let lines: Vec<Line<'_>> = table
        .measured()
        .map(|row| Line {
            label: &row.cell.target,
            classes: &row.classes,
            values: QUANTILES.iter().map(|(quantile, _)| middle(row, *quantile)).collect(),
        })
        .collect();
    // Each nine has the same room.
    let nines = |quantile: f64| -(1.0 - quantile).log10();
    let (first, last) = (nines(QUANTILES[0].0), nines(QUANTILES[4].0));
    let place = |quantile: f64| (nines(quantile) - first) / (last - first);
    let axes = Axes {
        places: QUANTILES.iter().map(|(at, text)| (place(*at), (*text).to_owned())).collect(),
        write: &tick_of_micros,
        below: "of all answers came within",
        has_dots: true,
    };
    let (body, height) = draw(&lines, &axes)?;
    Some(Chart {
        name: Name::Quantiles,
        title: "Response time by quantile".to_owned(),
        about: "Both axes are logarithmic. Each point is the median over a row's trials of that quantile; trials are \
                never pooled. A quantile with fewer than ten answers beyond it in a trial is left out, and a point that \
                fewer than half of the trials have."
            .to_owned(),
        height,
        body,
    })
}

/// The median of a quantile over trials, if at least half of them know it.
fn middle(row: &Row<'_>, place: f64) -> Option<f64> {
    let all = row.windows().count();
    // On a logarithmic axis there is no place for nothing.
    let at = |times: &Times| quantile(times, place).filter(|value| *value > 0.0);
    let known: Vec<f64> = row.windows().filter_map(|(_, it)| at(&it.response_time_us)).collect();
    (known.len() * 2 >= all).then(|| median(&known)).flatten()
}
