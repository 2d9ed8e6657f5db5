//! Files that stand on no disk, for texts that come from somewhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::files::{Files, tidy};

/// Files by absolute path; the current folder is `/project`.
#[derive(Default)]
pub(super) struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    /// The same with one more file.
    pub(super) fn with(mut self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        self.0.insert(tidy(&self.here().join(path)), content.as_ref().to_vec());
        self
    }

    fn below<'a>(&'a self, path: &Path) -> impl Iterator<Item = &'a Path> + use<'a> {
        let folder = tidy(&self.here().join(path));
        self.0.keys().filter_map(move |file| file.strip_prefix(&folder).ok())
    }
}

impl Files for Memory {
    fn here(&self) -> &Path {
        Path::new("/project")
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let content = self.0.get(&tidy(&self.here().join(path)));
        content.cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }

    fn exists(&self, path: &Path) -> bool {
        self.below(path).next().is_some()
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.below(path).any(|rest| !rest.as_os_str().is_empty())
    }

    fn folders(&self, path: &Path) -> Vec<String> {
        let names: BTreeSet<String> = self
            .below(path)
            .filter(|rest| rest.components().count() > 1)
            .filter_map(|rest| Some(rest.iter().next()?.to_str()?.to_owned()))
            .collect();
        names.into_iter().collect()
    }
}
