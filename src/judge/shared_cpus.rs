//! `shared-cpus`, `shared-core`: server and generator could take each other's CPU, or each other's half of a core.
//!
//! What the server's threads were allowed at the window's two ends decides, where it is known: a server may move itself onto
//! CPUs that the plan kept from it, or off those that it was to share.

use super::TrialSetting;
use crate::affinity::{UNPINNABLE, parse_list, write_list};
use crate::outcome::Doubt;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;

const REMEDY: &str = match UNPINNABLE {
    None => "set them apart in `[cpus]` where there are CPUs enough",
    Some(_) => "measure on a system that can keep each on CPUs of its own",
};

pub(super) fn judge(measured: &Measured, setting: &TrialSetting<'_>) -> Option<Caveat> {
    let allowed = measured.server.as_ref().and_then(|it| parse_list(it.cpus_allowed.as_ref()?));
    let shared: Option<Vec<usize>> = allowed.map(|allowed| {
        allowed.into_iter().filter(|cpu| setting.generator_cpus.contains(cpu)).collect()
    });
    let is_shared = shared.as_ref().map_or(setting.is_shared, |cpus| !cpus.is_empty());
    let (caveat, detail) = if is_shared && !setting.is_shared {
        let detail = format!(
            "the server put threads of its own on CPU {} of the generator, so each slows the other; have it keep to the \
             CPUs that it is given (`{{cpu-list}}`)",
            write_list(&shared.unwrap_or_default())
        );
        (Doubt::SharedCpus, detail)
    } else if is_shared {
        let detail = "server and generator may run on the same CPU, so each slows the other";
        (Doubt::SharedCpus, format!("{detail}; {REMEDY}"))
    } else if setting.is_core_shared {
        let detail = "server and generator run on siblings of one core, so each slows the other";
        (Doubt::SharedCore, format!("{detail}; {REMEDY}"))
    } else {
        return None;
    };
    Some(Caveat { caveat, detail })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::SOUND;
    use super::*;
    use crate::record::measured::ServerUsage;

    fn check(
        (is_shared, is_core_shared): (bool, bool),
        allowed: Option<&str>,
        expected: Option<Doubt>,
    ) -> String {
        let cpus_allowed = allowed.map(str::to_owned);
        let server = Some(ServerUsage { cpus_allowed, ..ServerUsage::default() });
        let measured = Measured { server, ..Measured::default() };
        let setting = TrialSetting { is_shared, is_core_shared, generator_cpus: &[2, 3], ..SOUND };
        let caveat = judge(&measured, &setting);
        assert_eq!(caveat.as_ref().map(|caveat| caveat.caveat), expected, "{allowed:?}");
        caveat.map(|caveat| caveat.detail).unwrap_or_default()
    }

    #[test]
    fn a_shared_cpu_is_worse_than_a_shared_core_and_told_alone() {
        for (plan, expected) in [
            ((false, false), None),
            ((true, false), Some(Doubt::SharedCpus)),
            ((true, true), Some(Doubt::SharedCpus)),
            ((false, true), Some(Doubt::SharedCore)),
        ] {
            check(plan, None, expected);
        }
    }

    #[test]
    fn where_the_servers_threads_were_seen_that_decides_and_not_the_plan() {
        check((false, false), Some("0-1"), None);
        let detail = check((false, false), Some("0-2"), Some(Doubt::SharedCpus));
        assert!(detail.contains("on CPU 2 of the generator"), "{detail}");
        check((true, false), Some("2-3"), Some(Doubt::SharedCpus));
        check((true, false), Some("0"), None);
        check((true, true), Some("0"), Some(Doubt::SharedCore));
    }
}
