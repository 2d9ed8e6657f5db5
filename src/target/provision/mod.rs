//! Getting tools that are missing: which way, which commands, and where they are found afterwards.
//!
//! Nothing is run before someone has seen the plan and agreed; asking is the caller's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::log;
use super::order::Exit;
use super::run::{Ended, Run};
use super::versions::Missing;
use crate::matrix::toolchain::{Toolchain, Way};
use crate::units::write_duration;

mod run;

use run::run;

/// How long one command may take; some tools are large and some networks slow.
const LIMIT: Duration = Duration::from_mins(30);

/// How one tool will be got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// Where from, as shown.
    pub from: String,
    /// The commands, each as its words.
    pub commands: Vec<Vec<String>>,
    /// Whether they change the system, and so need consent.
    pub is_system: bool,
}

impl Step {
    /// Its commands as one would type them.
    pub fn command_lines(&self) -> Vec<String> {
        self.commands.iter().map(|words| line(words)).collect()
    }
}

/// A tool that there is no way to get here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} cannot be got here: {reason}")]
pub struct NoWay {
    /// The tool.
    pub tool: String,
    /// Why, as shown.
    pub reason: String,
}

/// A command that did not get a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{command}`: {reason}")]
pub struct ProvisionFailure {
    /// The command.
    pub command: String,
    /// What became of it.
    pub reason: String,
    /// The last lines of its output.
    pub tail: Vec<String>,
}

/// How to get every tool that is missing: for each the first way whose own needs are there. Tools that cannot be got
/// are told apart.
pub fn plan(
    missing: &[Missing],
    toolchains: &BTreeMap<String, Toolchain>,
    tools: &Path,
    path: &str,
) -> (Vec<Step>, Vec<NoWay>) {
    let mut steps: Vec<Step> = Vec::new();
    let mut without: Vec<NoWay> = Vec::new();
    for missing in missing {
        let tool = &missing.tool;
        if steps.iter().any(|it| it.tool == *tool) || without.iter().any(|it| it.tool == *tool) {
            continue;
        }
        match step(tool, toolchains.get(tool), tools, path) {
            Ok(step) => steps.push(step),
            Err(reason) => without.push(NoWay { tool: tool.clone(), reason }),
        }
    }
    (steps, without)
}

fn step(tool: &str, known: Option<&Toolchain>, tools: &Path, path: &str) -> Result<Step, String> {
    let ways = known.map(|toolchain| toolchain.ways.as_slice()).unwrap_or_default();
    let lacks = |way: &Way| way.needs.iter().find(|it| !is_on_path(it, path)).cloned();
    let Some(way) = ways.iter().find(|way| lacks(way).is_none()) else {
        let reasons: Vec<String> = ways
            .iter()
            .filter_map(|way| Some(format!("{} needs `{}`", way.from, lacks(way)?)))
            .collect();
        return Err(match reasons.as_slice() {
            [] => "no way is known".to_owned(),
            reasons => reasons.join(", "),
        });
    };
    let words = |text: &String| {
        let words = shlex::split(text).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| format!("`{text}` cannot be split into words"))?;
        Ok(words.iter().map(|word| expand(word, tools)).collect())
    };
    let commands: Result<Vec<Vec<String>>, String> = way.run.iter().map(words).collect();
    let (tool, from) = (tool.to_owned(), way.from.clone());
    Ok(Step { tool, from, commands: commands?, is_system: way.is_system })
}

fn expand(text: &str, tools: &Path) -> String {
    text.replace("{tools}", &tools.display().to_string())
}

fn is_on_path(program: &str, path: &str) -> bool {
    std::env::split_paths(path).any(|folder| folder.join(program).is_file())
}

/// Runs a step's commands with our own environment and this search path; `log` takes their output.
///
/// # Errors
/// The first command that fails.
pub fn apply(
    step: &Step,
    tools: &Path,
    path: &str,
    log: &Path,
    is_interrupted: &AtomicBool,
) -> Result<(), ProvisionFailure> {
    let failed = |words: &[String], reason: String| ProvisionFailure {
        command: line(words),
        reason,
        tail: log::tail(log, 20),
    };
    let cannot = |error: std::io::Error| failed(&[], format!("`{}`: {error}", tools.display()));
    fs::create_dir_all(tools).map_err(cannot)?;
    // Proxies and the like are set up in our environment, and getting is not measuring.
    let mut env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    env.insert("PATH".to_owned(), path.to_owned());
    env.insert("DEBIAN_FRONTEND".to_owned(), "noninteractive".to_owned());
    let try_once = |words: &[String]| {
        let ended = run(&Run { words, dir: tools, env: &env, log, limit: LIMIT, is_interrupted });
        match ended {
            Ok(Ended::By(Exit { code: Some(0), .. })) => Ok(()),
            Ok(Ended::By(exit)) => Err(failed(words, exit.to_string())),
            Ok(Ended::Late) => {
                Err(failed(words, format!("took longer than {}", write_duration(LIMIT))))
            }
            Ok(Ended::Interrupted) => Err(failed(words, "interrupted".to_owned())),
            Err(reason) => Err(failed(words, reason)),
        }
    };
    for words in &step.commands {
        try_once(words).or_else(|failure| match lists_to_fetch(words) {
            // On a fresh system no package is known until the lists are there.
            Some(update) => try_once(&update).and_then(|()| try_once(words)),
            None => Err(failure),
        })?;
    }
    Ok(())
}

/// The command that makes packages known to the one that just failed.
fn lists_to_fetch(words: &[String]) -> Option<Vec<String>> {
    let at = words.iter().position(|word| word == "apt-get" || word == "apt")?;
    let is_install = words[at..].iter().any(|word| word == "install");
    // With what stands in front of it, such as sudo.
    is_install.then(|| [&words[..=at], &["update".to_owned()]].concat())
}

fn line(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// The search path for programs: folders of tools that were got before, in front of `base`.
pub fn search_path(toolchains: &BTreeMap<String, Toolchain>, tools: &Path, base: &str) -> String {
    let mut folders: Vec<PathBuf> = Vec::new();
    for way in toolchains.values().flat_map(|toolchain| &toolchain.ways) {
        let folder = way.path.as_deref().map(|path| PathBuf::from(expand(path, tools)));
        folders.extend(folder.filter(|folder| folder.is_dir() && !folders.contains(folder)));
    }
    folders.extend(std::env::split_paths(base));
    std::env::join_paths(&folders)
        .ok()
        .and_then(|path| path.into_string().ok())
        .unwrap_or_else(|| base.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(from: &str, needs: &str, run: &str) -> Way {
        Way {
            from: from.into(),
            needs: vec![needs.into()],
            run: vec![run.into()],
            path: Some("{tools}/bin".into()),
            is_system: from == "Debian",
        }
    }

    fn known(ways: Vec<Way>) -> BTreeMap<String, Toolchain> {
        let (version, pattern) = ("x".into(), "x".into());
        let toolchain =
            Toolchain { name: "x".into(), about: String::new(), version, pattern, ways };
        BTreeMap::from([("x".to_owned(), toolchain)])
    }

    fn planned(ways: Vec<Way>, tools: &Path) -> (Vec<Step>, Vec<NoWay>) {
        let missing = Missing { tool: "x".into(), what: String::new(), hint: None };
        plan(&[missing.clone(), missing], &known(ways), tools, "/usr/bin:/bin")
    }

    #[test]
    fn the_first_way_whose_needs_are_there_is_taken_once() {
        let ways = vec![
            way("Debian", "no-such-program", "no-such-program install x"),
            way("PyPI", "sh", "sh -c 'mkdir {tools}/bin'"),
        ];
        let (steps, without) = planned(ways, Path::new("/t x"));
        assert_eq!(without, []);
        assert_eq!(steps[0].command_lines(), ["sh -c 'mkdir /t x/bin'"]);
        assert_eq!((steps.len(), steps[0].is_system), (1, false));
        let (steps, without) =
            planned(vec![way("Debian", "no-such-program", "x")], Path::new("/t"));
        assert_eq!(steps, []);
        let text = "x cannot be got here: Debian needs `no-such-program`";
        assert_eq!(without[0].to_string(), text);
    }

    #[test]
    fn what_was_got_is_found_from_then_on() {
        let dir = tempfile::tempdir().expect("folder");
        let tools = dir.path().join("tools");
        let ways = vec![way("PyPI", "sh", "sh -c 'mkdir bin && echo got'")];
        let toolchains = known(ways.clone());
        assert_eq!(search_path(&toolchains, &tools, "/bin"), "/bin");
        let (steps, _) = planned(ways, &tools);
        let log = dir.path().join("log");
        apply(&steps[0], &tools, "/usr/bin:/bin", &log, &AtomicBool::new(false)).expect("got");
        let path = format!("{}:/bin", tools.join("bin").display());
        assert_eq!(search_path(&toolchains, &tools, "/bin"), path);
        let again = apply(&steps[0], &tools, "/usr/bin:/bin", &log, &AtomicBool::new(false));
        let failure = again.expect_err("it is there");
        assert!(failure.to_string().ends_with("`: exit code 1"), "{failure}");
        assert_eq!(failure.tail[0], "got");
    }

    #[test]
    fn lists_of_packages_are_fetched_for_apt_only() {
        let update = |text: &str| {
            lists_to_fetch(&shlex::split(text).expect("words")).map(|words| words.join(" "))
        };
        assert_eq!(update("apt-get install -y x").as_deref(), Some("apt-get update"));
        assert_eq!(update("sudo apt-get install x").as_deref(), Some("sudo apt-get update"));
        assert_eq!(update("apt-get update"), None);
        assert_eq!(update("npm install x"), None);
    }
}
