//! Ports: one that is free, who holds one that is not, and where a tree listens.
//!
//! Ports are taken from below the range that the system hands out to clients, so that no connection of the load takes a
//! server's port away, and each is taken once, so that no connection that lingers from one trial disturbs the next.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Range;

use socket2::{Domain, Socket, Type};

use crate::processes::{self, Listener};

/// Ports for clients begin here unless the system tells otherwise.
const USUAL_CLIENT_PORTS: u16 = 32_768;
/// Below it many things listen.
const LOWEST: u16 = 10_000;

/// Knuth's multiplier: the golden ratio's share of 2^32, so that neighbours end up far from each other.
const SPREAD: u32 = 2_654_435_761;

/// Hands out ports, each once until the range is through.
#[derive(Debug, Clone)]
pub struct Ports {
    range: Range<u16>,
    next: u16,
}

/// Every port of the range is in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no port from {} to {} is free", range.start, range.end - 1)]
pub struct NoPort {
    range: Range<u16>,
}

/// A process that listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number, unless it is hidden from us.
    pub pid: Option<u32>,
    /// The words it was started with, or its name.
    pub command: Option<String>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.pid, &self.command) {
            (Some(pid), Some(command)) => {
                let short: String = command.chars().take(60).collect();
                write!(out, "pid {pid} (`{short}`)")
            }
            (Some(pid), None) => write!(out, "pid {pid}"),
            (None, _) => out.write_str("a process of another user"),
        }
    }
}

impl Ports {
    /// The range of this machine, entered at a place that differs from process to process.
    pub fn new() -> Self {
        let system = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
        let range = range_below(system.as_deref().unwrap_or(""));
        let width = u32::from(range.end - range.start);
        // Two that started one after the other are far apart.
        let place = std::process::id().wrapping_mul(SPREAD) % width;
        let offset = u16::try_from(place).expect("less than a range of ports");
        Self { next: range.start + offset, range }
    }

    /// The next port that nobody listens on.
    ///
    /// # Errors
    /// When the whole range is in use.
    pub fn take(&mut self) -> Result<u16, NoPort> {
        let busy: HashSet<u16> =
            processes::listeners().iter().map(|listener| listener.address.port()).collect();
        for _ in self.range.clone() {
            let port = self.next;
            self.next = if port + 1 < self.range.end { port + 1 } else { self.range.start };
            if !busy.contains(&port) && can_be_bound(port) {
                return Ok(port);
            }
        }
        Err(NoPort { range: self.range.clone() })
    }
}

impl Default for Ports {
    fn default() -> Self {
        Self::new()
    }
}

/// Below the first client port; where no room is left there, inside, where a server may now and then find it taken.
fn range_below(system: &str) -> Range<u16> {
    let first = system.split_whitespace().next().and_then(|text| text.parse().ok());
    let first: u16 = first.unwrap_or(USUAL_CLIENT_PORTS);
    if first >= LOWEST + 1000 { LOWEST..first } else { LOWEST..USUAL_CLIENT_PORTS }
}

/// As servers bind: connections of the past that linger on it are no obstacle.
fn can_be_bound(port: u16) -> bool {
    let bind = || -> std::io::Result<()> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)).into())
    };
    bind().is_ok()
}

/// Who listens where a connection to `address` ends up: normally one process, or several that share a socket.
pub fn holders(address: SocketAddr) -> Vec<Holder> {
    let at = serving(&processes::listeners(), address);
    let everyone = if at.is_empty() { Vec::new() } else { processes::all() };
    let mut holders = Vec::new();
    for listener in at {
        let owners = everyone
            .iter()
            .filter(|process| processes::sockets(process.pid).contains(&listener.inode));
        let mut owners: Vec<Holder> = owners
            .map(|process| Holder {
                pid: Some(process.pid),
                command: processes::command_line(process.pid),
                address: listener.address,
            })
            .collect();
        if owners.is_empty() {
            owners.push(Holder { pid: None, command: None, address: listener.address });
        }
        holders.extend(owners);
    }
    holders
}

/// Whoever else than the tree listens where a connection to `address` ends up; `None` if it is the tree alone, and where
/// the system hides who it is as it hides the tree.
pub(super) fn stranger(address: SocketAddr, tree: &[u32]) -> Option<Holder> {
    let own: HashSet<u64> = tree.iter().flat_map(|pid| processes::sockets(*pid)).collect();
    let foreign = |listener: &Listener| !own.contains(&listener.inode);
    let listeners = serving(&processes::listeners(), address);
    if !listeners.is_empty() && !listeners.iter().any(foreign) {
        return None;
    }
    // A process that left the tree may hold the tree's socket too, so it is not asked who holds what the tree holds.
    let unknown = Holder { pid: None, command: None, address };
    let mut holders = holders(address).into_iter();
    let stranger = holders.find(|it| it.pid.is_none_or(|pid| !tree.contains(&pid)));
    let stranger = stranger.unwrap_or(unknown);
    (stranger.pid.is_some() || !is_hidden(tree)).then_some(stranger)
}

/// Whether the system does not show us what a tree that lives holds open, or not even who belongs to it.
fn is_hidden(tree: &[u32]) -> bool {
    tree.is_empty() || tree.iter().any(|pid| processes::hides_sockets(*pid))
}

/// Where any of these processes listens, ascending.
pub fn listeners_of(pids: &[u32]) -> Vec<SocketAddr> {
    let own: HashSet<u64> = pids.iter().flat_map(|pid| processes::sockets(*pid)).collect();
    let mut addresses: Vec<SocketAddr> = processes::listeners()
        .into_iter()
        .filter(|listener| own.contains(&listener.inode))
        .map(|listener| listener.address)
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// The sockets that a connection to `address` may end up at: those bound to it, else those bound to any address.
fn serving(listeners: &[Listener], address: SocketAddr) -> Vec<Listener> {
    let on_port = listeners.iter().filter(|listener| listener.address.port() == address.port());
    let (exact, rest): (Vec<Listener>, Vec<Listener>) =
        on_port.partition(|listener| listener.address.ip().to_canonical() == address.ip());
    if !exact.is_empty() {
        return exact;
    }
    let takes_any = |ip: IpAddr| ip.is_unspecified() && (ip.is_ipv6() || address.is_ipv4());
    rest.into_iter().filter(|listener| takes_any(listener.address.ip())).collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn ports_lie_below_those_of_clients() {
        for (system, range) in [
            ("32768\t60999\n", 10_000..32_768),
            ("16000 65535", 10_000..16_000),
            ("1024 65535", 10_000..32_768),
            ("", 10_000..32_768),
        ] {
            assert_eq!(range_below(system), range, "{system}");
        }
    }

    #[test]
    fn each_port_is_handed_out_once_and_a_busy_one_is_not() {
        let mut ports = Ports::new();
        let first = ports.take().expect("a port");
        let second = ports.take().expect("another");
        assert_ne!(first, second);
        let busy = TcpListener::bind(("127.0.0.1", second)).expect("bind");
        ports.next = second;
        assert_ne!(ports.take().expect("a third"), second);
        drop(busy);
    }

    #[test]
    fn the_holder_of_a_port_is_found_and_is_no_stranger_to_its_own_tree() {
        let me = std::process::id();
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let holders = holders(address);
        assert_eq!(holders[0].pid, Some(me));
        assert_eq!(stranger(address, &[me]), None);
        assert_eq!(stranger(address, &[]).and_then(|holder| holder.pid), Some(me));
        assert!(listeners_of(&[me]).contains(&address));
    }

    #[test]
    fn a_connection_ends_up_at_the_nearest_socket() {
        let listener = |text: &str| Listener { address: text.parse().expect(text), inode: 0 };
        let all = ["0.0.0.0:80", "[::]:80", "10.0.0.1:80", "0.0.0.0:81"].map(listener);
        let ports = |address: &str| serving(&all, address.parse().expect(address)).len();
        assert_eq!(ports("127.0.0.1:80"), 2);
        assert_eq!(ports("10.0.0.1:80"), 1);
        assert_eq!(ports("[::1]:80"), 1);
        assert_eq!(ports("127.0.0.1:82"), 0);
    }
}
