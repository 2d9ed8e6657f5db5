//! Tables as CSV: one line a row of every table, plain numbers, one unit a column.

use super::{escape, service};
use crate::outcome::Kind as _;
use crate::record::measured::ResponseSeen;
use crate::record::service::ServiceFigures;
use crate::record::summary::{CellSummary, Figure, Summary};

/// The columns that are always there, in order. Those of services come after them.
const HEADS: [&str; 39] = [
    "workload",
    "load",
    "target",
    "language",
    "kind",
    "measured_rounds",
    "failed_rounds",
    "rank",
    "rank_worst",
    "goodput_per_second",
    "goodput_per_second_low",
    "goodput_per_second_high",
    "goodput_ratio",
    "goodput_ratio_low",
    "goodput_ratio_high",
    "ranked_by",
    "ranked_by_ratio",
    "verdict",
    "rounds_lacking",
    "response_time_p50_us",
    "response_time_p99_us",
    "cpu_us_per_request",
    "cores_used",
    "cores_allowed",
    "rss_peak_bytes",
    "startup_ms",
    "error_share",
    "threads_peak",
    "processes_peak",
    "response_status",
    "response_length_bytes",
    "response_sha256",
    "response_content_type",
    "response_header_bytes",
    "response_http",
    "response_framing",
    "response_keep_alive",
    "limit",
    "remarks",
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
    let of_service = |name: &&str| OF_SERVICE.map(|(figure, _)| format!("{name}_{figure}"));
    let heads = HEADS.iter().map(|head| (*head).to_owned());
    let heads = heads.chain(services.iter().flat_map(of_service));
    writer.write_record(heads).expect("memory takes a line");
    for cell in &summary.cells {
        let mut line = line(summary, cell);
        for name in &services {
            let used = cell.services.get(*name);
            let mean = |of: Of| Some(of(used?)?.mean);
            line.extend(OF_SERVICE.map(|(_, of)| number(mean(of))));
        }
        writer.write_record(line).expect("every line has the columns of the first");
    }
    let bytes = writer.into_inner().expect("memory takes all lines");
    String::from_utf8(bytes).expect("only text was written")
}

fn line(summary: &Summary, cell: &CellSummary) -> Vec<String> {
    let target = summary.run.target(&cell.target);
    let mean = |figure: &Option<Figure>| number(figure.as_ref().map(|figure| figure.mean));
    let low = |figure: &Option<Figure>| number(figure.as_ref().and_then(|figure| figure.low));
    let high = |figure: &Option<Figure>| number(figure.as_ref().and_then(|figure| figure.high));
    let (response, versus) = (cell.response.as_ref(), cell.versus.as_ref());
    let whole = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
    let text = |of: &dyn Fn(&ResponseSeen) -> Option<String>| {
        response.and_then(of).map(|text| escape::csv(&text)).unwrap_or_default()
    };
    vec![
        escape::csv(&cell.workload),
        escape::csv(&cell.load),
        escape::csv(&cell.target),
        escape::csv(target.and_then(|target| target.language.as_deref()).unwrap_or_default()),
        escape::csv(target.and_then(|target| target.kind.as_deref()).unwrap_or_default()),
        cell.measured.to_string(),
        cell.failed.to_string(),
        whole(cell.rank.map(u64::from)),
        whole(cell.rank_worst.map(u64::from)),
        mean(&cell.goodput_per_second),
        low(&cell.goodput_per_second),
        high(&cell.goodput_per_second),
        mean(&cell.goodput_ratio),
        low(&cell.goodput_ratio),
        high(&cell.goodput_ratio),
        versus.map(|versus| versus.by.clone()).unwrap_or_default(),
        number(versus.map(|versus| versus.ratio.mean)),
        versus
            .and_then(|versus| versus.verdict)
            .map(|verdict| verdict.name().to_owned())
            .unwrap_or_default(),
        whole(versus.and_then(|versus| versus.rounds_lacking).map(u64::from)),
        mean(&cell.response_time_p50_us),
        mean(&cell.response_time_p99_us),
        mean(&cell.cpu_us_per_request),
        mean(&cell.cores_used),
        if cell.cores_allowed == 0 { String::new() } else { cell.cores_allowed.to_string() },
        mean(&cell.rss_peak_bytes),
        mean(&cell.startup_ms),
        number(cell.error_share),
        whole(cell.threads_peak),
        whole(cell.processes_peak),
        text(&|it| Some(it.status.to_string())),
        whole(response.map(|it| it.length)),
        text(&|it| Some(it.sha256.clone())),
        text(&|it| it.content_type.clone()),
        whole(response.map(|it| it.header_bytes)),
        text(&|it| it.http.clone()),
        text(&|it| it.framing.clone()),
        text(&|it| it.keep_alive.map(|is_kept| is_kept.to_string())),
        cell.limit.map(|limit| limit.name().to_owned()).unwrap_or_default(),
        escape::csv(&remarks(cell)),
    ]
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{}", (value * 1e6).round() / 1e6))
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
    use super::super::fixture;
    use super::super::summarise::summarise;
    use super::*;

    #[test]
    fn every_row_is_a_line_of_plain_numbers_and_what_is_not_known_is_empty() {
        insta::assert_snapshot!(write(&summarise(&fixture::run())), @r##"
        workload,load,target,language,kind,measured_rounds,failed_rounds,rank,rank_worst,goodput_per_second,goodput_per_second_low,goodput_per_second_high,goodput_ratio,goodput_ratio_low,goodput_ratio_high,ranked_by,ranked_by_ratio,verdict,rounds_lacking,response_time_p50_us,response_time_p99_us,cpu_us_per_request,cores_used,cores_allowed,rss_peak_bytes,startup_ms,error_share,threads_peak,processes_peak,response_status,response_length_bytes,response_sha256,response_content_type,response_header_bytes,response_http,response_framing,response_keep_alive,limit,remarks
        hello,c64,c/fast,C,library,2,0,,,121194.05926,106866.98583,137441.885217,2,2,2,goodput,2,,,500,900,5,1,1,12000000,10,0,2,,200,11,aa,,100,1.1,length,true,generator,client-bound
        hello,c64,go/base,C,library,2,0,,,60597.02963,53433.492915,68720.942609,1,1,1,goodput,1,,,1000,2500,16,1,1,12000000,10,0,2,,200,11,aa,,100,1.1,length,true,server,
        hello,c64,php/bad|`<b>,C,library,0,2,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,failed in verify: 404 where 200 was expected
        hello,c64,dart/none,C,library,0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,not installed: dart is missing
        hello,c64,go/raw,,,0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,not offered
        "##);
    }
}
