//! What a table says, in words: the best row against the reference, by how much, at what cost, and who was the limit.

use super::column::write_ratio;
use super::summarise::{is_lower_bound, is_rankable};
use crate::outcome::Limit;
use crate::record::summary::CellSummary;

/// The sentences below a table whose rows come best first.
pub(super) fn sentences(cells: &[&CellSummary], reference: &str) -> Vec<String> {
    let rankable: Vec<&CellSummary> =
        cells.iter().copied().filter(|cell| is_rankable(cell)).collect();
    let Some(base) = rankable.iter().copied().find(|cell| cell.target == reference) else {
        return Vec::new();
    };
    let Some(best) = rankable.iter().copied().find(|cell| cell.target != reference) else {
        return Vec::new();
    };
    versus(best, base).into_iter().collect()
}

fn versus(row: &CellSummary, base: &CellSummary) -> Option<String> {
    let ratio = row.goodput_ratio.as_ref()?;
    let range = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", write_ratio(low), write_ratio(high)),
        _ => String::new(),
    };
    let at_least = match (is_lower_bound(row), is_lower_bound(base)) {
        (false, false) => "",
        (true, false) => "at least ",
        (false, true) => "at most ",
        // Of two lower bounds nothing follows.
        (true, true) => return None,
    };
    let cost = row.cpu_ratio.as_ref().map_or_else(String::new, |ratio| {
        format!(" for {} of the CPU per answer", write_ratio(ratio.mean))
    });
    let limits = limits(row, base).map_or_else(String::new, |limits| format!("; {limits}"));
    Some(format!(
        "{} answers {at_least}{} times as many as {}{range}{cost}{limits}.",
        row.target,
        write_ratio(ratio.mean),
        base.target
    ))
}

fn limits(row: &CellSummary, base: &CellSummary) -> Option<String> {
    let words = |limit: Limit| match limit {
        Limit::Server => "its own CPU",
        Limit::Generator => "the load generator",
        Limit::Both => "its own CPU and the load generator",
        Limit::Neither => "neither CPU: it waited",
        Limit::Rate => "the rate that was asked for",
    };
    let (row_limit, base_limit) = (row.limit?, base.limit?);
    Some(if row_limit == base_limit {
        let both = match row_limit {
            Limit::Server => "their own CPU",
            Limit::Both => "their own CPU and the load generator",
            other => words(other),
        };
        format!("both were limited by {both}")
    } else {
        format!(
            "{} was limited by {}, {} by {}",
            row.target,
            words(row_limit),
            base.target,
            words(base_limit)
        )
    })
}
