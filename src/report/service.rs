//! The columns of services: two for each service that a table has figures of, in place of the one that is named.

use super::column::{Around, Column};
use crate::record::service::ServiceFigures;
use crate::record::summary::{CellSummary, Figure};
use crate::units::{write_bytes, write_micros};

/// A column as it is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown<'s> {
    /// As it is named.
    Plain(Column),
    /// CPU time of a service per answer of the server.
    ServiceCpu(&'s str),
    /// Memory of a service: with shared pages counted once where that is known, else resident memory at most.
    ServiceMemory(&'s str),
}

/// The columns of a table as they are laid out.
pub(super) fn expand<'s>(columns: &[Column], cells: &[&'s CellSummary]) -> Vec<Shown<'s>> {
    let names = names(cells);
    let mut shown = Vec::new();
    for column in columns {
        if *column != Column::Services || names.is_empty() {
            shown.push(Shown::Plain(*column));
            continue;
        }
        for name in &names {
            shown.extend([Shown::ServiceCpu(name), Shown::ServiceMemory(name)]);
        }
    }
    shown
}

/// The services that some row has figures of.
pub(super) fn names<'s>(cells: &[&'s CellSummary]) -> Vec<&'s str> {
    let mut names: Vec<&str> =
        cells.iter().flat_map(|cell| cell.services.keys()).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// CPU time of all services of a row per answer; `None` if that of one is not known, or there is none.
pub(super) fn cpu_us_per_request(cell: &CellSummary) -> Option<f64> {
    let of = |service: &ServiceFigures| Some(service.cpu_us_per_request.as_ref()?.mean);
    let sum: f64 = cell.services.values().map(of).sum::<Option<f64>>()?;
    (!cell.services.is_empty()).then_some(sum)
}

impl Shown<'_> {
    pub(super) fn head(self, reference: &str, ranked_by: Column) -> String {
        match self {
            Self::Plain(column) => column.head(reference, ranked_by),
            Self::ServiceCpu(name) => format!("{name} CPU/answer"),
            Self::ServiceMemory(name) => format!("{name} memory"),
        }
    }

    /// When it gives way where a terminal has no room for all columns.
    pub(super) fn gives_way(self) -> Option<usize> {
        match self {
            Self::Plain(column) => column.gives_way(),
            Self::ServiceCpu(_) | Self::ServiceMemory(_) => Column::Services.gives_way(),
        }
    }

    pub(super) fn is_figure(self) -> bool {
        match self {
            Self::Plain(column) => column.is_figure(),
            Self::ServiceCpu(_) | Self::ServiceMemory(_) => true,
        }
    }

    /// The figure that it holds of a row.
    pub(super) fn figure(self, cell: &CellSummary) -> Option<f64> {
        match self {
            Self::Plain(column) => column.figure(cell),
            Self::ServiceCpu(name) => {
                Some(cell.services.get(name)?.cpu_us_per_request.as_ref()?.mean)
            }
            Self::ServiceMemory(name) => Some(memory(cell.services.get(name)?)?.mean),
        }
    }

    /// What it holds of a row, as text.
    pub(super) fn text(self, cell: &CellSummary, around: Around<'_>) -> Option<String> {
        match self {
            Self::Plain(column) => column.text(cell, around),
            Self::ServiceCpu(name) => {
                Some(write_micros(cell.services.get(name)?.cpu_us_per_request.as_ref()?.mean))
            }
            Self::ServiceMemory(name) => {
                let bytes = memory(cell.services.get(name)?)?.mean;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "bytes"
                )]
                let bytes = bytes.round() as u64;
                Some(write_bytes(bytes))
            }
        }
    }
}

fn memory(service: &ServiceFigures) -> Option<&Figure> {
    service.pss_after_bytes.as_ref().or(service.rss_peak_bytes.as_ref())
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Body, Layout, lay_out_as};
    use super::super::summarise::summarise;
    use super::super::{csv, fixture};
    use super::*;
    use crate::record::measured::ServerUsage;
    use crate::record::summary::Summary;
    use crate::record::trial::Ended;

    /// The small run, whose reference needs two services.
    fn with_services() -> Summary {
        let mut run = fixture::run();
        for trial in run.trials.iter_mut().filter(|trial| trial.label() == "go/base") {
            let mut measured = trial.measured().expect("measured").clone();
            let used = |cpu_us: f64, pss_after_bytes| ServerUsage {
                cpu_us_per_request: Some(cpu_us),
                cores_used: Some(0.5),
                cores_allowed: 1,
                rss_peak_bytes: Some(90_000_000),
                pss_after_bytes,
                ..ServerUsage::default()
            };
            measured.services.insert("db".to_owned(), used(20.0, Some(30_000_000)));
            measured.services.insert("cache".to_owned(), used(1.0, None));
            trial.end(Ended::Measured(Box::new(measured)));
        }
        summarise(&run)
    }

    #[test]
    fn each_service_has_columns_of_its_own() {
        let report = lay_out_as(&with_services(), &Layout::default());
        let table = &report.tables[0];
        let memory = table.heads.iter().position(|head| head == "memory").expect("a column");
        let expected = ["cache CPU/answer", "cache memory", "db CPU/answer", "db memory", "limit"];
        assert_eq!(table.heads[memory + 1..], expected);
        assert!(table.are_figures[memory + 1..memory + 5].iter().all(|it| *it));
        let row = |label: &str| {
            let row = table.rows.iter().find(|row| row.names[0].starts_with(label));
            let row = row.expect("a row");
            let Body::Figures(figures) = &row.body else { panic!("measured") };
            figures[memory + 1 - row.names.len()..].to_vec()
        };
        assert_eq!(row("go/base"), ["1.0 us", "90 MB", "20 us", "30 MB", "server"]);
        assert_eq!(row("c/fast")[..4], ["—"; 4]);
    }

    #[test]
    fn named_alone_they_are_all_and_sort_by_the_sum_of_their_cpu_time() {
        let summary = with_services();
        let layout = Layout {
            columns: vec![Column::Services],
            sort: Some(Column::Services),
            ..Layout::default()
        };
        let report = lay_out_as(&summary, &layout);
        assert_eq!(report.tables[0].heads.len(), 5);
        assert_eq!(report.tables[0].rows[0].names[0].split(' ').next(), Some("go/base"));
        let cell = summary.cells.iter().find(|cell| cell.target == "go/base").expect("a row");
        assert!(cpu_us_per_request(cell).is_some_and(|sum| (sum - 21.0).abs() < 1e-9));
        let none = summary.cells.iter().find(|cell| cell.target == "c/fast").expect("a row");
        assert_eq!(cpu_us_per_request(none), None);
    }

    #[test]
    fn in_csv_they_stand_after_all_else() {
        let text = csv::write(&with_services());
        let mut lines = text.lines();
        let figures = ["cpu_us_per_request", "cores_used", "rss_peak_bytes", "pss_after_bytes"];
        let of = |service: &str| {
            figures
                .map(|it| format!("{service}_{it},{service}_{it}_low,{service}_{it}_high"))
                .join(",")
        };
        let end = format!("remarks,{},{}", of("cache"), of("db"));
        assert!(lines.next().is_some_and(|heads| heads.ends_with(&end)), "{text}");
        let base = text.lines().find(|line| line.contains("go/base")).expect("a row");
        let thrice = |figure: &str| [figure; 3].join(",");
        let cache = ["1", "0.5", "90000000", ""].map(thrice).join(",");
        let db = ["20", "0.5", "90000000", "30000000"].map(thrice).join(",");
        assert!(base.ends_with(&format!(",,{cache},{db}")), "{base}");
        let fast = text.lines().find(|line| line.contains("c/fast")).expect("a row");
        assert!(fast.ends_with(&format!(",client-bound{}", ",".repeat(24))), "{fast}");
    }
}
