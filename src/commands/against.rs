//! `run --against`: the targets of an earlier revision, put beside those of the plan.

use super::Planned;
use crate::console::Console;
use crate::error::{End, Error};
use crate::interrupt::Interrupt;
use crate::matrix::problem::Problem;
use crate::places::Places;
use crate::record::file;
use crate::record::run::Against;
use crate::report::escape::plain;
use crate::revision::{self, RevisionError, Trees, Wanted};
use crate::run::lock::{Lock, LockError};
use crate::target::git::Git;

/// A plan with the rows of an earlier revision; its work trees are there, and nobody else's to use, as long as this is.
pub(super) struct WithEarlier<'r> {
    pub(super) planned: Planned,
    pub(super) against: Against,
    _trees: Trees<'r>,
    _lock: Lock,
}

/// Reads and names the targets of a revision; or how that was ended early.
pub(super) fn join<'r>(
    planned: &Planned,
    revision: &'r str,
    (places, path): (&'r Places, &'r str),
    interrupt: &'r Interrupt,
    console: Console,
) -> Result<Result<WithEarlier<'r>, End>, Error> {
    let lock = lock(places)?;
    let mut matrix = planned.matrix.clone();
    let git = Git { path, is_interrupted: interrupt.flag() };
    let wanted = Wanted { revision, trees: &places.trees, git };
    let joined = match revision::join(&mut matrix, planned.plan.clone(), &wanted) {
        Ok(joined) => joined,
        Err(RevisionError::Interrupted) => {
            return Ok(Err(End::Interrupted(interrupt.exit_code())));
        }
        Err(RevisionError::Asked { what, hint }) => {
            return Err(Error::Problems(vec![Problem::without_place(what).hint(hint)]));
        }
        Err(error @ RevisionError::Ours(_)) => return Err(Error::ours(error)),
    };
    for label in &joined.without {
        console.say(&format!("{} lies in no Git tree, and has no earlier row", plain(label)));
    }
    for text in &joined.warnings {
        console.insist(&plain(text));
    }
    Ok(Ok(WithEarlier {
        planned: Planned { matrix, plan: joined.plan },
        against: joined.against,
        _trees: joined.trees,
        _lock: lock,
    }))
}

/// The work trees are those of one run at a time, also where two share the machine.
fn lock(places: &Places) -> Result<Lock, Error> {
    file::make_folder(&places.trees).map_err(Error::ours)?;
    let holder = format!("pid {}", std::process::id());
    Lock::take(&places.trees.join("lock"), &holder).map_err(|error| match error {
        LockError::Held(holder) => Error::Refused {
            what: format!("another run against an earlier revision is under way: {holder}"),
            hint: Some("wait for it".to_owned()),
        },
        LockError::Io { .. } => Error::ours(error),
    })
}
