//! Room for connections: the queues of a listener, and local ports.

use super::{USUAL_CONNECTIONS, Verdict, blurs, command, fine, setting, spoils, unknown};
use crate::record::diagnosis::{Remedy, Severity};
use crate::record::machine::Examined;
use crate::units::write_count;

/// The share of the ports that may be used without doubt, as for `ports`.
const TOLERATED: f64 = 0.8;
/// Local ports that Linux starts with: no more connections to one server can be known at once.
const LOCAL_PORTS: u64 = 28_232;
/// From this share of the ports on, those in `TIME_WAIT` leave a load little room.
const CROWDED: f64 = 0.2;

/// Connections to find room for, in words, and how bad it is if there is none.
struct Asked {
    connections: u64,
    words: String,
    severity: Severity,
}

/// What a matrix asks spoils figures where it cannot be had; what it might ask blurs them.
fn asked(examined: &Examined) -> Asked {
    match &examined.demand {
        Some(demand) => Asked {
            connections: demand.connections,
            words: format!(
                "the {} connections of load `{}`",
                write_count(demand.connections),
                demand.load
            ),
            severity: Severity::Spoils,
        },
        None => Asked {
            connections: USUAL_CONNECTIONS,
            words: format!("loads of up to {} connections", write_count(USUAL_CONNECTIONS)),
            severity: Severity::Blurs,
        },
    }
}

/// A power of two that so many fit into.
fn enough(connections: u64) -> u64 {
    connections.max(1024).next_power_of_two()
}

fn found(asked: &Asked, found: String, remedy: Remedy) -> Vec<Verdict> {
    vec![Verdict::Found(asked.severity, found, remedy)]
}

pub(super) fn listen_queue(examined: &Examined) -> Vec<Verdict> {
    let room = match setting(examined, "net.core.somaxconn") {
        Ok(room) => room,
        Err(reason) => return unknown(&reason),
    };
    let asked = asked(examined);
    let told = format!("`net.core.somaxconn` is {}, for {}", write_count(room), asked.words);
    if room >= asked.connections {
        return fine(told);
    }
    let remedy =
        command(format!("sudo sysctl -w net.core.somaxconn={}", enough(asked.connections)));
    found(&asked, told, remedy)
}

pub(super) fn syn_queue(examined: &Examined) -> Vec<Verdict> {
    let both = setting(examined, "net.ipv4.tcp_syncookies")
        .and_then(|cookies| Ok((cookies, setting(examined, "net.ipv4.tcp_max_syn_backlog")?)));
    let (cookies, room) = match both {
        Ok(both) => both,
        Err(reason) => return unknown(&reason),
    };
    let asked = asked(examined);
    if cookies != 0 {
        return fine("SYN cookies stand in where it is full");
    }
    // The last quarter is kept for clients that have connected before (`tcp_conn_request` of Linux).
    let told = format!(
        "`net.ipv4.tcp_max_syn_backlog` is {} and SYN cookies are off, for {}",
        write_count(room),
        asked.words
    );
    if room * 3 / 4 >= asked.connections {
        return fine(told);
    }
    let remedy = format!(
        "sudo sysctl -w net.ipv4.tcp_syncookies=1 net.ipv4.tcp_max_syn_backlog={}",
        enough(asked.connections * 4 / 3)
    );
    found(&asked, told, command(remedy))
}

pub(super) fn packet_queue(examined: &Examined) -> Vec<Verdict> {
    let room = setting(examined, "net.core.netdev_max_backlog");
    let read =
        examined.machine.now.dropped_packets.clone().and_then(|dropped| Ok((dropped, room?)));
    let ((total, now), room) = match read {
        Ok(read) => read,
        Err(reason) => return unknown(&reason),
    };
    let told = format!(
        "{} packets were dropped since the machine started, {now} of them just now, as \
         `net.core.netdev_max_backlog` is {}",
        write_count(total),
        write_count(room)
    );
    let remedy =
        || command(format!("sudo sysctl -w net.core.netdev_max_backlog={}", enough(room * 8)));
    match (total, now) {
        (0, _) => {
            fine(format!("no packet was dropped, and there is room for {}", write_count(room)))
        }
        (_, 0) => blurs(told, remedy()),
        _ => spoils(told, remedy()),
    }
}

pub(super) fn tracking(examined: &Examined) -> Vec<Verdict> {
    let (count, room) = match &examined.machine.tracked {
        Ok(Some(tracked)) => *tracked,
        Ok(None) => return fine("off"),
        Err(reason) => return unknown(reason),
    };
    let told =
        format!("{} connections are known, of {} at most", write_count(count), write_count(room));
    let has_new_connections = examined.demand.as_ref().is_none_or(|it| it.has_new_connections);
    let left = room.saturating_sub(count);
    let asked = asked(examined);
    // One that was closed is known for two minutes more, so new ones add up.
    let wanted =
        if has_new_connections { asked.connections + LOCAL_PORTS } else { asked.connections };
    if left >= wanted {
        return fine(told);
    }
    let remedy =
        format!("sudo sysctl -w net.netfilter.nf_conntrack_max={}", enough((count + wanted) * 2));
    found(&asked, told, command(remedy))
}

pub(super) fn local_ports(examined: &Examined) -> Vec<Verdict> {
    let (first, last) = match &examined.machine.local_ports {
        Ok(range) => *range,
        Err(reason) => return unknown(reason),
    };
    let asked = asked(examined);
    let ports = (last + 1).saturating_sub(first);
    let told = format!("{} ({first} to {last}), for {}", write_count(ports), asked.words);
    if asked.connections as f64 <= TOLERATED * ports as f64 {
        return fine(told);
    }
    found(&asked, told, command("sudo sysctl -w net.ipv4.ip_local_port_range=\"32768 60999\""))
}

pub(super) fn time_wait(examined: &Examined) -> Vec<Verdict> {
    let read = || {
        let (first, last) = examined.machine.local_ports.clone()?;
        let waiting = examined.machine.time_wait.clone()?;
        let reuse = setting(examined, "net.ipv4.tcp_tw_reuse")?;
        Ok(((last + 1).saturating_sub(first), waiting, reuse))
    };
    let (ports, waiting, reuse) = match read() {
        Ok(read) => read,
        Err(reason) => return unknown(&String::clone(&reason)),
    };
    let share = waiting as f64 / ports.max(1) as f64;
    let told = format!(
        "{} sockets wait, where there are {} local ports; `net.ipv4.tcp_tw_reuse` is {reuse}",
        write_count(waiting),
        write_count(ports)
    );
    // Where ports may be used again on loopback (1: anywhere, 2: there), waiting costs nobody a port.
    let is_reused = reuse != 0;
    let has_new_connections = examined.demand.as_ref().is_some_and(|it| it.has_new_connections);
    let remedy = || command("sudo sysctl -w net.ipv4.tcp_tw_reuse=2");
    if is_reused || (share <= CROWDED && !has_new_connections) {
        fine(told)
    } else if share > TOLERATED {
        spoils(told, remedy())
    } else {
        blurs(told, remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{self, sound};
    use super::*;
    use crate::record::diagnosis::Severity::{Blurs, Spoils};
    use crate::record::machine::Demand;

    fn severity(verdicts: &[Verdict]) -> Option<Severity> {
        fixture::found(verdicts).map(|found| found.0)
    }

    fn with(settings: &[(&str, u64)], connections: Option<u64>) -> Examined {
        let mut examined = sound();
        for (name, value) in settings {
            examined.machine.facts.sysctl.insert((*name).to_owned(), value.to_string());
        }
        let load = "c".to_owned();
        examined.demand =
            connections.map(|connections| Demand { connections, load, ..Demand::default() });
        examined
    }

    #[test]
    fn a_listen_queue_must_have_room_for_all_connections_at_once() {
        let check = |room: u64, connections: Option<u64>| {
            severity(&listen_queue(&with(&[("net.core.somaxconn", room)], connections)))
        };
        assert_eq!((check(128, None), check(1000, None)), (Some(Blurs), None));
        assert_eq!((check(128, Some(128)), check(128, Some(129))), (None, Some(Spoils)));
        let verdicts = listen_queue(&with(&[("net.core.somaxconn", 128)], Some(5000)));
        let words = format!("{verdicts:?}");
        assert!(words.contains("the 5,000 connections of load `c`"), "{words}");
        assert!(words.contains("net.core.somaxconn=8192"), "{words}");
    }

    #[test]
    fn a_syn_queue_matters_without_cookies_and_only_three_quarters_of_it_are_to_be_had() {
        let check = |cookies: u64, room: u64, connections: Option<u64>| {
            let settings =
                [("net.ipv4.tcp_syncookies", cookies), ("net.ipv4.tcp_max_syn_backlog", room)];
            severity(&syn_queue(&with(&settings, connections)))
        };
        assert_eq!((check(1, 128, Some(5000)), check(0, 2048, None)), (None, None));
        assert_eq!((check(0, 128, Some(96)), check(0, 128, Some(97))), (None, Some(Spoils)));
        assert_eq!(check(0, 128, None), Some(Blurs));
    }

    #[test]
    fn packets_that_were_dropped_blur_and_while_they_are_spoil() {
        for (dropped, expected) in [((0, 0), None), ((7, 0), Some(Blurs)), ((7, 1), Some(Spoils))] {
            let mut examined = sound();
            examined.machine.now.dropped_packets = Ok(dropped);
            let verdicts = packet_queue(&examined);
            assert_eq!(severity(&verdicts), expected, "{dropped:?}");
            let is_told = format!("{verdicts:?}").contains("netdev_max_backlog=8192");
            assert_eq!(is_told, expected.is_some(), "{verdicts:?}");
        }
    }

    #[test]
    fn a_firewall_must_have_room_for_all_connections_and_for_closed_ones() {
        let check = |tracked: Option<(u64, u64)>, has_new_connections: bool| {
            let mut examined = with(&[], Some(64));
            examined.machine.tracked = Ok(tracked);
            let demand = examined.demand.as_mut().expect("a demand");
            demand.has_new_connections = has_new_connections;
            severity(&tracking(&examined))
        };
        assert_eq!((check(None, true), check(Some((7, 262_144)), true)), (None, None));
        assert_eq!(
            (check(Some((100, 164)), false), check(Some((101, 164)), false)),
            (None, Some(Spoils))
        );
        assert_eq!(
            (check(Some((0, 28_296)), true), check(Some((0, 28_295)), true)),
            (None, Some(Spoils))
        );
    }

    #[test]
    fn local_ports_must_do_for_all_connections_and_some_more() {
        let check = |range: (u64, u64), connections: Option<u64>| {
            let mut examined = with(&[], connections);
            examined.machine.local_ports = Ok(range);
            severity(&local_ports(&examined))
        };
        assert_eq!(check((32_768, 60_999), Some(22_585)), None);
        assert_eq!(check((32_768, 60_999), Some(22_586)), Some(Spoils));
        assert_eq!(
            (check((60_000, 60_999), None), check((50_000, 60_999), None)),
            (Some(Blurs), None)
        );
    }

    #[test]
    fn sockets_that_wait_matter_where_their_ports_are_not_used_again() {
        let check = |waiting: u64, reuse: u64, has_new_connections: bool| {
            let mut examined = with(&[("net.ipv4.tcp_tw_reuse", reuse)], Some(64));
            examined.machine.time_wait = Ok(waiting);
            let demand = examined.demand.as_mut().expect("a demand");
            demand.has_new_connections = has_new_connections;
            severity(&time_wait(&examined))
        };
        assert_eq!((check(28_000, 2, true), check(28_000, 1, false)), (None, None));
        assert_eq!((check(5_000, 0, false), check(6_000, 0, false)), (None, Some(Blurs)));
        assert_eq!((check(0, 0, true), check(28_000, 0, false)), (Some(Blurs), Some(Spoils)));
    }
}
