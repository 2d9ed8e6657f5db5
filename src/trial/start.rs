//! The stages around the load: ready, verify, stop.

use std::time::Duration;

use super::{Ask, Cut, Going};
use crate::digest;
use crate::generator::probe;
use crate::http::expect::explain;
use crate::judge::unequal_response;
use crate::lifecycle::exited;
use crate::outcome::Stage;
use crate::record::measured::ResponseSeen;
use crate::record::trial::Failed;
use crate::target::server::Server;
use crate::usage::tree::Tree;

/// How long it may take until the end of a process is heard of.
const EXIT_HEARD_WITHIN: Duration = Duration::from_millis(100);
/// How long the verifying request may take.
const VERIFY_WITHIN: Duration = Duration::from_secs(10);

impl Going<'_> {
    /// Waits for the first right answer, and until the tree has settled.
    pub(super) fn wait_until_ready(&mut self, server: &Server, tree: &Tree) -> Result<(), Cut> {
        self.tell(Stage::Ready, None);
        let ready = self.lifecycle().wait_until_ready(server, tree)?;
        self.record.requests.probes = ready.probes;
        self.record.startup_ms = Some(milliseconds(ready.at.since(server.exec_at())));
        Ok(())
    }

    /// Asks once what the load will ask, and looks at the whole answer. Where nobody said which body is right, this one
    /// is from now on.
    pub(super) fn verify(
        &mut self,
        mut ask: Ask,
        server: &Server,
    ) -> Result<(Ask, ResponseSeen), Cut> {
        self.tell(Stage::Verify, None);
        self.record.requests.verify = 1;
        let asked = probe::ask(ask.address, &ask.request, ask.kind, VERIFY_WITHIN);
        let answer = asked.map_err(|error| {
            // A server that dies of the request is heard of a moment after its connection has gone.
            match server.exited_within(EXIT_HEARD_WITHIN).filter(|exit| exit.code != Some(0)) {
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
            http: Some(answer.version.name().to_owned()),
            framing: Some(answer.framing.name().to_owned()),
            keep_alive: self.load.keep_alive.then_some(answer.is_reusable),
        };
        if !self.record.is_expected {
            ask.expectation = ask.expectation.pinned_to(&answer.body);
        }
        Ok((ask, response))
    }

    /// Ends the server with everything that it started, and sees to it that its port is free.
    pub(super) fn stop(&mut self, server: Server) -> Result<(), Cut> {
        self.tell(Stage::Stop, None);
        let stopped = self.lifecycle().stop(server)?;
        self.record.stop_ms = Some(milliseconds(stopped.took));
        stopped.check()?;
        Ok(())
    }
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
