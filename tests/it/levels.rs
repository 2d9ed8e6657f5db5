//! The codemap of `lib.rs` is held by the code: who imports whom, and which file names which outside crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Neighbours in a row of the codemap of which the first may import the second.
const NEIGHBOURS: [(&str, &str); 2] = [("places", "digest"), ("console", "error")];

/// What runs things; a report is made without it.
const RUNS_THINGS: [&str; 10] = [
    "target",
    "generator",
    "usage",
    "host",
    "prepare",
    "lifecycle",
    "service",
    "trial",
    "conformance",
    "run",
];

/// Where one chooses between what is Linux's own and what stands for it on macOS.
const SEAMS: [&str; 8] = [
    "lib.rs",
    "affinity.rs",
    "clock.rs",
    "processes.rs",
    "target/system/mod.rs",
    "generator/system/mod.rs",
    // Their tests hold them against Linux's.
    "processes/elsewhere/",
    "generator/system/elsewhere.rs",
];

/// Each outside crate, or thing of the standard library, with the only places that may name it.
const HOMES: [(&str, &[&str]); 23] = [
    ("askama::", &["report/html/"]),
    ("reqwest::", &["target/ready.rs"]),
    ("duct::", &["target/provision/"]),
    ("sysinfo::", &["usage/", "host/", "processes/elsewhere/"]),
    (" nix::", &["processes/linux/", "processes/elsewhere/", "clock/elsewhere.rs"]),
    ("procfs::", &["processes/linux/"]),
    ("target_os", &SEAMS),
    ("tabled::", &["report/"]),
    ("similar::", &["report/readme/"]),
    ("httparse::", &["http/framing"]),
    ("clap::", &["cli.rs", "cli/", "main.rs"]),
    ("clap_complete::", &["cli/about.rs"]),
    ("clap_mangen::", &["cli/about.rs"]),
    ("rust_embed::", &["draft/example.rs"]),
    ("miette::", &["console/"]),
    // Records say their shapes themselves.
    ("schemars::", &["record/", "event.rs", "outcome.rs", "schema/disk.rs"]),
    ("jsonschema::", &["schema/tests/"]),
    (" toml::", &["matrix/", "draft/", "schema/tests/"]),
    ("Instant::now", &["clock.rs"]),
    ("SystemTime", &["clock.rs"]),
    ("println!", &[]),
    ("process::exit", &[]),
    ("io::stderr", &["console/"]),
];

/// What only Linux has, and the only modules that may name it.
const OF_LINUX: [&str; 11] = [
    "procfs::",
    "CpuSet",
    "sched_getaffinity",
    "timerfd",
    "pidfd",
    "RecvFlags::TRUNC",
    "FallocateFlags",
    "Boottime",
    "gettid",
    "set_child_subreaper",
    "set_parent_process_death_signal",
];

/// Pure modules, and what they never name.
const PURE: [&str; 14] = [
    "units.rs",
    "stats/",
    "http/",
    "plan",
    "matrix/keys/",
    "schema/disk.rs",
    "schema/forms.rs",
    "schema/page.rs",
    "schema/written.rs",
    "judge/",
    "compare/",
    "history/",
    "report/",
    "generator/arrival.rs",
];
const IMPURE: [&str; 8] = [
    "std::fs",
    "std::process",
    "TcpStream",
    "UnixStream",
    "clock::now",
    "clock::wall",
    "tokio::",
    "env::var",
];

/// A line of code, without its comment.
struct Line {
    file: String,
    number: usize,
    text: String,
}

impl Line {
    fn module(&self) -> &str {
        let (module, _) = self.file.split_once('/').unwrap_or((&self.file, ""));
        module.trim_end_matches(".rs")
    }

    fn said(&self) -> String {
        format!("src/{}:{}: {}", self.file, self.number, self.text.trim())
    }
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All lines of all files, whole `use` declarations joined to one line.
fn lines() -> Vec<Line> {
    let mut files = Vec::new();
    collect(&source(), &mut files);
    files.sort_unstable();
    assert!(files.len() > 50, "the sources are not there: {files:?}");
    files.iter().flat_map(|path| lines_of(path)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn lines_of(path: &Path) -> Vec<Line> {
    let file = path.strip_prefix(source()).expect("a source").display().to_string();
    let mut lines: Vec<Line> = Vec::new();
    let mut is_open = false;
    let text = fs::read_to_string(path).expect("a source");
    // Tests beside the code stand at the end of its file, and may do more than it does.
    let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    for (number, text) in (1..).zip(code.lines()) {
        let text = if text.trim_start().starts_with("//") { "" } else { text };
        match lines.last_mut().filter(|_| is_open) {
            Some(first) => first.text.push_str(text.trim()),
            None => lines.push(Line { file: file.clone(), number, text: text.to_owned() }),
        }
        let whole = lines.last().map_or("", |line| line.text.trim_start());
        let is_use = ["use ", "pub use ", "pub(crate) use "].iter().any(|it| whole.starts_with(it));
        is_open = is_use && !whole.contains(';');
    }
    lines
}

/// The modules that a line names behind `crate::`.
fn imports(line: &Line) -> Vec<String> {
    let after = line.text.split("crate::").skip(1);
    after
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => outermost(group),
            None => vec![rest],
        })
        .map(|path| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

/// The paths of a group in braces, those of inner groups left out.
fn outermost(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut paths = vec![group];
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => paths.push(group[at + 1..].trim_start()),
            _ => {}
        }
    }
    paths
}

/// The rows of the codemap, each the names of its modules.
fn codemap() -> Vec<Vec<String>> {
    let text = fs::read_to_string(source().join("lib.rs")).expect("lib.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    rows.map(|row| {
        let names = row.split(" | ").next().unwrap_or_default();
        names.split(", ").map(|name| name.trim_matches(['[', '`', ']']).to_owned()).collect()
    })
    .collect()
}

fn assert_none(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_modules_stand_in_the_order_of_the_codemap() {
    let text = fs::read_to_string(source().join("lib.rs")).expect("lib.rs");
    let declared: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(declared, codemap().concat());
}

#[test]
fn a_module_imports_only_from_rows_above_its_own() {
    let levels: BTreeMap<String, usize> = codemap()
        .into_iter()
        .enumerate()
        .flat_map(|(level, row)| row.into_iter().map(move |name| (name, level)))
        .collect();
    let mut broken = Vec::new();
    for line in lines() {
        let importer = line.module();
        if matches!(importer, "lib" | "main") {
            continue;
        }
        let level =
            levels.get(importer).unwrap_or_else(|| panic!("not in the codemap: {importer}"));
        for imported in imports(&line) {
            let is_above = levels.get(&imported).is_some_and(|above| above < level);
            let is_neighbour = NEIGHBOURS.contains(&(importer, imported.as_str()));
            if !is_above && !is_neighbour && imported != importer && !imported.is_empty() {
                broken.push(format!("`{importer}` may not know `{imported}`: {}", line.said()));
            }
        }
    }
    assert_none(&broken);
}

#[test]
fn a_report_is_made_without_what_runs_things() {
    let broken: Vec<String> = lines()
        .iter()
        .filter(|line| {
            let pure = ["report", "compare", "history", "judge", "record", "stats"];
            pure.contains(&line.module())
        })
        .filter(|line| imports(line).iter().any(|it| RUNS_THINGS.contains(&it.as_str())))
        .map(Line::said)
        .collect();
    assert_none(&broken);
}

#[test]
fn what_comes_from_outside_is_named_in_its_home_alone() {
    let mut broken = Vec::new();
    for line in lines() {
        for (name, homes) in HOMES {
            let is_at_home = homes.iter().any(|home| line.file.starts_with(home));
            if line.text.contains(name) && !is_at_home {
                broken.push(format!("`{name}` is for {homes:?}: {}", line.said()));
            }
        }
    }
    assert_none(&broken);
}

#[test]
fn pure_modules_do_no_input_or_output_and_read_no_clock() {
    let mut broken = Vec::new();
    for line in lines() {
        let is_pure = PURE.iter().any(|pure| line.file.starts_with(pure));
        for name in IMPURE.iter().filter(|name| is_pure && line.text.contains(**name)) {
            broken.push(format!("`{name}` has no place here: {}", line.said()));
        }
    }
    assert_none(&broken);
}

#[test]
fn what_only_linux_has_is_named_in_modules_of_linux_alone() {
    let is_of_linux = |file: &str| file.ends_with("/linux.rs") || file.contains("/linux/");
    let mut broken = Vec::new();
    let mut found = 0;
    for line in lines() {
        for name in OF_LINUX.iter().filter(|name| line.text.contains(**name)) {
            found += 1;
            if !is_of_linux(&line.file) {
                broken.push(format!("`{name}` is Linux's own: {}", line.said()));
            }
        }
    }
    assert!(found >= OF_LINUX.len(), "they are named nowhere");
    assert_none(&broken);
}

#[test]
fn what_linux_has_has_something_beside_it_that_stands_for_it_elsewhere() {
    let of = |file: &str| -> BTreeSet<String> {
        let public = ["pub fn ", "pub(super) fn ", "pub(in crate::target) fn ", "pub const "];
        let public = public.iter().chain(&["pub(in crate::generator) fn ", "pub(super) const "]);
        let public: Vec<&&str> = public.collect();
        let name = |line: &Line| {
            let rest = public.iter().find_map(|it| line.text.strip_prefix(**it))?;
            Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        };
        lines().iter().filter(|line| line.file == file).filter_map(name).collect()
    };
    for folder in ["affinity", "clock", "generator/system", "target/system"] {
        let (linux, elsewhere) =
            (of(&format!("{folder}/linux.rs")), of(&format!("{folder}/elsewhere.rs")));
        assert!(!linux.is_empty(), "{folder}");
        assert_eq!(linux, elsewhere, "{folder}");
    }
}

#[test]
fn only_targets_start_processes() {
    let broken: Vec<String> = lines()
        .iter()
        .filter(|line| line.text.contains("Command::new(") && line.module() != "target")
        .map(Line::said)
        .collect();
    assert_none(&broken);
}

#[test]
fn every_file_says_what_it_is_and_is_no_longer_than_400_lines() {
    let mut lengths: BTreeMap<String, usize> = BTreeMap::new();
    let mut broken = Vec::new();
    let mut files = Vec::new();
    collect(&source(), &mut files);
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut files);
    for path in files {
        let text = fs::read_to_string(&path).expect("a source");
        let path = path.display().to_string();
        if !text.starts_with("//! ") {
            broken.push(format!("{path} does not say what it is"));
        }
        lengths.insert(path, text.lines().count());
    }
    broken.extend(
        lengths
            .iter()
            .filter(|(_, length)| **length > 400)
            .map(|(path, length)| format!("{path} has {length} lines")),
    );
    assert_none(&broken);
}
