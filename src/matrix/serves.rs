//! `serves`: what a target does not do.

use super::table::Table;

/// What a target does not do; every claim is true unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent claims, as target.toml lists them")]
pub struct Serves {
    /// Uses a connection for more than one request.
    pub keep_alive: bool,
    /// Speaks HTTP/1.1 rather than only 1.0.
    pub http_1_1: bool,
    /// Answers HEAD.
    pub head: bool,
    /// Parses requests rather than answering anything.
    pub parses: bool,
    /// Takes a request in pieces of any size.
    pub pieces: bool,
    /// Answers what is not HTTP by 400.
    pub refusals: bool,
    /// Bounds the size of heads.
    pub bounds: bool,
    /// Tells who waits for it (`Expect: 100-continue`) to send its body.
    pub expectations: bool,
    /// Keeps a connection of HTTP/1.0 where that is asked for.
    pub old_keep_alive: bool,
    /// Connections at once; `None` means no limit.
    pub parallel: Option<u32>,
}

impl Default for Serves {
    fn default() -> Self {
        Self {
            keep_alive: true,
            http_1_1: true,
            head: true,
            parses: true,
            pieces: true,
            refusals: true,
            bounds: true,
            expectations: true,
            old_keep_alive: true,
            parallel: None,
        }
    }
}

/// Takes `serves` out of a target's table.
pub(super) fn serves(table: &mut Table<'_>) -> Serves {
    let mut table = table.table("serves").unwrap_or_else(|| Table::empty_like(table));
    let does = |table: &mut Table<'_>, key| table.boolean(key).is_none_or(|yes| yes.value);
    let serves = Serves {
        keep_alive: does(&mut table, "keep-alive"),
        http_1_1: table.choice("http", &[("1.1", true), ("1.0", false)]).unwrap_or(true),
        head: does(&mut table, "head"),
        parses: does(&mut table, "parses"),
        pieces: does(&mut table, "pieces"),
        refusals: does(&mut table, "refusals"),
        bounds: does(&mut table, "bounds"),
        expectations: does(&mut table, "expectations"),
        old_keep_alive: does(&mut table, "old-keep-alive"),
        parallel: table.whole("parallel", 1..=1_000_000),
    };
    table.finish();
    serves
}
