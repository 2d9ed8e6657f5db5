//! Where keys belong: for one that stands in a table which does not know it.
//!
//! Not here: keys that several tables know alike, such as `name`, `workloads` or `keep-alive`.

/// Tables of a matrix, as they are written, with keys of theirs.
const HOMES: [(&str, &[&str]); 6] = [
    (
        "[run]",
        &[
            "rounds",
            "max-rounds",
            "warm-up",
            "warm-up-max",
            "measure",
            "seed",
            "order",
            "reference",
            "control",
            "min-effect",
            "retry-noisy",
            "results",
        ],
    ),
    ("[cpus]", &["server", "generator"]),
    ("[[workload]]", &["method", "path", "headers", "body", "body-file"]),
    (
        "[[load]]",
        &[
            "connections",
            "pipeline",
            "timeout",
            "rate",
            "arrivals",
            "requests",
            "at-most",
            "verify",
            "rank-by",
        ],
    ),
    (
        "[[target]]",
        &[
            "command",
            "from",
            "variants",
            "language",
            "kind",
            "before-trial",
            "after-trial",
            "sources",
            "serves",
            "platforms",
            "external",
        ],
    ),
    ("[[service]]", &["setup", "scope", "stop-signal"]),
];
/// Keys that say which answer is right.
const OF_ANSWERS: [&str; 5] = ["status", "json", "contains", "length", "sha256"];

/// Where a key belongs, as a hint; `None` if no table knows it, or several do.
pub(super) fn home(key: &str) -> Option<String> {
    if OF_ANSWERS.contains(&key) {
        return Some(format!("it belongs to an answer: `expect = {{ {key} = ... }}`"));
    }
    let (home, _) = HOMES.iter().find(|(_, keys)| keys.contains(&key))?;
    Some(format!("it belongs to `{home}`"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::memory::Memory;
    use super::super::read::read_from;
    use super::*;

    #[test]
    fn a_key_is_known_where_it_is_said_to_belong() {
        let answers: Vec<(&str, &str)> =
            OF_ANSWERS.iter().map(|key| ("[[workload]]\n[workload.expect]", *key)).collect();
        let homes = HOMES.iter().flat_map(|(home, keys)| keys.iter().map(move |key| (*home, *key)));
        for (home, key) in homes.chain(answers) {
            let text = format!("{home}\n{key} = {{ x = 1979-05-27 }}\n");
            let files = Memory::default().with("m.toml", &text);
            let problems = read_from(&files, Path::new("m.toml"), None).expect_err("a fault");
            let unknown = format!("unknown key `{key}`");
            assert!(problems.iter().all(|it| it.what != unknown), "{text}\n{problems:#?}");
        }
    }
}
