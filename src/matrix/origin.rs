//! Where targets come from: the tables of a matrix, and the folders that `from` names.

use std::path::{Path, PathBuf};

use super::globs::Globs;
use super::names::{check, check_target, slug, target_name};
use super::patterns::{FORMS, Patterns, patterns};
use super::problem::{Place, Problem, nearest};
use super::reading::{RELATIVE, Reading};
use super::table::Table;
use super::wire::Placed;

/// The file that makes a folder a target.
const TARGET_FILE: &str = "target.toml";
/// How deep folders are searched below the part of `from` that is no pattern.
const DEPTH_MAX: usize = 4;

/// A target as written, by itself or in the matrix, with its variants.
pub(super) struct Origin<'r> {
    pub(super) name: String,
    /// Where the matrix names it.
    pub(super) place: Place,
    /// Its keys but for its name and variants.
    pub(super) table: Table<'r>,
    pub(super) variants: Vec<(Placed<String>, Table<'r>)>,
    /// Which variants take part; none without patterns.
    pub(super) chosen: Option<Patterns>,
    /// The folder that its paths start from.
    pub(super) folder: PathBuf,
    /// Whether it is a folder with a file of its own rather than a part of the matrix.
    pub(super) is_folder: bool,
    /// Whether a pattern found it, so that it has a part in the matrix only where something is asked that it offers.
    pub(super) is_found: bool,
}

impl Origin<'_> {
    /// Whether a variant takes part.
    pub(super) fn is_chosen(&self, variant: &str) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.globs.matches(variant))
    }
}

/// What the `[[target]]` tables of a matrix name.
pub(super) struct Origins<'r> {
    pub(super) all: Vec<Origin<'r>>,
    /// Whether every target could be found and read.
    pub(super) is_complete: bool,
}

/// Finds the targets of a matrix.
pub(super) fn origins(tables: Vec<Table<'_>>) -> Origins<'_> {
    let mut origins = Origins { all: Vec::new(), is_complete: true };
    for mut table in tables {
        let chosen = table.has("variants").then(|| patterns(&mut table, "variants"));
        let found = match table.text("from") {
            Some(from) => below(table, &from, chosen.as_ref(), &mut origins.is_complete),
            None => vec![inline(table, chosen.clone(), &origins.all)],
        };
        if let (Some(mut chosen), Some(first)) = (chosen, found.first()) {
            let names = found.iter().flat_map(|origin| &origin.variants);
            let names: Vec<&str> = names.map(|(name, _)| name.value.as_str()).collect();
            // All of none is no slip.
            chosen.written.retain(|pattern| pattern.value != "*");
            chosen.report_idle(first.table.reading, "variant", &names);
        }
        origins.all.extend(found);
    }
    origins
}

/// A target that is written in the matrix.
fn inline<'r>(mut table: Table<'r>, chosen: Option<Patterns>, others: &[Origin<'_>]) -> Origin<'r> {
    let name = target_name(&mut table).unwrap_or_else(|| {
        let command = table.value_of("command").map_or("", |node| node.place.text());
        let value = unused(&name_of_command(command.trim_matches(['"', '\''])), others);
        Placed { value, place: table.place.clone() }
    });
    let variants = variants(&mut table);
    let file = &table.place.source.path;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    Origin {
        name: name.value,
        place: name.place,
        table,
        variants,
        chosen,
        folder,
        is_folder: false,
        is_found: false,
    }
}

/// What a target without a name is called: its program and its plain arguments, `node-a.js`.
fn name_of_command(command: &str) -> String {
    let is_telling = |word: &&str| !word.starts_with('-') && !word.contains('{');
    let mut words = command.split_whitespace().filter(is_telling);
    let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word));
    let words: Vec<&str> = program.into_iter().chain(words).collect();
    Some(slug(&words.join(" "))).filter(|name| !name.is_empty()).unwrap_or("target".to_owned())
}

fn unused(name: &str, others: &[Origin<'_>]) -> String {
    let is_used = |name: &str| others.iter().any(|origin| origin.name == name);
    if !is_used(name) {
        return name.to_owned();
    }
    let count = (2..=others.len() + 2).find(|count| !is_used(&format!("{name}-{count}")));
    format!("{name}-{}", count.unwrap_or_default())
}

fn variants<'r>(table: &mut Table<'r>) -> Vec<(Placed<String>, Table<'r>)> {
    let variants = table.named_tables("variant");
    for (name, _) in &variants {
        check(table.reading, name);
    }
    variants
}

/// The targets that `from` names.
fn below<'r>(
    table: Table<'r>,
    from: &Placed<String>,
    chosen: Option<&Patterns>,
    is_complete: &mut bool,
) -> Vec<Origin<'r>> {
    let reading = table.reading;
    table.finish_with(|key| {
        let near = nearest(key, ["from", "variants"]);
        Some(near.map_or_else(
            || format!("beside `from` may stand `variants`; all else is in the folder's `{TARGET_FILE}`"),
            |near| format!("did you mean `{near}`?"),
        ))
    });
    let folders = folders(reading, from);
    *is_complete &= !folders.is_empty();
    let mut origins = Vec::new();
    for folder in folders {
        let is_found = from.value.split('/').any(is_pattern);
        match folder_origin(reading, &folder, &from.place) {
            Some(origin) => origins.push(Origin { chosen: chosen.cloned(), is_found, ..origin }),
            None => *is_complete = false,
        }
    }
    origins
}

/// The target that a folder holds, with all of its variants; `None` if its file cannot be read, which is noted at `named`.
pub(super) fn folder_origin<'r>(
    reading: &'r Reading<'r>,
    folder: &Path,
    named: &Place,
) -> Option<Origin<'r>> {
    let mut table = reading.toml(&folder.join(TARGET_FILE), Some(named))?;
    let name = target_name(&mut table).unwrap_or_else(|| {
        let value = name_of_folder(&reading.absolute(folder));
        let name = Placed { value, place: named.clone() };
        check_target(reading, &name);
        name
    });
    Some(Origin {
        name: name.value,
        place: named.clone(),
        variants: variants(&mut table),
        table,
        chosen: Some(Patterns::all()),
        folder: folder.to_owned(),
        is_folder: true,
        is_found: false,
    })
}

/// The path below the nearest folder called `targets`, else the folder's own name.
fn name_of_folder(folder: &Path) -> String {
    let parts: Vec<String> =
        folder.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let above = parts[..parts.len().saturating_sub(1)].iter().rposition(|part| part == "targets");
    let own = above.map_or(parts.len().saturating_sub(1), |above| above + 1);
    parts[own..].join("/")
}

/// Whether a part of a path stands for several.
fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', '{'])
}

/// The folders with a target file that a path or pattern names.
fn folders(reading: &Reading<'_>, from: &Placed<String>) -> Vec<PathBuf> {
    let file = &from.place.source.path;
    let start = file.parent().unwrap_or(Path::new(""));
    let parts: Vec<&str> = from.value.split('/').collect();
    let Some(first) = parts.iter().position(|part| is_pattern(part)) else {
        return plain_folder(reading, from, &start.join(&from.value));
    };
    let base = parts[..first].join("/");
    let base = if base.is_empty() && first > 0 { "/".to_owned() } else { base };
    let globs = match Globs::parse(&[parts[first..].join("/").trim_end_matches('/')]) {
        Ok(globs) => globs,
        Err(error) => {
            reading.report(Problem::at(from.place.clone(), error.to_string()).hint(FORMS));
            return Vec::new();
        }
    };
    let base = start.join(base);
    if !reading.files.is_folder(&base) {
        let what = format!("`{}` is no folder", reading.shown(&base).display());
        let near = near_folder(reading, &parts[..first].join("/"), &base);
        let hint = near.unwrap_or_else(|| RELATIVE.to_owned());
        reading.report(Problem::at(from.place.clone(), what).hint(hint));
        return Vec::new();
    }
    let found: Vec<PathBuf> = targets_below(reading, &base, "", DEPTH_MAX)
        .into_iter()
        .filter(|path| globs.matches(path))
        .map(|path| base.join(path))
        .collect();
    if found.is_empty() {
        let shown = reading.shown(&base);
        let what = format!("`{}` matches no folder with a `{TARGET_FILE}`", from.value);
        reading.report(
            Problem::at(from.place.clone(), what)
                .hint(format!("such folders are looked for below `{}`", shown.display())),
        );
    }
    found
}

fn plain_folder(reading: &Reading<'_>, from: &Placed<String>, folder: &Path) -> Vec<PathBuf> {
    if reading.files.exists(&folder.join(TARGET_FILE)) {
        return vec![folder.to_owned()];
    }
    let shown = reading.shown(folder);
    let what = format!("no `{TARGET_FILE}` in `{}`", shown.display());
    let problem = Problem::at(from.place.clone(), what);
    let trimmed = from.value.trim_end_matches('/');
    let is_folder = reading.files.is_folder(folder);
    let hint = if !targets_below(reading, folder, "", DEPTH_MAX).is_empty() {
        format!("for all targets below it, write `{trimmed}/*`")
    } else if let Some(near) = near_folder(reading, trimmed, folder) {
        near
    } else if is_folder {
        format!("the `{TARGET_FILE}` in it makes a folder a target")
    } else if trimmed.starts_with('/') {
        "there is no such folder".to_owned()
    } else {
        RELATIVE.to_owned()
    };
    reading.report(problem.hint(hint));
    Vec::new()
}

/// The folder beside one that is not there which was most likely meant, as it would be `written`.
fn near_folder(reading: &Reading<'_>, written: &str, folder: &Path) -> Option<String> {
    let (above, last) = written.rsplit_once('/').unwrap_or(("", written));
    let beside = reading.files.folders(folder.parent().unwrap_or(folder));
    let guess = nearest(last, beside.iter().map(String::as_str).filter(|name| *name != last))?;
    let slash = if above.is_empty() { "" } else { "/" };
    Some(format!("did you mean `{above}{slash}{guess}`?"))
}

/// Paths below `base` of the folders with a target file; what is inside such a folder is its own.
fn targets_below(reading: &Reading<'_>, base: &Path, below: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for name in reading.files.folders(&base.join(below)) {
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if reading.files.exists(&base.join(&path).join(TARGET_FILE)) {
            found.push(path);
        } else if depth > 0 {
            found.extend(targets_below(reading, base, &path, depth - 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_without_a_name_is_called_by_its_command() {
        for (command, name) in [
            ("./bin/server --port {port}", "server"),
            ("node a.js", "node-a.js"),
            ("python3 -m http.server {port}", "python3-http.server"),
            ("", "target"),
        ] {
            assert_eq!(name_of_command(command), name);
        }
    }

    #[test]
    fn a_folder_is_called_by_its_path_below_targets() {
        for (folder, name) in [
            ("/p/targets/go/net-http", "go/net-http"),
            ("/targets/p/targets/c/epoll", "c/epoll"),
            ("/p/mine", "mine"),
            ("/p/targets", "targets"),
        ] {
            assert_eq!(name_of_folder(Path::new(folder)), name);
        }
    }
}
