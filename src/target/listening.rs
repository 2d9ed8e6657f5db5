//! Who listens: who holds a port, whether that is a server's own tree, and where a tree listens instead.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::processes::{self, Listener};

/// How long a listener on this machine may take to take a connection.
const TAKEN_WITHIN: Duration = Duration::from_secs(1);

/// A process that holds a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number, unless it is hidden from us.
    pub pid: Option<u32>,
    /// The words it was started with, or its name.
    pub command: Option<String>,
    /// The socket's own end.
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
            (None, _) if processes::SOCKETS_UNTOLD.is_some() => out.write_str("some process"),
            (None, _) => out.write_str("a process of another user or container"),
        }
    }
}

/// Who listens where a connection to `address` ends up: normally one process, or several that share a socket.
pub fn holders(address: SocketAddr) -> Vec<Holder> {
    if processes::SOCKETS_UNTOLD.is_some() {
        return unnamed(address);
    }
    let at = serving(&processes::listeners(), address);
    at.iter().flat_map(|listener| holders_of(listener.inode, listener.address)).collect()
}

/// That somebody listens there, where who it is cannot be told: whoever listens takes a connection.
fn unnamed(address: SocketAddr) -> Vec<Holder> {
    let taken = TcpStream::connect_timeout(&address, TAKEN_WITHIN);
    taken.ok().map(|_| Holder { pid: None, command: None, address }).into_iter().collect()
}

/// Who holds a socket.
pub(super) fn holder(inode: u64, address: SocketAddr) -> Holder {
    holders_of(inode, address).swap_remove(0)
}

/// At least one, which may be unknown.
fn holders_of(inode: u64, address: SocketAddr) -> Vec<Holder> {
    let mut all = processes::all();
    all.retain(|process| processes::sockets(process.pid).contains(&inode));
    let known = |pid| Holder { pid: Some(pid), command: processes::command_line(pid), address };
    let mut holders: Vec<Holder> = all.iter().map(|process| known(process.pid)).collect();
    if holders.is_empty() {
        holders.push(Holder { pid: None, command: None, address });
    }
    holders
}

/// Whose socket a connection ends up at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whose {
    /// The tree's, and nobody else's.
    Tree,
    /// Somebody else's.
    Stranger(Holder),
    /// Nobody listens there, here.
    Nobody,
    /// That is not told, and why.
    Unknown(String),
}

/// Whose socket a connection to `address` ends up at, seen from a tree.
pub(super) fn whose(address: SocketAddr, tree: &[u32]) -> Whose {
    if let Some(reason) = processes::hidden() {
        return Whose::Unknown(reason.to_owned());
    }
    let Some(listeners) = processes::listeners_if_told() else {
        let reason = processes::SOCKETS_UNTOLD.unwrap_or("`/proc/net/tcp` cannot be read");
        return Whose::Unknown(reason.to_owned());
    };
    let listeners = serving(&listeners, address);
    let (mut own, mut hidden) = (HashSet::new(), None);
    for pid in tree {
        match processes::sockets_if_told(*pid) {
            Some(sockets) => own.extend(sockets),
            None => hidden = Some(*pid),
        }
    }
    let is_own = |listener: &Listener| own.contains(&listener.inode);
    if !listeners.is_empty() && listeners.iter().all(is_own) {
        return Whose::Tree;
    }
    // A process that left the tree may hold the tree's socket too, so it is not asked who holds what the tree holds.
    let mut holders = holders(address).into_iter();
    let stranger = holders.find(|it| it.pid.is_none_or(|pid| !tree.contains(&pid)));
    match (stranger, hidden) {
        (None | Some(Holder { pid: None, .. }), Some(pid)) => {
            Whose::Unknown(format!("what pid {pid} holds open is hidden"))
        }
        (Some(Holder { pid: None, .. }), None) if tree.is_empty() => {
            Whose::Unknown("who belongs to the server is hidden".to_owned())
        }
        (Some(stranger), _) => Whose::Stranger(stranger),
        (None, None) => Whose::Nobody,
    }
}

/// Where any of these processes listens, ascending.
pub(super) fn listeners_of(pids: &[u32]) -> Vec<SocketAddr> {
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
    fn the_holder_of_a_port_is_found_and_is_no_stranger_to_its_own_tree() {
        let me = std::process::id();
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let holders = holders(address);
        assert_eq!(holders[0].pid, Some(me));
        let unknown = Holder { pid: None, command: None, address };
        assert_eq!(unnamed(address), [unknown]);
        assert_eq!(whose(address, &[me]), Whose::Tree);
        let Whose::Stranger(stranger) = whose(address, &[]) else { panic!("it is ours") };
        assert_eq!(stranger.pid, Some(me));
        drop(listener);
        assert_eq!(whose(address, &[me]), Whose::Nobody);
        assert_eq!(unnamed(address), []);
        let listener = TcpListener::bind(address).expect("bind again");
        assert!(listeners_of(&[me]).contains(&address));
        drop(listener);
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
