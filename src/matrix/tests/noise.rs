//! Whatever a file holds, reading it ends with a matrix or with problems.

use std::path::Path;

use proptest::prelude::*;

use super::{Memory, check};
use crate::matrix::problem::Problem;
use crate::matrix::read::read_from;

/// Lines that a matrix may hold, and some that it may not.
const HEADERS: &[&str] = &[
    "[run]",
    "[cpus]",
    "[[workload]]",
    "[[load]]",
    "[[target]]",
    "[[service]]",
    "[profile.p]",
    "[target]",
    "[target.variant.v]",
    "[target.expect.a]",
    "[target.workload.a]",
    "[workload.expect]",
];
const KEYS: &[&str] = &[
    "name",
    "rounds",
    "warm-up",
    "warm-up-max",
    "measure",
    "seed",
    "min-effect",
    "reference",
    "control",
    "server",
    "path",
    "headers",
    "body",
    "expect",
    "targets",
    "connections",
    "rate",
    "pipeline",
    "http",
    "requests",
    "workloads",
    "command",
    "setup",
    "ready",
    "scope",
    "cpus",
    "stop-signal",
    "from",
    "variants",
    "env",
    "tools",
    "serves",
];
const VALUES: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"1s\"",
    "\"{port\"",
    "\"x {service.a.port}\"",
    "\"../*\"",
    "\"1-2\"",
    "\"'\"",
    "\"\\u0000\"",
    "\"ä b\"",
    "0",
    "-1",
    "1",
    "9223372036854775807",
    "1e308",
    "nan",
    "inf",
    "true",
    "[]",
    "[\"*\", \"!a\"]",
    "{}",
    "{ a = 1, b.c = \"x\" }",
    "1979-05-27T07:32:00Z",
    "[[\"go >= 1\"], 2]",
];

fn lines() -> impl Strategy<Value = String> {
    let header = prop::sample::select(HEADERS).prop_map(str::to_owned);
    let key = (prop::sample::select(KEYS), prop::sample::select(VALUES))
        .prop_map(|(key, value)| format!("{key} = {value}"));
    prop::collection::vec(prop_oneof![1 => header, 2 => key], 0..24)
        .prop_map(|lines| lines.join("\n"))
}

/// Every place can be told and quoted.
fn are_sound(problems: &[Problem]) -> bool {
    let places = problems.iter().filter_map(|problem| problem.place.as_ref());
    !problems.is_empty()
        && places
            .into_iter()
            .all(|place| place.line_and_column() >= (1, 1) && place.text().len() < 1000)
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in ".{0,200}") {
        prop_assert!(!check(&text).is_empty());
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let files = Memory::default().with("configs/m.toml", bytes);
        let read = read_from(&files, Path::new("configs/m.toml"), None);
        prop_assert!(read.is_err_and(|problems| are_sound(&problems)));
    }

    #[test]
    fn no_lines_of_known_keys_make_reading_panic(text in lines()) {
        let files =
            Memory::default().with("configs/m.toml", &text).with("configs/a/target.toml", &text);
        match read_from(&files, Path::new("configs/m.toml"), Some("p")) {
            Ok(matrix) => prop_assert!(!matrix.targets.is_empty() && !matrix.loads.is_empty()),
            Err(problems) => prop_assert!(are_sound(&problems), "{problems:#?}"),
        }
    }
}
