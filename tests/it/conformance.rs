//! `check --serve`: a server that keeps the contract is told so, and each breach of it is found and named.

use rustix::process::Signal;

use crate::support::{Bench, Outcome, each, is_running};

/// The workloads that the contract says most about, beside `hello`.
const WORKLOADS: &str = r#"
[[workload]]
name = "static"
[[workload]]
name = "json"
"#;
const HELLO: &str = "name = \"hello\"";
const CLAIMS: &str = "workloads = [\"hello\", \"static\", \"json\"]";

/// A bench with a server that breaks one thing of the contract.
fn bench(breach: &str, keys: &str) -> Bench {
    let faults = format!("--contract {breach}");
    Bench::new().workload(HELLO).toml(WORKLOADS).target_with(
        "a",
        &faults,
        &format!("{CLAIMS}\n{keys}"),
    )
}

fn check(bench: &Bench) -> Outcome {
    bench.orchestrate(&["check", "it.toml", "--serve", "--share-machine"])
}

/// A line for each check that was broken, its name first.
fn broken(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stdout.lines().filter_map(|line| line.strip_prefix("  "));
    lines.filter(|line| !line.starts_with(' ')).collect()
}

#[test]
fn a_server_that_keeps_the_contract_is_told_so_in_one_line() {
    let outcome = check(&bench("kept", "")).exits(0);
    assert!(outcome.stdout.starts_with("a: "), "{outcome:#?}");
    assert!(outcome.stdout.ends_with(" checks kept, 0 broken\n"), "{outcome:#?}");
    outcome.says(&["checking a", "1 keep what they claim, 0 at fault, 0 skipped"]);
}

#[test]
fn each_breach_is_found_and_named() {
    let breaches: [(&str, &[&str]); 34] = [
        ("no-head", &["HEAD of hello", "HEAD of static"]),
        ("head-with-body", &["HEAD of hello", "HEAD of static"]),
        ("head-without-length", &["HEAD of hello", "HEAD of static"]),
        ("query-in-path", &["a query on the path of hello", "a query on the path of static"]),
        ("any-path", &["unknown paths are 404"]),
        ("any-method", &["other methods on the path of hello"]),
        ("body-unread", &["other methods on the path of hello"]),
        ("closes-on-404", &["other methods on the path of hello"]),
        ("html", &["type of hello", "type of static", "type of json", "type of .gif"]),
        ("no-date", &["Content-Length and Date"]),
        ("wrong-second", &["hello twice on one connection"]),
        ("leaves-folder", &[".. stays in the folder"]),
        ("leaves-folder-encoded", &["..%2f stays in the folder"]),
        ("crashes-on-dots", &[".. stays in the folder"]),
        ("types-by-guess", &["type of .jfif"]),
        ("slashes-kept", &["// is taken for /"]),
        ("folder-is-404", &["a folder is 500"]),
        ("no-favicon", &["/favicon.ico is an empty 200"]),
        ("close-ignored", &["`Connection: close`"]),
        ("close-unsaid", &["`Connection: close`"]),
        ("old-kept", &["HTTP/1.0 closes"]),
        ("old-never-kept", &["HTTP/1.0 with keep-alive"]),
        ("never-kept", &["10 requests on one connection", "a connection is kept"]),
        ("http-1.0", &["answers in HTTP/1.1"]),
        ("chunks-to-old", &["hello in HTTP/1.0"]),
        ("forgets-the-rest", &["5 requests in one write"]),
        ("whole-requests-only", &["a request byte by byte", "a head cut inside its end"]),
        ("garbage-is-500", &["what is not HTTP is 400"]),
        ("malformed-is-500", &["malformed JSON is 400"]),
        ("no-n-is-200", &["JSON without a number n is 400"]),
        ("small-bodies", &["a body of 1 MiB is taken"]),
        ("few-at-once", &["200 connections at once"]),
        ("prints", &["prints nothing per request"]),
        ("exits-with-3", &["ends by SIGTERM or with exit code 0"]),
    ];
    // A few at a time, so that none is late for want of a CPU.
    for some in breaches.chunks(6) {
        each(some, |(breach, names)| {
            let outcome = check(&bench(breach, "")).exits(5);
            let broken = broken(&outcome);
            for name in names {
                let start = format!("{name}: ");
                let is_named = broken.iter().any(|line| line.starts_with(&start));
                assert!(is_named, "{breach}: no `{name}` in {outcome:#?}");
            }
        });
    }
}

#[test]
fn a_breach_of_one_thing_is_no_breach_of_another() {
    let single =
        ["no-date", "types-by-guess", "prints", "exits-with-3", "no-favicon", "close-ignored"];
    each(&single, |breach| {
        let outcome = check(&bench(breach, "")).exits(5);
        assert_eq!(broken(&outcome).len(), 1, "{breach}: {outcome:#?}");
    });
}

#[test]
fn what_hangs_is_told_with_the_check_that_waited() {
    let breaches = [
        ("garbage-ignored", "what is not HTTP is 400", "no whole answer within the 5 s of a check"),
        (
            "endless-head-read",
            "an endless head is refused",
            "no whole answer within the 5 s of a check",
        ),
        ("no-continue", "`Expect: 100-continue`", "neither 100 nor an answer within 1 s"),
        ("one-at-a-time", "200 connections at once", "no whole answer within the 5 s of a check"),
        ("stops-late", "ends on SIGTERM in time", "it ended after 1.5 s, where 1 s were allowed"),
    ];
    each(&breaches, |(breach, name, what)| {
        let outcome = check(&bench(breach, "")).exits(5);
        let line = outcome.stdout.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no `{name}` in {outcome:#?}"));
        assert!(line.contains(what), "{breach}: {line}");
    });
}

#[test]
fn what_is_not_claimed_is_not_asked_and_told() {
    let cases: [(&str, &str, &str); 11] = [
        ("no-head", "serves = { head = false }", "(head)"),
        ("never-kept", "serves = { keep-alive = false }", "(keep-alive)"),
        ("http-1.0", "serves = { http = \"1.0\" }", "(http)"),
        ("one-at-a-time", "serves = { parallel = 1 }", "(parallel)"),
        ("any-path", "serves = { parses = false }", "(parses)"),
        ("exits-with-3", "external = true", "(external)"),
        ("whole-requests-only", "serves = { pieces = false }", "(pieces)"),
        ("garbage-is-500", "serves = { refusals = false }", "(refusals)"),
        ("endless-head-read", "serves = { bounds = false }", "(bounds)"),
        ("no-continue", "serves = { expectations = false }", "(expectations)"),
        ("old-never-kept", "serves = { old-keep-alive = false }", "(old-keep-alive)"),
    ];
    each(&cases, |(breach, keys, words)| {
        let outcome = check(&bench(breach, keys)).exits(0);
        assert!(outcome.stdout.contains(" checks kept, 0 broken, "), "{outcome:#?}");
        assert!(outcome.stdout.ends_with(&format!(" not claimed {words}\n")), "{outcome:#?}");
    });
}

#[test]
fn who_breaks_what_can_be_declared_is_told_how() {
    let outcome = check(&bench("no-head", "")).exits(5);
    let lines = [
        "  HEAD of hello: `HEAD / HTTP/1.1` with `Connection: close`: 404 where 200 was expected, as to GET",
        "    hint: declare `serves = { head = false }` if that is meant",
    ];
    assert!(outcome.stdout.contains(&lines.join("\n")), "{outcome:#?}");
}

#[test]
fn a_server_that_crashes_is_told_so_and_started_again() {
    let outcome = check(&bench("crashes-on-dots", "")).exits(5);
    let broken = broken(&outcome);
    assert!(broken.len() >= 3, "{outcome:#?}");
    // What is told alike is told a few times, and then counted.
    for line in broken.into_iter().filter(|line| !line.starts_with("and ")) {
        let is_told = line.contains("stays in the folder: `GET /static/")
            && line.ends_with("; then it ended: ended by SIGABRT");
        assert!(is_told, "{line}");
    }
    assert!(!outcome.stdout.contains("not asked"), "{outcome:#?}");
}

#[test]
fn a_target_without_workloads_of_its_own_is_not_held_to_the_contract() {
    let faults = "--contract stops-late";
    let outcome = check(&Bench::new().target("a", faults)).exits(0);
    assert!(outcome.stdout.ends_with(" not claimed (contract)\n"), "{outcome:#?}");
}

#[test]
fn a_workload_that_is_only_called_as_one_of_the_contract_is_not_held_to_it() {
    let own = "[[workload]]\nname = \"json\"\npath = \"/\"\nexpect = { body = \"hello world\" }";
    let keys = "workloads = [\"hello\", \"json\"]";
    let outcome = check(&Bench::new().toml(own).target_with("a", "--contract html", keys)).exits(0);
    assert!(outcome.stdout.ends_with(" not claimed (contract)\n"), "{outcome:#?}");
}

#[test]
fn a_workload_that_is_not_offered_is_told() {
    let keys = "workloads = [\"hello\", \"json\"]";
    let bench = Bench::new()
        .workload(HELLO)
        .toml(WORKLOADS)
        .target_with("a", "--contract leaves-folder", keys)
        .target_with("b", "--contract kept", CLAIMS);
    let outcome = check(&bench).exits(0);
    assert!(
        outcome.stdout.contains(" checks kept, 0 broken; not offered: static\nb: "),
        "{outcome:#?}"
    );
}

#[test]
fn a_selection_checks_less() {
    let bench = bench("small-bodies", "").target("b", "--contract kept");
    let words =
        ["check", "it.toml", "--serve", "--share-machine", "--target", "a", "--workload", "hello"];
    let outcome = bench.orchestrate(&words).exits(0);
    assert!(!outcome.stdout.contains("b: "), "{outcome:#?}");
    let outcome =
        bench.orchestrate(&["check", "it.toml", "--serve", "--share-machine", "--target", "c"]);
    outcome.exits(4).says(&["no target matches `c`"]);
}

#[test]
fn a_server_that_hangs_is_done_with_in_about_a_minute() {
    let began = orchestrate::clock::now();
    let bench = Bench::new().target_with("a", "--fault never --from 2", "stop-grace = \"1s\"");
    let outcome = check(&bench).exits(5);
    let took = orchestrate::clock::now().since(began);
    assert!(took.as_secs() < 75, "{took:?}");
    assert!(outcome.stdout.contains(" not asked"), "{outcome:#?}");
    let first = "  hello: `GET / HTTP/1.1`: no whole answer within the 5 s of a check; then it answered nobody\n";
    assert!(outcome.stdout.contains(first), "{outcome:#?}");
}

#[test]
fn a_target_that_cannot_be_asked_is_at_fault_and_a_skipped_one_is_not() {
    let fails = Bench::new()
        .target("good", "--contract kept")
        .target("bad", "--fault exit-at-start=3")
        .target_with("worse", "", "build = [\"sh -c 'echo no such header; exit 4'\"]");
    let outcome = check(&fails).exits(5);
    let lines = [
        "bad: failed in ready: it ended before it was ready: exit code 3\n  | leaving with 3\n",
        "worse: failed in build: ",
        "  | no such header\n",
    ];
    for line in lines {
        assert!(outcome.stdout.contains(line), "no `{line}` in {outcome:#?}");
    }
    outcome.says(&["1 keep what they claim, 2 at fault, 0 skipped"]);
    let skips = Bench::new().target("good", "--contract kept").target_with(
        "other",
        "",
        "platforms = [\"windows\"]",
    );
    let words = ["check", "it.toml", "--serve", "--share-machine"];
    let outcome = skips.orchestrate(&words).exits(0);
    assert!(outcome.stdout.contains("other: skipped: does not run on linux"), "{outcome:#?}");
    skips.orchestrate(&[&words[..], &["--require-all"]].concat()).exits(5);
    skips.orchestrate(&[&words[..], &["--target", "other"]].concat()).exits(4);
}

#[test]
fn ctrl_c_ends_a_check_and_leaves_nothing_running() {
    let bench = Bench::new().target_with("a", "--fault never --from 2", "stop-grace = \"1s\"");
    let running = bench.start_words(&["check", "it.toml", "--serve", "--share-machine"]);
    let server = bench.pid("a.pid");
    orchestrate::clock::sleep_until(orchestrate::clock::now() + std::time::Duration::from_secs(1));
    running.signal(Signal::INT);
    let outcome = running.outcome().exits(130);
    assert!(!is_running(server), "pid {server} still runs: {outcome:#?}");
    assert_eq!(outcome.stdout, "");
}

#[test]
fn options_of_serving_need_it() {
    for option in ["--rebuild", "--provision=yes", "--require-all", "--share-machine"] {
        let outcome = Bench::new().target("a", "").orchestrate(&["check", "it.toml", option]);
        outcome.exits(2).says(&["--serve"]).starts_nothing();
    }
    let words = ["check", "it.toml", "--serve", "--rounds", "3"];
    Bench::new()
        .target("a", "")
        .orchestrate(&words)
        .exits(2)
        .says(&["--serve", "--rounds"])
        .starts_nothing();
}
