//! Where keys belong: for one that stands in a table which does not know it.

use super::keys::{CPUS, EXPECT, FROM, INLINE, Keys, LOAD, RUN, SERVES, SERVICE, WORKLOAD};

/// Tables of a matrix, as they are written, with what they know.
static HOMES: [(&str, &[&Keys]); 5] = [
    ("[run]", &[&RUN]),
    ("[cpus]", &[&CPUS]),
    ("[[workload]]", &[&WORKLOAD]),
    ("[[load]]", &[&LOAD]),
    ("[[target]]", &[&FROM, &INLINE]),
];

/// Where a key belongs, as a hint; `None` if no table knows it, or several do.
pub(super) fn home(key: &str) -> Option<String> {
    let mut homes = HOMES.iter().filter(|(_, all)| all.iter().any(|keys| keys.key(key).is_some()));
    match (homes.next(), homes.next()) {
        // What a target does not do has the names of what a load asks for.
        (Some((home, _)), None) if SERVES.key(key).is_none() => {
            Some(format!("it belongs to `{home}`"))
        }
        (Some(_), _) => None,
        (None, _) if EXPECT.key(key).is_some() => {
            Some(format!("it belongs to an answer: `expect = {{ {key} = ... }}`"))
        }
        // Much of what a service knows a target does, too, which is meant more often.
        (None, _) => SERVICE.key(key).map(|_| "it belongs to `[[service]]`".to_owned()),
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
            ("keep-alive", None),
            ("colour", None),
        ] {
            assert_eq!(home(key).as_deref(), expected, "{key}");
        }
    }
}
