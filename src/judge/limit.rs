//! Who was the limit: the server's CPU, the generator's, both, a service's, nobody's, or the rate that was asked for.

use super::{noisy_host, rate_not_met};
use crate::affinity::parse_list;
use crate::outcome::Limit;
use crate::record::measured::{Measured, ServerUsage};

/// A thread of the generator that ran, or waited to run, for so much of the window is saturated.
const GENERATOR_SATURATED: f64 = 0.95;
/// A thread of the server that ran for so much of the window is saturated,
const THREAD_SATURATED: f64 = 0.9;
/// and so is a server that used so much of the CPUs that it is allowed. What others used of them while it waited to run
/// counts as if the server had used it: on a CPU to itself it would have.
const ALLOWANCE_SATURATED: f64 = 0.9;

/// What held a measured window back; `None` if the server's CPU is unknown and the generator was not the limit.
/// `is_paced` says that a rate was asked for.
pub fn judge(measured: &Measured, is_paced: bool) -> Option<Limit> {
    if is_paced && rate_not_met::is_met(measured) {
        return Some(Limit::Rate);
    }
    let generator = measured.generator.busy_max >= GENERATOR_SATURATED;
    let (seconds, others) = measured
        .host
        .as_ref()
        .map_or((0.0, 0.0), |host| (host.seconds, noisy_host::taken_from_server(host)));
    let server = measured.server.as_ref().and_then(|it| is_saturated(it, seconds, others));
    Some(match (server, generator) {
        (Some(true), true) => Limit::Both,
        (Some(true), false) => Limit::Server,
        (_, true) => Limit::Generator,
        // What the server waits for does not matter where the server itself is saturated.
        (_, false) if let Some(limit) = of_services(measured, seconds, others) => limit,
        (Some(false), false) => Limit::Neither,
        (None, false) => return None,
    })
}

/// The limit, if a service is saturated, or CPUs are full that it shares with others of ours: then whoever used the most of
/// them, the server or the service. `others` says how many of the server's CPUs others kept busy.
fn of_services(measured: &Measured, seconds: f64, others: f64) -> Option<Limit> {
    let limits = measured.services.iter().filter_map(|(name, service)| {
        // Whoever of ours runs on its CPUs alone leaves it the rest of them.
        let neighbours = measured.services.iter().filter(|(other, _)| *other != name);
        let neighbours = neighbours.map(|(_, other)| other).chain(&measured.server);
        let is_alone = is_saturated(service, seconds, 0.0) == Some(true);
        let mut together = service.clone();
        for neighbour in neighbours.filter(|other| runs_within(other, service)) {
            // What is not known of a neighbour adds nothing.
            add(&mut together.cores_used, neighbour.cores_used);
            add(&mut together.run_queue_wait_us, neighbour.run_queue_wait_us);
        }
        let is_beside = measured.server.as_ref().is_some_and(|server| runs_within(service, server));
        let others = if is_beside { others } else { 0.0 };
        if !is_alone && is_saturated(&together, seconds, others) != Some(true) {
            return None;
        }
        let server = measured.server.as_ref().filter(|server| runs_within(server, service));
        let is_less = server.is_some_and(|server| service.cores_used < server.cores_used);
        Some(if is_less && !is_alone { Limit::Server } else { Limit::Service })
    });
    limits.max_by_key(|limit| *limit == Limit::Service)
}

fn add<T: std::ops::AddAssign>(sum: &mut Option<T>, more: Option<T>) {
    if let (Some(sum), Some(more)) = (sum, more) {
        *sum += more;
    }
}

/// Whether one may run on no other CPUs than another one.
fn runs_within(one: &ServerUsage, other: &ServerUsage) -> bool {
    let cpus = |usage: &ServerUsage| parse_list(usage.cpus_allowed.as_ref()?);
    match (cpus(one), cpus(other)) {
        (Some(one), Some(other)) => one.iter().all(|cpu| other.contains(cpu)),
        _ => false,
    }
}

/// `others` says how many of its CPUs others kept busy.
fn is_saturated(server: &ServerUsage, seconds: f64, others: f64) -> Option<bool> {
    let cores_used = server.cores_used?;
    // What it waited beyond that, it waited for itself.
    let waited_us = server.run_queue_wait_us.unwrap_or(0) as f64;
    let cores_denied = if seconds > 0.0 { (waited_us / 1e6 / seconds).min(others) } else { 0.0 };
    let thread_denied = server.busiest_thread_wait.unwrap_or(0.0).min(others);
    let by_thread =
        server.busiest_thread.is_some_and(|share| share + thread_denied >= THREAD_SATURATED);
    let allowance = ALLOWANCE_SATURATED * f64::from(server.cores_allowed);
    Some(by_thread || cores_used + cores_denied >= allowance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::host::{CpuTimes, HostUse};
    use crate::record::measured::GeneratorCost;

    fn measured(busy_max: f64, cores_used: Option<f64>, busiest_thread: f64) -> Measured {
        Measured {
            generator: GeneratorCost { busy_max, ..GeneratorCost::default() },
            server: Some(ServerUsage {
                cores_used,
                cores_allowed: 4,
                busiest_thread: Some(busiest_thread),
                ..ServerUsage::default()
            }),
            ..Measured::default()
        }
    }

    #[test]
    fn the_limit_is_whoever_is_saturated() {
        for (busy, cores, thread, limit) in [
            (0.50, Some(1.0), 0.92, Some(Limit::Server)),
            (0.50, Some(3.7), 0.80, Some(Limit::Server)),
            (0.97, Some(1.0), 0.30, Some(Limit::Generator)),
            (0.97, Some(1.0), 0.95, Some(Limit::Both)),
            (0.94, Some(3.5), 0.89, Some(Limit::Neither)),
            (0.97, None, 0.0, Some(Limit::Generator)),
            (0.50, None, 0.0, None),
        ] {
            assert_eq!(
                judge(&measured(busy, cores, thread), false),
                limit,
                "{busy} {cores:?} {thread}"
            );
        }
    }

    #[test]
    fn what_others_used_while_the_server_waited_counts_as_used() {
        // A server of one thread on one CPU, for a second.
        for (ran, waited, others_ms, limit) in [
            (0.80, 0.15, 150, Limit::Server),
            (0.80, 0.15, 0, Limit::Neither),
            (0.30, 0.00, 600, Limit::Neither),
            (0.50, 0.20, 400, Limit::Neither),
            (0.50, 0.45, 400, Limit::Server),
        ] {
            let mut measured = measured(0.5, Some(ran), ran);
            if let Some(server) = &mut measured.server {
                server.cores_allowed = 1;
                server.busiest_thread_wait = Some(waited);
            }
            let server_cpus =
                Some(CpuTimes { others_us: Some(others_ms * 1000), ..CpuTimes::default() });
            measured.host = Some(HostUse { seconds: 1.0, server_cpus, ..HostUse::default() });
            assert_eq!(judge(&measured, false), Some(limit), "{ran} {waited} {others_ms}");
        }
        // Two CPUs, whose many threads waited for others for 0.3 s, and for each other for longer.
        let mut wide = measured(0.5, Some(1.6), 0.3);
        if let Some(server) = &mut wide.server {
            (server.cores_allowed, server.run_queue_wait_us) = (2, Some(5_000_000));
        }
        assert_eq!(judge(&wide, false), Some(Limit::Neither));
        let server_cpus = Some(CpuTimes { others_us: Some(300_000), ..CpuTimes::default() });
        wide.host = Some(HostUse { seconds: 1.0, server_cpus, ..HostUse::default() });
        assert_eq!(judge(&wide, false), Some(Limit::Server));
    }

    #[test]
    fn a_service_is_the_limit_where_its_cpus_are_full_and_the_server_is_not_saturated() {
        // Server and service, each with its cores used and its CPUs; then the service's busiest thread.
        for ((server, of_server), (service, of_service), thread, limit) in [
            ((0.3, "0"), (0.95, "1"), 0.2, Limit::Service),
            ((0.3, "0"), (0.65, "0"), 0.2, Limit::Service),
            ((0.3, "0"), (0.40, "0"), 0.2, Limit::Neither),
            ((0.3, "0"), (0.65, "1"), 0.2, Limit::Neither),
            ((0.3, "0"), (0.65, "1"), 0.9, Limit::Service),
            ((0.3, "0-1"), (0.65, "0"), 0.2, Limit::Neither),
            ((0.65, "0"), (0.30, "0"), 0.2, Limit::Server),
            ((0.65, "0"), (0.20, "0"), 0.2, Limit::Neither),
            ((1.3, "0-1"), (0.60, "0-1"), 0.2, Limit::Server),
            ((1.0, "0-1"), (0.60, "0-1"), 0.95, Limit::Service),
            ((1.9, "0-1"), (0.05, "2"), 0.95, Limit::Server),
        ] {
            let usage = |cores_used, cpus: &str, thread| ServerUsage {
                cores_used: Some(cores_used),
                cores_allowed: if cpus.len() > 1 { 2 } else { 1 },
                cpus_allowed: Some(cpus.to_owned()),
                busiest_thread: Some(thread),
                ..ServerUsage::default()
            };
            let mut measured = measured(0.5, None, 0.0);
            measured.server = Some(usage(server, of_server, 0.2));
            measured.services.insert("db".to_owned(), usage(service, of_service, thread));
            assert_eq!(judge(&measured, false), Some(limit), "{server} {service} {of_service}");
        }
        // Both on one CPU, of which others took a part while they waited.
        let usage = |cores_used| ServerUsage {
            cores_used: Some(cores_used),
            cores_allowed: 1,
            cpus_allowed: Some("0".to_owned()),
            run_queue_wait_us: Some(300_000),
            ..ServerUsage::default()
        };
        let mut shared = measured(0.5, None, 0.0);
        shared.server = Some(usage(0.2));
        shared.services.insert("db".to_owned(), usage(0.4));
        for (others_ms, limit) in [(100, Limit::Neither), (350, Limit::Service)] {
            let server_cpus =
                Some(CpuTimes { others_us: Some(others_ms * 1000), ..CpuTimes::default() });
            shared.host = Some(HostUse { seconds: 1.0, server_cpus, ..HostUse::default() });
            assert_eq!(judge(&shared, false), Some(limit), "{others_ms}");
        }
    }

    #[test]
    fn a_paced_load_is_limited_by_its_rate_if_that_was_met_and_else_as_any_other() {
        for (in_line, thread, limit) in [
            (0, 0.4, Limit::Rate),
            (0, 0.95, Limit::Rate),
            (500, 0.95, Limit::Server),
            (500, 0.4, Limit::Neither),
        ] {
            let paced = Measured { sent: 1000, in_line, ..measured(0.4, Some(0.4), thread) };
            assert_eq!(judge(&paced, true), Some(limit), "{in_line} {thread}");
        }
    }
}
