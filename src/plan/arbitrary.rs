//! Matrices that nobody would write: reading one never panics, every problem stands at a place of its file, and what has
//! none can be planned. `fuzz/fuzz_targets/matrix.rs` asks the same of any text.

use std::path::Path;

use proptest::prelude::*;

use super::{Overrides, Plan, Selection};
use crate::matrix::{differences, read_among};

/// Heads of tables and keys, to be put together at random.
const LINES: &str = r#"[run]
[cpus]
[[workload]]
[workload.expect]
[workload.headers]
[[load]]
[[target]]
[target.env]
[target.serves]
[target.variant.v]
[target.workload.hello]
[target.expect.hello]
[[service]]
[profile.p]
[[run]]
[load]
name = "a"
name = "b"
name = "hello"
name = "a b"
rounds = 3
max-rounds = 2
warm-up = "1s"
warm-up-max = "0.5s"
measure = 0.01
seed = -1
order = "as-written"
reference = "a"
control = "b+v"
min-effect = "2 %"
server = "0,2-3"
generator = "all"
method = "POST"
path = "/"
path = "/{seq}"
body = "x"
body-file = "m.toml"
body-file = "none"
headers = { Host = "a", X = "env:Y" }
expect = { json = { a = [1, 2.5, true, "x"] } }
expect = { json = "{" }
expect = { sha256 = "0" }
expect = { length = "1 kB" }
status = 204
connections = 100000
pipeline = 8
keep-alive = false
http = "1.0"
rate = "5 k/s"
arrivals = "poisson"
requests = 1000
at-most = "1m"
verify = "all"
rank-by = "p99"
workloads = ["*", "!hello"]
workloads = ["hello"]
targets = ["[", "a"]
targets = ["b*"]
command = "./a {port} {service.a.port}"
command = "./a $PORT && {PORT}"
command = "'"
command = ""
build = ["make {port}", "A=1 ${OUT}"]
shell = true
from = "targets/*"
from = "targets/a"
from = "**/[!a]"
variants = ["*"]
env = { A = 1, "" = "x" }
serves = { parallel = 1, http = "1.0" }
tools = ["go >= 1.21", "cobol"]
ready = "/x"
ready = "tcp"
dir = "targets"
sources = ["**"]
scope = "trial"
port = 80
[a]
version = "a --version"
pattern = "a([0-9.]+)"
pattern = "(("
a = 1979-05-27
a = nan
a = """#;

/// Up to so many of the lines, each perhaps with a part of it cut out.
fn text(most: usize) -> impl Strategy<Value = String> {
    let lines: Vec<&str> = LINES.lines().collect();
    let line = (prop::sample::select(lines), 0..400usize, 0..6usize);
    let line = line.prop_map(|(line, from, length)| {
        let from = line.floor_char_boundary(from.min(line.len()));
        let to = line.floor_char_boundary((from + length).min(line.len()));
        format!("{}{}", &line[..from], &line[to..])
    });
    prop::collection::vec(line, 0..most).prop_map(|lines| lines.join("\n"))
}

fn check(matrix: &str, target: &str, tools: &str) -> Result<(), TestCaseError> {
    let files = [
        (Path::new("m.toml"), matrix.as_bytes()),
        (Path::new("targets/a/target.toml"), target.as_bytes()),
        (Path::new("targets/toolchains.toml"), tools.as_bytes()),
    ];
    prop_assert!(differences(matrix, matrix).is_empty());
    match read_among(files, Path::new("m.toml"), None) {
        Err(problems) => {
            prop_assert!(!problems.is_empty());
            for problem in &problems {
                prop_assert!(!problem.what.is_empty() && problem.hint.as_deref() != Some(""));
                let place = problem.place.as_ref();
                let is_there =
                    |span: &std::ops::Range<usize>, text: &str| text.get(span.clone()).is_some();
                prop_assert!(
                    place.is_none_or(|place| is_there(&place.span, &place.source.text)),
                    "{:?}",
                    problem
                );
            }
        }
        Ok(matrix) => {
            let plan = Plan::new(&matrix, &Selection::default(), Overrides::default(), 7);
            prop_assert!(plan.is_ok_and(|plan| !plan.trials.is_empty()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lines_of_matrices_in_any_order_are_read_or_told_to_be_at_fault(
        matrix in text(25),
        target in text(8),
        tools in text(6),
    ) {
        check(&matrix, &target, &tools)?;
        // Mostly faults; with a target, and its file sound, more of them is read.
        let sound = format!("{matrix}\n[[target]]\nname = \"sound\"\ncommand = \"./a\"\n");
        check(&sound, "command = \"./a\"\n", "")?;
    }

    #[test]
    fn any_text_is_read_or_told_to_be_at_fault(matrix in "\\PC{0,80}", target in "[ -~\n]{0,80}") {
        check(&matrix, &target, &matrix)?;
    }
}
