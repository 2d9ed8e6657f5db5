//! The stages around the load: start, ready, verify, stop.

use std::path::Path;
use std::time::Duration;

use super::{Ask, Cut, Going, TrialError, ask};
use crate::clock;
use crate::digest;
use crate::generator::probe;
use crate::http::expect::{Expectation, explain};
use crate::http::framing::{Framing, Head};
use crate::http::request::Version;
use crate::judge::unequal_response;
use crate::outcome::Stage;
use crate::record::measured::ResponseSeen;
use crate::record::trial::Failed;
use crate::target::command::{self, Values};
use crate::target::ready::{self, NotReady, Wait};
use crate::target::server::{Server, StartFailure, StartOrder};
use crate::target::{Exit, port};
use crate::usage::tree::Tree;

/// Open files that every server may have, so that no row is limited by another number than its neighbours.
const OPEN_FILES: u64 = 65_536;
/// How long it may take until the end of a process is heard of.
const EXIT_HEARD_WITHIN: Duration = Duration::from_millis(100);
/// How long the verifying request may take.
const VERIFY_WITHIN: Duration = Duration::from_secs(10);

impl Going<'_> {
    /// Starts the server on its port, of which nobody else may have taken hold.
    pub(super) fn start(&self, out: &Path) -> Result<Server, Cut> {
        if let Some(holder) = port::holders(self.address).first() {
            let reason = format!("port {} is in use by {holder}", self.address.port());
            return Err(Failed::new(Stage::Start, reason).into());
        }
        let values = Values {
            host: self.address.ip().to_string(),
            port: Some(self.address.port()),
            out: out.to_owned(),
            assets: self.shared.assets.to_owned(),
            cpus: self.shared.split.server.clone(),
        };
        let refused = |error: command::CommandError| Failed::new(Stage::Start, error.to_string());
        let order = StartOrder {
            name: format!("trial-{}", self.address.port()),
            argv: command::words(&self.target.command, &values).map_err(refused)?,
            dir: self.target.dir.clone(),
            env: command::environment(&self.target.env, &values, self.shared.path)
                .map_err(refused)?,
            cpus: self.shared.split.server.clone(),
            keeper_cpus: self.shared.split.generator.clone(),
            log: self.log.clone(),
            open_files: Some(OPEN_FILES),
            program: None,
        };
        Server::start(&order).map_err(|failure| match failure {
            StartFailure::Target { reason } => Failed::new(Stage::Start, reason).into(),
            keeper @ StartFailure::Keeper { .. } => TrialError::Keeper(keeper.to_string()).into(),
        })
    }

    /// Waits for the first right answer, and until the tree has settled.
    pub(super) fn wait_until_ready(&mut self, server: &Server, tree: &Tree) -> Result<(), Cut> {
        let (path, expectation) = self.ready_request();
        let judge = |status: u16, headers: &[(String, Vec<u8>)], body: &[u8]| {
            judge_answer(&expectation, status, headers, body)
        };
        let pids = || tree.pids();
        let wait = Wait {
            address: self.address,
            path: path.as_deref(),
            judge: &judge,
            timeout: self.target.ready_timeout,
            tree: (!self.target.external).then_some(&pids as &dyn Fn() -> Vec<u32>),
            exited: &|| server.exited(),
            is_interrupted: self.shared.interrupt.flag(),
        };
        match ready::wait(&wait) {
            Ok(ready) => {
                self.record.requests.probes = ready.probes;
                let startup = ready.at.since(server.exec_at());
                self.record.startup_ms = Some(milliseconds(startup));
                Ok(())
            }
            Err(NotReady::Interrupted) => Err(TrialError::Interrupted.into()),
            Err(NotReady::CannotAsk(reason)) => Err(TrialError::Keeper(reason).into()),
            Err(NotReady::Exited(exit)) => Err(exited(Stage::Ready, exit).into()),
            Err(other) => Err(Failed::new(Stage::Ready, other.to_string()).into()),
        }
    }

    /// The path that says that it is ready, and the right answer to it; no path means that a connection will do.
    fn ready_request(&self) -> (Option<String>, Expectation) {
        if let Some(path) = &self.target.ready {
            return (Some(path.clone()), Expectation::default());
        }
        let first = self
            .shared
            .matrix
            .workloads
            .iter()
            .find(|workload| self.target.offers(&workload.name))
            .unwrap_or(self.workload);
        let request = self.target.requests.get(&first.name).unwrap_or(&first.request);
        if request.method == "GET" && request.headers.is_empty() && request.body.is_empty() {
            (Some(request.path.clone()), ask::expectation(self.target, first))
        } else {
            (None, Expectation::default())
        }
    }

    /// Asks once what the load will ask, and looks at the whole answer. Where nobody said which body is right, this one
    /// is from now on.
    pub(super) fn verify(
        &mut self,
        mut ask: Ask,
        server: &Server,
    ) -> Result<(Ask, ResponseSeen), Cut> {
        self.record.requests.verify = 1;
        let asked = probe::ask(ask.address, &ask.request, ask.kind, VERIFY_WITHIN);
        let answer = asked.map_err(|error| {
            // A server that dies of the request is heard of a moment after its connection has gone.
            clock::sleep_until(clock::now() + EXIT_HEARD_WITHIN);
            match server.exited().filter(|exit| exit.code != Some(0)) {
                Some(exit) => exited(Stage::Verify, exit),
                None => Failed::new(Stage::Verify, error.to_string()),
            }
        })?;
        if let Some(mismatch) = explain(&ask.expectation, &answer.head(), &answer.body) {
            return Err(Failed::new(Stage::Verify, mismatch.to_string()).into());
        }
        // What a target knowingly does otherwise is right for it, and yet no answer like its neighbours'.
        let general = self.workload.expect.as_ref();
        let differs = general.and_then(|right| explain(right, &answer.head(), &answer.body));
        self.record.caveats.extend(differs.as_ref().map(unequal_response::knowingly));
        let content_type = answer.head().field("content-type").map(<[u8]>::to_vec);
        let response = ResponseSeen {
            status: answer.status,
            length: answer.body.len() as u64,
            sha256: digest::sha256(&answer.body),
            content_type: content_type.map(|text| String::from_utf8_lossy(&text).into_owned()),
            header_bytes: answer.head().raw.len() as u64,
        };
        if !self.record.is_expected {
            ask.expectation = ask.expectation.pinned_to(&answer.body);
        }
        Ok((ask, response))
    }

    /// Ends the server with everything that it started, and sees to it that its port is free.
    pub(super) fn stop(&mut self, server: Server) -> Result<(), Cut> {
        let stopped = server
            .stop(self.target.stop_grace)
            .map_err(|error| Failed::new(Stage::Stop, error.to_string()))?;
        self.record.stop_ms = Some(milliseconds(stopped.took));
        if stopped.left > 0 {
            let reason = format!("{} of its processes outlived SIGKILL", stopped.left);
            return Err(Failed::new(Stage::Stop, reason).into());
        }
        match port::holders(self.address).first() {
            Some(holder) if !self.target.external => {
                let reason = format!("its port is still in use by {holder}");
                Err(Failed::new(Stage::Stop, reason).into())
            }
            _ => Ok(()),
        }
    }
}

/// The failure of a server that ended by itself.
pub(super) fn exited(stage: Stage, exit: Exit) -> Failed {
    if exit == (Exit { code: None, signal: None }) {
        return Failed::new(stage, "its keeper was killed, and the server with it");
    }
    let when = match stage {
        Stage::Ready => "before it was ready",
        Stage::Verify => "when it was asked what the load asks",
        Stage::WarmUp => "during the warm-up",
        _ => "inside the window",
    };
    Failed {
        exit_code: exit.code,
        signal: exit.signal,
        ..Failed::new(stage, format!("it ended {when}: {exit}"))
    }
}

/// Judges an answer that came in parts already taken apart, as the same judge that sees the load's answers does.
fn judge_answer(
    expectation: &Expectation,
    status: u16,
    headers: &[(String, Vec<u8>)],
    body: &[u8],
) -> Result<(), String> {
    let mut raw = format!("HTTP/1.1 {status} \r\n").into_bytes();
    for (name, value) in headers {
        raw.extend_from_slice(name.as_bytes());
        raw.extend_from_slice(b": ");
        raw.extend_from_slice(value);
        raw.extend_from_slice(b"\r\n");
    }
    raw.extend_from_slice(b"\r\n");
    let head = Head {
        status,
        version: Version::Http11,
        raw: &raw,
        content_length: None,
        framing: Framing::Length,
        keep_alive: true,
    };
    explain(expectation, &head, body).map_or(Ok(()), |mismatch| Err(mismatch.to_string()))
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
