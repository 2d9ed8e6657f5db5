//! The workloads of the targets that come with the project, known by name: a `[[workload]]` with only such a name is this one.

use std::path::PathBuf;

use super::table::Table;
use super::wire::Value;

/// The file in which they stand.
const TEXT: &str = include_str!("../../targets/contract.toml");

/// The keys that say what is asked or which answer is right.
const OWN: [&str; 6] = ["method", "path", "headers", "body", "body-file", "expect"];

/// The table as it is meant: with the request and the answer of the contract, if its name is there and it has none itself.
pub(super) fn completed<'r>(table: &Table<'r>) -> Option<Table<'r>> {
    let Value::Text(name) = &table.value_of("name")?.value else { return None };
    if OWN.into_iter().any(|key| table.has(key)) {
        return None;
    }
    let mut contract = table.reading.toml_text(PathBuf::from("contract.toml"), TEXT.to_owned())?;
    let is_meant = |contract: &Table<'_>| match contract.value_of("name").map(|node| &node.value) {
        Some(Value::Text(known)) => known == name,
        _ => false,
    };
    let below = contract.tables("workload").into_iter().find(is_meant)?;
    Some(below.overlaid(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::{picture, script};

    #[test]
    fn its_digests_are_those_of_the_assets() {
        for digest in [script::SHA256, picture::SHA256] {
            assert!(TEXT.contains(&format!("sha256 = \"{digest}\"")), "{digest}");
        }
    }
}
