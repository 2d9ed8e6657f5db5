//! What a user gets for a mistake: all of it told, at its place, with the right exit code, and nothing started.

use std::fs;

use crate::support::{Bench, Outcome};

/// A matrix that is at fault: exit 2, told as these parts.
fn is_refused(text: &str, parts: &[&str]) {
    let bench = Bench::new().matrix(text);
    bench.run(&[]).exits(2).says(parts).starts_nothing();
    bench.orchestrate(&["check", "it.toml"]).exits(2).says(parts);
}

#[test]
fn an_empty_matrix_gets_told_that_it_names_no_target() {
    is_refused("", &["no `[[target]]` in this matrix", "it.toml:1:1", "hint: name a server"]);
}

#[test]
fn a_matrix_that_is_no_toml_gets_the_line_of_each_fault() {
    is_refused("[run\nrounds = 3\nseed = = 4\n", &["no TOML", "it.toml:1:", "it.toml:3:"]);
}

#[test]
fn a_matrix_that_is_not_there_gets_its_path() {
    let bench = Bench::new();
    let outcome = bench.orchestrate(&["run", "nowhere/it.toml"]);
    outcome.exits(2).says(&["nowhere/it.toml", "`orchestrate init`"]).starts_nothing();
}

#[test]
fn an_unknown_key_gets_the_nearest_one_and_its_place() {
    is_refused(
        "[run]\nround = 3\n[[target]]\ncommand = \"true\"\n",
        &["unknown key `round`", "it.toml:2:1", "did you mean `rounds`?", "^^^^^"],
    );
}

#[test]
fn an_unknown_target_folder_gets_its_path_and_place() {
    is_refused(
        "[[target]]\nfrom = \"../targets/cobol\"\n",
        &["targets/cobol", "it.toml:2:8", "target.toml"],
    );
}

#[test]
fn a_name_given_twice_gets_both_places() {
    is_refused(
        "[[target]]\nname = \"a\"\ncommand = \"true\"\n[[target]]\nname = \"a\"\ncommand = \"true\"\n",
        &["target `a` is there already, from line 2", "it.toml:5:8"],
    );
}

#[test]
fn numbers_out_of_range_get_their_range_all_at_once() {
    is_refused(
        "[run]\nmeasure = \"-3s\"\n[[load]]\nconnections = 0\n[[target]]\ncommand = \"true\"\n",
        &["`measure`", "it.toml:2:11", "`connections`", "it.toml:4:15", "1 to 100000"],
    );
}

#[test]
fn a_name_that_could_draw_a_table_is_refused() {
    for name in ["a|b", "../a", "a b", "\\u001b[31m", ""] {
        is_refused(
            &format!("[[target]]\nname = \"{name}\"\ncommand = \"true\"\n"),
            &["cannot be a name", "it.toml:2:8"],
        );
    }
}

#[test]
fn a_selection_that_matches_nothing_gets_the_names_there_are() {
    let bench = Bench::new().target("go", "").target("node", "");
    for verb in ["run", "check", "build"] {
        let outcome = bench.orchestrate(&[verb, "it.toml", "--target", "rust*"]);
        outcome
            .exits(4)
            .says(&["no target matches `rust*`", "there are `go`, `node`"])
            .starts_nothing();
    }
    let near = bench.orchestrate(&["check", "it.toml", "--target", "Nod"]).exits(4);
    near.says(&["no target matches `Nod`", "did you mean `node`? there are `go`, `node`"]);
    let outcome = bench.run(&["--load", "c1000"]).exits(4);
    outcome.says(&["no load matches `c1000`", "there is `c4`"]).starts_nothing();
}

#[test]
fn results_that_cannot_be_written_get_their_path_and_nothing_is_started() {
    let bench = Bench::new().target("a", "").file("taken", "a file");
    let outcome: Outcome = bench.run(&["--results", "taken/below"]);
    outcome.exits(1).says(&["taken/below"]).starts_nothing();
    assert!(!bench.path("a.pid").exists(), "a server was started");
    assert_eq!(fs::read_to_string(bench.path("taken")).unwrap(), "a file");
}

#[test]
fn an_events_file_that_cannot_be_written_gets_its_path_and_nothing_is_started() {
    let bench = Bench::new().target("a", "").file("taken", "a file");
    let outcome = bench.run(&["--events", "taken/events"]);
    outcome.exits(1).says(&["cannot write `taken/events`"]).starts_nothing();
}

#[test]
fn a_header_from_a_variable_that_is_not_set_is_told_before_anything_starts() {
    let bench = Bench::new()
        .workload("name = \"hello\"\nheaders = { X-Key = \"env:NOBODY_HAS_SET_THIS\" }")
        .target("a", "");
    bench
        .run(&[])
        .exits(2)
        .says(&["X-Key", "NOBODY_HAS_SET_THIS", "hint: set it"])
        .starts_nothing();
}

#[test]
fn a_run_that_is_not_there_gets_where_it_was_looked_for() {
    let bench = Bench::new();
    let words = ["report", "--results", "results"];
    bench.orchestrate(&words).exits(4).says(&["no run in `results`", "--results"]);
    let words = ["report", "20990101T000000000Z-0000", "--results", "results"];
    bench
        .orchestrate(&words)
        .exits(4)
        .says(&["`20990101T000000000Z-0000` names no run: ", "no id and no matrix in `results`"]);
    fs::create_dir_all(bench.path("results/nightly")).unwrap();
    for words in [&["report", "nigthly"][..], &["compare", "nigthly", "nightly"]] {
        let words: Vec<&str> = words.iter().copied().chain(["--results", "results"]).collect();
        bench.orchestrate(&words).exits(4).says(&["`nigthly` names no run", "`nightly`?"]);
    }
}

#[test]
fn a_folder_in_place_of_a_matrix_gets_its_path() {
    let bench = Bench::new();
    let folder = bench.path("").display().to_string();
    let folder = folder.trim_end_matches('/');
    for typed in [folder, "."] {
        let outcome = bench.orchestrate(&["run", typed]).exits(2);
        outcome.says(&["it is no plain file"]).says(&[&format!("`{typed}`")]).starts_nothing();
    }
}
