//! About a second of the machine, for who asks whether to measure on it now: who uses its CPUs, and what stands still.
//!
//! Not here: the machine in a window; that is `window`, where only ends are read and nobody is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::cpus::{self, AllCpus};
use super::{groups, pressure};
use crate::clock::{self, Instant};
use crate::processes::{self, Facts};
use crate::record::host::Throttling;
use crate::record::machine::{Busy, Now, Told};

/// Of a command line so many characters are shown.
const COMMAND: usize = 60;

/// One end of the interval.
struct End {
    at: Instant,
    cpus: Told<AllCpus>,
    ours_us: u64,
    processes: BTreeMap<u32, Facts>,
    throttling: Vec<Option<Throttling>>,
    swapped_pages: Told<u64>,
    heat: Told<u64>,
    dropped_packets: Told<u64>,
}

/// Looks at the machine for so long; what its CPUs did is told of these, on which we must run ourselves.
pub(super) fn sample(for_how_long: Duration, cpus: &BTreeSet<usize>) -> Now {
    let (proc, sys) = (Path::new("/proc"), Path::new("/sys"));
    let first = End::read(proc, sys);
    clock::sleep_until(first.at + for_how_long);
    let second = End::read(proc, sys);
    let elapsed = second.at.since(first.at);
    let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    let ours_us = second.ours_us.saturating_sub(first.ours_us);
    let used = || {
        let ends = (first.cpus.as_ref()?, second.cpus.as_ref()?);
        cpus::used(ends, cpus, elapsed_us, Some(ours_us))
            .ok_or_else(|| "a CPU was not there at both ends of the second".to_owned())
    };
    let throttling = first.throttling.iter().zip(&second.throttling);
    let throttling = throttling.filter_map(|(then, now)| Some((*now)?.since((*then)?)));
    let since = |now: &Told<u64>, then: &Told<u64>| -> Told<u64> {
        Ok(now.clone()?.saturating_sub(then.clone()?))
    };
    let so_far = |now: &Told<u64>, then: &Told<u64>| Ok((now.clone()?, since(now, then)?));
    Now {
        seconds: elapsed.as_secs_f64(),
        cpus: used(),
        has_told_steal: second.cpus.as_ref().is_ok_and(cpus::has_steal),
        busy: busy(&first.processes, &second.processes, elapsed, std::process::id()),
        throttling: throttling.max_by_key(|it| it.throttled_us),
        stalled: pressure::last_minute(&proc.join("pressure")),
        swapped_pages: since(&second.swapped_pages, &first.swapped_pages),
        heat: so_far(&second.heat, &first.heat),
        dropped_packets: so_far(&second.dropped_packets, &first.dropped_packets),
    }
}

impl End {
    fn read(proc: &Path, sys: &Path) -> Self {
        let at = clock::now();
        let told = |name: &str| {
            let path = proc.join(name);
            fs::read_to_string(&path)
                .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
        };
        let cpus = told("stat").and_then(|text| {
            Some(cpus::parse(&text))
                .filter(|cpus| !cpus.is_empty())
                .ok_or_else(|| format!("`{}` does not tell it", proc.join("stat").display()))
        });
        let ours_us = clock::process_cpu_nanos() / 1000;
        let processes = processes::all().into_iter().map(|it| (it.pid, it)).collect();
        let quotas = groups::own("cpu");
        Self {
            at,
            cpus,
            ours_us,
            processes,
            throttling: quotas.iter().map(|folder| groups::throttling(folder)).collect(),
            swapped_pages: told("vmstat").and_then(|text| swapped(&text)),
            heat: heat(&sys.join("devices/system/cpu")),
            dropped_packets: told("net/softnet_stat").and_then(|text| dropped(&text)),
        }
    }
}

/// Pages written to swap and read from it since the machine started, from the text of `vmstat`.
fn swapped(vmstat: &str) -> Told<u64> {
    let count = |name: &str| -> Option<u64> {
        let mut lines = vmstat.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(key, _)| *key == name)?.1.trim().parse().ok()
    };
    let both = count("pswpin").zip(count("pswpout")).map(|(read, written)| read + written);
    both.ok_or_else(|| "`/proc/vmstat` does not count swapping".to_owned())
}

/// Packets that found no room in the queue of a CPU since the machine started, from the text of `softnet_stat`: a line a
/// CPU, of hexadecimal counts, the second of which is this one.
fn dropped(softnet: &str) -> Told<u64> {
    let of_cpu = |line: &str| u64::from_str_radix(line.split_ascii_whitespace().nth(1)?, 16).ok();
    let counts: Option<Vec<u64>> = softnet.lines().map(of_cpu).collect();
    let counts = counts.filter(|counts| !counts.is_empty());
    counts
        .map(|counts| counts.iter().sum())
        .ok_or_else(|| "`/proc/net/softnet_stat` does not count it".to_owned())
}

/// How often CPUs were slowed down by heat since the machine started: the sum over cores of what x86 counts.
fn heat(folder: &Path) -> Told<u64> {
    let counts = super::facts::numbered(folder, "cpu").into_iter().filter_map(|cpu| {
        let path = cpu.join("thermal_throttle/core_throttle_count");
        fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
    });
    counts
        .reduce(u64::saturating_add)
        .ok_or_else(|| format!("no CPU in `{}` counts it", folder.display()))
}

/// The processes that used CPU time between two lists of them, without `me`; one that has ended is in neither the second
/// list nor here.
fn busy(
    first: &BTreeMap<u32, Facts>,
    second: &BTreeMap<u32, Facts>,
    elapsed: Duration,
    me: u32,
) -> Vec<Busy> {
    let ticks = |process: &Facts| process.user_ticks + process.system_ticks;
    let used = second.values().filter(|process| process.pid != me).map(|process| {
        // A number that was given to another process meanwhile is told by its start.
        let before = first.get(&process.pid).filter(|it| it.start_ticks == process.start_ticks);
        (process, ticks(process).saturating_sub(before.map_or(0, ticks)))
    });
    let mut used: Vec<(&Facts, u64)> = used.filter(|(_, ticks)| *ticks > 0).collect();
    used.sort_by_key(|(process, ticks)| (std::cmp::Reverse(*ticks), process.pid));
    let in_cpus = |ticks: u64| {
        ticks as f64 / processes::ticks_per_second() as f64 / elapsed.as_secs_f64().max(1e-9)
    };
    used.iter()
        .map(|(process, ticks)| {
            let command = processes::command_line(process.pid);
            let command = short(&command.unwrap_or_else(|| process.name.clone()));
            Busy { pid: process.pid, command, cpus: in_cpus(*ticks) }
        })
        .collect()
}

/// A command line without the folder of its program, and no longer than is read at a glance.
fn short(command: &str) -> String {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    // Names of the kernel's own threads may have a slash in them, too.
    let is_path = program.starts_with(['/', '.']);
    let program = program.rsplit('/').next().filter(|_| is_path).unwrap_or(program);
    let whole = if rest.is_empty() { program.to_owned() } else { format!("{program} {rest}") };
    if whole.chars().count() <= COMMAND {
        return whole;
    }
    let begin: String = whole.chars().take(COMMAND - 3).collect();
    format!("{begin}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, ticks: u64, start_ticks: u64) -> (u32, Facts) {
        let facts = Facts {
            // No process of this number can be there, so that its name is shown.
            pid,
            parent: 1,
            group: pid,
            name: format!("p{pid}"),
            is_zombie: false,
            start_ticks,
            threads: 1,
            user_ticks: ticks,
            system_ticks: 0,
            waited_user_ticks: 0,
            waited_system_ticks: 0,
        };
        (pid, facts)
    }

    #[test]
    fn the_busiest_processes_are_named_and_we_are_not_among_them() {
        let base = u32::MAX - 100;
        let first = BTreeMap::from([
            process(base, 100, 1),
            process(base + 1, 500, 1),
            process(base + 2, 7, 1),
            process(base + 3, 7, 1),
        ]);
        let second = BTreeMap::from([
            process(base, 130, 1),
            process(base + 1, 500, 1),
            // Another process under a number of before.
            process(base + 2, 5, 900),
            process(base + 3, 90, 1),
            process(base + 4, 2, 950),
        ]);
        let found = busy(&first, &second, Duration::from_secs(1), base + 3);
        let found: Vec<(u32, &str)> = found.iter().map(|it| (it.pid, &*it.command)).collect();
        let names = [base, base + 2, base + 4].map(|pid| (pid, format!("p{pid}")));
        assert_eq!(found, names.each_ref().map(|(pid, name)| (*pid, name.as_str())));
    }

    #[test]
    fn swapping_and_heat_are_counted_or_unknown() {
        assert_eq!(swapped("nr_free 1\npswpin 3\npswpout 4\n"), Ok(7));
        assert!(swapped("pswpin 3\n").is_err());
        let folder = tempfile::tempdir().expect("folder");
        assert!(heat(folder.path()).is_err_and(|reason| reason.contains("counts it")));
        for (cpu, count) in [("cpu0", "3\n"), ("cpu1", "4\n")] {
            let of = folder.path().join(cpu).join("thermal_throttle");
            fs::create_dir_all(&of).expect("a folder");
            fs::write(of.join("core_throttle_count"), count).expect("written");
        }
        assert_eq!(heat(folder.path()), Ok(7));
    }

    #[test]
    fn packets_without_room_are_the_second_count_of_every_cpu() {
        let text = "1cab31cb 00009397 00000074\n2076e01e 0000000a 00000093\n";
        assert_eq!(dropped(text), Ok(0x9397 + 10));
        assert!(dropped("").is_err() && dropped("1 zz\n").is_err() && dropped("1\n").is_err());
    }

    #[test]
    fn commands_are_short_and_begin_with_their_program() {
        for (command, expected) in [
            ("/usr/bin/make -j4", "make -j4"),
            ("kworker/0:1", "kworker/0:1"),
            ("./server --port 1", "server --port 1"),
            ("init", "init"),
        ] {
            assert_eq!(short(command), expected);
        }
        assert_eq!(short(&"x".repeat(61)), format!("{}...", "x".repeat(57)));
        assert_eq!(short(&"x".repeat(60)).len(), 60);
    }

    #[test]
    fn this_machine_can_be_looked_at_and_our_own_work_is_nobody_elses() {
        let all = crate::affinity::of_current_thread().expect("CPUs").into_iter().collect();
        let now = sample(Duration::from_millis(50), &all);
        assert!(now.seconds >= 0.05, "{now:?}");
        let cpus = now.cpus.expect("this machine tells what its CPUs do");
        assert!(cpus.others_us.is_some(), "{cpus:?}");
        assert!(now.busy.iter().all(|it| it.pid != std::process::id()));
    }
}
