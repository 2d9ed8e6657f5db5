//! The figure that ranks a table, round by round: what drifts, and what stands apart.

use super::lines::{Axes, Line, draw};
use super::rows::Table;
use super::{Chart, Name};

pub(super) fn chart(table: &Table<'_>) -> Option<Chart> {
    let rounds =
        table.rows.iter().flat_map(|row| &row.trials).map(|it| it.round).max().unwrap_or(0);
    let in_round = |row: &super::rows::Row<'_>, round: u32| {
        let trial = row.trials.iter().find(|trial| trial.round == round)?;
        table.point(trial)
    };
    let lines: Vec<Line<'_>> = table
        .measured()
        .map(|row| Line {
            label: &row.cell.target,
            classes: &row.classes,
            values: (1..=rounds).map(|round| in_round(row, round)).collect(),
        })
        .collect();
    let place = |round: u32| match rounds {
        1 => 0.5,
        _ => f64::from(round - 1) / f64::from(rounds - 1),
    };
    let (figure, _) = table.words();
    let axes = Axes {
        places: (1..=rounds).map(|round| (place(round), round.to_string())).collect(),
        write: &|value| table.write_tick(value),
        below: "round",
        has_dots: true,
    };
    let (body, height) = draw(&lines, &axes)?;
    Some(Chart {
        name: Name::Rounds,
        title: format!("Round by round: {figure}"),
        about: "On a logarithmic axis, so that equal ratios are equally far apart. Rows that move together share a cause \
                outside of them; a gap is a round that was not measured."
            .to_owned(),
        height,
        body,
    })
}
