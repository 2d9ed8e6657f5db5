//! The columns that a table may have: the name of each, and its head. What each holds of a row is in `text`.

use crate::judge::metric::Metric;
use crate::matrix::problem::nearest;
use crate::record::run::TargetInfo;
use crate::record::summary::CellSummary;

mod text;

pub(super) use text::{rank, write_ratio};

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
    /// Its place among the rows that are ranked; where there are ranks it is always first.
    Rank = "rank",
    /// The target's label; always there.
    Target = "target",
    /// `raw`, `library`, `framework` or `server`.
    Kind = "kind",
    /// The language.
    Language = "language",
    /// Right answers per second, with its interval.
    Goodput = "goodput",
    /// The figure that ranks the table, as a ratio to the reference, with the verdict.
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

/// The usual columns, in the order in which they give way: how fast a row is, and how that compares, never does.
const GIVE_WAY: [Column; 7] = [
    Column::Cores,
    Column::Services,
    Column::Kind,
    Column::Memory,
    Column::Cpu,
    Column::Times,
    Column::Limit,
];

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
    /// How many rounds its table was made of.
    pub(super) rounds: u32,
    /// The figure that ranks its table.
    pub(super) by: Metric,
    /// The row that ratios are taken against.
    pub(super) base: Option<&'s CellSummary>,
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
        if errors.is_empty() && columns.iter().all(|column| column.is_always_there()) {
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

    /// When it gives way where a terminal has no room for all of the usual columns: the least first, and none never.
    pub(super) fn gives_way(self) -> Option<usize> {
        GIVE_WAY.iter().position(|column| *column == self)
    }

    /// Whether it says who the target is, which is known also of one that was not measured.
    pub(super) fn is_name(self) -> bool {
        matches!(self, Self::Rank | Self::Target | Self::Kind | Self::Language)
    }

    /// Whether it is there without being chosen.
    pub(super) fn is_always_there(self) -> bool {
        matches!(self, Self::Rank | Self::Target)
    }

    /// Whether it holds a figure.
    pub(super) fn is_figure(self) -> bool {
        !self.is_name() && self != Self::Limit
    }

    pub(super) fn head(self, reference: &str, ranked_by: Self) -> String {
        let head = match self {
            Self::Rank => "#",
            Self::Ratio if ranked_by == Self::Goodput => return format!("vs {reference}"),
            Self::Ratio => return format!("{} vs {reference}", ranked_by.name()),
            Self::Throughput => "answers/s",
            Self::Times => "p50 / p99",
            Self::P999 => "p99.9",
            Self::FirstByte => "first byte p50",
            Self::CpuRatio => return format!("CPU/answer vs {reference}"),
            Self::RssMean => "mean memory",
            Self::HeaderBytes => "head",
            other => Metric::parse(other.name()).map_or(other.name(), |metric| metric.head),
        };
        head.to_owned()
    }
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
        assert!(
            unknown
                .hint()
                .starts_with("did you mean `memory`? the columns are rank, target, kind,")
        );
        let far = Column::parse("beauty").expect_err("no column").hint();
        assert!(far.starts_with("the columns are rank, target,"), "{far}");
    }

    #[test]
    fn a_list_of_columns_is_read_once_each_and_all_its_faults_are_told() {
        let columns = Column::parse_list(["goodput", " p99", "goodput"]);
        assert_eq!(columns, Ok(vec![Column::Goodput, Column::P99]));
        let errors = Column::parse_list(["goodput", "a", "", "limit"]).expect_err("two faults");
        assert_eq!(errors, ["a", ""].map(|name| ColumnError::Unknown(name.to_owned())));
        assert_eq!(Column::parse_list(["target"]), Err(vec![ColumnError::OnlyTarget]));
    }
}
