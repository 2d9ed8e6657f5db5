//! `backlog`: the system had no room for some connections, so they were made a second or more later, or not at all.
//!
//! It is seen in two ways. The kernel counts what its listeners drop, over the whole network namespace. And a client whose
//! SYN was dropped sends it again after a second, then after one more each time, or after twice as long (Linux,
//! `tcp_syn_linear_timeouts`), so that connecting takes about so many seconds.

use hdrhistogram::Histogram;

use crate::outcome::Doubt;
use crate::record::measured::{Measured, Times};
use crate::record::trial::Caveat;
use crate::units::{count_of, write_count};

/// When a SYN is sent again, in seconds after the first.
const AGAIN_SECONDS: [u64; 6] = [1, 2, 3, 4, 5, 7];
/// A connection that such a SYN made took so much less, in milliseconds, by the coarseness of clocks,
const EARLIER_MS: u64 = 50;
/// or so much more.
const LATER_MS: u64 = 250;

const REMEDY: &str = "let the server listen with a longer queue (`listen(fd, 4096)`; the machine allows \
                      `net.core.somaxconn`), or accept faster";

pub(super) fn judge(measured: &Measured) -> Option<Caveat> {
    let slow = slow(&measured.connect_time_us) + slow(&measured.connect_time_warm_up_us);
    let counted = |of: fn(&crate::record::host::TcpCounts) -> Option<u64>| -> u64 {
        let host = measured.host.as_ref();
        let readings = host.map(|host| [host.tcp_warm_up, host.tcp]).unwrap_or_default();
        readings.iter().flatten().filter_map(of).sum()
    };
    // What finds a queue full is counted there, and then as a drop (Linux, `tcp_conn_request`).
    let overflows = counted(|tcp| tcp.listen_overflows);
    let drops = [overflows, counted(|tcp| tcp.listen_drops), counted(|tcp| tcp.syn_queue_drops)];
    let drops = drops.into_iter().max().unwrap_or_default();
    if drops == 0 && slow == 0 {
        return None;
    }
    let mut seen = Vec::new();
    if drops > 0 {
        seen.push(format!(
            "the system dropped {} to connect, {} of them for a full queue of a listener (counted over all programs of \
             this machine or container)",
            count(drops, "attempt"),
            write_count(overflows)
        ));
    }
    if slow > 0 {
        seen.push(format!(
            "{} took about 1, 2, 3, 4, 5 or 7 s to make, as those do whose first packet was dropped",
            count(slow, "connection")
        ));
    }
    let detail = format!("{}, warm-up included; {REMEDY}", seen.join("; "));
    Some(Caveat { caveat: Doubt::Backlog, detail })
}

fn count(things: u64, thing: &str) -> String {
    count_of(usize::try_from(things).unwrap_or(usize::MAX), thing)
}

/// Connections that took as long as one does whose SYN had to be sent again.
fn slow(times: &Times) -> u64 {
    let Some(times) = times.histogram() else { return 0 };
    AGAIN_SECONDS.iter().map(|seconds| near(&times, seconds * 1000)).sum()
}

fn near(times: &Histogram<u64>, millis: u64) -> u64 {
    times.count_between((millis - EARLIER_MS) * 1_000_000, (millis + LATER_MS) * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::host::{HostUse, TcpCounts};

    fn times(millis: &[u64]) -> Times {
        let mut histogram = Histogram::<u64>::new(3).expect("three digits");
        for one in millis {
            histogram.record(one * 1_000_000).expect("within bounds");
        }
        Times::of(&histogram)
    }

    fn dropped(overflows: u64, drops: u64) -> TcpCounts {
        let (listen_overflows, listen_drops) = (Some(overflows), Some(drops));
        TcpCounts { listen_overflows, listen_drops, ..TcpCounts::default() }
    }

    fn with_host(tcp_warm_up: Option<TcpCounts>, tcp: TcpCounts) -> Measured {
        let host = HostUse { tcp: Some(tcp), tcp_warm_up, ..HostUse::default() };
        Measured { host: Some(host), ..Measured::default() }
    }

    #[test]
    fn connect_times_near_those_of_a_second_syn_are_doubted_whenever_they_were() {
        for (millis, expected) in [
            (&[1, 40, 200, 900][..], None),
            (&[1, 1004], Some("1 connection took")),
            (&[951, 1030, 2050, 3066, 4100, 5200, 7020], Some("7 connections")),
            (&[1300, 1900, 6000, 8000, 12_000], None),
        ] {
            let window = Measured { connect_time_us: times(millis), ..Measured::default() };
            let warm_up =
                Measured { connect_time_warm_up_us: times(millis), ..Measured::default() };
            for measured in [window, warm_up] {
                let detail = judge(&measured).map(|caveat| caveat.detail);
                let begins = |detail: &String| expected.is_some_and(|it| detail.starts_with(it));
                assert!(
                    detail.as_ref().map_or(expected.is_none(), begins),
                    "{millis:?} {detail:?}"
                );
            }
        }
    }

    #[test]
    fn what_listeners_dropped_is_doubted_in_warm_up_and_window_and_told_once() {
        assert_eq!(judge(&with_host(Some(dropped(0, 0)), dropped(0, 0))), None);
        assert_eq!(judge(&with_host(None, TcpCounts::default())), None);
        let flooded = TcpCounts { syn_queue_drops: Some(4), ..dropped(2, 6) };
        for (warm_up, window, words) in [
            (Some(dropped(3, 3)), dropped(0, 0), "dropped 3 attempts to connect, 3 of them"),
            (Some(dropped(3, 5)), dropped(2, 2), "dropped 7 attempts to connect, 5 of them"),
            (None, dropped(2, 2), "dropped 2 attempts to connect, 2 of them"),
            (None, flooded, "dropped 6 attempts to connect, 2 of them"),
        ] {
            let caveat = judge(&with_host(warm_up, window)).expect(words);
            assert!(caveat.detail.contains(words), "{caveat:?}");
            assert!(caveat.detail.ends_with(REMEDY), "{caveat:?}");
        }
    }
}
