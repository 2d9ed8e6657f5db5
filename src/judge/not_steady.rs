//! `not-steady`: the warm-up ended because it had to, and no steady state had been seen.

use super::TrialSetting;
use crate::outcome::Doubt;
use crate::record::trial::Caveat;

pub(super) fn judge(setting: &TrialSetting<'_>) -> Option<Caveat> {
    setting.is_unsteady.then(|| Caveat {
        caveat: Doubt::NotSteady,
        detail: format!(
            "no two seconds without a trend in {:.1} s of warm-up; raise `warm-up-max`",
            setting.warm_up_seconds
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::SOUND;
    use super::*;

    #[test]
    fn only_a_warm_up_that_found_no_steady_state_is_doubted() {
        assert_eq!(judge(&SOUND), None);
        assert!(judge(&TrialSetting { is_unsteady: true, ..SOUND }).is_some());
    }
}
