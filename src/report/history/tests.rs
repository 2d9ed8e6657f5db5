//! A small history in every format.

use super::super::{html, markdown, table};
use super::*;
use crate::history::alarm::remember_accepted;
use crate::history::fixture::{CONTROL, history, id, night, row};
use crate::record::changes::Known;
use crate::record::outline::{Named, Outline};
use crate::record::run::Commit;

/// Twenty nights of four rows: one loses answers from the seventeenth on, one gains in the last, one has a name that does harm, and one is
/// always limited by the load generator.
fn nights() -> Vec<Outline> {
    let about = [0.4, -0.9, 0.7, -0.2, 0.9, -0.6, 0.1, -0.4];
    (1..=20u32)
        .zip(about.into_iter().cycle())
        .map(|(at, about)| {
            let (noise, other) = (about / 100.0, about / -200.0);
            let slow = if at >= 17 { -0.09 } else { 0.0 };
            let cheap = if at == 20 { -0.12 } else { 0.0 };
            let mut bound = row("c/bound", 0.1 + noise, other);
            bound.caveats = vec![Named { caveat: "client-bound".to_owned() }];
            let rows = vec![
                row("go/slow", -0.7 + slow + noise, 0.7 + other),
                row("rust/cheap", -0.2 + noise, 0.4 + cheap + other),
                row("<b>|`harm", -0.9 + noise, 0.9 + other),
                bound,
            ];
            let mut outline = night(at, 1.0 + about / 10.0, rows);
            if at >= 17 {
                outline.versions.insert("go".to_owned(), "1.27".to_owned());
                outline.run.commit = Some(Commit { id: "5d6e7f8".to_owned(), is_changed: true });
            }
            outline
        })
        .collect()
}

fn accepted() -> Changes {
    let known = Known {
        workload: "hello".to_owned(),
        load: "c64".to_owned(),
        target: "go/slow".to_owned(),
        metric: "goodput".to_owned(),
        since: id(17),
        through: id(18),
        told: Some(id(18)),
        accepted: Some(id(19)),
    };
    Changes { changes: vec![known], ..Changes::default() }
}

fn shown<'h>(history: &'h History, memory: &'h Changes) -> Shown<'h> {
    Shown { name: "nightly", history, memory, left_out: "2 partial" }
}

#[test]
fn a_table_holds_levels_changes_and_what_became_of_them() {
    let (history, memory) = (history(&nights()), Changes::default());
    insta::assert_snapshot!(table::write(&lay_out(shown(&history, &memory))), @r##"
    hello · 64 connections, closed loop · right answers/s · more is better
      target          runs   from run to run        vs control   change                          since        seen
      c/control [1]     20   ▆▁█▄█▂▅▃▆▁█▄█▂▅▃▆▁█▄       99,800        —   —                      —               —
      go/slow [2]       20   █▇███▇███▇███▇██▁▁▂▁        0.454   -8.6 %   regression confirmed   2026-01-17      4
      rust/cheap        20   ▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄        0.819        —   —                      —               —
      <b>|`harm         20   ▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄        0.407        —   —                      —               —
      c/bound         not judged: client-bound in every run
      [1] c/control — the control: its figures are absolute, and show what the machine did
      [2] go/slow — regression confirmed: right answers/s -8.6 % (95 %: -9.3 % to -7.9 %), 0.497 to 0.454, since run 20260117T020000000Z-0007 of 2026-01-17; suspected at first sight, confirmed by 20260118T020000000Z-0007, seen in 4 runs; with it changed commit unknown to 5d6e7f8+, go 1.26 to 1.27

    hello · 64 connections, closed loop · CPU/answer · less is better
      target           runs   from run to run        vs control    change                           since        seen
      c/control [1]      20   ▃█▁▅▁▇▄▆▃█▁▅▁▇▄▆▃█▁▅        10 us         —   —                       —               —
      go/slow            20   ▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅        2.014         —   —                       —               —
      rust/cheap [2]     20   ███████████████████▁        1.324   -11.2 %   improvement suspected   2026-01-20      1
      <b>|`harm          20   ▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅        2.460         —   —                       —               —
      c/bound            20   ▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅▄▅        1.000         —   —                       —               —
      [1] c/control — the control: its figures are absolute, and show what the machine did
      [2] rust/cheap — improvement suspected: CPU/answer -11.2 % (95 %: -11.8 % to -10.6 %), 1.492 to 1.324, since run 20260120T020000000Z-0007 of 2026-01-20; seen in the newest run alone

    20 runs of nightly · 2026-01-01 to 2026-01-20 · left out: 2 partial · 1 regression confirmed
    "##);
}

#[test]
fn markdown_holds_the_same_and_no_name_breaks_it() {
    let history = history(&nights());
    let text = markdown::write(&lay_out(shown(&history, &accepted())));
    let row = text.lines().find(|line| line.starts_with("| go/slow")).expect("a row");
    assert!(row.contains("regression, accepted") && row.contains("2026-01-17"), "{row}");
    assert!(text.contains("&lt;b&gt;\\|\\`harm") && !text.contains("<b>"), "{text}");
    assert!(text.ends_with("left out: 2 partial · no regression is open\n"), "{text}");
}

#[test]
fn csv_is_a_line_for_each_row_and_figure() {
    let (history, memory) = (history(&nights()), Changes::default());
    insta::assert_snapshot!(csv::write(&history, &memory), @r##"
    workload,load,target,metric,control,runs,first_run,last_run,level,between_runs,state,level_before,change,change_low,change_high,since_run,suspected_by_run,confirmed_by_run,seen_in_runs,runs_left_out
    hello,c64,c/control,goodput,,20,20260101T020000000Z-0007,20260120T020000000Z-0007,99819.958181,,,,,,,,,,,0
    hello,c64,c/control,cpu,,20,20260101T020000000Z-0007,20260120T020000000Z-0007,10.018037,,,,,,,,,,,0
    hello,c64,go/slow,goodput,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,0.453845,0.006026,regression confirmed,0.496585,-0.086069,-0.092823,-0.079264,20260117T020000000Z-0007,20260117T020000000Z-0007,20260118T020000000Z-0007,4,0
    hello,c64,go/slow,cpu,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,2.013753,0.002424,,,,,,,,,,0
    hello,c64,rust/cheap,goodput,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,0.818731,0.00585,,,,,,,,,,0
    hello,c64,rust/cheap,cpu,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,1.324454,0.002518,improvement suspected,1.491746,-0.112145,-0.118151,-0.106099,20260120T020000000Z-0007,20260120T020000000Z-0007,,1,0
    hello,c64,<b>|`harm,goodput,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,0.40657,0.00585,,,,,,,,,,0
    hello,c64,<b>|`harm,cpu,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,2.459603,0.002424,,,,,,,,,,0
    hello,c64,c/bound,goodput,c/control,0,,,,,,,,,,,,,,20
    hello,c64,c/bound,cpu,c/control,20,20260101T020000000Z-0007,20260120T020000000Z-0007,1,0.002424,,,,,,,,,,0
    "##);
}

#[test]
fn json_holds_every_series_with_its_changes() {
    let (history, memory) = (history(&nights()), accepted());
    let text = json::write(shown(&history, &memory));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["runs"].as_array().map(Vec::len), Some(20));
    let lines = value["lines"].as_array().expect("lines");
    let slow = lines
        .iter()
        .find(|line| line["target"] == "go/slow" && line["metric"] == "goodput")
        .expect("a line");
    let series = &slow["series"][0];
    assert_eq!(series["conditions"]["control"], CONTROL);
    assert_eq!(series["points"].as_array().map(Vec::len), Some(20));
    assert_eq!(series["levels"][1]["first_run"], id(17).as_str());
    let change = &series["changes"][0];
    assert_eq!((&change["standing"], &change["is_worse"]), (&"accepted".into(), &true.into()));
    assert_eq!(change["confirmed_by_run"], id(18).as_str());
    assert_eq!(change["changed_beside"][0], "commit unknown to 5d6e7f8+");
    assert_eq!(change["changed_beside"][1], "go 1.26 to 1.27");
    let ratio = change["ratio"].as_f64().expect("a ratio");
    assert!((ratio - 0.914).abs() < 0.005, "{ratio}");
}

#[test]
fn the_page_has_a_chart_a_row_without_scripts_and_without_anything_from_elsewhere() {
    let (history, memory) = (history(&nights()), Changes::default());
    let page = html::history::page(shown(&history, &memory));
    // Five rows, two figures each, of which one has no run that counts.
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 9);
    assert!(page.contains("-8.6 %") && page.contains("&lt;b&gt;|`harm"), "{page}");
    assert!(page.contains("<p class=\"doubt\">hello under c64: go/slow: regression confirmed: "));
    for unwanted in ["<script", "<b>|`", "http://", "https://", "src=", "url("] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("default-src 'none'"));
}

#[test]
fn without_a_control_the_table_says_what_is_in_its_figures() {
    let outlines: Vec<Outline> = nights()
        .into_iter()
        .map(|mut outline| {
            outline.run.policy.control = None;
            outline
        })
        .collect();
    let (history, memory) = (history(&outlines), Changes::default());
    let text = table::write(&lay_out(shown(&history, &memory)));
    assert!(text.contains("There is no control, so these are absolute figures"), "{text}");
    let row = text.lines().find(|line| line.contains("go/slow")).expect("a row");
    assert!(!row.contains("regression") && !row.contains('%'), "{row}");
    assert!(text.ends_with(" · nothing is judged without a control\n"), "{text}");
}

#[test]
fn rows_that_changed_with_one_run_are_told_together_and_a_new_machine_is_told_as_such() {
    let outlines: Vec<Outline> = (1..=30u32)
        .map(|at| {
            let down = if (16..26).contains(&at) { -0.2 } else { 0.0 };
            let noise = f64::from(at * 7 % 5) / 500.0;
            let rows = ["a", "b", "c", "d"].map(|label| row(label, down + noise, 0.0)).into();
            let mut outline = night(at, 1.0, rows);
            if at >= 26 {
                outline.run.host.cpu_model = Some("Xeon".to_owned());
            }
            outline
        })
        .collect();
    let memory = Changes::default();
    let before = history(&outlines[..24]);
    let text = table::write(&lay_out(shown(&before, &memory)));
    let told = format!("4 of 4 rows became worse with one run, {}", id(16));
    assert!(text.contains(&told), "{text}");
    // What somebody has taken for the new level is no news of any row.
    let found: Vec<_> = before.found().filter(Found::is_worse).collect();
    let accepted = remember_accepted(&memory, &found, before.newest().expect("a run"));
    let text = table::write(&lay_out(shown(&before, &accepted)));
    assert!(text.contains("regression, accepted") && !text.contains("look first"), "{text}");
    let after = history(&outlines);
    let text = table::write(&lay_out(shown(&after, &memory)));
    let told =
        "a series of its own since 2026-01-26, apart from 25 runs before: processor EPYC to Xeon";
    assert!(text.contains(told) && !text.contains("regression confirmed"), "{text}");
}
