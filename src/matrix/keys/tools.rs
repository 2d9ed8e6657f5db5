//! The keys of a `toolchains.toml`.

use super::{Keys, Preset, Sort, key};

/// A `toolchains.toml`: its keys are names of tools.
pub static TOOLCHAINS: Keys = Keys {
    name: "toolchains",
    written: "`toolchains.toml`",
    about: "What is known of tools: a table for each, by its name. The file nearest above a target's \
            folder is read, then those beside the matrix; what no file tells is known without one.",
    keys: &[key(ANY, Sort::Named(&TOOL), "A tool, by its name in `tools`.")],
    alone: &[],
    with: &[],
};

/// The name of a key that may have any name.
pub const ANY: &str = "*";

/// One tool.
pub static TOOL: Keys = Keys {
    name: "tool",
    written: "`[TOOL]`",
    about: "One tool: how to ask its version, and how to get it.",
    keys: &[
        key("about", Sort::Text, "What it is, as shown.").preset(Preset::Words("its name")),
        key("version", Sort::Command, "The command that prints its version.")
            .required()
            .like("\"go version\""),
        key("pattern", Sort::Expression, "A regular expression whose first group is the version.")
            .required()
            .like(r"'go(\d+\.\d+)'"),
        key("get", Sort::Tables(&WAY), "Ways to get it, the preferred one first.")
            .preset(Preset::Words("it cannot be got")),
    ],
    alone: &[],
    with: &[],
};

/// One way to get a tool.
pub static WAY: Keys = Keys {
    name: "get",
    written: "`[[TOOL.get]]`",
    about: "One way to get a tool. The first whose `needs` are all there is used.",
    keys: &[
        key("from", Sort::Text, "Where from, as shown.").required().like("\"Debian\""),
        key("needs", Sort::Texts, "Programs that must be there for it.").like("[\"apt-get\"]"),
        key(
            "run",
            Sort::Commands,
            "The commands, in order; `{tools}` is a folder below the build folder.",
        )
        .like("[\"apt-get install -y golang-go\"]"),
        key("path", Sort::Text, "A folder to put in front of `PATH` afterwards.")
            .like("\"{tools}/go/bin\""),
        key("system", Sort::Truth, "Whether it changes the system, and so needs consent.")
            .preset(Preset::Truth(false)),
    ],
    alone: &[],
    with: &[],
};
