//! The words of `list`, `completions` and `man`: what there is.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, ValueEnum};

use super::Cli;

/// `orchestrate list`.
#[derive(Debug, Args)]
pub struct List {
    /// The matrix: a TOML file. Without it the matrices here and in `configs` are listed, and the runs of all.
    pub matrix: Option<PathBuf>,
    /// Only these.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub only: Vec<Topic>,
    /// How the list is written.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// The folder of the results, in place of the matrix's.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    /// Matrices that are here.
    Matrices,
    /// Targets with their variants, and what they offer.
    Targets,
    /// What is asked.
    Workloads,
    /// How hard.
    Loads,
    /// Tools, found or missing.
    Tools,
    /// Runs that are kept.
    Runs,
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For a person.
    Table,
    /// One JSON object.
    Json,
}

/// `orchestrate completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that words can be completed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash: `orchestrate completions bash > ~/.local/share/bash-completion/completions/orchestrate`.
    Bash,
    /// Zsh: into a file `_orchestrate` of a folder in `fpath`.
    Zsh,
    /// Fish: `orchestrate completions fish > ~/.config/fish/completions/orchestrate.fish`.
    Fish,
}

/// `orchestrate man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The verb whose page is written to standard output: `orchestrate man run | man -l -`. By default the page of the whole.
    #[arg(conflicts_with = "dir")]
    pub verb: Option<String>,
    /// Writes all pages into this folder instead.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// What a shell needs to complete the words of the command line.
pub fn completions(shell: Shell) -> String {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "orchestrate", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The pages of the manual, in roff, by their file names: that of the whole first, then one a verb.
pub fn manual() -> Vec<(String, String)> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let verbs = whole.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let verbs = verbs.map(|verb| {
        let name = format!("orchestrate-{}", verb.get_name());
        page(&name, verb)
    });
    let first = page("orchestrate", whole.clone());
    std::iter::once(first).chain(verbs).collect()
}

fn page(name: &str, command: clap::Command) -> (String, String) {
    let mut text = Vec::new();
    // Neither the day nor the commit, so that a page changes only where its words do.
    let command = command.version(env!("CARGO_PKG_VERSION")).display_name(name.to_owned());
    let man = clap_mangen::Man::new(command).manual("Manual of orchestrate");
    // Writing to memory does not fail.
    let _ = man.render(&mut text);
    (format!("{name}.1"), String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_and_hidden_ones_have_none() {
        let names: Vec<String> = manual().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names[0], "orchestrate.1");
        for verb in ["run", "versus", "init", "check", "load", "report", "man"] {
            assert!(names.contains(&format!("orchestrate-{verb}.1")), "{names:?}");
        }
        assert!(!names.iter().any(|name| name.contains("keep") || name.contains("launch")));
    }

    #[test]
    fn the_pages_in_the_folder_of_documentation_are_those_of_now() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/man");
        let pages = manual();
        if std::env::var_os("ORCHESTRATE_WRITE").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            for (name, text) in &pages {
                std::fs::write(folder.join(name), text).expect("written");
            }
        }
        for (name, text) in &pages {
            let kept = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(kept == *text, "docs/man/{name} is old: ORCHESTRATE_WRITE=1 writes it anew");
        }
        let there = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(there, pages.len(), "docs/man holds a page of no verb");
    }

    #[test]
    fn each_shell_gets_all_verbs() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let text = completions(shell);
            for word in ["versus", "provision", "workload"] {
                assert!(text.contains(word), "{shell:?} {word}");
            }
        }
    }
}
