//! A rehearsal: a server is started for nothing and stopped, to see whether and how servers are contained here.
//!
//! Whether a control group can be joined, and CPUs be taken, is only seen by doing it.

use std::time::Duration;

use super::server::{Containment, Server, StartOrder};

/// How long it may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(2);

/// How a server on these CPUs, whose keeper is on those, is contained. It is this program, told to tell its version.
///
/// # Errors
/// Why none can be started, as shown.
pub fn rehearse(cpus: &[usize], keeper_cpus: &[usize]) -> Result<Containment, String> {
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir().map_err(|error| format!("no folder for its log: {error}"))?;
    let order = StartOrder {
        name: "rehearsal".to_owned(),
        argv: vec![me.display().to_string(), "--version".to_owned()],
        dir: scratch.path().to_owned(),
        env: std::collections::BTreeMap::new(),
        cpus: cpus.to_vec(),
        keeper_cpus: keeper_cpus.to_vec(),
        log: scratch.path().join("log"),
        open_files: None,
        is_external: false,
    };
    let server = Server::start(&order).map_err(|failure| failure.to_string())?;
    let containment = server.containment().clone();
    server.stop(GRACE).map_err(|error| error.to_string())?;
    Ok(containment)
}
