//! Ports and readiness: who has a port is told or waited for, and only a server's own socket makes it ready.

use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;

use orchestrate::outcome::Stage;
use rustix::process::Signal;
use socket2::{Domain, Socket, Type};

use crate::support::{Bench, Standing, until};

/// A connection of ours that has a port at its own end: that end, the other end, the port.
fn connection() -> (TcpStream, TcpStream, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a listener");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("bound");
    socket.connect(&listener.local_addr().expect("an address").into()).expect("connected");
    let near = TcpStream::from(socket);
    let (far, _) = listener.accept().expect("accepted");
    let port = near.local_addr().expect("an address").port();
    (near, far, port)
}

/// Closes the one end first, on which the memory of the connection then stays for a while.
fn close(first: TcpStream, mut then: TcpStream) {
    drop(first);
    let mut rest = Vec::new();
    then.read_to_end(&mut rest).expect("the end");
}

#[test]
fn a_fixed_port_that_a_connection_has_is_waited_for_and_that_is_said() {
    let (near, far, port) = connection();
    let bench = Bench::new().target_with("a", "", &format!("port = {port}"));
    let mut running = bench.start(&[]);
    let notice = running.event("notice");
    let text = notice["text"].as_str().expect("a text");
    let me = std::process::id();
    let said = format!("port {port} is in use for a connection by pid {me} (`");
    assert!(text.starts_with(&said), "{text}");
    assert!(text.contains("which is waited for, 30 s at most"), "{text}");
    close(far, near);
    let outcome = running.outcome().exits(0);
    assert!(outcome.trial("a").measured().is_some(), "{outcome:#?}");
    assert!(outcome.stderr.contains(&said), "{outcome:#?}");
}

#[test]
fn a_fixed_port_on_which_connections_of_the_past_linger_is_waited_for_until_ctrl_c() {
    let (near, far, port) = connection();
    close(near, far);
    let bench = Bench::new().target_with("a", "", &format!("port = {port}"));
    let mut running = bench.start(&[]);
    let notice = running.event("notice");
    let said = format!(
        "port {port} is still taken by 1 connection of the past, which is waited for, 1 min 10 s at most"
    );
    assert_eq!(notice["text"], said);
    running.signal(Signal::INT);
    running.outcome().exits(130);
    assert!(!bench.path("a.pid").exists(), "it was started");
}

/// A command that asks somebody else, by writing a file, to serve on its port, and ends or waits once that one does.
fn asks(bench: Bench, port: u16, keys: &str, then: &str) -> Bench {
    let command = format!("touch asked; while ! test -e served; do sleep 0.01; done; {then}");
    bench.toml(&format!(
        "[[target]]\nname = \"a\"\nport = {port}\nshell = true\ncommand = \"{command}\"\n{keys}\n"
    ))
}

/// Serves on a port once it is asked for, until it is let go of.
fn serve_when_asked(folder: &Path, port: u16) -> Standing {
    until("somebody asks", || folder.join("asked").exists().then_some(()));
    let standing = Standing::on(port, "");
    std::fs::write(folder.join("served"), "").expect("a file");
    standing
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn a_server_that_answers_through_a_process_elsewhere_is_told_with_whose_socket_it_was() {
    for then in ["exec sleep 100", "exit 0"] {
        let port = free_port();
        let bench = asks(Bench::new(), port, "", then);
        let running = bench.start(&[]);
        let standing = serve_when_asked(&bench.path(""), port);
        let failed = running.outcome().exits(5).failure("a");
        assert_eq!(failed.stage, Stage::Ready, "{failed:#?}");
        let reason = format!("answered by pid {} (`", standing.pid());
        assert!(failed.reason.starts_with(&reason), "{then}: {failed:#?}");
        assert!(failed.reason.ends_with("which does not belong to it"), "{failed:#?}");
    }
}

#[test]
fn a_command_that_hands_its_work_to_an_external_server_and_ends_is_measured() {
    let port = free_port();
    let bench = asks(Bench::new(), port, "external = true", "exit 0");
    let running = bench.start(&[]);
    let _standing = serve_when_asked(&bench.path(""), port);
    let trial = running.outcome().exits(0).trial("a");
    let measured = trial.measured().expect("measured");
    assert!(measured.good > 0 && measured.server.is_none(), "{trial:#?}");
    assert!(measured.absent["server"].contains("not ours"), "{trial:#?}");
}

#[test]
fn a_command_that_ends_and_leaves_nothing_is_never_ready() {
    let failed = Bench::new().command("a", "true").run(&[]).exits(5).failure("a");
    assert_eq!((failed.stage, failed.exit_code), (Stage::Ready, Some(0)));
    let reason = "it ended before it was ready: exit code 0, and nothing of it was left to serve";
    assert_eq!(failed.reason, reason);
}
