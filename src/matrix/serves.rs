//! `serves`: what a target does not do.

use super::table::Table;

/// What every target does unless it says `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Uses a connection for more than one request.
    KeepAlive,
    /// Keeps a connection of HTTP/1.0 where that is asked for.
    OldKeepAlive,
    /// Answers HEAD.
    Head,
    /// Parses requests rather than answering anything.
    Parses,
    /// Takes a request in pieces of any size.
    Pieces,
    /// Answers what is not HTTP by 400.
    Refusals,
    /// Bounds the size of heads.
    Bounds,
    /// Tells who waits for it (`Expect: 100-continue`) to send its body.
    Expectations,
}

impl Does {
    /// All of them, as documentation lists them.
    pub const ALL: [Self; 8] = [
        Self::KeepAlive,
        Self::OldKeepAlive,
        Self::Head,
        Self::Parses,
        Self::Pieces,
        Self::Refusals,
        Self::Bounds,
        Self::Expectations,
    ];

    /// The key that takes it back.
    pub fn key(self) -> &'static str {
        match self {
            Self::KeepAlive => "keep-alive",
            Self::OldKeepAlive => "old-keep-alive",
            Self::Head => "head",
            Self::Parses => "parses",
            Self::Pieces => "pieces",
            Self::Refusals => "refusals",
            Self::Bounds => "bounds",
            Self::Expectations => "expectations",
        }
    }
}

/// What a target serves; by default everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serves {
    /// What it does not do, as [`Does::ALL`] orders it.
    lacks: Vec<Does>,
    /// Whether it speaks HTTP/1.1 rather than only 1.0.
    pub http_1_1: bool,
    /// Connections at once; `None` means no limit.
    pub parallel: Option<u32>,
}

impl Default for Serves {
    fn default() -> Self {
        Self { lacks: Vec::new(), http_1_1: true, parallel: None }
    }
}

impl Serves {
    /// Whether it does this.
    pub fn does(&self, what: Does) -> bool {
        !self.lacks.contains(&what)
    }

    /// What it takes back, as it is written: `keep-alive = false`.
    pub fn taken_back(&self) -> Vec<String> {
        let lacks = self.lacks.iter().map(|what| format!("{} = false", what.key()));
        let http = (!self.http_1_1).then(|| "http = \"1.0\"".to_owned());
        let parallel = self.parallel.map(|most| format!("parallel = {most}"));
        lacks.chain(http).chain(parallel).collect()
    }
}

/// The most connections at once that a target may name.
pub(super) const PARALLEL_MAX: u32 = 1_000_000;
/// Whether it speaks HTTP/1.1, by the version that it names.
pub(super) const VERSIONS: [(&str, bool); 2] = [("1.1", true), ("1.0", false)];

/// Takes `serves` out of a target's table.
pub(super) fn serves(table: &mut Table<'_>) -> Serves {
    let mut table = table.table("serves").unwrap_or_else(|| Table::empty_like(table));
    let mut lacks = Does::ALL.to_vec();
    lacks.retain(|what| table.boolean(what.key()).is_some_and(|does| !does.value));
    let serves = Serves {
        lacks,
        http_1_1: table.choice("http", &VERSIONS).unwrap_or(true),
        parallel: table.whole("parallel", 1..=PARALLEL_MAX),
    };
    table.finish();
    serves
}
