//! `noisy-host`: others used the CPUs of server or generator, or the hypervisor took them.
//!
//! A server with more threads that want to run than it has CPUs waits for itself, and that is no noise. So time on the run
//! queue counts only as far as others ran on the same CPUs meanwhile.

use crate::outcome::Doubt;
use crate::record::host::{CpuTimes, HostUse};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

/// The share of the window from which on it matters.
const SHARE: f64 = 0.02;
/// These are differences of counts in steps of 10 ms, one at each end, so that less than this may be chance on one CPU; on
/// several, whose steps do not go together, it grows with the root of their number.
const CHANCE_US: f64 = 20_000.0;
/// What threads used is sampled at the kernel's ticks, and a thread that wakes at a beat of its own is met by more of them than
/// it deserves: by so large a share of what we and the server used, as long as the CPUs were idle for the rest.
const BEAT: f64 = 0.2;

/// Server or generator, and the CPUs that it ran on.
struct Side<'m> {
    name: &'static str,
    cpus: &'m CpuTimes,
    /// What others used of them, and what the hypervisor took, if it is no chance.
    others_us: f64,
    steal_us: f64,
    window_us: f64,
    /// The share of the window that the thread that matters most waited to run.
    wait: f64,
}

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let found: Vec<String> = sides(measured).iter().filter_map(Side::words).collect();
    (!found.is_empty()).then(|| Caveat {
        caveat: Doubt::NoisyHost,
        detail: format!(
            "{}; end other programs, or measure on a machine of your own",
            found.join("; ")
        ),
    })
}

/// How many CPUs others kept busy, in the mean, of those of the server.
pub(super) fn taken_from_server(host: &HostUse) -> f64 {
    let others_us = host.server_cpus.as_ref().and_then(|cpus| cpus.others_us).unwrap_or(0);
    if host.seconds > 0.0 { others_us as f64 / 1e6 / host.seconds } else { 0.0 }
}

fn sides(measured: &Measured) -> Vec<Side<'_>> {
    let Some(host) = measured.host.as_ref().filter(|host| host.seconds > 0.0) else {
        return Vec::new();
    };
    let of_server = measured.server.as_ref().and_then(|server| server.busiest_thread_wait);
    let of_generator = measured.generator.wait_max;
    if host.server_cpus == host.generator_cpus {
        // Here each waits for the other as a matter of course.
        return side(host, "server's and the generator's", host.server_cpus.as_ref(), None)
            .into_iter()
            .collect();
    }
    let both = [
        side(host, "server's", host.server_cpus.as_ref(), of_server),
        side(host, "generator's", host.generator_cpus.as_ref(), of_generator),
    ];
    both.into_iter().flatten().collect()
}

fn side<'m>(
    host: &HostUse,
    name: &'static str,
    cpus: Option<&'m CpuTimes>,
    wait: Option<f64>,
) -> Option<Side<'m>> {
    let cpus = cpus?;
    let chance_us = CHANCE_US * (cpus.count() as f64).sqrt();
    let beyond = |us: u64, chance_us: f64| if us as f64 > chance_us { us as f64 } else { 0.0 };
    let others_us = cpus.others_us.unwrap_or(0);
    let ours_us = cpus.busy_us.saturating_sub(others_us) as f64;
    let idle_us = host.seconds * 1e6 * cpus.count() as f64 - cpus.busy_us as f64;
    let beat_us = BEAT * ours_us.min(idle_us).max(0.0);
    Some(Side {
        name,
        cpus,
        others_us: beyond(others_us, chance_us.max(beat_us)),
        steal_us: beyond(cpus.steal_us, chance_us),
        window_us: host.seconds * 1e6,
        wait: wait.unwrap_or(0.0),
    })
}

impl Side<'_> {
    fn words(&self) -> Option<String> {
        let whole = self.window_us * self.cpus.count().max(1) as f64;
        let (others, steal) = (self.others_us / whole, self.steal_us / whole);
        let waited = self.wait.min(self.others_us / self.window_us);
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut words = Vec::new();
        if others > SHARE {
            words.push(format!("other processes used {}", percent(others)));
        }
        if steal > SHARE {
            words.push(format!("the hypervisor took {}", percent(steal)));
        }
        let mut words = if words.is_empty() {
            Vec::new()
        } else {
            let (name, cpus) = (self.name, &self.cpus.cpus);
            vec![format!("{} of the {name} CPUs ({cpus})", words.join(" and "))]
        };
        if waited > SHARE {
            words.push(format!(
                "for {} of the window a thread of the {} waited for others to leave its CPU",
                percent(waited),
                self.name.trim_end_matches("'s")
            ));
        }
        (!words.is_empty()).then(|| words.join(", and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::{GeneratorCost, ServerUsage};

    /// CPUs, what others used of them, and the share of the window that a thread waited there to run.
    fn side(list: &str, others_ms: Option<u64>, steal_ms: u64, wait: f64) -> (CpuTimes, f64) {
        let cpus = CpuTimes {
            cpus: list.to_owned(),
            others_us: others_ms.map(|millis| millis * 1000),
            steal_us: steal_ms * 1000,
            ..CpuTimes::default()
        };
        (cpus, wait)
    }

    fn said(seconds: f64, server: &(CpuTimes, f64), generator: &(CpuTimes, f64)) -> String {
        let host = HostUse {
            seconds,
            server_cpus: Some(server.0.clone()),
            generator_cpus: Some(generator.0.clone()),
            ..HostUse::default()
        };
        let measured = Measured {
            host: Some(host),
            server: Some(ServerUsage {
                busiest_thread_wait: Some(server.1),
                ..ServerUsage::default()
            }),
            generator: GeneratorCost { wait_max: Some(generator.1), ..GeneratorCost::default() },
            ..Measured::default()
        };
        let detail = judge(&measured).map(|caveat| caveat.detail).unwrap_or_default();
        detail.split("; end other programs").next().unwrap_or_default().to_owned()
    }

    #[test]
    fn others_on_the_cpus_of_server_or_generator_are_noise_beyond_two_per_cent() {
        let quiet = side("9", Some(10), 0, 0.0);
        for (server, generator, expected) in [
            (side("0", Some(60), 60, 0.0), &quiet, ""),
            (
                side("0", Some(1500), 0, 0.0),
                &quiet,
                "other processes used 50 % of the server's CPUs (0)",
            ),
            (
                side("0-3", Some(200), 0, 0.0),
                &side("4-5", Some(300), 0, 0.0),
                "other processes used 5 % of the generator's CPUs (4-5)",
            ),
            (
                side("0", Some(600), 90, 0.0),
                &quiet,
                "other processes used 20 % and the hypervisor took 3 % of the server's CPUs (0)",
            ),
            (side("0", None, 0, 0.9), &side("1", None, 0, 0.9), ""),
            (
                side("0", Some(600), 0, 0.9),
                &side("0", Some(600), 0, 0.9),
                "other processes used 20 % of the server's and the generator's CPUs (0)",
            ),
        ] {
            assert_eq!(said(3.0, &server, generator), expected, "{server:?} {generator:?}");
        }
        assert_eq!(judge(&Measured::default()), None);
    }

    #[test]
    fn waiting_to_run_is_noise_only_as_far_as_others_ran_meanwhile() {
        let quiet = side("9", Some(0), 0, 0.0);
        // Sixteen threads on four CPUs wait for each other.
        assert_eq!(said(3.0, &side("0-3", Some(10), 0, 0.7), &quiet), "");
        // Others used 1.7 % of four CPUs, which was 6.7 % of the one that the busiest thread wanted.
        assert_eq!(
            said(3.0, &side("0-3", Some(200), 0, 0.06), &quiet),
            "for 6 % of the window a thread of the server waited for others to leave its CPU"
        );
        assert_eq!(
            said(3.0, &quiet, &side("0", Some(300), 0, 0.08)),
            "other processes used 10 % of the generator's CPUs (0), and for 8 % of the window a thread of the \
             generator waited for others to leave its CPU"
        );
    }

    #[test]
    fn what_ticks_may_have_met_too_often_on_an_idle_cpu_is_not_noise() {
        let quiet = side("9", Some(0), 0, 0.0);
        for (busy_ms, others_ms, is_noise) in [
            // Two seconds, of which 0.6 were ours: 0.12 may be the beat.
            (600 + 100, 100, false),
            (600 + 150, 150, true),
            // All but full, so that nothing of ours can have been met too often.
            (1900 + 60, 60, true),
        ] {
            let (mut cpus, wait) = side("0", Some(others_ms), 0, 0.0);
            cpus.busy_us = busy_ms * 1000;
            let said = said(2.0, &quiet, &(cpus, wait));
            assert_eq!(!said.is_empty(), is_noise, "{busy_ms} {others_ms}: {said}");
        }
    }

    #[test]
    fn what_may_be_chance_in_a_short_window_is_not_noise() {
        let quiet = side("9", Some(0), 0, 0.0);
        assert_eq!(said(0.1, &side("0", Some(15), 0, 0.0), &quiet), "");
        assert_ne!(said(0.1, &side("0", Some(25), 0, 0.0), &quiet), "");
        assert_eq!(said(0.1, &side("0", Some(0), 10, 0.0), &quiet), "");
    }
}
