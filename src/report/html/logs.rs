//! Links from rows to the logs of their trials. What a record says is only followed below `logs/`.

use super::super::escape::{href, plain};
use crate::outcome::Kind as _;
use crate::record::rows::Rows;
use crate::record::run::PlannedTable;
use crate::record::trial::TrialRecord;

/// A link to the log of one trial.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) href: String,
    /// The round.
    pub(super) text: String,
    pub(super) title: String,
    pub(super) has_failed: bool,
}

/// The trials by row.
#[derive(Debug)]
pub(super) struct Logs<'r> {
    rows: Rows<'r>,
}

impl<'r> Logs<'r> {
    pub(super) fn of(trials: &'r [TrialRecord]) -> Self {
        Self { rows: Rows::of(trials) }
    }

    /// The logs of a row, by round. Of rounds that share one, as those of a failed build do, the first has the link.
    pub(super) fn of_row(&self, table: &PlannedTable, label: &str) -> Vec<Log> {
        let mut logs: Vec<Log> = Vec::new();
        for trial in self.rows.trials(&table.workload, &table.load, label) {
            if let Some(log) = log(trial).filter(|log| !logs.iter().any(|it| it.href == log.href)) {
                logs.push(log);
            }
        }
        logs
    }
}

fn log(trial: &TrialRecord) -> Option<Log> {
    let failed = trial.failed();
    let path = failed.and_then(|failed| failed.log.as_ref()).or(trial.log.as_ref())?;
    let title = match failed {
        Some(failed) => format!("round {}: failed in {}", trial.round, failed.stage.name()),
        None => format!("round {}", trial.round),
    };
    Some(Log {
        href: is_below_logs(path).then(|| href(path))?,
        text: trial.round.to_string(),
        title: plain(&title),
        has_failed: failed.is_some(),
    })
}

fn is_below_logs(path: &str) -> bool {
    path.starts_with("logs/") && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_into_the_folder_of_logs_and_nowhere_else() {
        for (path, is_followed) in [
            ("logs/hello-c64-1.log", true),
            ("logs/build-a.log", true),
            ("logs/../run.json", false),
            ("logs//etc/passwd", false),
            ("/logs/x", false),
            ("javascript:alert(1)//logs/", false),
            ("https://example.org/logs/x", false),
            ("logs/", false),
        ] {
            assert_eq!(is_below_logs(path), is_followed, "{path}");
        }
    }
}
