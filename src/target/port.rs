//! Ports: one that is free, and what keeps one from being so.
//!
//! Ports are taken from below the range that the system hands out to clients, so that no connection of the load takes a
//! server's port away, and each is taken once, so that no connection that lingers from one trial disturbs the next.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use super::listening::{self, Holder};
use crate::processes::{self, Connection};
use crate::units::count_of;

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

/// As a server binds that does not ask to share a port with connections of the past.
fn can_be_bound(port: u16) -> bool {
    bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))).is_ok()
}

fn bind(address: SocketAddr) -> std::io::Result<()> {
    Socket::new(Domain::for_address(address), Type::STREAM, None)?.bind(&address.into())
}

/// What keeps a server from a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Somebody listens there.
    Listener(Holder),
    /// Somebody's connection has it at its own end.
    Connection(Holder),
    /// Connections of the past, so many, that nobody holds any more.
    Lingering(usize),
    /// It cannot be bound, and nobody is seen there.
    Unseen,
}

impl Obstacle {
    /// How long it may be waited for: not at all, if it does not go by itself.
    pub fn patience(&self) -> Duration {
        match self {
            Self::Listener(_) => Duration::ZERO,
            Self::Unseen => Duration::from_secs(5),
            Self::Connection(_) => Duration::from_secs(30),
            // Linux keeps them for 60 s.
            Self::Lingering(_) => Duration::from_secs(70),
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Listener(holder) => write!(out, "in use by {holder}"),
            Self::Connection(holder) => write!(out, "in use for a connection by {holder}"),
            Self::Lingering(count) => {
                write!(out, "still taken by {} of the past", count_of(*count, "connection"))
            }
            Self::Unseen => out.write_str("bound by someone who is not seen"),
        }
    }
}

/// What keeps a server from listening on `address`, even one that does not ask to share it with connections of the past.
pub fn obstacle(address: SocketAddr) -> Option<Obstacle> {
    if let Some(holder) = listening::holders(address).into_iter().next() {
        return Some(Obstacle::Listener(holder));
    }
    match bind(address) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {}
        // Whatever else keeps us from it need not keep the server: it may be allowed more than we are.
        _ => return None,
    }
    let connections = processes::connections_from(address.port());
    let (held, left): (Vec<Connection>, Vec<Connection>) =
        connections.into_iter().partition(|connection| connection.inode != 0);
    Some(match (held.first(), left.len()) {
        (Some(held), _) => Obstacle::Connection(listening::holder(held.inode, held.local)),
        (None, 0) => Obstacle::Unseen,
        (None, count) => Obstacle::Lingering(count),
    })
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
    fn what_keeps_a_server_from_a_port_is_told_apart() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let Some(Obstacle::Listener(holder)) = obstacle(address) else { panic!("we listen") };
        assert_eq!(holder.pid, Some(std::process::id()));
        let mut client = std::net::TcpStream::connect(address).expect("connect");
        let (server, _) = listener.accept().expect("accept");
        drop(listener);
        let Some(Obstacle::Connection(holder)) = obstacle(address) else { panic!("connected") };
        assert_eq!(holder.pid, Some(std::process::id()));
        // Who closes first keeps the memory of it.
        drop(server);
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut client, &mut rest).expect("read");
        drop(client);
        // The port is one of many that the system gives away, so that others may have left theirs on it.
        let lingering = obstacle(address);
        assert!(matches!(lingering, Some(Obstacle::Lingering(1..))), "{lingering:?}");
        let told = Obstacle::Lingering(1).to_string();
        assert_eq!(told, "still taken by 1 connection of the past");
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("socket");
        let free = SocketAddr::from(([127, 0, 0, 1], Ports::new().take().expect("a port")));
        assert_eq!(obstacle(free), None);
        socket.bind(&free.into()).expect("bind");
        assert_eq!(obstacle(free), Some(Obstacle::Unseen));
    }
}
