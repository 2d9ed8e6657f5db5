//! What columns hold of a row: the figure that orders rows, and the text that is shown.

use super::super::service;
use super::{Around, Column, UNKNOWN};
use crate::judge::metric::Metric;
use crate::judge::row::is_lower_bound;
use crate::outcome::{Kind as _, Verdict};
use crate::record::summary::{CellSummary, Figure};
use crate::stats::bound::Bound;
use crate::units::{self, write_bytes, write_count, write_micros, write_number, write_thousands};

impl Column {
    /// The figure by which rows are put in order: the smaller the better. None for a text, or what is not known.
    pub(in crate::report) fn merit(self, cell: &CellSummary) -> Option<f64> {
        let is_more_better = match self {
            Self::Ratio => {
                cell.versus.as_ref().is_none_or(|versus| versus.by == Self::Goodput.name())
            }
            _ => matches!(self, Self::Goodput | Self::Throughput | Self::Transfer | Self::Rounds),
        };
        self.figure(cell).map(|figure| if is_more_better { -figure } else { figure })
    }

    /// The figure that it holds of a row. None for a text, or what is not known.
    pub(in crate::report) fn figure(self, cell: &CellSummary) -> Option<f64> {
        let mean = |figure: &Option<Figure>| figure.as_ref().map(|figure| figure.mean);
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match self {
            Self::Goodput => mean(&cell.goodput_per_second),
            Self::Ratio => versus(cell).map(|ratio| ratio.mean),
            Self::Throughput => mean(&cell.throughput_per_second),
            Self::Times | Self::P50 => mean(&cell.response_time_p50_us),
            Self::P90 => mean(&cell.response_time_p90_us),
            Self::P99 => mean(&cell.response_time_p99_us),
            Self::P999 => mean(&cell.response_time_p999_us),
            Self::FirstByte => mean(&cell.first_byte_p50_us),
            Self::Cpu => mean(&cell.cpu_us_per_request),
            Self::CpuRatio => mean(&cell.cpu_ratio),
            Self::Cores => mean(&cell.cores_used),
            Self::Memory => mean(&cell.rss_peak_bytes),
            Self::RssMean => mean(&cell.rss_mean_bytes),
            Self::Threads => count(cell.threads_peak),
            Self::Processes => count(cell.processes_peak),
            Self::Services => service::cpu_us_per_request(cell),
            Self::Startup => mean(&cell.startup_ms),
            Self::Transfer => mean(&cell.received_bytes_per_second),
            Self::Body => count(cell.response.as_ref().map(|it| it.length)),
            Self::HeaderBytes => count(cell.response.as_ref().map(|it| it.header_bytes)),
            Self::Errors => cell.error_share,
            Self::Wrong => count(cell.wrong),
            Self::Lost => count(cell.lost),
            Self::Connections => count(cell.connections_opened),
            Self::Reconnects => count(cell.reconnects),
            Self::Rounds => Some(f64::from(cell.measured)),
            Self::Rank => cell.rank.map(f64::from),
            Self::Target | Self::Kind | Self::Language | Self::Limit => None,
        }
    }

    /// What it holds of a row, as text.
    pub(in crate::report) fn text(self, cell: &CellSummary, around: Around<'_>) -> Option<String> {
        match self {
            Self::Rank => rank(cell, around.by),
            Self::Target => Some(cell.target.clone()),
            Self::Kind => around.target?.kind.clone(),
            Self::Language => around.target?.language.clone(),
            Self::Limit => cell.limit.map(|limit| limit.name().to_owned()),
            Self::Goodput => {
                cell.goodput_per_second.as_ref().map(|figure| with_interval(figure, cell))
            }
            Self::Ratio => ratio(cell, around.base),
            Self::Times => times(cell),
            Self::Rounds => Some(format!("{} of {}", cell.measured, around.rounds)),
            _ => self.figure(cell).map(|figure| self.write(figure, cell)),
        }
    }

    fn write(self, figure: f64, cell: &CellSummary) -> String {
        match self {
            Self::P50
            | Self::P90
            | Self::P99
            | Self::P999
            | Self::FirstByte
            | Self::Cpu
            | Self::Services => write_micros(figure),
            Self::Startup => write_micros(figure * 1e3),
            Self::CpuRatio => write_ratio(figure),
            Self::Cores => format!("{figure:.1} of {}", cell.cores_allowed),
            Self::Memory | Self::RssMean => write_bytes(whole(figure)),
            Self::Transfer => format!("{}{}/s", bound(cell), write_bytes(whole(figure))),
            // To the byte: answers that differ by one are to be told apart.
            Self::Body | Self::HeaderBytes => format!("{} B", write_count(whole(figure))),
            Self::Errors => share(figure),
            Self::Threads
            | Self::Processes
            | Self::Wrong
            | Self::Lost
            | Self::Connections
            | Self::Reconnects => write_count(whole(figure)),
            _ => format!("{}{}", bound(cell), write_number(figure)),
        }
    }
}

/// What stands before a rate that may be higher.
fn bound(cell: &CellSummary) -> &'static str {
    if is_lower_bound(cell) { ">= " } else { "" }
}

fn with_interval(figure: &Figure, cell: &CellSummary) -> String {
    let bound = bound(cell);
    let number = write_number(figure.mean);
    match figure.half_width() {
        // So wide an interval is better told by a factor than by a share of the mean.
        Some(half) if half >= 1.0 => format!("{bound}{number} ×/÷ {:.1}", half + 1.0),
        Some(half) => format!("{bound}{number} ±{:.1} %", half * 100.0),
        None => format!("{bound}{number}"),
    }
}

/// The best place that it may have in a table ranked by this figure; of a bound, which may be far from where it looks, all places.
pub(in crate::report) fn rank(cell: &CellSummary, by: Metric) -> Option<String> {
    let best = cell.rank?;
    let is_bound = by.bound_of(cell).is_some();
    let worst = cell.rank_worst.filter(|worst| is_bound && *worst > best);
    Some(worst.map_or_else(|| best.to_string(), |worst| format!("{best}-{worst}")))
}

/// The ratio to the reference, by the figure that ranks the table; where that is not known no other stands for it.
fn versus(cell: &CellSummary) -> Option<&Figure> {
    cell.versus.as_ref().map(|versus| &versus.ratio)
}

/// A ratio of which one side is a lower bound is a bound itself; of two bounds nothing follows.
fn ratio(cell: &CellSummary, base: Option<&CellSummary>) -> Option<String> {
    let ratio = write_ratio(versus(cell)?.mean);
    let by = cell.versus.as_ref().map_or(Column::Goodput.name(), |versus| versus.by.as_str());
    // How far a time may be longer is not known, so it bounds no ratio.
    let is_bound = |row| Metric::named(by).bound_of(row) == Some(Bound::MayBeBetter);
    let ratio = match (is_bound(cell), base.is_some_and(is_bound)) {
        (false, false) => ratio,
        (true, false) => format!(">= {ratio}"),
        (false, true) => format!("<= {ratio}"),
        (true, true) => return None,
    };
    let verdict = cell.versus.as_ref().and_then(|versus| versus.verdict);
    Some(match verdict {
        Some(verdict) => format!("{ratio} {}", verdict_word(verdict, by)),
        None => ratio,
    })
}

/// A verdict in the word that goes with what it is about.
fn verdict_word(verdict: Verdict, by: &str) -> &'static str {
    let is_cost = [Column::Cpu, Column::Memory].iter().any(|cost| cost.name() == by);
    match verdict {
        Verdict::Faster if is_cost => "less",
        Verdict::Slower if is_cost => "more",
        other => other.name(),
    }
}

fn times(cell: &CellSummary) -> Option<String> {
    let p50 = write_micros(cell.response_time_p50_us.as_ref()?.mean);
    let Some(p99) = &cell.response_time_p99_us else { return Some(format!("{p50} / {UNKNOWN}")) };
    let p99 = write_micros(p99.mean);
    // One unit is enough where both have the same.
    match (p50.split_once(' '), p99.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => {
            Some(format!("{number} / {p99}"))
        }
        _ => Some(format!("{p50} / {p99}")),
    }
}

/// A share as per cent; one that is not nothing is not written as nothing.
fn share(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        ..0.005 => "<0.01 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and bytes")]
fn whole(figure: f64) -> u64 {
    figure.round() as u64
}

/// A ratio as written in sentences.
pub(in crate::report) fn write_ratio(ratio: f64) -> String {
    if ratio >= 10.0 { write_thousands(ratio) } else { units::write_ratio(ratio, 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_keeps_two_digits_that_count() {
        for (ratio, text) in [
            (1234.5, "1,234"),
            (10.0, "10"),
            (1.414, "1.41"),
            (0.31, "0.31"),
            (0.1, "0.10"),
            (0.0123, "0.012"),
            (0.004, "0.0040"),
            (0.000_45, "0.00045"),
            (0.0, "0.00"),
        ] {
            assert_eq!(write_ratio(ratio), text);
        }
    }

    #[test]
    fn a_share_that_is_not_nothing_is_not_written_as_nothing() {
        for (value, text) in
            [(0.0, "0 %"), (1e-6, "<0.01 %"), (0.0012, "0.12 %"), (1.0, "100.00 %")]
        {
            assert_eq!(share(value), text);
        }
    }
}
