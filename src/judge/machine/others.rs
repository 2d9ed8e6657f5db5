//! Who else uses the CPUs: other programs, and the hypervisor.

use super::{Verdict, advice, blurs, fine, none_here, note, percent, spoils, unknown};
use crate::record::host::CpuTimes;
use crate::record::machine::{Busy, Examined, Now};

/// Of the processes that use a CPU so many are named.
const MOST: usize = 5;
/// From this share of the CPUs on it matters, as for `noisy-host`.
const SHARE: f64 = 0.02;
/// From this share on no interval over rounds makes up for it.
const MUCH: f64 = 0.10;
/// Counts go in steps of 10 ms, one at each end; on several CPUs chance grows with the root of their number.
const CHANCE_US: f64 = 20_000.0;
/// What one process uses of a CPU from which on it is named although it does not matter on so many.
const NAMED: f64 = 0.1;
/// Some work that stood still for such a share of a minute did so more than now and then.
const STALLED: f64 = 0.05;

pub(super) fn programs(examined: &Examined) -> Vec<Verdict> {
    let now = &examined.machine.now;
    let cpus = match &now.cpus {
        Ok(cpus) => cpus,
        Err(reason) => return unknown(reason),
    };
    let Some(others_us) = cpus.others_us else {
        return unknown("what others used cannot be told from what we did");
    };
    let share = share(cpus, others_us, now.seconds);
    let named = names(now, others_us);
    let found = format!("others use {} of CPUs {}{named}", percent(share), cpus.cpus);
    let remedy = || advice("end them or wait until they are done, and look again");
    if share > MUCH {
        spoils(found, remedy())
    } else if share > SHARE {
        blurs(found, remedy())
    } else if now.busy.iter().any(|busy| busy.cpus >= NAMED) {
        note(found, remedy())
    } else {
        fine(format!("others use {} of CPUs {}", percent(share), cpus.cpus))
    }
}

/// Whether others kept the CPUs of server and generator so busy that nothing else can be told of these; nobody knows where
/// what they used is not known.
pub(super) fn are_busy(examined: &Examined) -> bool {
    let now = &examined.machine.now;
    let others_us = now.cpus.as_ref().ok().and_then(|cpus| Some((cpus, cpus.others_us?)));
    others_us.is_none_or(|(cpus, us)| share(cpus, us, now.seconds) > SHARE)
}

/// A share of the time of some CPUs; zero if it may be chance.
fn share(cpus: &CpuTimes, us: u64, seconds: f64) -> f64 {
    let count = cpus.count().max(1) as f64;
    if us as f64 <= CHANCE_US * count.sqrt() || seconds <= 0.0 {
        return 0.0;
    }
    us as f64 / (seconds * 1e6 * count)
}

/// Who they are, as far as they are still there, each with what it uses of one CPU.
fn names(now: &Now, others_us: u64) -> String {
    let busy: Vec<&Busy> = now.busy.iter().filter(|busy| busy.cpus >= 0.01).collect();
    let mut names: Vec<String> = busy
        .iter()
        .take(MOST)
        .map(|busy| format!("pid {} (`{}`) {}", busy.pid, busy.command, percent(busy.cpus)))
        .collect();
    let more: f64 = busy.iter().skip(MOST).map(|busy| busy.cpus).sum();
    if busy.len() > MOST {
        names.push(format!("{} more {}", busy.len() - MOST, percent(more)));
    }
    let known: f64 = now.busy.iter().map(|busy| busy.cpus).sum();
    let rest = others_us as f64 / 1e6 / now.seconds.max(1e-9) - known;
    if rest > NAMED {
        names.push(format!("others that came and went or are hidden {}", percent(rest)));
    }
    if names.is_empty() {
        String::new()
    } else {
        format!("; in shares of one CPU: {}", names.join(", "))
    }
}

pub(super) fn steal(examined: &Examined) -> Vec<Verdict> {
    let now = &examined.machine.now;
    let cpus = match &now.cpus {
        Ok(cpus) => cpus,
        Err(reason) => return unknown(reason),
    };
    let share = share(cpus, cpus.steal_us, now.seconds);
    let found = format!("the hypervisor took {} of CPUs {}", percent(share), cpus.cpus);
    let remedy = || {
        none_here(
            "measure at another hour, on a dedicated host, or on a machine of its own; take more rounds",
        )
    };
    if share > SHARE {
        spoils(found, remedy())
    } else if share > 0.0 {
        blurs(found, remedy())
    } else if examined.machine.facts.virtualisation.is_some() && !now.has_told_steal {
        unknown("this hypervisor has told of none since the machine started, and may never tell")
    } else {
        fine("none in a second")
    }
}

pub(super) fn niceness(examined: &Examined) -> Vec<Verdict> {
    match &examined.machine.niceness {
        Err(reason) => unknown(reason),
        Ok(nice) if *nice > 0 => blurs(
            format!("we run with niceness {nice}, and so will servers and generator"),
            advice("start without `nice`, or from a shell that was not started with it"),
        ),
        Ok(nice) => fine(format!("{nice}")),
    }
}

pub(super) fn lately(examined: &Examined) -> Vec<Verdict> {
    let stalled = match &examined.machine.now.stalled {
        Ok(stalled) => stalled,
        Err(reason) => return by_load(examined, reason),
    };
    let kinds = [
        ("a CPU", stalled.cpu, STALLED),
        ("memory", stalled.memory, STALLED / 5.0),
        ("a disk", stalled.io, STALLED),
    ];
    let words: Vec<String> = kinds
        .iter()
        .filter(|(_, share, limit)| share.is_some_and(|share| share > *limit))
        .map(|(what, share, _)| format!("for {what} {}", percent(share.unwrap_or(0.0))))
        .collect();
    if words.is_empty() {
        return fine("hardly any work stood still in the last minute");
    }
    let found = format!("work stood still in the last minute: {} of it", words.join(", "));
    blurs(
        found,
        advice("unless that was a run of ours, find out what comes and goes (`top`), and end it"),
    )
}

/// Where the kernel does not tell its pressure, its load average has to do.
fn by_load(examined: &Examined, reason: &str) -> Vec<Verdict> {
    let facts = &examined.machine.facts;
    let (Some(load), Some(cpus)) = (facts.load_average.first(), facts.cpus) else {
        return unknown(reason);
    };
    let found = format!("a load average of {load:.2} over the last minute, on {cpus} CPUs");
    if *load > cpus as f64 * MUCH {
        blurs(
            found,
            advice(
                "unless that was a run of ours, find out what comes and goes (`top`), and end it",
            ),
        )
    } else {
        fine(found)
    }
}

pub(super) fn virtual_machine(examined: &Examined) -> Vec<Verdict> {
    let facts = &examined.machine.facts;
    match facts.virtualisation.as_deref() {
        Some(on) => blurs(
            format!("this is a virtual machine, on {on}"),
            none_here(
                "compare rows of one run alone, take more rounds, and confirm what matters on a machine of its own",
            ),
        ),
        None if facts.architecture.starts_with("x86") => fine("the processor tells of none"),
        None => unknown("only x86 processors tell it, and this is none"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{self, Blurs, Note, Spoils};
    use crate::record::machine::Stalled;

    /// A second of four CPUs.
    fn second(others_us: u64, steal_us: u64) -> Examined {
        let mut examined = sound();
        let times = CpuTimes {
            cpus: "0-3".to_owned(),
            others_us: Some(others_us),
            steal_us,
            ..CpuTimes::default()
        };
        examined.machine.now.cpus = Ok(times);
        examined
    }

    fn severity(verdicts: &[Verdict]) -> Option<Severity> {
        found(verdicts).map(|found| found.0)
    }

    #[test]
    fn other_programs_matter_by_their_share_of_the_cpus() {
        for (others_us, expected) in [
            (0, None),
            (80_000, None),
            (84_000, Some(Blurs)),
            (400_000, Some(Blurs)),
            (401_000, Some(Spoils)),
        ] {
            assert_eq!(severity(&programs(&second(others_us, 0))), expected, "{others_us}");
        }
    }

    #[test]
    fn the_busiest_are_named_and_what_cannot_be_named_is_told() {
        let mut examined = second(900_000, 0);
        let busy = |pid, command: &str, cpus| Busy { pid, command: command.to_owned(), cpus };
        examined.machine.now.busy =
            vec![busy(12, "make -j4", 0.5), busy(13, "top", 0.012), busy(14, "idle", 0.009)];
        let (_, words) = found(&programs(&examined)).expect("found");
        for part in [
            "22 % of CPUs 0-3",
            "pid 12 (`make -j4`) 50 %",
            "pid 13 (`top`) 1.2 %",
            "others that came and went or are hidden 38 %",
        ] {
            assert!(words.contains(part), "no `{part}` in {words}");
        }
        assert!(!words.contains("idle"), "{words}");
        // On so many CPUs it does not matter, and yet somebody is at work.
        let mut examined = second(79_000, 0);
        examined.machine.now.busy = vec![busy(12, "make", 0.1)];
        assert_eq!(severity(&programs(&examined)), Some(Note));
    }

    #[test]
    fn steal_beyond_chance_blurs_and_beyond_two_per_cent_spoils() {
        for (steal_us, expected) in [
            (0, None),
            (40_000, None),
            (41_000, Some(Blurs)),
            (80_000, Some(Blurs)),
            (84_000, Some(Spoils)),
        ] {
            assert_eq!(severity(&steal(&second(0, steal_us))), expected, "{steal_us}");
        }
    }

    #[test]
    fn a_hypervisor_that_has_never_told_of_steal_is_not_taken_at_its_word() {
        let mut examined = second(0, 0);
        examined.machine.facts.virtualisation = Some("QEMU".to_owned());
        assert!(matches!(&steal(&examined)[..], [Verdict::Unknown(_)]));
        examined.machine.now.has_told_steal = true;
        assert!(matches!(&steal(&examined)[..], [Verdict::Fine(_)]));
    }

    #[test]
    fn standing_back_behind_others_blurs() {
        for (nice, expected) in [(0, None), (-5, None), (1, Some(Blurs))] {
            let mut examined = sound();
            examined.machine.niceness = Ok(nice);
            assert_eq!(severity(&niceness(&examined)), expected, "{nice}");
        }
    }

    #[test]
    fn what_stood_still_lately_blurs_and_a_load_average_stands_in_for_it() {
        let check = |cpu, memory, io| {
            let mut examined = sound();
            examined.machine.now.stalled = Ok(Stalled { cpu, memory, io });
            found(&lately(&examined))
        };
        assert_eq!(check(Some(0.05), Some(0.01), Some(0.05)), None);
        let (severity, words) = check(Some(0.06), None, Some(0.3)).expect("found");
        assert_eq!(
            (severity, words.contains("a CPU 6.0 %, for a disk 30 %")),
            (Blurs, true),
            "{words}"
        );
        assert!(check(None, Some(0.011), None).is_some());
        let mut examined = sound();
        examined.machine.now.stalled = Err("`/proc/pressure/cpu` cannot be read".to_owned());
        examined.machine.facts.load_average = vec![0.41, 3.0, 3.0];
        assert!(found(&lately(&examined)).is_some());
        examined.machine.facts.load_average = vec![0.39, 3.0, 3.0];
        assert_eq!(found(&lately(&examined)), None);
        examined.machine.facts.load_average.clear();
        assert!(matches!(&lately(&examined)[..], [Verdict::Unknown(_)]));
    }

    #[test]
    fn a_virtual_machine_is_told_with_what_it_runs_on() {
        let mut examined = sound();
        assert_eq!(found(&virtual_machine(&examined)), None);
        examined.machine.facts.virtualisation = Some("QEMU".to_owned());
        let (severity, words) = found(&virtual_machine(&examined)).expect("found");
        assert!(severity == Blurs && words.contains("QEMU"), "{words}");
    }
}
