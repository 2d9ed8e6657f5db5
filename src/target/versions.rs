//! Which version of each tool is there, and whether it will do.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::command;
use super::order::Exit;
use super::run::{Ended, Run, run};
use crate::matrix::toolchain::{Need, Toolchain, Version};

/// How long a tool may take to tell its version.
const LIMIT: Duration = Duration::from_secs(10);

/// A tool that is not there, or too old.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Missing {
    /// Its name.
    pub tool: String,
    /// What is the matter, as shown.
    pub what: String,
    /// How to get it, if that is known.
    pub hint: Option<String>,
}

/// The version of each tool that is needed, by name.
///
/// # Errors
/// Every tool that is not there, or too old.
pub fn tool_versions(
    needs: &[Need],
    toolchains: &BTreeMap<String, Toolchain>,
    path: &str,
    is_interrupted: &AtomicBool,
) -> Result<BTreeMap<String, String>, Vec<Missing>> {
    let mut versions = BTreeMap::new();
    let mut missing = Vec::new();
    for need in needs {
        let toolchain = toolchains.get(&need.tool);
        match version(need, toolchain, path, is_interrupted) {
            Ok(version) => {
                versions.insert(need.tool.clone(), version);
            }
            Err(what) => {
                let hint = toolchain.and_then(hint);
                missing.push(Missing { tool: need.tool.clone(), what, hint });
            }
        }
    }
    if missing.is_empty() { Ok(versions) } else { Err(missing) }
}

fn version(
    need: &Need,
    toolchain: Option<&Toolchain>,
    path: &str,
    is_interrupted: &AtomicBool,
) -> Result<String, String> {
    let tool = &need.tool;
    let Some(toolchain) = toolchain else {
        return Err(format!("nothing is known of `{tool}`"));
    };
    let told = told(toolchain, path, is_interrupted)
        .map_err(|reason| format!("{tool} is missing: {reason}"))?;
    found(need, &toolchain.pattern, &told)
}

/// The version in what a tool tells, if it will do.
fn found(need: &Need, pattern: &str, told: &str) -> Result<String, String> {
    let tool = &need.tool;
    let found = pick(pattern, told)
        .ok_or_else(|| format!("{tool} tells no version that can be read: {}", first_line(told)))?;
    suits(tool, &found, need.at_least.as_ref())?;
    Ok(found)
}

fn suits(tool: &str, found: &str, at_least: Option<&Version>) -> Result<(), String> {
    match at_least {
        Some(least) if Version::parse(found).is_none_or(|version| version < *least) => {
            Err(format!("{tool} {found} found, {least} needed"))
        }
        _ => Ok(()),
    }
}

/// What the version command prints, on either output.
fn told(toolchain: &Toolchain, path: &str, is_interrupted: &AtomicBool) -> Result<String, String> {
    let words = shlex::split(&toolchain.version).unwrap_or_default();
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let log = dir.path().join("version");
    let ended = run(&Run {
        words: &words,
        // Some tools look for a project, and with it a version, in the folder that they run in.
        dir: dir.path(),
        env: &command::base_environment(path),
        log: &log,
        limit: LIMIT,
        is_interrupted,
    })?;
    let text = read(&log);
    match ended {
        Ended::By(Exit { code: Some(0), .. }) => Ok(text),
        Ended::By(exit) => Err(format!("`{}`: {exit}: {}", toolchain.version, first_line(&text))),
        Ended::Interrupted => Err("interrupted".to_owned()),
        Ended::Late => {
            Err(format!("`{}` took longer than {} s", toolchain.version, LIMIT.as_secs()))
        }
    }
}

fn read(log: &Path) -> String {
    std::fs::read(log)
        .map_or_else(|_| String::new(), |it| String::from_utf8_lossy(&it).into_owned())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("no output").chars().take(100).collect()
}

/// The first group of the pattern, or all that it matches.
fn pick(pattern: &str, text: &str) -> Option<String> {
    let found = regex::Regex::new(pattern).ok()?.captures(text)?;
    found.get(1).or_else(|| found.get(0)).map(|version| version.as_str().to_owned())
}

fn hint(toolchain: &Toolchain) -> Option<String> {
    let ways: Vec<String> = toolchain
        .ways
        .iter()
        .map(|way| format!("from {}: `{}`", way.from, way.run.join(" && ")))
        .collect();
    (!ways.is_empty()).then(|| format!("`orchestrate provision` gets it {}", ways.join(", or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::toolchain::Way;

    fn check(told: &str, at_least: Option<&str>) -> Result<String, String> {
        let need = Need { tool: "x".into(), at_least: at_least.and_then(Version::parse) };
        found(&need, r"v(\d+(?:\.\d+)*)", told)
    }

    #[test]
    fn a_version_is_read_from_what_is_told_and_compared() {
        assert_eq!(check("x v1.18.3\nof 2026\n", None), Ok("1.18.3".into()));
        assert_eq!(check("v2", Some("1.21")), Ok("2".into()));
        assert_eq!(check("v1.18", Some("1.21")), Err("x 1.18 found, 1.21 needed".into()));
        let silent = "x tells no version that can be read: hello";
        assert_eq!(check("hello\nworld", None), Err(silent.into()));
    }

    #[test]
    fn what_is_missing_is_told_with_how_to_get_it() {
        let way = Way {
            from: "Debian".into(),
            needs: vec![],
            run: vec!["apt-get install x".into()],
            path: None,
            is_system: true,
        };
        let [name, about, version, pattern] = ["x", "X", "x -V", "x"].map(str::to_owned);
        let known = Toolchain { name, about, version, pattern, ways: vec![way] };
        let hint = hint(&known).expect("a hint");
        assert_eq!(hint, "`orchestrate provision` gets it from Debian: `apt-get install x`");
        let unknown = [Need { tool: "y".into(), at_least: None }];
        let missing = tool_versions(&unknown, &BTreeMap::new(), "", &AtomicBool::new(false))
            .expect_err("unknown");
        assert_eq!(missing[0].what, "nothing is known of `y`");
    }
}
