//! A page line by line: where code is, where markers are, and which of them make a block.

use std::ops::Range;
use std::sync::Arc;

use super::fence::{self, Fence};
use super::marker::{self, Fault, Marker, Word};
use super::wanted::{self, Filled, Wanted};
use super::{Block, Page};
use crate::matrix::problem::{Place, Problem, Source};

/// A marker, and the line that it stands on, with its end.
struct Found {
    marker: Marker,
    line: Range<usize>,
}

/// A begin marker that waits for its end.
struct Open {
    span: Range<usize>,
    /// Where its line ends.
    line_end: usize,
    /// None if it does not say whose tables are wanted.
    wanted: Option<Wanted>,
}

pub(super) fn page(source: Arc<Source>) -> Page {
    let markers = markers(&source.text);
    let mut faults = Vec::new();
    if markers.is_empty() {
        let hint = "put `<!-- orchestrate:begin matrix=NAME -->` and `<!-- orchestrate:end -->` \
                    where the tables are to stand, each on a line of its own";
        faults.push(Fault::new(0..0, "this page has no block", hint));
    }
    let blocks = blocks(markers, &source.text, &mut faults);
    faults.sort_by_key(|fault| fault.span.start);
    let problem = |fault: Fault| {
        let place = Place { source: Arc::clone(&source), span: fault.span };
        Problem { place: Some(place), what: fault.what, hint: fault.hint }
    };
    let problems = faults.into_iter().map(problem).collect();
    Page { source, blocks, problems }
}

/// All markers that are no examples in code.
fn markers(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open: Option<Fence> = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = start..start + whole.len();
        // Of a mark of byte order nothing is seen.
        let skipped = if start == 0 && whole.starts_with('\u{feff}') { 3 } else { 0 };
        let content = whole[skipped..].trim_end_matches(['\n', '\r']);
        start = line.end;
        open = open.filter(|fence| !fence.is_left_by(content));
        if let Some(fence) = open {
            open = Some(fence).filter(|fence| !fence.is_closed_by(content));
            continue;
        }
        open = fence::opened_by(content);
        // What is indented so far is code, too.
        if open.is_none() && fence::indentation(content, 0).0 < 4 {
            let marker = marker::of_line(content, line.start + skipped);
            found.extend(marker.map(|marker| Found { marker, line }));
        }
    }
    found
}

/// The blocks that markers make in pairs, as far as they can be read; every fault is noted.
fn blocks(markers: Vec<Found>, text: &str, faults: &mut Vec<Fault>) -> Vec<Block> {
    // Where some marker may have been meant for another one, or hides another, nothing is said of pairs.
    let are_pairs_known =
        markers.iter().all(|found| found.marker.word.is_some() && found.marker.is_alone);
    let mut unpaired = Vec::new();
    let mut blocks = Vec::new();
    let mut open: Option<Open> = None;
    for Found { mut marker, line } in markers {
        match marker.word {
            Some(Word::Begin) => {
                let wanted = wanted::wanted(&mut marker);
                let begun = Open { span: marker.span.clone(), line_end: line.end, wanted };
                if let Some(before) = open.replace(begun) {
                    let number = text[..before.span.start].matches('\n').count() + 1;
                    let what = format!("this block begins inside of that of line {number}");
                    let hint = "end one before the next begins: `<!-- orchestrate:end -->`";
                    unpaired.push(Fault::new(marker.span.clone(), what, hint));
                }
            }
            Some(Word::End) => {
                let filled = wanted::filled(&mut marker);
                if let Some(open) = open.take() {
                    blocks.extend(block(open, filled, &marker.span, &line));
                } else {
                    let hint = "`<!-- orchestrate:begin matrix=NAME -->` comes first";
                    let what = "this end has no beginning";
                    unpaired.push(Fault::new(marker.span.clone(), what, hint));
                }
            }
            None => {}
        }
        faults.append(&mut marker.faults);
    }
    if let Some(open) = open {
        let hint = "put `<!-- orchestrate:end -->` on a line of its own where it is to end";
        unpaired.push(Fault::new(open.span, "this block has no end", hint));
    }
    if are_pairs_known {
        faults.append(&mut unpaired);
    }
    blocks
}

fn block(
    open: Open,
    filled: Option<Filled>,
    end: &Range<usize>,
    line: &Range<usize>,
) -> Option<Block> {
    Some(Block {
        wanted: open.wanted?,
        filled,
        begin: open.span,
        inner: open.line_end..line.start,
        end: end.clone(),
    })
}
