//! Every doubt and every limit, raised by a server or a matrix that deserves it, and not by one close by.
//!
//! Other tests run on the same CPUs, so what depends on the machine's quiet is held against the figures of its own record.
//! What takes a network of its own, or another machine than this one, says so where it cannot be had.

use std::fs;
use std::process::Command;

use orchestrate::affinity;
use orchestrate::outcome::{Doubt, Kind as _, Limit};
use orchestrate::record::host::CpuTimes;
use orchestrate::record::trial::TrialRecord;

use crate::support::hogs::beside;
use crate::support::{Bench, Outcome, skipped};

/// The sentence of a doubt, if a trial bears it.
fn doubt(trial: &TrialRecord, doubt: Doubt) -> Option<&str> {
    trial.caveats.iter().find(|caveat| caveat.caveat == doubt).map(|caveat| caveat.detail.as_str())
}

fn raises(bench: &Bench, what: Doubt, words: &str) -> TrialRecord {
    let trial = bench.run(&[]).exits(0).trial("a");
    let said = doubt(&trial, what).unwrap_or_else(|| panic!("no {what}: {trial:#?}"));
    assert!(said.contains(words), "{said}");
    trial
}

fn does_not_raise(bench: &Bench, what: Doubt) -> TrialRecord {
    let trial = bench.run(&[]).exits(0).trial("a");
    assert!(trial.measured().is_some(), "{trial:#?}");
    assert_eq!(doubt(&trial, what), None, "{trial:#?}");
    trial
}

/// A doubt of a row, which its trials do not bear.
fn is_noted(outcome: &Outcome, row: &str, what: Doubt) -> bool {
    outcome.stdout.contains(&format!("] {row} — {}: ", what.name()))
}

/// One connection after the other, or so many at once, paced.
fn paced(rate: u32, connections: u32) -> String {
    format!("connections = {connections}\nrate = {rate}\ntimeout = \"30s\"")
}

const THOUSAND: &str = "connections = 4\nrequests = 1000\ntimeout = \"30s\"\n";

#[test]
fn errors_are_doubted_from_one_in_a_thousand_on() {
    let bench = |each: u32| {
        let load = "connections = 4\nrequests = 4000\ntimeout = \"30s\"";
        Bench::new().load(load).target("a", &format!("--fault status=500 --each {each}"))
    };
    raises(&bench(500), Doubt::Errors, "were wrong or lost");
    does_not_raise(&bench(2000), Doubt::Errors);
}

#[test]
fn answers_that_differ_between_targets_are_doubted_and_the_same_in_chunks_are_not() {
    for (fault, is_doubted) in [("wrong-content", true), ("chunked", false)] {
        let bench = Bench::new()
            .workload("name = \"greeting\"")
            .target("a", "")
            .target("b", "")
            .target("c", &format!("--fault {fault}"));
        let outcome = bench.run(&[]).exits(0);
        assert_eq!(is_noted(&outcome, "c", Doubt::UnequalResponse), is_doubted, "{outcome:#?}");
        assert!(!is_noted(&outcome, "a", Doubt::UnequalResponse), "{outcome:#?}");
    }
}

#[test]
fn a_rate_that_is_not_met_is_doubted_and_one_that_is_met_is_the_limit() {
    let bench = |rate, connections| {
        let bench = Bench::new().policy("measure = \"1s\"").load(&paced(rate, connections));
        bench.target("a", "--fault delay=20")
    };
    // One connection carries fifty in a second at most.
    let trial = raises(&bench(200, 1), Doubt::RateNotMet, "");
    assert_eq!(trial.measured().and_then(|it| it.limit), Some(Limit::Neither), "{trial:#?}");
    let trial = does_not_raise(&bench(200, 64), Doubt::RateNotMet);
    assert_eq!(trial.measured().and_then(|it| it.limit), Some(Limit::Rate), "{trial:#?}");
}

#[test]
fn a_window_of_less_than_a_second_is_too_short() {
    let bench = |measure: &str| Bench::new().policy(measure).target("a", "");
    raises(&bench("measure = \"900ms\""), Doubt::TooShort, "900 ms");
    does_not_raise(&bench("measure = \"1s\""), Doubt::TooShort);
}

#[test]
fn a_row_that_failed_under_load_in_one_round_is_unstable_and_one_that_never_got_ready_there_is_not()
{
    for (fault, is_doubted) in [("exit=3 --from 30", true), ("exit-at-start=3", false)] {
        let bench = Bench::new().rounds(3);
        let once = bench.path("once");
        let faults = format!("--fault {fault} --once {}", once.display());
        let bench = bench.target("a", &faults);
        let outcome = bench.run(&[]).exits(5);
        let failed = outcome.record().trials.iter().filter(|it| it.failed().is_some()).count();
        assert_eq!(failed, 1, "{outcome:#?}");
        assert_eq!(is_noted(&outcome, "a", Doubt::Unstable), is_doubted, "{outcome:#?}");
        assert!(outcome.stdout.contains(" 2/3"), "{outcome:#?}");
    }
}

#[test]
fn a_warm_up_without_two_steady_seconds_is_not_steady() {
    let bench = |most: &str| {
        let bench = Bench::new().policy("warm-up-max = \"30s\"").policy("measure = \"1s\"");
        bench.policy(most).load(&paced(400, 64)).target("a", "")
    };
    raises(&bench("warm-up-max = \"1s\""), Doubt::NotSteady, "no two seconds without a trend");
    let trial = does_not_raise(&bench("warm-up = \"2s\""), Doubt::NotSteady);
    assert!(trial.warm_up_seconds.is_some_and(|seconds| seconds >= 2.0), "{trial:#?}");
}

#[test]
fn a_server_that_gets_slower_in_the_window_drifts_and_a_slow_one_does_not() {
    let bench = |load: &str, fault: &str| {
        Bench::new().policy("measure = \"2s\"").load(load).target("a", &format!("--fault {fault}"))
    };
    let one = "connections = 1\ntimeout = \"30s\"";
    raises(&bench(one, "slower=20"), Doubt::Drift, "changed by");
    does_not_raise(&bench(&paced(100, 64), "delay=20"), Doubt::Drift);
}

#[test]
fn a_quantile_needs_ten_samples_beyond_it() {
    let bench = |requests: u32| {
        let load = format!("connections = 4\nrequests = {requests}\ntimeout = \"30s\"");
        Bench::new().load(&load).target("a", "")
    };
    raises(&bench(900), Doubt::TooFew, "needs 1,000");
    does_not_raise(&bench(1100), Doubt::TooFew);
}

#[test]
fn only_a_server_that_may_use_the_generators_cpus_shares_them() {
    raises(&Bench::new().target("a", "--fault spread"), Doubt::SharedCpus, "CPU");
    let cpus = affinity::of_current_thread().expect("affinity");
    if cpus.len() > 1 {
        does_not_raise(&Bench::new().target("a", ""), Doubt::SharedCpus);
    }
}

#[test]
fn server_and_generator_on_siblings_of_one_core_share_it() {
    const TOPOLOGY: &str = "/sys/devices/system/cpu/cpu";
    let cpus = affinity::of_current_thread().expect("affinity");
    let [server, generator, ..] = cpus[..] else {
        return skipped("siblings of one core", "there is one CPU");
    };
    let bench = || {
        let lists = format!("[cpus]\nserver = \"{server}\"\ngenerator = \"{generator}\"\n");
        Bench::new().toml(&lists).target("a", "")
    };
    let alone = bench();
    alone.write("one", &format!("{server}\n"));
    alone.write("both", &format!("{server},{generator}\n"));
    for (file, other, is_shared) in [("both", "both", true), ("one", "other", false)] {
        alone.write("other", &format!("{generator}\n"));
        let bind = |cpu: usize, file: &str| {
            let file = alone.path(file);
            format!("mount --bind {} {TOPOLOGY}{cpu}/topology/thread_siblings_list", file.display())
        };
        let script = format!("{} && {} && exec \"$@\"", bind(server, file), bind(generator, other));
        let words = ["unshare", "--mount", "sh", "-c", &script, "sh"];
        if !is_allowed(&words) {
            return skipped("siblings of one core", "no cores can be shown otherwise");
        }
        let trial = bench().through(&words).run(&[]).exits(0).trial("a");
        assert_eq!(doubt(&trial, Doubt::SharedCore).is_some(), is_shared, "{trial:#?}");
    }
}

#[test]
fn others_are_noise_exactly_where_the_figures_of_the_record_have_it() {
    let server = affinity::of_current_thread().expect("affinity")[0];
    let bench = Bench::new().policy("measure = \"1s\"").load(&paced(100, 8)).target("a", "");
    for hogs in [0, 1] {
        let trial = beside(server, hogs, || bench.run(&[]).exits(0).trial("a"));
        let host = trial.measured().and_then(|it| it.host.as_ref()).expect("the machine was read");
        let whole_us = host.seconds * 1e6;
        let share = |cpus: &CpuTimes| {
            let others = cpus.others_us.unwrap_or(0).max(cpus.steal_us) as f64;
            others / whole_us / cpus.cpus.split(',').count() as f64
        };
        let sides = [&host.server_cpus, &host.generator_cpus];
        let most = sides.into_iter().flatten().map(share).fold(0.0, f64::max);
        let is_doubted = doubt(&trial, Doubt::NoisyHost).is_some();
        // Between the two it is the waiting of threads that decides.
        assert!(is_doubted || most < 0.04, "{most} {trial:#?}");
        assert!(!is_doubted || most > 0.001, "{most} {trial:#?}");
        assert!(hogs == 0 || is_doubted, "{most} {trial:#?}");
    }
}

#[test]
fn connections_that_a_listen_queue_has_room_for_are_no_backlog() {
    let Some(words) = own_network("32768 60999") else { return };
    let load = "connections = 200\ntimeout = \"30s\"";
    let bench = |faults| Bench::new().load(load).through(&words).target("a", faults);
    raises(&bench("--fault backlog=1"), Doubt::Backlog, "");
    does_not_raise(&bench("--fault backlog=1024"), Doubt::Backlog);
}

#[test]
fn ports_that_run_out_are_doubted() {
    let Some(words) = own_network("40000 40063") else { return };
    let bench = |connections: u32| {
        let load = format!("connections = {connections}\ntimeout = \"30s\"");
        Bench::new().load(&load).through(&words).target("a", "")
    };
    raises(&bench(80), Doubt::Ports, "no free local port");
    raises(&bench(60), Doubt::Ports, "");
    does_not_raise(&bench(40), Doubt::Ports);
}

#[test]
fn answers_that_wait_for_a_delayed_acknowledgement_are_told() {
    let bench = |faults| {
        let bench = Bench::new().policy("measure = \"1s\"").policy("warm-up-max = \"1s\"");
        bench.load("connections = 4\ntimeout = \"30s\"").target("a", faults)
    };
    // Busy neighbours would make it wait for longer.
    let server = affinity::of_current_thread().expect("affinity")[0];
    let nagle = bench("--fault nagle");
    beside(server, 0, || raises(&nagle, Doubt::DelayedAck, "TCP_NODELAY"));
    does_not_raise(&bench("--fault delay=60"), Doubt::DelayedAck);
}

#[test]
fn connections_that_are_closed_are_told_from_one_in_a_hundred_answers_on() {
    let bench = |each: u32| {
        Bench::new().load(THOUSAND).target("a", &format!("--fault close-said --each {each}"))
    };
    raises(&bench(50), Doubt::Reconnects, "");
    does_not_raise(&bench(200), Doubt::Reconnects);
}

#[test]
fn a_generator_whose_cpu_others_use_is_late_and_one_that_is_no_later_than_answers_are_is_not() {
    let cpus = affinity::of_current_thread().expect("affinity");
    let [server, generator, ..] = cpus[..] else {
        return skipped("a generator with a CPU of its own", "there is one");
    };
    let bench = |faults| {
        let lists = format!("[cpus]\nserver = \"{server}\"\ngenerator = \"{generator}\"\n");
        let bench = Bench::new().policy("measure = \"1s\"").load(&paced(500, 64));
        bench.toml(&lists).target("a", faults)
    };
    // How late it is depends on the machine; that it is told does not.
    let is_told_rightly = |bench: &Bench, hogs: u32| {
        let trial = beside(generator, hogs, || bench.run(&[]).exits(0).trial("a"));
        let measured = trial.measured().expect("measured");
        let lateness = &measured.lateness_us;
        let usual = measured.service_time_us.p50.expect("a median").max(200.0);
        let stood_still = lateness.max.expect("a longest") > measured.window_seconds * 1e4;
        let is_late = stood_still || lateness.p99.expect("a quantile") > usual;
        let said = doubt(&trial, Doubt::Late);
        assert_eq!(said.is_some(), is_late, "{trial:#?}");
        let words = if stood_still { "stood still for" } else { "after it was due" };
        assert!(said.is_none_or(|said| said.contains(words)), "{said:?}");
        is_late
    };
    let late = bench("");
    if !(0..3).any(|_| is_told_rightly(&late, 8)) {
        skipped("a generator that is late", "it gets its CPU as soon as it wants it");
    }
    is_told_rightly(&bench("--fault delay=100"), 0);
}

#[test]
fn a_server_that_writes_of_each_request_is_told_and_one_that_writes_at_its_start_is_not() {
    let bench = |faults| Bench::new().load(THOUSAND).target("a", faults);
    raises(&bench("--fault log"), Doubt::Logs, "");
    does_not_raise(&bench("--fault flood=1"), Doubt::Logs);
}

#[test]
fn an_order_as_written_is_doubted_and_a_shuffled_one_is_not() {
    for (order, is_doubted) in [("as-written", true), ("shuffled", false)] {
        let bench = Bench::new().policy(&format!("order = \"{order}\"")).target("a", "");
        let outcome = bench.run(&[]).exits(0);
        assert_eq!(is_noted(&outcome, "a", Doubt::Order), is_doubted, "{outcome:#?}");
    }
}

#[test]
fn a_row_that_was_measured_an_hour_after_the_others_is_of_another_session() {
    let bench = Bench::new().target("a", "").target("b", "").target("c", "");
    let outcome = bench.run(&[]).exits(0);
    assert!(!outcome.stdout.contains("other-session"), "{outcome:#?}");
    let path = outcome.folder().join("trials.ndjson");
    let lines: Vec<String> = outcome
        .file("trials.ndjson")
        .lines()
        .map(|line| {
            let mut trial: serde_json::Value = serde_json::from_str(line).expect("a record");
            if trial["target"] == "c" {
                trial["started_at"] = "2001-01-01T00:00:00Z".into();
                trial["finished_at"] = "2001-01-01T00:00:02Z".into();
            }
            trial.to_string()
        })
        .collect();
    fs::write(path, lines.join("\n") + "\n").expect("written");
    let folder = outcome.folder().to_str().expect("a path");
    let report = bench.orchestrate(&["report", folder]).exits(0);
    assert!(is_noted(&report, "c", Doubt::OtherSession), "{report:#?}");
    assert!(!is_noted(&report, "a", Doubt::OtherSession), "{report:#?}");
}

#[test]
fn the_limit_is_the_server_where_it_burns_and_neither_where_it_waits() {
    let bench = |fault: &str| {
        let bench = Bench::new().policy("measure = \"1s\"");
        bench.load("connections = 4\ntimeout = \"30s\"").target("a", &format!("--fault {fault}"))
    };
    let limit = |bench: &Bench| {
        let trial = bench.run(&[]).exits(0).trial("a");
        trial.measured().and_then(|it| it.limit)
    };
    assert_eq!(limit(&bench("burn=5")), Some(Limit::Server));
    assert_eq!(limit(&bench("delay=50")), Some(Limit::Neither));
}

#[test]
fn a_generator_without_a_cpu_to_itself_is_the_limit_and_its_row_is_a_bound() {
    let cpus = affinity::of_current_thread().expect("affinity");
    let [server, generator, ..] = cpus[..] else {
        return skipped("a generator with a CPU of its own", "there is one");
    };
    let lists = format!("[cpus]\nserver = \"{server}\"\ngenerator = \"{generator}\"\n");
    let bench = Bench::new()
        .policy("measure = \"1s\"")
        .load("connections = 64\ntimeout = \"30s\"")
        .toml(&lists)
        .target("a", "");
    // Where other tests take the server's CPU too, both are held back.
    let outcome = (0..5).map(|_| beside(generator, 8, || bench.run(&[]).exits(0))).find(|it| {
        let limit = it.trial("a").measured().and_then(|it| it.limit);
        assert!(matches!(limit, Some(Limit::Generator | Limit::Both)), "{it:#?}");
        limit == Some(Limit::Generator)
    });
    let Some(outcome) = outcome else {
        return skipped("a generator that alone is the limit", "others use the server's CPU");
    };
    let trial = outcome.trial("a");
    assert!(doubt(&trial, Doubt::ClientBound).is_some(), "{trial:#?}");
    assert!(outcome.stdout.contains(">= "), "{outcome:#?}");
    let waits = Bench::new().toml(&lists).target("a", "--fault delay=50");
    beside(generator, 0, || does_not_raise(&waits, Doubt::ClientBound));
}

/// What executes a program in a network of its own, whose local ports are these; `None` where that is not allowed.
fn own_network(local_ports: &str) -> Option<Vec<String>> {
    let script = format!(
        "(ip link set lo up || ifconfig lo up) 2>&- && \
         echo {local_ports} > /proc/sys/net/ipv4/ip_local_port_range && exec \"$@\""
    );
    let words = ["unshare", "--net", "sh", "-c", &script, "sh"];
    if !is_allowed(&words) {
        skipped("a network of its own", "none can be had");
        return None;
    }
    Some(words.map(str::to_owned).to_vec())
}

fn is_allowed(words: &[&str]) -> bool {
    let output = Command::new(words[0]).args(&words[1..]).arg("true").output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn a_server_that_answers_rightly_at_first_and_wrongly_after_bears_errors_and_the_first_are_kept() {
    let bench = |fault: &str| Bench::new().load(THOUSAND).target("a", &format!("--fault {fault}"));
    for (fault, kind, detail) in [
        ("status=503 --from 11", "status", "503"),
        ("wrong-length --from 11", "length", "12"),
        ("wrong-content --from 11", "body", "from byte 9 on"),
    ] {
        let trial = raises(&bench(fault), Doubt::Errors, "were wrong or lost");
        let measured = trial.measured().expect("measured");
        let kept: Vec<_> = measured.examples.iter().filter(|it| it.kind == kind).collect();
        assert!(!kept.is_empty() && kept.len() <= 10, "{:?}", measured.examples);
        assert!(kept.iter().all(|it| it.detail.contains(detail)), "{kept:?}");
    }
}
