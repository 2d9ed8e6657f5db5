//! What is read at the two ends of a window, on the thread that opens and closes it: the server's tree, its log, and the
//! machine.

use std::collections::BTreeMap;

use super::services::{ServiceLook, ServiceUse};
use crate::clock::Instant;
use crate::host::seats::Seats;
use crate::host::window::{self, Reading, Watch};
use crate::record::host::HostUse;
use crate::target::server::Server;
use crate::usage::sampler::Sampler;
use crate::usage::used::Usage;

/// Who looks.
pub(super) struct Lookout<'s> {
    server: &'s Server,
    sampler: Sampler,
    watch: Watch,
    services: Vec<ServiceLook>,
    /// The machine before any load.
    before: Option<Reading>,
}

/// What it saw when the window opened.
pub(super) struct Opened {
    host: Reading,
    output_bytes: Option<u64>,
}

/// What it saw of a whole window.
pub(super) struct Seen {
    pub(super) usage: Usage,
    pub(super) services: Vec<ServiceUse>,
    /// Bytes that the server wrote to its log in the window; or why that is not known.
    pub(super) output_bytes: Result<u64, String>,
    pub(super) host: HostUse,
    /// Why figures of the machine are absent, by their names on disk.
    pub(super) host_absent: BTreeMap<String, String>,
}

impl<'s> Lookout<'s> {
    pub(super) fn new(
        server: &'s Server,
        sampler: Sampler,
        watch: Watch,
        services: Vec<ServiceLook>,
    ) -> Self {
        Self { server, sampler, watch, services, before: None }
    }

    /// The warm-up is about to begin.
    pub(super) fn before_load(&mut self) {
        self.before = Some(self.watch.read(|| ()).0);
    }

    /// The window opens in a moment: what costs most is looked at before it does.
    pub(super) fn before_open(&self) {
        self.sampler.before_window();
        self.services.iter().for_each(|service| service.sampler.before_window());
    }

    /// The window opens, or is about to; `closes` is when it will close, if that is known.
    pub(super) fn open(&mut self, closes: Option<Instant>) -> Opened {
        let (host, ()) = self.watch.read(|| {
            self.sampler.begin_window(closes);
            for service in &mut self.services {
                service.sampler.begin_window(closes);
            }
        });
        Opened { host, output_bytes: self.server.output_bytes() }
    }

    /// The window has closed. What goes on with time is read first, and in the same order. `seats` says who ran where,
    /// given what the server and its services used.
    pub(super) fn close(
        &mut self,
        opened: &Opened,
        seats: impl FnOnce(&Usage, &[ServiceUse]) -> Seats,
    ) -> Seen {
        let (closed, ()) = self.watch.read(|| {
            self.sampler.close_window();
            self.services.iter_mut().for_each(|service| service.sampler.close_window());
        });
        let usage = self.sampler.end_window();
        let services: Vec<ServiceUse> = self.services.iter_mut().map(ServiceLook::end).collect();
        let output_bytes = written(opened.output_bytes, self.server.output_bytes());
        let ends = (&opened.host, &closed);
        let (host, host_absent) =
            window::between(self.before.as_ref(), ends, &seats(&usage, &services));
        Seen { usage, services, output_bytes, host, host_absent }
    }
}

fn written(before: Option<u64>, after: Option<u64>) -> Result<u64, String> {
    let ends = after.zip(before).ok_or("the log of the server could not be looked at")?;
    Ok(ends.0.saturating_sub(ends.1))
}
