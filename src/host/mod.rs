//! The machine: its facts, what else it does in a window, the CPUs that we may use, and who gets which.
//!
//! All of it comes from sysinfo, the kernel's folders and our own affinity; the split is pure.

mod cpus;
mod facts;
mod groups;
mod ours;
mod pace;
mod pressure;
pub mod quiet;
mod sample;
pub mod seats;
pub mod survey;
mod tcp;
pub mod window;

use std::collections::BTreeSet;
use std::fs;

use crate::affinity::{self, write_list};
use crate::matrix::{CpuChoice, CpuPolicy};

pub use facts::facts;

/// The CPUs that we may use, by physical core.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// The CPUs of each core, ascending; only those in our affinity mask.
    pub cores: Vec<Vec<usize>>,
    /// CPU time that our control group may use, in CPUs.
    pub quota: Option<f64>,
}

impl Topology {
    /// Reads the affinity mask of this thread, the cores from sysfs, and the group's quota.
    ///
    /// # Errors
    /// When the kernel does not tell our affinity.
    pub fn read() -> std::io::Result<Self> {
        let mut cores: Vec<Vec<usize>> = Vec::new();
        for cpu in affinity::of_current_thread()? {
            // A CPU without a known core is taken for a core of its own.
            let siblings = siblings(cpu).unwrap_or_else(|| vec![cpu]);
            match cores.iter_mut().find(|core| siblings.contains(&core[0])) {
                Some(core) => core.push(cpu),
                None => cores.push(vec![cpu]),
            }
        }
        Ok(Self { cores, quota: groups::cpu_quota() })
    }

    /// Every CPU that we may use, ascending.
    pub fn allowed_cpus(&self) -> Vec<usize> {
        let mut cpus: Vec<usize> = self.cores.iter().flatten().copied().collect();
        cpus.sort_unstable();
        cpus
    }

    /// Whole cores, as many as the quota can keep busy; at least one CPU.
    fn usable_cores(&self) -> Vec<Vec<usize>> {
        let mut left = self.quota.map_or(f64::INFINITY, f64::ceil).max(1.0);
        let mut usable = Vec::new();
        for core in &self.cores {
            if left <= 0.0 {
                break;
            }
            let within =
                core.iter().copied().zip(1_u32..).take_while(|(_, n)| f64::from(*n) <= left);
            let within: Vec<usize> = within.map(|(cpu, _)| cpu).collect();
            left -= within.len() as f64;
            usable.push(within);
        }
        usable
    }
}

fn siblings(cpu: usize) -> Option<Vec<usize>> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    affinity::parse_list(&fs::read_to_string(path).ok()?)
}

/// Who runs where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The server's CPUs, ascending.
    pub server: Vec<usize>,
    /// The generator's, and of all else of ours.
    pub generator: Vec<usize>,
    /// Whether some CPU is in both.
    pub is_shared: bool,
    /// Whether they run on different CPUs of one core.
    pub is_core_shared: bool,
}

/// Divides the CPUs as `[cpus]` says. `auto` takes whole cores: half of them for the server, rounded up, or those that
/// the other side's list leaves.
///
/// # Errors
/// What is wrong with a list, naming the CPUs that we may use.
pub fn split(topology: &Topology, policy: &CpuPolicy) -> Result<Split, String> {
    split_unless(affinity::UNPINNABLE, topology, policy)
}

/// The same, unless no thread can be kept on a CPU here: then nobody can be given some, and the server may run on all, with
/// a thread of the generator for every other one.
fn split_unless(
    unpinnable: Option<&str>,
    topology: &Topology,
    policy: &CpuPolicy,
) -> Result<Split, String> {
    if let Some(reason) = unpinnable {
        let sides = [("server", &policy.server), ("generator", &policy.generator)];
        let named = sides.iter().find(|(_, choice)| matches!(choice, CpuChoice::List(_)));
        if let Some((side, _)) = named {
            return Err(format!("`[cpus] {side}` names CPUs, and {reason}"));
        }
        let (_, generator) = halves(topology);
        let server = topology.allowed_cpus();
        return Ok(Split { server, generator, is_shared: true, is_core_shared: false });
    }
    let server = fixed(topology, &policy.server, "server")?;
    let generator = fixed(topology, &policy.generator, "generator")?;
    let (server, generator) = match (server, generator) {
        (Some(server), Some(generator)) => (server, generator),
        (Some(server), None) => (server.clone(), rest(topology, server)),
        (None, Some(generator)) => (rest(topology, generator.clone()), generator),
        (None, None) => halves(topology),
    };
    let (of_server, of_generator): (BTreeSet<_>, BTreeSet<_>) =
        (server.iter().collect(), generator.iter().collect());
    let is_core_shared = topology.cores.iter().any(|core| {
        core.iter().any(|one| {
            of_server.contains(one)
                && core.iter().any(|other| other != one && of_generator.contains(other))
        })
    });
    let is_shared = !of_server.is_disjoint(&of_generator);
    Ok(Split { server, generator, is_shared, is_core_shared })
}

/// The CPUs of a side that does not leave them to us.
fn fixed(
    topology: &Topology,
    choice: &CpuChoice,
    side: &str,
) -> Result<Option<Vec<usize>>, String> {
    let allowed = topology.allowed_cpus();
    match choice {
        CpuChoice::Auto => Ok(None),
        CpuChoice::All => Ok(Some(allowed)),
        CpuChoice::List(cpus) if cpus.is_empty() => {
            Err(format!("`[cpus] {side}` names no CPU; allowed are {}", write_list(&allowed)))
        }
        CpuChoice::List(cpus) => match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
            Some(cpu) => Err(format!(
                "`[cpus] {side}` names CPU {cpu}; allowed are {}",
                write_list(&allowed)
            )),
            None => Ok(Some(cpus.clone())),
        },
    }
}

fn halves(topology: &Topology) -> (Vec<usize>, Vec<usize>) {
    let cores = topology.usable_cores();
    let flat = |cores: &[Vec<usize>]| {
        let mut cpus = cores.concat();
        cpus.sort_unstable();
        cpus
    };
    match cores.as_slice() {
        [only] if only.len() == 1 => (only.clone(), only.clone()),
        // One core of several threads is better shared by its threads than each thread by both.
        [only] => {
            let (server, generator) = only.split_at(only.len().div_ceil(2));
            (server.to_vec(), generator.to_vec())
        }
        cores => {
            let (server, generator) = cores.split_at(cores.len().div_ceil(2));
            (flat(server), flat(generator))
        }
    }
}

/// Cores that `taken` does not touch; else CPUs that are not in it; else its own.
fn rest(topology: &Topology, taken: Vec<usize>) -> Vec<usize> {
    let is_free = |cpu: &usize| !taken.contains(cpu);
    let whole = topology.cores.iter().filter(|core| core.iter().all(is_free));
    let mut cpus: Vec<usize> = whole.flatten().copied().collect();
    if cpus.is_empty() {
        cpus = topology.cores.iter().flatten().copied().filter(is_free).collect();
    }
    if cpus.is_empty() {
        return taken;
    }
    cpus.sort_unstable();
    cpus
}

#[cfg(test)]
mod tests {
    use CpuChoice::{All, Auto};

    use super::*;

    fn check(
        cores: &[&[usize]],
        quota: Option<f64>,
        (server, generator): (CpuChoice, CpuChoice),
        expected: &str,
    ) {
        let cores: Vec<Vec<usize>> = cores.iter().map(|core| core.to_vec()).collect();
        let topology = Topology { cores, quota };
        let text = match split(&topology, &CpuPolicy { server, generator }) {
            Ok(split) => format!(
                "{} | {}{}{}",
                write_list(&split.server),
                write_list(&split.generator),
                if split.is_shared { " shared" } else { "" },
                if split.is_core_shared { " core" } else { "" },
            ),
            Err(reason) => reason,
        };
        assert_eq!(text, expected, "{topology:?}");
    }

    #[test]
    fn auto_gives_the_server_half_of_the_cores_rounded_up() {
        let auto = || (Auto, Auto);
        check(&[&[0]], None, auto(), "0 | 0 shared");
        check(&[&[0, 1]], None, auto(), "0 | 1 core");
        check(&[&[0], &[1]], None, auto(), "0 | 1");
        check(&[&[0], &[1], &[2]], None, auto(), "0-1 | 2");
        check(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], None, auto(), "0-1,4-5 | 2-3,6-7");
        check(&[&[0], &[1], &[2], &[3]], Some(1.5), auto(), "0 | 1");
        check(&[&[0], &[1], &[2], &[3]], Some(0.5), auto(), "0 | 0 shared");
        check(&[&[0, 1], &[2, 3]], Some(3.0), auto(), "0-1 | 2");
    }

    #[test]
    fn a_list_leaves_the_rest_to_the_other_side() {
        let list = |cpus: &[usize]| CpuChoice::List(cpus.to_vec());
        let cores: &[&[usize]] = &[&[0, 2], &[1, 3]];
        check(cores, None, (list(&[0]), Auto), "0 | 1,3");
        check(cores, None, (Auto, list(&[0, 1])), "2-3 | 0-1 core");
        check(cores, None, (All, Auto), "0-3 | 0-3 shared core");
        check(cores, None, (list(&[0, 1]), list(&[1])), "0-1 | 1 shared");
        check(cores, None, (list(&[5]), Auto), "`[cpus] server` names CPU 5; allowed are 0-3");
        check(cores, None, (Auto, list(&[])), "`[cpus] generator` names no CPU; allowed are 0-3");
    }

    #[test]
    fn where_no_thread_can_be_kept_on_a_cpu_all_are_shared_and_none_can_be_named() {
        let topology = Topology { cores: (0..4).map(|cpu| vec![cpu]).collect(), quota: None };
        let split = |server, generator| {
            let policy = CpuPolicy { server, generator };
            split_unless(Some("this system keeps none"), &topology, &policy)
        };
        let shared = split(Auto, All).expect("a split");
        assert_eq!((shared.server, shared.generator), (vec![0, 1, 2, 3], vec![2, 3]));
        assert!(shared.is_shared && !shared.is_core_shared);
        let refused = split(Auto, CpuChoice::List(vec![1]));
        let expected = "`[cpus] generator` names CPUs, and this system keeps none";
        assert_eq!(refused, Err(expected.to_owned()));
    }

    #[test]
    fn this_machine_has_a_cpu() {
        let topology = Topology::read().expect("affinity");
        assert_eq!(topology.allowed_cpus(), affinity::of_current_thread().expect("affinity"));
    }
}
