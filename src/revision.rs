//! The targets of a matrix as they were at a revision of their sources: read, named, and put beside those of today.
//!
//! Each is declared as its own `target.toml` was then, or the matrix itself. What was not there then, or cannot be read, has a row
//! all the same, which says why. The sources are work trees of their own, in our cache; the user's tree and index are not touched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::matrix::problem::Problem;
use crate::matrix::{self, Earlier, Matrix, Target};
use crate::plan::Plan;
use crate::record::run::Against;
use crate::target::git::{Git, GitError};

/// The longest revision that stands in names as it was typed, in characters.
const NAME_MAX: usize = 30;
/// So many digits of a commit tell it from others.
const DIGITS: usize = 12;

/// What Git says of a folder that lies in no work tree.
const NO_REPOSITORY: &str = "not a git repository";

/// Cleaning up is not interrupted.
static NEVER: AtomicBool = AtomicBool::new(false);

/// What is wanted, and how it is had.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'r> {
    /// The revision, as typed.
    pub revision: &'r str,
    /// The folder that takes the work trees.
    pub trees: &'r Path,
    /// How Git is run.
    pub git: Git<'r>,
}

/// Why there is nothing to compare with.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// What was asked for is at fault.
    #[error("{what}")]
    Asked {
        /// What.
        what: String,
        /// What to do about it.
        hint: String,
    },
    /// All should end.
    #[error("interrupted")]
    Interrupted,
    /// Our own fault, or the machine's.
    #[error("{0}")]
    Ours(String),
}

/// The targets of a revision, put among those of the matrix; its work trees are removed when this is dropped.
#[derive(Debug)]
pub struct Joined<'r> {
    /// The plan with their rows.
    pub plan: Plan,
    /// What was put beside what, to be recorded.
    pub against: Against,
    /// Labels of targets that lie in no Git tree, and so have no earlier row.
    pub without: Vec<String>,
    /// What of an earlier row is not as it was, in sentences.
    pub warnings: Vec<String>,
    /// Where they are.
    pub trees: Trees<'r>,
}

/// Work trees, one for each repository.
#[derive(Debug)]
pub struct Trees<'r> {
    git: Git<'r>,
    below: &'r Path,
    /// By the root of the user's work tree.
    made: BTreeMap<PathBuf, Tree>,
}

/// The work tree of a commit.
#[derive(Debug, Clone)]
struct Tree {
    commit: String,
    at: PathBuf,
}

impl Drop for Trees<'_> {
    fn drop(&mut self) {
        let git = Git { is_interrupted: &NEVER, ..self.git };
        for (root, tree) in &self.made {
            // What stays is removed by who wants it next.
            let _ = git.remove_tree(root, &tree.at);
        }
    }
}

impl Trees<'_> {
    /// That a revision names no commit; in a clone of the newest commits alone it may well be one.
    fn no_commit(&self, root: &Path, revision: &str, why: &str) -> RevisionError {
        let hint = if self.git.is_shallow(root) {
            "this clone holds the newest commits alone: `git fetch --unshallow` gets the others, and `fetch-depth: 0` with `actions/checkout`"
        } else {
            "name a commit, a tag or a branch that is in this repository, as `HEAD~1`"
        };
        RevisionError::Asked {
            what: format!("`--against {revision}` names no commit of `{}`: {why}", root.display()),
            hint: hint.to_owned(),
        }
    }

    /// The work tree of the revision in a repository, made now if it is not there yet.
    fn of(&mut self, root: &Path, revision: &str) -> Result<Tree, RevisionError> {
        if let Some(tree) = self.made.get(root) {
            return Ok(tree.clone());
        }
        let commit = self.git.commit(root, revision).map_err(|error| match error {
            GitError::Refused(why) => self.no_commit(root, revision, &why),
            other => fault(other),
        })?;
        let key = crate::digest::sha256(root.as_os_str().as_encoded_bytes());
        // One place for a commit, so that what was built from it is known again.
        let at = self.below.join(&key[..DIGITS]).join(&commit[..DIGITS]);
        self.git.remove_tree(root, &at).map_err(|error| {
            RevisionError::Ours(format!("cannot remove `{}`: {error}", at.display()))
        })?;
        let tree = Tree { commit, at };
        self.made.insert(root.to_owned(), tree.clone());
        self.git.add_tree(root, &tree.at, &tree.commit).map_err(fault)?;
        Ok(tree)
    }
}

fn fault(error: GitError) -> RevisionError {
    match error {
        GitError::Interrupted => RevisionError::Interrupted,
        other => RevisionError::Ours(other.to_string()),
    }
}

/// Puts an earlier row beside that of each target of a plan that lies in a Git tree.
///
/// # Errors
/// If the revision names nothing, no target lies in a Git tree, or Git cannot be run.
pub fn join<'r>(
    matrix: &mut Matrix,
    plan: Plan,
    wanted: &Wanted<'r>,
) -> Result<Joined<'r>, RevisionError> {
    let mut trees = Trees { git: wanted.git, below: wanted.trees, made: BTreeMap::new() };
    let places: BTreeSet<usize> = plan.cells.iter().map(|cell| cell.target).collect();
    let (mut pairs, mut without, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let mut against = Against { revision: wanted.revision.to_owned(), ..Against::default() };
    for place in places {
        let own = matrix.targets[place].clone();
        let home = home(matrix, &own);
        let root = match wanted.git.root_of(&home) {
            Ok(root) => root,
            Err(GitError::Refused(why)) if why.starts_with(NO_REPOSITORY) => {
                without.push(own.label());
                continue;
            }
            Err(GitError::Refused(why)) => {
                return Err(RevisionError::Asked {
                    what: format!(
                        "git does not tell in which repository `{}` lies: {why}",
                        home.display()
                    ),
                    hint: "`git status` in that folder says more".to_owned(),
                });
            }
            Err(error) => return Err(fault(error)),
        };
        let tree = trees.of(&root, wanted.revision)?;
        let earlier = earlier(matrix, &own, (&root, &tree), wanted.revision);
        let word = word_of_today(&earlier, &root).filter(|_| is_there(&earlier));
        warnings.extend(word.map(|word| {
            format!(
                "{} has `{word}` in a command: that is of today, also in its row at {}",
                own.label(),
                wanted.revision
            )
        }));
        against.rows.insert(own.label(), earlier.label());
        against.commits.insert(own.label(), tree.commit.clone());
        pairs.push((place, matrix.targets.len()));
        matrix.targets.push(earlier);
    }
    if pairs.is_empty() {
        return Err(RevisionError::Asked {
            what: "`--against` finds no target that lies in a Git tree".to_owned(),
            hint: "commit the targets, or their matrix, to a repository first".to_owned(),
        });
    }
    let plan = plan.joined(matrix, &pairs, format!("--against {}", wanted.revision));
    Ok(Joined { plan, against, without, warnings, trees })
}

fn is_there(target: &Target) -> bool {
    target.earlier.as_ref().is_some_and(|earlier| earlier.missing.is_none())
}

/// The folder that says in which repository a target lies: its own, or that of the matrix that it is written in.
fn home(matrix: &Matrix, target: &Target) -> PathBuf {
    let of_matrix = || {
        let path = std::path::absolute(&matrix.path).unwrap_or_else(|_| matrix.path.clone());
        path.parent().unwrap_or(Path::new("/")).to_owned()
    };
    target.folder.clone().unwrap_or_else(of_matrix)
}

/// A target as it was; if it was not, one that only says so.
fn earlier(
    matrix: &mut Matrix,
    own: &Target,
    (root, tree): (&Path, &Tree),
    revision: &str,
) -> Target {
    let found = read(matrix, own, root, tree);
    let missing = found.as_ref().err().cloned();
    let mut earlier = found.unwrap_or_else(|_| own.clone());
    let word = word(revision, &tree.commit);
    match &own.variant {
        Some(variant) => earlier.variant = Some(format!("{variant}@{word}")),
        None => earlier.name = format!("{}@{word}", own.name),
    }
    earlier.earlier = Some(Earlier { of: own.label(), missing });
    earlier
}

/// What a revision is called in names: as it was typed, if that is short and plain.
fn word(revision: &str, commit: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/~^".contains(c);
    if revision.len() <= NAME_MAX && revision.chars().all(is_plain) {
        revision.to_owned()
    } else {
        commit[..DIGITS].to_owned()
    }
}

/// A target as it was declared, or why there is none.
fn read(matrix: &mut Matrix, own: &Target, root: &Path, tree: &Tree) -> Result<Target, String> {
    let commit = &tree.commit[..DIGITS];
    let moved = |path: &Path| -> Result<PathBuf, String> {
        let real = |path: &Path| {
            std::fs::canonicalize(path)
                .map_err(|error| format!("`{}` cannot be found: {error}", path.display()))
        };
        let (path, root) = (real(path)?, real(root)?);
        let outside = || format!("`{}` lies outside of `{}`", path.display(), root.display());
        path.strip_prefix(&root).map(|below| tree.at.join(below)).map_err(|_| outside())
    };
    let no_target = || format!("there was no such target at {commit}");
    let (found, tools) = if let Some(folder) = &own.folder {
        let folder = moved(folder)?;
        if !folder.join("target.toml").is_file() {
            return Err(no_target());
        }
        matrix::read_folder(&matrix.path, &folder).map_err(|problems| {
            format!("its `target.toml` at {commit} cannot be read: {}", told(&problems))
        })?
    } else {
        let path = moved(&matrix.path)?;
        if !path.is_file() {
            return Err(format!("the matrix was not there at {commit}"));
        }
        let then = matrix::read(&path, matrix.run.profile.as_deref()).map_err(|problems| {
            format!("the matrix at {commit} cannot be read: {}", told(&problems))
        })?;
        (then.targets, then.toolchains)
    };
    let label = own.label();
    // A folder that is called after another name then is still the same folder.
    let is_it = |it: &&Target| match &own.folder {
        Some(_) => it.variant == own.variant,
        None => it.label() == label,
    };
    let found = found.iter().find(is_it).cloned().ok_or_else(no_target)?;
    for need in &found.tools {
        if let Some(tool) = tools.get(&need.tool) {
            matrix.toolchains.entry(need.tool.clone()).or_insert_with(|| tool.clone());
        }
    }
    let dir = of_then(&found.dir, root, tree)?;
    Ok(Target { name: own.name.clone(), variant: own.variant.clone(), dir, ..found })
}

/// The folder that commands run in, as it was: one that is named by a path from the root of the disk leads into today's tree.
fn of_then(dir: &Path, root: &Path, tree: &Tree) -> Result<PathBuf, String> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (dir, root, at) = (real(dir), real(root), real(&tree.at));
    if dir.starts_with(&at) {
        return Ok(dir);
    }
    let Ok(below) = dir.strip_prefix(&root) else { return Ok(dir) };
    let then = tree.at.join(below);
    if then.is_dir() {
        return Ok(then);
    }
    Err(format!("its `dir`, `{}`, was not there at {}", below.display(), &tree.commit[..DIGITS]))
}

/// A word of its commands that leads into today's tree, whatever the revision is.
fn word_of_today(target: &Target, root: &Path) -> Option<String> {
    let root = format!("{}/", root.display());
    let all = target.build.iter().chain([&target.command]);
    let around = target.before_trial.iter().chain(&target.after_trial);
    let of = |command: &matrix::Command| {
        let mut words = command.text.split([' ', '\t', '\n', '\'', '"', '=']);
        words.find(|word| word.starts_with(&root)).map(str::to_owned)
    };
    all.chain(around).find_map(of)
}

/// The first of some problems, and where it is.
fn told(problems: &[Problem]) -> String {
    let Some(first) = problems.first() else { return "nobody knows why".to_owned() };
    match &first.place {
        Some(place) => format!("line {}: {}", place.line_and_column().0, first.what),
        None => first.what.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_stands_in_names_as_typed_if_that_is_short_and_plain() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        for (revision, expected) in [
            ("HEAD~1", "HEAD~1"),
            ("origin/main", "origin/main"),
            ("v1.0^", "v1.0^"),
            ("HEAD@{yesterday}", "0123456789ab"),
            (":/a b", "0123456789ab"),
            (commit, "0123456789ab"),
            (&"x".repeat(31), "0123456789ab"),
        ] {
            assert_eq!(word(revision, commit), expected, "{revision}");
        }
    }
}
