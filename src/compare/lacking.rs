//! Why figures that decide cannot be compared: they are not known in a run, or not in rounds enough.

use super::row::{By, Setting};
use crate::judge::metric::Metric;
use crate::record::summary::CellSummary;
use crate::stats::comparison::ROUNDS_MIN;
use crate::units::count_of;

/// Why no figure that decides can be compared.
pub(super) fn of_row(base: &CellSummary, new: &CellSummary, setting: &Setting<'_>) -> String {
    let settings = setting.settings;
    if setting.by == By::Rounds {
        let known = settings.decides.iter().filter_map(|it| new.versus_earlier.get(it.name));
        let rounds = known.map(|ratio| ratio.rounds as usize).max().unwrap_or(0);
        let both = count_of(rounds, "round");
        return format!(
            "{both} with both of them: a verdict takes {ROUNDS_MIN}, as `--rounds {ROUNDS_MIN}` makes"
        );
    }
    let of = |cell: &CellSummary| {
        let known = settings.decides.iter().filter_map(|it| cell.versus_control.get(it.name));
        known.map(|ratio| ratio.rounds).max()
    };
    let in_run = |rounds: Option<u32>, run: &str| match rounds.map(|rounds| rounds as usize) {
        None => Some(format!(
            "in no round of the {run} run both it and the control have the figures that decide"
        )),
        Some(rounds) if rounds < ROUNDS_MIN => Some(format!(
            "only {} of the {run} run with both it and the control: a verdict takes {ROUNDS_MIN}, as `--rounds {ROUNDS_MIN}` makes",
            count_of(rounds, "round")
        )),
        Some(_) => None,
    };
    in_run(of(new), "new")
        .or_else(|| in_run(of(base), "base"))
        .unwrap_or_else(|| "the runs know different figures of it".to_owned())
}

/// Why one of them cannot be; `None` if neither run knows it, as the CPU of a server that is not ours: then the others decide.
pub(super) fn of_figure(
    base: &CellSummary,
    new: &CellSummary,
    metric: Metric,
    setting: &Setting<'_>,
) -> Option<String> {
    let name = metric.name;
    let [then, now] = setting.names;
    let is_known = |cell: &CellSummary| {
        metric.of_row(cell).is_some() || cell.versus_control.contains_key(name)
    };
    match (is_known(base), is_known(new)) {
        (false, false) => None,
        (true, false) => Some(format!("{name} is not known {now}")),
        (false, true) => Some(format!("{name} is not known {then}")),
        (true, true) if setting.by == By::Rounds => {
            let rounds = new.versus_earlier.get(name).map_or(0, |ratio| ratio.rounds as usize);
            let both = count_of(rounds, "round");
            Some(format!(
                "{name} is known in {both} with both of them: a verdict takes {ROUNDS_MIN}"
            ))
        }
        (true, true) => {
            let rounds = |cell: &CellSummary| {
                cell.versus_control.get(name).map_or(0, |ratio| ratio.rounds as usize)
            };
            let run = if rounds(new) < ROUNDS_MIN { (new, now) } else { (base, then) };
            Some(format!(
                "{name} is known of it and of the control together in {} {}: a verdict takes {ROUNDS_MIN}",
                count_of(rounds(run.0), "round"),
                run.1
            ))
        }
    }
}
