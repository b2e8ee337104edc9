//! Usage, cost and spending limit of endpoint requests.

use domain::language::ModelUsage;
use serde::{Deserialize, Serialize};

use super::{EndpointError, settings::EndpointSettings, wire};

/// Microcents (millionths of a cent) per cent. A price in cents per million tokens equals the price
/// of one token in microcents.
const MICROCENTS_PER_CENT: u64 = 1_000_000;

/// Requests, tokens and cost of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Id of the run in the document's `runs[]`.
    pub run_id: String,
    /// Number of requests that received a response.
    pub requests: u64,
    /// Number of tokens sent, as counted by the server.
    pub prompt_tokens: u64,
    /// Number of tokens received, as counted by the server.
    pub completion_tokens: u64,
    /// Cost at the configured prices, in microcents.
    pub microcents: u64,
}

/// Spending limit of one batch, with the usage so far.
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

    /// Checks that one more request fits the limit. It is assumed to cost as much as the most
    /// expensive request so far, and at least a response of `max_tokens`.
    pub(super) fn check_next(&self, max_tokens: u32) -> Result<(), EndpointError> {
        let next = self.max_request_microcents.max(u64::from(max_tokens).saturating_mul(self.prices.1));
        if self.limit_microcents > 0 && self.usage.microcents.saturating_add(next) > self.limit_microcents {
            return Err(EndpointError::BudgetExceeded);
        }
        Ok(())
    }

    /// Records a request that received a response. Unusable responses are paid for, too.
    pub(super) fn record(&mut self, run_id: &str, used: Option<&wire::Used>) {
        let (sent, received) = used.map_or((0, 0), |used| (used.prompt_tokens, used.completion_tokens));
        let cost = sent.saturating_mul(self.prices.0).saturating_add(received.saturating_mul(self.prices.1));
        self.max_request_microcents = self.max_request_microcents.max(cost);
        self.usage.run_id = run_id.to_owned();
        self.usage.requests += 1;
        self.usage.prompt_tokens += sent;
        self.usage.completion_tokens += received;
        self.usage.microcents = self.usage.microcents.saturating_add(cost);
    }

    /// Returns the usage so far.
    pub(super) fn used(&self) -> ModelUsage {
        let Usage { requests, prompt_tokens, completion_tokens, microcents, .. } = self.usage;
        ModelUsage { requests, prompt_tokens, completion_tokens, microcents }
    }

    /// Returns the usage, or `None` if no request was made.
    pub fn usage(self) -> Option<Usage> {
        (self.usage.requests > 0).then_some(self.usage)
    }
}

/// Sums usage by run.
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
