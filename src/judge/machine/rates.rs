//! Clock rates: who chooses them, how far they may rise, and what pulls them down.

use super::others;
use super::{
    Verdict, advice, blurs, command, fine, none_here, note, percent, spoils, told, unknown,
};
use crate::record::machine::{ClockRates, Examined, Power};

/// Siblings of one core slow each other down by more than this, busy cores of one processor by less.
const SIBLINGS: f64 = 1.2;
/// Those that share clock rates and caches slow each other down by more than this.
const NEIGHBOURS: f64 = 1.05;
/// From this share on the same work is not the same.
const UNSTEADY: f64 = 0.05;
/// Rates closer together than this are one rate.
const ALIKE: f64 = 0.05;

/// What is unknown, and where it may be known.
fn of_host(examined: &Examined, reason: &str) -> Vec<Verdict> {
    match examined.machine.facts.virtualisation {
        Some(_) => unknown(&format!("{reason}; on a virtual machine its host may know")),
        None => unknown(reason),
    }
}

pub(super) fn governor(examined: &Examined) -> Vec<Verdict> {
    let governor = examined.machine.facts.frequency_governor.as_deref();
    match told(examined, "frequency_governor", governor) {
        Err(reason) => of_host(examined, &reason),
        Ok("performance") => fine("performance"),
        Ok(other) => blurs(
            format!("the clock rate is chosen by `{other}`"),
            command("sudo cpupower frequency-set --governor performance"),
        ),
    }
}

pub(super) fn turbo(examined: &Examined) -> Vec<Verdict> {
    match told(examined, "is_turbo_on", examined.machine.facts.is_turbo_on.as_ref()) {
        Err(reason) => of_host(examined, &reason),
        Ok(false) => fine("off"),
        Ok(true) => blurs(
            "CPUs may run above their nominal clock rate",
            command(
                "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo || echo 0 | sudo tee \
                 /sys/devices/system/cpu/cpufreq/boost",
            ),
        ),
    }
}

pub(super) fn rates(examined: &Examined) -> Vec<Verdict> {
    let rates = match &examined.machine.rates {
        Ok(rates) => rates,
        Err(reason) => return of_host(examined, reason),
    };
    let by = |of: fn(&ClockRates) -> f64| {
        let rates = || rates.iter().map(of);
        (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max))
    };
    let (slowest, quickest) = by(|rates| rates.max_mhz);
    if slowest < quickest * (1.0 - ALIKE) {
        return blurs(
            format!("CPUs are of different kinds: made for {slowest:.0} to {quickest:.0} MHz"),
            advice(
                "name CPUs of one kind in `[cpus]` (`lscpu --extended` tells which are), at least for the server",
            ),
        );
    }
    let (lowest, _) = by(|rates| rates.allowed_mhz);
    if lowest < slowest * (1.0 - ALIKE) {
        return note(
            format!(
                "the clock rate is held at {lowest:.0} MHz, of {slowest:.0} that a CPU is made for"
            ),
            advice(
                "leave it if that is to keep it steady; else `sudo cpupower frequency-set --max` with the higher",
            ),
        );
    }
    fine(format!("{quickest:.0} MHz on all"))
}

pub(super) fn one_core(examined: &Examined) -> Vec<Verdict> {
    let beside = match &examined.machine.pace {
        Ok(pace) => pace.beside,
        Err(reason) => return unknown(reason),
    };
    let found = format!(
        "work on the server's CPU takes {beside:.2} times as long while the generator's is busy"
    );
    let remedy = || {
        none_here(
            "name CPUs in `[cpus]` that leave each other alone, or measure on a machine with two cores of its own; here \
             compare rows of one table alone",
        )
    };
    if beside > SIBLINGS {
        blurs(format!("{found}, as on siblings of one core, whatever is told of cores"), remedy())
    } else if others::are_busy(examined) {
        unknown("others kept these CPUs busy, so that the server's was not seen alone")
    } else if beside > NEIGHBOURS {
        note(found, remedy())
    } else {
        fine(found)
    }
}

pub(super) fn steadiness(examined: &Examined) -> Vec<Verdict> {
    let spread = match &examined.machine.pace {
        Ok(pace) => pace.spread,
        Err(reason) => return unknown(reason),
    };
    let found = format!(
        "the same work takes up to {} more CPU time from one moment to the next, nine times in ten",
        percent(spread)
    );
    if spread > UNSTEADY {
        blurs(
            found,
            advice(
                "end other programs and see to the governor and turbo; on a virtual machine take more rounds",
            ),
        )
    } else {
        fine(found)
    }
}

pub(super) fn heat(examined: &Examined) -> Vec<Verdict> {
    let remedy = || advice("let it cool down, see to its fans, turn turbo off, and measure again");
    match &examined.machine.now.heat {
        Err(reason) => of_host(examined, reason),
        Ok((total, 0)) if *total == 0 => fine("no CPU has been slowed down by heat"),
        Ok((total, 0)) => note(
            format!(
                "CPUs were slowed down by heat {total} times since the machine started, and not just now"
            ),
            remedy(),
        ),
        Ok((_, now)) => spoils(
            format!("CPUs were slowed down by heat {now} times within a second, unloaded"),
            remedy(),
        ),
    }
}

pub(super) fn power(examined: &Examined) -> Vec<Verdict> {
    match &examined.machine.power {
        Err(reason) => unknown(reason),
        Ok(Power::Mains) => fine("no battery is told of"),
        Ok(Power::PluggedIn) => fine("the battery is not used"),
        Ok(Power::Battery) => spoils("it runs on its battery", advice("plug it in")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{self, Blurs, Note, Spoils};
    use crate::record::machine::Pace;

    fn severity(verdicts: &[Verdict]) -> Option<Severity> {
        found(verdicts).map(|found| found.0)
    }

    #[test]
    fn any_governor_but_performance_blurs_and_so_does_turbo() {
        for (name, expected) in [
            ("performance", None),
            ("powersave", Some(Blurs)),
            ("schedutil", Some(Blurs)),
            ("performance, powersave", Some(Blurs)),
        ] {
            let mut examined = sound();
            examined.machine.facts.frequency_governor = Some(name.to_owned());
            assert_eq!(severity(&governor(&examined)), expected, "{name}");
        }
        let mut examined = sound();
        assert_eq!(severity(&turbo(&examined)), None);
        examined.machine.facts.is_turbo_on = Some(true);
        assert_eq!(severity(&turbo(&examined)), Some(Blurs));
    }

    #[test]
    fn cpus_of_two_kinds_blur_and_a_rate_that_is_held_down_is_told() {
        let check = |all: &[(f64, f64)]| {
            let mut examined = sound();
            let rates = all.iter().zip(0..).map(|((max_mhz, allowed_mhz), cpu)| ClockRates {
                cpu,
                max_mhz: *max_mhz,
                allowed_mhz: *allowed_mhz,
            });
            examined.machine.rates = Ok(rates.collect());
            severity(&super::rates(&examined))
        };
        assert_eq!(check(&[(3500.0, 3500.0), (3400.0, 3400.0)]), None);
        assert_eq!(check(&[(3500.0, 3500.0), (2800.0, 2800.0)]), Some(Blurs));
        assert_eq!(check(&[(3500.0, 2000.0), (3500.0, 3500.0)]), Some(Note));
    }

    #[test]
    fn cpus_that_slow_each_other_down_blur_as_siblings_and_are_told_as_neighbours() {
        for (beside, expected) in
            [(0.99, None), (1.05, None), (1.06, Some(Note)), (1.2, Some(Note)), (1.21, Some(Blurs))]
        {
            let mut examined = sound();
            examined.machine.pace = Ok(Pace { spread: 0.0, beside });
            assert_eq!(severity(&one_core(&examined)), expected, "{beside}");
        }
    }

    #[test]
    fn where_others_kept_the_cpus_busy_no_ratio_says_that_they_are_apart() {
        for (others_us, beside, is_unknown) in [
            (400_000, 1.0, true),
            (400_000, 1.1, true),
            (400_000, 1.3, false),
            (80_000, 1.0, false),
        ] {
            let mut examined = sound();
            examined.machine.pace = Ok(Pace { spread: 0.0, beside });
            let cpus = examined.machine.now.cpus.as_mut().expect("known");
            cpus.others_us = Some(others_us);
            let is_told = matches!(&one_core(&examined)[..], [Verdict::Unknown(_)]);
            assert_eq!(is_told, is_unknown, "{others_us} {beside}");
        }
        let mut examined = sound();
        examined.machine.now.cpus = Err("it cannot be read".to_owned());
        assert!(matches!(&one_core(&examined)[..], [Verdict::Unknown(_)]));
    }

    #[test]
    fn work_that_is_not_the_same_from_one_moment_to_the_next_blurs() {
        for (spread, expected) in [(0.0, None), (0.05, None), (0.051, Some(Blurs))] {
            let mut examined = sound();
            examined.machine.pace = Ok(Pace { spread, beside: 1.0 });
            assert_eq!(severity(&steadiness(&examined)), expected, "{spread}");
        }
    }

    #[test]
    fn heat_spoils_while_it_lasts_and_a_battery_while_it_is_used() {
        for (heat_now, expected) in [((0, 0), None), ((12, 0), Some(Note)), ((12, 1), Some(Spoils))]
        {
            let mut examined = sound();
            examined.machine.now.heat = Ok(heat_now);
            assert_eq!(severity(&heat(&examined)), expected, "{heat_now:?}");
        }
        for (kind, expected) in
            [(Power::Mains, None), (Power::PluggedIn, None), (Power::Battery, Some(Spoils))]
        {
            let mut examined = sound();
            examined.machine.power = Ok(kind);
            assert_eq!(severity(&power(&examined)), expected, "{kind:?}");
        }
    }
}
