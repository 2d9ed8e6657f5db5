//! The CPUs that server and generator get, and what may withhold them.

use std::collections::BTreeSet;

use super::{Verdict, advice, blurs, fine, none_here, note, spoils, unknown};
use crate::affinity::{parse_list, write_list};
use crate::record::machine::Examined;

/// How many CPUs server and generator have together at least where neither is bound by having one.
const ROOMY: usize = 4;

pub(super) fn cpus(examined: &Examined) -> Vec<Verdict> {
    let split = &examined.machine.split;
    let all = examined.machine.allowed_cpus.len();
    let list = |cpus: &[u32]| write_list(&cpus.iter().map(|cpu| *cpu as usize).collect::<Vec<_>>());
    let (server, generator) = (list(&split.server), list(&split.generator));
    let seats =
        format!("server on CPU {server}, generator on CPU {generator}, of {all} that we may use");
    if split.shared {
        let quota = examined.machine.facts.cpu_quota;
        let remedy = if let Some(quota) = quota.filter(|quota| *quota <= 1.0 && all > 1) {
            advice(format!(
                "a quota of {quota:.1} CPUs keeps no more than one busy: raise it to two at least"
            ))
        } else if all > 1 {
            advice(
                "give each its own: `[cpus] server = \"auto\"` and `generator = \"auto\"` in the matrix",
            )
        } else {
            none_here("measure on a machine with two cores at least; here compare CPU/answer alone")
        };
        return spoils(format!("server and generator share a CPU: {seats}"), remedy);
    }
    if split.shared_core {
        let remedy = none_here(
            "measure on a machine with two cores at least, or name CPUs of different cores in `[cpus]`; here compare \
             rows of one table alone",
        );
        return blurs(format!("server and generator run on siblings of one core: {seats}"), remedy);
    }
    let together = split.server.len() + split.generator.len();
    if together < ROOMY {
        let remedy = none_here(
            "rows limited by the `generator` are lower bounds; for more of them, or for servers of several CPUs, measure \
             on a machine with four",
        );
        return note(format!("few CPUs: {seats}"), remedy);
    }
    fine(seats)
}

pub(super) fn quota(examined: &Examined) -> Vec<Verdict> {
    let split = &examined.machine.split;
    let used: BTreeSet<u32> = split.server.iter().chain(&split.generator).copied().collect();
    let used = used.len();
    let facts = &examined.machine.facts;
    let Some(quota) = facts.cpu_quota else {
        return facts
            .absent
            .get("cpu_quota")
            .map_or_else(|| fine("none"), |reason| unknown(reason));
    };
    let throttled = examined.machine.now.throttling.filter(|it| it.throttled_periods > 0);
    if let Some(throttled) = throttled {
        let found = format!(
            "the quota of {quota:.1} CPUs was used up in {} of {} periods just now",
            throttled.throttled_periods, throttled.periods
        );
        return spoils(found, advice("end what else runs in this container, or raise its quota"));
    }
    let found = format!("{quota:.1} CPUs for server and generator, who have {used}");
    if quota < used as f64 {
        spoils(
            found,
            advice("raise the quota of this container (`docker run --cpus`), or take it away"),
        )
    } else if quota < used as f64 + 1.0 {
        let remedy = advice(
            "leave a CPU more than both use: raise the quota, or name fewer CPUs in `[cpus]`",
        );
        blurs(found, remedy)
    } else {
        fine(found)
    }
}

pub(super) fn pinning(examined: &Examined) -> Vec<Verdict> {
    match &examined.machine.pinning {
        Ok(()) => fine("a thread stays where it is put"),
        Err(reason) => spoils(
            format!("a thread cannot be kept on a CPU: {reason}"),
            advice("allow `sched_setaffinity` in this container's seccomp profile"),
        ),
    }
}

pub(super) fn nodes(examined: &Examined) -> Vec<Verdict> {
    let facts = &examined.machine.facts;
    if facts.node_cpus.is_empty() {
        let reason = facts.absent.get("node_cpus").map_or("the system does not tell it", |it| it);
        return unknown(reason);
    }
    let split = &examined.machine.split;
    let node_of = |cpu: &u32| {
        facts
            .node_cpus
            .iter()
            .position(|list| parse_list(list).is_some_and(|cpus| cpus.contains(&(*cpu as usize))))
    };
    let used: BTreeSet<Option<usize>> =
        split.server.iter().chain(&split.generator).map(node_of).collect();
    if used.len() <= 1 {
        return fine("server and generator are in one");
    }
    let found = format!("server and generator are in {} of {}", used.len(), facts.node_cpus.len());
    note(found, advice("name CPUs of one node in `[cpus]`, and more of them to the server"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{Blurs, Note, Spoils};
    use crate::record::host::Throttling;

    #[test]
    fn a_shared_cpu_spoils_a_shared_core_blurs_and_few_cpus_are_told() {
        let check = |server: &[u32], generator: &[u32], core: bool| {
            let mut examined = sound();
            let split = &mut examined.machine.split;
            (split.server, split.generator) = (server.to_vec(), generator.to_vec());
            split.shared = server.iter().any(|cpu| generator.contains(cpu));
            split.shared_core = core;
            found(&cpus(&examined))
        };
        assert_eq!(check(&[0], &[0], false).expect("found").0, Spoils);
        let mut examined = sound();
        examined.machine.split.shared = true;
        let says =
            |examined: &Examined, words: &str| format!("{:?}", cpus(examined)).contains(words);
        assert!(says(&examined, "give each its own"));
        examined.machine.facts.cpu_quota = Some(0.5);
        assert!(says(&examined, "a quota of 0.5 CPUs"));
        examined.machine.allowed_cpus = vec![0];
        assert!(says(&examined, "two cores at least"));
        assert_eq!(check(&[0], &[1], true).expect("found").0, Blurs);
        let (severity, words) = check(&[0], &[1], false).expect("found");
        assert_eq!(severity, Note);
        assert!(words.contains("server on CPU 0, generator on CPU 1, of 4"), "{words}");
        assert_eq!(check(&[0, 1], &[2, 3], false), None);
    }

    #[test]
    fn a_quota_spoils_below_what_is_used_and_blurs_close_above_it() {
        let check = |quota: Option<f64>, throttled_periods: u64| {
            let mut examined = sound();
            examined.machine.facts.cpu_quota = quota;
            let periods = Throttling { periods: 10, throttled_periods, throttled_us: 5 };
            examined.machine.now.throttling = Some(periods);
            found(&super::quota(&examined)).map(|found| found.0)
        };
        assert_eq!(check(Some(3.9), 0), Some(Spoils));
        assert_eq!(check(Some(4.0), 0), Some(Blurs));
        assert_eq!((check(Some(5.0), 0), check(None, 0)), (None, None));
        assert_eq!(check(Some(5.0), 1), Some(Spoils));
    }

    #[test]
    fn threads_that_cannot_be_kept_on_a_cpu_spoil() {
        let mut examined = sound();
        examined.machine.pinning = Err("CPU 0: Operation not permitted".to_owned());
        let (severity, words) = found(&pinning(&examined)).expect("found");
        assert!(severity == Spoils && words.contains("not permitted"), "{words}");
    }

    #[test]
    fn server_and_generator_in_two_nodes_are_told() {
        let mut examined = sound();
        examined.machine.facts.node_cpus = vec!["0-3".to_owned(), "4-7".to_owned()];
        assert_eq!(found(&nodes(&examined)), None);
        examined.machine.facts.node_cpus = vec!["0-1".to_owned(), "2-3".to_owned()];
        assert_eq!(found(&nodes(&examined)).map(|found| found.0), Some(Note));
    }
}
