//! What is counted is what was: a server's own counts and ours are held equal, and every attempt has one outcome.
//!
//! A load of `requests = N` sends numbers that follow each other, so of a fault of every tenth answer a tenth is known
//! beforehand, whatever the speed of the machine.

use orchestrate::outcome::{Counts, Doubt, Kind, Lost, Wrong};
use orchestrate::record::measured::Measured;
use orchestrate::record::trial::TrialRecord;

use crate::support::{Bench, each};

const THOUSAND: &str = "name = \"n\"\nconnections = 4\nrequests = 1000\n";

/// Runs one target to its end; the server received what is recorded.
fn measured_equally(bench: Bench, faults: &str) -> (TrialRecord, Measured) {
    let bench = bench.target("a", faults);
    let trial = bench.run(&[]).exits(0).trial("a");
    let measured = trial.measured().expect("measured").clone();
    assert!(measured.adds_up());
    assert_eq!(trial.requests.total(), bench.counts(&trial).requests, "{faults}: {trial:#?}");
    (trial, measured)
}

/// The window of a thousand requests under a fault.
fn thousand(faults: &str, more: &str) -> Measured {
    let bench = Bench::new().load(&format!("{THOUSAND}{more}"));
    let (trial, measured) = measured_equally(bench, faults);
    assert_eq!((measured.attempted, measured.unfinished), (1000, 0), "{faults}: {trial:#?}");
    measured
}

/// The only kind that was seen, and how often.
fn only<K: Kind + std::fmt::Debug>(counts: &Counts<K>) -> Option<(K, u64)> {
    let seen: Vec<(K, u64)> = counts.seen().collect();
    assert!(seen.len() <= 1, "{seen:?}");
    seen.first().copied()
}

#[test]
fn a_server_receives_as_many_requests_as_are_recorded() {
    let loads = [
        "connections = 64",
        "connections = 4\npipeline = 8",
        "connections = 4\nkeep-alive = false",
        "connections = 4\nhttp = \"1.0\"",
        "connections = 4\nrate = 1000",
        "connections = 4\nrate = 1000\narrivals = \"poisson\"",
        "connections = 8\nrequests = 333",
    ];
    each(&loads, |load| {
        let bench = Bench::new().load(&format!("{load}\ntimeout = \"30s\""));
        let (trial, measured) = measured_equally(bench, "");
        let bad = (measured.wrong.total(), measured.lost.total());
        assert_eq!(bad, (0, 0), "{load}: {trial:#?}");
        assert_eq!((trial.requests.probes, trial.requests.verify), (1, 1), "{load}");
    });
}

#[test]
fn probes_of_a_server_that_is_slow_to_start_are_counted_as_it_sees_them() {
    let (trial, _) = measured_equally(Bench::new(), "--fault late=300");
    assert_eq!(trial.requests.probes, 1, "those that nobody took are none");
}

#[test]
fn a_paced_load_intends_what_its_rate_says() {
    let (trial, measured) = measured_equally(Bench::new().load("connections = 4\nrate = 1000"), "");
    let due = 1000.0 * measured.window_seconds;
    let sent = measured.sent as f64;
    assert!((sent - due).abs() <= 2.0, "{sent} of {due}: {trial:#?}");
}

#[test]
fn so_many_requests_are_exactly_so_many() {
    each(&[1, 7, 64], |connections| {
        let load = format!("connections = {connections}\nrequests = 100");
        let (trial, measured) = measured_equally(Bench::new().load(&load), "");
        assert_eq!((measured.attempted, measured.good), (100, 100), "{trial:#?}");
        assert_eq!(trial.requests.window, 100);
    });
}

#[test]
fn wrong_answers_are_counted_by_what_is_wrong() {
    let faults = [
        ("status=500", Wrong::Status),
        ("wrong-length", Wrong::Length),
        ("wrong-content", Wrong::Body),
    ];
    each(&faults, |(fault, kind)| {
        let measured = thousand(&format!("--fault {fault} --each 10"), "verify = \"all\"");
        assert_eq!(only(&measured.wrong), Some((kind, 100)), "{measured:#?}");
        assert_eq!((measured.good, measured.lost.total()), (900, 0), "{measured:#?}");
        assert_eq!(measured.examples.len(), 3, "the first few are kept: {measured:#?}");
    });
}

#[test]
fn every_status_is_counted_by_itself() {
    let measured = thousand("--fault status=500 --each 10", "");
    assert_eq!(measured.status.into_iter().collect::<Vec<_>>(), [(200, 900), (500, 100)]);
}

#[test]
fn content_that_nobody_looks_at_is_not_found_wrong() {
    let measured = thousand("--fault wrong-content --each 10", "verify = \"none\"");
    assert_eq!((measured.good, measured.wrong.total()), (1000, 0));
}

#[test]
fn lost_requests_are_counted_by_how_they_were_lost() {
    let faults = [
        ("reset-mid-body", Lost::ResetInside),
        ("close-mid-head", Lost::ClosedEarlyInside),
        ("close-mid-chunk", Lost::ClosedEarlyInside),
        ("garbage", Lost::Protocol),
    ];
    each(&faults, |(fault, kind)| {
        let measured = thousand(&format!("--fault {fault} --each 10"), "");
        assert_eq!(only(&measured.lost), Some((kind, 100)), "{fault}: {measured:#?}");
        assert_eq!((measured.good, measured.wrong.total()), (900, 0), "{fault}");
    });
}

#[test]
fn a_request_without_an_answer_is_lost_when_its_time_is_over() {
    let load = "connections = 4\nrequests = 200\ntimeout = \"1s\"";
    let (trial, measured) = measured_equally(Bench::new().load(load), "--fault never --each 50");
    assert_eq!(only(&measured.lost), Some((Lost::Timeout, 4)), "{trial:#?}");
    assert_eq!(measured.good, 196);
}

#[test]
fn a_connection_that_is_reset_as_soon_as_it_is_there_loses_its_request() {
    let bench = Bench::new().load(&format!("{THOUSAND}keep-alive = false"));
    let bench = bench.target("a", "--fault reset --each 10");
    let trial = bench.run(&[]).exits(0).trial("a");
    let measured = trial.measured().expect("measured");
    assert_eq!((measured.good, measured.lost.total()), (900, 100), "{trial:#?}");
}

#[test]
fn answers_that_are_right_in_an_uncommon_way_are_right() {
    each(&["interim=3", "chunked", "until-close", "http10", "drip", "delay=1"], |fault| {
        let bench = Bench::new().load("connections = 4\nrequests = 100\nverify = \"all\"");
        let (trial, measured) = measured_equally(bench, &format!("--fault {fault}"));
        assert_eq!((measured.attempted, measured.good), (100, 100), "{fault}: {trial:#?}");
    });
}

#[test]
fn a_connection_that_ends_between_two_answers_is_no_error() {
    each(&["close-said", "close-unsaid"], |fault| {
        let bench = Bench::new().load(THOUSAND);
        let (trial, measured) = measured_equally(bench, &format!("--fault {fault} --each 10"));
        assert_eq!((measured.good, measured.lost.total()), (1000, 0), "{fault}: {trial:#?}");
        assert!(measured.reconnects + measured.replayed > 0, "{fault}: {trial:#?}");
    });
}

#[test]
fn connections_that_a_server_does_not_keep_are_a_caveat() {
    let bench = Bench::new().load(THOUSAND);
    let (trial, _) = measured_equally(bench, "--fault close-said --each 10");
    let is_told = trial.caveats.iter().any(|caveat| caveat.caveat == Doubt::Reconnects);
    assert!(is_told, "{trial:#?}");
}

#[test]
fn connections_that_a_server_closes_when_idle_are_made_again() {
    let bench = Bench::new()
        .load("connections = 4\nrate = 20\ntimeout = \"30s\"")
        .policy("measure = \"1s\"");
    let bench = bench.target("a", "--fault close-idle=20");
    let trial = bench.run(&[]).exits(0).trial("a");
    let measured = trial.measured().expect("measured").clone();
    // A request may be written just when the server closes: it is never received, and written again elsewhere.
    let (written, received) = (trial.requests.total(), bench.counts(&trial).requests);
    assert!(received <= written && written <= received + 5, "{written} {received} {trial:#?}");
    assert_eq!(measured.lost.total(), 0, "{trial:#?}");
    assert!(measured.reconnects > 0, "{trial:#?}");
}

#[test]
fn an_answer_that_nobody_asked_for_is_noted_and_ends_its_connection() {
    let measured = thousand("--fault twice --each 10", "");
    assert_eq!(measured.good + measured.lost.total(), 1000);
    assert!(measured.unsolicited > 0, "{measured:#?}");
    assert!(measured.examples.iter().any(|it| it.kind == "protocol"), "{measured:#?}");
}

#[test]
fn a_stall_is_seen_in_the_times() {
    let measured = thousand("--fault stall=200 --each 500", "");
    let longest = measured.service_time_us.max.expect("a longest");
    assert!(longest >= 200_000.0, "{measured:#?}");
    assert!(measured.series.iter().any(|step| step.good == 0), "a tenth without an answer");
}

#[test]
fn a_server_with_a_short_queue_loses_nothing_uncounted() {
    let load = "connections = 64\nrequests = 1000\nkeep-alive = false";
    let bench = Bench::new().load(load).target("a", "--fault backlog=1");
    let trial = bench.run(&[]).exits(0).trial("a");
    assert_eq!(trial.measured().map(|it| it.attempted), Some(1000), "{trial:#?}");
    // What was written to a connection that the system then dropped was never received.
    assert!(trial.requests.total() >= bench.counts(&trial).requests, "{trial:#?}");
}

#[test]
fn a_server_that_stops_to_answer_has_no_right_answers_and_is_not_ranked() {
    let bench = Bench::new().target("a", "--fault never --from 3").target("b", "");
    let outcome = bench.run(&[]).exits(0);
    let trial = outcome.trial("a");
    let measured = trial.measured().expect("measured");
    assert_eq!(measured.good, 0, "{trial:#?}");
    assert!(measured.lost.total() + measured.unfinished >= 4, "{trial:#?}");
    let (tables, _) = outcome.stdout.split_once("audit of").expect("an audit");
    let rows: Vec<&str> = tables.lines().filter(|it| it.starts_with("  a ")).collect();
    assert_eq!(rows.len(), 1, "{outcome:#?}");
}

#[test]
fn connections_that_a_server_closes_without_a_word_are_a_caveat_too() {
    let bench = Bench::new().load(THOUSAND);
    let (trial, measured) = measured_equally(bench, "--fault close-unsaid --each 10");
    let is_told = trial.caveats.iter().any(|caveat| caveat.caveat == Doubt::Reconnects);
    assert!(is_told, "replayed {}: {:?}", measured.replayed, trial.caveats);
}

#[test]
fn a_connection_that_is_reset_before_its_answer_is_counted_as_reset() {
    let bench = Bench::new().load(&format!("{THOUSAND}keep-alive = false"));
    let trial = bench.target("a", "--fault reset --each 10").run(&[]).exits(0).trial("a");
    let measured = trial.measured().expect("measured");
    let closed = measured.lost.of(Lost::ClosedEarlyBefore);
    assert_eq!(closed, 0, "nothing was closed that was not reset: {:?}", measured.lost);
}
