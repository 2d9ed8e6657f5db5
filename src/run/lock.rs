//! One run a machine: a lock that dies with its holder, and says who that is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// The machine, held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why the machine cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run holds it.
    #[error("another run holds this machine: {0}")]
    Held(String),
    /// The lock's file cannot be used.
    #[error("cannot lock `{path}`: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl Lock {
    /// Takes the machine for `holder`, a few words on who we are.
    ///
    /// # Errors
    /// If another process holds it, or its file cannot be used.
    pub fn take(path: &Path, holder: &str) -> Result<Self, LockError> {
        let say = |source| LockError::Io { path: path.display().to_string(), source };
        let mut file = open(path).map_err(say)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is told as far as it can be read.
                let _ = file.read_to_string(&mut holder);
                return Err(LockError::Held(holder.trim().to_owned()));
            }
            Err(TryLockError::Error(source)) => return Err(say(source)),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(holder.as_bytes())
        };
        write(&mut file).map_err(say)?;
        Ok(Self { _file: file })
    }
}

/// Who holds the machine, if anybody does; it is not taken.
///
/// # Errors
/// If that cannot be told.
pub fn holder(path: &Path) -> Result<Option<String>, LockError> {
    let say = |source| LockError::Io { path: path.display().to_string(), source };
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = match OpenOptions::new().read(true).custom_flags(no_link).open(path) {
        Ok(file) => file,
        // No run has ever been here.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(say(source)),
    };
    // Shared, and let go of at once: a run that begins at this very moment would be refused, and no other.
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            file.read_to_string(&mut holder).map_err(say)?;
            Ok(Some(holder.trim().to_owned()))
        }
        Err(TryLockError::Error(source)) => Err(say(source)),
    }
}

fn open(path: &Path) -> io::Result<File> {
    // A link would make us write to whatever it leads to.
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(no_link);
    // One that another user made can be opened, but not where making it is asked for (`fs.protected_regular`).
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = options.create_new(true).mode(0o666).open(path)?;
    // Another user's next run must be able to take it too, whatever our mask says.
    file.set_permissions(std::fs::Permissions::from_mode(0o666))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_held_once_and_free_again_afterwards() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let who = || holder(&path).expect("it can be told");
        assert_eq!((who(), path.exists()), (None, false));
        let first = Lock::take(&path, "the first").expect("free");
        assert_eq!(who().as_deref(), Some("the first"));
        match Lock::take(&path, "the second") {
            Err(LockError::Held(holder)) => assert_eq!(holder, "the first"),
            other => panic!("{other:?}"),
        }
        drop(first);
        assert_eq!(who(), None);
        Lock::take(&path, "the second").expect("free again");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        assert!(matches!(Lock::take(&link, "the third"), Err(LockError::Io { .. })));
    }
}
