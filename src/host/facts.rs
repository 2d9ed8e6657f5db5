//! Facts of the machine, read once a run: what a reader of its results must know, and what might explain them.
//!
//! From sysinfo where it tells, else from `/proc` and `/sys`. What cannot be read is absent, with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::groups;
use crate::affinity::{parse_list, write_list};
use crate::record::run::HostFacts;

/// Settings of the kernel that servers of many connections meet, by their names for sysctl(8).
const SYSCTLS: [&str; 16] = [
    "net.core.somaxconn",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_abort_on_overflow",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "kernel.sched_autogroup_enabled",
    "vm.swappiness",
];

/// Reads what a reader of results must know of the machine.
pub fn facts() -> HostFacts {
    let what = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram().with_swap());
    let system = System::new_with_specifics(what).ok();
    let cpus = system.as_ref().map(System::cpus).unwrap_or_default();
    let memory_bytes = system.as_ref().map(System::total_memory).filter(|bytes| *bytes > 0);
    let load = System::load_average().ok();
    let mut facts = HostFacts {
        cpu_model: cpus
            .first()
            .map(|cpu| cpu.brand().trim().to_owned())
            .filter(|it| !it.is_empty()),
        cpus: Some(cpus.len() as u64).filter(|count| *count > 0),
        cores: System::physical_core_count().ok().map(|count| count as u64),
        memory_bytes,
        kernel: Some(kernel()),
        system: System::long_os_version().ok(),
        architecture: System::cpu_arch(),
        virtualisation: virtualisation(),
        swap_bytes: system.as_ref().map(System::total_swap),
        cpu_quota: groups::cpu_quota(),
        memory_max_bytes: groups::memory_max(memory_bytes.unwrap_or(u64::MAX)),
        open_files_max: getrlimit(Resource::Nofile).current,
        load_average: load.map(|it| vec![it.one, it.five, it.fifteen]).unwrap_or_default(),
        ..HostFacts::default()
    };
    Folders { proc: "/proc".into(), sys: "/sys".into(), absent: BTreeMap::new() }
        .add_to(&mut facts);
    if !groups::own("cpu").iter().any(|folder| folder.is_dir()) {
        let reason = "no control group of ours is shown that rules over CPU time".to_owned();
        facts.absent.insert("cpu_quota".to_owned(), reason);
    }
    facts
}

fn kernel() -> String {
    let name = rustix::system::uname();
    format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
}

fn virtualisation() -> Option<String> {
    let flags = fs::read_to_string("/proc/cpuinfo").ok()?;
    let is_guest = flags
        .lines()
        .find(|line| line.starts_with("flags"))
        .is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
    let firmware = ["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"]
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    let named = firmware.collect::<Vec<_>>().join(" ");
    is_guest.then(|| if named.is_empty() { "a hypervisor".to_owned() } else { named })
}

/// The kernel's folders, and why they did not tell some facts.
struct Folders {
    proc: PathBuf,
    sys: PathBuf,
    absent: BTreeMap<String, String>,
}

impl Folders {
    /// Adds what the kernel's folders tell.
    fn add_to(mut self, facts: &mut HostFacts) {
        let cpu = self.sys.join("devices/system/cpu");
        facts.core_cpus = self.lists("core_cpus", &cpu, "cpu", "topology/thread_siblings_list");
        let node = self.sys.join("devices/system/node");
        facts.node_cpus = self.lists("node_cpus", &node, "node", "cpulist");
        facts.frequency_governor = self.governor(&cpu);
        facts.is_turbo_on = self.turbo(&cpu);
        let source = self.sys.join("devices/system/clocksource/clocksource0/current_clocksource");
        facts.clock_source = self.text("clock_source", &source);
        let pages = self.sys.join("kernel/mm/transparent_hugepage/enabled");
        facts.transparent_huge_pages =
            self.text("transparent_huge_pages", &pages).and_then(|text| chosen(&text));
        let boot = self.proc.join("sys/kernel/random/boot_id");
        facts.boot_id = self.text("boot_id", &boot);
        for name in SYSCTLS {
            let path = self.proc.join("sys").join(name.replace('.', "/"));
            if let Some(text) = self.text(&format!("sysctl.{name}"), &path) {
                let words: Vec<&str> = text.split_whitespace().collect();
                facts.sysctl.insert(name.to_owned(), words.join(" "));
            }
        }
        facts.absent = self.absent;
    }

    /// The trimmed text of a file that holds one fact.
    fn text(&mut self, fact: &str, path: &Path) -> Option<String> {
        let text = fs::read_to_string(path).map_err(|error| {
            let reason = format!("`{}` cannot be read: {error}", path.display());
            self.absent.insert(fact.to_owned(), reason);
        });
        text.ok().map(|text| text.trim().to_owned())
    }

    /// Lists of CPUs, one for each `folder/PREFIXn`, each told once, in the order of their first CPUs.
    fn lists(&mut self, fact: &str, folder: &Path, prefix: &str, file: &str) -> Vec<String> {
        let texts = numbered(folder, prefix).into_iter().map(|path| path.join(file));
        let lists: BTreeSet<Vec<usize>> = texts
            .filter_map(|path| parse_list(&fs::read_to_string(path).ok()?))
            .filter(|cpus| !cpus.is_empty())
            .collect();
        if lists.is_empty() {
            let reason = format!("`{}` does not tell it", folder.display());
            self.absent.insert(fact.to_owned(), reason);
        }
        lists.iter().map(|cpus| write_list(cpus)).collect()
    }

    fn governor(&mut self, cpu: &Path) -> Option<String> {
        let paths = numbered(cpu, "cpu").into_iter().map(|it| it.join("cpufreq/scaling_governor"));
        let found: BTreeSet<String> = paths
            .filter_map(|path| Some(fs::read_to_string(path).ok()?.trim().to_owned()))
            .collect();
        if found.is_empty() {
            let reason = format!("no CPU in `{}` tells its governor", cpu.display());
            self.absent.insert("frequency_governor".to_owned(), reason);
            return None;
        }
        Some(found.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// One driver says whether it is off, others whether it is on.
    fn turbo(&mut self, cpu: &Path) -> Option<bool> {
        let is = |name: &str, on: &str| {
            fs::read_to_string(cpu.join(name)).ok().map(|text| text.trim() == on)
        };
        let told = is("intel_pstate/no_turbo", "0").or_else(|| is("cpufreq/boost", "1"));
        if told.is_none() {
            let reason = format!(
                "neither `intel_pstate/no_turbo` nor `cpufreq/boost` is in `{}`",
                cpu.display()
            );
            self.absent.insert("is_turbo_on".to_owned(), reason);
        }
        told
    }
}

/// Folders such as `cpu0`, `cpu1`; none if there is no such folder.
pub(super) fn numbered(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |name: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    entries
        .filter(|entry| is_one(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect()
}

/// The word in brackets: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> HostFacts {
        let folder = tempfile::tempdir().expect("folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("written");
        }
        let mut facts = HostFacts::default();
        let at = folder.path().to_owned();
        Folders { proc: at.clone(), sys: at, absent: BTreeMap::new() }.add_to(&mut facts);
        facts
    }

    #[test]
    fn facts_are_read_from_the_kernels_folders() {
        let cpu = "devices/system/cpu";
        let facts = read(&[
            (&format!("{cpu}/cpu0/topology/thread_siblings_list"), "0,2\n"),
            (&format!("{cpu}/cpu2/topology/thread_siblings_list"), "0,2\n"),
            (&format!("{cpu}/cpu10/topology/thread_siblings_list"), "10\n"),
            (&format!("{cpu}/cpu0/cpufreq/scaling_governor"), "powersave\n"),
            (&format!("{cpu}/cpu2/cpufreq/scaling_governor"), "performance\n"),
            (&format!("{cpu}/cpufreq/boost"), "1\n"),
            (&format!("{cpu}/cpuidle/cpulist"), "9\n"),
            ("devices/system/node/node0/cpulist", "0,2,10\n"),
            ("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
            ("sys/kernel/random/boot_id", "cf8d42a6\n"),
        ]);
        assert_eq!(
            (facts.core_cpus, facts.node_cpus),
            (vec!["0,2".into(), "10".into()], vec!["0,2,10".into()])
        );
        assert_eq!(facts.frequency_governor.as_deref(), Some("performance, powersave"));
        assert_eq!(facts.is_turbo_on, Some(true));
        assert_eq!(facts.transparent_huge_pages.as_deref(), Some("madvise"));
        assert_eq!(facts.boot_id.as_deref(), Some("cf8d42a6"));
        assert_eq!(facts.sysctl["net.ipv4.ip_local_port_range"], "32768 60999");
        assert!(facts.absent["clock_source"].contains("current_clocksource` cannot be read"));
        assert!(facts.absent.contains_key("sysctl.net.core.somaxconn"), "{:?}", facts.absent);
    }

    #[test]
    fn what_is_off_is_not_on_whoever_tells_it() {
        for (file, text, expected) in [
            ("intel_pstate/no_turbo", "0\n", Some(true)),
            ("intel_pstate/no_turbo", "1\n", Some(false)),
            ("cpufreq/boost", "0\n", Some(false)),
            ("cpufreq/other", "1\n", None),
        ] {
            let facts = read(&[(&format!("devices/system/cpu/{file}"), text)]);
            assert_eq!(facts.is_turbo_on, expected, "{file} {text}");
            assert_eq!(facts.absent.contains_key("is_turbo_on"), expected.is_none());
        }
    }

    #[test]
    fn folders_that_tell_nothing_leave_a_reason_for_each_fact() {
        let facts = read(&[]);
        let without = HostFacts { absent: facts.absent.clone(), ..HostFacts::default() };
        assert_eq!(facts, without);
        assert_eq!(facts.absent.len(), SYSCTLS.len() + 7);
    }

    #[test]
    fn this_machine_has_cpus_memory_and_a_boot() {
        let facts = facts();
        assert!(facts.cpus.is_some() && facts.memory_bytes.is_some(), "{facts:?}");
        assert!(facts.boot_id.is_some() && facts.load_average.len() == 3, "{facts:?}");
        assert!(facts.sysctl.contains_key("net.core.somaxconn"), "{facts:?}");
    }
}
