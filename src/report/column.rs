//! The columns that a table may have: the name of each, its head, what it holds of a row, and which row is the better.

use super::service;
use super::summarise::is_lower_bound;
use crate::matrix::problem::nearest;
use crate::outcome::Kind as _;
use crate::record::run::{Policy, TargetInfo};
use crate::record::summary::{CellSummary, Figure};
use crate::units::{write_bytes, write_count, write_micros, write_number, write_thousands};

/// What stands for a figure that is not known.
pub(super) const UNKNOWN: &str = "—";

macro_rules! columns {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// A column of a table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Column { $($(#[$doc])* $variant,)+ }

        impl Column {
            /// All of them, in the order in which they are told.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// What it is called where columns are chosen.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

columns! {
    /// The target's label; always first.
    Target = "target",
    /// `raw`, `library`, `framework` or `server`.
    Kind = "kind",
    /// The language.
    Language = "language",
    /// Right answers per second, with its interval.
    Goodput = "goodput",
    /// The same, as a ratio to the reference.
    Ratio = "ratio",
    /// Answers per second, right or wrong.
    Throughput = "throughput",
    /// The quantiles 0.5 and 0.99 of response time.
    Times = "times",
    /// The median of response time.
    P50 = "p50",
    /// The quantile 0.9.
    P90 = "p90",
    /// The quantile 0.99.
    P99 = "p99",
    /// The quantile 0.999.
    P999 = "p999",
    /// The median of the time to the first byte of an answer.
    FirstByte = "first-byte",
    /// The server's CPU time per answer.
    Cpu = "cpu",
    /// The same, as a ratio to the reference.
    CpuRatio = "cpu-ratio",
    /// Cores used, of those allowed.
    Cores = "cores",
    /// Resident memory, at most.
    Memory = "memory",
    /// Resident memory, on average.
    RssMean = "rss-mean",
    /// Threads, at most.
    Threads = "threads",
    /// Processes, at most.
    Processes = "processes",
    /// CPU time per answer and memory of each service: two columns for each, and none where there is none.
    Services = "services",
    /// From exec to the first right answer.
    Startup = "startup",
    /// Bytes received per second, heads included.
    Transfer = "transfer",
    /// Bytes of an answer's body.
    Body = "body",
    /// Bytes of an answer's head.
    HeaderBytes = "header-bytes",
    /// Wrong and lost, as a share of attempts.
    Errors = "errors",
    /// Wrong answers, over all rounds.
    Wrong = "wrong",
    /// Requests without a whole answer, over all rounds.
    Lost = "lost",
    /// Connections made in the windows of all rounds.
    Connections = "connections",
    /// Of these, in place of ones that ended between two answers.
    Reconnects = "reconnects",
    /// Rounds in which it was measured.
    Rounds = "rounds",
    /// What held it back.
    Limit = "limit",
}

/// A choice of columns that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// A name that no column has.
    #[error("unknown column `{}`", .0.escape_debug())]
    Unknown(String),
    /// Nothing is chosen besides what is there anyway.
    #[error("no column is chosen besides `target`, which is always there")]
    OnlyTarget,
}

impl ColumnError {
    /// The name that was meant, and the names there are.
    pub fn hint(&self) -> String {
        let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
        let guess = match self {
            Self::Unknown(name) => nearest(name, names.iter().copied()),
            Self::OnlyTarget => None,
        };
        let guess = guess.map_or_else(String::new, |guess| format!("did you mean `{guess}`? "));
        format!("{guess}the columns are {}", names.join(", "))
    }
}

/// What a column needs to know besides the row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'s> {
    pub(super) target: Option<&'s TargetInfo>,
    pub(super) policy: &'s Policy,
    /// Whether the figure of the reference is only a lower bound.
    pub(super) is_base_bound: bool,
}

impl Column {
    /// The column of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn parse(name: &str) -> Result<Self, ColumnError> {
        let found = Self::ALL.iter().copied().find(|column| column.name() == name);
        found.ok_or_else(|| ColumnError::Unknown(name.to_owned()))
    }

    /// The columns of a list of names; each stands once, where it is named first.
    ///
    /// # Errors
    /// Every name that no column has; or that there is no column besides the target.
    pub fn parse_list<'n>(
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<Self>, Vec<ColumnError>> {
        let (mut columns, mut errors) = (Vec::new(), Vec::new());
        for name in names {
            match Self::parse(name.trim()) {
                Ok(column) if columns.contains(&column) => {}
                Ok(column) => columns.push(column),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() && columns.iter().all(|column| *column == Self::Target) {
            errors.push(ColumnError::OnlyTarget);
        }
        if errors.is_empty() { Ok(columns) } else { Err(errors) }
    }

    /// The columns of a table where none are chosen.
    pub(super) fn usual(has_ratio: bool, has_services: bool) -> Vec<Self> {
        let all = [
            Self::Kind,
            Self::Goodput,
            Self::Ratio,
            Self::Times,
            Self::Cpu,
            Self::Cores,
            Self::Memory,
            Self::Services,
            Self::Limit,
        ];
        let is_there = |column: &Self| match column {
            Self::Ratio => has_ratio,
            Self::Services => has_services,
            _ => true,
        };
        all.into_iter().filter(is_there).collect()
    }

    /// Whether it says who the target is, which is known also of one that was not measured.
    pub(super) fn is_name(self) -> bool {
        matches!(self, Self::Target | Self::Kind | Self::Language)
    }

    /// Whether it holds a figure.
    pub(super) fn is_figure(self) -> bool {
        !self.is_name() && self != Self::Limit
    }

    pub(super) fn head(self, reference: &str) -> String {
        let head = match self {
            Self::Goodput => "right answers/s",
            Self::Ratio => return format!("vs {reference}"),
            Self::Throughput => "answers/s",
            Self::Times => "p50 / p99",
            Self::P999 => "p99.9",
            Self::FirstByte => "first byte p50",
            Self::Cpu => "CPU/answer",
            Self::CpuRatio => return format!("CPU/answer vs {reference}"),
            Self::RssMean => "mean memory",
            Self::HeaderBytes => "head",
            other => other.name(),
        };
        head.to_owned()
    }

    /// The figure by which rows are put in order: the smaller the better. None for a text, or what is not known.
    pub(super) fn merit(self, cell: &CellSummary) -> Option<f64> {
        let is_more_better = matches!(
            self,
            Self::Goodput | Self::Ratio | Self::Throughput | Self::Transfer | Self::Rounds
        );
        self.figure(cell).map(|figure| if is_more_better { -figure } else { figure })
    }

    fn figure(self, cell: &CellSummary) -> Option<f64> {
        let mean = |figure: &Option<Figure>| figure.as_ref().map(|figure| figure.mean);
        let count = |count: Option<u64>| count.map(|count| count as f64);
        match self {
            Self::Goodput => mean(&cell.goodput_per_second),
            Self::Ratio => mean(&cell.goodput_ratio),
            Self::Throughput => mean(&cell.throughput_per_second),
            Self::Times | Self::P50 => mean(&cell.response_time_p50_us),
            Self::P90 => mean(&cell.response_time_p90_us),
            Self::P99 => mean(&cell.response_time_p99_us),
            Self::P999 => mean(&cell.response_time_p999_us),
            Self::FirstByte => mean(&cell.first_byte_p50_us),
            Self::Cpu => mean(&cell.cpu_us_per_request),
            Self::CpuRatio => mean(&cell.cpu_ratio),
            Self::Cores => mean(&cell.cores_used),
            Self::Memory => mean(&cell.rss_peak_bytes),
            Self::RssMean => mean(&cell.rss_mean_bytes),
            Self::Threads => count(cell.threads_peak),
            Self::Processes => count(cell.processes_peak),
            Self::Services => service::cpu_us_per_request(cell),
            Self::Startup => mean(&cell.startup_ms),
            Self::Transfer => mean(&cell.received_bytes_per_second),
            Self::Body => count(cell.response.as_ref().map(|it| it.length)),
            Self::HeaderBytes => count(cell.response.as_ref().map(|it| it.header_bytes)),
            Self::Errors => cell.error_share,
            Self::Wrong => count(cell.wrong),
            Self::Lost => count(cell.lost),
            Self::Connections => count(cell.connections_opened),
            Self::Reconnects => count(cell.reconnects),
            Self::Rounds => Some(f64::from(cell.measured)),
            Self::Target | Self::Kind | Self::Language | Self::Limit => None,
        }
    }

    /// What it holds of a row, as text.
    pub(super) fn text(self, cell: &CellSummary, around: Around<'_>) -> Option<String> {
        match self {
            Self::Target => Some(cell.target.clone()),
            Self::Kind => around.target?.kind.clone(),
            Self::Language => around.target?.language.clone(),
            Self::Limit => cell.limit.map(|limit| limit.name().to_owned()),
            Self::Goodput => {
                cell.goodput_per_second.as_ref().map(|figure| with_interval(figure, cell))
            }
            Self::Ratio => ratio(cell, around.is_base_bound),
            Self::Times => times(cell),
            Self::Rounds => Some(format!("{} of {}", cell.measured, around.policy.rounds)),
            _ => self.figure(cell).map(|figure| self.write(figure, cell)),
        }
    }

    fn write(self, figure: f64, cell: &CellSummary) -> String {
        match self {
            Self::P50
            | Self::P90
            | Self::P99
            | Self::P999
            | Self::FirstByte
            | Self::Cpu
            | Self::Services => write_micros(figure),
            Self::Startup => write_micros(figure * 1e3),
            Self::CpuRatio => write_ratio(figure),
            Self::Cores => format!("{figure:.1} of {}", cell.cores_allowed),
            Self::Memory | Self::RssMean => write_bytes(whole(figure)),
            Self::Transfer => format!("{}{}/s", bound(cell), write_bytes(whole(figure))),
            // To the byte: answers that differ by one are to be told apart.
            Self::Body | Self::HeaderBytes => format!("{} B", write_count(whole(figure))),
            Self::Errors => share(figure),
            Self::Threads
            | Self::Processes
            | Self::Wrong
            | Self::Lost
            | Self::Connections
            | Self::Reconnects => write_count(whole(figure)),
            _ => format!("{}{}", bound(cell), write_number(figure)),
        }
    }
}

/// What stands before a rate that may be higher.
fn bound(cell: &CellSummary) -> &'static str {
    if is_lower_bound(cell) { ">= " } else { "" }
}

fn with_interval(figure: &Figure, cell: &CellSummary) -> String {
    let bound = bound(cell);
    let number = write_number(figure.mean);
    match figure.half_width() {
        // So wide an interval is better told by a factor than by a share of the mean.
        Some(half) if half >= 1.0 => format!("{bound}{number} ×/÷ {:.1}", half + 1.0),
        Some(half) => format!("{bound}{number} ±{:.1} %", half * 100.0),
        None => format!("{bound}{number}"),
    }
}

/// A ratio of which one side is a lower bound is a bound itself; of two bounds nothing follows.
fn ratio(cell: &CellSummary, is_base_bound: bool) -> Option<String> {
    let ratio = format!("{:.2}", cell.goodput_ratio.as_ref()?.mean);
    match (is_lower_bound(cell), is_base_bound) {
        (false, false) => Some(ratio),
        (true, false) => Some(format!(">= {ratio}")),
        (false, true) => Some(format!("<= {ratio}")),
        (true, true) => None,
    }
}

fn times(cell: &CellSummary) -> Option<String> {
    let p50 = write_micros(cell.response_time_p50_us.as_ref()?.mean);
    let Some(p99) = &cell.response_time_p99_us else { return Some(format!("{p50} / {UNKNOWN}")) };
    let p99 = write_micros(p99.mean);
    // One unit is enough where both have the same.
    match (p50.split_once(' '), p99.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => {
            Some(format!("{number} / {p99}"))
        }
        _ => Some(format!("{p50} / {p99}")),
    }
}

/// A share as per cent; one that is not nothing is not written as nothing.
fn share(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        ..0.005 => "<0.01 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and bytes")]
fn whole(figure: f64) -> u64 {
    figure.round() as u64
}

/// A ratio as written in sentences.
pub(super) fn write_ratio(ratio: f64) -> String {
    if ratio >= 10.0 { write_thousands(ratio) } else { format!("{ratio:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_found_by_its_name_and_no_two_share_one() {
        for column in Column::ALL {
            assert_eq!(Column::parse(column.name()), Ok(*column));
        }
        let unknown = Column::parse("memry").expect_err("no column");
        assert_eq!(unknown.to_string(), "unknown column `memry`");
        assert!(unknown.hint().starts_with("did you mean `memory`? the columns are target, kind,"));
        let far = Column::parse("beauty").expect_err("no column").hint();
        assert!(far.starts_with("the columns are target,"), "{far}");
    }

    #[test]
    fn a_list_of_columns_is_read_once_each_and_all_its_faults_are_told() {
        let columns = Column::parse_list(["goodput", " p99", "goodput"]);
        assert_eq!(columns, Ok(vec![Column::Goodput, Column::P99]));
        let errors = Column::parse_list(["goodput", "a", "", "limit"]).expect_err("two faults");
        assert_eq!(errors, ["a", ""].map(|name| ColumnError::Unknown(name.to_owned())));
        assert_eq!(Column::parse_list(["target"]), Err(vec![ColumnError::OnlyTarget]));
    }

    #[test]
    fn a_share_that_is_not_nothing_is_not_written_as_nothing() {
        for (value, text) in
            [(0.0, "0 %"), (1e-6, "<0.01 %"), (0.0012, "0.12 %"), (1.0, "100.00 %")]
        {
            assert_eq!(share(value), text);
        }
    }
}
