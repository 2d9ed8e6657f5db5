//! A machine that nothing is to be said against, one that tells nothing, and what a check has found.

use std::collections::BTreeMap;

use super::Verdict;
use crate::record::diagnosis::Severity;
use crate::record::host::CpuTimes;
use crate::record::machine::{
    Clock, ClockRates, Contained, Demand, Disk, Examined, Machine, Memory, Now, Ours, Pace, Power,
    Stalled, Told,
};
use crate::record::run::{CpuSplit, HostFacts};

/// Four CPUs that nobody else uses, for a matrix that asks for little.
pub(super) fn sound() -> Examined {
    let rate = |cpu| ClockRates { cpu, max_mhz: 3000.0, allowed_mhz: 3000.0 };
    Examined {
        machine: Machine {
            facts: facts(),
            allowed_cpus: vec![0, 1, 2, 3],
            split: CpuSplit {
                server: vec![0, 1],
                generator: vec![2, 3],
                shared: false,
                shared_core: false,
            },
            pinning: Ok(()),
            rates: Ok((0..4).map(rate).collect()),
            pace: Ok(Pace { spread: 0.01, beside: 1.02 }),
            power: Ok(Power::Mains),
            memory: Ok(Memory { available_bytes: 16_000_000_000, swapped_bytes: 0 }),
            clock: Clock { reading_nanos: 25.0, resolution_nanos: 1 },
            local_ports: Ok((32_768, 60_999)),
            time_wait: Ok(0),
            tracked: Ok(None),
            niceness: Ok(0),
            open_files_hard: Some(1_048_576),
            hidden: Ok(None),
            flaws: Ok(BTreeMap::from([("meltdown".to_owned(), "Not affected".to_owned())])),
            now: Now {
                seconds: 1.0,
                cpus: Ok(CpuTimes {
                    cpus: "0-3".to_owned(),
                    others_us: Some(0),
                    ..CpuTimes::default()
                }),
                has_told_steal: false,
                busy: Vec::new(),
                throttling: None,
                stalled: Ok(Stalled { cpu: Some(0.0), memory: Some(0.0), io: Some(0.0) }),
                swapped_pages: Ok(0),
                heat: Ok((0, 0)),
                dropped_packets: Ok((0, 0)),
            },
        },
        ours: Ours {
            is_debug_build: false,
            containment: Ok(Contained { name: "cgroup2".to_owned(), without_group: None }),
            left_over: Vec::new(),
            holder: Ok(None),
            results: Ok(Disk {
                folder: "/results".to_owned(),
                free_bytes: 50_000_000_000,
                is_writable: true,
            }),
        },
        demand: Some(Demand { connections: 64, load: "c64".to_owned(), ..Demand::default() }),
    }
}

fn facts() -> HostFacts {
    let settings = [
        ("net.core.somaxconn", "4096"),
        ("net.core.netdev_max_backlog", "1000"),
        ("net.ipv4.tcp_max_syn_backlog", "2048"),
        ("net.ipv4.tcp_syncookies", "1"),
        ("net.ipv4.tcp_tw_reuse", "2"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    HostFacts {
        cpus: Some(4),
        architecture: "x86_64".to_owned(),
        node_cpus: vec!["0-3".to_owned()],
        frequency_governor: Some("performance".to_owned()),
        is_turbo_on: Some(false),
        clock_source: Some("tsc".to_owned()),
        transparent_huge_pages: Some("madvise".to_owned()),
        sysctl: BTreeMap::from(settings),
        ..HostFacts::default()
    }
}

/// A machine on which nothing can be read and nothing be done.
pub(super) fn silent() -> Examined {
    fn nothing<T>() -> Told<T> {
        Err("it cannot be read".to_owned())
    }
    let mut examined = sound();
    let facts = &mut examined.machine.facts;
    let names = [
        "node_cpus",
        "frequency_governor",
        "is_turbo_on",
        "transparent_huge_pages",
        "cpu_quota",
        "virtualisation",
        "sysctl.net.core.somaxconn",
        "sysctl.net.ipv4.tcp_syncookies",
    ];
    let reason = "it cannot be read".to_owned();
    let absent = names.map(|name| (name.to_owned(), reason.clone()));
    *facts = HostFacts { absent: BTreeMap::from(absent), ..HostFacts::default() };
    let machine = &mut examined.machine;
    (machine.pinning, machine.rates, machine.power) = (nothing(), nothing(), nothing());
    machine.pace = nothing();
    (machine.memory, machine.local_ports, machine.time_wait) = (nothing(), nothing(), nothing());
    (machine.hidden, machine.flaws, machine.open_files_hard) = (nothing(), nothing(), None);
    (machine.tracked, machine.niceness) = (nothing(), nothing());
    let now = &mut machine.now;
    (now.cpus, now.stalled, now.swapped_pages, now.heat) =
        (nothing(), nothing(), nothing(), nothing());
    now.dropped_packets = nothing();
    let ours = &mut examined.ours;
    (ours.containment, ours.holder, ours.results) = (nothing(), nothing(), nothing());
    examined.demand = None;
    examined
}

/// Everything that was found.
pub(super) fn all_found(verdicts: &[Verdict]) -> Vec<(Severity, String)> {
    let one = |verdict: &Verdict| match verdict {
        Verdict::Found(severity, found, _) => Some((*severity, found.clone())),
        Verdict::Fine(_) | Verdict::Unknown(_) => None,
    };
    verdicts.iter().filter_map(one).collect()
}

/// The only thing that was found; none if it is fine.
pub(super) fn found(verdicts: &[Verdict]) -> Option<(Severity, String)> {
    let mut all = all_found(verdicts);
    assert!(all.len() <= 1, "{all:?}");
    all.pop()
}
