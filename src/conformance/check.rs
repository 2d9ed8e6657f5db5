//! What a check is: a name, what it takes for granted that a target claims, and how it asks.

use super::asker::{Asker, Fault};
use crate::matrix::{Does, Target};

/// Asks, and says what was not right.
type Ask<'c> = dyn Fn(&Asker<'_>) -> Result<(), Fault> + 'c;

/// One thing that is checked.
pub(super) struct Check<'c> {
    /// What it is called when it is broken.
    pub(super) name: String,
    /// It is made only of targets that claim all of these.
    needs: &'static [Claim],
    /// The claim that a target which breaks it may not have meant to make.
    pub(super) doubtful: Option<Claim>,
    ask: Box<Ask<'c>>,
}

/// What a target claims unless its `target.toml` says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// To do what most servers do.
    Does(Does),
    /// To speak HTTP/1.1.
    Http11,
    /// To serve several connections at once.
    Parallel,
    /// To keep the contract of the targets that come with the project.
    Contract,
    /// That the process which answers is the one that was started.
    Ours,
}

impl<'c> Check<'c> {
    pub(super) fn new(
        name: impl Into<String>,
        needs: &'static [Claim],
        ask: impl Fn(&Asker<'_>) -> Result<(), Fault> + 'c,
    ) -> Self {
        Self { name: name.into(), needs, doubtful: None, ask: Box::new(ask) }
    }

    /// Whoever breaks it is told how to take this claim back.
    pub(super) fn or_declare(self, claim: Claim) -> Self {
        Self { doubtful: Some(claim), ..self }
    }

    /// The key by which a target says that it does not claim what is checked.
    pub(super) fn not_claimed_by(&self, claims: &Claims<'_>) -> Option<&'static str> {
        self.needs.iter().find(|need| !claims.hold(**need)).map(|need| need.key())
    }

    /// Asks, and says what was not right.
    pub(super) fn ask(&self, asker: &Asker<'_>) -> Result<(), Fault> {
        (self.ask)(asker)
    }
}

/// What one target claims in one matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claims<'t> {
    pub(super) target: &'t Target,
    /// Whether it lists what it offers, and is asked a workload of the contract among it.
    pub(super) contract: bool,
}

impl Claims<'_> {
    pub(super) fn hold(&self, claim: Claim) -> bool {
        let serves = &self.target.serves;
        match claim {
            Claim::Does(what) => serves.does(what),
            Claim::Http11 => serves.http_1_1,
            Claim::Parallel => serves.parallel != Some(1),
            Claim::Contract => self.contract,
            Claim::Ours => !self.target.external,
        }
    }
}

impl Claim {
    /// The key of `target.toml` that makes it, or takes it back.
    fn key(self) -> &'static str {
        match self {
            Self::Does(what) => what.key(),
            Self::Http11 => "http",
            Self::Parallel => "parallel",
            Self::Contract => "contract",
            Self::Ours => "external",
        }
    }

    /// How it is taken back.
    pub(super) fn hint(self) -> String {
        let declaration = match self {
            Self::Http11 => "serves = { http = \"1.0\" }".to_owned(),
            Self::Parallel => "serves = { parallel = N }".to_owned(),
            Self::Contract => {
                return "it claims the contract by the `workloads` that it lists".to_owned();
            }
            Self::Ours => "external = true".to_owned(),
            Self::Does(what) => format!("serves = {{ {} = false }}", what.key()),
        };
        format!("declare `{declaration}` if that is meant")
    }
}
