//! What makes a comparison of two runs doubtful: whatever differs between them besides what is compared.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::outcome::Kind as _;
use crate::record::measured::ResponseSeen;
use crate::record::run::{Commit, CpuSplit, HostFacts, Policy, RunInfo, TargetInfo};
use crate::record::summary::{CellSummary, Summary};
use crate::units::{count_of, write_bytes};

/// Something that differs, and that a figure may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doubtful {
    /// What, in a sentence.
    pub what: String,
    /// The rows that it is about: a target, or `target on workload under load`; none if it is about all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
}

/// All that differs: the machine first, then what was asked for, the tools, the targets, their answers, single rows.
pub(super) fn of(base: &Summary, new: &Summary) -> Vec<Doubtful> {
    let mut all = Found::default();
    all.extend(of_host(&base.run.host, &new.run.host));
    all.extend(of_quota(&base.run, &new.run));
    all.extend(of_cpus(&base.run.cpus, &new.run.cpus));
    all.extend(of_policy(&base.run, &new.run));
    all.extend(of_programs(base, new));
    all.extend(of_control(base, new));
    of_targets(&base.run, &new.run, &mut all);
    of_rows(base, new, &mut all);
    all.found
}

/// Whether the runs are named the wrong way round.
pub(super) fn of_order(base: &RunInfo, new: &RunInfo) -> Option<Doubtful> {
    // To the second: dates have more digits or fewer.
    let began = |run: &RunInfo| run.started_at.get(..19).unwrap_or(&run.started_at).to_owned();
    (began(base) > began(new)).then(|| Doubtful {
        what: "the base run was made after the new one: read every verdict the other way round"
            .to_owned(),
        rows: Vec::new(),
    })
}

/// Doubts in the order in which they are found; one that several rows have is said once.
#[derive(Default)]
struct Found {
    found: Vec<Doubtful>,
}

impl Found {
    fn extend(&mut self, about_all: impl IntoIterator<Item = String>) {
        let about_all = about_all.into_iter();
        self.found.extend(about_all.map(|what| Doubtful { what, rows: Vec::new() }));
    }

    fn add(&mut self, what: Option<String>, row: &str) {
        let Some(what) = what else { return };
        let known = self.found.iter_mut().find(|it| it.what == what && !it.rows.is_empty());
        match known {
            Some(known) if known.rows.iter().any(|it| it == row) => {}
            Some(known) => known.rows.push(row.to_owned()),
            None => self.found.push(Doubtful { what, rows: vec![row.to_owned()] }),
        }
    }
}

/// `kernel: Linux 6.17, now Linux 6.18`, if they differ.
fn differs<T: PartialEq>(
    name: &str,
    old: &T,
    new: &T,
    write: impl Fn(&T) -> String,
) -> Option<String> {
    (old != new).then(|| format!("{name}: {}, now {}", write(old), write(new)))
}

/// The same where both are known and are not written alike. What only one run holds says more of the version that made it.
fn known<T>(
    name: &str,
    old: Option<&T>,
    new: Option<&T>,
    write: impl Fn(&T) -> String,
) -> Option<String> {
    let (old, new) = (write(old?), write(new?));
    (old != new).then(|| format!("{name}: {old}, now {new}"))
}

fn or_unknown<T>(write: impl Fn(&T) -> String) -> impl Fn(&Option<T>) -> String {
    move |value| value.as_ref().map_or_else(|| "unknown".to_owned(), &write)
}

fn of_host(old: &HostFacts, new: &HostFacts) -> Vec<String> {
    let text = |name, old: &Option<String>, new: &Option<String>| {
        known(name, old.as_ref(), new.as_ref(), String::clone)
    };
    let count = |name, old: &Option<u64>, new: &Option<u64>| {
        known(name, old.as_ref(), new.as_ref(), u64::to_string)
    };
    let restarted = known("", old.boot_id.as_ref(), new.boot_id.as_ref(), String::clone)
        .map(|_| "the machine was started anew between the runs, or is another one".to_owned());
    let turbo = |on: &bool| if *on { "on" } else { "off" }.to_owned();
    let sysctl = |(name, before): (&String, &String)| {
        differs(&format!("sysctl {name}"), &Some(before), &new.sysctl.get(name), |it| {
            it.map_or_else(String::new, String::clone)
        })
        .filter(|_| new.sysctl.contains_key(name))
    };
    [
        restarted,
        differs("CPU model", &old.cpu_model, &new.cpu_model, or_unknown(String::clone)),
        count("CPUs", &old.cpus, &new.cpus),
        count("physical cores", &old.cores, &new.cores),
        known("memory", old.memory_bytes.as_ref(), new.memory_bytes.as_ref(), |it| {
            write_bytes(*it)
        }),
        text("kernel", &old.kernel, &new.kernel),
        text("system", &old.system, &new.system),
        text("runs on", &old.virtualisation, &new.virtualisation),
        text("frequency governor", &old.frequency_governor, &new.frequency_governor),
        known("turbo", old.is_turbo_on.as_ref(), new.is_turbo_on.as_ref(), turbo),
        text("clock source", &old.clock_source, &new.clock_source),
        text("large pages", &old.transparent_huge_pages, &new.transparent_huge_pages),
    ]
    .into_iter()
    .flatten()
    .chain(old.sysctl.iter().filter_map(sysctl))
    .collect()
}

/// Whether a run holds whatever runs have come to hold before they held this: what is not there then is none, and else unknown.
fn holds_all(run: &RunInfo) -> bool {
    // It is the last thing that runs have come to hold of all that is compared here.
    run.policy.max_rounds > 0
}

/// The quota is absent where there is none, where it cannot be read, and where nobody looked.
fn of_quota(old: &RunInfo, new: &RunInfo) -> Option<String> {
    let quota = |run: &RunInfo| match run.host.cpu_quota {
        Some(quota) => Some(format!("{quota} CPUs")),
        None if run.host.absent.contains_key("cpu_quota") => None,
        None => holds_all(run).then(|| "none".to_owned()),
    };
    known("CPU quota", quota(old).as_ref(), quota(new).as_ref(), String::clone)
}

fn of_cpus(old: &CpuSplit, new: &CpuSplit) -> Vec<String> {
    let list = |cpus: &Vec<u32>| {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        names.join(",")
    };
    let servers = differs("CPUs of the servers", &old.server, &new.server, list);
    let generator = differs("CPUs of the generator", &old.generator, &new.generator, list);
    servers.into_iter().chain(generator).collect()
}

/// Whether what stands for the machine is another program now.
fn of_control(base: &Summary, new: &Summary) -> Option<String> {
    let control = new.run.policy.control.as_ref()?;
    let digest = |summary: &Summary| {
        let row = summary.cells.iter().find(|cell| cell.target == *control)?;
        row.source_digest.clone()
    };
    let is_other = digest(base)? != digest(new)?;
    is_other.then(|| {
        format!("the control {control} was built from something else: what became of it looks like the machine's doing")
    })
}

fn of_policy(old_run: &RunInfo, new_run: &RunInfo) -> Vec<String> {
    let (old, new) = (&old_run.policy, &new_run.policy);
    let seconds = |name, old: &f64, new: &f64| differs(name, old, new, |it| format!("{it} s"));
    let whole = |name, old: &u32, new: &u32| differs(name, old, new, u32::to_string);
    // A run of an older version made its rounds and no more.
    let at_most = |policy: &Policy| match policy.max_rounds {
        0 => policy.rounds,
        most => most,
    };
    let is_told = [old, new].iter().any(|policy| at_most(policy) != policy.rounds);
    let mut all: Vec<String> = [
        differs("matrix", &old_run.name, &new_run.name, String::clone),
        differs("profile", &old_run.profile, &new_run.profile, |profile| {
            profile.clone().unwrap_or_else(|| "none".to_owned())
        }),
        whole("rounds", &old.rounds, &new.rounds),
        whole("rounds at most", &at_most(old), &at_most(new)).filter(|_| is_told),
        seconds("warm-up", &old.warm_up_seconds, &new.warm_up_seconds),
        seconds("warm-up at most", &old.warm_up_max_seconds, &new.warm_up_max_seconds),
        seconds("window", &old.measure_seconds, &new.measure_seconds),
        differs("order", &old.order, &new.order, String::clone),
        whole("repetitions of noisy trials", &old.retry_noisy, &new.retry_noisy),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (run, which) in [(old_run, "base"), (new_run, "new")] {
        if run.partial {
            let words = run.overrides.join(" ");
            all.push(
                format!("the {which} run is partial: {words}")
                    .trim_end_matches([':', ' '])
                    .to_owned(),
            );
        }
        all.extend(
            run.purpose
                .map(|_| format!("the {which} run was made to see noise, not to compare targets")),
        );
        all.extend(
            run.interrupted.as_ref().map(|by| format!("the {which} run was interrupted by {by}")),
        );
    }
    all
}

fn of_programs(base: &Summary, new: &Summary) -> Vec<String> {
    let (old_run, new_run) = (&base.run, &new.run);
    let ours = differs("made by", &old_run.orchestrate, &new_run.orchestrate, String::clone);
    let tools = differing("", &base.versions, &new.versions);
    let mut all: Vec<String> = ours.into_iter().chain(tools).collect();
    all.extend(of_services(old_run, new_run));
    let commit = |commit: &Commit| {
        let changed = if commit.is_changed { " and changes besides" } else { "" };
        format!("{}{changed}", commit.id.get(..12).unwrap_or(&commit.id))
    };
    all.extend(known("commit", old_run.commit.as_ref(), new_run.commit.as_ref(), commit));
    if old_run.matrix_sha256 != new_run.matrix_sha256 {
        all.push("the matrix was edited between the runs".to_owned());
    }
    all
}

fn of_services(old: &RunInfo, new: &RunInfo) -> Vec<String> {
    let are_held = |run: &RunInfo| !run.services.is_empty() || holds_all(run);
    if !are_held(old) || !are_held(new) {
        return Vec::new();
    }
    let declared = new.services.iter().filter_map(|service| {
        let name = &service.name;
        match old.services.iter().find(|it| it.name == *name) {
            None => Some(format!("the service {name} was not there")),
            Some(before) => {
                (before != service).then(|| format!("the service {name} is declared otherwise"))
            }
        }
    });
    let is_known = |name: &String| new.services.iter().any(|it| it.name == *name);
    let gone = old.services.iter().filter(|it| !is_known(&it.name));
    declared
        .chain(gone.map(|service| format!("the service {} is not there any more", service.name)))
        .collect()
}

/// What differs between two lists of names and values; what only one of them has is told too.
fn differing(
    sort: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<String> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let told = |name: &String| {
        let name_told = if sort.is_empty() { name.clone() } else { format!("{sort} {name}") };
        let text = |value: Option<&String>| value.map_or_else(|| "none".to_owned(), String::clone);
        differs(&name_told, &text(old.get(name)), &text(new.get(name)), String::clone)
    };
    names.into_iter().filter_map(told).collect()
}

fn of_targets(old: &RunInfo, new: &RunInfo, all: &mut Found) {
    for target in &new.targets {
        let Some(before) = old.target(&target.label) else { continue };
        let label = &target.label;
        all.add(
            differs("command", &before.command, &target.command, |it| format!("`{it}`")),
            label,
        );
        for what in differing("environment", &before.env, &target.env) {
            all.add(Some(what), label);
        }
        let list = |of: fn(&TargetInfo) -> &Vec<String>| {
            let is_held = |run: &RunInfo, of_it: &Vec<String>| !of_it.is_empty() || holds_all(run);
            let (before, now) = (of(before), of(target));
            differs_as_lists(before, now).filter(|_| is_held(old, before) && is_held(new, now))
        };
        all.add(list(|it| &it.serves).map(|it| format!("serves {it}")), label);
        all.add(
            list(|it| &it.expects).map(|it| format!("right answers of its own for {it}")),
            label,
        );
    }
}

fn differs_as_lists(old: &[String], new: &[String]) -> Option<String> {
    let joined =
        |list: &[String]| if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
    (old != new).then(|| format!("{}, now {}", joined(old), joined(new)))
}

fn of_rows(base: &Summary, new: &Summary, all: &mut Found) {
    for cell in &new.cells {
        let is_same = |it: &&CellSummary| {
            (&it.workload, &it.load, &it.target) == (&cell.workload, &cell.load, &cell.target)
        };
        let Some(before) = base.cells.iter().find(is_same) else { continue };
        let row = format!("{} on {} under {}", cell.target, cell.workload, cell.load);
        if let (Some(old), Some(now)) = (&before.response, &cell.response) {
            let whose = format!("{} on {}", cell.target, cell.workload);
            for what in of_answer(old, now) {
                all.add(Some(what), &whose);
            }
        }
        if before.measured > 0 && cell.measured > 0 {
            // 0 is unknown.
            let cores = |cell: &CellSummary| Some(cell.cores_allowed).filter(|cores| *cores > 0);
            let cores =
                known("CPUs allowed", cores(before).as_ref(), cores(cell).as_ref(), u32::to_string);
            all.add(cores, &row);
            let limit =
                known("limit", before.limit.as_ref(), cell.limit.as_ref(), ToString::to_string);
            all.add(limit, &row);
        }
        if before.failed > 0 && cell.failed > 0 {
            let failed = |cell: &CellSummary| {
                let rounds = count_of((cell.failed + cell.measured) as usize, "round");
                format!("{} of {rounds}", cell.failed)
            };
            all.add(differs("failed in", &failed(before), &failed(cell), String::clone), &row);
        }
        for (doubts, other, which) in [(before, cell, "base"), (cell, before, "new")] {
            for caveat in &doubts.caveats {
                let is_in_both = other.caveats.iter().any(|it| it.caveat == caveat.caveat);
                let runs =
                    if is_in_both { "both runs".to_owned() } else { format!("the {which} run") };
                all.add(Some(format!("{} in {runs}", caveat.caveat.name())), &row);
            }
        }
    }
}

fn of_answer(old: &ResponseSeen, new: &ResponseSeen) -> Vec<String> {
    // Another content of another length is told once.
    let content = (old.length == new.length && old.sha256 != new.sha256)
        .then(|| "the content of the answer differs".to_owned());
    [
        differs("status", &old.status, &new.status, ToString::to_string),
        differs("length of the answer", &old.length, &new.length, |it| format!("{it} B")),
        content,
        differs("type of the answer", &old.content_type, &new.content_type, |it| {
            it.clone().unwrap_or_else(|| "none".to_owned())
        }),
        known("HTTP", old.http.as_ref(), new.http.as_ref(), String::clone),
        known("body ends by", old.framing.as_ref(), new.framing.as_ref(), String::clone),
        known("connection kept", old.keep_alive.as_ref(), new.keep_alive.as_ref(), bool::to_string),
    ]
    .into_iter()
    .flatten()
    .collect()
}
