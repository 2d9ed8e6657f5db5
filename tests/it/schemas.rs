//! What is written by hand, kept on disk and shown in pages is what the schemas say.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use orchestrate::schema::Shape;
use serde_json::{Map, Value, json};

use crate::support::Bench;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).expect("a schema")
}

fn assert_valid(validator: &Validator, value: &Value, whom: &str) {
    let faults: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{whom}: {faults:#?}\n{value:#}");
}

/// A schema that also refuses what it does not name: so nothing that is written goes without a word in it.
fn closed(shape: Shape) -> Validator {
    let mut schema = shape.schema();
    let mut mixed_in = Vec::new();
    mixed(&schema, &mut mixed_in);
    let definitions = schema.as_object_mut().and_then(|map| map.remove("$defs"));
    close(&mut schema);
    if let Some(Value::Object(mut definitions)) = definitions {
        for (name, definition) in &mut definitions {
            if mixed_in.contains(&format!("#/$defs/{name}")) {
                close_inside(definition);
            } else {
                close(definition);
            }
        }
        schema["$defs"] = definitions.into();
    }
    validator(&schema)
}

/// What is referred to beside properties, as a part of a whole.
fn mixed(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            let reference = map.get("$ref").and_then(Value::as_str);
            found.extend(reference.filter(|_| map.contains_key("properties")).map(str::to_owned));
            map.values().for_each(|below| mixed(below, found));
        }
        Value::Array(all) => all.iter().for_each(|below| mixed(below, found)),
        _ => {}
    }
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let is_open =
                map.contains_key("properties") && !map.contains_key("additionalProperties");
            // What a whole is put together from may not be closed part by part.
            let parts = ["oneOf", "anyOf", "allOf"];
            for (name, below) in map.iter_mut() {
                if is_open && parts.contains(&name.as_str()) {
                    below.as_array_mut().into_iter().flatten().for_each(close_inside);
                } else {
                    close(below);
                }
            }
            if is_open {
                map.insert("unevaluatedProperties".to_owned(), false.into());
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

/// What stands in a schema, but not itself.
fn close_inside(schema: &mut Value) {
    if let Some(map) = schema.as_object_mut() {
        map.values_mut().for_each(close);
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn what_a_run_leaves_on_disk_is_what_the_schemas_say() {
    let bench = Bench::new()
        .rounds(2)
        .service("db", "", "")
        .target("good", "")
        .target("wrong", "--fault body=other")
        .target("ends", "--fault exit-at-start=3")
        .command("none", "./is-not-there");
    let outcome = bench.run(&[]);
    let (run, summary) = (closed(Shape::Run), closed(Shape::Summary));
    assert_valid(&run, &json(&outcome.file("run.json")), "run.json");
    assert_valid(&summary, &json(&outcome.file("summary.json")), "summary.json");
    for (shape, file, least) in
        [(Shape::Trial, "trials.ndjson", 8), (Shape::Event, "events.ndjson", 20)]
    {
        let validator = closed(shape);
        let text = outcome.file(file);
        assert!(text.lines().count() >= least, "{file} is short: {text}");
        for line in text.lines() {
            assert_valid(&validator, &json(line), file);
        }
    }
    let mut other = json(&outcome.file("run.json"));
    other["schema"] = json!(99);
    assert!(!run.is_valid(&other), "another number is another schema");
}

#[test]
fn the_runs_that_are_kept_are_of_their_schemas() {
    let mut count = 0;
    for (shape, file) in [(Shape::Run, "run.json"), (Shape::Summary, "summary.json")] {
        let validator = closed(shape);
        for path in files(&root().join("results"), file) {
            assert_valid(&validator, &json(&read(&path)), &path.display().to_string());
            count += 1;
        }
    }
    assert!(count >= 2, "no runs are kept");
}

/// All files of a name below a folder.
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, name));
        } else if path.file_name().is_some_and(|it| it == name) {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn toml(text: &str, whom: &str) -> Map<String, Value> {
    toml::from_str(text).unwrap_or_else(|error| panic!("{whom}: {error}\n{text}"))
}

#[test]
fn every_matrix_target_and_toolchain_that_comes_along_is_of_its_schema() {
    let [matrix, target, toolchains] =
        [Shape::Matrix, Shape::Target, Shape::Toolchains].map(|shape| validator(&shape.schema()));
    let configs = fs::read_dir(root().join("configs")).expect("configs").flatten();
    let configs = configs.map(|entry| entry.path());
    let configs: Vec<PathBuf> =
        configs.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
    let targets = files(&root().join("targets"), "target.toml");
    assert!(configs.len() > 3 && targets.len() > 20);
    let checks = configs.iter().map(|path| (path, &matrix));
    for (path, validator) in checks.chain(targets.iter().map(|path| (path, &target))) {
        let name = path.display().to_string();
        assert_valid(validator, &toml(&read(path), &name).into(), &name);
    }
    let tools = toml(&read(&root().join("targets/toolchains.toml")), "toolchains.toml");
    assert_valid(&toolchains, &tools.into(), "toolchains.toml");
    // The contract holds workloads alone.
    let contract = with_target(toml(&read(&root().join("targets/contract.toml")), "contract.toml"));
    assert_valid(&matrix, &contract.into(), "contract.toml");
}

/// A part of a matrix as a whole one.
fn with_target(mut part: Map<String, Value>) -> Map<String, Value> {
    part.entry("target").or_insert_with(|| json!([{ "command": "./server" }]));
    part
}

/// The TOML that a page shows: in fences that say so, and in indented blocks that begin with a table.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in page.lines() {
        open = match open {
            None if line.trim() == "```toml" => Some((true, String::new())),
            None if line.starts_with("    [") && line.trim_end().ends_with(']') => {
                Some((false, format!("{line}\n")))
            }
            None => None,
            Some((true, text)) if line.trim() == "```" => {
                blocks.push(text);
                None
            }
            Some((true, text)) => Some((true, format!("{text}{line}\n"))),
            Some((false, text)) if !line.is_empty() && !line.starts_with("    ") => {
                blocks.push(text);
                None
            }
            Some((false, text)) => Some((false, format!("{text}{line}\n"))),
        };
    }
    blocks.extend(open.map(|(_, text)| text));
    blocks
}

/// Which file a block is a part of, and that part made whole. A matrix has no keys but its tables; what has a `command`, `build`, `serves` or
/// another key of a target at its top is a `target.toml`; what has only tables, each with a `version` or a `get`, tells of tools.
fn whole(mut part: Map<String, Value>) -> Option<(Shape, Value)> {
    let tables = |shape: Shape| -> Vec<String> {
        let schema = shape.schema();
        schema["properties"].as_object().expect("keys").keys().cloned().collect()
    };
    let only = |names: &[String]| part.keys().all(|key| names.contains(key));
    let is_tool = |value: &Value| value.get("version").or(value.get("get")).is_some();
    if only(&tables(Shape::Matrix)) && part.values().all(|it| it.is_object() || it.is_array()) {
        let is_targets_own = ["workload", "service", "load", "target"]
            .iter()
            .any(|key| part.get(*key).is_some_and(Value::is_object));
        if !is_targets_own {
            return Some((Shape::Matrix, with_target(part).into()));
        }
    }
    if only(&tables(Shape::Target)) {
        part.entry("command").or_insert_with(|| json!("./server"));
        return Some((Shape::Target, part.into()));
    }
    if part.values().all(is_tool) {
        for tool in part.values_mut().filter_map(Value::as_object_mut) {
            tool.entry("version").or_insert_with(|| json!("tool --version"));
            tool.entry("pattern").or_insert_with(|| json!("(.*)"));
        }
        return Some((Shape::Toolchains, part.into()));
    }
    None
}

#[test]
fn every_block_of_toml_in_the_pages_is_of_its_schema() {
    let mut pages = vec![root().join("README.md"), root().join("targets/README.md")];
    let docs = fs::read_dir(root().join("docs")).expect("docs").flatten().map(|it| it.path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|it| it == "md")));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages {
        for block in blocks(&read(&page)) {
            let whom = format!("{}\n{block}", page.display());
            let (shape, value) = whole(toml(&block, &whom))
                .unwrap_or_else(|| panic!("no telling which file this is a part of: {whom}"));
            assert_valid(&validator(&shape.schema()), &value, &whom);
            *counts.entry(shape.name()).or_default() += 1;
        }
    }
    assert!(counts.get("matrix").is_some_and(|count| *count >= 5), "{counts:?}");
    assert!(counts.contains_key("target"), "{counts:?}");
}

#[test]
fn a_block_in_a_page_is_told_by_its_keys_and_made_whole() {
    for (text, shape) in [
        ("[run]\nrounds = 3\n", Some(Shape::Matrix)),
        ("[[load]]\nconnections = 1\n[[service]]\nname = \"a\"\n", Some(Shape::Matrix)),
        ("[variant.one]\nenv = {}\n", Some(Shape::Target)),
        ("serves = { head = false }\n", Some(Shape::Target)),
        ("[workload.json]\npath = \"/j\"\n", Some(Shape::Target)),
        ("[zig]\nversion = \"zig version\"\n[[zig.get]]\nfrom = \"x\"\n", Some(Shape::Toolchains)),
        ("[dependencies]\nserde = \"1\"\n", None),
    ] {
        assert_eq!(whole(toml(text, "a case")).map(|(shape, _)| shape), shape, "{text}");
    }
    let page =
        "text\n\n    [run]\n    a = 1\n\n    [cpus]\n\nmore\n\n```toml\nb = 1\n```\n    $ ls [x]\n";
    assert_eq!(blocks(page), ["    [run]\n    a = 1\n\n    [cpus]\n\n", "b = 1\n"]);
}

#[test]
fn the_reference_of_the_matrix_is_what_is_made_of_the_keys() {
    let path = root().join("docs/matrix.md");
    let made = Bench::new().orchestrate(&["schema", "matrix", "--format", "md"]).exits(0).stdout;
    if std::env::var_os("ORCHESTRATE_REWRITE").is_some() {
        fs::write(&path, &made).expect("the page");
    }
    assert!(
        read(&path) == made,
        "docs/matrix.md is out of date: run this test with ORCHESTRATE_REWRITE=1"
    );
}

#[test]
fn schema_lists_what_there_is_and_prints_each() {
    let bench = Bench::new();
    let list = bench.orchestrate(&["schema"]).exits(0).stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, Shape::ALL.map(Shape::name));
    for shape in Shape::ALL {
        let printed = bench.orchestrate(&["schema", shape.name()]).exits(0).stdout;
        assert_eq!(json(&printed), shape.schema());
    }
    bench.orchestrate(&["schema", "matrx"]).exits(2).says(&["'matrx'", "similar", "'matrix'"]);
    bench
        .orchestrate(&["schema", "run", "--format", "md"])
        .exits(2)
        .says(&["there is no page of `run`", "hint: leave `--format` out"]);
}
