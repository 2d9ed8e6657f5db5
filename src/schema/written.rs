//! JSON Schemas of what a user writes, made from the keys that are declared.
//!
//! A schema refuses nothing that the reader takes. The reader refuses more: names that stand for nothing, commands that
//! cannot be split, one key that contradicts another.

use serde_json::{Map, Value, json};

use super::DRAFT;
use super::forms::form;
use crate::matrix::keys::{ANY, Key, Keys, Preset, Sort};
use crate::units::typed_duration;

/// The schema of a file.
pub(super) fn schema(root: &'static Keys, title: &str) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), DRAFT.into());
    schema.insert("title".to_owned(), title.into());
    schema.extend(table(root));
    let below = root.with_all_below().into_iter().skip(1);
    let tables: Map<String, Value> =
        below.map(|keys| (keys.name.to_owned(), Value::Object(table(keys)))).collect();
    schema.insert("$defs".to_owned(), tables.into());
    schema.into()
}

fn table(keys: &Keys) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), keys.about.into());
    schema.insert("type".to_owned(), "object".into());
    if let [Key { name: ANY, sort: Sort::Named(below), .. }] = keys.keys {
        schema.insert("additionalProperties".to_owned(), reference(below));
        return schema;
    }
    let properties: Map<String, Value> =
        keys.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    schema.insert("properties".to_owned(), properties.into());
    let required = keys.keys.iter().filter(|key| key.preset == Preset::Required);
    let required: Vec<&str> = required.map(|key| key.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if !keys.with.is_empty() {
        let with: Map<String, Value> =
            keys.with.iter().map(|(key, other)| ((*key).to_owned(), json!([other]))).collect();
        schema.insert("dependentRequired".to_owned(), with.into());
    }
    let pairs: Vec<Value> = keys.alone.iter().flat_map(|group| never_two(group)).collect();
    if !pairs.is_empty() {
        schema.insert("not".to_owned(), json!({ "anyOf": pairs }));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// Every two of a group.
fn never_two(group: &[&str]) -> Vec<Value> {
    let pairs = group.iter().enumerate().flat_map(|(place, first)| {
        group[place + 1..].iter().map(move |second| json!({ "required": [first, second] }))
    });
    pairs.collect()
}

fn property(key: &Key) -> Value {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), about(key).into());
    if let Some(default) = default(key.preset) {
        schema.insert("default".to_owned(), default);
    }
    if let Some(example) = key.example_value() {
        schema.insert("examples".to_owned(), json!([example]));
    }
    schema.extend(form(key.sort));
    schema.into()
}

/// What a key says, and what it is by default where that is no value.
fn about(key: &Key) -> String {
    match key.preset {
        Preset::Words(words) => format!("{} By default: {words}.", key.about),
        _ => key.about.to_owned(),
    }
}

/// What a key is by default, where that is a value.
fn default(preset: Preset) -> Option<Value> {
    Some(match preset {
        Preset::Required | Preset::Absent | Preset::Words(_) => return None,
        Preset::Text(text) => text.into(),
        Preset::Whole(number) => number.into(),
        Preset::Share(share) => share.into(),
        Preset::Truth(truth) => truth.into(),
        Preset::Time(time) => typed_duration(time).into(),
        Preset::All => json!(["*"]),
    })
}

/// What is told elsewhere in the same schema.
pub(super) fn reference(keys: &Keys) -> Value {
    json!({ "$ref": format!("#/$defs/{}", keys.name) })
}
