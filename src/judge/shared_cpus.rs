//! `shared-cpus`, `shared-core`: server and generator could take each other's CPU, or each other's half of a core.

use super::TrialSetting;
use crate::outcome::Doubt;
use crate::record::trial::Caveat;

pub(super) fn judge(setting: &TrialSetting) -> Option<Caveat> {
    let (caveat, detail) = if setting.is_shared {
        let detail = "server and generator may run on the same CPU, so each slows the other";
        (Doubt::SharedCpus, detail)
    } else if setting.is_core_shared {
        let detail = "server and generator run on siblings of one core, so each slows the other";
        (Doubt::SharedCore, detail)
    } else {
        return None;
    };
    Some(Caveat {
        caveat,
        detail: format!("{detail}; set them apart in `[cpus]` where there are CPUs enough"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::SOUND;
    use super::*;

    #[test]
    fn a_shared_cpu_is_worse_than_a_shared_core_and_told_alone() {
        for (is_shared, is_core_shared, expected) in [
            (false, false, None),
            (true, false, Some(Doubt::SharedCpus)),
            (true, true, Some(Doubt::SharedCpus)),
            (false, true, Some(Doubt::SharedCore)),
        ] {
            let caveat = judge(&TrialSetting { is_shared, is_core_shared, ..SOUND });
            assert_eq!(caveat.map(|caveat| caveat.caveat), expected);
        }
    }
}
