//! Local ports: how many there are for connections to one server, and whether a load will do with them.
//!
//! A connection that we close first keeps its port for a while (`TIME_WAIT`; on Linux a minute), and so a load that makes a
//! new one for each request can run out of them: the client's fault, not the server's.

use std::fs;
use std::time::Duration;

use super::system::{PORT_HELD_FOR, PORT_HELD_IN_WORDS, USUAL_PORTS};

/// How many ports there are for connections to one address.
pub fn local_ports() -> u64 {
    let told = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok();
    let (first, last) = told.as_deref().and_then(parse).unwrap_or(USUAL_PORTS);
    (last + 1).saturating_sub(first)
}

fn parse(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// What to say before a load that makes `connections` at most, within `length`, where each may hold its port: nothing,
/// if there are ports enough.
pub fn budget_warning(connections: Option<u64>, length: Duration, ports: u64) -> Option<String> {
    let needed = connections?;
    (needed > ports && length <= PORT_HELD_FOR).then(|| {
        format!(
            "{needed} connections need as many local ports within {PORT_HELD_IN_WORDS}, and there are {ports}: should the server \
             leave it to us to close them, they will run out"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_of_more_connections_than_ports_is_warned_of() {
        let minute = Duration::from_mins(1);
        assert_eq!(budget_warning(Some(28_000), minute, 28_232), None);
        assert_eq!(budget_warning(None, minute, 28_232), None);
        assert!(budget_warning(Some(30_000), minute, 28_232).is_some());
    }

    #[test]
    fn the_range_is_two_numbers() {
        assert_eq!(parse("32768\t60999\n"), Some((32_768, 60_999)));
        assert_eq!(parse(""), None);
        assert!(local_ports() > 0);
    }
}
