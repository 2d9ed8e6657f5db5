//! A place for the keys of each table: a file that is sound but for the lines in question.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::matrix::keys::{
    CPUS, EXPECT, FROM, INLINE, Keys, LOAD, MATRIX, OWN_REQUEST, PROFILE, RUN, SERVES, SERVICE,
    TARGET, TOOL, VARIANT, WAY, WORKLOAD,
};
use crate::matrix::problem::Problem;
use crate::matrix::{Matrix, read};
use crate::schema::Shape;

const TWO: &str =
    "[[target]]\nname = \"a\"\ncommand = \"./a\"\n[[target]]\nname = \"b\"\ncommand = \"./b\"\n";
const HELLO: &str = "[[workload]]\nname = \"hello\"\n";

/// A place where the keys of a table may stand.
pub(super) struct Frame {
    pub(super) keys: &'static Keys,
    pub(super) shape: Shape,
    /// What stands above.
    pub(super) above: String,
    /// What stands beside the key in question, each with the key that it has.
    pub(super) beside: &'static [(&'static str, &'static str)],
    /// What stands below.
    pub(super) below: &'static str,
}

fn frame(keys: &'static Keys, above: &str) -> Frame {
    Frame { keys, shape: Shape::Matrix, above: above.to_owned(), beside: &[], below: TWO }
}

/// One for each table.
pub(super) fn frames() -> Vec<Frame> {
    let command: &[(&str, &str)] = &[("command", "command = \"./c\"")];
    let x = "[[target]]\nname = \"x\"\ncommand = \"./x\"\n";
    vec![
        frame(&MATRIX, ""),
        frame(&RUN, "[run]\n"),
        frame(&PROFILE, "[profile.p]\n"),
        frame(&CPUS, "[cpus]\n"),
        frame(&WORKLOAD, "[[workload]]\n"),
        frame(&EXPECT, "[[workload]]\n[workload.expect]\n"),
        frame(&LOAD, "[[load]]\n"),
        Frame {
            beside: const { &[("from", "from = \"t\""), ("variants", "variants = [\"*\"]")] },
            ..frame(&FROM, "[[target]]\n")
        },
        Frame {
            beside: const { &[("command", "command = \"./c\""), ("variants", "variants = [\"*\"]")] },
            ..frame(&INLINE, &format!("{HELLO}[[target]]\n"))
        },
        frame(&VARIANT, &format!("{HELLO}{x}[target.variant.v]\n")),
        frame(&SERVES, &format!("{x}[target.serves]\n")),
        frame(&OWN_REQUEST, &format!("{HELLO}{x}[target.workload.hello]\n")),
        Frame {
            beside: const { &[("name", "name = \"db\""), ("command", "command = \"./db\"")] },
            ..frame(&SERVICE, "[[service]]\n")
        },
        Frame { shape: Shape::Target, beside: command, below: "", ..frame(&TARGET, "") },
        Frame {
            shape: Shape::Toolchains,
            beside: const { &[("version", "version = \"made\""), ("pattern", "pattern = '(.*)'")] },
            below: "",
            ..frame(&TOOL, "[made]\n")
        },
        Frame {
            shape: Shape::Toolchains,
            beside: const { &[("from", "from = \"a shop\"")] },
            below: "",
            ..frame(&WAY, "[made]\nversion = \"made\"\npattern = '(.*)'\n[[made.get]]\n")
        },
    ]
}

/// The validators of what is written by hand, each made once.
fn validator(shape: Shape) -> &'static Validator {
    static ALL: LazyLock<[Validator; 3]> = LazyLock::new(|| {
        [Shape::Matrix, Shape::Target, Shape::Toolchains]
            .map(|shape| jsonschema::validator_for(&shape.schema()).expect("a schema"))
    });
    &ALL[shape as usize]
}

impl Frame {
    /// The file with these lines in the table, but for those of a key that they have themselves.
    fn text(&self, lines: &str) -> String {
        let has = |key: &str| lines.lines().any(|line| line.split(' ').next() == Some(key));
        let beside = self.beside.iter().filter(|(key, _)| !has(key));
        let beside: Vec<&str> = beside.map(|(_, line)| *line).collect();
        format!("{}{lines}\n{}\n{}", self.above, beside.join("\n"), self.below)
    }

    /// What the reader makes of it.
    pub(super) fn read(&self, lines: &str) -> Result<Matrix, Vec<Problem>> {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join("configs").join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        let text = self.text(lines);
        let by_folder = format!("{HELLO}[[target]]\nfrom = \"t\"\n{TWO}");
        let (matrix, target, tools) = match self.shape {
            Shape::Matrix => (text.as_str(), "command = \"./t\"\n", ""),
            Shape::Target => (by_folder.as_str(), text.as_str(), ""),
            _ => (by_folder.as_str(), "command = \"./t\"\n", text.as_str()),
        };
        write("m.toml", matrix);
        write("t/target.toml", target);
        write("toolchains.toml", tools);
        write("body.json", "{}");
        // What examples name.
        write("../targets/go/net-http/target.toml", "command = \"./t\"\n");
        let profile = (self.keys.name == PROFILE.name).then_some("p");
        let read = read(&folder.path().join("configs/m.toml"), profile);
        let path = folder.path().display().to_string();
        read.map_err(|mut problems| {
            // What is told of files holds the scratch folder, which is another one each time.
            for problem in &mut problems {
                problem.what = problem.what.replace(&path, "");
            }
            problems
        })
    }

    pub(super) fn whats(&self, lines: &str) -> Vec<String> {
        let problems = self.read(lines).err().unwrap_or_default();
        problems.into_iter().map(|problem| problem.what).collect()
    }

    /// What the schema has against it.
    pub(super) fn refusals(&self, lines: &str) -> Vec<String> {
        let text = self.text(lines);
        let value: Value = toml::from_str(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        validator(self.shape)
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }

    /// The line that a key has no meaning without.
    pub(super) fn companion(&self, key: &str) -> &'static str {
        let other = self.keys.with.iter().find(|(name, _)| *name == key).map(|(_, other)| *other);
        match other {
            None => "",
            Some("rate") => "\nrate = 5",
            Some("requests") => "\nrequests = 5",
            Some(other) => panic!("`{other}` has no line"),
        }
    }
}
