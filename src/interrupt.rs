//! The signals that end a run: noticed by whoever waits, so that what was measured is kept and nothing keeps running.
//!
//! The first one asks for an end. A second one ends this process at once; the keepers then end their servers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// Whether this process has been asked to end, and by which signal.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    is_set: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens to Ctrl-C, SIGTERM and SIGHUP from now on.
    ///
    /// # Errors
    /// If the system takes no handler.
    pub fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).expect("signals have small positive numbers");
            // The order matters: the second signal finds the flag set, and ends us before it is looked at again.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&interrupt.is_set))?;
            signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.signal), number)?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.is_set))?;
        }
        // A file that may grow no more is an error like others, told where it is written; it would end us unsaid.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        Ok(interrupt)
    }

    /// Whether an end has been asked for.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// The flag itself, for those who wait on several things.
    pub fn flag(&self) -> &AtomicBool {
        &self.is_set
    }

    /// The signal that asked, by name.
    pub fn signal_name(&self) -> Option<&'static str> {
        match i32::try_from(self.signal.load(Ordering::Relaxed)).ok()? {
            SIGINT => Some("SIGINT"),
            SIGTERM => Some("SIGTERM"),
            SIGHUP => Some("SIGHUP"),
            _ => None,
        }
    }

    /// The exit code by which a shell knows that a signal ended us: 128 and its number.
    pub fn exit_code(&self) -> u8 {
        u8::try_from(128 + self.signal.load(Ordering::Relaxed)).unwrap_or(130)
    }
}
