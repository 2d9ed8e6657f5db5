//! Tables in pages that people write: blocks between two markers, found, judged and filled.
//!
//! Pure: a page is a text, and so is what becomes of it. What lies outside of the blocks is never changed. The begin
//! marker says what is wanted; the end marker which run was used, and the digest of the text, so that text which was
//! edited by hand is known as such from the page alone.

use std::ops::Range;
use std::sync::Arc;

use super::layout::lay_out_as;
use super::markdown;
use super::select::NoTable;
use crate::digest::sha256;
use crate::matrix::problem::{Place, Problem, Source};
use crate::record::summary::Summary;

mod chart;
mod fence;
mod marker;
mod scan;
#[cfg(test)]
mod tests;
mod wanted;

pub use chart::{PageChart, is_as_made};
pub use wanted::{Filled, Wanted, Written};

/// A page and its blocks.
#[derive(Debug)]
pub struct Page {
    /// Where it is, and its text.
    pub source: Arc<Source>,
    /// The blocks, in order; where there are problems, as far as they can be read, so that more can be said of them.
    pub blocks: Vec<Block>,
    /// Every fault of its markers.
    pub problems: Vec<Problem>,
}

/// What stands between two markers.
#[derive(Debug)]
pub struct Block {
    /// What is wanted there.
    pub wanted: Wanted,
    /// What was put there, if anything was.
    filled: Option<Filled>,
    /// The begin marker.
    begin: Range<usize>,
    /// All that lies between the lines of the markers.
    inner: Range<usize>,
    /// The end marker.
    end: Range<usize>,
}

/// What stands in a block, as far as the page itself tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Empty,
    /// What was put there.
    AsFilled,
    /// Something else.
    Edited,
}

/// What a block is to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filling {
    /// The id of the run.
    pub run: String,
    /// The text between the lines of the markers, with plain line ends.
    pub text: String,
    /// The charts that it shows.
    pub charts: Vec<PageChart>,
}

impl Page {
    /// Finds the blocks of a page. A page without any has a fault.
    pub fn parse(source: Source) -> Self {
        scan::page(Arc::new(source))
    }

    /// A stretch of the page.
    pub fn place(&self, span: Range<usize>) -> Place {
        Place { source: Arc::clone(&self.source), span }
    }

    /// What stands in a block.
    pub fn state(&self, block: &Block) -> State {
        let text = self.text_of(block);
        match &block.filled {
            _ if text.trim().is_empty() => State::Empty,
            Some(filled) if filled.sha256 == sha256(text.as_bytes()) => State::AsFilled,
            _ => State::Edited,
        }
    }

    /// Whether a block holds this already.
    pub fn holds(&self, block: &Block, filling: &Filling) -> bool {
        self.has_text(block, filling)
            && block.filled.as_ref().is_some_and(|filled| {
                filled.run == filling.run && filled.sha256 == sha256(filling.text.as_bytes())
            })
    }

    /// Whether a block holds this text, whatever its marker says.
    pub fn has_text(&self, block: &Block, filling: &Filling) -> bool {
        self.text_of(block) == filling.text
    }

    /// The page with its blocks filled, one filling for each. A block that holds its own already stays as it is.
    ///
    /// # Panics
    /// If the page has problems, or if there are not as many fillings as blocks.
    pub fn fill(&self, fillings: &[Filling]) -> String {
        assert!(self.problems.is_empty(), "a page with problems is left alone");
        assert_eq!(fillings.len(), self.blocks.len(), "every block has its filling");
        let text = &self.source.text;
        let mut filled = String::with_capacity(text.len());
        let mut from = 0;
        for (block, filling) in self.blocks.iter().zip(fillings) {
            if self.holds(block, filling) {
                continue;
            }
            filled.push_str(&text[from..block.inner.start]);
            filled.push_str(&filling.text.replace('\n', self.line_end()));
            filled.push_str(&text[block.inner.end..block.end.start]);
            filled.push_str(&marker::end(&filling.run, &sha256(filling.text.as_bytes())));
            from = block.end.end;
        }
        filled.push_str(&text[from..]);
        filled
    }

    /// The text of a block with plain line ends, so that a digest outlives a change of them.
    fn text_of(&self, block: &Block) -> String {
        self.source.text[block.inner.clone()].replace("\r\n", "\n")
    }

    /// The line end of the page's first line.
    fn line_end(&self) -> &'static str {
        let text = &self.source.text;
        let is_long = text.find('\n').is_some_and(|end| text[..end].ends_with('\r'));
        if is_long { "\r\n" } else { "\n" }
    }
}

impl Block {
    /// The begin marker.
    pub fn begin(&self) -> Range<usize> {
        self.begin.clone()
    }

    /// What lies between the lines of the markers.
    pub fn inner(&self) -> Range<usize> {
        self.inner.clone()
    }

    /// The end marker.
    pub fn end(&self) -> Range<usize> {
        self.end.clone()
    }

    /// What the block is to hold, made from the run that it wants.
    ///
    /// # Errors
    /// If it wants tables that the run has not.
    pub fn filling(&self, run: &str, summary: Summary) -> Result<Filling, NoTable> {
        let summary = self.wanted.selection.of(summary)?;
        let Wanted { layout, charts, charts_in, .. } = &self.wanted;
        let tables = markdown::write(&lay_out_as(&summary, layout));
        let charts = chart::charts(&summary, charts, charts_in);
        let mut text = format!("\n{tables}\n");
        for chart in &charts {
            text.extend([&chart.line(), "\n\n"]);
        }
        Ok(Filling { run: run.to_owned(), text, charts })
    }
}

/// What changes from one text to another, as a unified diff; empty if nothing does.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(old, new).unified_diff().header(path, path).to_string()
}
