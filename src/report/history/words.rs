//! Single things of a history in words.

use super::Shown;
use crate::history::beside;
use crate::history::found::{Found, Standing};
use crate::history::{History, Line, Run, Series, Yardstick};
use crate::record::changes::Changes;
use crate::stats::comparison::Better;
use crate::units::{count_of, write_number};

pub(in crate::report) const WITHOUT_CONTROL: &str = "There is no control, so these are absolute figures: what the machine \
     did from run to run is in them, and no change is called. Name one: `control` in `[run]`.";

/// What a figure is called.
pub(in crate::report) fn name_of(line: &Line) -> &'static str {
    line.metric.title()
}

pub(in crate::report) fn title(shown: Shown<'_>, lines: &[&Line]) -> String {
    let Some(line) = lines.first() else { return String::new() };
    let words = line
        .newest()
        .map_or("", |series| shown.history.conditions[series.conditions].load_words.as_str());
    let better = match line.metric.better {
        Better::More => "more is better",
        Better::Less => "less is better",
    };
    let informs = if line.metric.decides { "" } else { ", informs only" };
    format!("{} · {words} · {} · {better}{informs}", line.workload, name_of(line))
}

/// What levels are measured in.
pub(super) fn level_head<'h>(history: &'h History, lines: &[&'h Line]) -> &'h str {
    let newest = lines.iter().filter_map(|line| line.newest());
    let controls: Vec<Option<&str>> = newest
        .filter(|series| series.yardstick != Yardstick::Itself)
        .map(|series| history.conditions[series.conditions].control.as_deref())
        .collect();
    match controls.first() {
        Some(Some(_)) if controls.iter().all(Option::is_some) => "vs control",
        _ => "level",
    }
}

/// A level.
pub(in crate::report) fn level(line: &Line, series: &Series, value: f64) -> String {
    match series.yardstick {
        Yardstick::Control => ratio(value),
        Yardstick::Itself | Yardstick::Nothing => line.metric.unit.write(value),
    }
}

/// A ratio with a digit more than a change that matters.
pub(in crate::report) fn ratio(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.3}"),
        10.0..100.0 => format!("{value:.2}"),
        _ => write_number(value),
    }
}

/// A change as a share, with its sign.
pub(in crate::report) fn share(share: f64) -> String {
    let percent = share * 100.0;
    // No sign before nothing.
    if percent.abs() < 0.05 { "0.0 %".to_owned() } else { format!("{percent:+.1} %") }
}

/// The date of a run.
pub(in crate::report) fn date(run: &Run) -> &str {
    run.started_at.get(..10).unwrap_or(&run.started_at)
}

/// What a change is.
pub(in crate::report) fn state(found: Found<'_>, memory: &Changes) -> String {
    let what = if found.is_worse() { "regression" } else { "improvement" };
    match (found.standing(memory), found.is_worse()) {
        (Standing::Suspected, _) => format!("{what} suspected"),
        (Standing::Accepted, true) => format!("{what}, accepted"),
        (Standing::Recovered, true) => format!("{what}, recovered"),
        (Standing::Confirmed, _) | (_, false) => format!("{what} confirmed"),
    }
}

/// A change with all that is known of it.
pub(in crate::report) fn change(found: Found<'_>, memory: &Changes) -> String {
    let (line, series) = (found.line, found.series);
    let interval = found.change.interval.map_or_else(String::new, |(low, high)| {
        format!(" (95 %: {} to {})", share(low.exp_m1()), share(high.exp_m1()))
    });
    let mut parts = vec![format!(
        "{}: {} {}{interval}, {} to {}, since run {} of {}",
        state(found, memory),
        name_of(line),
        share(found.share()),
        level(line, series, found.change.before.exp()),
        level(line, series, found.change.after.exp()),
        found.since().id,
        date(found.since()),
    )];
    let seen = count_of(found.times_seen(), "run");
    parts.push(match (found.suspected_by(), found.confirmed_by()) {
        (_, None) => "seen in the newest run alone".to_owned(),
        (Some(_), Some(by)) => {
            format!("suspected at first sight, confirmed by {}, seen in {seen}", by.id)
        }
        (None, Some(by)) => format!("confirmed by {}, seen in {seen}", by.id),
    });
    let beside = found.before().map(|before| beside::changed(before, found.since()));
    let beside = beside.unwrap_or_default();
    if !beside.is_empty() {
        parts.push(format!("with it changed {}", beside.join(", ")));
    }
    parts.join("; ")
}

/// What is to be known of a series besides its changes.
pub(super) fn about_series(history: &History, line: &Line, series: &Series) -> Vec<String> {
    let mut told = Vec::new();
    if series.yardstick == Yardstick::Itself {
        told.push(
            "the control: its figures are absolute, and show what the machine did".to_owned(),
        );
    }
    if let Some(since) = series.points.first().map(|point| &history.runs[point.run])
        && let Some(before) = line.series.len().checked_sub(2).map(|place| &line.series[place])
    {
        let conditions = |series: &Series| &history.conditions[series.conditions];
        let changed = conditions(before).changed_to(conditions(series)).join(", ");
        told.push(format!(
            "a series of its own since {}, apart from {} before: {changed}",
            date(since),
            count_of(before.points.len(), "run")
        ));
    }
    if !series.points.is_empty() {
        told.extend(left_out(series));
    }
    if let (Some(last), Some(newest)) =
        (series.points.last().map(|point| &history.runs[point.run]), history.newest())
        && last.id != newest.id
        && series.left_out.last().is_none_or(|(run, _)| history.runs[*run].id != newest.id)
    {
        told.push(format!("last measured on {}", date(last)));
    }
    told
}

/// The runs of a series that do not count, and why.
pub(super) fn left_out(series: &Series) -> Option<String> {
    let (_, first) = series.left_out.first()?;
    let all = series.left_out.len() + series.points.len();
    let mut names: Vec<&str> = series.left_out.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Some(if series.points.is_empty() && names.len() == 1 {
        format!("not judged: {first} in every run")
    } else {
        let count = series.left_out.len();
        format!("{count} of {} do not count: {}", count_of(all, "run"), names.join(", "))
    })
}

/// The line below all tables.
pub(in crate::report) fn provenance(shown: Shown<'_>) -> String {
    let runs = &shown.history.runs;
    let mut parts = vec![format!("{} of {}", count_of(runs.len(), "run"), shown.name)];
    if let (Some(first), Some(last)) = (runs.first(), runs.last()) {
        let (first, last) = (date(first), date(last));
        parts.push(if first == last { first.to_owned() } else { format!("{first} to {last}") });
    }
    if !shown.left_out.is_empty() {
        parts.push(format!("left out: {}", shown.left_out));
    }
    parts.push(counts(shown));
    parts.join(" · ")
}

/// How many changes for the worse are open.
pub(in crate::report) fn counts(shown: Shown<'_>) -> String {
    let count = |standing: Standing| {
        let found = shown.history.found().filter(|it| it.is_worse() && it.line.metric.decides);
        found.filter(|it| it.standing(shown.memory) == standing).count()
    };
    let (confirmed, suspected) = (count(Standing::Confirmed), count(Standing::Suspected));
    let mut series = shown.history.lines.iter().filter_map(Line::newest);
    match (confirmed, suspected) {
        (0, 0) if !series.any(|it| it.yardstick == Yardstick::Control) => {
            "nothing is judged without a control".to_owned()
        }
        (0, 0) => "no regression is open".to_owned(),
        (confirmed, 0) => format!("{} confirmed", count_of(confirmed, "regression")),
        (0, suspected) => format!("{} suspected", count_of(suspected, "regression")),
        (confirmed, suspected) => {
            format!("{} confirmed, {suspected} suspected", count_of(confirmed, "regression"))
        }
    }
}
