//! A load while it goes: a bar on a terminal, nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Console;

/// Shows how far a load has come.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For a load of this length; one of so many requests shows only how long it has taken.
    pub fn new(console: Console, length: Duration, requests: Option<u64>) -> Self {
        if !console.is_live || console.is_quiet {
            return Self { bar: None };
        }
        let millis = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let (total, template) = match requests {
            None => (Some(millis), "{wide_bar} {elapsed} +{eta}"),
            Some(_) => (None, "{spinner} {elapsed}"),
        };
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(4));
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self { bar: Some(bar) }
    }

    /// So much time has passed.
    pub fn show(&self, passed: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_position(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX));
        }
    }

    /// Takes it away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
