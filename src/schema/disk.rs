//! JSON Schemas of what is kept on disk, as they follow from the records.
//!
//! Those of records hold of what this version writes and of what older ones with the same schema number wrote: what one of them
//! left out is not required. A field that they do not name may have come with a newer version.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::DRAFT;

/// The schema of a record that is read back.
pub(super) fn kept<T: JsonSchema>(title: &str) -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize(), title)
}

/// The schema of what is written for others, and never read back: what this version always writes is required.
pub(super) fn told<T: JsonSchema>(title: &str) -> Value {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize(), title)
}

fn schema<T: JsonSchema>(settings: SchemaSettings, title: &str) -> Value {
    let mut made = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), DRAFT.into());
    schema.insert("title".to_owned(), title.into());
    if let Value::Object(made) = &mut made {
        for (keyword, value) in std::mem::take(made) {
            schema.entry(keyword).or_insert(value);
        }
    }
    schema.into()
}
