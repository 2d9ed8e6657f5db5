//! What the machine does besides: one reading of what its kernel counts, and what lies between two readings.
//!
//! A reading is made at a window's two ends, and before the warm-up, on the thread that opens and closes the window; so
//! it runs on the generator's CPUs, and costs less than a millisecond. What cannot be read is absent, with its reason, and
//! ends nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::cpus::{self, AllCpus};
use super::ours::{Ours, cpu_us};
use super::seats::Seats;
use super::{groups, pressure, tcp};
use crate::clock::{self, Instant};
use crate::processes;
use crate::record::host::{CpuTimes, HostUse, Pressure, TcpCounts, Throttling};

/// Where a machine is read, and what of it is looked at.
#[derive(Debug)]
pub struct Watch {
    /// `/proc` and `/sys`, but for tests.
    proc: PathBuf,
    sys: PathBuf,
    /// The keepers of the server and of the services.
    keepers: Vec<u32>,
    /// The control group of the server.
    group: Option<PathBuf>,
    /// Ours that count how often a quota was hit.
    quotas: Vec<PathBuf>,
    /// CPUs whose clock rate is of interest.
    cpus: Vec<usize>,
    /// The kernel's thread that does what interrupts of the network leave to do, of each CPU.
    network_threads: BTreeMap<usize, u32>,
}

/// The machine at a moment.
#[derive(Debug)]
pub struct Reading {
    at: Instant,
    /// CPU time that the reading took.
    cost_us: f64,
    cpus: Told<AllCpus>,
    ours: Ours,
    network_us: BTreeMap<usize, u64>,
    pressure: Told<Pressure>,
    group_pressure: Told<Pressure>,
    /// One for each of our groups that has a quota to hit.
    throttling: Vec<Option<Throttling>>,
    group_throttling: Option<Throttling>,
    tcp: Told<TcpCounts>,
    time_wait: Told<u64>,
    frequency_mhz: Told<f64>,
}

/// A figure, or why there is none.
type Told<T> = Result<T, String>;

impl Watch {
    /// The machine that we run on, seen from a server with this control group, these keepers of it and of its services,
    /// and a load on these CPUs.
    pub fn new(keepers: Vec<u32>, group: Option<&Path>, cpus: &[usize]) -> Self {
        let has_count = |folder: &PathBuf| groups::throttling(folder).is_some();
        Self {
            proc: PathBuf::from("/proc"),
            sys: PathBuf::from("/sys"),
            keepers,
            group: group.map(Path::to_owned),
            quotas: groups::own("cpu").into_iter().filter(has_count).collect(),
            cpus: cpus.to_vec(),
            network_threads: network_threads(),
        }
    }

    /// Reads it now, and does `at_once` what must be done at the same moment.
    pub fn read<T>(&self, at_once: impl FnOnce() -> T) -> (Reading, T) {
        // CPU times first, and close together: the differences between them matter. What is read after them may take its
        // time: where a CPU's rate is asked for, some kernels sleep for 10 ms.
        let (at, began) = (clock::now(), clock::thread_cpu_nanos());
        let cpus = self.told("stat", |text| Some(cpus::parse(text)).filter(|it| !it.is_empty()));
        let ours = Ours::read(&self.keepers);
        let network_us = self.network_threads.iter().map(|(cpu, pid)| (*cpu, cpu_us(*pid)));
        let network_us = network_us.collect();
        let done = at_once();
        let mut reading = Reading {
            at,
            cost_us: 0.0,
            cpus,
            ours,
            network_us,
            pressure: pressure::of_machine(&self.proc.join("pressure")),
            group_pressure: self.group.as_deref().map_or_else(no_group, pressure::of_group),
            throttling: self.quotas.iter().map(|folder| groups::throttling(folder)).collect(),
            group_throttling: self.group.as_deref().and_then(groups::throttling),
            tcp: self.tcp(),
            time_wait: self.told("net/sockstat", tcp::time_wait),
            frequency_mhz: self.frequency_mhz(),
        };
        reading.cost_us = clock::thread_cpu_nanos().saturating_sub(began) as f64 / 1e3;
        (reading, done)
    }

    fn tcp(&self) -> Told<TcpCounts> {
        let snmp = self.text("net/snmp")?;
        self.told("net/netstat", |netstat| {
            Some(tcp::counts(netstat, &snmp)).filter(|counts| *counts != TcpCounts::default())
        })
    }

    /// The mean over the CPUs, of what the governor last saw.
    fn frequency_mhz(&self) -> Told<f64> {
        let mut sum = 0.0;
        for cpu in &self.cpus {
            let name = format!("devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
            let path = self.sys.join(name);
            let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
            let kilohertz: f64 = text.trim().parse().map_err(|_| silent(&path))?;
            sum += kilohertz / 1e3;
        }
        Ok(sum / self.cpus.len().max(1) as f64)
    }

    /// What a file of `/proc` tells.
    fn told<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Told<T> {
        parse(&self.text(name)?).ok_or_else(|| silent(&self.proc.join(name)))
    }

    fn text(&self, name: &str) -> Told<String> {
        let path = self.proc.join(name);
        fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("`{}` cannot be read: {error}", path.display())
}

fn silent(path: &Path) -> String {
    format!("`{}` does not tell it", path.display())
}

fn no_group() -> Told<Pressure> {
    Err("the server has no control group of its own".to_owned())
}

/// `ksoftirqd/N`, each by its CPU. None where they are hidden, as in a container.
fn network_threads() -> BTreeMap<usize, u32> {
    let of_kernel = processes::all().into_iter().filter(|process| process.parent == 2);
    of_kernel
        .filter_map(|it| Some((it.name.strip_prefix("ksoftirqd/")?.parse().ok()?, it.pid)))
        .collect()
}

/// What lies between the readings when the window opened and when it closed, and what went before, if that was read; and
/// why figures are absent, by their names on disk.
pub fn between(
    before: Option<&Reading>,
    (opened, closed): (&Reading, &Reading),
    seats: &Seats,
) -> (HostUse, BTreeMap<String, String>) {
    let mut absent = BTreeMap::new();
    let mut note = |name: &str, reason: String| absent.insert(format!("host.{name}"), reason);
    let [server, generator, all] = cpu_times((opened, closed), seats).map_or_else(
        |reason| {
            note("cpus", reason);
            [None, None, None]
        },
        |found| found.map(Some),
    );
    let shared = !seats.server.is_disjoint(&seats.generator);
    let everywhere: BTreeSet<usize> = seats.server.union(&seats.generator).copied().collect();
    for (name, times, cpus, holds_server) in [
        ("server_cpus", &server, &seats.server, true),
        ("generator_cpus", &generator, &seats.generator, shared),
        ("all_cpus", &all, &everywhere, true),
    ] {
        let of_server = if holds_server { seats.server_us.clone() } else { Ok(0) };
        let is_unknown = times.as_ref().is_some_and(|times| times.others_us.is_none());
        if let (true, Err(reason)) = (is_unknown, of_server.and(seats.services_us(cpus))) {
            note(&format!("{name}.others_us"), reason);
        }
    }
    let pressure = |of: fn(&Reading) -> &Told<Pressure>| -> Told<Pressure> {
        Ok(of(closed).clone()?.since(of(opened).clone()?))
    };
    let tcp = |later: &Reading, earlier: &Reading| -> Told<TcpCounts> {
        Ok(later.tcp.clone()?.since(earlier.tcp.clone()?))
    };
    let frequency =
        || Ok(f64::midpoint(opened.frequency_mhz.clone()?, closed.frequency_mhz.clone()?));
    let observer = closed.ours.observer_since(&opened.ours, &seats.load_threads);
    let host = HostUse {
        seconds: closed.at.since(opened.at).as_secs_f64(),
        reading_us: opened.cost_us.max(closed.cost_us),
        ours_us: Some(closed.ours.since(&opened.ours)),
        observer_us: observer.map_err(|it| note("observer_us", it)).ok(),
        server_cpus: server,
        generator_cpus: generator,
        all_cpus: all,
        frequency_mhz: frequency().map_err(|it: String| note("frequency_mhz", it)).ok(),
        pressure: pressure(|it| &it.pressure).map_err(|it| note("pressure", it)).ok(),
        server_pressure: pressure(|it| &it.group_pressure)
            .map_err(|it| note("server_pressure", it))
            .ok(),
        throttling: longest(opened, closed),
        server_throttling: throttled(opened.group_throttling, closed.group_throttling),
        tcp: tcp(closed, opened).map_err(|reason| note("tcp", reason)).ok(),
        tcp_warm_up: before.and_then(|before| tcp(opened, before).ok()),
        time_wait_begin: opened.time_wait.clone().ok(),
        time_wait_end: closed.time_wait.clone().map_err(|it| note("time_wait_end", it)).ok(),
    };
    if host.throttling.is_none() {
        note("throttling", "no control group of ours counts it".to_owned());
    }
    (host, absent)
}

/// What the server's CPUs did, the generator's, and all. Where both may run on one CPU, nobody can tell which of them used
/// it, so then both are taken together.
fn cpu_times((opened, closed): (&Reading, &Reading), seats: &Seats) -> Told<[CpuTimes; 3]> {
    let ends = (opened.cpus.as_ref()?, closed.cpus.as_ref()?);
    let elapsed_us = u64::try_from(closed.at.since(opened.at).as_micros()).unwrap_or(u64::MAX);
    let ours_us = closed.ours.since(&opened.ours);
    let server_us = seats.server_us.as_ref().ok().copied();
    let network_us = |cpus: &BTreeSet<usize>| -> u64 {
        let of =
            |cpu| Some(closed.network_us.get(cpu)?.saturating_sub(*opened.network_us.get(cpu)?));
        cpus.iter().filter_map(of).sum()
    };
    let used = |cpus: &BTreeSet<usize>, known_us: Option<u64>| {
        let known_us = known_us.zip(seats.services_us(cpus).ok());
        let known_us = known_us.map(|(known, services)| known + services + network_us(cpus));
        let used = cpus::used(ends, cpus, elapsed_us, known_us);
        used.ok_or_else(|| "a CPU was not there at both ends of the window".to_owned())
    };
    let all_us = server_us.map(|server| server + ours_us);
    let all: BTreeSet<usize> = ends.1.keys().copied().collect();
    let all = used(&all, all_us)?;
    if seats.server.is_disjoint(&seats.generator) {
        return Ok([used(&seats.server, server_us)?, used(&seats.generator, Some(ours_us))?, all]);
    }
    let both = used(&seats.server.union(&seats.generator).copied().collect(), all_us)?;
    Ok([both.clone(), both, all])
}

/// Of the groups around us the one whose quota withheld the most.
fn longest(opened: &Reading, closed: &Reading) -> Option<Throttling> {
    let both = opened.throttling.iter().zip(&closed.throttling);
    both.filter_map(|(then, now)| throttled(*then, *now)).max_by_key(|it| it.throttled_us)
}

fn throttled(then: Option<Throttling>, now: Option<Throttling>) -> Option<Throttling> {
    Some(now?.since(then?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(folder: &Path) -> Watch {
        Watch {
            proc: folder.to_owned(),
            sys: folder.to_owned(),
            keepers: Vec::new(),
            group: None,
            quotas: vec![folder.join("group")],
            cpus: vec![0],
            network_threads: BTreeMap::new(),
        }
    }

    fn seats(server: &[usize], generator: &[usize], server_us: Result<u64, String>) -> Seats {
        let set = |cpus: &[usize]| cpus.iter().copied().collect();
        Seats {
            server: set(server),
            generator: set(generator),
            server_us,
            load_threads: BTreeSet::new(),
            services: Vec::new(),
        }
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_figures_but_reasons() {
        let nothing = tempfile::tempdir().expect("folder");
        let watch = watch(nothing.path());
        let [before, opened, closed] = [(); 3].map(|()| watch.read(|| ()).0);
        let (host, absent) = between(Some(&before), (&opened, &closed), &seats(&[0], &[1], Ok(0)));
        assert!(host.ours_us.is_some() && host.observer_us.is_some(), "{host:?}");
        let bare = HostUse {
            seconds: host.seconds,
            reading_us: host.reading_us,
            ours_us: host.ours_us,
            observer_us: host.observer_us,
            ..HostUse::default()
        };
        assert_eq!(host, bare);
        for (name, reason) in [
            ("cpus", "stat` cannot be read"),
            ("pressure", "pressure/cpu` cannot be read"),
            ("server_pressure", "no control group"),
            ("throttling", "no control group"),
            ("frequency_mhz", "scaling_cur_freq` cannot be read"),
            ("tcp", "net/snmp` cannot be read"),
            ("time_wait_end", "net/sockstat` cannot be read"),
        ] {
            assert!(absent[&format!("host.{name}")].contains(reason), "{name}: {absent:?}");
        }
    }

    /// A machine in a folder, at a moment when everything has been counted so far.
    fn machine(folder: &Path, count: u64) -> Reading {
        for (name, text) in [
            ("stat", format!("cpu  1 1 1 1\ncpu0 9 0 9 {count} 0 0 0 {count}\n")),
            ("net/netstat", format!("TcpExt: ListenDrops\nTcpExt: {count}\n")),
            ("net/snmp", format!("Tcp: RetransSegs\nTcp: {count}\n")),
            ("net/sockstat", format!("TCP: inuse 1 orphan 0 tw {count} alloc 1 mem 1\n")),
            ("pressure/cpu", format!("some avg10=0.00 total={count}\n")),
            (
                "group/cpu.stat",
                format!("nr_periods 99\nnr_throttled {count}\nthrottled_usec {count}\n"),
            ),
            ("devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", format!("{count}000\n")),
        ] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("written");
        }
        watch(folder).read(|| ()).0
    }

    #[test]
    fn counts_are_those_of_the_interval() {
        let folder = tempfile::tempdir().expect("folder");
        let [before, opened, closed] = [100, 103, 110].map(|count| machine(folder.path(), count));
        let both = seats(&[0], &[0], Ok(0));
        let (host, absent) = between(Some(&before), (&opened, &closed), &both);
        let drops = |counts: Option<TcpCounts>| counts.and_then(|it| it.listen_drops);
        assert_eq!((drops(host.tcp_warm_up), drops(host.tcp)), (Some(3), Some(7)));
        assert_eq!((host.time_wait_begin, host.time_wait_end), (Some(103), Some(110)));
        assert_eq!(host.pressure.and_then(|it| it.cpu_some_us), Some(7));
        let expected = Throttling { periods: 0, throttled_periods: 7, throttled_us: 7 };
        assert_eq!(host.throttling, Some(expected));
        assert!(host.frequency_mhz.is_some_and(|mean| (mean - 106.5).abs() < 1e-9), "{host:?}");
        assert_eq!(host.server_cpus.as_ref().map(|cpus| cpus.steal_us), Some(70_000));
        assert_eq!(absent.keys().collect::<Vec<_>>(), ["host.server_pressure"]);
    }

    #[test]
    fn cpus_that_both_may_use_are_taken_together() {
        let watch = Watch::new(Vec::new(), None, &[]);
        let ends = (&watch.read(|| ()).0, &watch.read(|| ()).0);
        let unknown = || Err("the process that answers is not ours".to_owned());
        let (host, absent) = between(None, ends, &seats(&[0], &[0], unknown()));
        assert_eq!(host.server_cpus, host.generator_cpus);
        assert_eq!(host.server_cpus.and_then(|cpus| cpus.others_us), None);
        assert!(absent["host.server_cpus.others_us"].contains("not ours"), "{absent:?}");
        let (host, absent) = between(None, ends, &seats(&[0], &[4096], Ok(0)));
        assert_eq!(host.server_cpus, None);
        assert!(absent["host.cpus"].contains("not there"), "{absent:?}");
    }

    #[test]
    fn this_machine_can_be_read() {
        let watch = Watch::new(Vec::new(), None, &[0]);
        let ends = (&watch.read(|| ()).0, &watch.read(|| ()).0);
        let (host, _) = between(None, ends, &seats(&[0], &[0], Ok(0)));
        assert!(host.seconds > 0.0 && host.reading_us > 0.0, "{host:?}");
        assert!(host.tcp.is_some_and(|tcp| tcp.listen_drops.is_some()), "{host:?}");
        assert_eq!(host.server_cpus.map(|cpus| cpus.cpus), Some("0".to_owned()));
    }
}
