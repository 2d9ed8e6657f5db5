//! A first target in a language that is chosen, and a matrix that measures it.

use std::path::PathBuf;

/// A language that a first target can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C, with the C library alone.
    C,
    /// Go, with its standard library.
    Go,
    /// JavaScript on Node.js, with its standard library.
    Node,
    /// Python, with its standard library.
    Python,
    /// Rust, with its standard library.
    Rust,
}

impl Language {
    /// The folder below `targets/`, and the word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Go => "go",
            Self::Node => "node",
            Self::Python => "python",
            Self::Rust => "rust",
        }
    }

    /// The files of its target.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::C => &[
                ("server.c", include_str!("c/server.c")),
                ("target.toml", include_str!("c/target.toml")),
            ],
            Self::Go => &[
                ("main.go", include_str!("go/main.go.txt")),
                ("go.mod", include_str!("go/go.mod.txt")),
                ("target.toml", include_str!("go/target.toml")),
            ],
            Self::Node => &[
                ("server.js", include_str!("node/server.js")),
                ("target.toml", include_str!("node/target.toml")),
            ],
            Self::Python => &[
                ("server.py", include_str!("python/server.py")),
                ("target.toml", include_str!("python/target.toml")),
            ],
            Self::Rust => &[
                ("main.rs", include_str!("rust/main.rs.txt")),
                ("target.toml", include_str!("rust/target.toml")),
            ],
        }
    }
}

/// The folder of a language's target, as a matrix names it.
fn folder(language: Language) -> String {
    format!("targets/{}/hello", language.name())
}

/// The files of the targets, by their paths below the folder of the matrix.
pub fn files(languages: &[Language]) -> Vec<(PathBuf, &'static str)> {
    let all = languages.iter().flat_map(|language| {
        let folder = PathBuf::from(folder(*language));
        language.files().iter().map(move |(name, text)| (folder.join(name), *text))
    });
    all.collect()
}

/// The matrix, which is the file `name`.
pub fn matrix(languages: &[Language], name: &str) -> String {
    let targets = languages.iter().map(|it| format!("[[target]]\nfrom = \"{}\"\n", folder(*it)));
    format!(
        "\
# Which server answers faster, and at what cost in CPU and memory? A matrix answers one question: write yours here.
#
#     orchestrate check {name}    tells what would be done, with every default, and how long it takes
#     orchestrate run {name}      does it, and prints the table

[run]
rounds  = 7                     # 5 or more give verdicts and ranks
measure = \"3s\"                  # the window of each trial

# What is asked, and which answer is right. A wrong one is never counted as speed.
[[workload]]
name   = \"hello\"
path   = \"/\"
expect = {{ status = 200, body = \"hello world\" }}

# How hard: each of 64 connections asks again as soon as it has its answer. `rate = 5000` would ask 5,000 times a second.
[[load]]
connections = 64

{}
# Whom to compare with: another folder, or a command that starts a server.
# [[target]]
# name    = \"theirs\"
# command = \"./server --port {{port}}\"     # PORT stands in its environment, too
",
        targets.collect::<Vec<_>>().join("\n")
    )
}
