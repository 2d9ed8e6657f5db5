//! What of a machine spoils measurements: one table of checks, each a pure function of what was found there.
//!
//! A check finds something, or nothing, or says why it cannot tell; it never takes what it could not read for fine. Checks
//! stand in the table by their weight, so that of findings that are as bad as each other the weightier comes first.

use crate::record::SCHEMA;
use crate::record::diagnosis::{Diagnosis, Finding, Fine, Remedy, Severity, Unknown};
use crate::record::machine::Examined;

mod cpus;
mod demand;
#[cfg(test)]
mod fixture;
mod kernel;
mod network;
mod others;
mod ours;
mod rates;
mod room;

/// One thing that is looked at.
struct Check {
    /// Its name, as in JSON.
    name: &'static str,
    /// Why what it finds matters.
    why: &'static str,
    /// What it says; nothing where it does not apply.
    judge: fn(&Examined) -> Vec<Verdict>,
}

/// What a check says.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    Fine(String),
    Found(Severity, String, Remedy),
    Unknown(String),
}

/// Loads of so many connections are looked for room for, where no matrix says how many there will be.
const USUAL_CONNECTIONS: u64 = 1000;

/// Every check, the weightiest first.
const CHECKS: [Check; 36] = [
    Check {
        name: "another-run",
        why: "two runs take each other's CPUs, and neither's figures hold",
        judge: ours::holder,
    },
    Check {
        name: "build",
        why: "the generator then takes several times the CPU time, and is the limit where it need not be",
        judge: ours::build,
    },
    Check {
        name: "cpus",
        why: "what the generator uses is taken from the server, or bounds what can be seen of it",
        judge: cpus::cpus,
    },
    Check {
        name: "cpu-quota",
        why: "once a quota is used up all CPUs are withheld until its period ends, from server and generator alike",
        judge: cpus::quota,
    },
    Check {
        name: "pinning",
        why: "server and generator cannot be kept apart then, and share CPUs as it happens",
        judge: cpus::pinning,
    },
    Check {
        name: "containment",
        why: "the server's CPU time is read from its control group; without one that of processes which ended is unknown",
        judge: ours::containment,
    },
    Check {
        name: "left-behind",
        why: "what an earlier run did not end may still use CPUs, memory and ports",
        judge: ours::left_over,
    },
    Check {
        name: "other-programs",
        why: "what they use is taken from whichever row is measured meanwhile",
        judge: others::programs,
    },
    Check {
        name: "niceness",
        why: "programs that stand back less go first, and the generator is late for reasons of its own",
        judge: others::niceness,
    },
    Check {
        name: "steal",
        why: "what the hypervisor takes is missing from a row, and no program here can hold on to it",
        judge: others::steal,
    },
    Check {
        name: "lately",
        why: "what comes and goes is not there in every second, and yet in some trials",
        judge: others::lately,
    },
    Check {
        name: "virtual-machine",
        why: "neighbours that nobody sees here share caches, memory and clock rate, and two CPUs here may be one core there",
        judge: others::virtual_machine,
    },
    Check {
        name: "one-core",
        why: "the generator then slows the server down, and a quick server, which keeps it busier, more than a slow one",
        judge: rates::one_core,
    },
    Check {
        name: "steadiness",
        why: "a server is as unsteady as the CPU that it runs on",
        judge: rates::steadiness,
    },
    Check {
        name: "power",
        why: "on battery clock rates are kept down, and change with its charge",
        judge: rates::power,
    },
    Check {
        name: "heat",
        why: "a CPU that is too hot is slowed down, and later rows suffer from earlier ones",
        judge: rates::heat,
    },
    Check {
        name: "governor",
        why: "a clock rate that follows the load makes a server that waits look slower than it is",
        judge: rates::governor,
    },
    Check {
        name: "turbo",
        why: "how far a clock rate rises depends on heat and on how many CPUs are busy, which differs from row to row",
        judge: rates::turbo,
    },
    Check {
        name: "clock-rates",
        why: "the same server is quicker on one CPU than on another, and threads change places",
        judge: rates::rates,
    },
    Check {
        name: "clock",
        why: "every request is timed, so a slow clock slows the generator and a coarse one blurs its times",
        judge: kernel::clock,
    },
    Check {
        name: "memory",
        why: "a server that is short of memory waits for disks",
        judge: room::memory,
    },
    Check {
        name: "swapping",
        why: "memory that was written to disk has to be waited for",
        judge: room::swapping,
    },
    Check {
        name: "tools",
        why: "targets whose tools are missing are skipped",
        judge: demand::tools,
    },
    Check {
        name: "fixed-ports",
        why: "a server that must have one port cannot start where somebody else has it",
        judge: demand::ports,
    },
    Check {
        name: "open-files",
        why: "each connection is an open file, of the generator and of the server",
        judge: room::open_files,
    },
    Check {
        name: "disk",
        why: "a run that cannot write ends, and what was measured up to then is all there is",
        judge: room::disk,
    },
    Check {
        name: "listen-queue",
        why: "connections that find no room in it are made a second later, or never",
        judge: network::listen_queue,
    },
    Check {
        name: "syn-queue",
        why: "without SYN cookies, connections beyond it are dropped and made a second later",
        judge: network::syn_queue,
    },
    Check {
        name: "packet-queue",
        why: "what is dropped there is sent again up to 200 ms later, which looks like a server that stalls",
        judge: network::packet_queue,
    },
    Check {
        name: "connection-tracking",
        why: "a firewall that knows every connection makes each dearer, and drops them once it knows too many",
        judge: network::tracking,
    },
    Check {
        name: "local-ports",
        why: "each connection needs a port of its own; without one it fails, which is the client's doing",
        judge: network::local_ports,
    },
    Check {
        name: "time-wait",
        why: "ports of connections that were closed lately are not to be had for a minute, unless they may be used again",
        judge: network::time_wait,
    },
    Check {
        name: "hidden-processes",
        why: "who else uses the CPUs, and who holds a port, can then be counted and not named",
        judge: kernel::hidden,
    },
    Check {
        name: "huge-pages",
        why: "memory figures then count what was given in large pieces, used or not",
        judge: kernel::huge_pages,
    },
    Check {
        name: "memory-nodes",
        why: "what goes from one node to another takes longer than within one",
        judge: cpus::nodes,
    },
    Check {
        name: "mitigations",
        why: "they make system calls slower, for all rows alike, and not on every machine",
        judge: kernel::mitigations,
    },
];

/// Judges a machine.
pub fn examine(examined: &Examined) -> Diagnosis {
    let mut diagnosis =
        Diagnosis { schema: SCHEMA, findings: Vec::new(), unknown: Vec::new(), fine: Vec::new() };
    for check in &CHECKS {
        let name = check.name;
        for verdict in (check.judge)(examined) {
            match verdict {
                Verdict::Fine(found) => diagnosis.fine.push(Fine { check: name, found }),
                Verdict::Unknown(reason) => diagnosis.unknown.push(Unknown { check: name, reason }),
                Verdict::Found(severity, found, remedy) => {
                    let why = check.why;
                    diagnosis.findings.push(Finding { check: name, severity, found, why, remedy });
                }
            }
        }
    }
    // Stable: those that are as bad stay in the order of the table.
    diagnosis.findings.sort_by_key(|finding| finding.severity);
    diagnosis
}

fn fine(found: impl Into<String>) -> Vec<Verdict> {
    vec![Verdict::Fine(found.into())]
}

fn unknown(reason: &str) -> Vec<Verdict> {
    vec![Verdict::Unknown(reason.to_owned())]
}

fn spoils(found: impl Into<String>, remedy: Remedy) -> Vec<Verdict> {
    vec![Verdict::Found(Severity::Spoils, found.into(), remedy)]
}

fn blurs(found: impl Into<String>, remedy: Remedy) -> Vec<Verdict> {
    vec![Verdict::Found(Severity::Blurs, found.into(), remedy)]
}

fn note(found: impl Into<String>, remedy: Remedy) -> Vec<Verdict> {
    vec![Verdict::Found(Severity::Note, found.into(), remedy)]
}

fn command(text: impl Into<String>) -> Remedy {
    Remedy::Command(text.into())
}

fn advice(text: impl Into<String>) -> Remedy {
    Remedy::Advice(text.into())
}

fn none_here(text: impl Into<String>) -> Remedy {
    Remedy::NoneHere(text.into())
}

/// A fact of the machine, or why it is absent.
fn told<'e, T: ?Sized>(
    examined: &'e Examined,
    name: &str,
    fact: Option<&'e T>,
) -> Result<&'e T, String> {
    let reason = || examined.machine.facts.absent.get(name).cloned();
    fact.ok_or_else(|| reason().unwrap_or_else(|| "the system does not tell it".to_owned()))
}

/// A setting of the kernel that is a number.
fn setting(examined: &Examined, name: &str) -> Result<u64, String> {
    let text = examined.machine.facts.sysctl.get(name).map(String::as_str);
    let text = told(examined, &format!("sysctl.{name}"), text)?;
    text.parse().map_err(|_| format!("`{name}` is `{text}`, which is no number"))
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_sound_machine_has_no_findings_and_nothing_is_unknown_of_it() {
        let diagnosis = examine(&fixture::sound());
        assert_eq!((&diagnosis.findings[..], &diagnosis.unknown[..]), (&[][..], &[][..]));
        let fine: BTreeSet<&str> = diagnosis.fine.iter().map(|fine| fine.check).collect();
        assert_eq!(fine.len(), CHECKS.len(), "{fine:?}");
    }

    #[test]
    fn of_a_machine_that_tells_nothing_nothing_is_fine_but_what_we_know_ourselves() {
        let diagnosis = examine(&fixture::silent());
        let fine: Vec<&str> = diagnosis.fine.iter().map(|fine| fine.check).collect();
        // These are known without asking anybody, or by trying.
        let known = ["build", "cpus", "left-behind", "clock", "open-files"];
        assert_eq!(fine, known, "{diagnosis:#?}");
        let spoils = diagnosis.findings.iter().map(|finding| finding.check);
        assert_eq!(spoils.collect::<Vec<_>>(), ["pinning", "containment"], "{diagnosis:#?}");
        assert!(diagnosis.unknown.iter().all(|unknown| !unknown.reason.is_empty()));
        let judged = fine.len() + diagnosis.findings.len() + diagnosis.unknown.len();
        // Without a matrix nobody asks for tools and ports.
        assert_eq!(judged, CHECKS.len() - 2, "{diagnosis:#?}");
    }

    #[test]
    fn the_worst_come_first_and_the_weightier_of_them() {
        let mut examined = fixture::sound();
        examined.machine.facts.transparent_huge_pages = Some("always".to_owned());
        examined.machine.facts.is_turbo_on = Some(true);
        examined.machine.facts.virtualisation = Some("KVM".to_owned());
        examined.machine.split.shared = true;
        let found = examine(&examined).findings;
        let found: Vec<_> = found.iter().map(|it| (it.severity, it.check)).collect();
        let expected = [
            (Severity::Spoils, "cpus"),
            (Severity::Blurs, "virtual-machine"),
            (Severity::Blurs, "turbo"),
            (Severity::Note, "huge-pages"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn checks_have_names_of_their_own() {
        let names: BTreeSet<&str> = CHECKS.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), CHECKS.len());
    }
}
