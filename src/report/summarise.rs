//! The trials of each row, joined into figures: one point a round, their geometric mean, and what is to be doubted.

use std::collections::{BTreeMap, BTreeSet};

use super::ranking;
use super::versus::{ratios, versus};
use crate::judge::metric::Metric;
use crate::judge::too_few::quantile;
use crate::judge::{order, other_session, row, unequal_response};
use crate::outcome::{Kind, Limit};
use crate::record::SCHEMA;
use crate::record::measured::{Measured, ResponseSeen, ServerUsage, Times};
use crate::record::rows::Rows;
use crate::record::run::PlannedTable;
use crate::record::service::ServiceFigures;
use crate::record::store::Run;
use crate::record::summary::{CellSummary, Figure, Summary};
use crate::record::trial::{Caveat, TrialRecord};
use crate::stats::geometric::GeometricMean;

/// The summary of a run.
pub fn summarise(run: &Run) -> Summary {
    let sorted = Rows::of(&run.trials);
    let (mut cells, mut noise) = (Vec::new(), Vec::new());
    for table in &run.info.tables {
        let trials_of = |label: &String| sorted.trials(&table.workload, &table.load, label);
        let rows: Vec<(&str, Vec<&TrialRecord>)> =
            table.rows.iter().map(|label| (label.as_str(), trials_of(label))).collect();
        let unequal = unequal_rows(&rows);
        let elsewhen = other_session::judge(&rows);
        let row_of = |name: &str| rows.iter().find(|(label, _)| *label == name);
        let reference = row_of(&run.info.policy.reference);
        let control_row = run.info.policy.control.as_deref().and_then(row_of);
        let mut of_table = Vec::with_capacity(rows.len());
        for (label, trials) in &rows {
            let mut cell = cell(table, label, trials);
            cell.repeated = sorted.repeated(&table.workload, &table.load, label);
            if cell.reason.is_none() {
                cell.caveats.extend(unequal.get(*label).cloned());
                cell.caveats.extend(order::judge(&run.info.policy));
                let taken = other_session::taken_over(trials);
                cell.caveats.extend(taken.or_else(|| elsewhen.get(*label).cloned()));
            }
            if let Some((_, reference)) = reference {
                let ratio = |name: &str| figure(ratios(Metric::named(name), trials, reference));
                (cell.goodput_ratio, cell.cpu_ratio) = (ratio("goodput"), ratio("cpu"));
            }
            if let Some((_, control)) = control_row.filter(|(of, _)| of != label) {
                cell.versus_control = versus(trials, control);
            }
            let earlier = run.info.against.as_ref().and_then(|against| against.rows.get(*label));
            if let Some((_, earlier)) = earlier.and_then(|earlier| row_of(earlier)) {
                cell.versus_earlier = versus(trials, earlier);
            }
            of_table.push(cell);
        }
        let mut compared: Vec<ranking::Row<'_>> = of_table
            .iter_mut()
            .zip(&rows)
            .map(|(cell, (_, trials))| ranking::Row { cell, trials })
            .collect();
        noise.push(ranking::compare(&mut compared, table, &run.info.policy));
        cells.extend(of_table);
        cells.extend(table.not_offered.iter().map(|label| not_offered(table, label)));
    }
    let versions = run.trials.iter().flat_map(|trial| trial.versions.clone()).collect();
    Summary { schema: SCHEMA, run: run.info.clone(), versions, noise, cells }
}

fn unequal_rows(rows: &[(&str, Vec<&TrialRecord>)]) -> BTreeMap<String, Caveat> {
    let answers: Vec<(&str, Option<&ResponseSeen>)> = rows
        .iter()
        .map(|(label, trials)| {
            let answer = trials.iter().find_map(|trial| {
                trial.measured()?.response.as_ref().filter(|_| !trial.is_expected)
            });
            (*label, answer)
        })
        .collect();
    unequal_response::judge(&answers)
}

fn cell(table: &PlannedTable, label: &str, trials: &[&TrialRecord]) -> CellSummary {
    let measured: Vec<&Measured> = trials.iter().filter_map(|trial| trial.measured()).collect();
    let (reason, hint) = if measured.is_empty() { why_not(trials) } else { (None, None) };
    let points = |value: &dyn Fn(&Measured) -> Option<f64>| {
        figure(measured.iter().filter_map(|measured| value(measured)).collect())
    };
    let usage = |value: &dyn Fn(&ServerUsage) -> Option<f64>| {
        points(&|measured| value(measured.server.as_ref()?))
    };
    let times = |times: &dyn Fn(&Measured) -> &Times, at: f64| {
        points(&|measured| quantile(times(measured), at))
    };
    let mut responses = measured.iter().filter_map(|measured| measured.response.as_ref());
    let response = responses.next();
    CellSummary {
        workload: table.workload.clone(),
        load: table.load.clone(),
        target: label.to_owned(),
        measured: count(&measured),
        failed: count(&trials.iter().filter_map(|trial| trial.failed()).collect::<Vec<_>>()),
        reason,
        hint,
        goodput_per_second: points(&|measured| Some(measured.goodput_per_second)),
        goodput_ratio: None,
        throughput_per_second: points(&|measured| Some(measured.throughput_per_second)),
        cpu_ratio: None,
        response_time_p50_us: times(&|measured| &measured.response_time_us, 0.5),
        response_time_p90_us: times(&|measured| &measured.response_time_us, 0.9),
        response_time_p99_us: times(&|measured| &measured.response_time_us, 0.99),
        response_time_p999_us: times(&|measured| &measured.response_time_us, 0.999),
        first_byte_p50_us: times(&|measured| &measured.first_byte_us, 0.5),
        cpu_us_per_request: usage(&|server| server.cpu_us_per_request),
        cores_used: usage(&|server| server.cores_used),
        cores_allowed: measured
            .iter()
            .find_map(|measured| Some(measured.server.as_ref()?.cores_allowed))
            .unwrap_or(0),
        rss_peak_bytes: usage(&|server| server.rss_peak_bytes.map(|bytes| bytes as f64)),
        rss_mean_bytes: usage(&|server| server.rss_mean_bytes.map(|bytes| bytes as f64)),
        threads_peak: most(&measured, |server| server.threads_peak),
        processes_peak: most(&measured, |server| server.processes_peak),
        services: services(&measured),
        startup_ms: startup(trials),
        received_bytes_per_second: points(&|measured| {
            Some(measured.bytes_received as f64 / measured.window_seconds)
        }),
        response: response.cloned(),
        response_varies: responses.any(|other| Some(other) != response),
        error_share: error_share(&measured),
        wrong: total(&measured, |measured| measured.wrong.total()),
        lost: total(&measured, |measured| measured.lost.total()),
        connections_opened: total(&measured, |measured| measured.connections_opened),
        reconnects: total(&measured, |measured| measured.reconnects),
        limit: limit(&measured),
        source_digest: trials.iter().find_map(|trial| trial.source_digest.clone()),
        repeated: 0,
        rank: None,
        rank_worst: None,
        versus: None,
        versus_control: BTreeMap::new(),
        versus_earlier: BTreeMap::new(),
        remarks: Vec::new(),
        caveats: row::caveats(trials),
    }
}

/// What each service used; one that was not seen in any window is none.
fn services(measured: &[&Measured]) -> BTreeMap<String, ServiceFigures> {
    let names: BTreeSet<&String> = measured.iter().flat_map(|it| it.services.keys()).collect();
    let of = |name: &String| {
        let uses = || measured.iter().filter_map(|measured| measured.services.get(name));
        let points = |value: &dyn Fn(&ServerUsage) -> Option<f64>| {
            figure(uses().filter_map(value).collect())
        };
        ServiceFigures {
            cpu_us_per_request: points(&|used| used.cpu_us_per_request),
            cores_used: points(&|used| used.cores_used),
            cores_allowed: uses().map(|used| used.cores_allowed).next().unwrap_or(0),
            rss_peak_bytes: points(&|used| used.rss_peak_bytes.map(|bytes| bytes as f64)),
            pss_after_bytes: points(&|used| used.pss_after_bytes.map(|bytes| bytes as f64)),
        }
    };
    names.into_iter().map(|name| (name.clone(), of(name))).collect()
}

fn startup(trials: &[&TrialRecord]) -> Option<Figure> {
    let measured = trials.iter().filter(|trial| trial.measured().is_some());
    figure(measured.filter_map(|trial| trial.startup_ms).collect())
}

/// The largest of all rounds.
fn most(measured: &[&Measured], of: impl Fn(&ServerUsage) -> Option<u64>) -> Option<u64> {
    measured.iter().filter_map(|measured| of(measured.server.as_ref()?)).max()
}

/// The sum over all rounds; none if there was none.
fn total(measured: &[&Measured], of: impl Fn(&Measured) -> u64) -> Option<u64> {
    (!measured.is_empty())
        .then(|| measured.iter().fold(0, |sum: u64, measured| sum.saturating_add(of(measured))))
}

fn count<T>(of: &[T]) -> u32 {
    u32::try_from(of.len()).expect("there are fewer rounds than that")
}

pub(super) fn figure(points: Vec<f64>) -> Option<Figure> {
    let mean = GeometricMean::of(&points)?;
    let (low, high) = mean.interval.unzip();
    Some(Figure { mean: mean.mean, low, high, points })
}

fn error_share(measured: &[&Measured]) -> Option<f64> {
    let attempted: u64 = measured.iter().map(|measured| measured.attempted).sum();
    let bad: u64 = measured.iter().map(|measured| measured.bad()).sum();
    (attempted > 0).then(|| bad as f64 / attempted as f64)
}

/// Who was saturated in most rounds; where neither was, what held it back most often, the first of the list where two
/// are as common. That the generator alone did is said only where it makes the row a bound, as its caveat does: in over a third.
fn limit(measured: &[&Measured]) -> Option<Limit> {
    let count = |limits: &[Limit]| {
        measured.iter().filter(|one| one.limit.is_some_and(|limit| limits.contains(&limit))).count()
    };
    let is_in_most = |limits: &[Limit]| count(limits) * 2 > measured.len();
    let server = is_in_most(&[Limit::Server, Limit::Both]);
    let generator = is_in_most(&[Limit::Generator, Limit::Both]);
    let is_bound = row::is_of_row(count(&[Limit::Generator]), measured.len());
    match (server, generator) {
        (true, true) => Some(Limit::Both),
        (true, false) => Some(Limit::Server),
        (false, true) if is_bound => Some(Limit::Generator),
        _ => {
            let may_be = |limit: &Limit| *limit != Limit::Generator || is_bound;
            let limits = || Limit::ALL.iter().copied().filter(may_be);
            let most = limits().map(|limit| count(&[limit])).max().unwrap_or(0);
            limits().find(|limit| most > 0 && count(&[*limit]) == most)
        }
    }
}

fn why_not(trials: &[&TrialRecord]) -> (Option<String>, Option<String>) {
    let Some(last) = trials.last() else {
        return (Some("not measured: the run ended before".to_owned()), None);
    };
    if let Some(failed) = last.failed() {
        return (Some(format!("failed in {}: {}", failed.stage.name(), failed.reason)), None);
    }
    last.skipped()
        .map(|skipped| (skipped.reason.clone(), skipped.hint.clone()))
        .map_or((None, None), |(reason, hint)| (Some(reason), hint))
}

fn not_offered(table: &PlannedTable, label: &str) -> CellSummary {
    CellSummary {
        workload: table.workload.clone(),
        load: table.load.clone(),
        target: label.to_owned(),
        reason: Some("not offered".to_owned()),
        ..CellSummary::default()
    }
}

/// Whether a row may be ranked: it has a figure, and nothing forbids it.
pub fn is_rankable(cell: &CellSummary) -> bool {
    cell.goodput_per_second.is_some()
        && !cell.caveats.iter().any(|caveat| caveat.caveat.bars_from_ranking())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::outcome::Doubt;

    #[test]
    fn a_row_is_the_geometric_mean_of_its_rounds_and_ratios_are_taken_round_by_round() {
        let summary = summarise(&fixture::run());
        let cell =
            |target: &str| summary.cells.iter().find(|cell| cell.target == target).expect("a row");
        let fast = cell("c/fast");
        let goodput = fast.goodput_per_second.as_ref().expect("measured");
        assert!((goodput.mean - 120_000.0 * 1.02f64.sqrt()).abs() < 1e-6);
        let ratio = fast.goodput_ratio.as_ref().expect("a reference");
        // Both rose alike from round to round, so the ratio does not vary at all.
        assert!((ratio.mean - 2.0).abs() < 1e-12);
        assert!((ratio.high.expect("two rounds") - 2.0).abs() < 1e-9);
        assert!(row::is_lower_bound(fast) && is_rankable(fast));
        assert_eq!(cell("go/base").limit, Some(Limit::Server));
        assert_eq!((cell("php/bad|`<b>").measured, cell("php/bad|`<b>").failed), (0, 2));
        assert_eq!(cell("go/raw").reason.as_deref(), Some("not offered"));
        assert_eq!(summary.versions["go"], "1.26.8");
    }

    #[test]
    fn a_row_is_limited_by_whoever_was_saturated_in_most_rounds() {
        use Limit::{Both, Generator, Neither, Server};
        for (limits, expected) in [
            (&[Both, Both, Both, Generator, Generator, Generator, Server][..], Some(Both)),
            (&[Server, Server, Both], Some(Server)),
            (&[Generator, Generator, Both], Some(Generator)),
            (&[Neither, Server, Neither], Some(Neither)),
            // One round in seven makes it no bound.
            (&[Generator, Both, Both, Both, Neither, Neither, Neither], Some(Both)),
            (&[Generator, Neither, Neither, Neither, Both, Both, Both], Some(Both)),
            (&[Generator, Both, Both, Neither], Some(Both)),
            (&[Generator, Generator, Neither, Server, Server, Both, Neither], Some(Server)),
            (&[Generator, Generator, Generator, Neither, Server, Both, Neither], Some(Generator)),
            (&[], None),
        ] {
            let trials: Vec<Measured> = limits
                .iter()
                .map(|limit| Measured { limit: Some(*limit), ..Measured::default() })
                .collect();
            assert_eq!(limit(&trials.iter().collect::<Vec<_>>()), expected, "{limits:?}");
        }
    }

    #[test]
    fn a_row_that_failed_in_one_round_keeps_its_figures_and_says_so() {
        let mut run = fixture::run();
        let failed = crate::record::trial::Failed::new(crate::outcome::Stage::Window, "it ended");
        run.trials[5].end(crate::record::trial::Ended::Failed(failed));
        assert_eq!((run.trials[5].label().as_str(), run.trials[5].round), ("go/base", 2));
        let summary = summarise(&run);
        let base = summary.cells.iter().find(|cell| cell.target == "go/base").expect("a row");
        assert_eq!((base.measured, base.failed), (1, 1));
        assert!(base.caveats.iter().any(|caveat| caveat.caveat == Doubt::Unstable));
        assert!(base.goodput_per_second.as_ref().is_some_and(|figure| figure.low.is_none()));
    }

    #[test]
    fn targets_that_answer_differently_are_doubted_unless_somebody_said_what_is_right() {
        let mut run = fixture::run();
        for trial in &mut run.trials {
            if trial.label() == "c/fast" {
                let mut measured = trial.measured().expect("measured").clone();
                measured.response.as_mut().expect("seen").sha256 = "bb".to_owned();
                trial.end(crate::record::trial::Ended::Measured(Box::new(measured)));
            }
        }
        let is_doubted = |run: &Run| {
            summarise(run).cells.iter().any(|cell| {
                cell.caveats.iter().any(|caveat| caveat.caveat == Doubt::UnequalResponse)
            })
        };
        assert!(is_doubted(&run));
        run.trials.iter_mut().for_each(|trial| trial.is_expected = true);
        assert!(!is_doubted(&run));
    }
}
