//! What requests cost, and how much they may.

use domain::language::Used;
use serde::{Deserialize, Serialize};

use super::{EndpointError, settings::EndpointSettings, wire};

/// Millionths of a cent in a cent: a token at so many cents a million costs as many of them.
const MICROCENTS_PER_CENT: u64 = 1_000_000;

/// What a run used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The run, an id of the document's `runs[]`.
    pub run_id: String,
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens sent, as the server counts them.
    pub prompt_tokens: u64,
    /// Tokens answered.
    pub completion_tokens: u64,
    /// Their price by the configured prices, in millionths of a cent.
    pub microcents: u64,
}

/// The money of one batch.
#[derive(Debug, Clone)]
pub struct Budget {
    prices: (u64, u64),
    limit_microcents: u64,
    max_request_microcents: u64,
    usage: Usage,
}

impl Budget {
    pub(super) fn new(settings: &EndpointSettings) -> Budget {
        Budget {
            prices: (settings.prompt_cents_a_million, settings.completion_cents_a_million),
            limit_microcents: settings.max_cents_a_batch.saturating_mul(MICROCENTS_PER_CENT),
            max_request_microcents: 0,
            usage: Usage::default(),
        }
    }

    /// Whether one more request is within the limit_microcents: it may cost what the max_request_microcents so far did, and at least
    /// its longest response.
    pub(super) fn allow(&self, max_tokens: u32) -> Result<(), EndpointError> {
        let next = self.max_request_microcents.max(u64::from(max_tokens).saturating_mul(self.prices.1));
        if self.limit_microcents > 0 && self.usage.microcents.saturating_add(next) > self.limit_microcents {
            return Err(EndpointError::BudgetExceeded);
        }
        Ok(())
    }

    /// Counts an answered request; also one whose answer cannot be used was paid for.
    pub(super) fn add(&mut self, run_id: &str, used: Option<&wire::Used>) {
        let (sent, answered) = used.map_or((0, 0), |used| (used.prompt_tokens, used.completion_tokens));
        let cost = sent.saturating_mul(self.prices.0).saturating_add(answered.saturating_mul(self.prices.1));
        self.max_request_microcents = self.max_request_microcents.max(cost);
        self.usage.run_id = run_id.to_owned();
        self.usage.requests += 1;
        self.usage.prompt_tokens += sent;
        self.usage.completion_tokens += answered;
        self.usage.microcents = self.usage.microcents.saturating_add(cost);
    }

    /// What was used.
    pub(super) fn used(&self) -> Used {
        let Usage { requests, prompt_tokens, completion_tokens, microcents, .. } = self.usage;
        Used { requests, prompt_tokens, completion_tokens, microcents }
    }

    /// What was used, if anything was.
    pub fn usage(self) -> Option<Usage> {
        (self.usage.requests > 0).then_some(self.usage)
    }
}

/// Adds up by run.
pub(crate) fn summed<'a>(all: impl Iterator<Item = &'a Usage>) -> Vec<Usage> {
    let mut out: Vec<Usage> = Vec::new();
    for one in all {
        match out.iter_mut().find(|sum| sum.run_id == one.run_id) {
            Some(sum) => {
                sum.requests += one.requests;
                sum.prompt_tokens += one.prompt_tokens;
                sum.completion_tokens += one.completion_tokens;
                sum.microcents = sum.microcents.saturating_add(one.microcents);
            }
            None => out.push(one.clone()),
        }
    }
    out
}
