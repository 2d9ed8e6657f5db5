//! Charts of the small run: what they hold, and that they are well formed.

use super::super::fixture::{self, rounds, rounds::Level};
use super::super::summarise::summarise;
use super::*;
use crate::record::trial::Ended;

fn drawn(run: &crate::record::store::Run) -> Vec<Chart> {
    charts(&summarise(run), Some(&run.trials)).remove(0).drawn
}

#[test]
fn every_row_is_in_the_comparison_and_one_that_failed_has_its_reason() {
    let charts = drawn(&fixture::run());
    let comparison = &charts[0];
    assert_eq!(comparison.name, Name::Comparison);
    for told in ["c/fast", "go/base", "php/bad|`&lt;b&gt;", "dart/none", "go/raw"] {
        assert!(comparison.body.contains(&format!(">{told}</text>")), "{told}");
    }
    for told in
        ["failed in verify: 404 where 200 was expected", "not offered", "&gt;= 121,000 ±13.4 %"]
    {
        assert!(comparison.body.contains(told), "{told}");
    }
    // A lower bound is an arrow, and is the only one.
    assert_eq!(comparison.body.matches("m-5 -4l5 4l-5 4").count(), 1);
    assert!(comparison.about.contains("a lower bound"));
}

#[test]
fn without_trials_only_what_a_summary_knows_is_drawn() {
    let run = fixture::run();
    let names = |charts: &[Charts]| charts[0].drawn.iter().map(|it| it.name).collect::<Vec<_>>();
    let summary = summarise(&run);
    assert_eq!(names(&charts(&summary, None)), [Name::Comparison, Name::Cost]);
    let all = charts(&summary, Some(&run.trials));
    assert_eq!(
        names(&all),
        [Name::Comparison, Name::Quantiles, Name::Cost, Name::Rounds, Name::Window]
    );
}

#[test]
fn files_have_names_of_their_own_and_hold_nothing_that_acts() {
    let mut run = fixture::run();
    let evil = "../</text><script>alert(1)</script> \u{202e}\n'\"&".to_owned() + &"x".repeat(200);
    run.info.tables[0].workload.clone_from(&evil);
    run.info.tables[0].load_words.clone_from(&evil);
    run.info.tables[0].rows[1].clone_from(&evil);
    for trial in &mut run.trials {
        trial.workload.clone_from(&evil);
        if trial.target == "go/base" {
            trial.target.clone_from(&evil);
        }
    }
    let mut summary = summarise(&run);
    let twice = summary.run.tables[0].clone();
    summary.run.tables.push(twice);
    let files = files(&summary, Some(&run.trials));
    assert_eq!(files.len(), 10);
    let names: std::collections::BTreeSet<&String> = files.iter().map(|it| &it.file).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    for ChartFile { file: name, text, .. } in &files {
        let safe = |sign: char| sign.is_ascii_alphanumeric() || "-_.+".contains(sign);
        assert!(name.chars().all(safe) && !name.starts_with('.'), "{name}");
        for active in ["<script", "javascript:", "onload", "<foreignObject", "href", "\u{202e}"] {
            assert!(!text.contains(active), "{active} in {text}");
        }
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        assert_balanced(text);
    }
}

/// Every element that is opened is closed, in order.
fn assert_balanced(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("an end of the tag");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{text}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_window_in_the_middle_is_not_shifted_by_a_round_without_a_right_answer() {
    let mut run = fixture::run();
    let mut third = run.trials[0].clone();
    let mut measured = third.measured().expect("the first is").clone();
    measured.goodput_per_second = 0.0;
    third.round = 3;
    third.end(Ended::Measured(Box::new(measured)));
    run.trials.push(third);
    let charts = drawn(&run);
    let window = charts.iter().find(|it| it.name == Name::Window).expect("a chart");
    // Of 0, 120,000 and 122,400 it is the second; of the two of the other row it is the lower.
    assert_eq!(window.body.matches(">round 1<").count(), 2, "{}", window.body);
}

#[test]
fn of_a_bound_all_places_are_shown_and_names_make_room_for_them() {
    let rows = [
        Level::of("go/base", 60_000.0),
        Level::of("a/bound", 90_000.0).bound(),
        Level::of("c/most", 120_000.0),
    ];
    let body = drawn(&rounds::run("goodput", &rows))[0].body.clone();
    assert!(body.contains(">1-2</text>") && body.contains(">3</text>"), "{body}");
    assert_eq!(body.matches("&gt;= 90,000").count(), 2, "{body}");
    // By what an answer costs it is no bound.
    let by_cpu = drawn(&rounds::run("cpu", &rows))[0].body.clone();
    assert!(by_cpu.contains(">2</text>") && !by_cpu.contains("1-"), "{by_cpu}");
    assert!(!by_cpu.contains("&gt;= "), "{by_cpu}");
}
