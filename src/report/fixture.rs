//! A small run with one row of each sort, for tests of every format.

pub(super) mod rounds;

use std::collections::BTreeMap;

use crate::outcome::{Doubt, Limit, Stage};
use crate::record::SCHEMA;
use crate::record::measured::{
    GeneratorCost, Measured, ResponseSeen, Sample, ServerUsage, Step, Times,
};
use crate::record::run::{CpuSplit, HostFacts, PlannedTable, Policy, RunInfo, TargetInfo};
use crate::record::store::Run;
use crate::record::trial::{Caveat, Ended, Failed, Place, Skipped, TrialRecord};

/// Two rounds of four targets: a fast one that is a lower bound, the reference, one that fails, one that is skipped; and
/// one that does not offer the workload.
pub(super) fn run() -> Run {
    let rows = ["c/fast", "go/base", "php/bad|`<b>", "dart/none"];
    let mut trials = Vec::new();
    for round in 1..=2 {
        let scale = if round == 1 { 1.0 } else { 1.02 };
        trials.push(measured("c/fast", round, 120_000.0 * scale, Limit::Generator));
        trials.push(measured("go/base", round, 60_000.0 * scale, Limit::Server));
        let failed = Failed::new(Stage::Verify, "404 where 200 was expected");
        trials.push(trial("php/bad|`<b>", round, Ended::Failed(failed)));
        let skipped = Skipped {
            reason: "not installed: dart is missing".to_owned(),
            hint: Some("get it from its makers".to_owned()),
        };
        trials.push(trial("dart/none", round, Ended::Skipped(skipped)));
    }
    Run {
        folder: "results/small/id".into(),
        info: info(&rows),
        trials,
        superseded: 0,
        is_torn: false,
    }
}

fn trial(target: &str, round: u32, ended: Ended) -> TrialRecord {
    let place = Place {
        target: target.to_owned(),
        variant: None,
        workload: "hello".to_owned(),
        load: "c64".to_owned(),
        round,
        position: 1,
        attempt: 1,
        session: 1,
    };
    let mut record = TrialRecord::begun(place, "2026-11-30T12:00:00Z".to_owned());
    record.end(ended);
    record
}

fn measured(target: &str, round: u32, goodput: f64, limit: Limit) -> TrialRecord {
    let times = Times {
        count: 100_000,
        p50: Some(if target == "c/fast" { 500.0 } else { 1000.0 }),
        p99: Some(if target == "c/fast" { 900.0 } else { 2500.0 }),
        ..Times::default()
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of answers"
    )]
    let good = goodput as u64;
    let measured = Measured {
        window_seconds: 1.0,
        attempted: good,
        sent: good,
        good,
        goodput_per_second: goodput,
        throughput_per_second: goodput,
        bytes_received: good * 111,
        connections_opened: 3,
        first_byte_us: times.clone(),
        response_time_us: times,
        series: vec![Step { good: good / 10, ..Step::default() }; 10],
        generator: GeneratorCost { busy_max: 0.99, ..GeneratorCost::default() },
        limit: Some(limit),
        server: Some(ServerUsage {
            cpu_us_per_request: Some(if target == "c/fast" { 5.0 } else { 16.0 }),
            cores_used: Some(1.0),
            cores_allowed: 1,
            rss_mean_bytes: Some(11_000_000),
            rss_peak_bytes: Some(12_000_000),
            threads_peak: Some(u64::from(round)),
            samples: vec![sample(0), sample(500), sample(1000)],
            ..ServerUsage::default()
        }),
        response: Some(ResponseSeen {
            status: 200,
            length: 11,
            sha256: "aa".to_owned(),
            content_type: None,
            header_bytes: 100,
            http: Some("1.1".to_owned()),
            framing: Some("length".to_owned()),
            keep_alive: Some(true),
        }),
        ..Measured::default()
    };
    let mut record = trial(target, round, Ended::Measured(Box::new(measured)));
    record.startup_ms = Some(10.0);
    record.versions = BTreeMap::from([("go".to_owned(), "1.26.8".to_owned())]);
    if limit == Limit::Generator {
        let detail = "the load generator was busy for 99 % of the window".to_owned();
        record.caveats.push(Caveat { caveat: Doubt::ClientBound, detail });
    }
    record
}

/// One core used, and memory that does not change.
fn sample(at_ms: u64) -> Sample {
    Sample {
        at_ms,
        cpu_us: Some(at_ms * 1000),
        rss_bytes: 12_000_000,
        virtual_bytes: 100_000_000,
        processes: 1,
        threads: Some(1),
        open_files: None,
    }
}

fn info(rows: &[&str]) -> RunInfo {
    let target = |label: &&str| TargetInfo {
        label: (*label).to_owned(),
        language: Some("C".to_owned()),
        kind: Some("library".to_owned()),
        about: None,
        command: "server".to_owned(),
        env: BTreeMap::new(),
        serves: Vec::new(),
        expects: Vec::new(),
        are_sources_known: false,
        declared_sha256: None,
    };
    RunInfo {
        schema: SCHEMA,
        id: "20261130T120000000Z-0007".to_owned(),
        name: "small".to_owned(),
        orchestrate: "orchestrate 0.1.0 (abc1234)".to_owned(),
        measuring: 1,
        started_at: "2026-11-30T12:00:00Z".to_owned(),
        finished_at: None,
        interrupted: None,
        cut_short: None,
        purpose: None,
        matrix: String::new(),
        matrix_sha256: String::new(),
        typed: None,
        matrix_path: "configs/small.toml".to_owned(),
        seed: 7,
        profile: None,
        overrides: Vec::new(),
        chosen: None,
        time_limit_seconds: None,
        partial: false,
        commit: None,
        against: None,
        policy: Policy {
            rounds: 2,
            max_rounds: 2,
            warm_up_seconds: 2.0,
            warm_up_max_seconds: 15.0,
            measure_seconds: 1.0,
            order: "shuffled".to_owned(),
            reference: "go/base".to_owned(),
            control: None,
            min_effect: 0.02,
            retry_noisy: 1,
        },
        tables: vec![PlannedTable {
            workload: "hello".to_owned(),
            load: "c64".to_owned(),
            load_words: "64 connections, closed loop".to_owned(),
            request: "GET /".to_owned(),
            rank_by: "goodput".to_owned(),
            at_once: Some(64),
            counted: false,
            settings_sha256: None,
            asked_sha256: None,
            rows: rows.iter().map(|row| (*row).to_owned()).collect(),
            not_offered: vec!["go/raw".to_owned()],
        }],
        targets: rows.iter().map(target).collect(),
        services: Vec::new(),
        host: HostFacts {
            cpu_model: Some("EPYC".to_owned()),
            cpus: Some(2),
            kernel: Some("Linux 6.18".to_owned()),
            ..HostFacts::default()
        },
        cpus: CpuSplit::default(),
        base: None,
        resumptions: Vec::new(),
        remarks: Vec::new(),
    }
}
