//! The README, as one who reads it from top to bottom types it: every block of it that is a command or a file is tried as it
//! stands, but shorter.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use super::{Page, root};
use crate::support::{Bench, Outcome};

/// As short as a row that is measured can be.
const SHORT: [&str; 6] = ["--rounds", "1", "--warm-up", "100ms", "--measure", "300ms"];
/// What other tests do, and which.
const ELSEWHERE: [(&str, &str); 3] = [
    ("cargo run --release -- run configs/matrix.toml --provision=yes", "languages"),
    ("cargo test", "this one is of them"),
    ("docs/nightly/night.sh configs/matrix.toml README.md", "nightly"),
];

/// A server that takes its port by an option, in Python.
const BY_OPTION: &str = "#!/usr/bin/env python3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'hello world')

    def log_message(self, *_):
        pass


ThreadingHTTPServer(('127.0.0.1', int(sys.argv[2])), Handler).serve_forever()
";

fn readme() -> Page {
    Page::read(root().join("README.md"))
}

/// The lines of blocks that are typed, in their order.
fn typed() -> Vec<String> {
    let programs = ["orchestrate ", "cargo ", "docs/", "./"];
    let blocks = readme().blocks.into_iter().map(|(_, block)| block.text);
    let lines: Vec<String> =
        blocks.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.into_iter().filter(|line| programs.iter().any(|it| line.starts_with(it))).collect()
}

/// A folder with a project of Go and one of Node in it.
fn project() -> Bench {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orchestrate-cache");
    Bench::new()
        .within(Duration::from_mins(10))
        .env("ORCHESTRATE_CACHE", cache)
        .file("go.mod", include_str!("../../../src/draft/starter/go/go.mod.txt"))
        .file("main.go", include_str!("../../../src/draft/starter/go/main.go.txt"))
        .file("server.js", include_str!("../../../src/draft/starter/node/server.js"))
        .file("theirs.js", include_str!("../../../src/draft/starter/node/server.js"))
}

/// Types a line, with what makes it short where it measures.
fn type_in(bench: &Bench, line: &str) -> Outcome {
    let words = shlex::split(line).expect("words of a shell");
    let mut words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    if ["run", "versus"].contains(&words[0]) {
        words.extend(SHORT);
        words.extend(["--share-machine", "--results", "results"]);
    }
    bench.orchestrate(&words).exits(0)
}

fn all_are_measured(outcome: &Outcome, rows: usize) {
    let trials = outcome.record().trials;
    assert!(trials.len() >= rows, "{outcome:#?}");
    for trial in &trials {
        assert!(trial.measured().is_some_and(|it| it.good > 0), "{trial:#?}");
    }
}

#[test]
fn what_the_readme_says_to_type_can_be_typed_from_top_to_bottom() {
    let bench = project();
    let mut count = 0;
    for line in typed() {
        if ELSEWHERE.iter().any(|(known, _)| *known == line) {
            continue;
        }
        let outcome = type_in(&bench, &line);
        match line.split(' ').nth(1) {
            Some("versus") => all_are_measured(&outcome, 2),
            Some("run") => all_are_measured(&outcome, 1),
            Some("init") => assert!(bench.path("orchestrate.toml").is_file(), "{outcome:#?}"),
            _ => panic!("nothing here holds what comes of `{line}`"),
        }
        count += 1;
    }
    assert!(count >= 3, "{:?}", typed());
}

#[test]
fn what_other_tests_type_still_stands_in_the_readme() {
    for (line, by) in ELSEWHERE {
        assert!(typed().iter().any(|it| it == line), "`{line}` of {by}");
    }
}

#[test]
fn the_matrix_of_the_readme_is_measured_as_it_stands() {
    let page = readme();
    let matrix = page.blocks.iter().find(|(_, block)| block.text.contains("node theirs.js"));
    let (_, matrix) = matrix.expect("a matrix");
    let bench = project().file("m.toml", &matrix.text).file("server", BY_OPTION);
    fs::set_permissions(bench.path("server"), fs::Permissions::from_mode(0o755)).expect("set");
    all_are_measured(&type_in(&bench, "orchestrate run m.toml"), 2);
}

#[test]
fn the_target_of_the_readme_is_the_one_that_its_page_walks_through() {
    let page = readme();
    let (_, shown) =
        page.blocks.iter().find(|(_, block)| block.text.contains("\"Perl\"")).expect("a target");
    let walk = Page::read(root().join("docs/targets.md"));
    let (_, whole) = walk
        .blocks
        .iter()
        .find(|(_, block)| block.text.starts_with("language  = \"Perl\""))
        .expect("a target");
    for line in shown.text.lines() {
        let said = line.split('#').next().unwrap_or_default().trim_end();
        assert!(whole.text.contains(said), "`{said}` is not in {}", whole.text);
    }
}
