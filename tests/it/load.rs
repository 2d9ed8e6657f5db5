//! `orchestrate load`: exact counts whatever the numbers, the words of other tools, and its ends.

use orchestrate::record::measured::Measured;

use crate::support::{Outcome, Standing, each};

/// What a load measured.
fn measured(outcome: &Outcome) -> Measured {
    let measured: Measured = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert!(measured.adds_up(), "{measured:#?}");
    measured
}

#[test]
fn so_many_requests_are_made_whatever_the_connections_threads_and_depth() {
    let cases = [
        "-n 1 -c 1000",
        "-n 7 -c 3 -t 2",
        "-n 100 -c 7 -t 5",
        "-n 1000 -c 64 --pipeline 16",
        "-n 333 -c 8 --no-keep-alive",
        "-n 50 -c 4 --http1.0",
        "-n 50 -c 4 --http1.0 --no-keep-alive",
        "-n 200 -c 10 -m POST --body hello",
        "-n 99 -c 100 -t 3 --pipeline 3 --verify all",
    ];
    each(&cases, |words| {
        let standing = Standing::new("");
        let patient = format!("{words} --timeout 30s --format json");
        let outcome = standing.load(&patient).exits(0);
        let measured = measured(&outcome);
        let requests: u64 = words.split_whitespace().nth(1).expect("-n N").parse().expect("N");
        assert_eq!((measured.attempted, measured.good), (requests, requests), "{words}");
        // Where all content is compared, one answer is asked for beforehand.
        let asked_before = u64::from(words.contains("--verify all"));
        assert_eq!(standing.counts().requests, requests + asked_before, "{words}");
    });
}

#[test]
fn a_stall_is_in_the_response_times_of_a_paced_load_and_not_in_the_median_of_its_service_times() {
    // One answer of many takes half a second, on the only connection there is.
    let standing = Standing::new("--fault stall=500 --at 100");
    let outcome = standing.load("-c 1 -r 200 -d 2s --format json").exits(0);
    let measured = measured(&outcome);
    let service = measured.service_time_us.p50.expect("a median");
    // A hundred requests were due meanwhile, a quarter of all, and waited for up to half a second.
    let response = measured.response_time_us.p90.expect("a quantile");
    assert!(response > 150_000.0, "{response} {:#?}", measured.response_time_us);
    assert!(service < 100_000.0, "{service}");
    assert!(measured.queue_wait_us.max.expect("it waited") > 300_000.0);
}

#[test]
fn a_paced_load_makes_as_many_requests_as_were_due() {
    for arrivals in ["even", "poisson"] {
        let standing = Standing::new("");
        let words = format!("-c 8 -r 500 --arrivals {arrivals} -d 1s --format json");
        let measured = measured(&standing.load(&words).exits(0));
        let due = measured.carried_in + measured.sent;
        // A Poisson process of 500 has a deviation of 22.
        let tolerance = if arrivals == "even" { 1 } else { 150 };
        assert!(due.abs_diff(500) <= tolerance, "{arrivals}: {due}");
    }
}

#[test]
fn the_result_is_told_in_the_words_that_were_asked_for() {
    let standing = Standing::new("");
    for (format, words) in [
        ("text", &["right answers", "100 = 100 good", "response time", "the generator"][..]),
        ("json", &["\"attempted\": 100", "\"service_time_us\"", "\"hdr\""]),
        ("ab", &["Complete requests:      100", "Failed requests:        0", " 100%", "Waiting:"]),
        ("siege", &["Transactions:", "100 hits", "Availability:", "100.00 %"]),
        ("webbench", &["pages/min", "Requests: 100 succeeded, 0 failed."]),
    ] {
        let outcome = standing.load(&format!("-n 100 -c 4 --format {format}")).exits(0);
        for word in words {
            assert!(outcome.stdout.contains(word), "{format}: {word}\n{}", outcome.stdout);
        }
    }
}

#[test]
fn failures_end_with_the_code_that_tells_them_apart() {
    let wrong = Standing::new("--fault status=500 --each 10");
    wrong.load("-n 100 -c 4").exits(5);
    wrong.load("-n 100 -c 4 --max-errors 50%").exits(0);
    wrong.load("-n 20 -c 1 --expect-status 404").exits(5);
    wrong.load("-n 9 -c 1 --expect-length 5").exits(5);
    let digest = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";
    let right = Standing::new("");
    right.load(&format!("-n 9 -c 1 --verify all --expect-sha256 {digest}")).exits(0);
    let silent = Standing::new("--fault never");
    silent.load("-d 200ms -c 2 --timeout 100ms").exits(4);
}

#[test]
fn what_cannot_be_loaded_is_told_before_anything_is_sent() {
    let standing = Standing::new("");
    let load = |url: &str| {
        let output = assert_cmd::Command::new(crate::support::ORCHESTRATE)
            .args(["load", url, "-n", "1"])
            .output()
            .expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (url, code, word) in [
        ("https://127.0.0.1/", 2, "not supported yet"),
        ("ftp://127.0.0.1/", 2, "ftp"),
        ("http://", 2, "no URL"),
        ("http://192.0.2.1/", 6, "--allow-remote 192.0.2.1"),
        ("http://127.0.0.1:1/", 4, "cannot connect"),
    ] {
        let (ended, said) = load(url);
        assert_eq!(ended, Some(code), "{url}: {said}");
        assert!(said.contains(word), "{url}: {said}");
    }
    standing.load("-n 10 --pipeline 4 --no-keep-alive").exits(2);
    standing.load("-H nocolon -n 1").exits(2);
    assert_eq!(standing.counts().requests, 0);
}

#[test]
fn the_oldest_kind_of_server_is_counted_exactly() {
    // It speaks HTTP/1.0, or gives no length, and closes after each answer.
    for fault in ["http10", "until-close"] {
        let standing = Standing::new(&format!("--fault {fault}"));
        let outcome = standing.load("-n 300 -c 10 --format json").exits(0);
        assert_eq!(measured(&outcome).good, 300, "{fault}");
        assert_eq!(standing.counts().requests, 300, "{fault}");
    }
}
