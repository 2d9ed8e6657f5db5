//! Where keys belong: for one that stands in a table which does not know it.

use super::keys::{CPUS, EXPECT, FROM, INLINE, Keys, LOAD, RUN, SERVES, SERVICE, WORKLOAD};

/// Tables of a matrix, as they are written, with what they know.
static HOMES: [(&str, &[&Keys]); 6] = [
    ("[run]", &[&RUN]),
    ("[cpus]", &[&CPUS]),
    ("[[workload]]", &[&WORKLOAD]),
    ("[[load]]", &[&LOAD]),
    (TARGETS, &[&FROM, &INLINE]),
    (SERVICES, &[&SERVICE]),
];
const TARGETS: &str = "[[target]]";
const SERVICES: &str = "[[service]]";

/// Where a key belongs, as a hint; `None` if no table knows it, or several do.
pub(super) fn home(key: &str) -> Option<String> {
    let knows = |keys: &&Keys| keys.key(key).is_some();
    let homes: Vec<&str> =
        HOMES.iter().filter(|(_, all)| all.iter().any(knows)).map(|(home, _)| *home).collect();
    match homes.as_slice() {
        [] if EXPECT.key(key).is_some() => {
            Some(format!("it belongs to an answer: `expect = {{ {key} = ... }}`"))
        }
        // What a target does not do has the names of what a load asks for.
        [home] if SERVES.key(key).is_none() => Some(format!("it belongs to `{home}`")),
        // Of what both know a target is meant more often.
        [TARGETS, SERVICES] => Some(format!("it belongs to `{TARGETS}`")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_home_or_none_is_named() {
        for (key, expected) in [
            ("rounds", Some("it belongs to `[run]`")),
            ("generator", Some("it belongs to `[cpus]`")),
            ("method", Some("it belongs to `[[workload]]`")),
            ("body", Some("it belongs to `[[workload]]`")),
            ("rate", Some("it belongs to `[[load]]`")),
            ("command", Some("it belongs to `[[target]]`")),
            ("from", Some("it belongs to `[[target]]`")),
            ("scope", Some("it belongs to `[[service]]`")),
            ("sha256", Some("it belongs to an answer: `expect = { sha256 = ... }`")),
            ("name", None),
            ("workloads", None),
            ("targets", None),
            ("env", Some("it belongs to `[[target]]`")),
            ("keep-alive", None),
            ("colour", None),
        ] {
            assert_eq!(home(key).as_deref(), expected, "{key}");
        }
    }
}
