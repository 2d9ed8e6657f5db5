//! TCP sockets of this network namespace, and who holds them.

use std::collections::HashSet;

use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process};

use super::{Connection, Listener, find, open};

/// Every listening TCP socket of this network namespace; none if they are hidden.
pub fn listeners() -> Vec<Listener> {
    listeners_if_told().unwrap_or_default()
}

/// The same; `None` if the system does not tell.
pub fn listeners_if_told() -> Option<Vec<Listener>> {
    let listening = tcp()?.into_iter().filter(|entry| entry.state == TcpState::Listen);
    let listener =
        |entry: TcpNetEntry| Listener { address: entry.local_address, inode: entry.inode };
    Some(listening.map(listener).collect())
}

/// Every other TCP socket that has this port at its own end; none if they are hidden.
pub fn connections_from(port: u16) -> Vec<Connection> {
    let entries = tcp().unwrap_or_default().into_iter();
    entries
        .filter(|entry| entry.state != TcpState::Listen && entry.local_address.port() == port)
        .map(|entry| Connection {
            local: entry.local_address,
            remote: entry.remote_address,
            inode: entry.inode,
        })
        .collect()
}

fn tcp() -> Option<Vec<TcpNetEntry>> {
    // Not all of `/proc` is there everywhere, but where processes are, each has these.
    let me = Process::myself().ok()?;
    let mut all = me.tcp().ok()?;
    // Where there is no IPv6 there is no table of it.
    all.extend(me.tcp6().unwrap_or_default());
    Some(all)
}

/// Inodes of the sockets that a process holds open; empty if it is gone or hidden from us.
pub fn sockets(pid: u32) -> HashSet<u64> {
    sockets_if_told(pid).unwrap_or_default()
}

/// The same; `None` if it is hidden from us, as that of another user is.
pub fn sockets_if_told(pid: u32) -> Option<HashSet<u64>> {
    let Some(process) = open(pid) else { return Some(HashSet::new()) };
    let Ok(files) = process.fd() else {
        // One that has just ended holds none any more.
        let is_there = find(pid).is_some_and(|facts| !facts.is_zombie);
        return (!is_there).then(HashSet::new);
    };
    let socket = |file: procfs::ProcResult<procfs::process::FDInfo>| match file.ok()?.target {
        FDTarget::Socket(inode) => Some(inode),
        _ => None,
    };
    Some(files.filter_map(socket).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_found_by_the_port_of_its_own_end() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let client = std::net::TcpStream::connect(address).expect("connect");
        let found = connections_from(client.local_addr().expect("address").port());
        assert!(found.iter().any(|it| it.remote == address), "{found:?}");
        assert!(connections_from(address.port()).iter().all(|it| it.local == address));
    }
}
