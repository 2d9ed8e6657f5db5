//! `ports`: local ports ran out, or nearly: the client's limit, not the server's.

use super::LoadSetting;
use crate::outcome::{Doubt, Lost};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::{write_count, write_thousands};

/// How long a port is held, in seconds.
const HELD_SECONDS: f64 = 60.0;
/// The share of the ports that may be used without doubt.
const TOLERATED: f64 = 0.8;

pub(super) fn judge(measured: &Measured, setting: &LoadSetting) -> Option<Caveat> {
    let exhausted = measured.lost.of(Lost::PortsExhausted);
    // A connection that the server closed first frees its port at once; one that we had to close holds it for a minute.
    let minutes = (measured.window_seconds / HELD_SECONDS).max(1.0);
    let held = setting.connections as f64 + measured.kept_open as f64 / minutes;
    if exhausted == 0 && held <= TOLERATED * setting.local_ports as f64 {
        return None;
    }
    let detail = if exhausted > 0 {
        format!("{} attempts found no free local port: the client's limit", write_count(exhausted))
    } else {
        format!(
            "{} local ports were in use at once, of {} that there are",
            write_thousands(held),
            write_count(setting.local_ports)
        )
    };
    Some(Caveat { caveat: Doubt::Ports, detail })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::ORDINARY;
    use super::*;

    #[test]
    fn an_exhausted_port_or_many_held_ones_are_doubted() {
        let held = |kept_open, window_seconds| Measured {
            window_seconds,
            kept_open,
            ..Measured::default()
        };
        assert_eq!(judge(&held(22_400 - 64, 10.0), &ORDINARY), None);
        assert!(judge(&held(22_401 - 64, 10.0), &ORDINARY).is_some());
        assert_eq!(judge(&held(30_000, 300.0), &ORDINARY), None);
        let many = LoadSetting { connections: 24_000, ..ORDINARY };
        assert!(judge(&Measured::default(), &many).is_some());
        let mut measured = Measured::default();
        measured.lost.add(Lost::PortsExhausted);
        assert!(judge(&measured, &ORDINARY).is_some());
    }
}
