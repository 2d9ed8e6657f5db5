//! The recipes of docs/nightly: the script is run against a small matrix, night after night, and the units and the workflow
//! are looked at by their own tools where these can be had.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Bench, ORCHESTRATE, skipped};

const PAGE: &str = "# Ours\n\n<!-- orchestrate:begin matrix=it -->\n<!-- orchestrate:end -->\n";

fn recipes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/nightly")
}

/// A matrix with a control, and a page, in a repository.
fn repository(bench: Bench) -> Bench {
    let bench = bench.file("README.md", PAGE);
    bench.git(&["init", "--quiet"]);
    bench.write_matrix();
    bench.write(".gitignore", "/*\n!/it.toml\n!/README.md\n!/.gitignore\n!/results\n");
    bench.git(&["add", "it.toml", "README.md", ".gitignore"]);
    bench.git(&["commit", "--quiet", "-m", "begun"]);
    bench
}

/// One night by the script, on a machine that nobody else holds.
fn night(bench: &Bench) -> Output {
    let names = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "night"));
    let emails = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "night@localhost"));
    night_with(bench, &[names, emails].concat())
}

/// The same in this environment.
fn night_with(bench: &Bench, variables: &[(&str, &str)]) -> Output {
    let program = Path::new(ORCHESTRATE).parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .arg(recipes().join("night.sh"))
        .args(["it.toml", "README.md"])
        .current_dir(bench.path(""))
        .env("PATH", format!("{program}:{path}"))
        .env("ORCHESTRATE_LOCK", bench.path("lock"))
        .env("ORCHESTRATE_CACHE", bench.path("cache"))
        .envs(variables.iter().copied())
        .output()
        .expect("a shell")
}

fn said(output: &Output) -> String {
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", of(&output.stdout), of(&output.stderr))
}

fn commits(bench: &Bench) -> usize {
    bench.git(&["log", "--oneline"]).lines().count()
}

#[test]
fn a_night_measures_looks_back_renews_the_page_commits_and_says_nothing() {
    let bench = Bench::new()
        .rounds(2)
        .policy("control = \"a\"")
        .policy("measure = \"1s\"")
        .target("a", "")
        .target("b", "");
    let bench = repository(bench);
    for nights in 1..=2 {
        let output = night(&bench);
        assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
        assert_eq!(commits(&bench), 1 + nights);
        assert!(bench.git(&["status", "--porcelain"]).is_empty());
        let latest = fs::read_to_string(bench.path("results/it/latest")).expect("a run");
        let page = fs::read_to_string(bench.path("README.md")).expect("a page");
        assert!(page.contains(&format!("orchestrate:end run={}", latest.trim())), "{page}");
        let kept = bench.git(&["ls-files", "results"]);
        assert_eq!(kept.matches("/summary.json").count(), nights, "{kept}");
        assert!(!kept.contains("trials.ndjson") && !kept.contains("logs/"), "{kept}");
    }
}

#[test]
fn a_target_that_fails_is_told_and_the_rest_of_the_night_is_kept() {
    let bench = Bench::new()
        .rounds(2)
        .policy("control = \"a\"")
        .policy("measure = \"1s\"")
        .target("a", "")
        .target("b", "")
        .target("gone", "--fault exit-at-start=3");
    let bench = repository(bench);
    let output = night(&bench);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("failed in ready"), "{}", said(&output));
    assert_eq!(commits(&bench), 2);
}

fn two() -> Bench {
    let bench = Bench::new().rounds(2).policy("control = \"a\"").policy("measure = \"1s\"");
    repository(bench.target("a", "").target("b", ""))
}

#[test]
fn a_night_that_its_time_cuts_off_is_not_mute() {
    let bench = two();
    assert_eq!(said(&night(&bench)), "");
    // How much of it is measured is up to the machine.
    let names = [("GIT_AUTHOR_NAME", "night"), ("GIT_AUTHOR_EMAIL", "night@localhost")];
    let output = night_with(&bench, &[&names[..], &[("TIME_LIMIT", "1s")]].concat());
    assert!(said(&output).contains("the time limit is over"), "{}", said(&output));
}

#[test]
fn what_was_staged_before_stays_staged_and_a_push_that_is_refused_ends_the_night_with_its_code() {
    let bench = two();
    bench.write("mine.txt", "not done yet");
    bench.git(&["add", "--force", "mine.txt"]);
    let remote = bench.path("remote.git").display().to_string();
    bench.git(&["remote", "add", "origin", &remote]);
    bench.git(&["config", "push.default", "current"]);
    let identity = [
        ("GIT_AUTHOR_NAME", "night"),
        ("GIT_AUTHOR_EMAIL", "night@localhost"),
        ("GIT_COMMITTER_NAME", "night"),
        ("GIT_COMMITTER_EMAIL", "night@localhost"),
        ("PUSH", "1"),
    ];
    // There is nothing yet to push to.
    let output = night_with(&bench, &identity);
    assert_eq!(output.status.code(), Some(128), "{}", said(&output));
    assert!(said(&output).contains("remote.git"), "{}", said(&output));
    assert_eq!(commits(&bench), 2);
    bench.git(&["init", "--quiet", "--bare", &remote]);
    let output = night_with(&bench, &identity);
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    let pushed = bench.git(&["ls-remote", &remote, "HEAD"]);
    assert!(pushed.starts_with(bench.git(&["rev-parse", "HEAD"]).trim()), "{pushed}");
    assert_eq!(bench.git(&["status", "--porcelain"]), "A  mine.txt\n");
}

#[test]
fn a_commit_that_cannot_be_made_is_told_and_does_not_hide_a_target_that_failed() {
    let bench = Bench::new().rounds(2).policy("control = \"a\"").policy("measure = \"1s\"");
    let bench = repository(bench.target("a", "").target("gone", "--fault exit-at-start=3"));
    bench.git(&["config", "user.useConfigOnly", "true"]);
    let home = bench.path("").display().to_string();
    let nobody = [("HOME", home.as_str()), ("XDG_CONFIG_HOME", &home)];
    let output = night_with(&bench, &[&nobody[..], &[("GIT_CONFIG_NOSYSTEM", "1")]].concat());
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("user.email"), "{}", said(&output));
    assert_eq!(commits(&bench), 1);
}

#[test]
fn a_night_that_cannot_be_is_told_and_commits_nothing() {
    let bench = repository(Bench::new().matrix("[run]\nround = 3\n"));
    let output = night(&bench);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("unknown key `round`"), "{}", said(&output));
    assert_eq!(commits(&bench), 1);
}

#[test]
fn the_units_and_the_workflow_are_sound_by_their_own_tools() {
    let recipe = |name: &str| recipes().join(name).display().to_string();
    let units = [recipe("orchestrate-night.timer"), recipe("orchestrate-night.service")];
    match Command::new("systemd-analyze").arg("verify").args(&units).output() {
        Err(error) => skipped("the units of systemd", &error.to_string()),
        Ok(output) => {
            let said = said(&output);
            // The program of the recipe is on somebody else's machine.
            let faults = said.lines().filter(|line| line.contains("orchestrate-night"));
            let faults: Vec<&str> =
                faults.filter(|line| !line.contains("is not executable")).collect();
            assert!(faults.is_empty(), "{faults:?}");
        }
    }
    match Command::new("actionlint").arg(recipe("nightly.yml")).output() {
        Err(error) => skipped("the workflow of GitHub", &error.to_string()),
        Ok(output) => assert!(output.status.success(), "{}", said(&output)),
    }
}

#[test]
fn the_page_on_nights_shows_what_the_recipes_hold() {
    let page = fs::read_to_string(recipes().with_extension("md")).expect("a page");
    for name in ["night.sh", "orchestrate-night.service", "orchestrate-night.timer", "nightly.yml"]
    {
        assert!(page.contains(&format!("nightly/{name}")) && recipes().join(name).is_file());
    }
    let script = fs::read_to_string(recipes().join("night.sh")).expect("a script");
    for verb in ["orchestrate run", "orchestrate history", "orchestrate readme", "git commit"] {
        assert!(script.contains(verb), "{verb}");
    }
}
