//! Runs that were never made, for tests: outlines with rows of a given ratio to the control, one run a night.

use std::collections::BTreeMap;

use super::Run;
use super::collect::Collector;
use crate::judge::metric::Metric;
use crate::record::SCHEMA;
use crate::record::outline::{
    CellOutline, HostOutline, Mean, Outline, PolicyOutline, Ratio, RunOutline, TableOutline,
};
use crate::record::run::CpuSplit;

/// The control of every run.
pub(crate) const CONTROL: &str = "c/control";

/// When all histories are looked at.
pub(crate) const NOW: &str = "2030-01-01T00:00:00Z";

/// The run of a night, from 1.
pub(crate) fn run(night: u32) -> Run {
    Run {
        id: id(night),
        started_at: started_at(night),
        orchestrate: "orchestrate 0.1.0".to_owned(),
        commit: None,
        kernel: Some("Linux 6.18".to_owned()),
        memory_bytes: Some(8_000_000_000),
        versions: BTreeMap::from([("go".to_owned(), "1.26".to_owned())]),
        series: 1,
        effect: 0.02f64.ln_1p(),
    }
}

fn started_at(night: u32) -> String {
    format!("2026-{:02}-{:02}T02:00:00Z", night.div_ceil(28), (night - 1) % 28 + 1)
}

/// The id of the run of a night.
pub(crate) fn id(night: u32) -> String {
    format!("2026{:02}{:02}T020000000Z-0007", night.div_ceil(28), (night - 1) % 28 + 1)
}

/// A row of a night: its label, and the logarithms of its ratios to the control, of right answers and of CPU per answer.
pub(crate) fn row(target: &str, goodput: f64, cpu: f64) -> CellOutline {
    let ratio = |mean| Ratio { mean, deviation: Some(0.005), rounds: 7 };
    CellOutline {
        goodput_per_second: Some(Mean { mean: 50_000.0 * goodput.exp() }),
        cpu_us_per_request: Some(Mean { mean: 20.0 * cpu.exp() }),
        versus_control: [("goodput".to_owned(), ratio(goodput)), ("cpu".to_owned(), ratio(cpu))]
            .into(),
        ..bare(target)
    }
}

fn bare(target: &str) -> CellOutline {
    CellOutline {
        workload: "hello".to_owned(),
        load: "c64".to_owned(),
        target: target.to_owned(),
        ..CellOutline::default()
    }
}

/// The run of a night with these rows, and with the control, which answers so many times as much as usual.
pub(crate) fn night(night: u32, machine: f64, rows: Vec<CellOutline>) -> Outline {
    let Run { id, started_at, orchestrate, kernel, memory_bytes, versions, .. } = run(night);
    let control = CellOutline {
        goodput_per_second: Some(Mean { mean: 100_000.0 * machine }),
        cpu_us_per_request: Some(Mean { mean: 10.0 / machine }),
        ..bare(CONTROL)
    };
    let rows = rows.into_iter().map(|row| CellOutline {
        goodput_per_second: row.goodput_per_second.map(|it| Mean { mean: it.mean * machine }),
        cpu_us_per_request: row.cpu_us_per_request.map(|it| Mean { mean: it.mean / machine }),
        ..row
    });
    Outline {
        schema: SCHEMA,
        run: RunOutline {
            id,
            name: "nightly".to_owned(),
            orchestrate,
            finished_at: Some(started_at.clone()),
            started_at,
            interrupted: None,
            cut_short: None,
            profile: None,
            purpose: None,
            partial: false,
            commit: None,
            policy: PolicyOutline {
                measure_seconds: 3.0,
                min_effect: 0.02,
                control: Some(CONTROL.to_owned()),
            },
            tables: vec![TableOutline {
                workload: "hello".to_owned(),
                load: "c64".to_owned(),
                load_words: "64 connections, closed loop".to_owned(),
                request: "GET /".to_owned(),
                asked_sha256: None,
            }],
            host: HostOutline {
                cpu_model: Some("EPYC".to_owned()),
                cpus: Some(2),
                cores: Some(2),
                memory_bytes,
                kernel,
            },
            cpus: CpuSplit { server: vec![0], generator: vec![1], ..CpuSplit::default() },
        },
        versions,
        cells: [control].into_iter().chain(rows).collect(),
    }
}

/// The figures that decide.
pub(crate) fn deciding() -> Vec<Metric> {
    Metric::ALL.into_iter().filter(|metric| metric.decides).collect()
}

/// The history of these runs.
pub(crate) fn history(outlines: &[Outline]) -> super::History {
    let mut collector = Collector::new("nightly", &deciding(), NOW);
    for outline in outlines {
        collector.take(outline).expect("it counts");
    }
    collector.finish()
}
