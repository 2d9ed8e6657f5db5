//! The only writer to the terminal: data to standard output, everything else to standard error.

use std::io::{self, IsTerminal as _, Write as _};

use crate::error::Error;
use crate::matrix::problem::Problem;

pub mod load;
pub mod problem;
pub mod progress;

/// Where a command speaks.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    /// Whether only what is asked for, and errors, are said.
    pub is_quiet: bool,
    has_colour: bool,
    /// Whether a person is looking on, at what can be drawn anew.
    is_live: bool,
    width: usize,
    height: usize,
}

impl Console {
    /// Looks at the terminal and its environment.
    pub fn new(is_quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let size = rustix::termios::tcgetwinsize(io::stderr());
        let (width, height) = size.map_or((100, 24), |size| {
            (usize::from(size.ws_col).clamp(40, 200), usize::from(size.ws_row))
        });
        Self {
            is_quiet,
            has_colour: is_terminal && !set("NO_COLOR") && !is_dumb,
            is_live: is_terminal && !is_dumb,
            width,
            height,
        }
    }

    /// Letters in a line of the terminal that standard output is; none if it is something else.
    pub fn room_for_data(&self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// Writes what was asked for to standard output. A reader that has gone away is no fault.
    ///
    /// # Errors
    /// If it cannot be written, as to a full disk.
    pub fn data(&self, text: &str) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::Ours(format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Says something on the way, unless it is to be quiet.
    pub fn say(&self, line: &str) {
        if !self.is_quiet {
            self.insist(line);
        }
    }

    /// Says something that must not be missed.
    pub fn insist(&self, line: &str) {
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// Tells why a command could not do its work.
    pub fn error(&self, error: &Error) {
        match error {
            Error::Problems(problems) | Error::NothingAt(problems) | Error::RefusedAt(problems) => {
                self.problems(problems);
            }
            Error::Nothing { what, hint } => self.fault(what, Some(hint)),
            Error::Refused { what, hint } | Error::Stopped { what, hint } => {
                self.fault(what, hint.as_deref());
            }
            Error::Ours(what) => self.fault(what, None),
        }
    }

    fn problems(&self, problems: &[Problem]) {
        self.insist(problem::render(problems, self.has_colour, self.width).trim_end());
    }

    fn fault(&self, what: &str, hint: Option<&str>) {
        self.insist(&format!("error: {what}"));
        if let Some(hint) = hint {
            self.insist(&format!("hint: {hint}"));
        }
    }
}
