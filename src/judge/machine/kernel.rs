//! What the kernel is like: its clock, its pages, what it hides, and what it does against the processor's flaws.

use super::{Verdict, advice, blurs, command, fine, none_here, note, spoils, told, unknown};
use crate::record::machine::{Examined, Hidden};

/// A reading that asks the kernel takes longer than this; one that does not, a third of it.
const SLOW_NANOS: f64 = 200.0;
/// One that asks a device, such as `hpet` and `acpi_pm`, takes longer than this.
const VERY_SLOW_NANOS: f64 = 800.0;
/// Times are told in microseconds.
const COARSE_NANOS: u64 = 1000;

pub(super) fn clock(examined: &Examined) -> Vec<Verdict> {
    let clock = examined.machine.clock;
    let facts = &examined.machine.facts;
    let source = match told(examined, "clock_source", facts.clock_source.as_deref()) {
        Ok(source) => format!("`{source}`"),
        Err(_) => "a source that is not told".to_owned(),
    };
    let found = format!(
        "time is read from {source}, {:.0} ns a reading, in steps of {} ns",
        clock.reading_nanos, clock.resolution_nanos
    );
    let remedy = || {
        let folder = "/sys/devices/system/clocksource/clocksource0";
        command(format!(
            "cat {folder}/available_clocksource; echo tsc | sudo tee {folder}/current_clocksource"
        ))
    };
    if clock.reading_nanos > VERY_SLOW_NANOS || clock.resolution_nanos > COARSE_NANOS {
        spoils(found, remedy())
    } else if clock.reading_nanos > SLOW_NANOS {
        blurs(found, remedy())
    } else {
        fine(found)
    }
}

pub(super) fn huge_pages(examined: &Examined) -> Vec<Verdict> {
    let chosen = examined.machine.facts.transparent_huge_pages.as_deref();
    match told(examined, "transparent_huge_pages", chosen) {
        Err(reason) => unknown(&reason),
        Ok("always") => note(
            "all memory may be given in large pages (`always`)",
            command("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"),
        ),
        Ok(other) => fine(other),
    }
}

pub(super) fn hidden(examined: &Examined) -> Vec<Verdict> {
    match &examined.machine.hidden {
        Err(reason) => unknown(reason),
        Ok(None) => fine("none"),
        Ok(Some(Hidden::Mount(option))) => blurs(
            format!("`/proc` is mounted with `{option}`"),
            command("sudo mount -o remount,hidepid=0 /proc"),
        ),
        Ok(Some(Hidden::Namespace)) => note(
            "this is a container, and processes outside it are not shown",
            advice("run `orchestrate doctor` outside it too, where others can be named"),
        ),
    }
}

pub(super) fn mitigations(examined: &Examined) -> Vec<Verdict> {
    let flaws = match &examined.machine.flaws {
        Ok(flaws) => flaws,
        Err(reason) => return unknown(reason),
    };
    let that = |is: &dyn Fn(&str) -> bool| -> Vec<&str> {
        flaws.iter().filter(|(_, told)| is(told)).map(|(name, _)| name.as_str()).collect()
    };
    let mitigated = that(&|told| told.contains("Mitigation"));
    let open = that(&|told| told.starts_with("Vulnerable"));
    if mitigated.is_empty() && open.is_empty() {
        return fine("the processor has no flaw that needs any");
    }
    let mitigated =
        format!("{} of {} flaws of the processor are mitigated", mitigated.len(), flaws.len());
    let found = if open.is_empty() {
        mitigated
    } else {
        format!("{mitigated}, and it is open to {}", open.join(", "))
    };
    let remedy = none_here(
        "leave them as they are where the servers are to run; compare with no run of a machine that has others",
    );
    note(found, remedy)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{self, Blurs, Note, Spoils};

    fn severity(verdicts: &[Verdict]) -> Option<Severity> {
        found(verdicts).map(|found| found.0)
    }

    #[test]
    fn a_clock_is_judged_by_what_a_reading_takes_and_named() {
        for (nanos, resolution, expected) in [
            (25.0, 1, None),
            (200.0, 1, None),
            (201.0, 1, Some(Blurs)),
            (801.0, 1, Some(Spoils)),
            (25.0, 1000, None),
            (25.0, 4_000_000, Some(Spoils)),
        ] {
            let mut examined = sound();
            examined.machine.facts.clock_source = Some("hpet".to_owned());
            examined.machine.clock.reading_nanos = nanos;
            examined.machine.clock.resolution_nanos = resolution;
            let verdicts = clock(&examined);
            assert_eq!(severity(&verdicts), expected, "{nanos} {resolution}");
            assert!(format!("{verdicts:?}").contains("`hpet`"));
        }
    }

    #[test]
    fn pages_that_are_always_large_are_told() {
        for (chosen, expected) in [("always", Some(Note)), ("madvise", None), ("never", None)] {
            let mut examined = sound();
            examined.machine.facts.transparent_huge_pages = Some(chosen.to_owned());
            assert_eq!(severity(&huge_pages(&examined)), expected, "{chosen}");
        }
    }

    #[test]
    fn hidden_processes_blur_and_a_container_is_told() {
        for (what, expected) in [
            (None, None),
            (Some(Hidden::Mount("hidepid=2".to_owned())), Some(Blurs)),
            (Some(Hidden::Namespace), Some(Note)),
        ] {
            let mut examined = sound();
            examined.machine.hidden = Ok(what);
            assert_eq!(severity(&hidden(&examined)), expected);
        }
    }

    #[test]
    fn mitigations_are_counted_and_what_is_open_is_named() {
        let check = |told: &[(&str, &str)]| {
            let mut examined = sound();
            let flaws = told.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            examined.machine.flaws = Ok(flaws.collect::<BTreeMap<_, _>>());
            found(&mitigations(&examined))
        };
        assert_eq!(check(&[("l1tf", "Not affected"), ("mds", "Unknown: in a guest")]), None);
        let (severity, words) = check(&[
            ("l1tf", "Mitigation: PTE Inversion"),
            ("mds", "Vulnerable: no microcode"),
            ("tsa", "Not affected"),
        ])
        .expect("found");
        assert_eq!(severity, Note);
        assert_eq!(words, "1 of 3 flaws of the processor are mitigated, and it is open to mds");
    }
}
