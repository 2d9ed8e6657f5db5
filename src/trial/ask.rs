//! What a target is asked in a cell, and which answer is right: the workload's word, the target's own where it has one.

use std::net::SocketAddr;
use std::time::Duration;

use crate::generator::Spec;
use crate::http::expect::Expectation;
use crate::http::request::{RequestError, RequestKind, RequestParts, encode};
use crate::matrix::{HeaderValue, Load, RequestSpec, Stop, Target, Workload};

/// The longest that a request may take where the load does not say.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(10);

/// A request as bytes, and the right answer to it.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Whom.
    pub address: SocketAddr,
    /// The request.
    pub request: Vec<u8>,
    /// What it implies for its answer.
    pub kind: RequestKind,
    /// Whether it may be sent twice: GET and HEAD.
    pub is_idempotent: bool,
    /// Which answer is right.
    pub expectation: Expectation,
}

/// Why a request cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// A header's value should come from the environment.
    #[error("header `{header}` wants the environment variable `{variable}`, which is not set")]
    NotSet {
        /// The header.
        header: String,
        /// The variable.
        variable: String,
    },
    /// HTTP does not allow it.
    #[error("the request of a workload cannot be sent: {0}")]
    Request(#[from] RequestError),
}

impl AskError {
    /// What to do about it, where that can be told.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotSet { variable, .. } => {
                Some(format!("set it for this command: `{variable}=... orchestrate ...`"))
            }
            Self::Request(_) => None,
        }
    }
}

impl Ask {
    /// What this target is asked by this workload under this load.
    ///
    /// # Errors
    /// If a value is missing, or HTTP does not allow the request.
    pub fn new(
        target: &Target,
        workload: &Workload,
        load: &Load,
        address: SocketAddr,
    ) -> Result<Self, AskError> {
        let spec = target.request_of(workload);
        let headers = headers(spec)?;
        let parts = RequestParts {
            method: &spec.method,
            path: &spec.path,
            authority: &address.to_string(),
            headers: &headers,
            body: &spec.body,
            version: load.http,
            keep_alive: load.keep_alive,
        };
        Ok(Self {
            address,
            request: encode(&parts)?,
            kind: parts.kind(),
            is_idempotent: matches!(spec.method.as_str(), "GET" | "HEAD"),
            expectation: target.expectation_of(workload).cloned().unwrap_or_default(),
        })
    }

    /// The load that asks it.
    pub fn spec(&self, load: &Load, measure: Duration, warm_up_max: Duration, seed: u64) -> Spec {
        let (requests, window_max) = match load.stop {
            Stop::Window => (None, measure),
            Stop::Requests { count, at_most } => (Some(count), at_most),
        };
        Spec {
            address: self.address,
            request: self.request.clone(),
            kind: self.kind,
            is_idempotent: self.is_idempotent,
            expectation: self.expectation.clone(),
            connections: load.connections as usize,
            pipeline: load.pipeline as usize,
            arrival: load.arrival,
            requests,
            timeout: load.timeout.unwrap_or(window_max.min(LONGEST_TIMEOUT)),
            verify: load.verify,
            seed,
            warm_up_max,
            window_max,
            opens_at_once: false,
        }
    }
}

/// The headers that a request declares, each with its value.
///
/// # Errors
/// If a value is missing.
pub fn headers(spec: &RequestSpec) -> Result<Vec<(String, String)>, AskError> {
    spec.headers
        .iter()
        .map(|(name, value)| match value {
            HeaderValue::Plain(value) => Ok((name.clone(), value.clone())),
            HeaderValue::Environment(variable) => match std::env::var(variable) {
                Ok(value) => Ok((name.clone(), value)),
                Err(_) => {
                    Err(AskError::NotSet { header: name.clone(), variable: variable.clone() })
                }
            },
        })
        .collect()
}
