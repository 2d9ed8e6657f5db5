//! One row in two runs: what can be told of it by itself, and what is left to be told when all rows are looked at together.

use std::collections::BTreeMap;

use super::bounds::{Sides, allowed, are_mute, of_verdict, reason as bounded};
use super::lacking::{of_figure, of_row};
use super::{Figure, Ratio, Row, Settings};
use crate::judge::metric::Metric;
use crate::outcome::{Change, Doubt, Kind as _};
use crate::record::summary::{self, CellSummary, LogRatio};
use crate::stats::bound::Bounds;
use crate::stats::comparison::{Better, ROUNDS_MIN};
use crate::stats::welch::{Difference, Side};
use crate::units::count_of;

/// What is said of a row that has changed although nothing of it has.
const UNCHANGED: &str =
    "nothing that its build is known to depend on has changed: look for another cause";

/// What is said of a control that is not the same program.
const OTHER_CONTROL: &str = "it was built from something else in the new run";

/// A row in both runs, as far as it is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'s> {
    pub(super) target: &'s str,
    pub(super) base: Option<&'s CellSummary>,
    pub(super) new: Option<&'s CellSummary>,
    /// Whether what its build depends on is known in both, so that it can be told whether that has changed.
    pub(super) are_sources_known: bool,
}

/// By what two sides of a row are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Each by its ratios to the control of its own run.
    Control,
    /// By the rounds that both went through.
    Rounds,
}

/// What a row is compared in.
#[derive(Debug, Clone)]
pub(super) struct Setting<'s> {
    pub(super) settings: &'s Settings,
    pub(super) by: By,
    /// What the two sides are called: `in the base run`.
    pub(super) names: [&'s str; 2],
    /// Whether no row of the two runs can be compared.
    pub(super) hindered: bool,
    pub(super) control: Option<&'s str>,
    /// The control of its table in the base run and in the new run.
    pub(super) controls: [Option<&'s CellSummary>; 2],
    /// What is asked otherwise in the new run, so that no row of the table can be compared.
    pub(super) other: Option<String>,
}

/// Whether both were built from the same; `None` if that is not known.
fn is_same_source(base: &CellSummary, new: &CellSummary) -> Option<bool> {
    Some(base.source_digest.as_ref()? == new.source_digest.as_ref()?)
}

/// A row, and its figures that are still to be looked at with those of all others.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) row: Row,
    pub(super) tests: Vec<Test>,
    /// Why it is left open, whatever comes of them.
    open: Option<String>,
    /// What the two sides are called.
    names: [String; 2],
    is_unchanged: bool,
}

/// A figure that decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    /// Its place among the figures of the row.
    at: usize,
    difference: Difference,
    better: Better,
    /// What of it is only a bound.
    sides: Sides,
}

impl Test {
    /// The probability of such a difference if it does not matter.
    pub(super) fn p(&self, min_effect: f64) -> f64 {
        self.difference.p_beyond(min_effect)
    }
}

/// Compares a row as far as it can be told by itself.
pub(super) fn draft(pair: &Pair<'_>, setting: &Setting<'_>) -> Draft {
    let row = |change, reason: Option<String>, figures| Row {
        target: pair.target.to_owned(),
        change,
        reason,
        figures,
    };
    let settled = |change, reason, figures| Draft {
        row: row(change, reason, figures),
        tests: Vec::new(),
        open: None,
        names: setting.names.map(str::to_owned),
        is_unchanged: false,
    };
    let (base, new) = match (pair.base, pair.new) {
        (Some(base), Some(new)) => (base, new),
        (None, Some(new)) => return settled(Change::New, new.reason.clone(), Vec::new()),
        (_, None) => return settled(Change::Gone, None, Vec::new()),
    };
    let is_control = setting.control == Some(pair.target);
    let can_be_held = !setting.hindered && setting.other.is_none();
    let is_told = can_be_held && !is_control;
    // Its own figures are held against nothing.
    let controls = if is_control { [None; 2] } else { setting.controls };
    let Looked { mut figures, tests, bounded, unknown } =
        look((base, new), controls, setting, is_told);
    if is_control && can_be_held {
        figures.iter_mut().zip(Metric::ALL).for_each(|(figure, metric)| {
            figure.ratio = own(base, new, metric).map(|difference| ratio(&difference));
        });
    }
    if let Some((change, reason)) = without_figures(base, new, setting.names) {
        return settled(change, Some(reason), figures);
    }
    if setting.hindered {
        return settled(Change::NotComparable, None, figures);
    }
    if let Some(other) = &setting.other {
        return settled(Change::NotComparable, Some(other.clone()), figures);
    }
    if is_control {
        let is_other = is_same_source(base, new) == Some(false);
        return settled(Change::Control, is_other.then(|| OTHER_CONTROL.to_owned()), figures);
    }
    if let Some((change, reason)) = doubted(base, new, setting) {
        return settled(change, Some(reason), figures);
    }
    if tests.is_empty() && bounded.is_none() {
        let reason = Some(of_row(base, new, setting));
        return settled(Change::NotComparable, reason, figures);
    }
    let open = bounded.or(unknown);
    Draft {
        row: row(Change::Unclear, open.clone(), figures),
        tests,
        open,
        names: setting.names.map(str::to_owned),
        // Of sources that nobody knows the digest tells nothing.
        is_unchanged: pair.are_sources_known && is_same_source(base, new) == Some(true),
    }
}

/// What follows from whether it was measured at all.
fn without_figures(
    base: &CellSummary,
    new: &CellSummary,
    [then, now]: [&str; 2],
) -> Option<(Change, String)> {
    let reason =
        |cell: &CellSummary| cell.reason.clone().unwrap_or_else(|| "not measured".to_owned());
    match (base.measured > 0, new.measured > 0) {
        (true, false) if new.failed > 0 => Some((Change::Fails, reason(new))),
        (true, false) => Some((Change::NotComparable, format!("{now}: {}", reason(new)))),
        (true, true) if new.failed > 0 && base.failed == 0 => {
            let rounds = count_of((new.failed + new.measured) as usize, "round");
            Some((
                Change::Fails,
                format!("failed in {} of {rounds}, and in none before", new.failed),
            ))
        }
        (false, true) if base.failed > 0 => Some((Change::Mended, reason(base))),
        (false, true) => Some((Change::NotComparable, format!("{then}: {}", reason(base)))),
        (false, false) => Some((
            Change::NotComparable,
            format!("in both runs not measured; now: {}", reason(new)),
        )),
        (true, true) => None,
    }
}

/// What follows from doubts for which a row is kept out of the ranking, in either run.
fn doubted(
    base: &CellSummary,
    new: &CellSummary,
    setting: &Setting<'_>,
) -> Option<(Change, String)> {
    let of =
        |cell: &CellSummary| cell.caveats.iter().find(|it| it.caveat.bars_from_ranking()).cloned();
    let told = |run: &str, doubt: Doubt, detail: &str| format!("{} {run}: {detail}", doubt.name());
    let [then, at_last] = setting.names;
    match (of(base), of(new)) {
        (None, Some(now)) if matches!(now.caveat, Doubt::Errors | Doubt::RateNotMet) => {
            Some((Change::Worse, told("now, and not before", now.caveat, &now.detail)))
        }
        (_, Some(now)) => Some((Change::NotComparable, told(at_last, now.caveat, &now.detail))),
        (Some(old), None) => Some((Change::NotComparable, told(then, old.caveat, &old.detail))),
        (None, None) => None,
    }
}

/// What there is to tell of a row's figures.
#[derive(Debug, Default)]
struct Looked {
    /// All of them.
    figures: Vec<Figure>,
    /// Those that are to be looked at together.
    tests: Vec<Test>,
    /// Why nothing follows from a figure that decides, since it is a bound in both runs.
    bounded: Option<String>,
    /// Why another cannot be compared, though it is known in one of them.
    unknown: Option<String>,
}

fn look(
    (base, new): (&CellSummary, &CellSummary),
    controls: [Option<&CellSummary>; 2],
    setting: &Setting<'_>,
    is_told: bool,
) -> Looked {
    let settings = setting.settings;
    let mut looked = Looked::default();
    for (at, metric) in Metric::ALL.into_iter().enumerate() {
        let decides = settings.decides(metric);
        let between = settings.between_of(new, metric);
        let mean = |cell| metric.of_row(cell).map(|figure: &summary::Figure| figure.mean);
        let difference = match setting.by {
            By::Control => against_control(base, new, metric, between),
            By::Rounds => in_rounds(new, metric),
        };
        let difference = difference.filter(|_| is_told);
        let bound_of = |cell: Option<&CellSummary>| cell.and_then(|cell| metric.bound_of(cell));
        let [then, now] = controls.map(bound_of);
        let control = Bounds { one: now, other: then };
        let sides = Sides { row: metric.bounds_of(new, base), control };
        let mut change = None;
        match difference.filter(|_| is_enough(base, new, metric, setting.by)) {
            // What can never be told makes it no harder to tell the others.
            Some(_) if decides && are_mute(sides) => {
                looked.bounded.get_or_insert_with(|| bounded(sides, metric.name, setting.names));
                change = Some(Change::Unclear);
            }
            Some(difference) if decides => {
                looked.tests.push(Test { at, difference, better: metric.better, sides });
            }
            Some(difference) => {
                let lies = difference.lies(settings.min_effect, metric.better);
                change = Some(allowed(sides, lies));
            }
            None if decides && looked.unknown.is_none() => {
                looked.unknown = of_figure(base, new, metric, setting);
            }
            None => {}
        }
        looked.figures.push(Figure {
            metric: metric.name,
            decides,
            base: mean(base),
            new: mean(new),
            base_is_bound: sides.row.other.is_some(),
            new_is_bound: sides.row.one.is_some(),
            base_control_is_bound: control.other.is_some(),
            new_control_is_bound: control.one.is_some(),
            between: between.filter(|_| setting.by == By::Control && difference.is_some()),
            ratio: difference.map(|difference| ratio(&difference)),
            change,
        });
    }
    looked
}

fn against_control(
    base: &CellSummary,
    new: &CellSummary,
    metric: Metric,
    between: Option<f64>,
) -> Option<Difference> {
    let of = |cell: &CellSummary| side(cell.versus_control.get(metric.name)?);
    Difference::of(of(base)?, of(new)?, between)
}

/// Of the rounds that a row and its earlier one both went through.
fn in_rounds(new: &CellSummary, metric: Metric) -> Option<Difference> {
    Difference::paired(side(new.versus_earlier.get(metric.name)?)?)
}

/// Whether there are rounds enough for a verdict.
fn is_enough(base: &CellSummary, new: &CellSummary, metric: Metric, by: By) -> bool {
    let of = |ratios: &BTreeMap<String, LogRatio>| {
        ratios.get(metric.name).is_some_and(|ratio| ratio.rounds as usize >= ROUNDS_MIN)
    };
    match by {
        By::Control => of(&base.versus_control) && of(&new.versus_control),
        By::Rounds => of(&new.versus_earlier),
    }
}

fn side(ratio: &LogRatio) -> Option<Side> {
    let LogRatio { mean, deviation, rounds } = *ratio;
    let is_sound = mean.is_finite() && deviation?.is_finite();
    is_sound.then_some(Side { mean, deviation: deviation?, count: rounds })
}

/// What became of a row's own figure, the machine's part in it.
fn own(base: &CellSummary, new: &CellSummary, metric: Metric) -> Option<Difference> {
    let of = |cell| side(&LogRatio::of(&metric.of_row(cell)?.points)?);
    Difference::of(of(base)?, of(new)?, None)
}

fn ratio(difference: &Difference) -> Ratio {
    let half = difference.half_width();
    Ratio {
        mean: difference.log_ratio.exp(),
        low: (difference.log_ratio - half).exp(),
        high: (difference.log_ratio + half).exp(),
    }
}

impl Draft {
    /// Says what became of the row, now that it is known which of its tests stand among all of `family`.
    pub(super) fn settle(&mut self, stands: &[bool], min_effect: f64, family: usize) {
        if self.tests.is_empty() {
            return;
        }
        let mut changes: Vec<Change> = self.open.iter().map(|_| Change::Unclear).collect();
        let mut reason = self.open.take();
        for (test, stands) in self.tests.iter().zip(stands) {
            let figure = &mut self.row.figures[test.at];
            let lies = test.difference.lies(min_effect, test.better);
            // What a bound can never say it does not say by itself either.
            let by_itself = allowed(test.sides, lies);
            let change = match by_itself {
                Change::Worse | Change::Better if !stands => Change::Unclear,
                other => other,
            };
            if by_itself != of_verdict(lies) {
                let [then, now] = &self.names;
                reason.get_or_insert_with(|| bounded(test.sides, figure.metric, [then, now]));
            } else if change != by_itself {
                reason.get_or_insert_with(|| {
                    format!(
                        "{} would be {} by itself; among {family} figures that are looked at, chance may bring one like it",
                        figure.metric,
                        by_itself.name()
                    )
                });
            }
            figure.change = Some(change);
            changes.push(change);
        }
        // What decides is worse if one of it is, and better only if none of it is left open.
        let order = [Change::Worse, Change::Unclear, Change::Better];
        let of_row = order.into_iter().find(|change| changes.contains(change));
        self.row.change = of_row.unwrap_or(Change::Same);
        self.row.reason = match self.row.change {
            Change::Unclear => reason,
            Change::Worse | Change::Better if self.is_unchanged => Some(UNCHANGED.to_owned()),
            _ => None,
        };
    }
}
