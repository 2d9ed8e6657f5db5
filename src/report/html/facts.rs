//! What stands around the tables: how it was measured and how far that goes, the machine, the tools, the targets.

use std::time::Duration;

use super::super::escape::plain;
use super::super::provenance;
use crate::record::run::RunInfo;
use crate::record::summary::Summary;
use crate::units::{count_of, write_bytes, write_count, write_duration};

/// A name and what is known under it.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) value: String,
}

fn fact(name: &str, value: impl AsRef<str>) -> Fact {
    Fact { name: plain(name), value: plain(value.as_ref()) }
}

/// What a reader must know before any figure.
pub(super) fn doubts(summary: &Summary, has_trials: bool) -> Vec<String> {
    let run = &summary.run;
    let mut doubts = Vec::new();
    if let Some(signal) = &run.interrupted {
        doubts.push(plain(&format!(
            "The run was interrupted by {signal}; what was measured until then is here."
        )));
    }
    if let Some(why) = run.cut_short {
        let why = provenance::cut_short(why);
        doubts.push(plain(&format!("The run was {why}; what was measured until then is here.")));
    }
    if run.partial {
        let words = run.overrides.join(" ");
        let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
        doubts.push(plain(&format!("The run is partial: less than its matrix asks for{words}.")));
    }
    if let Some(resumed) = provenance::resumed(run) {
        doubts.push(plain(&format!(
            "The run was {resumed}. Rounds of several sessions stand side by side; those of one round were measured together."
        )));
    }
    doubts.extend(run.remarks.iter().map(|remark| plain(remark)));
    if !has_trials {
        doubts.push(
            "This page was made from summary.json alone. Response time by quantile, the figures round by round, and what \
             happened over the time of a window need the records of the trials, which were not at hand; so do links to logs."
                .to_owned(),
        );
    }
    doubts
}

/// How it was measured, and what does not follow from it; a paragraph each.
pub(super) fn method(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let policy = &run.policy;
    let length = |seconds: f64| write_duration(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
    let rounds = match policy.max_rounds {
        most if most > policy.rounds => format!("{} to {most} rounds", policy.rounds),
        _ => count_of(policy.rounds as usize, "round"),
    };
    let order = if policy.order == "shuffled" {
        format!("in an order shuffled by the seed {}", run.seed)
    } else {
        "in the order in which it is written, which favours some".to_owned()
    };
    let trial = format!(
        "There were {rounds}, each of every row once, {order}. In each, a server was started anew, its answer was checked, and it was \
         loaded: first for {} to {}, until its rate was steady, which does not count; then for a window of {}. A load of so \
         many requests ends with the last of them. CPU and memory are those of the server's whole process tree over that window.",
        length(policy.warm_up_seconds),
        length(policy.warm_up_max_seconds),
        length(policy.measure_seconds),
    );
    let figures = format!(
        "A figure is the geometric mean over rounds, and ± is how far its 95 % interval (Student's t on the logarithms) reaches above \
         it. Ratios to the reference, {}, are taken round by round. A verdict needs five rounds and an interval of the ratio \
         that lies wholly beyond {:.1} %, or wholly inside of it. Ranks are shared where rows cannot be told apart. Quantiles of \
         time are one value a trial; trials are never pooled.",
        policy.reference,
        policy.min_effect * 100.0
    );
    let limits = "Server and load generator share one machine and its loopback: figures compare servers with each other, not with \
        a network, and rows of one table only. Delivering a packet on loopback is paid by the sender, so CPU per answer holds \
        the delivery of answers and not that of requests. A row with >= is a lower bound: the load generator was the limit. At \
        full load, response time says more about the number of connections than about the server."
        .to_owned();
    let control = policy.control.as_ref().map(|control| {
        format!(
            "The control, {control}, stands for the machine: rows of this run are compared with those of another by their ratios \
             to it."
        )
    });
    let all = [Some(trial), Some(figures), control, Some(limits)];
    all.iter().flatten().map(|text| plain(text)).collect()
}

/// The machine.
pub(super) fn machine(run: &RunInfo) -> Vec<Fact> {
    let host = &run.host;
    let list = |cpus: &[u32]| {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    let shared = match (run.cpus.shared, run.cpus.shared_core) {
        (true, _) => " (shared with each other)",
        (false, true) => " (siblings of one core)",
        (false, false) => "",
    };
    let bytes = |amount: Option<u64>| amount.map(write_bytes);
    let known: [(&str, Option<String>); 17] = [
        ("processor", host.cpu_model.clone()),
        ("CPUs", host.cpus.map(write_count)),
        ("physical cores", host.cores.map(write_count)),
        ("CPUs of servers", (!run.cpus.server.is_empty()).then(|| list(&run.cpus.server))),
        (
            "CPUs of the generator",
            (!run.cpus.generator.is_empty())
                .then(|| format!("{}{shared}", list(&run.cpus.generator))),
        ),
        ("memory", bytes(host.memory_bytes)),
        ("swap", bytes(host.swap_bytes)),
        ("kernel", host.kernel.clone()),
        ("system", host.system.clone()),
        ("architecture", Some(host.architecture.clone()).filter(|name| !name.is_empty())),
        ("virtualisation", host.virtualisation.clone()),
        ("governor", host.frequency_governor.clone()),
        ("turbo", host.is_turbo_on.map(|is_on| if is_on { "on" } else { "off" }.to_owned())),
        ("clock source", host.clock_source.clone()),
        ("CPU quota", host.cpu_quota.map(|quota| format!("{quota:.2} CPUs"))),
        ("memory limit", bytes(host.memory_max_bytes)),
        (
            "load average at the start",
            (!host.load_average.is_empty()).then(|| {
                let loads: Vec<String> =
                    host.load_average.iter().map(|load| format!("{load:.2}")).collect();
                loads.join(", ")
            }),
        ),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some(fact(name, value?)));
    let absent = host
        .absent
        .iter()
        .map(|(name, why)| fact(&name.replace('_', " "), format!("not known: {why}")));
    known.chain(absent).collect()
}

/// The tools that made the targets, and what ran them.
pub(super) fn tools(summary: &Summary) -> Vec<Fact> {
    let ours = fact("orchestrate", &summary.run.orchestrate);
    let tools = summary.versions.iter().map(|(tool, version)| fact(tool, version));
    [ours].into_iter().chain(tools).collect()
}

/// The targets, as they were started.
pub(super) fn targets(run: &RunInfo) -> Vec<Fact> {
    run.targets
        .iter()
        .map(|target| {
            let about = target.about.iter().map(String::as_str);
            let env = target.env.iter().map(|(name, value)| format!("{name}={value}"));
            let command: Vec<String> = env.chain([target.command.clone()]).collect();
            let command = command.join(" ");
            let told: Vec<&str> = about.chain([command.as_str()]).collect();
            fact(&target.label, told.join(" · "))
        })
        .collect()
}
