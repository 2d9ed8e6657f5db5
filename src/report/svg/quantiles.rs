//! Response time by quantile: of each row the median of what its trials say of each. Trials are never pooled.

use super::lines::{Axes, Line, draw};
use super::rows::{Row, Table, tick_of_micros};
use super::{Chart, Name};
use crate::judge::too_few::is_enough;
use crate::record::measured::Times;
use crate::stats::blocks::median;

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
fn middle(row: &Row<'_>, quantile: f64) -> Option<f64> {
    let all = row.windows().count();
    let known: Vec<f64> =
        row.windows().filter_map(|(_, it)| at(&it.response_time_us, quantile)).collect();
    (!known.is_empty() && known.len() * 2 >= all).then(|| median(&known))
}

fn at(times: &Times, quantile: f64) -> Option<f64> {
    if !is_enough(times.count, quantile) {
        return None;
    }
    let value = match quantile {
        0.5 => times.p50,
        0.9 => times.p90,
        0.99 => times.p99,
        0.999 => times.p999,
        _ => times.p9999(),
    };
    value.filter(|value| *value > 0.0)
}
