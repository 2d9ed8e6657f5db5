//! The first ten minutes: servers against each other without a matrix, a first matrix, and what there is.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::{Bench, Outcome};

/// For builds of small programs on a slow machine.
const PATIENCE: Duration = Duration::from_mins(10);
/// As short as a row that is measured can be.
const SHORT: [&str; 6] = ["--rounds", "1", "--warm-up", "100ms", "--measure", "300ms"];

/// A bench in whose builds the tools are those that other tests got.
fn bench() -> Bench {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orchestrate-cache");
    Bench::new().within(PATIENCE).env("ORCHESTRATE_CACHE", cache)
}

/// Whether a row was measured: on a noisy machine once more than it was to be.
fn is_measured(outcome: &Outcome, label: &str) -> bool {
    let trials = outcome.record().trials;
    let mut of = trials.iter().filter(|trial| trial.label() == label).peekable();
    of.peek().is_some() && of.all(|trial| trial.measured().is_some_and(|it| it.good > 0))
}

/// `orchestrate run` on a matrix that was written for a user, short.
fn run(bench: &Bench, matrix: &str) -> Outcome {
    let words = ["run", matrix, "--share-machine", "--provision=yes", "--results", "results"];
    bench.orchestrate(&[&words[..], &SHORT[..]].concat()).exits(0)
}

#[test]
fn two_commands_are_measured_against_each_other_without_a_file() {
    let bench = Bench::new();
    let fixture = Bench::fixture_program();
    let slower = format!("{fixture} --fault delay=5");
    let words = ["versus", &fixture, &slower, "--name", "fast", "-c", "4", "--share-machine"];
    let outcome = bench.orchestrate(&[&words[..], &SHORT[..], &["--results", "results"]].concat());
    let outcome = outcome.exits(0).says(&["a page with charts"]);
    for row in ["fast", "fixture"] {
        assert!(is_measured(&outcome, row), "{outcome:#?}");
        assert!(outcome.stdout.contains(row), "{outcome:#?}");
    }
    // What was typed makes the same again.
    let seed = outcome.record().info.seed;
    assert!(outcome.stdout.contains("repeat: orchestrate versus "), "{outcome:#?}");
    assert!(outcome.stdout.contains(&format!(" --seed {seed}")), "{outcome:#?}");
    assert!(!bench.path("versus.toml").exists());
}

#[test]
fn what_was_typed_is_saved_as_a_matrix_and_nothing_is_written_over() {
    let bench = Bench::new();
    let fixture = Bench::fixture_program();
    let words =
        ["versus", &fixture, "--save", "m.toml", "--path", "/", "--expect-contains", "hello"];
    let more = ["-H", "X-A: b", "--share-machine", "--results", "results"];
    let words = [&words[..], &more[..], &SHORT[..]].concat();
    let outcome = bench.orchestrate(&words).exits(0).says(&["wrote m.toml"]);
    assert!(outcome.stdout.contains("repeat: orchestrate run m.toml"), "{outcome:#?}");
    let saved = fs::read_to_string(bench.path("m.toml")).expect("a matrix");
    bench.orchestrate(&["check", "m.toml"]).exits(0);
    bench.orchestrate(&words).exits(6).says(&["`m.toml` is there already", "--force"]);
    assert_eq!(fs::read_to_string(bench.path("m.toml")).expect("a matrix"), saved);
}

#[test]
fn faults_of_what_was_typed_are_told_and_nothing_is_started() {
    let bench = Bench::new();
    for (words, parts) in [
        (
            &["versus", "./server --port {prot}"][..],
            &["unknown placeholder `{prot}`", "{port}"][..],
        ),
        (&["versus", "a", "--name", "b", "--name", "c"], &["2 names for 1 server"]),
        (&["versus", "a", "-H", "x"], &["`x` is no header"]),
        (&["versus"], &["<CMD>"]),
    ] {
        bench.orchestrate(words).exits(2).says(parts).starts_nothing();
    }
}

#[test]
fn a_first_target_in_each_language_is_measured_as_it_is_written() {
    let bench = bench();
    let languages = ["c", "go", "node", "python", "rust"];
    let mut words = vec!["init", "new"];
    words.extend(languages.iter().flat_map(|language| ["--language", language]));
    bench.orchestrate(&words).exits(0).says(&["orchestrate run new/orchestrate.toml"]);
    let outcome = run(&bench, "new/orchestrate.toml");
    for language in languages {
        assert!(is_measured(&outcome, &format!("{language}/hello")), "{outcome:#?}");
    }
    bench.orchestrate(&["check", "new/orchestrate.toml", "--serve", "--share-machine"]).exits(0);
    bench.orchestrate(&words).exits(6).says(&["is there already", "--force"]);
}

#[test]
fn a_project_in_each_language_is_measured_without_an_edit() {
    let bench = bench()
        .file("go/go.mod", "module example.com/shop\n\ngo 1.19\n")
        .file("go/main.go", GO)
        .file("node/package.json", r#"{"name": "shop", "scripts": {"start": "node index.js"}}"#)
        .file("node/index.js", NODE)
        .file("python/pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n")
        .file("python/app.py", PYTHON)
        .file(
            "c/Makefile",
            "CC ?= cc\nall: httpd\nhttpd: main.c\n\t$(CC) -O2 -pthread -o $@ main.c\n",
        )
        .file("c/main.c", include_str!("../../src/draft/starter/c/server.c"))
        .file(
            "rust/Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        )
        .file("rust/src/main.rs", include_str!("../../src/draft/starter/rust/main.rs.txt"));
    for folder in ["go", "node", "python", "c", "rust"] {
        bench.orchestrate(&["init", folder]).exits(0).says(&["started by"]);
        let outcome = run(&bench, &format!("{folder}/orchestrate.toml"));
        let trials = outcome.record().trials;
        assert!(
            trials.iter().all(|it| it.measured().is_some_and(|it| it.good > 0)),
            "{folder}: {outcome:#?}"
        );
    }
}

const GO: &str = r#"package main

import (
	"flag"
	"fmt"
	"net/http"
)

func main() {
	port := flag.Int("port", 8080, "where to listen")
	flag.Parse()
	http.HandleFunc("/items", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "[]") })
	http.ListenAndServe(fmt.Sprintf(":%d", *port), nil)
}
"#;

const NODE: &str = "
const http = require('http');
http.createServer((req, res) => {
  if (req.url === '/api/status') return res.end('ok');
  res.statusCode = 404;
  res.end();
}).listen(process.env.PORT || 3000);
";

const PYTHON: &str = r#"
import argparse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hi")

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    ThreadingHTTPServer(("", parser.parse_args().port), Handler).serve_forever()
"#;

#[test]
fn a_folder_without_a_project_is_told_what_was_looked_for() {
    let bench = Bench::new().file("empty/README.md", "nothing");
    bench.orchestrate(&["init", "empty"]).exits(2).says(&["--language go", "--example", "go.mod"]);
    bench.orchestrate(&["init", "nowhere"]).exits(2).says(&["`nowhere` is no folder"]);
}

#[test]
fn the_default_matrices_are_written_wherever_it_is_installed() {
    let bench = Bench::new();
    bench
        .orchestrate(&["init", "--example", "there"])
        .exits(0)
        .says(&["there/configs/matrix.toml"]);
    let plan = bench.orchestrate(&["check", "there/configs/matrix.toml"]).exits(0);
    assert!(plan.stdout.contains("go/net-http"), "{plan:#?}");
    bench.orchestrate(&["init", "--example", "there"]).exits(6);
}

#[test]
fn what_there_is_is_listed() {
    let bench = Bench::new().target("a", "").target_with("b", "", "tools = [\"dart >= 99\"]");
    let nothing = bench.orchestrate(&["list", "--only", "runs", "--results", "results"]).exits(0);
    assert_eq!(nothing.stdout, "runs\n  none\n");
    bench.run(&["--target", "a"]).exits(0);
    let all = bench.orchestrate(&["list", "it.toml"]).exits(0);
    for part in
        ["targets", "skipped here: dart", "GET /", "64 connections", "dart >= 99", "partial"]
    {
        let part = if part.starts_with("64") { "4 connections" } else { part };
        assert!(all.stdout.contains(part), "{part}: {}", all.stdout);
    }
    let here = bench.orchestrate(&["list", "--format", "json", "--results", "results"]).exits(0);
    let here: serde_json::Value = serde_json::from_str(&here.stdout).expect("JSON");
    assert_eq!(here["matrices"][0]["path"], "it.toml");
    assert_eq!(here["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn shells_and_the_manual_get_the_words() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = bench.orchestrate(&["completions", shell]).exits(0).stdout;
        assert!(text.contains("versus"), "{shell}");
    }
    let page = bench.orchestrate(&["man", "run"]).exits(0).stdout;
    assert!(page.contains(".TH orchestrate-run 1"), "{page}");
    bench.orchestrate(&["man", "rum"]).exits(2).says(&["did you mean `run`?"]);
    bench.orchestrate(&["man", "--dir", "pages"]).exits(0);
    assert!(bench.path("pages/orchestrate.1").is_file());
}
