//! Matrices and targets that are written for a user who has none yet.
//!
//! Only texts are made here; [`crate::commands`] writes them to files. Input: commands as they were typed, the files of a
//! project, and what is built into this program.

pub use toml::{Table, Value};

pub mod example;
pub mod project;
pub mod starter;
pub mod versus;

/// Keys of a table, in the order in which they are written.
pub type Keys = Vec<(&'static str, Value)>;

/// A table with its header, its `=` below each other; nothing if it has no keys.
fn table(header: &str, keys: &[(&str, Value)]) -> String {
    if keys.is_empty() {
        return String::new();
    }
    let width = keys.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
    let lines: Vec<String> =
        keys.iter().map(|(key, value)| format!("{key:width$} = {value}\n")).collect();
    format!("{header}\n{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_toml_whatever_its_values_hold() {
        let text = "a \"quoted\" back\\slash, 'single', {port} and\na line";
        let inner: toml::Table = [("status".to_owned(), Value::Integer(200))].into_iter().collect();
        let keys = [("command", Value::from(text)), ("expect", Value::Table(inner))];
        let written = table("[[target]]", &keys);
        let read: toml::Table = written.parse().expect("TOML");
        let target = &read["target"][0];
        assert_eq!(target["command"].as_str(), Some(text), "{written}");
        assert_eq!(target["expect"]["status"].as_integer(), Some(200), "{written}");
        assert_eq!(table("[run]", &[]), "");
    }
}
