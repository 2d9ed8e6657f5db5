//! Tools that targets need: how to ask their version, and how to get them.
//!
//! What is known of a tool stands in `targets/toolchains.toml`; nothing is started here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::command::check;
use super::problem::Problem;
use super::reading::Reading;
use super::table::Table;
use super::wire::Placed;

/// The file that tells of tools.
const FILE: &str = "toolchains.toml";
/// What we know of tools ourselves, where no file tells otherwise.
const BUILT_IN: &str = include_str!("../../targets/toolchains.toml");
/// How a shell is asked for by such a command.
const BY_SHELL: &str = "let a shell run it: `sh -c '...'`";
/// What may stand in braces in the commands that get a tool.
const PLACEHOLDERS: [&str; 1] = ["tools"];

/// A tool, as `toolchains.toml` tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// Its name in `tools = [...]`.
    pub name: String,
    /// What it is, as shown.
    pub about: String,
    /// The command that prints its version.
    pub version: String,
    /// A regular expression whose first group is the version.
    pub pattern: String,
    /// Ways to get it, the preferred one first.
    pub ways: Vec<Way>,
}

/// One way to get a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Where from, as shown: `Debian`, `PyPI`, `npm`, `macOS`.
    pub from: String,
    /// Programs that must be there for it.
    pub needs: Vec<String>,
    /// The commands, with `{tools}` for a folder of ours.
    pub run: Vec<String>,
    /// A folder to put in front of `PATH` afterwards.
    pub path: Option<String>,
    /// Whether it changes the system, and so needs consent.
    pub is_system: bool,
}

/// A tool that a target needs, and the oldest version that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The tool's name.
    pub tool: String,
    /// The oldest version, if it matters.
    pub at_least: Option<Version>,
}

impl std::fmt::Display for Need {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.at_least {
            Some(version) => write!(out, "{} >= {version}", self.tool),
            None => out.write_str(&self.tool),
        }
    }
}

/// A version, as numbers that are compared one after the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// Reads the leading numbers of `1.26.8` or `3.11.7+deb`; `None` if there are none.
    pub fn parse(text: &str) -> Option<Self> {
        let leading: String =
            text.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let numbers: Option<Vec<u64>> =
            leading.trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
        numbers.filter(|numbers| !numbers.is_empty()).map(Self)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        out.write_str(&parts.join("."))
    }
}

/// Reads `go` or `go >= 1.21`; `None` if it is neither.
pub(super) fn need(text: &str) -> Option<Need> {
    let (tool, at_least) = match text.split_once(">=") {
        Some((tool, version)) => (tool, Some(version.trim())),
        None => (text, None),
    };
    let is_version = |version: &&str| version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let at_least = match at_least {
        Some(version) => Some(Version::parse(Some(version).filter(is_version)?)?),
        None => None,
    };
    let tool = tool.trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#');
    (!tool.is_empty() && tool.chars().all(is_name))
        .then(|| Need { tool: tool.to_owned(), at_least })
}

/// What is known of tools: the files nearest to the target folders and the matrix, then ourselves.
pub(super) fn toolchains(
    reading: &Reading<'_>,
    folders: &[PathBuf],
    matrix: &Path,
) -> BTreeMap<String, Toolchain> {
    let mut files: Vec<PathBuf> = Vec::new();
    let matrix = reading.absolute(matrix);
    let beside = matrix.parent().unwrap_or(Path::new("/"));
    let targets = [beside.join("../targets"), beside.join("targets")].map(|p| reading.absolute(&p));
    for folder in folders.iter().map(|folder| reading.absolute(folder)).chain(targets) {
        let nearest = folder.ancestors().map(|above| above.join(FILE));
        let nearest = nearest.into_iter().find(|file| reading.files.exists(file));
        files.extend(nearest.filter(|file| !files.contains(file)));
    }
    let tables = files.iter().filter_map(|file| reading.toml(file, None));
    let built_in = reading.toml_text(PathBuf::from(FILE), BUILT_IN.to_owned());
    let mut known = BTreeMap::new();
    for table in tables.chain(built_in) {
        for (name, table) in table.into_tables() {
            known.entry(name.value.clone()).or_insert_with(|| toolchain(name, table));
        }
    }
    known
}

fn toolchain(name: Placed<String>, mut table: Table<'_>) -> Toolchain {
    let version = required(&mut table, "version", &name);
    check(table.reading, &version, Some(BY_SHELL), &[]);
    let pattern = required(&mut table, "pattern", &name);
    // Ours are tested; to read a dozen of them would take longer than all the rest of a matrix.
    if pattern.place.source.text != BUILT_IN {
        report_pattern(table.reading, &pattern);
    }
    let about = table.text("about").map_or_else(|| name.value.clone(), |about| about.value);
    let ways = table.tables("get").into_iter().map(way).collect();
    table.finish();
    Toolchain { name: name.value, about, version: version.value, pattern: pattern.value, ways }
}

/// Notes a pattern that is no regular expression, or that has no group for the version.
fn report_pattern(reading: &Reading<'_>, pattern: &Placed<String>) {
    let (what, hint) = match regex::Regex::new(&pattern.value) {
        Ok(parsed) if parsed.captures_len() > 1 => return,
        Ok(_) => ("`pattern` has no group".to_owned(), "put the version in brackets"),
        Err(error) => {
            // The last line of what the parser says is why.
            let said = error.to_string();
            let why = said.lines().next_back().unwrap_or_default().trim();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            (
                format!("`pattern` is no regular expression: {why}"),
                "mend it, or escape signs by `\\`",
            )
        }
    };
    let hint = format!("{hint}: `go([0-9.]+)`");
    reading.report(Problem::at(pattern.place.clone(), what).hint(hint));
}

fn required(table: &mut Table<'_>, key: &'static str, of: &Placed<String>) -> Placed<String> {
    let is_absent = !table.has(key);
    let text = table.text(key);
    if is_absent {
        let what = format!("`{}` has no `{key}`", of.value);
        let form = match key {
            "version" => "the command that prints it: `version = \"go version\"`",
            "pattern" => "what the version looks like: `pattern = 'go([0-9.]+)'`",
            _ => "where it is got from, as shown: `from = \"Debian\"`",
        };
        table.reading.report(Problem::at(of.place.clone(), what).hint(form));
    }
    // Text that raises no further problem stands in for one that is noted already.
    text.unwrap_or_else(|| Placed { value: "(none)".to_owned(), place: table.place.clone() })
}

fn way(mut table: Table<'_>) -> Way {
    let mut texts = |key| table.texts(key).map(|list| list.value).unwrap_or_default();
    let (needs, run) = (texts("needs"), texts("run"));
    for command in &run {
        check(table.reading, command, Some(BY_SHELL), &PLACEHOLDERS);
    }
    let place = Placed { value: "get".to_owned(), place: table.place.clone() };
    let way = Way {
        from: required(&mut table, "from", &place).value,
        needs: needs.into_iter().map(|text| text.value).collect(),
        run: run.into_iter().map(|text| text.value).collect(),
        path: table.text("path").map(|path| path.value),
        is_system: table.boolean("system").is_some_and(|system| system.value),
    };
    table.finish();
    way
}

#[cfg(test)]
mod tests {
    use super::super::memory::Memory;
    use super::*;

    #[test]
    fn our_own_patterns_find_a_version() {
        let files = Memory::default();
        let reading = Reading::new(&files);
        let all = toolchains(&reading, &[], Path::new("m.toml"));
        assert!(all.len() > 5 && reading.count() == 0);
        for tool in all.values() {
            let pattern = regex::Regex::new(&tool.pattern).expect("a regular expression");
            assert!(pattern.captures_len() > 1, "{}", tool.name);
        }
    }

    #[test]
    fn versions_are_compared_by_number_not_by_letter() {
        let version = |text| Version::parse(text).expect(text);
        assert!(version("1.9") < version("1.10"));
        assert!(version("1.21") < version("1.21.1"));
        assert!(version("20.20.2") > version("18"));
        assert_eq!(version("3.11.7+deb12").to_string(), "3.11.7");
        assert_eq!(Version::parse("devel"), None);
    }

    #[test]
    fn a_need_is_a_tool_and_perhaps_its_oldest_version() {
        let at_least = |text| need(text).and_then(|need| need.at_least).map(|v| v.to_string());
        assert_eq!(need("go").map(|need| (need.tool, need.at_least)), Some(("go".into(), None)));
        assert_eq!(at_least("go >= 1.21").as_deref(), Some("1.21"));
        assert_eq!(at_least("c++>=17").as_deref(), Some("17"));
        for text in ["", ">= 1", "go > 1", "go >= one", "go >= ", "go >= 1.x", "a b"] {
            assert_eq!(need(text), None, "{text}");
        }
    }

    #[test]
    fn what_we_know_of_tools_ourselves_has_no_fault() {
        let files = Memory::default();
        let reading = Reading::new(&files);
        let tools = toolchains(&reading, &[], Path::new("m.toml"));
        for name in ["cc", "go", "node", "python", "rust"] {
            assert!(tools.contains_key(name), "{name}");
        }
        assert_eq!(reading.into_problems(), []);
    }
}
