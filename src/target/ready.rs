//! Polling a started server until its first right answer, and making sure that it was the server who gave it.
//!
//! Here is the only use of reqwest: no proxy, no redirects, HTTP/1 only, and no connection that outlives its probe.
//! What a right answer is, and who belongs to the tree, the caller says.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::listening::{self, Holder, Whose};
use super::order::Exit;
use super::settle::settle;
use crate::clock::{self, Instant};
use crate::processes;
use crate::units::write_duration;

/// Between two probes at first, and at most.
const PERIODS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(5));
/// A probe that hangs is given up, at the earliest after so long: what accepts before it serves may forget it.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// A probe without an answer hangs from here on.
const HANGS_FROM: Duration = Duration::from_millis(500);
/// How long it may take until the end of a process is heard of.
const HEARD_WITHIN: Duration = Duration::from_millis(100);
/// Between two looks at whether the server still lives.
const LOOK: Duration = Duration::from_millis(10);
/// The longest answer that is judged, in bytes.
const LONGEST_ANSWER: usize = 64 << 20;

/// Says what is wrong with an answer: status, headers, body.
pub type Judge<'a> = dyn Fn(u16, &[(String, Vec<u8>)], &[u8]) -> Result<(), String> + 'a;

/// What is waited for.
pub struct Wait<'a> {
    /// Where it must listen.
    pub address: SocketAddr,
    /// The path that is asked; without one a connection will do.
    pub path: Option<&'a str>,
    /// Whether an answer is right.
    pub judge: &'a Judge<'a>,
    /// How long, counted from now.
    pub timeout: Duration,
    /// The pids of the server's tree; `None` if the process that answers is not ours.
    pub tree: Option<&'a dyn Fn() -> Vec<u32>>,
    /// Of which all of it descends, whatever it does.
    pub keeper: u32,
    /// How the server ended, once it has.
    pub exited: &'a dyn Fn() -> Option<Exit>,
    /// Set when all should end.
    pub is_interrupted: &'a AtomicBool,
}

/// A server that is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The instant of the first right answer.
    pub at: Instant,
    /// Requests that it may have seen.
    pub probes: u64,
    /// From the first right answer until its processes and threads stayed the same, or were no longer waited for.
    pub settled_after: Duration,
    /// Why it is not known that the socket which answered is its own, if so.
    pub unknown_whose: Option<String>,
}

/// Why a server is not ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// It ended before.
    #[error("it ended before it was ready: {0}")]
    Exited(Exit),
    /// Time was over.
    #[error("not ready within {}: {last_seen}{}", write_duration(*.after), instead(.listens_at))]
    Timeout {
        /// How long was waited.
        after: Duration,
        /// What the last probe saw.
        last_seen: String,
        /// Where it listens, if not where it should.
        listens_at: Vec<SocketAddr>,
    },
    /// Somebody else answered.
    #[error("answered by {0}, which does not belong to it")]
    Stranger(Holder),
    /// One of its processes answered that cannot be measured.
    #[error(
        "answered by {0}, which has left its control group, so that its use of CPU and memory cannot be told"
    )]
    LeftGroup(Holder),
    /// An answer came, and from nowhere.
    #[error(
        "answered, but nobody listens there: a rule of the firewall or another network namespace answered"
    )]
    Nobody,
    /// All should end.
    #[error("interrupted")]
    Interrupted,
    /// Our fault: no way to ask.
    #[error("cannot ask: {0}")]
    CannotAsk(String),
}

fn instead(listens_at: &[SocketAddr]) -> String {
    if listens_at.is_empty() {
        return String::new();
    }
    let places: Vec<String> = listens_at.iter().map(SocketAddr::to_string).collect();
    let places = places.join(", ");
    format!("; it listens on {places} instead: have it take `{{port}}` or PORT, or say `port`")
}

/// Waits until a server is ready.
///
/// # Errors
/// Why it is not.
pub fn wait(wait: &Wait<'_>) -> Result<Ready, NotReady> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| NotReady::CannotAsk(error.to_string()))?;
    let (at, probes) = runtime.block_on(first_right_answer(wait))?;
    // No connection of ours may be open while it settles.
    drop(runtime);
    let mut unknown_whose = None;
    if let Some(tree) = wait.tree {
        unknown_whose = belongs(wait, tree)?.err();
        settle(tree, || end(wait).map_or(Ok(()), Err))?;
    }
    Ok(Ready { at, probes, settled_after: clock::now().since(at), unknown_whose })
}

/// Whether the socket that answers is the tree's; within, why that is not known.
fn belongs(wait: &Wait<'_>, tree: &dyn Fn() -> Vec<u32>) -> Result<Result<(), String>, NotReady> {
    let not_ready = match listening::whose(wait.address, &tree()) {
        Whose::Tree => return Ok(Ok(())),
        Whose::Unknown(reason) => return Ok(Err(reason)),
        Whose::Stranger(holder) => told(wait, holder),
        Whose::Nobody => NotReady::Nobody,
    };
    // A socket whose process has just ended has no owner either; its end is heard of a moment later.
    clock::sleep_until(clock::now() + HEARD_WITHIN);
    Err(end(wait).unwrap_or(not_ready))
}

fn told(wait: &Wait<'_>, holder: Holder) -> NotReady {
    let family = processes::descendants(wait.keeper);
    match holder.pid.filter(|pid| family.contains(pid)) {
        Some(_) => NotReady::LeftGroup(holder),
        None => NotReady::Stranger(holder),
    }
}

async fn first_right_answer(wait: &Wait<'_>) -> Result<(Instant, u64), NotReady> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .http1_only()
        .build()
        .map_err(|error| NotReady::CannotAsk(error.to_string()))?;
    let deadline = clock::now() + wait.timeout;
    let mut probes = 0;
    let mut period = PERIODS.0;
    let mut seen_before = None;
    loop {
        let began = clock::now();
        let probe_until = deadline.min(began + PROBE_LIMIT.max(wait.timeout / 4));
        let seen = tokio::select! {
            seen = probe(&client, wait) => seen,
            () = tokio::time::sleep(probe_until.remaining()) => {
                // One that was hardly begun when time was over says less than the one before it.
                let before = seen_before.take().filter(|_| clock::now().since(began) < HANGS_FROM);
                Seen::answered(before.unwrap_or_else(|| "no answer".to_owned()))
            }
            ended = ended(wait) => return Err(ended),
        };
        probes += u64::from(seen.is_sent);
        let Some(wrong) = seen.wrong else { return Ok((clock::now(), probes)) };
        if (deadline - period).is_past() {
            return Err(timed_out(wait, wrong));
        }
        seen_before = Some(wrong);
        tokio::select! {
            () = tokio::time::sleep(period) => {}
            ended = ended(wait) => return Err(ended),
        }
        period = (period + PERIODS.0).min(PERIODS.1);
    }
}

/// What a probe saw.
struct Seen {
    /// Whether the server may have seen it as a request.
    is_sent: bool,
    /// What is wrong with it.
    wrong: Option<String>,
}

impl Seen {
    fn nobody(why: impl Into<String>) -> Self {
        Self { is_sent: false, wrong: Some(why.into()) }
    }

    fn answered(wrong: impl Into<String>) -> Self {
        Self { is_sent: true, wrong: Some(wrong.into()) }
    }
}

async fn probe(client: &reqwest::Client, wait: &Wait<'_>) -> Seen {
    let Some(path) = wait.path else {
        return match tokio::net::TcpStream::connect(wait.address).await {
            Ok(_) => Seen { is_sent: false, wrong: None },
            Err(error) => Seen::nobody(connecting(&error)),
        };
    };
    let request = client.get(format!("http://{}{path}", wait.address));
    let mut response = match request.header("connection", "close").send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Seen::nobody(innermost(&error)),
        Err(error) => return Seen::answered(innermost(&error)),
    };
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= LONGEST_ANSWER => body.extend(chunk),
            Ok(Some(_)) => return Seen::answered("an answer without end"),
            Ok(None) => break,
            Err(error) => return Seen::answered(innermost(&error)),
        }
    }
    let headers: Vec<(String, Vec<u8>)> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    let judged = (wait.judge)(response.status().as_u16(), &headers, &body);
    Seen { is_sent: true, wrong: judged.err() }
}

/// The error at the bottom says what the ones around it only wrap.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.downcast_ref().map_or_else(|| cause.to_string(), connecting)
}

fn connecting(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        std::io::ErrorKind::ConnectionReset => "connection reset".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns once the server has ended, or all should.
async fn ended(wait: &Wait<'_>) -> NotReady {
    loop {
        if let Some(reason) = end(wait) {
            return reason;
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn end(wait: &Wait<'_>) -> Option<NotReady> {
    if wait.is_interrupted.load(Ordering::Relaxed) {
        return Some(NotReady::Interrupted);
    }
    let exit = (wait.exited)()?;
    let Some(tree) = wait.tree else {
        // What answers is not ours, and the command may only have told it to.
        return (exit.code != Some(0)).then_some(NotReady::Exited(exit));
    };
    if exit.leaves_daemon(tree) {
        return None;
    }
    // Nothing of it is left; so whoever listens there is another one, to whom it may have handed its work.
    let other = listening::holders(wait.address).into_iter().next();
    Some(match other.filter(|_| exit.code == Some(0)) {
        Some(holder) => told(wait, holder),
        None => NotReady::Exited(exit),
    })
}

fn timed_out(wait: &Wait<'_>, last_seen: String) -> NotReady {
    let listens_at = wait.tree.map(|tree| listening::listeners_of(&tree())).unwrap_or_default();
    let is_here = |at: &SocketAddr| {
        at.port() == wait.address.port()
            && (at.ip() == wait.address.ip() || at.ip().is_unspecified())
    };
    let is_elsewhere = !listens_at.iter().any(is_here);
    let listens_at = if is_elsewhere { listens_at } else { Vec::new() };
    NotReady::Timeout { after: wait.timeout, last_seen, listens_at }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    fn answering(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request);
                let _ = stream.write_all(answer);
            }
        });
        address
    }

    fn outcome(address: SocketAddr, tree: &dyn Fn() -> Vec<u32>) -> Result<Ready, NotReady> {
        outcome_of(address, tree, &|| None, false)
    }

    fn outcome_of(
        address: SocketAddr,
        tree: &dyn Fn() -> Vec<u32>,
        exited: &dyn Fn() -> Option<Exit>,
        is_interrupted: bool,
    ) -> Result<Ready, NotReady> {
        wait(&Wait {
            address,
            path: Some("/"),
            judge: &|status, _, body| match (status, body) {
                (200, b"hello") => Ok(()),
                (200, _) => Err("other content".to_owned()),
                (status, _) => Err(format!("{status} where 200 was expected")),
            },
            timeout: Duration::from_millis(200),
            tree: Some(tree),
            keeper: u32::MAX,
            exited,
            is_interrupted: &AtomicBool::new(is_interrupted),
        })
    }

    fn us() -> Vec<u32> {
        vec![std::process::id()]
    }

    #[test]
    fn the_first_right_answer_of_the_tree_makes_it_ready() {
        let address = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        let ready = outcome(address, &us).expect("ready");
        assert_eq!(ready.probes, 1);
        assert!(ready.settled_after >= Duration::from_millis(250));
    }

    #[test]
    fn an_answer_from_outside_of_the_tree_is_a_failure() {
        let address = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        let Err(NotReady::Stranger(holder)) = outcome(address, &Vec::new) else {
            panic!("a stranger answered");
        };
        assert_eq!(holder.pid, Some(std::process::id()));
    }

    #[test]
    fn what_was_seen_last_is_told_when_time_is_over() {
        let wrong = answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        let text = outcome(wrong, &us).expect_err("wrong").to_string();
        assert_eq!(text, "not ready within 200 ms: 404 where 200 was expected");
        let nobody = TcpListener::bind("127.0.0.1:0").expect("bind").local_addr().expect("address");
        let text = outcome(nobody, &us).expect_err("nobody").to_string();
        let start = "not ready within 200 ms: connection refused; it listens on ";
        assert!(text.starts_with(start) && text.contains(" instead: have it take "), "{text}");
    }

    #[test]
    fn an_end_and_an_interruption_are_noticed_at_once() {
        let nobody = TcpListener::bind("127.0.0.1:0").expect("bind").local_addr().expect("address");
        let exit = Exit { code: Some(1), signal: None };
        let ended = outcome_of(nobody, &us, &|| Some(exit), false);
        assert_eq!(ended, Err(NotReady::Exited(exit)));
        assert_eq!(outcome_of(nobody, &us, &|| None, true), Err(NotReady::Interrupted));
    }
}
