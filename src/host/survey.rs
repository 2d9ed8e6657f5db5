//! The machine before a run: what a run records of it, and what only matters to who is about to measure.
//!
//! From `/proc`, `/sys`, our own limits, and trying. It changes nothing, and takes about a second. Not here: what of it
//! spoils figures; that is for `judge` to say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::pace::pace;
use super::sample::sample;
use super::{Split, Topology, facts, tcp};
use crate::record::machine::{Clock, ClockRates, Disk, Hidden, Machine, Memory, Power, Told};
use crate::record::run::CpuSplit;
use crate::{affinity, clock};

/// How often the clock is read to see what that takes.
const READINGS: u32 = 20_000;
/// The number of the namespace of processes that a machine starts with (`PROC_PID_INIT_INO` of Linux).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Looks at the machine for so long, from where server and generator would run.
pub fn survey(topology: &Topology, split: &Split, for_how_long: Duration) -> Machine {
    let allowed_cpus = topology.allowed_cpus();
    let ours: BTreeSet<usize> = split.server.iter().chain(&split.generator).copied().collect();
    let (proc, sys) = (Path::new("/proc"), Path::new("/sys"));
    // Elsewhere, what we use ourselves could not be told from what others do.
    let home = affinity::of_current_thread();
    let pinned = affinity::pin_current_thread(&split.generator);
    let now = sample(for_how_long, &ours);
    let clock =
        Clock { reading_nanos: reading_nanos(), resolution_nanos: clock::resolution_nanos() };
    if let (Ok(()), Ok(home)) = (pinned, home) {
        // It could be left, so it can be returned to.
        let _ = affinity::pin_current_thread(&home);
    }
    Machine {
        facts: facts(),
        pinning: pinning(&allowed_cpus),
        rates: rates(sys, &allowed_cpus),
        allowed_cpus,
        split: CpuSplit {
            server: numbers(&split.server),
            generator: numbers(&split.generator),
            shared: split.is_shared,
            shared_core: split.is_core_shared,
        },
        pace: pace(&split.server, &split.generator),
        power: power(&sys.join("class/power_supply")),
        memory: memory(),
        clock,
        local_ports: text(&proc.join("sys/net/ipv4/ip_local_port_range")).and_then(|it| range(&it)),
        time_wait: text(&proc.join("net/sockstat")).and_then(|text| {
            tcp::time_wait(&text).ok_or_else(|| "`/proc/net/sockstat` does not tell it".to_owned())
        }),
        tracked: tracked(&proc.join("sys/net/netfilter")),
        niceness: rustix::process::getpriority_process(None).map_err(|error| error.to_string()),
        open_files_hard: getrlimit(Resource::Nofile).maximum,
        hidden: hidden(proc),
        flaws: flaws(&sys.join("devices/system/cpu/vulnerabilities")),
        now,
    }
}

/// The disk that a folder is on, or would be once it is made.
///
/// # Errors
/// Why that is not known.
pub fn disk(folder: &Path) -> Told<Disk> {
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    let there = folder.ancestors().find(|folder| folder.is_dir());
    let there = there.ok_or_else(|| format!("`{}` is not there", folder.display()))?;
    let say = |error: rustix::io::Errno| format!("`{}`: {error}", there.display());
    let disk = rustix::fs::statvfs(there).map_err(say)?;
    Ok(Disk {
        folder: there.display().to_string(),
        free_bytes: disk.f_bavail.saturating_mul(disk.f_frsize),
        is_writable: rustix::fs::access(there, rustix::fs::Access::WRITE_OK).is_ok(),
    })
}

fn text(path: &Path) -> Told<String> {
    fs::read_to_string(path)
        .map(|text| text.trim().to_owned())
        .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
}

fn numbers(cpus: &[usize]) -> Vec<u32> {
    cpus.iter().filter_map(|cpu| u32::try_from(*cpu).ok()).collect()
}

/// Tries each CPU with a thread that does nothing else.
fn pinning(cpus: &[usize]) -> Told<()> {
    let cpus = cpus.to_vec();
    let tried = std::thread::spawn(move || {
        cpus.iter().try_for_each(|&cpu| {
            affinity::pin_current_thread(&[cpu]).map_err(|error| format!("CPU {cpu}: {error}"))
        })
    });
    tried.join().unwrap_or_else(|_| Err("the thread that tried it ended early".to_owned()))
}

/// What reading the clock takes, in the mean, the best of a few tries: others only ever make it longer.
fn reading_nanos() -> f64 {
    let once = || {
        let began = clock::now();
        let last = (1..READINGS).fold(began, |_, _| clock::now());
        last.nanos_since(began) as f64 / f64::from(READINGS - 1)
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn rates(sys: &Path, cpus: &[usize]) -> Told<Vec<ClockRates>> {
    let of = |cpu: usize| {
        let folder = sys.join(format!("devices/system/cpu/cpu{cpu}/cpufreq"));
        let megahertz = |name: &str| -> Told<f64> {
            let path = folder.join(name);
            let kilohertz: f64 = text(&path)?
                .parse()
                .map_err(|_| format!("`{}` does not tell it", path.display()))?;
            Ok(kilohertz / 1e3)
        };
        let max_mhz = megahertz("cpuinfo_max_freq")?;
        Ok(ClockRates { cpu, max_mhz, allowed_mhz: megahertz("scaling_max_freq")? })
    };
    cpus.iter().map(|&cpu| of(cpu)).collect()
}

/// What each source of power says of itself; a folder without any is that of a machine that cannot tell, or has none.
fn power(folder: &Path) -> Told<Power> {
    let sources = fs::read_dir(folder)
        .map_err(|error| format!("`{}` cannot be read: {error}", folder.display()))?;
    let mut power = Power::Mains;
    for source in sources.flatten().map(|entry| entry.path()) {
        let is = |name: &str, what: &str| text(&source.join(name)).is_ok_and(|text| text == what);
        // A battery of a mouse or of a phone says that it is a device's.
        if is("type", "Battery") && !is("scope", "Device") {
            if is("status", "Discharging") {
                return Ok(Power::Battery);
            }
            power = Power::PluggedIn;
        }
    }
    Ok(power)
}

fn memory() -> Told<Memory> {
    let what =
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram().with_swap());
    let system = System::new_with_specifics(what).map_err(|error| error.to_string())?;
    let (available_bytes, swapped_bytes) = (system.available_memory(), system.used_swap());
    if available_bytes == 0 {
        return Err("the system does not tell it".to_owned());
    }
    Ok(Memory { available_bytes, swapped_bytes })
}

fn range(text: &str) -> Told<(u64, u64)> {
    let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
    numbers
        .next()
        .zip(numbers.next())
        .ok_or_else(|| "`ip_local_port_range` is not two numbers".to_owned())
}

/// Connections that are kept track of, and how many can be; none where the module for it is not there.
fn tracked(folder: &Path) -> Told<Option<(u64, u64)>> {
    if !folder.join("nf_conntrack_max").exists() {
        return Ok(None);
    }
    let count = |name: &str| -> Told<u64> {
        let path = folder.join(name);
        text(&path)?.parse().map_err(|_| format!("`{}` is no number", path.display()))
    };
    Ok(Some((count("nf_conntrack_count")?, count("nf_conntrack_max")?)))
}

/// Whether processes of others can be seen: options of the mount of `/proc`, and the namespace that we are in.
fn hidden(proc: &Path) -> Told<Option<Hidden>> {
    let mounts = text(&proc.join("self/mountinfo"))?;
    if let Some(option) = hiding_option(&mounts) {
        return Ok(Some(Hidden::Mount(option)));
    }
    let path = proc.join("self/ns/pid");
    let namespace = fs::read_link(&path)
        .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
    let is_first = namespace.as_os_str() == FIRST_PID_NAMESPACE;
    Ok((!is_first).then_some(Hidden::Namespace))
}

/// The option of `/proc` that hides processes, from the text of mountinfo; the last mount there is the one that is seen.
fn hiding_option(mounts: &str) -> Option<String> {
    let on_proc = |line: &&str| line.split(' ').nth(4) == Some("/proc");
    let line = mounts.lines().rfind(on_proc)?;
    let (_, back) = line.split_once(" - ")?;
    let options = back.split(' ').nth(2)?.split(',');
    let mut hiding = options.filter(|option| {
        let is_hiding =
            option.strip_prefix("hidepid=").is_some_and(|how| how != "0" && how != "off");
        is_hiding || *option == "subset=pid"
    });
    hiding.next().map(str::to_owned)
}

fn flaws(folder: &Path) -> Told<BTreeMap<String, String>> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("`{}` cannot be read: {error}", folder.display()))?;
    let told = entries.flatten().filter_map(|entry| {
        Some((entry.file_name().into_string().ok()?, text(&entry.path()).ok()?))
    });
    Ok(told.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("written");
        }
        folder
    }

    #[test]
    fn a_battery_that_is_used_up_is_told_from_one_that_is_not() {
        for (files, expected) in [
            (&[][..], Power::Mains),
            (&[("AC/type", "Mains\n"), ("AC/online", "1\n")], Power::Mains),
            (&[("BAT0/type", "Battery\n"), ("BAT0/status", "Full\n")], Power::PluggedIn),
            (&[("BAT0/type", "Battery\n"), ("BAT0/status", "Discharging\n")], Power::Battery),
            (
                &[
                    ("hid/type", "Battery\n"),
                    ("hid/scope", "Device\n"),
                    ("hid/status", "Discharging\n"),
                ],
                Power::Mains,
            ),
        ] {
            let folder = folder(files);
            assert_eq!(power(folder.path()), Ok(expected), "{files:?}");
            assert!(power(&folder.path().join("none")).is_err());
        }
    }

    #[test]
    fn what_hides_processes_is_an_option_of_the_mount_that_is_seen() {
        let mount =
            |options: &str| format!("22 1 0:5 / /proc rw,nosuid shared:2 - proc proc {options}\n");
        for (options, expected) in [
            ("rw", None),
            ("rw,hidepid=0", None),
            ("rw,hidepid=off", None),
            ("rw,hidepid=2", Some("hidepid=2")),
            ("rw,gid=4,hidepid=invisible", Some("hidepid=invisible")),
            ("rw,subset=pid", Some("subset=pid")),
        ] {
            assert_eq!(hiding_option(&mount(options)).as_deref(), expected, "{options}");
        }
        // Another one was mounted over it.
        let both = mount("rw,hidepid=2") + &mount("rw");
        assert_eq!(hiding_option(&both), None);
        assert_eq!(hiding_option("22 1 0:5 / /sys rw - sysfs sysfs rw\n"), None);
    }

    #[test]
    fn rates_are_those_of_every_cpu_or_unknown() {
        let at = |cpu: u32, name: &str| format!("devices/system/cpu/cpu{cpu}/cpufreq/{name}");
        let names = [at(0, "cpuinfo_max_freq"), at(0, "scaling_max_freq")];
        let folder = folder(&[(&names[0], "3500000\n"), (&names[1], "2000000\n")]);
        let expected = ClockRates { cpu: 0, max_mhz: 3500.0, allowed_mhz: 2000.0 };
        assert_eq!(rates(folder.path(), &[0]), Ok(vec![expected]));
        assert!(rates(folder.path(), &[0, 1]).is_err_and(|reason| reason.contains("cpu1/cpufreq")));
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_on_the_disk_of_the_nearest_that_is() {
        let folder = tempfile::tempdir().expect("folder");
        let disk = disk(&folder.path().join("results/deep")).expect("a disk");
        assert_eq!(disk.folder, folder.path().display().to_string());
        assert!(disk.is_writable && disk.free_bytes > 0, "{disk:?}");
    }

    #[test]
    fn connections_are_kept_track_of_where_there_is_a_limit_to_them() {
        assert_eq!(tracked(folder(&[]).path()), Ok(None));
        let both = folder(&[("nf_conntrack_count", "7\n"), ("nf_conntrack_max", "262144\n")]);
        assert_eq!(tracked(both.path()), Ok(Some((7, 262_144))));
        assert!(tracked(folder(&[("nf_conntrack_max", "262144\n")]).path()).is_err());
    }

    #[test]
    fn a_port_range_is_two_numbers() {
        assert_eq!(range("32768\t60999"), Ok((32_768, 60_999)));
        assert!(range("32768").is_err() && range("x y").is_err());
    }

    #[test]
    fn this_machine_can_be_surveyed_and_the_thread_is_left_where_it_was() {
        let before = affinity::of_current_thread().expect("CPUs");
        let topology = Topology::read().expect("CPUs");
        let auto = crate::matrix::CpuPolicy {
            server: crate::matrix::CpuChoice::Auto,
            generator: crate::matrix::CpuChoice::Auto,
        };
        let split = crate::host::split(&topology, &auto).expect("a split");
        let machine = survey(&topology, &split, Duration::from_millis(20));
        assert_eq!(machine.allowed_cpus, before);
        assert_eq!(affinity::of_current_thread().expect("CPUs"), before);
        assert!(machine.clock.reading_nanos > 0.0 && machine.clock.resolution_nanos > 0);
        assert!(machine.memory.is_ok_and(|memory| memory.available_bytes > 0));
        assert!(machine.local_ports.is_ok() && machine.pinning.is_ok());
    }
}
