//! What a table says, in words: the best row against the reference, by how much, at what cost, and who was the limit.

use super::column::{Column, write_ratio};
use super::summarise::is_rankable;
use crate::judge::row::is_lower_bound;
use crate::outcome::{Doubt, Limit, Verdict};
use crate::record::summary::CellSummary;
use crate::units::count_of;

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
    let by = row.versus.as_ref().map_or(Column::Goodput.name(), |versus| versus.by.as_str());
    let ratio = row.versus.as_ref().map(|versus| &versus.ratio).or(row.goodput_ratio.as_ref())?;
    let range = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", write_ratio(low), write_ratio(high)),
        _ => String::new(),
    };
    let (one, other) = (&row.target, &base.target);
    let how_much = write_ratio(ratio.mean);
    let compared = match by {
        "goodput" => {
            let at_least = match (is_lower_bound(row), is_lower_bound(base)) {
                (false, false) => "",
                (true, false) => "at least ",
                (false, true) => "at most ",
                // Of two lower bounds nothing follows.
                (true, true) => return None,
            };
            format!("{one} answers {at_least}{how_much} times as many as {other}{range}")
        }
        "cpu" => format!("{one} takes {how_much} of the CPU per answer of {other}{range}"),
        "memory" => format!("{one} takes {how_much} of the memory of {other}{range}"),
        quantile => {
            format!(
                "the {quantile} of response time of {one} is {how_much} of that of {other}{range}"
            )
        }
    };
    let cost = row.cpu_ratio.as_ref().filter(|_| by != "cpu").map_or_else(String::new, |ratio| {
        format!(" for {} of the CPU per answer", write_ratio(ratio.mean))
    });
    let told = verdict(row).map_or_else(String::new, |verdict| format!("; {verdict}"));
    let limits = limits(row, base).map_or_else(String::new, |limits| format!("; {limits}"));
    Some(format!("{compared}{cost}{told}{limits}."))
}

/// What a verdict says that the figures do not say by themselves.
fn verdict(row: &CellSummary) -> Option<String> {
    let versus = row.versus.as_ref()?;
    match versus.verdict? {
        Verdict::Faster | Verdict::Slower => None,
        Verdict::Same => {
            Some("they are alike, but for a difference that does not matter".to_owned())
        }
        Verdict::Unclear => Some(versus.rounds_lacking.map_or_else(
            || "whether that matters is not settled".to_owned(),
            |rounds| {
                let rounds = count_of(rounds as usize, "round");
                format!("whether that matters is not settled, which about {rounds} more would do")
            },
        )),
    }
}

fn limits(row: &CellSummary, base: &CellSummary) -> Option<String> {
    let (row_limit, base_limit) = (row.limit?, base.limit?);
    let one = |cell: &CellSummary, limit: Limit| match limited_by(limit) {
        Some(what) => format!("{} was limited by {what}", cell.target),
        None => format!("{} was held back by no CPU, but waited{}", cell.target, noisily(&[cell])),
    };
    Some(match (limited_by(row_limit), limited_by(base_limit)) {
        (None, None) => {
            format!("neither was held back by a CPU: both waited{}", noisily(&[row, base]))
        }
        (Some(_), Some(_)) if row_limit == base_limit => match row_limit {
            Limit::Server => "both were limited by their own CPU".to_owned(),
            Limit::Both => "both were limited by their own CPU and the load generator".to_owned(),
            Limit::Service => "both were limited by a service that they need".to_owned(),
            _ => format!("both were limited by {}", limited_by(row_limit)?),
        },
        (Some(_), Some(what)) => format!("{}, {} by {what}", one(row, row_limit), base.target),
        _ => format!("{}; {}", one(row, row_limit), one(base, base_limit)),
    })
}

/// Who waits on a host that others use may wait for them.
fn noisily(cells: &[&CellSummary]) -> &'static str {
    let is_noisy =
        |cell: &&CellSummary| cell.caveats.iter().any(|caveat| caveat.caveat == Doubt::NoisyHost);
    if cells.iter().any(is_noisy) { ", on a noisy host" } else { "" }
}

/// What a row was limited by, in words; `None` if by nobody's CPU.
fn limited_by(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::Server => Some("its own CPU"),
        Limit::Generator => Some("the load generator"),
        Limit::Both => Some("its own CPU and the load generator"),
        Limit::Service => Some("a service that it needs"),
        Limit::Rate => Some("the rate that was asked for"),
        Limit::Neither => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::trial::Caveat;

    #[test]
    fn who_was_the_limit_is_said_once_for_both_where_it_is_the_same() {
        let row = |target: &str, limit| CellSummary {
            target: target.to_owned(),
            limit: Some(limit),
            ..CellSummary::default()
        };
        for (one, other, expected) in [
            (Limit::Server, Limit::Server, "both were limited by their own CPU"),
            (Limit::Rate, Limit::Rate, "both were limited by the rate that was asked for"),
            (Limit::Service, Limit::Service, "both were limited by a service that they need"),
            (Limit::Neither, Limit::Neither, "neither was held back by a CPU: both waited"),
            (
                Limit::Server,
                Limit::Generator,
                "a was limited by its own CPU, b by the load generator",
            ),
            (
                Limit::Neither,
                Limit::Server,
                "a was held back by no CPU, but waited; b was limited by its own CPU",
            ),
            (
                Limit::Both,
                Limit::Neither,
                "a was limited by its own CPU and the load generator; b was held back by no CPU, but waited",
            ),
        ] {
            let said = limits(&row("a", one), &row("b", other));
            assert_eq!(said.as_deref(), Some(expected), "{one} {other}");
        }
        let detail = String::new();
        let mut noisy = row("a", Limit::Neither);
        noisy.caveats.push(Caveat { caveat: Doubt::NoisyHost, detail });
        assert_eq!(
            limits(&noisy, &row("b", Limit::Neither)).as_deref(),
            Some("neither was held back by a CPU: both waited, on a noisy host")
        );
        let unknown = CellSummary::default();
        assert_eq!(limits(&row("a", Limit::Server), &unknown), None);
    }
}
