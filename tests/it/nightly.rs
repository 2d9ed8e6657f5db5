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
    let program = Path::new(ORCHESTRATE).parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .arg(recipes().join("night.sh"))
        .args(["it.toml", "README.md"])
        .current_dir(bench.path(""))
        .env("PATH", format!("{program}:{path}"))
        .env("ORCHESTRATE_LOCK", bench.path("lock"))
        .env("ORCHESTRATE_CACHE", bench.path("cache"))
        .envs([("GIT_AUTHOR_NAME", "night"), ("GIT_AUTHOR_EMAIL", "night@localhost")])
        .envs([("GIT_COMMITTER_NAME", "night"), ("GIT_COMMITTER_EMAIL", "night@localhost")])
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
