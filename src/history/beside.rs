//! What else changed from the last run of one level to the first of the next: the suspects, besides the row itself.

use super::Run;
use crate::units::write_bytes;

/// What of the machine and its tools became another, in words: `go 1.26.7 to 1.26.8`.
pub fn changed(before: &Run, after: &Run) -> Vec<String> {
    let text = |text: Option<&String>| text.map_or("unknown", String::as_str).to_owned();
    let memory = |run: &Run| run.memory_bytes.map_or_else(|| "unknown".to_owned(), write_bytes);
    let machine = [
        ("commit", text(before.commit.as_ref()), text(after.commit.as_ref())),
        ("kernel", text(before.kernel.as_ref()), text(after.kernel.as_ref())),
        // A few kilobytes more or less, as a kernel takes them for itself, are none.
        ("memory", memory(before), memory(after)),
        ("program", before.orchestrate.clone(), after.orchestrate.clone()),
    ];
    let tools = before.versions.keys().chain(after.versions.keys());
    let mut tools: Vec<&String> = tools.collect();
    tools.sort_unstable();
    tools.dedup();
    let tools = tools.into_iter().map(|tool| {
        let version = |run: &Run| run.versions.get(tool).map_or("none", String::as_str).to_owned();
        (tool.as_str(), version(before), version(after))
    });
    let all = machine.into_iter().chain(tools).filter(|(_, from, to)| from != to);
    all.map(|(what, from, to)| format!("{what} {from} to {to}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::run;
    use super::*;

    #[test]
    fn what_became_another_is_told_and_what_did_not_is_not() {
        let before = run(1);
        assert_eq!(changed(&before, &run(2)), Vec::<String>::new());
        let mut after = run(2);
        after.kernel = Some("Linux 6.19".to_owned());
        after.commit = Some("5d6e7f8".to_owned());
        after.memory_bytes = Some(8_000_004_096);
        after.versions.insert("go".to_owned(), "1.27".to_owned());
        after.versions.insert("node".to_owned(), "24".to_owned());
        assert_eq!(
            changed(&before, &after),
            [
                "commit unknown to 5d6e7f8",
                "kernel Linux 6.18 to Linux 6.19",
                "go 1.26 to 1.27",
                "node none to 24"
            ]
        );
    }
}
