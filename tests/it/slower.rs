//! A server that costs a third more than it did, by CPU time that it burns on each answer and that is the same on a fast machine
//! and a slow one: what compares must see it, and must not see what is not there.

use crate::support::Bench;

/// Milliseconds of CPU time for each answer, as it was.
const BEFORE: u32 = 3;
/// The same, a third more.
const NOW: u32 = 4;

fn burning(millis: u32) -> String {
    format!("--fault burn={millis}")
}

/// A control and a target that cost the same, of which differences under a fifth do not matter.
fn bench() -> Bench {
    let bench = Bench::new()
        .rounds(5)
        // At the ends of a window one answer is in the making and no more.
        .load("name = \"c1\"\nconnections = 1")
        .policy("measure = \"1s\"")
        .policy("retry-noisy = 0")
        .policy("control = \"c\"")
        .policy("min-effect = \"20%\"");
    bench.folder("c", &burning(BEFORE), "").folder("a", &burning(BEFORE), "")
}

/// Makes the target cost more.
fn slow_down(bench: &Bench) {
    let text = std::fs::read_to_string(bench.path("targets/a/target.toml")).expect("a target");
    bench.write("targets/a/target.toml", &text.replace(&burning(BEFORE), &burning(NOW)));
}

#[test]
fn a_server_that_costs_a_third_more_is_worse_than_in_the_run_before() {
    let bench = bench();
    bench.run(&[]).exits(0);
    slow_down(&bench);
    bench.run(&[]).exits(0);
    let compare = |options: &[&str]| {
        let words = ["compare", "latest~1", "latest", "--metric", "cpu", "--fail-on", "regression"];
        bench.orchestrate(&[&words, options].concat())
    };
    let outcome = compare(&[]).exits(10);
    assert!(outcome.stdout.contains("1 worse"), "{}", outcome.stdout);
    // It is more by a third, and by neither 15 % nor 90 %.
    compare(&["--threshold", "15%"]).exits(10);
    compare(&["--threshold", "90%"]).exits(0);
}

#[test]
fn a_server_that_costs_a_third_more_is_worse_than_at_the_revision_before() {
    let bench = bench();
    bench.git(&["init", "--quiet"]);
    bench.git(&["add", "targets"]);
    bench.git(&["commit", "--quiet", "--message", "targets"]);
    slow_down(&bench);
    let words = ["--against", "HEAD", "--target", "a", "--fail-on", "regression"];
    let outcome = bench.run(&words).exits(10);
    assert!(outcome.stdout.contains("1 worse"), "{}", outcome.stdout);
}
