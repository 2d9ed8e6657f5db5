//! `ports`: local ports ran out, or nearly: the client's limit, not the server's.

use super::LoadSetting;
use crate::outcome::{Doubt, Lost};
use crate::record::measured::Measured;
use crate::record::trial::Caveat;
use crate::units::write_count;

/// The share of the ports that may be used without doubt.
const TOLERATED: f64 = 0.8;

pub(super) fn judge(measured: &Measured, setting: &LoadSetting) -> Option<Caveat> {
    let exhausted = measured.lost.of(Lost::PortsExhausted);
    // Ports that the server's side closed first are free at once; only those that we had to close are held.
    let held = measured.kept_open;
    if exhausted == 0 && held as f64 <= TOLERATED * setting.local_ports as f64 {
        return None;
    }
    let detail = if exhausted > 0 {
        format!("{} attempts found no free local port: the client's limit", write_count(exhausted))
    } else {
        format!(
            "{} connections that the server left open hold their local port for a minute, of {} that there are",
            write_count(held),
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
        let mut measured = Measured { kept_open: 22_400, ..Measured::default() };
        assert_eq!(judge(&measured, &ORDINARY), None);
        measured.kept_open += 1;
        assert!(judge(&measured, &ORDINARY).is_some());
        let mut measured = Measured::default();
        measured.lost.add(Lost::PortsExhausted);
        assert!(judge(&measured, &ORDINARY).is_some());
    }
}
