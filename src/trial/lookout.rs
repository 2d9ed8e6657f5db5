//! What is read at the two ends of a window, on the thread that opens and closes it: the server's tree, its log, and the
//! machine.

use std::collections::BTreeMap;

use crate::host::window::{self, Reading, Seats, Watch};
use crate::record::host::HostUse;
use crate::target::server::Server;
use crate::usage::sampler::{Sampler, Usage};

/// Who looks.
pub(super) struct Lookout<'s> {
    server: &'s Server,
    sampler: Sampler,
    watch: Watch,
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
    /// Bytes that the server wrote to its log in the window; `None` if unknown.
    pub(super) output_bytes: Option<u64>,
    pub(super) host: HostUse,
    /// Why figures of the machine are absent, by their names on disk.
    pub(super) host_absent: BTreeMap<String, String>,
}

impl<'s> Lookout<'s> {
    pub(super) fn new(server: &'s Server, sampler: Sampler, watch: Watch) -> Self {
        Self { server, sampler, watch, before: None }
    }

    /// The warm-up is about to begin.
    pub(super) fn before_load(&mut self) {
        self.before = Some(self.watch.read(|| ()).0);
    }

    /// The window opens, or is about to.
    pub(super) fn open(&mut self) -> Opened {
        let (host, _) = self.watch.read(|| self.sampler.begin_window());
        Opened { host, output_bytes: self.server.output_bytes() }
    }

    /// The window has closed. What goes on with time is read first, and in the same order. `seats` says who ran where,
    /// given what the server used.
    pub(super) fn close(&mut self, opened: &Opened, seats: impl FnOnce(&Usage) -> Seats) -> Seen {
        let (closed, usage) = self.watch.read(|| self.sampler.end_window());
        let output_bytes = written(opened.output_bytes, self.server.output_bytes());
        let ends = (&opened.host, &closed);
        let (host, host_absent) = window::between(self.before.as_ref(), ends, &seats(&usage));
        Seen { usage, output_bytes, host, host_absent }
    }
}

fn written(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}
