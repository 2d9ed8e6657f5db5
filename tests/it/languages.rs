//! The servers that come with the project: five of them are measured, and those that can be had here keep what they claim.
//!
//! Tools that the five need are got. Builds stay below `target/`, so that they are made once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestrate::outcome::Lost;

use crate::support::{Bench, skipped};

/// For builds of many programs, from nothing and on a slow machine.
const PATIENCE: Duration = Duration::from_mins(20);

/// A matrix of the project, and a bench whose builds outlive it.
fn project(matrix: &str) -> (String, Bench) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orchestrate-cache");
    let matrix = project.join("configs").join(matrix).display().to_string();
    (matrix, Bench::new().within(PATIENCE).env("ORCHESTRATE_CACHE", cache))
}

#[test]
fn five_servers_in_five_languages_answer_rightly_under_load() {
    let (matrix, bench) = project("matrix.toml");
    let short = ["--load", "c64", "--rounds", "1", "--warm-up", "200ms", "--measure", "1s"];
    let words = ["run", &matrix, "--share-machine", "--provision=yes", "--results", "results"];
    let outcome = bench.orchestrate(&[&words[..], &short[..]].concat()).exits(0);
    let run = outcome.record();
    assert_eq!(run.trials.len(), 5, "{outcome:#?}");
    for trial in &run.trials {
        let measured = trial.measured().unwrap_or_else(|| panic!("not measured: {trial:#?}"));
        assert!(measured.good > 0, "{trial:#?}");
        // On a machine that is very busy an answer may come too late; it is never wrong, and no connection is lost.
        let lost = measured.lost.total() - measured.lost.of(Lost::Timeout);
        assert_eq!((measured.wrong.total(), lost), (0, 0), "{trial:#?}");
    }
    let languages: BTreeSet<&str> =
        run.info.targets.iter().filter_map(|target| target.language.as_deref()).collect();
    assert_eq!(languages.len(), 5, "{languages:?}");
    for target in &run.info.targets {
        assert!(outcome.stdout.contains(&target.label), "{}", outcome.stdout);
    }
}

#[test]
fn every_server_whose_tools_are_here_and_that_fetches_nothing_keeps_what_it_claims() {
    let (matrix, bench) = project("all.toml");
    let mut words = vec!["check", &matrix, "--serve", "--share-machine"];
    // One program in two settings keeps or breaks the same.
    words.extend(["--target", "!*+*"]);
    // What their builds fetch from npm, PyPI and the Go proxy is not to decide over these tests.
    for fetched in ["!go/fasthttp", "!node/fastify", "!python/gevent", "!python/uvicorn"] {
        words.extend(["--target", fetched]);
    }
    let outcome = bench.orchestrate(&words).exits(0);
    let kept =
        outcome.stdout.lines().filter(|line| line.contains(" checks kept, 0 broken")).count();
    for line in outcome.stdout.lines().filter(|line| line.contains("skipped")) {
        skipped("what a server claims", line);
    }
    // A machine that builds this project has Rust; with the tools of the five there are those of their neighbours.
    assert!(kept >= 3, "{}", outcome.stdout);
}
