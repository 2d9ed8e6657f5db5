//! `trials.ndjson`, line by line: what each says, and what is wrong with one.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use super::SCHEMA;
use super::file::{io_error, parse_json};
use super::store::StoreError;
use super::trial::{Spot, TrialRecord};

/// No run has more rounds, whatever a file says.
const ROUNDS_MOST: u32 = 100_000;

/// The records of a file, line by line, so that never more than one line of text is held; `each` is done to every one.
pub(super) fn parse_trials(
    path: &Path,
    mut text: impl BufRead,
    mut each: impl FnMut(&mut TrialRecord),
) -> Result<(Vec<TrialRecord>, bool), StoreError> {
    let mut trials: Vec<TrialRecord> = Vec::new();
    let mut spots = HashSet::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if text.read_until(b'\n', &mut line).map_err(io_error("read", path))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let shape = |reason: String| {
            let (path, line) = (path.to_owned(), Some(number));
            StoreError::Shape { path, line, reason }
        };
        match parse_json::<TrialRecord>(&line) {
            Ok(mut record) => {
                if let Some(reason) = fault(&record, &mut spots) {
                    return Err(shape(reason.to_owned()));
                }
                each(&mut record);
                trials.push(record);
            }
            // Only a line whose end was never written can be torn.
            Err(_) if !line.ends_with(b"\n") => return Ok((trials, true)),
            // It is one line, and its place in the file is told already.
            Err(reason) => {
                return Err(shape(reason.replace(" at line 1 column ", " at column ")));
            }
        }
    }
    Ok((trials, false))
}

/// What is wrong with a record that could be read; `spots` are those of the trials that were seen before it.
fn fault(record: &TrialRecord, spots: &mut HashSet<Spot>) -> Option<&'static str> {
    if record.schema > SCHEMA {
        Some("it follows a newer schema than this program knows: read it with a newer one")
    } else if !record.is_whole() {
        Some("its outcomes do not add up, or it does not end in exactly one way")
    } else if !spots.insert(record.spot()) {
        Some("it repeats a trial")
    } else if !(1..=ROUNDS_MOST).contains(&record.round) || record.position == 0 {
        Some("it belongs to a round that no run has")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::tests::record;
    use super::*;

    fn lines(records: &[TrialRecord]) -> String {
        records.iter().fold(String::new(), |mut text, record| {
            text.push_str(&serde_json::to_string(record).expect("JSON"));
            text.push('\n');
            text
        })
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_a_bad_line_before_it_is_a_fault() {
        let path = Path::new("trials.ndjson");
        let whole = lines(&[record(1), record(2)]);
        let (trials, is_torn) = parse_trials(path, whole.as_bytes(), |_| {}).expect("two lines");
        assert_eq!((trials.len(), is_torn), (2, false));
        for cut in 1..40 {
            let (trials, is_torn) =
                parse_trials(path, &whole.as_bytes()[..whole.len() - cut], |_| {}).expect("torn");
            // Without its end the last line may still be whole JSON; then nothing is lost.
            assert_eq!(trials.len() + usize::from(is_torn), 2, "{cut}");
        }
        let fault = parse_trials(path, format!("{{}}\n{whole}").as_bytes(), |_| {});
        let fault = fault.expect_err("no record");
        let newer = parse_trials(path, "{\"schema\":99}\n".as_bytes(), |_| {});
        let newer = newer.expect_err("a newer one").to_string();
        assert!(newer.contains("it follows schema 99, and this program knows 1"), "{newer}");
        assert!(fault.to_string().starts_with("`trials.ndjson` line 1 cannot be read"), "{fault}");
    }

    #[test]
    fn a_record_that_ends_in_no_way_or_in_two_is_a_fault() {
        let text = lines(&[record(1)]);
        let neither = text.replace("\"failed\":{", "\"other\":{");
        let both = text.replace("\"failed\":{", "\"skipped\":{\"reason\":\"x\"},\"failed\":{");
        for text in [neither, both] {
            assert!(parse_trials(Path::new("t"), text.as_bytes(), |_| {}).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bad_line_is_told_with_its_number_and_the_column_in_it() {
        let text = format!("{}{{\"schema\": 1, 7}}\n{}", lines(&[record(1)]), lines(&[record(2)]));
        let fault = parse_trials(Path::new("t"), text.as_bytes(), |_| {}).expect_err("a fault");
        assert_eq!(
            fault.to_string(),
            "`t` line 2 cannot be read: key must be a string at column 15"
        );
    }
}
