//! Where things stand on this machine that are no results: builds, tools, the lock.
//!
//! Builds and tools live in the user's cache, apart from sources and results, and can be deleted at any time.

use std::env;
use std::path::{Path, PathBuf};

use crate::digest;

/// The folders of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Holds the build folder of each target.
    pub builds: PathBuf,
    /// Files that servers may serve: `{assets}`.
    pub assets: PathBuf,
    /// Tools that were provisioned, for all projects.
    pub tools: PathBuf,
    /// Work trees of earlier revisions of targets.
    pub trees: PathBuf,
    project: PathBuf,
}

impl Places {
    /// Those of the project that a matrix belongs to: one build folder for each folder that holds matrices.
    /// `ORCHESTRATE_CACHE` moves them all.
    pub fn of(matrix: &Path) -> Self {
        let cache = cache();
        let matrix = std::path::absolute(matrix).unwrap_or_else(|_| matrix.to_owned());
        let folder = matrix.parent().unwrap_or(Path::new("/"));
        let key = digest::sha256(folder.as_os_str().as_encoded_bytes());
        let project = cache.join(format!("project-{}", &key[..12]));
        Self {
            builds: project.join("build"),
            assets: project.join("assets"),
            tools: cache.join("tools"),
            trees: project.join("against"),
            project,
        }
    }
}

impl Places {
    /// What `noise` measured for a matrix of this name.
    pub fn noise(&self, matrix: &str) -> PathBuf {
        self.project.join("noise").join(format!("{matrix}.json"))
    }
}

/// The lock of the machine, the same for all users whatever their `TMPDIR`; `ORCHESTRATE_LOCK` moves it.
pub fn lock() -> PathBuf {
    env::var_os("ORCHESTRATE_LOCK").map_or_else(|| "/tmp/orchestrate.lock".into(), PathBuf::from)
}

fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("ORCHESTRATE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("orchestrate")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/orchestrate")))
        .unwrap_or_else(|| env::temp_dir().join("orchestrate-cache"));
    // Targets, which run in folders of their own, are told of it.
    std::path::absolute(&cache).unwrap_or(cache)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_one_folder_share_their_builds_and_others_do_not() {
        let place = |path: &str| Places::of(Path::new(path));
        assert_eq!(place("/a/configs/one.toml"), place("/a/configs/two.toml"));
        assert_ne!(place("/a/configs/one.toml"), place("/b/configs/one.toml"));
        assert_eq!(place("/a/one.toml").tools, place("/b/one.toml").tools);
        let here = std::env::current_dir().expect("a folder").join("one.toml");
        assert_eq!(place("one.toml"), Places::of(&here));
    }
}
