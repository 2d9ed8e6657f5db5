//! Tables as CSV: one line a row of every table, plain numbers, one unit a column. All figures of a row are there, each with its
//! interval; the points of single rounds stand in JSON.

use super::{escape, service};
use crate::outcome::Kind as _;
use crate::record::measured::ResponseSeen;
use crate::record::run::TargetInfo;
use crate::record::service::ServiceFigures;
use crate::record::summary::{CellSummary, Figure, Summary, Versus};

/// A row, and what is known of its target.
struct Line<'s> {
    cell: &'s CellSummary,
    target: Option<&'s TargetInfo>,
}

/// What a column holds of a row.
#[derive(Clone, Copy)]
enum Holds {
    /// A name or a text; empty where there is none.
    Text(fn(&Line<'_>) -> Option<String>),
    /// A whole number.
    Whole(fn(&CellSummary) -> Option<u64>),
    /// A number.
    Number(fn(&CellSummary) -> Option<f64>),
    /// A mean, and in two more columns the ends of its 95 % interval.
    Figure(fn(&CellSummary) -> Option<&Figure>),
}

/// The columns that are always there, in order. Those of services come after them.
const COLUMNS: [(&str, Holds); 44] = {
    use Holds::{Figure, Number, Text, Whole};
    [
        ("workload", Text(|it| Some(it.cell.workload.clone()))),
        ("load", Text(|it| Some(it.cell.load.clone()))),
        ("target", Text(|it| Some(it.cell.target.clone()))),
        ("language", Text(|it| it.target?.language.clone())),
        ("kind", Text(|it| it.target?.kind.clone())),
        ("measured_rounds", Whole(|row| Some(row.measured.into()))),
        ("failed_rounds", Whole(|row| Some(row.failed.into()))),
        ("rank", Whole(|row| row.rank.map(u64::from))),
        ("rank_worst", Whole(|row| row.rank_worst.map(u64::from))),
        ("goodput_per_second", Figure(|row| row.goodput_per_second.as_ref())),
        ("goodput_ratio", Figure(|row| row.goodput_ratio.as_ref())),
        ("ranked_by", Text(|it| Some(versus(it.cell)?.by.clone()))),
        ("ranked_by_ratio", Figure(|row| Some(&versus(row)?.ratio))),
        ("verdict", Text(|it| Some(versus(it.cell)?.verdict?.name().to_owned()))),
        ("rounds_lacking", Whole(|row| versus(row)?.rounds_lacking.map(u64::from))),
        ("throughput_per_second", Figure(|row| row.throughput_per_second.as_ref())),
        ("received_bytes_per_second", Figure(|row| row.received_bytes_per_second.as_ref())),
        ("response_time_p50_us", Figure(|row| row.response_time_p50_us.as_ref())),
        ("response_time_p90_us", Figure(|row| row.response_time_p90_us.as_ref())),
        ("response_time_p99_us", Figure(|row| row.response_time_p99_us.as_ref())),
        ("response_time_p999_us", Figure(|row| row.response_time_p999_us.as_ref())),
        ("first_byte_p50_us", Figure(|row| row.first_byte_p50_us.as_ref())),
        ("cpu_us_per_request", Figure(|row| row.cpu_us_per_request.as_ref())),
        ("cpu_ratio", Figure(|row| row.cpu_ratio.as_ref())),
        ("cores_used", Figure(|row| row.cores_used.as_ref())),
        // 0 is unknown.
        ("cores_allowed", Whole(|row| Some(row.cores_allowed.into()).filter(|cores| *cores > 0))),
        ("rss_peak_bytes", Figure(|row| row.rss_peak_bytes.as_ref())),
        ("rss_mean_bytes", Figure(|row| row.rss_mean_bytes.as_ref())),
        ("startup_ms", Figure(|row| row.startup_ms.as_ref())),
        ("error_share", Number(|row| row.error_share)),
        ("wrong", Whole(|row| row.wrong)),
        ("lost", Whole(|row| row.lost)),
        ("connections_opened", Whole(|row| row.connections_opened)),
        ("reconnects", Whole(|row| row.reconnects)),
        ("threads_peak", Whole(|row| row.threads_peak)),
        ("processes_peak", Whole(|row| row.processes_peak)),
        ("response_status", Whole(|row| Some(response(row)?.status.into()))),
        ("response_length_bytes", Whole(|row| Some(response(row)?.length))),
        ("response_sha256", Text(|it| Some(response(it.cell)?.sha256.clone()))),
        ("response_content_type", Text(|it| response(it.cell)?.content_type.clone())),
        ("response_header_bytes", Whole(|row| Some(response(row)?.header_bytes))),
        ("response_http", Text(|it| response(it.cell)?.http.clone())),
        ("response_framing", Text(|it| response(it.cell)?.framing.clone())),
        ("response_keep_alive", Text(|it| Some(response(it.cell)?.keep_alive?.to_string()))),
    ]
};
/// The last ones of a row, behind those.
const LAST: [(&str, Holds); 2] = [
    ("limit", Holds::Text(|it| Some(it.cell.limit?.name().to_owned()))),
    ("remarks", Holds::Text(|it| Some(remarks(it.cell)))),
];

/// A figure of a service.
type Of = fn(&ServiceFigures) -> Option<&Figure>;

/// The columns of each service, behind its name.
const OF_SERVICE: [(&str, Of); 4] = [
    ("cpu_us_per_request", |service| service.cpu_us_per_request.as_ref()),
    ("cores_used", |service| service.cores_used.as_ref()),
    ("rss_peak_bytes", |service| service.rss_peak_bytes.as_ref()),
    ("pss_after_bytes", |service| service.pss_after_bytes.as_ref()),
];

/// The whole summary as CSV, with a line of heads. What is not known is empty.
///
/// # Panics
/// Never: memory takes all that is written.
pub fn write(summary: &Summary) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let services = service::names(&summary.cells.iter().collect::<Vec<_>>());
    let columns = || COLUMNS.iter().chain(&LAST);
    let mut heads: Vec<String> = columns().flat_map(|(name, holds)| holds.heads(name)).collect();
    for name in &services {
        heads.extend(
            OF_SERVICE.iter().flat_map(|(figure, _)| of_figure(&format!("{name}_{figure}"))),
        );
    }
    writer.write_record(heads).expect("memory takes a line");
    for cell in &summary.cells {
        let line = Line { cell, target: summary.run.target(&cell.target) };
        let mut cells: Vec<String> = columns().flat_map(|(_, holds)| holds.cells(&line)).collect();
        for name in &services {
            let used = cell.services.get(*name);
            cells.extend(OF_SERVICE.iter().flat_map(|(_, of)| figure(used.and_then(of))));
        }
        writer.write_record(cells).expect("every line has the columns of the first");
    }
    let bytes = writer.into_inner().expect("memory takes all lines");
    String::from_utf8(bytes).expect("only text was written")
}

impl Holds {
    fn heads(self, name: &str) -> Vec<String> {
        match self {
            Self::Figure(_) => of_figure(name).to_vec(),
            Self::Text(_) | Self::Whole(_) | Self::Number(_) => vec![name.to_owned()],
        }
    }

    fn cells(self, line: &Line<'_>) -> Vec<String> {
        match self {
            Self::Text(of) => vec![of(line).map(|it| escape::csv(&it)).unwrap_or_default()],
            Self::Whole(of) => vec![of(line.cell).map(|it| it.to_string()).unwrap_or_default()],
            Self::Number(of) => vec![number(of(line.cell))],
            Self::Figure(of) => figure(of(line.cell)).to_vec(),
        }
    }
}

fn of_figure(name: &str) -> [String; 3] {
    ["", "_low", "_high"].map(|end| format!("{name}{end}"))
}

fn figure(figure: Option<&Figure>) -> [String; 3] {
    let of = |of: fn(&Figure) -> Option<f64>| number(figure.and_then(of));
    [of(|it| Some(it.mean)), of(|it| it.low), of(|it| it.high)]
}

fn versus(cell: &CellSummary) -> Option<&Versus> {
    cell.versus.as_ref()
}

fn response(cell: &CellSummary) -> Option<&ResponseSeen> {
    cell.response.as_ref()
}

/// To a millionth, and what is less than one with six digits that count: one error in four million attempts is not none.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    let mut scale = 1e6;
    while value != 0.0 && value.abs() * scale < 1e5 && scale < 1e300 {
        scale *= 10.0;
    }
    format!("{}", (value * scale).round() / scale)
}

fn remarks(cell: &CellSummary) -> String {
    let doubts = cell.caveats.iter().map(|caveat| caveat.caveat.name().to_owned());
    cell.reason
        .iter()
        .cloned()
        .chain(doubts)
        .chain(cell.remarks.iter().cloned())
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::column::Column;
    use super::super::fixture;
    use super::super::summarise::summarise;
    use super::*;

    #[test]
    fn every_row_is_a_line_of_plain_numbers_and_what_is_not_known_is_empty() {
        insta::assert_snapshot!(write(&summarise(&fixture::run())), @r##"
        workload,load,target,language,kind,measured_rounds,failed_rounds,rank,rank_worst,goodput_per_second,goodput_per_second_low,goodput_per_second_high,goodput_ratio,goodput_ratio_low,goodput_ratio_high,ranked_by,ranked_by_ratio,ranked_by_ratio_low,ranked_by_ratio_high,verdict,rounds_lacking,throughput_per_second,throughput_per_second_low,throughput_per_second_high,received_bytes_per_second,received_bytes_per_second_low,received_bytes_per_second_high,response_time_p50_us,response_time_p50_us_low,response_time_p50_us_high,response_time_p90_us,response_time_p90_us_low,response_time_p90_us_high,response_time_p99_us,response_time_p99_us_low,response_time_p99_us_high,response_time_p999_us,response_time_p999_us_low,response_time_p999_us_high,first_byte_p50_us,first_byte_p50_us_low,first_byte_p50_us_high,cpu_us_per_request,cpu_us_per_request_low,cpu_us_per_request_high,cpu_ratio,cpu_ratio_low,cpu_ratio_high,cores_used,cores_used_low,cores_used_high,cores_allowed,rss_peak_bytes,rss_peak_bytes_low,rss_peak_bytes_high,rss_mean_bytes,rss_mean_bytes_low,rss_mean_bytes_high,startup_ms,startup_ms_low,startup_ms_high,error_share,wrong,lost,connections_opened,reconnects,threads_peak,processes_peak,response_status,response_length_bytes,response_sha256,response_content_type,response_header_bytes,response_http,response_framing,response_keep_alive,limit,remarks
        hello,c64,c/fast,C,library,2,0,,,121194.05926,106866.98583,137441.885217,2,2,2,goodput,2,2,2,,,121194.05926,106866.98583,137441.885217,13452540.577898,11862235.427146,15256049.259136,500,500,500,,,,900,900,900,,,,500,500,500,5,5,5,0.3125,0.3125,0.3125,1,1,1,1,12000000,12000000,12000000,11000000,11000000,11000000,10,10,10,0,0,0,6,0,2,,200,11,aa,,100,1.1,length,true,generator,client-bound
        hello,c64,go/base,C,library,2,0,,,60597.02963,53433.492915,68720.942609,1,1,1,goodput,1,1,1,,,60597.02963,53433.492915,68720.942609,6726270.288949,5931117.713573,7628024.629568,1000,1000,1000,,,,2500,2500,2500,,,,1000,1000,1000,16,16,16,1,1,1,1,1,1,1,12000000,12000000,12000000,11000000,11000000,11000000,10,10,10,0,0,0,6,0,2,,200,11,aa,,100,1.1,length,true,server,
        hello,c64,php/bad|`<b>,C,library,0,2,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,failed in verify: 404 where 200 was expected
        hello,c64,dart/none,C,library,0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,not installed: dart is missing
        hello,c64,go/raw,,,0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,not offered
        "##);
    }

    #[test]
    fn what_is_small_keeps_digits_that_count() {
        for (value, text) in [
            (0.0, "0"),
            (121_194.059_259_9, "121194.05926"),
            (0.123_456_789, "0.123457"),
            (1.0 / 4_000_000.0, "0.00000025"),
            (1.0 / 3e9, "0.000000000333333"),
            (-0.000_001_234_567_89, "-0.00000123457"),
        ] {
            assert_eq!(number(Some(value)), text);
        }
        assert_eq!(number(None), "");
    }

    #[test]
    fn every_figure_that_a_column_of_a_table_holds_is_there_with_its_interval() {
        // Each has a value of its own: 1001, 1002 and so on, from 0.5 below to 0.25 above.
        let mut last = 1000.0;
        let mut next = || {
            last += 1.0;
            last
        };
        let mut figure = || {
            let mean = next();
            Some(Figure { mean, low: Some(mean - 0.5), high: Some(mean + 0.25), points: vec![] })
        };
        let mut cell = CellSummary {
            goodput_per_second: figure(),
            goodput_ratio: figure(),
            throughput_per_second: figure(),
            response_time_p50_us: figure(),
            response_time_p90_us: figure(),
            response_time_p99_us: figure(),
            response_time_p999_us: figure(),
            first_byte_p50_us: figure(),
            cpu_us_per_request: figure(),
            cpu_ratio: figure(),
            cores_used: figure(),
            rss_peak_bytes: figure(),
            rss_mean_bytes: figure(),
            startup_ms: figure(),
            received_bytes_per_second: figure(),
            versus: Some(Versus {
                by: "p99".to_owned(),
                ratio: figure().expect("it is made"),
                verdict: None,
                rounds_lacking: Some(77),
            }),
            ..CellSummary::default()
        };
        let whole = |value| Some(value);
        (cell.wrong, cell.lost) = (whole(2001), whole(2002));
        (cell.connections_opened, cell.reconnects) = (whole(2003), whole(2004));
        (cell.threads_peak, cell.processes_peak) = (whole(2005), whole(2006));
        (cell.measured, cell.rank, cell.error_share) = (2007, Some(2008), Some(0.125));
        let mut summary = summarise(&fixture::run());
        cell.response = summary.cells[0].response.clone();
        summary.cells = vec![cell.clone()];
        let text = write(&summary);
        let values: Vec<&str> = text.lines().nth(1).expect("a row").split(',').collect();
        for column in Column::ALL {
            if let Some(figure) = column.figure(&cell) {
                let wanted = number(Some(figure));
                assert!(values.contains(&wanted.as_str()), "{} {wanted}: {text}", column.name());
            }
        }
        for at in 1001..=1016 {
            for end in [format!("{at}"), format!("{}.5", at - 1), format!("{at}.25")] {
                assert!(values.contains(&end.as_str()), "{end}: {text}");
            }
        }
    }
}
