//! What the kernel counts of TCP in our network namespace: `/proc/net/netstat`, `/proc/net/snmp`, `/proc/net/sockstat`.

use crate::record::host::TcpCounts;

/// Counters of TCP by name, from the texts of `netstat` and `snmp`: lines of names, each followed by a line of numbers. A
/// name that this kernel does not have is absent.
pub(super) fn counts(netstat: &str, snmp: &str) -> TcpCounts {
    let extended = |name| field(netstat, "TcpExt:", name);
    TcpCounts {
        listen_overflows: extended("ListenOverflows"),
        listen_drops: extended("ListenDrops"),
        syn_queue_drops: extended("TCPReqQFullDrop"),
        syn_queue_cookies: extended("TCPReqQFullDoCookies"),
        syn_retransmits: extended("TCPSynRetrans"),
        timeouts: extended("TCPTimeouts"),
        retransmits: field(snmp, "Tcp:", "RetransSegs"),
    }
}

fn field(text: &str, of: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(of));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let mut both = names.split_ascii_whitespace().zip(numbers.split_ascii_whitespace());
    both.find(|(other, _)| *other == name)?.1.parse().ok()
}

/// Sockets in `TIME_WAIT`, from the text of `sockstat`: `TCP: inuse 4 orphan 0 tw 12 alloc 5 mem 1`.
pub(super) fn time_wait(sockstat: &str) -> Option<u64> {
    let line = sockstat.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    line.split_ascii_whitespace().skip_while(|word| *word != "tw").nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETSTAT: &str = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts TCPSynRetrans TCPReqQFullDrop\n\
                           TcpExt: 1319 21722 27048 18159 21528 7\n\
                           IpExt: InNoRoutes ListenDrops\nIpExt: 1 2\n";
    const SNMP: &str =
        "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm MaxConn RetransSegs\nTcp: 1 -1 345\n";

    #[test]
    fn counters_are_found_by_name_in_their_own_table() {
        let counts = counts(NETSTAT, SNMP);
        let expected = TcpCounts {
            listen_overflows: Some(21_722),
            listen_drops: Some(27_048),
            syn_queue_drops: Some(7),
            syn_queue_cookies: None,
            syn_retransmits: Some(21_528),
            timeouts: Some(18_159),
            retransmits: Some(345),
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_table_that_is_not_there_or_is_cut_short_has_no_counters() {
        for text in
            ["", "TcpExt: ListenDrops\n", "TcpExt: ListenDrops\nTcpExt:\n", "IpExt: A\nIpExt: 1\n"]
        {
            assert_eq!(counts(text, text), TcpCounts::default(), "{text}");
        }
    }

    #[test]
    fn sockets_that_wait_are_told_by_their_word() {
        let text =
            "sockets: used 16\nTCP: inuse 1 orphan 0 tw 12 alloc 1 mem 187\nUDP: inuse 0 mem 0\n";
        for (text, expected) in [(text, Some(12)), ("TCP: inuse 1\n", None), ("", None)] {
            assert_eq!(time_wait(text), expected, "{text}");
        }
    }
}
