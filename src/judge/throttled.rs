//! `throttled`: a quota of CPU time was used up in the window, so that CPUs stood still which somebody wanted.

use std::time::Duration;

use crate::outcome::Doubt;
use crate::record::host::Throttling;
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::{write_count, write_duration};

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let host = measured.host.as_ref()?;
    let whose = [
        ("the server's control group", host.server_throttling),
        ("the control group that server and generator run in", host.throttling),
    ];
    let hit: Vec<String> = whose
        .into_iter()
        .filter_map(|(whose, throttling)| Some(words(whose, throttling.filter(is_hit)?)))
        .collect();
    (!hit.is_empty()).then(|| Caveat {
        caveat: Doubt::Throttled,
        detail: format!(
            "{}; allow it more (`cpu.max`, or the CPU limit of the container), or use fewer CPUs (`[cpus]`)",
            hit.join("; ")
        ),
    })
}

fn is_hit(throttling: &Throttling) -> bool {
    throttling.throttled_periods > 0 || throttling.throttled_us > 0
}

fn words(whose: &str, throttling: Throttling) -> String {
    format!(
        "{whose} used up its quota of CPU time in {} of {} periods, and CPUs were withheld for {}, added up over them",
        write_count(throttling.throttled_periods),
        write_count(throttling.periods),
        write_duration(Duration::from_micros(throttling.throttled_us))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::host::HostUse;

    #[test]
    fn a_quota_that_was_hit_is_doubted_and_one_that_was_not_is_not() {
        let none = Throttling { periods: 30, throttled_periods: 0, throttled_us: 0 };
        let hit = Throttling { periods: 30, throttled_periods: 12, throttled_us: 450_000 };
        for (server, own, expected) in [
            (None, None, None),
            (Some(none), Some(none), None),
            (None, Some(hit), Some("the control group that server and generator run in used up")),
            (Some(hit), Some(none), Some("the server's control group used up")),
        ] {
            let host = HostUse { server_throttling: server, throttling: own, ..HostUse::default() };
            let measured = Measured { host: Some(host), ..Measured::default() };
            let detail = judge(&measured).map(|caveat| caveat.detail);
            match (&detail, expected) {
                (Some(detail), Some(begin)) => {
                    assert!(detail.starts_with(begin), "{detail}");
                    assert!(detail.contains("in 12 of 30 periods"), "{detail}");
                    assert!(detail.contains("for 450 ms"), "{detail}");
                }
                other => assert_eq!(other, (&None, None)),
            }
        }
        assert_eq!(judge(&Measured::default()), None);
    }
}
