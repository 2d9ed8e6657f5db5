//! What measuring itself makes of a target, in words: rows of one cell that differ in how they were measured alone, and rows
//! that do not differ at all.

use std::fmt::Write as _;

mod floor;

use super::escape::plain;
use crate::outcome::{Kind as _, Limit};
use crate::record::run::RunInfo;
use crate::record::summary::{CellSummary, Figure, Summary};
use crate::stats::comparison::ROUNDS_MIN;
use crate::stats::geometric::visible_effect;
use crate::units::{count_of, write_micros, write_number};

/// The labels of the rows that are compared.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'r> {
    /// The same once more, under another name.
    pub again: &'r str,
    /// The row as it is always measured, with the sampler on; it is the reference of the run.
    pub with: &'r str,
    /// The row with the sampler off.
    pub without: &'r str,
}

/// What the machine makes of nothing, and what the sampler costs, as a run of these rows shows it.
pub fn told(summary: &Summary, rows: Rows<'_>) -> String {
    let row = |label: &str| summary.cells.iter().find(|cell| cell.target == label);
    let rows = [rows.with, rows.again, rows.without].map(row);
    let [Some(with), Some(again), Some(without)] = rows else { return String::new() };
    let mut text = title(&summary.run, with);
    let out = [with, again, without].into_iter().find_map(|row| Some((row, row.reason.as_ref()?)));
    if let Some((row, reason)) = out {
        let label = plain(&row.target);
        text.extend(["  not measured: ", &label, ": ", &plain(reason), "\n"]);
        text.extend(row.hint.iter().map(|hint| format!("  hint: {}\n", plain(hint))));
        return text;
    }
    text.push_str("  one thing under two names\n");
    text.push_str(&floor::told(summary, with, again));
    text.push_str("  with the sampler and without\n");
    let is_paced = [with, without].iter().any(|row| row.limit == Some(Limit::Rate));
    let ratios = [&without.goodput_ratio, &without.cpu_ratio].map(|it| it.as_ref().map(inverse));
    let goodput = Compared {
        name: "right answers/s",
        with: with.goodput_per_second.as_ref(),
        without: without.goodput_per_second.as_ref(),
        ratio: ratios[0].as_ref(),
        write: write_number,
        costs_by: Costs::BeingLess,
    };
    let cpu = Compared {
        name: "CPU/answer",
        with: with.cpu_us_per_request.as_ref(),
        without: without.cpu_us_per_request.as_ref(),
        ratio: ratios[1].as_ref(),
        write: write_micros,
        costs_by: Costs::BeingMore,
    };
    let min_effect = summary.run.policy.min_effect;
    text.push_str(&goodput.told(min_effect, is_paced));
    text.push_str(&cpu.told(min_effect, false));
    text.push_str(
        "    the sampler runs on the generator's CPUs; CPU/answer is that of the server, read at the window's two ends \
         either way\n",
    );
    for (row, caveat) in [with, again, without]
        .iter()
        .flat_map(|row| row.caveats.iter().map(move |caveat| (row, caveat)))
    {
        let label = plain(&row.target);
        let _ = writeln!(text, "  {label} — {}: {}", caveat.caveat.name(), plain(&caveat.detail));
    }
    text
}

fn title(run: &RunInfo, row: &CellSummary) -> String {
    let table =
        run.tables.iter().find(|table| table.workload == row.workload && table.load == row.load);
    let load = table.map_or(row.load.as_str(), |table| table.load_words.as_str());
    let rounds = count_of(run.policy.rounds as usize, "round");
    format!(
        "what this machine can see: {} · {} · {} · {rounds} of {} s\n",
        plain(&row.target),
        plain(&row.workload),
        plain(load),
        run.policy.measure_seconds
    )
}

/// Which way a figure goes where the sampler costs something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Costs {
    BeingLess,
    BeingMore,
}

/// A figure of both rows.
struct Compared<'s> {
    name: &'static str,
    with: Option<&'s Figure>,
    without: Option<&'s Figure>,
    /// With over without, round by round.
    ratio: Option<&'s Figure>,
    write: fn(f64) -> String,
    costs_by: Costs,
}

impl Compared<'_> {
    fn told(&self, min_effect: f64, is_paced: bool) -> String {
        let name = self.name;
        let (Some(with), Some(without), Some(ratio)) = (self.with, self.without, self.ratio) else {
            return format!("    {name}: not known of both in any one round\n");
        };
        let write = self.write;
        let figures = format!(
            "    {name}: {} with it, {} without, {}{}\n",
            write(with.mean),
            write(without.mean),
            write_ratio(ratio.mean),
            interval(ratio),
        );
        let verdict = if is_paced {
            "the load was paced and its rate was met, so this says nothing of the cost".to_owned()
        } else {
            verdict(ratio, self.costs_by, min_effect)
        };
        format!("{figures}      {verdict}\n")
    }
}

/// The ratio the other way round.
fn inverse(ratio: &Figure) -> Figure {
    Figure {
        mean: 1.0 / ratio.mean,
        low: ratio.high.map(|high| 1.0 / high),
        high: ratio.low.map(|low| 1.0 / low),
        points: ratio.points.iter().map(|point| 1.0 / point).collect(),
    }
}

/// Shares here are small: a ratio needs four digits to show one.
fn write_ratio(ratio: f64) -> String {
    format!("a ratio of {ratio:.4}")
}

fn interval(ratio: &Figure) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" (95 %: {low:.4} to {high:.4})"),
        _ => String::new(),
    }
}

fn verdict(ratio: &Figure, costs_by: Costs, min_effect: f64) -> String {
    let rounds = ratio.points.len();
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return "one round shows no cost and no absence of one: `--rounds 7`".to_owned();
    };
    if rounds < ROUNDS_MIN {
        return format!("{} too few for a verdict: `--rounds {ROUNDS_MIN}` at least", are(rounds));
    }
    let (is_cost, is_gain) = match costs_by {
        Costs::BeingLess => (high < 1.0, low > 1.0),
        Costs::BeingMore => (low > 1.0, high < 1.0),
    };
    let share = |ratio: f64| percent((ratio - 1.0).abs());
    // The end of the interval that is nearer to no difference stands first.
    let (least, most) = if high < 1.0 { (high, low) } else { (low, high) };
    if is_cost {
        let size = format!("{} ({} to {})", share(ratio.mean), share(least), share(most));
        return match costs_by {
            Costs::BeingLess => format!("the sampler costs {size} of them"),
            Costs::BeingMore => format!("the sampler adds {size}"),
        };
    }
    if is_gain {
        return format!(
            "it is better with the sampler by {} ({} to {}), which looking on cannot do: one in forty such \
             intervals errs this way, or the machine changed with the order; measure again",
            share(ratio.mean),
            share(least),
            share(most)
        );
    }
    let half_width = (high.ln() - low.ln()) / 2.0;
    let visible = visible_effect(rounds, half_width)
        .map(|effect| {
            format!("; an effect of {} would have been seen four times in five", percent(effect))
        })
        .unwrap_or_default();
    let is_small = low > 1.0 - min_effect && high < 1.0 + min_effect;
    let bound = if is_small {
        format!("; whatever it is, it is less than `min-effect`, {}", percent(min_effect))
    } else {
        String::new()
    };
    format!("the cost cannot be told from nothing{visible}{bound}")
}

/// `1 round is`, `2 rounds are`.
fn are(rounds: usize) -> String {
    format!("{} {}", count_of(rounds, "round"), if rounds == 1 { "is" } else { "are" })
}

/// Two digits that count, as costs may be far below one per cent.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        ..0.095 => format!("{percent:.2} %"),
        0.095..9.95 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{self, rounds, rounds::Level};
    use super::super::summarise::summarise;
    use super::*;
    use crate::record::trial::Ended;
    use crate::stats::geometric::GeometricMean;

    fn figure(points: &[f64]) -> Figure {
        let mean = GeometricMean::of(points).expect("positive");
        let (low, high) = mean.interval.unzip();
        Figure { mean: mean.mean, low, high, points: points.to_vec() }
    }

    #[test]
    fn a_cost_is_told_with_its_interval_and_none_with_what_could_have_been_seen() {
        let near = |centre: f64| -> Vec<f64> {
            [-0.003, -0.002, -0.001, 0.0, 0.001, 0.002, 0.003].map(|it| centre + it).to_vec()
        };
        for (points, costs_by, parts) in [
            (
                near(0.99),
                Costs::BeingLess,
                &["the sampler costs 1.0 %", "(0.8 % to 1.2 %) of them"][..],
            ),
            (near(1.02), Costs::BeingMore, &["the sampler adds 2.0 %", "(1.8 % to 2.2 %)"]),
            (near(1.02), Costs::BeingLess, &["better with the sampler by 2.0 %", "measure again"]),
            (near(0.98), Costs::BeingMore, &["better with the sampler by 2.0 %"]),
            (
                near(1.0),
                Costs::BeingLess,
                &[
                    "cannot be told from nothing",
                    "an effect of 0.3 % would have been seen",
                    "less than `min-effect`, 2.0 %",
                ],
            ),
            (
                vec![0.9, 1.1, 0.95, 1.05, 1.0],
                Costs::BeingLess,
                &["cannot be told from nothing; an effect of 14 % would have been seen"],
            ),
            (vec![0.9; 4], Costs::BeingLess, &["4 rounds are too few", "`--rounds 5`"]),
            (vec![0.9], Costs::BeingLess, &["one round", "`--rounds 7`"]),
        ] {
            let told = verdict(&figure(&points), costs_by, 0.02);
            for part in parts {
                assert!(told.contains(part), "no `{part}` in: {told}");
            }
            let is_wide = points.contains(&1.1);
            assert!(!(is_wide && told.contains("min-effect")), "{told}");
        }
    }

    #[test]
    fn small_shares_keep_digits_that_count() {
        for (share, text) in [
            (0.0, "0.00 %"),
            (0.000_42, "0.04 %"),
            (0.0042, "0.4 %"),
            (0.042, "4.2 %"),
            (0.42, "42 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn both_rows_stand_side_by_side_and_doubts_below() {
        let rows = Rows { with: "c/fast", again: "c/fast", without: "go/base" };
        insta::assert_snapshot!(told(&summarise(&fixture::run()), rows), @r#"
        what this machine can see: c/fast · hello · 64 connections, closed loop · 2 rounds of 1 s
          one thing under two names
            right answers/s: 121,000 and 121,000
              a ratio of 2.0000 (95 %: 2.0000 to 2.0000): 2 rounds are too few for a verdict
            CPU/answer: 5.0 us and 5.0 us
              a ratio of 0.3125 (95 %: 0.3125 to 0.3125): 2 rounds are too few for a verdict
            the noise floor is not known: it takes 5 rounds at least
          with the sampler and without
            right answers/s: 121,000 with it, 60,600 without, a ratio of 1.0000 (95 %: 1.0000 to 1.0000)
              2 rounds are too few for a verdict: `--rounds 5` at least
            CPU/answer: 5.0 us with it, 16 us without, a ratio of 1.0000 (95 %: 1.0000 to 1.0000)
              2 rounds are too few for a verdict: `--rounds 5` at least
            the sampler runs on the generator's CPUs; CPU/answer is that of the server, read at the window's two ends either way
          c/fast — client-bound: the load generator was busy for 99 % of the window
          c/fast — client-bound: the load generator was busy for 99 % of the window
        "#);
    }

    /// What is told where the three rows are measured in seven rounds, with so many right answers per second each.
    fn told_of(goodputs: [f64; 3]) -> String {
        let labels = ["go/base", "go/base+again", "go/base+sampler-off"];
        let level =
            |at: usize| Level { limit: Limit::Neither, ..Level::of(labels[at], goodputs[at]) };
        let rows = Rows { with: labels[0], again: labels[1], without: labels[2] };
        told(&summarise(&rounds::run("goodput", &[level(0), level(1), level(2)])), rows)
    }

    #[test]
    fn of_seven_rounds_there_are_verdicts_and_a_floor() {
        insta::assert_snapshot!(told_of([60_000.0, 60_000.0, 61_200.0]), @r##"
        what this machine can see: go/base · hello · 64 connections, closed loop · 7 rounds of 1 s
          one thing under two names
            right answers/s: 60,000 and 60,000
              a ratio of 1.0000 (95 %: 0.9952 to 1.0048): no difference, as it must be; an effect of 0.7 % would have been seen four times in five
            CPU/answer: 17 us and 17 us
              a ratio of 1.0000 (95 %: 0.9952 to 1.0048): no difference, as it must be; an effect of 0.7 % would have been seen four times in five
            noise floor: differences under 0.4 % cannot be told from none in 7 rounds of 1 s
          with the sampler and without
            right answers/s: 60,000 with it, 61,200 without, a ratio of 0.9804 (95 %: 0.9758 to 0.9850)
              the sampler costs 2.0 % (1.5 % to 2.4 %) of them
            CPU/answer: 17 us with it, 16 us without, a ratio of 1.0200 (95 %: 1.0152 to 1.0248)
              the sampler adds 2.0 % (1.5 % to 2.5 %)
            the sampler runs on the generator's CPUs; CPU/answer is that of the server, read at the window's two ends either way
        "##);
    }

    #[test]
    fn a_difference_between_two_names_of_one_thing_is_told_and_a_gain_by_looking_on_is_doubted() {
        let text = told_of([60_000.0, 57_000.0, 58_000.0]);
        for part in [
            "a difference between two names of one thing: one interval in twenty errs so",
            "it is better with the sampler by 3.4 % (",
            "which looking on cannot do: one in forty such intervals errs this way",
        ] {
            assert!(text.contains(part), "no `{part}` in: {text}");
        }
        assert!(!text.contains("no difference, as it must be"), "{text}");
    }

    #[test]
    fn where_a_row_was_not_measured_that_is_told_and_no_cost() {
        let rows = Rows { with: "go/base", again: "go/base", without: "dart/none" };
        let text = told(&summarise(&fixture::run()), rows);
        assert!(text.contains("not measured: dart/none: not installed: dart"), "{text}");
        assert!(text.contains("hint: get it") && !text.contains("right answers"), "{text}");
    }

    #[test]
    fn a_rate_that_was_met_says_nothing_of_the_cost() {
        let mut run = fixture::run();
        for trial in &mut run.trials {
            if let Some(measured) = trial.measured() {
                let mut measured = measured.clone();
                measured.limit = Some(Limit::Rate);
                trial.end(Ended::Measured(Box::new(measured)));
            }
        }
        let rows = Rows { with: "c/fast", again: "c/fast", without: "go/base" };
        let text = told(&summarise(&run), rows);
        assert!(text.contains("the load was paced and its rate was met"), "{text}");
    }
}
