//! The words that a user may type, and what is said of them.

use crate::help::help;
use crate::support::Bench;

#[test]
fn an_unknown_verb_gets_the_nearest_one() {
    let outcome = Bench::new().orchestrate(&["rum", "it.toml"]).exits(2);
    outcome.says(&["unrecognized subcommand 'rum'", "'run'"]).starts_nothing();
}

#[test]
fn an_unknown_option_gets_the_nearest_one() {
    let outcome = Bench::new().orchestrate(&["run", "it.toml", "--rebiuld"]).exits(2);
    outcome.says(&["--rebiuld", "'--rebuild'"]).starts_nothing();
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
