//! What of this program is on the machine: its build, other runs of it, what they left, and how it contains servers.

use super::{Verdict, advice, blurs, command, fine, note, spoils, unknown};
use crate::record::machine::{Examined, LeftOver};

pub(super) fn holder(examined: &Examined) -> Vec<Verdict> {
    match &examined.ours.holder {
        Err(reason) => unknown(reason),
        Ok(None) => fine("none"),
        Ok(Some(holder)) => spoils(
            format!("another run holds this machine: {holder}"),
            advice("wait until it has ended"),
        ),
    }
}

pub(super) fn build(examined: &Examined) -> Vec<Verdict> {
    if examined.ours.is_debug_build {
        spoils("this program was built without optimisation", command("cargo build --release"))
    } else {
        fine("optimised")
    }
}

pub(super) fn containment(examined: &Examined) -> Vec<Verdict> {
    match &examined.ours.containment {
        Err(reason) => spoils(
            format!("no server can be started: {reason}"),
            advice("see to what it says; nothing can be measured before"),
        ),
        Ok(contained) => match &contained.without_group {
            None => fine(format!(
                "a server that was started for nothing was held by `{}`",
                contained.name
            )),
            Some(reason) => blurs(
                format!("servers get no control group of their own: {reason}"),
                advice(
                    "run as root, or in a delegated group (`systemd-run --user --scope -p Delegate=yes orchestrate ...`); \
                     in a container mount `/sys/fs/cgroup` writable",
                ),
            ),
        },
    }
}

pub(super) fn left_over(examined: &Examined) -> Vec<Verdict> {
    let all = &examined.ours.left_over;
    if all.is_empty() {
        return fine("nothing");
    }
    let one = |left: &LeftOver| {
        let plural = if left.processes == 1 { "" } else { "es" };
        let found = format!("{}, with {} process{plural} in it", left.what, left.processes);
        let remedy = "the next `orchestrate run` ends it when it begins";
        if left.processes > 0 { blurs(found, advice(remedy)) } else { note(found, advice(remedy)) }
    };
    all.iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{found, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{Blurs, Note, Spoils};
    use crate::record::machine::Contained;

    #[test]
    fn another_run_spoils_and_who_holds_the_machine_is_named() {
        let mut examined = sound();
        assert_eq!(found(&holder(&examined)), None);
        examined.ours.holder = Ok(Some("pid 7, `orchestrate run a.toml`".to_owned()));
        let (severity, words) = found(&holder(&examined)).expect("found");
        assert!(severity == Spoils && words.contains("pid 7"), "{words}");
    }

    #[test]
    fn a_build_without_optimisation_spoils() {
        let mut examined = sound();
        assert_eq!(found(&build(&examined)), None);
        examined.ours.is_debug_build = true;
        assert_eq!(found(&build(&examined)).map(|found| found.0), Some(Spoils));
    }

    #[test]
    fn servers_without_a_control_group_blur_and_none_at_all_spoils() {
        let mut examined = sound();
        assert_eq!(found(&containment(&examined)), None);
        let reason = Some("no control groups of version 2 are mounted".to_owned());
        examined.ours.containment =
            Ok(Contained { name: "keeper".to_owned(), without_group: reason });
        let (severity, words) = found(&containment(&examined)).expect("found");
        assert!(severity == Blurs && words.contains("version 2"), "{words}");
        examined.ours.containment = Err("the keeper cannot take its CPUs".to_owned());
        assert_eq!(found(&containment(&examined)).map(|found| found.0), Some(Spoils));
    }

    #[test]
    fn what_was_left_behind_blurs_while_something_runs_in_it() {
        let left = |processes: usize| LeftOver { what: "`orchestrate-1-2`".to_owned(), processes };
        for (processes, expected, words) in [
            (0, Note, "`orchestrate-1-2`, with 0 processes in it"),
            (1, Blurs, "`orchestrate-1-2`, with 1 process in it"),
            (2, Blurs, "`orchestrate-1-2`, with 2 processes in it"),
        ] {
            let mut examined = sound();
            examined.ours.left_over = vec![left(processes)];
            assert_eq!(found(&left_over(&examined)), Some((expected, words.to_owned())));
        }
    }
}
