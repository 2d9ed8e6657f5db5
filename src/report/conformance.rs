//! What a check of targets' claims found, for a person: a line for each target, and below it what it broke.

use super::escape::plain;
use crate::outcome::Kind as _;
use crate::record::conformance::{Broken, Conformance, Findings, Outcome};
use crate::record::trial::{Ended, Failed};
use crate::units::count_of;

/// One target as text.
pub fn text(found: &Conformance) -> String {
    let label = plain(&found.target);
    match &found.outcome {
        Outcome::Asked(findings) => {
            let names: Vec<String> = found.not_offered.iter().map(|name| plain(name)).collect();
            let not_offered = match names.join(", ") {
                none if none.is_empty() => none,
                names => format!("; not offered: {names}"),
            };
            let mut text = format!("{label}: {}{not_offered}\n", totals(findings));
            text.push_str(&all_broken(&findings.broken));
            text
        }
        Outcome::Out(Ended::Failed(failed)) => format!("{label}: {}", self::failed(failed)),
        Outcome::Out(Ended::Skipped(skipped)) => {
            let hint = skipped.hint.as_deref().map(self::hint).unwrap_or_default();
            format!("{label}: skipped: {}\n{hint}", plain(&skipped.reason))
        }
        Outcome::Out(Ended::Measured(_)) => unreachable!("nothing is measured by a check"),
    }
}

fn totals(findings: &Findings) -> String {
    let mut words = vec![
        format!("{} kept", count_of(findings.kept, "check")),
        format!("{} broken", findings.broken.len()),
    ];
    if !findings.not_claimed.is_empty() {
        let mut keys: Vec<&str> = Vec::new();
        for key in &findings.not_claimed {
            if !keys.contains(key) {
                keys.push(key);
            }
        }
        words.push(format!("{} not claimed ({})", findings.not_claimed.len(), keys.join(", ")));
    }
    if findings.not_asked > 0 {
        words.push(format!("{} not asked", findings.not_asked));
    }
    words.join(", ")
}

/// Of faults that are told in the same words so many are told whole.
const ALIKE_TOLD: usize = 8;

/// What is broken, line by line. Where one cause breaks nearly everything, the rest of what is told alike is counted.
fn all_broken(all: &[Broken]) -> String {
    let alike = |one: &Broken| all.iter().filter(|other| other.what == one.what).count();
    let mut told: Vec<&Broken> = Vec::new();
    let mut text = String::new();
    for one in all {
        let before = told.iter().filter(|other| other.what == one.what).count();
        told.push(one);
        if before < ALIKE_TOLD {
            text.push_str(&broken(one));
        } else if before + 1 == alike(one) {
            let more = count_of(alike(one) - ALIKE_TOLD, "check");
            text.extend(["  and ", &more, " more: ", &plain(&one.what), "\n"]);
        }
    }
    text
}

fn broken(broken: &Broken) -> String {
    let asked =
        if broken.asked.is_empty() { String::new() } else { format!("{}: ", plain(&broken.asked)) };
    let hint = broken.hint.as_deref().map(hint).unwrap_or_default();
    format!("  {}: {asked}{}\n{hint}", plain(&broken.check), plain(&broken.what))
}

fn failed(failed: &Failed) -> String {
    let mut text = format!("failed in {}: {}\n", failed.stage.name(), plain(&failed.reason));
    text.extend(failed.tail.iter().map(|line| format!("  | {}\n", plain(line))));
    text
}

fn hint(hint: &str) -> String {
    format!("    hint: {}\n", plain(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Stage;
    use crate::record::trial::Skipped;

    fn told(outcome: Outcome) -> String {
        text(&Conformance { target: "go/net-http".into(), not_offered: Vec::new(), outcome })
    }

    #[test]
    fn a_target_that_keeps_all_is_one_line() {
        let findings = Findings {
            kept: 34,
            not_claimed: vec!["keep-alive", "head", "keep-alive"],
            ..Findings::default()
        };
        let line = "go/net-http: 34 checks kept, 0 broken, 3 not claimed (keep-alive, head)\n";
        assert_eq!(told(Outcome::Asked(findings)), line);
    }

    #[test]
    fn what_one_cause_breaks_is_told_a_few_times_and_then_counted() {
        let one = |check: &str, what: &str| Broken {
            check: check.into(),
            asked: String::new(),
            what: what.into(),
            hint: None,
        };
        let mut broken: Vec<Broken> = (1..=10).map(|n| one(&n.to_string(), "reset")).collect();
        broken.insert(2, one("other", "404"));
        let text = told(Outcome::Asked(Findings { broken, ..Findings::default() }));
        let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        let told = |n: u32| format!("{n}: reset");
        let mut expected: Vec<String> = (1..=8).map(told).collect();
        expected.insert(2, "other: 404".to_owned());
        expected.push("and 2 checks more: reset".to_owned());
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_broken_is_told_with_what_was_asked_and_harmlessly() {
        let one = Broken {
            check: "HEAD of hello".into(),
            asked: "`HEAD / HTTP/1.1`".into(),
            what: "404 where 200 was expected".into(),
            hint: Some("declare it".into()),
        };
        let other = Broken {
            check: "ends on SIGTERM in time".into(),
            asked: String::new(),
            what: "a \u{1b}[31mlie".into(),
            hint: None,
        };
        let findings =
            Findings { kept: 1, broken: vec![one, other], not_asked: 2, ..Findings::default() };
        let found = Conformance {
            target: "a".into(),
            not_offered: vec!["json".into(), "wait".into()],
            outcome: Outcome::Asked(findings),
        };
        let lines = [
            "a: 1 check kept, 2 broken, 2 not asked; not offered: json, wait",
            "  HEAD of hello: `HEAD / HTTP/1.1`: 404 where 200 was expected",
            "    hint: declare it",
            "  ends on SIGTERM in time: a \\u{1b}[31mlie",
            "",
        ];
        assert_eq!(text(&found), lines.join("\n"));
    }

    #[test]
    fn a_target_that_cannot_be_asked_is_told_with_its_reason() {
        let mut failed = Failed::new(Stage::Ready, "it ended before it was ready: exit code 3");
        failed.tail = vec!["leaving with 3".into()];
        let lines = "go/net-http: failed in ready: it ended before it was ready: exit code 3\n  | leaving with 3\n";
        assert_eq!(told(Outcome::Out(Ended::Failed(failed))), lines);
        let skipped =
            Skipped { reason: "not installed: go".into(), hint: Some("apt-get install".into()) };
        let lines = "go/net-http: skipped: not installed: go\n    hint: apt-get install\n";
        assert_eq!(told(Outcome::Out(Ended::Skipped(skipped))), lines);
    }
}
