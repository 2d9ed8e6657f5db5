//! The words that a user may type, and what is said of them.

use crate::help::help;
use crate::support::Bench;

#[test]
fn an_unknown_verb_option_or_word_of_a_list_gets_the_nearest_one() {
    for (words, guess) in [
        (&["rum", "it.toml"][..], "'run'"),
        (&["it.toml"], "'run it.toml'"),
        (&["run", "it.toml", "--rebiuld"], "'--rebuild'"),
        (&["report", "--format", "cvs"], "'csv'"),
        (&["report", "--group", "langauge"], "'language'"),
        (&["report", "--columns", "gooput,p99"], "`goodput`"),
        (&["report", "--sort", "memroy"], "`memory`"),
        (&["compare", "a", "b", "--fail-on", "regresion"], "'regression'"),
        (&["compare", "a", "b", "--metric", "goodputs"], "`goodput`"),
        (&["history", "it.toml", "--metric", "startupp"], "`startup`"),
    ] {
        Bench::new().orchestrate(words).exits(2).says(&[guess]).starts_nothing();
    }
}

#[test]
fn the_version_is_told_on_standard_output() {
    let version = help(&["--version"]);
    let told = version.trim().strip_prefix(concat!("orchestrate ", env!("CARGO_PKG_VERSION")));
    // With the commit, where it is built from a repository.
    let commit = told.expect("name and version").trim();
    let is_hex = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    let is_commit =
        |text: &str| text.strip_prefix('(').and_then(|it| it.strip_suffix(')')).is_some_and(is_hex);
    assert!(commit.is_empty() || is_commit(commit), "{version}");
}

#[test]
fn a_plan_is_told_with_every_default_and_nothing_is_started() {
    let bench = Bench::new().target("a", "").target("b", "").policy("seed = 7");
    let outcome = bench.orchestrate(&["check", "it.toml", "--rounds", "3"]).exits(0);
    for part in ["6 trials in 3 rounds", "shuffled by seed 7", "partial: --rounds 3", "GET /"] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {outcome:#?}");
    }
    assert!(!bench.path("results").exists() && !bench.path("a.pid").exists());
}

#[test]
fn a_plan_tells_what_nobody_wrote() {
    let folder = "serves = { keep-alive = false, parallel = 2 }\nready-timeout = \"3s\"";
    let bench = Bench::new()
        .policy("seed = 7")
        .target("a", "")
        .target_with("b", "", folder)
        .toml("[[workload]]\nname = \"post\"\nmethod = \"POST\"\nbody = \"x\"")
        .target_with("c", "", "workloads = [\"post\"]\nbuild = [\"true\"]");
    let outcome = bench.orchestrate(&["check", "it.toml"]).exits(0);
    for part in [
        "\nhello · 4 connections, closed loop\n  GET / · right answer as expected · content of a sample compared\n  \
         keep-alive · pipeline 1 · HTTP/1.1 · timeout 30 s\n  asked of a, b\n  not offered by c\n",
        "\n    ready / · ready-timeout 30 s · stop-grace 5 s · a port of its own\n    env: COUNTS=",
        "\n    ready / · ready-timeout 3 s · stop-grace 5 s · a port of its own · serves keep-alive = false, parallel = 2\n",
        "\n    ready by connecting · ready-timeout 30 s · stop-grace 5 s · build-timeout 10 min · a port of its own\n",
    ] {
        assert!(outcome.stdout.contains(part), "no `{part}` in {outcome:#?}");
    }
}

#[test]
fn a_plan_remarks_on_a_command_whose_file_cannot_be_started() {
    let bench = Bench::new()
        .target("a", "")
        .command("gone", "./gone --port {port}")
        .command("plain", "./plain")
        .file("plain", "no program")
        .toml("[[target]]\nname = \"built\"\nbuild = [\"true\"]\ncommand = \"./built\"")
        .toml("[[target]]\nname = \"made\"\nbefore-trial = [\"true\"]\ncommand = \"./made\"");
    let outcome = bench.orchestrate(&["check", "it.toml"]).exits(0);
    let remarks: Vec<&str> =
        outcome.stdout.lines().filter(|line| line.contains("remark: ")).collect();
    let [gone, plain] = remarks[..] else { panic!("two remarks: {outcome:#?}") };
    assert!(gone.ends_with("/gone` is not there, and nothing here builds it"), "{gone}");
    assert!(plain.ends_with("/plain` may not be executed, and nothing here builds it"), "{plain}");
}
