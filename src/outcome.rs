//! The closed lists: how a request may end, where a trial may fail, what may hold a cell back, what may be doubted.
//!
//! A kind is an index into an array of counters while load runs, and its name on disk and in tables.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of a closed list, with a place in it and a name on disk.
pub trait Kind: Copy + Eq + Sized + 'static {
    /// The list, in the order in which it is written.
    const ALL: &'static [Self];

    /// The name on disk.
    fn name(self) -> &'static str;

    /// The place in [`Kind::ALL`].
    fn index(self) -> usize;
}

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl Kind for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            fn index(self) -> usize {
                self as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

kinds! {
    /// What is wrong with an answer that came whole.
    Wrong {
        /// Another status than expected.
        Status = "status",
        /// Another length than expected.
        Length = "length",
        /// Other content than expected.
        Body = "body",
        /// An expected header is missing or differs.
        Header = "header",
    }
}

kinds! {
    /// How a request may get no whole answer.
    Lost {
        /// Nobody listened.
        ConnectRefused = "connect_refused",
        /// No connection before the deadline.
        ConnectTimeout = "connect_timeout",
        /// Connecting failed in another way.
        ConnectOther = "connect_other",
        /// Connection reset before the first byte of the answer.
        ResetBefore = "reset_before",
        /// Connection reset inside the head or the body.
        ResetInside = "reset_inside",
        /// Connection closed before the first byte of the answer.
        ClosedEarlyBefore = "closed_early_before",
        /// Connection closed inside the head or the body.
        ClosedEarlyInside = "closed_early_inside",
        /// No whole answer before the deadline.
        Timeout = "timeout",
        /// Still unanswered at the end of the window, long after others were answered.
        Unanswered = "unanswered",
        /// What came is no HTTP answer.
        Protocol = "protocol",
        /// No local port was free: the client's fault.
        PortsExhausted = "ports_exhausted",
        /// Anything else, named in an example.
        Other = "other",
    }
}

kinds! {
    /// The stages of a trial, in order.
    Stage {
        /// Are the tools there?
        Tool = "tool",
        /// Making the program.
        Build = "build",
        /// Starting its process.
        Start = "start",
        /// Waiting for the first right answer.
        Ready = "ready",
        /// Checking the answer to the load's exact request.
        Verify = "verify",
        /// Load that is not counted.
        WarmUp = "warm-up",
        /// The interval that is.
        Window = "window",
        /// Ending it, with everything that it started.
        Stop = "stop",
    }
}

kinds! {
    /// What held a cell back.
    Limit {
        /// The server's CPU.
        Server = "server",
        /// The load generator's CPU: the figure is a lower bound.
        Generator = "generator",
        /// Both at once.
        Both = "both",
        /// Neither, but a service that the server needs.
        Service = "service",
        /// Nobody: it waits, and is bound by latency.
        Neither = "neither",
        /// Paced, and the rate was met.
        Rate = "rate",
    }
}

kinds! {
    /// How a row compares with another.
    Verdict {
        /// Better, by more than the smallest difference that matters.
        Faster = "faster",
        /// Worse, likewise.
        Slower = "slower",
        /// Alike, but for a difference that does not matter.
        Same = "same",
        /// None of these can be told.
        Unclear = "unclear",
    }
}

kinds! {
    /// What became of a row, or of one of its figures, from one run to the next; the worst first.
    Change {
        /// It was measured before, and fails now, in some rounds or in all.
        Fails = "fails",
        /// Worse, by more than the smallest difference that matters.
        Worse = "worse",
        /// None of worse, better and same can be told.
        Unclear = "unclear",
        /// Better, by more than the smallest difference that matters.
        Better = "better",
        /// It failed before, and was measured now.
        Mended = "mended",
        /// Alike, but for a difference that does not matter.
        Same = "same",
        /// It stands for the machine, and nothing is told of itself.
        Control = "control",
        /// Nothing follows from the two.
        NotComparable = "not-comparable",
        /// It is in the new run only.
        New = "new",
        /// It is in the old run only.
        Gone = "gone",
    }
}

impl Change {
    /// Whether something has become worse that was better before.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Fails | Self::Worse)
    }

    /// Whether it was told what became of it.
    pub fn is_told(self) -> bool {
        matches!(
            self,
            Self::Fails | Self::Worse | Self::Unclear | Self::Better | Self::Mended | Self::Same
        )
    }
}

kinds! {
    /// A named doubt about a trial or a row.
    Doubt {
        /// The generator was the limit.
        ClientBound = "client-bound",
        /// More than one attempt in a thousand was wrong or lost.
        Errors = "errors",
        /// Answers differ from what is expected, or between targets.
        UnequalResponse = "unequal-response",
        /// The queue that a paced load carried out of its window was too long.
        RateNotMet = "rate-not-met",
        /// The window was under one second.
        TooShort = "too-short",
        /// Failed after it was ready in some rounds.
        Unstable = "unstable",
        /// A trend when the warm-up had to end.
        NotSteady = "not-steady",
        /// A trend inside the window.
        Drift = "drift",
        /// A quantile that is usually shown has too few samples beyond it.
        TooFew = "too-few",
        /// Server and generator may run on one CPU.
        SharedCpus = "shared-cpus",
        /// Server and generator run on siblings of one core.
        SharedCore = "shared-core",
        /// A quota of CPU time was used up.
        Throttled = "throttled",
        /// Others used the CPUs of server or generator.
        NoisyHost = "noisy-host",
        /// The system's queues of connections had no room for some.
        Backlog = "backlog",
        /// Local ports ran out, or nearly.
        Ports = "ports",
        /// Answers waited for a delayed acknowledgement.
        DelayedAck = "delayed-ack",
        /// The server closed connections that the load meant to keep.
        Reconnects = "reconnects",
        /// The generator itself was late.
        Late = "late",
        /// The target wrote more than a byte of output per answer.
        Logs = "logs",
        /// The order was as written, not shuffled.
        Order = "order",
        /// A row was measured at another time than its neighbours.
        OtherSession = "other-session",
    }
}

impl Doubt {
    /// Whether a row that bears this doubt is kept out of the ranking.
    pub fn bars_from_ranking(self) -> bool {
        matches!(self, Self::Errors | Self::UnequalResponse | Self::RateNotMet | Self::TooShort)
    }
}

/// How often each kind was seen.
#[derive(Clone, PartialEq, Eq)]
pub struct Counts<K: Kind> {
    counts: Vec<u64>,
    kind: PhantomData<K>,
}

impl<K: Kind> Counts<K> {
    /// None seen.
    pub fn new() -> Self {
        Self { counts: vec![0; K::ALL.len()], kind: PhantomData }
    }

    /// One more of `kind`.
    pub fn add(&mut self, kind: K) {
        self.counts[kind.index()] += 1;
    }

    /// How often `kind` was seen.
    pub fn of(&self, kind: K) -> u64 {
        self.counts[kind.index()]
    }

    /// How many of all kinds together.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Takes in what another counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// The kinds that were seen, each with its count.
    pub fn seen(&self) -> impl Iterator<Item = (K, u64)> + '_ {
        K::ALL.iter().map(|kind| (*kind, self.of(*kind))).filter(|(_, count)| *count > 0)
    }
}

impl<K: Kind> Default for Counts<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Kind> fmt::Debug for Counts<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.seen().map(|(kind, count)| (kind.name(), count))).finish()
    }
}

impl<K: Kind> Serialize for Counts<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(K::ALL.len()))?;
        for kind in K::ALL {
            map.serialize_entry(kind.name(), &self.of(*kind))?;
        }
        map.end()
    }
}

impl<K: Kind> JsonSchema for Counts<K> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        let names: Vec<&str> = K::ALL.iter().map(|kind| kind.name()).collect();
        format!("Counts of {}", names.join(", ")).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = |kind: &K| {
            (kind.name().to_owned(), serde_json::json!({ "type": "integer", "minimum": 0 }))
        };
        let kinds: serde_json::Map<String, serde_json::Value> = K::ALL.iter().map(count).collect();
        json_schema!({ "type": "object", "properties": kinds, "additionalProperties": false })
    }
}

impl<'de, K: Kind> Deserialize<'de> for Counts<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<K>(PhantomData<K>);

        impl<'de, K: Kind> Visitor<'de> for Read<K> {
            type Value = Counts<K>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a count for each kind")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts<K>, A::Error> {
                let mut counts = Counts::new();
                while let Some((name, count)) = map.next_entry::<String, u64>()? {
                    let kind = K::ALL
                        .iter()
                        .find(|kind| kind.name() == name)
                        .ok_or_else(|| A::Error::custom(format!("no such kind: `{name}`")))?;
                    counts.counts[kind.index()] = count;
                }
                Ok(counts)
            }
        }

        deserializer.deserialize_map(Read(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_by_name_in_order_and_read_back() {
        let mut counts = Counts::<Wrong>::new();
        counts.add(Wrong::Body);
        counts.add(Wrong::Body);
        let text = serde_json::to_string(&counts).unwrap();
        assert_eq!(text, r#"{"status":0,"length":0,"body":2,"header":0}"#);
        assert_eq!(serde_json::from_str::<Counts<Wrong>>(&text).unwrap(), counts);
        assert!(serde_json::from_str::<Counts<Wrong>>(r#"{"size":1}"#).is_err());
    }

    #[test]
    fn every_kind_stands_at_its_own_index() {
        fn check<K: Kind>() {
            for (place, kind) in K::ALL.iter().enumerate() {
                assert_eq!(kind.index(), place, "{}", kind.name());
            }
        }
        check::<Wrong>();
        check::<Lost>();
        check::<Stage>();
        check::<Limit>();
        check::<Verdict>();
        check::<Change>();
        check::<Doubt>();
    }
}
