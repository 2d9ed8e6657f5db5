//! What a table says, in words: the best row against the reference, by how much, at what cost, and who was the limit.

use super::column::write_ratio;
use super::summarise::is_rankable;
use crate::judge::metric::Metric;
use crate::outcome::{Doubt, Limit, Verdict};
use crate::record::summary::CellSummary;
use crate::stats::bound::{Bound, Bounds};
use crate::stats::comparison::ROUNDS_MIN;
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

/// Why there are no ranks and no verdicts, where more rounds would give some.
pub(super) fn too_few_rounds(cells: &[&CellSummary], rounds: u32) -> Option<String> {
    let can_be_compared = cells.iter().filter(|cell| is_rankable(cell)).count() > 1;
    let rounds = rounds as usize;
    (can_be_compared && rounds < ROUNDS_MIN).then(|| {
        format!("{}: ranks and verdicts take {ROUNDS_MIN} at least.", count_of(rounds, "round"))
    })
}

fn versus(row: &CellSummary, base: &CellSummary) -> Option<String> {
    let versus = row.versus.as_ref()?;
    let (by, ratio) = (versus.by.as_str(), &versus.ratio);
    let range = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" ({} to {})", write_ratio(low), write_ratio(high)),
        _ => String::new(),
    };
    let bounds = Metric::named(by).bounds_of(row, base);
    // Of two bounds nothing follows.
    bounds.allow(Verdict::Unclear)?;
    let (one, other) = (&row.target, &base.target);
    let how_much = write_ratio(ratio.mean);
    let compared = match by {
        "goodput" => {
            let at_least = match (bounds.one, bounds.other) {
                (None, None) => "",
                (Some(_), _) => "at least ",
                (None, Some(_)) => "at most ",
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
    let told = flattered(bounds, row, base).or_else(|| verdict(row));
    let told = told.map_or_else(String::new, |verdict| format!("; {verdict}"));
    let limits = limits(row, base).map_or_else(String::new, |limits| format!("; {limits}"));
    Some(format!("{compared}{cost}{told}{limits}."))
}

/// Whose response times would be longer at its limit.
fn flattered(bounds: Bounds, row: &CellSummary, base: &CellSummary) -> Option<String> {
    let of = |bound, row: &CellSummary| {
        (bound == Some(Bound::MayBeWorse)).then(|| {
            format!("{} was not driven to its limit, where it would answer later", row.target)
        })
    };
    of(bounds.one, row).or_else(|| of(bounds.other, base))
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
    use super::super::fixture::rounds::{Level, run};
    use super::super::layout::lay_out;
    use super::super::summarise::summarise;
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

    /// The sentences below a table of the reference and one other row.
    fn said(rank_by: &str, base: Level, row: Level) -> String {
        let report = lay_out(&summarise(&run(rank_by, &[base, row])));
        report.tables[0].sentences.join("\n")
    }

    #[test]
    fn each_figure_that_may_rank_is_told_in_its_own_words() {
        let base = Level::of("go/base", 60_000.0);
        let better = Level {
            p99_us: 1000.0,
            cpu_us: 8.0,
            memory_bytes: 6_000_000,
            ..Level::of("a/better", 90_000.0)
        };
        for (rank_by, words) in [
            (
                "goodput",
                "a/better answers 1.50 times as many as go/base (1.49 to 1.51) for 0.48 of the CPU per answer; both",
            ),
            (
                "p50",
                "the p50 of response time of a/better is 0.60 of that of go/base (0.60 to 0.60) for 0.48",
            ),
            (
                "p99",
                "the p99 of response time of a/better is 0.60 of that of go/base (0.60 to 0.60) for 0.48",
            ),
            ("cpu", "a/better takes 0.48 of the CPU per answer of go/base (0.48 to 0.48); both"),
            (
                "memory",
                "a/better takes 0.50 of the memory of go/base (0.50 to 0.50) for 0.48 of the CPU",
            ),
        ] {
            let said = said(rank_by, base, better);
            assert!(said.starts_with(words), "{rank_by}: {said}");
        }
    }

    #[test]
    fn a_bound_is_told_as_one_and_of_two_nothing_is_said() {
        let base = Level::of("go/base", 60_000.0);
        let row = Level { p99_us: 1000.0, ..Level::of("a/row", 90_000.0) };
        for (rank_by, base, row, words) in [
            ("goodput", base, row.bound(), "a/row answers at least 1.50 times as many as go/base"),
            ("goodput", base.bound(), row, "a/row answers at most 1.50 times as many as go/base"),
            (
                "p99",
                base,
                row.bound(),
                "; a/row was not driven to its limit, where it would answer later; ",
            ),
            (
                "p99",
                base.bound(),
                row,
                "; go/base was not driven to its limit, where it would answer later; ",
            ),
        ] {
            let said = said(rank_by, base, row);
            assert!(said.contains(words), "{rank_by}: {said}");
            assert!(rank_by == "goodput" || !said.contains("settled"), "{said}");
        }
        for rank_by in ["goodput", "p50", "p99"] {
            assert_eq!(said(rank_by, base.bound(), row.bound()), "", "{rank_by}");
        }
        let cheap = Level { cpu_us: 8.0, ..row.bound() };
        assert!(said("cpu", base.bound(), cheap).starts_with("a/row takes 0.48 of the CPU"));
    }
}
