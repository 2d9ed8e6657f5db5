//! A run that was never made: as many targets, tables and rounds as are asked for, with records of the usual size, and names
//! that do what names should not. The same each time. The benchmark of reports uses it too.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use hdrhistogram::Histogram;
use orchestrate::outcome::{Doubt, Limit, Stage};
use orchestrate::record::SCHEMA;
use orchestrate::record::host::{CpuTimes, HostUse};
use orchestrate::record::measured::{
    GeneratorCost, Measured, ResponseSeen, Sample, ServerUsage, Step, Times,
};
use orchestrate::record::run::{CpuSplit, HostFacts, PlannedTable, Policy, RunInfo, TargetInfo};
use orchestrate::record::trial::{Caveat, Ended, Failed, Place, Skipped, TrialRecord};

/// The window, and its steps of 100 ms.
const SECONDS: f64 = 3.0;
const STEPS: u64 = 30;

/// How large a run is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) targets: usize,
    pub(crate) tables: usize,
    pub(crate) rounds: u32,
}

/// Numbers that look drawn: Lehmer's generator, with the factor of Park and Miller.
struct Drawn(u64);

impl Drawn {
    /// Between 0 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        self.0 as f64 / f64::from(0x7fff_ffff)
    }

    /// About 0, mostly within 1.
    fn around(&mut self) -> f64 {
        (0..4).map(|_| self.next()).sum::<f64>() - 2.0
    }
}

/// The names of so many targets. The first few do harm where they are not written with care.
pub(crate) fn names(count: usize) -> Vec<String> {
    let harmful = [
        "go/net-http".to_owned(),
        "<script>alert(1)</script>".to_owned(),
        "a|b`c`\n*d*".to_owned(),
        "\u{202e}drawkcab\u{2066}".to_owned(),
        format!("long/{}", "x".repeat(200)),
        "שרת/\"'&amp;".to_owned(),
        "javascript:alert(1)".to_owned(),
    ];
    let plain = (0..).map(|number| format!("lang{}/server-{number}", number % 9));
    harmful.into_iter().chain(plain).take(count).collect()
}

/// Writes `run.json` and `trials.ndjson`.
pub(crate) fn write(folder: &Path, size: Size) {
    fs::create_dir_all(folder).expect("a folder");
    let info = info(size);
    let json = serde_json::to_vec_pretty(&info).expect("JSON");
    fs::write(folder.join("run.json"), json).expect("written");
    let file = File::create(folder.join("trials.ndjson")).expect("made");
    let mut file = BufWriter::new(file);
    let mut drawn = Drawn(7);
    let times: Vec<[Times; 4]> = (0..size.targets).map(|at| times(at, &mut drawn)).collect();
    for round in 1..=size.rounds {
        let mut position = 0;
        for (at_table, table) in info.tables.iter().enumerate() {
            for (at, label) in table.rows.iter().enumerate() {
                position += 1;
                let place = Place {
                    target: label.clone(),
                    variant: None,
                    workload: table.workload.clone(),
                    load: table.load.clone(),
                    round,
                    position,
                    attempt: 1,
                    session: 1,
                };
                let record = record(place, (at, at_table), &times[at], &mut drawn);
                serde_json::to_writer(&mut file, &record).expect("JSON");
                file.write_all(b"\n").expect("written");
            }
        }
    }
    file.flush().expect("written");
}

/// The times of a target: a hump with a long tail.
fn times(at: usize, drawn: &mut Drawn) -> [Times; 4] {
    let mut times = || {
        let mut histogram = Histogram::<u64>::new(3).expect("three digits");
        let middle = 4e5 * (1.0 + at as f64 / 6.0);
        for _ in 0..24_000 {
            let tail = if drawn.next() < 0.02 { 1.0 + 9.0 * drawn.next() } else { 1.0 };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "nanoseconds"
            )]
            let nanos = (middle * (0.7 * drawn.around()).exp() * tail) as u64;
            histogram.record_n(nanos.max(1), 5).expect("in its range");
        }
        Times::of(&histogram)
    };
    [times(), times(), times(), times()]
}

fn record(
    place: Place,
    (at, at_table): (usize, usize),
    times: &[Times; 4],
    drawn: &mut Drawn,
) -> TrialRecord {
    let round = place.round;
    let name: String = place.target.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
    let log = format!("logs/{}-{}-{at}-{name}-{round}.log", place.workload, place.load);
    let mut record = TrialRecord::begun(place, "2026-11-30T12:00:00Z".to_owned());
    record.versions = BTreeMap::from([("go".to_owned(), "1.26.8".to_owned())]);
    record.log = Some(log.clone());
    record.is_expected = true;
    match at {
        5 => {
            let reason =
                "404 where 200 was expected, and \"<b>not here</b>\" for an answer\u{1b}[31m";
            let mut failed = Failed::new(Stage::Verify, reason);
            failed.log = Some(log);
            record.end(Ended::Failed(failed));
        }
        6 => record.end(Ended::Skipped(Skipped {
            reason: "not installed: <tool> is missing".to_owned(),
            hint: Some("get it & put it on the search path".to_owned()),
        })),
        _ => {
            let is_bound = at == 1;
            if is_bound {
                record.caveats.push(Caveat {
                    caveat: Doubt::ClientBound,
                    detail: "the load generator was busy for 98 % of the window".to_owned(),
                });
            }
            record.startup_ms = Some(12.0);
            let limit = if is_bound { Limit::Generator } else { Limit::Server };
            let scale = (1.0 + 0.02 * drawn.around()) / (1.0 + at as f64 / 5.0 + at_table as f64);
            record.end(Ended::Measured(Box::new(measured(150_000.0 * scale, limit, times, drawn))));
        }
    }
    record
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and bytes")]
fn measured(goodput: f64, limit: Limit, times: &[Times; 4], drawn: &mut Drawn) -> Measured {
    let good = (goodput * SECONDS) as u64;
    let step = |drawn: &mut Drawn| Step {
        good: (goodput / 10.0 * (1.0 + 0.04 * drawn.around())) as u64,
        bad: u64::from(drawn.next() < 0.01),
        service_time_mean_us: times[0].mean,
        response_time_max_us: times[1].max,
    };
    let cpu_us = (SECONDS * 0.98e6) as u64;
    let cpu = || CpuTimes { cpus: "0".to_owned(), busy_us: cpu_us, ..CpuTimes::default() };
    let rss = 12_000_000 + (8e6 * drawn.next()) as u64;
    let sample = |at_ms: u64| Sample {
        at_ms,
        cpu_us: Some(at_ms * 980),
        rss_bytes: rss + at_ms * 500,
        virtual_bytes: 1_200_000_000,
        processes: 1,
        threads: Some(8),
        open_files: Some(72),
    };
    Measured {
        window_seconds: SECONDS,
        attempted: good + 64,
        carried_in: 64,
        sent: good,
        good,
        unfinished: 64,
        connections_opened: 64,
        throughput_per_second: goodput,
        goodput_per_second: goodput,
        bytes_received: good * 111,
        body_bytes: good * 11,
        status: BTreeMap::from([(200, good)]),
        service_time_us: times[0].clone(),
        response_time_us: times[1].clone(),
        connect_time_us: times[2].clone(),
        first_byte_us: times[3].clone(),
        series: (0..STEPS).map(|_| step(drawn)).collect(),
        generator: GeneratorCost { threads: 1, busy_max: 0.8, ..GeneratorCost::default() },
        limit: Some(limit),
        server: Some(ServerUsage {
            cpu_us: Some(cpu_us),
            cpu_us_per_request: Some(cpu_us as f64 / good as f64),
            cores_used: Some(0.98),
            cores_allowed: 1,
            rss_mean_bytes: Some(rss),
            rss_peak_bytes: Some(rss + 1_500_000),
            threads_peak: Some(8),
            processes_peak: Some(1),
            samples: (0..=6).map(|it| sample(it * 500)).collect(),
            ..ServerUsage::default()
        }),
        host: Some(HostUse {
            seconds: SECONDS,
            server_cpus: Some(cpu()),
            generator_cpus: Some(cpu()),
            all_cpus: Some(cpu()),
            ..HostUse::default()
        }),
        response: Some(ResponseSeen {
            status: 200,
            length: 11,
            sha256: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9".to_owned(),
            content_type: Some("text/plain".to_owned()),
            header_bytes: 100,
            http: Some("1.1".to_owned()),
            framing: Some("length".to_owned()),
            keep_alive: Some(true),
        }),
        ..Measured::default()
    }
}

pub(crate) fn info(size: Size) -> RunInfo {
    let names = names(size.targets);
    let languages = ["Go", "Rust", "C", "JavaScript", "Python", "Java"];
    let kinds = ["library", "framework", "raw", "server"];
    let targets = names.iter().enumerate().map(|(at, label)| TargetInfo {
        label: label.clone(),
        language: Some(languages[at % languages.len()].to_owned()),
        kind: Some(kinds[at % kinds.len()].to_owned()),
        about: Some("what it <is>".to_owned()),
        command: "{out}/server --port {port}".to_owned(),
        env: BTreeMap::new(),
        serves: Vec::new(),
        expects: Vec::new(),
        are_sources_known: true,
        declared_sha256: None,
    });
    let loads = ["c64", "c1", "c256", "paced"];
    let tables = (0..size.tables).map(|at| PlannedTable {
        workload: format!("work-{}", at / loads.len()),
        load: loads[at % loads.len()].to_owned(),
        load_words: "64 connections, closed loop".to_owned(),
        request: "GET /".to_owned(),
        rank_by: if at % loads.len() == 3 { "p99" } else { "goodput" }.to_owned(),
        at_once: Some(64),
        counted: false,
        settings_sha256: None,
        asked_sha256: None,
        rows: names.clone(),
        not_offered: vec!["nobody/offers-it".to_owned()],
    });
    RunInfo {
        schema: SCHEMA,
        id: "20261130T120000000Z-0007".to_owned(),
        name: "made-up".to_owned(),
        orchestrate: "orchestrate 0.1.0".to_owned(),
        measuring: 1,
        started_at: "2026-11-30T12:00:00Z".to_owned(),
        finished_at: None,
        interrupted: None,
        cut_short: None,
        matrix: String::new(),
        matrix_sha256: String::new(),
        typed: None,
        matrix_path: "configs/made-up.toml".to_owned(),
        seed: 7,
        profile: None,
        overrides: Vec::new(),
        chosen: None,
        time_limit_seconds: None,
        partial: false,
        commit: None,
        against: None,
        purpose: None,
        policy: Policy {
            rounds: size.rounds,
            max_rounds: size.rounds,
            warm_up_seconds: 2.0,
            warm_up_max_seconds: 15.0,
            measure_seconds: SECONDS,
            order: "shuffled".to_owned(),
            reference: "go/net-http".to_owned(),
            control: None,
            min_effect: 0.02,
            retry_noisy: 1,
        },
        tables: tables.collect(),
        targets: targets.collect(),
        services: Vec::new(),
        host: HostFacts {
            cpu_model: Some("Made-up Processor".to_owned()),
            cpus: Some(2),
            kernel: Some("Linux 6.18".to_owned()),
            ..HostFacts::default()
        },
        cpus: CpuSplit { server: vec![0], generator: vec![1], shared: false, shared_core: false },
        base: None,
        resumptions: Vec::new(),
        remarks: Vec::new(),
    }
}
