//! What was found of a machine, for a person: the worst first, each with why it matters and what to do; then what could not
//! be read, and what is fine.

use std::fmt::Write as _;

use super::escape::plain;
use crate::record::diagnosis::{Diagnosis, Finding, Remedy, Severity};

/// Names of checks stand in a column as wide as this.
const WIDTH: usize = 8;

/// The whole as text.
pub fn text(diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for finding in &diagnosis.findings {
        text.push_str(&self::finding(finding));
    }
    for unknown in &diagnosis.unknown {
        line(&mut text, "unknown", &format!("{}: {}", unknown.check, unknown.reason));
    }
    for fine in &diagnosis.fine {
        line(&mut text, "fine", &format!("{}: {}", fine.check, fine.found));
    }
    let count = |severity| diagnosis.count(severity);
    let (spoils, blurs) = (count(Severity::Spoils), count(Severity::Blurs));
    let _ = writeln!(
        text,
        "\n{} · {} · {} to note · {} unknown · {} fine",
        verb(spoils, "thing spoils figures", "things spoil figures"),
        verb(blurs, "blurs them", "blur them"),
        count(Severity::Note),
        diagnosis.unknown.len(),
        diagnosis.fine.len()
    );
    text
}

fn verb(count: usize, one: &str, more: &str) -> String {
    match count {
        0 => format!("nothing {}", one.trim_start_matches("thing ")),
        1 => format!("1 {one}"),
        _ => format!("{count} {more}"),
    }
}

fn finding(finding: &Finding) -> String {
    let mut text = String::new();
    let name = finding.severity.name();
    line(&mut text, name, &format!("{}: {}", finding.check, finding.found));
    line(&mut text, "", finding.why);
    line(
        &mut text,
        "",
        &match &finding.remedy {
            Remedy::Command(command) => format!("mend: `{command}`"),
            Remedy::Advice(advice) => format!("mend: {advice}"),
            Remedy::NoneHere(instead) => format!("cannot be mended here: {instead}"),
        },
    );
    text
}

fn line(text: &mut String, head: &str, rest: &str) {
    let _ = writeln!(text, "{head:WIDTH$}{}", plain(rest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::diagnosis::{Fine, Unknown};

    fn finding(check: &'static str, severity: Severity, remedy: Remedy) -> Finding {
        let found = format!("what {check} found");
        Finding { check, severity, found, why: "why it matters", remedy }
    }

    #[test]
    fn findings_stand_with_why_and_what_to_do_and_the_rest_below() {
        let diagnosis = Diagnosis {
            schema: 1,
            findings: vec![
                finding("memory", Severity::Spoils, Remedy::Advice("end it".to_owned())),
                finding("turbo", Severity::Blurs, Remedy::Command("echo 0".to_owned())),
                finding("virtual", Severity::Blurs, Remedy::NoneHere("go elsewhere".to_owned())),
            ],
            unknown: vec![Unknown { check: "governor", reason: "no CPU tells".to_owned() }],
            fine: vec![Fine { check: "disk", found: "9 GB free in `/a\u{1b}[31m`".to_owned() }],
        };
        insta::assert_snapshot!(text(&diagnosis), @r#"
        spoils  memory: what memory found
                why it matters
                mend: end it
        blurs   turbo: what turbo found
                why it matters
                mend: `echo 0`
        blurs   virtual: what virtual found
                why it matters
                cannot be mended here: go elsewhere
        unknown governor: no CPU tells
        fine    disk: 9 GB free in `/a\u{1b}[31m`

        1 thing spoils figures · 2 blur them · 0 to note · 1 unknown · 1 fine
        "#);
    }

    #[test]
    fn a_machine_without_fault_says_so() {
        let diagnosis = Diagnosis { schema: 1, findings: vec![], unknown: vec![], fine: vec![] };
        let expected =
            "\nnothing spoils figures · nothing blurs them · 0 to note · 0 unknown · 0 fine\n";
        assert_eq!(text(&diagnosis), expected);
    }
}
