//! The ends that a command can come to, and the exit code of each.

use std::process::ExitCode;

use crate::matrix::problem::Problem;

/// How a command that did its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Done; skipped rows are allowed.
    Done,
    /// Nothing was selected or measured.
    Nothing,
    /// A target failed, broke what it claims, or was skipped where all were required.
    TargetFailed,
    /// Generated text is not what it would be now.
    OutOfDate,
    /// Something of the machine spoils figures, and nothing may.
    MachineAtFault,
    /// Something is worse than it was, and nothing may be.
    Regression,
    /// Of something it cannot be told whether it is worse, and all must be.
    Unclear,
    /// More requests were wrong or lost than were allowed.
    TooManyErrors,
    /// A signal ended it; what was measured is kept. Holds the exit code that tells the signal.
    Interrupted(u8),
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What the user wrote is at fault; all of it is told.
    #[error("{}", .0.first().map_or("", |problem| problem.what.as_str()))]
    Problems(Vec<Problem>),
    /// A selection that selects nothing.
    #[error("{what}")]
    Nothing {
        /// What was not found.
        what: String,
        /// What there is.
        hint: String,
    },
    /// A page names what is not there.
    #[error("{}", .0.first().map_or("", |problem| problem.what.as_str()))]
    NothingAt(Vec<Problem>),
    /// It would be wrong to go on.
    #[error("{what}")]
    Refused {
        /// Why.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// It would be wrong to write over what stands in a page.
    #[error("{}", .0.first().map_or("", |problem| problem.what.as_str()))]
    RefusedAt(Vec<Problem>),
    /// Our own fault, or the machine's.
    #[error("{0}")]
    Ours(String),
    /// Likewise, of something that was under way and can be gone on with.
    #[error("{what}")]
    Stopped {
        /// What stopped it.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Error {
    /// Any failure of ours.
    pub fn ours(error: impl std::fmt::Display) -> Self {
        Self::Ours(error.to_string())
    }
}

/// The exit code of an end: 0 done; 1 our own failure; 2 usage or matrix; 3 generated text is out of date; 4 nothing was
/// selected or measured; 5 a target failed or broke what it claims, the machine spoils figures, or too many requests failed; 6 refused; 10 a
/// regression; 11 unclear; 130 and the like: interrupted.
pub fn exit_code(outcome: &Result<End, Error>) -> ExitCode {
    let code = match outcome {
        Ok(End::Done) => 0,
        Ok(End::OutOfDate) => 3,
        Ok(End::Nothing) | Err(Error::Nothing { .. } | Error::NothingAt(_)) => 4,
        Ok(End::TargetFailed | End::MachineAtFault | End::TooManyErrors) => 5,
        Ok(End::Regression) => 10,
        Ok(End::Unclear) => 11,
        Ok(End::Interrupted(code)) => *code,
        Err(Error::Ours(_) | Error::Stopped { .. }) => 1,
        Err(Error::Problems(_)) => 2,
        Err(Error::Refused { .. } | Error::RefusedAt(_)) => 6,
    };
    ExitCode::from(code)
}
