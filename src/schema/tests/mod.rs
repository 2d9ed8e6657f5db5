//! What is declared of keys, held against the reader that takes them and against the schemas that are made of them.

mod frame;
mod values;

use std::path::Path;

use serde_json::Value;

use super::Shape;
use crate::matrix::keys::{FROM, INLINE, MATRIX, Preset, TARGET, TOOLCHAINS};
use crate::matrix::{Matrix, read};
use frame::{Frame, frames};
use values::{values, written};

#[test]
fn the_keys_that_are_declared_are_those_that_the_reader_knows() {
    let mut met: Vec<&str> = Vec::new();
    for frame in frames() {
        met.push(frame.keys.written);
        let problems = frame.read("zzzzzzzz = 1").expect_err("an unknown key");
        let unknown = problems.iter().find(|it| it.what == "unknown key `zzzzzzzz`");
        let hint = unknown.and_then(|problem| problem.hint.clone()).unwrap_or_default();
        // Beside `from` another hint says more.
        let hint = hint
            .replace("beside `from` may stand `variants`; ", "known here: `from`, `variants`; ");
        let hint = hint.split("; ").next().unwrap_or_default();
        let known = hint.strip_prefix("known here: ").unwrap_or_else(|| panic!("{problems:#?}"));
        let known: Vec<&str> = known.split(", ").map(|name| name.trim_matches('`')).collect();
        let mut declared: Vec<&str> = frame.keys.keys.iter().map(|key| key.name).collect();
        if frame.keys.written == INLINE.written {
            declared.push("from");
        }
        declared.sort_unstable();
        assert_eq!(declared, known, "{}", frame.keys.written);
        assert_ne!(frame.refusals("zzzzzzzz = 1"), [""; 0], "{}", frame.keys.written);
    }
    for root in [&MATRIX, &TARGET, &TOOLCHAINS] {
        for keys in root.with_all_below() {
            let is_met = met.contains(&keys.written) || keys.written == TOOLCHAINS.written;
            assert!(is_met, "no frame for {}", keys.written);
        }
    }
}

/// Words of what the reader says of a value that cannot be, whatever stands beside it.
const OF_FORMS: [&str; 7] =
    [" must be", "unknown key", "cannot be a", "is no ", "is empty", "holds", "must begin"];

#[test]
fn reader_and_schema_take_the_same_values_and_refuse_the_same() {
    let mut faults: Vec<String> = Vec::new();
    for frame in frames() {
        let whom = frame.keys.written;
        for key in frame.keys.keys {
            let (mut good, bad) = values(key);
            good.extend(key.example.map(str::to_owned));
            good.extend(written(key.preset));
            let line = |value: &str| format!("{} = {value}{}", key.name, frame.companion(key.name));
            for line in good.iter().map(|value| line(value)) {
                let is_of_form = |what: &&String| OF_FORMS.iter().any(|of| what.contains(of));
                faults.extend(
                    frame
                        .whats(&line)
                        .iter()
                        .filter(is_of_form)
                        .map(|what| format!("{whom} {line}: {what}")),
                );
                faults.extend(
                    frame
                        .refusals(&line)
                        .iter()
                        .map(|what| format!("{whom} {line}: by schema: {what}")),
                );
            }
            for line in bad.iter().map(|value| line(value)) {
                faults
                    .extend(frame.whats(&line).is_empty().then(|| format!("{whom} {line}: read")));
                faults.extend(
                    frame
                        .refusals(&line)
                        .is_empty()
                        .then(|| format!("{whom} {line}: of the schema")),
                );
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_key_that_says_its_default_says_nothing() {
    let mut count = 0;
    for frame in frames() {
        for key in frame.keys.keys {
            let Some(default) = written(key.preset) else { continue };
            let companion = frame.companion(key.name);
            let meaning = |line: &str| {
                let lines = format!("{line}{companion}");
                let matrix = frame.read(&lines).unwrap_or_else(|it| panic!("{lines}: {it:#?}"));
                meaning(matrix)
            };
            assert_eq!(meaning(&format!("{} = {default}", key.name)), meaning(""), "{}", key.name);
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// A matrix in words, without its text and with the paths of the folder that it was in.
fn meaning(mut matrix: Matrix) -> String {
    let folder = matrix.path.parent().unwrap_or(Path::new("")).display().to_string();
    matrix.text.clear();
    // No pattern at all and the one for all names mean the same.
    let words = format!("{matrix:#?}").replace(&folder, "");
    let words: String = words.lines().map(str::trim).collect();
    words.replace("patterns: [\"*\",]", "patterns: []")
}

#[test]
fn what_cannot_stand_together_is_refused_by_both() {
    for frame in frames() {
        for group in frame.keys.alone {
            for (place, first) in group.iter().enumerate() {
                for second in &group[place + 1..] {
                    let line = |name: &str| {
                        let key = frame.keys.key(name).expect("a key");
                        let first = values(key).0.first().cloned();
                        format!(
                            "{name} = {}",
                            key.example.map(str::to_owned).or(first).expect("a value")
                        )
                    };
                    let lines = format!("{}\n{}", line(first), line(second));
                    assert_eq!(frame.whats(&lines).len(), 1, "{lines}");
                    assert_eq!(frame.refusals(&lines).len(), 1, "{lines}");
                }
            }
        }
        for (key, _) in frame.keys.with {
            let key = frame.keys.key(key).expect("a key");
            let line = format!("{} = {}", key.name, written(key.preset).expect("a default"));
            assert_eq!(frame.whats(&line).len(), 1, "{line}");
            assert_eq!(frame.refusals(&line).len(), 1, "{line}");
        }
        for key in frame.keys.keys.iter().filter(|key| key.preset == Preset::Required) {
            let others = frame.beside.iter().filter(|(name, _)| *name != key.name);
            let lacking = others.map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
            let frame = Frame { beside: &[], above: frame.above.clone(), ..frame };
            // A matrix without a target has nothing below its tables, and one without `from` is a target of another sort.
            if frame.keys.written == MATRIX.written || frame.keys.written == FROM.written {
                continue;
            }
            assert_ne!(frame.whats(&lacking), [""; 0], "{} {}", frame.keys.written, key.name);
            assert_ne!(frame.refusals(&lacking), [""; 0], "{} {}", frame.keys.written, key.name);
        }
    }
}

#[test]
fn the_commented_example_of_the_page_has_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("targets/go/net-http");
    std::fs::create_dir_all(&target).expect("a folder");
    std::fs::create_dir_all(folder.path().join("configs")).expect("a folder");
    std::fs::write(
        target.join("target.toml"),
        "command = \"./s\"\n[variant.one-core]\nenv = { A = 1 }\n",
    )
    .expect("a file");
    let path = folder.path().join("configs/example.toml");
    std::fs::write(&path, super::page::EXAMPLE).expect("a file");
    for profile in [None, Some("quick")] {
        let read = read(&path, profile);
        assert!(read.is_ok(), "{:#?}", read.err());
    }
}

#[test]
fn every_schema_is_one_of_the_draft_that_it_names_and_describes_all_that_it_has() {
    for shape in Shape::ALL {
        let schema = shape.schema();
        assert_eq!(schema["$schema"], super::DRAFT, "{}", shape.name());
        assert_eq!(schema["title"], shape.about());
        jsonschema::draft202012::meta::validate(&schema)
            .unwrap_or_else(|error| panic!("{}: {error}", shape.name()));
        described(&schema, shape.name());
        let text = schema.to_string();
        assert!(!text.contains("[`"), "a link of rustdoc in {}", shape.name());
    }
}

/// Every property says what it is, itself or by what it refers to.
fn described(schema: &Value, path: &str) {
    match schema {
        Value::Object(map) => {
            for (name, property) in
                map.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                // The tag of an event is told by the event.
                let is_told =
                    ["description", "$ref", "const"].iter().any(|it| property.get(it).is_some());
                let is_count = map.get("additionalProperties") == Some(&Value::Bool(false));
                assert!(is_told || is_count, "{path}/{name} does not say what it is");
            }
            for (name, below) in map {
                described(below, &format!("{path}/{name}"));
            }
        }
        Value::Array(all) => all.iter().for_each(|below| described(below, path)),
        _ => {}
    }
}

#[test]
fn changes_are_of_their_schema() {
    use crate::record::changes::{Changes, Known};
    let validator = jsonschema::validator_for(&Shape::Changes.schema()).expect("a schema");
    let text = || "x".to_owned();
    let known = |told: Option<String>, accepted: Option<String>| Known {
        workload: text(),
        load: text(),
        target: text(),
        metric: text(),
        since: text(),
        through: text(),
        told,
        accepted,
    };
    let changes = vec![known(None, None), known(Some(text()), Some(text()))];
    let mut value = serde_json::to_value(Changes { changes, ..Changes::default() }).expect("JSON");
    assert!(validator.is_valid(&value));
    value["schema"] = 2.into();
    assert!(!validator.is_valid(&value), "another schema number is another schema");
    value["schema"] = 1.into();
    value["changes"][0]["colour"] = 1.into();
    assert!(!validator.is_valid(&value), "a key that nobody knows");
}
