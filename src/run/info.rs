//! `run.json`: a plan and its setting, as a record that needs neither to be understood.

use std::collections::BTreeMap;

use super::Order;
use crate::clock;
use crate::digest;
use crate::matrix::service::{Service, needed_by};
use crate::matrix::{self, Load, Sources, Stop, Target, Workload, fingerprint};
use crate::plan::{Cell, Guise, load_words};
use crate::prepare::Prepared;
use crate::record::run::{CpuSplit, PlannedTable, Policy, RunInfo, TargetInfo};
use crate::record::service::ServiceInfo;
use crate::record::{MEASURING, SCHEMA};

pub(super) fn describe(order: &Order<'_>) -> RunInfo {
    let (matrix, plan) = (order.matrix, order.plan);
    let now = clock::wall();
    RunInfo {
        schema: SCHEMA,
        id: id(now, plan.seed),
        name: matrix.run.name.clone(),
        orchestrate: order.version.to_owned(),
        measuring: MEASURING,
        started_at: now.to_string(),
        finished_at: None,
        interrupted: None,
        cut_short: None,
        purpose: order.purpose,
        matrix: matrix.text.clone(),
        matrix_sha256: digest::sha256(matrix.text.as_bytes()),
        typed: order.typed.map(str::to_owned),
        matrix_path: matrix.path.display().to_string(),
        seed: plan.seed,
        profile: matrix.run.profile.clone(),
        overrides: plan.overrides.clone(),
        chosen: Some(plan.chosen.clone()),
        time_limit_seconds: order.time_limit.map(|limit| limit.as_secs_f64()),
        partial: plan.is_partial,
        commit: order.commit.clone(),
        against: order.against.cloned(),
        policy: policy(&matrix.run),
        tables: plan.tables().into_iter().map(|table| planned(order, table)).collect(),
        targets: targets(order),
        services: services(order),
        host: order.host.clone(),
        cpus: CpuSplit {
            server: cpu_numbers(&order.split.server),
            generator: cpu_numbers(&order.split.generator),
            shared: order.split.is_shared,
            shared_core: order.split.is_core_shared,
        },
        base: None,
        resumptions: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Date and time to the millisecond, so that ids sort by age and two runs never share one, and some of the seed.
fn id(now: jiff::Timestamp, seed: u64) -> String {
    format!("{}-{:04x}", now.strftime("%Y%m%dT%H%M%S%3fZ"), seed & 0xffff)
}

fn policy(run: &matrix::RunPolicy) -> Policy {
    Policy {
        rounds: run.rounds,
        max_rounds: run.max_rounds,
        warm_up_seconds: run.warm_up.as_secs_f64(),
        warm_up_max_seconds: run.warm_up_max.as_secs_f64(),
        measure_seconds: run.measure.as_secs_f64(),
        order: match run.order {
            matrix::Order::Shuffled => "shuffled",
            matrix::Order::AsWritten => "as-written",
        }
        .to_owned(),
        reference: run.reference.clone(),
        control: run.control.clone(),
        min_effect: run.min_effect,
        retry_noisy: run.retry_noisy,
    }
}

/// Requests that are under way at once, at most.
fn at_once(load: &Load) -> u64 {
    let slots = u64::from(load.connections);
    let slots = match load.stop {
        Stop::Requests { count, .. } => slots.min(count),
        Stop::Window => slots,
    };
    slots * u64::from(load.pipeline)
}

fn planned(order: &Order<'_>, (workload, load): (usize, usize)) -> PlannedTable {
    let labels = |cells: &[Cell]| {
        cells
            .iter()
            .filter(|cell| (cell.workload, cell.load) == (workload, load))
            .map(|cell| cell.label(order.matrix))
            .collect()
    };
    let asked: &Workload = &order.matrix.workloads[workload];
    let load = &order.matrix.loads[load];
    PlannedTable {
        workload: asked.name.clone(),
        load: load.name.clone(),
        load_words: load_words(load),
        request: format!("{} {}", asked.request.method, asked.request.path),
        rank_by: load.rank_by.clone(),
        at_once: Some(at_once(load)),
        counted: load.stop != Stop::Window,
        settings_sha256: Some(fingerprint::of_table(asked, load, &order.matrix.run)),
        asked_sha256: Some(fingerprint::of_asked(asked, load)),
        rows: labels(&order.plan.cells),
        not_offered: labels(&order.plan.not_offered),
    }
}

/// Each target of the matrix, and what is one of them by another name.
fn targets(order: &Order<'_>) -> Vec<TargetInfo> {
    let matrix = order.matrix;
    let mut targets: Vec<TargetInfo> = matrix.targets.iter().map(target_info).collect();
    for cell in order.plan.cells.iter().filter(|cell| cell.guise != Guise::Itself) {
        let label = cell.label(matrix);
        if targets.iter().all(|target| target.label != label) {
            targets.push(TargetInfo { label, ..target_info(&matrix.targets[cell.target]) });
        }
    }
    targets
}

fn target_info(target: &Target) -> TargetInfo {
    TargetInfo {
        label: target.label(),
        language: target.language.clone(),
        kind: target.kind.map(|kind| kind.name().to_owned()),
        about: target.about.clone(),
        command: target.command.text.clone(),
        env: target.env.clone(),
        serves: target.serves.taken_back(),
        expects: target.expect.keys().cloned().collect(),
        are_sources_known: target.sources != Sources::Unknown,
        declared_sha256: Some(fingerprint::of_target(target)),
    }
}

fn services(order: &Order<'_>) -> Vec<ServiceInfo> {
    let matrix = order.matrix;
    let info = |(place, service): (usize, &Service)| {
        let texts = |commands: &[matrix::Command]| {
            commands.iter().map(|command| command.text.clone()).collect::<Vec<_>>()
        };
        let needs_it = |target: &&Target| needed_by(&matrix.services, target).contains(&place);
        ServiceInfo {
            name: service.name.clone(),
            build: texts(&service.build),
            command: service.command.text.clone(),
            setup: texts(&service.setup),
            env: service.env.clone(),
            scope: service.scope.name().to_owned(),
            cpus: cpu_numbers(&order.service_cpus[place]),
            targets: matrix.targets.iter().filter(needs_it).map(Target::label).collect(),
            versions: BTreeMap::new(),
            source_digest: None,
        }
    };
    matrix.services.iter().enumerate().map(info).collect()
}

/// Adds what services were built to.
pub(super) fn add_services(info: &mut RunInfo, prepared: &[Prepared]) {
    for (service, prepared) in info.services.iter_mut().zip(prepared) {
        if let Prepared::Ready(ready) = prepared {
            service.versions.clone_from(&ready.versions);
            service.source_digest = Some(ready.source_digest.clone());
        }
    }
}

fn cpu_numbers(cpus: &[usize]) -> Vec<u32> {
    cpus.iter().map(|cpu| u32::try_from(*cpu).expect("CPUs have small numbers")).collect()
}
