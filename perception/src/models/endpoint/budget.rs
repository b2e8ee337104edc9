//! Usage, cost and spending limit of endpoint requests.

use domain::language::ModelUsage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EndpointError, settings::EndpointSettings, wire};

/// Microcents (millionths of a cent) per cent. A price in cents per million tokens equals the price
/// of one token in microcents.
const MICROCENTS_PER_CENT: u64 = 1_000_000;

/// Requests, tokens and cost of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Id of the run in the document's `runs[]`.
    pub run_id: String,
    /// Number of requests that were sent, retries included.
    pub requests: u64,
    /// Number of tokens sent, as counted by the server. Requests without a count add none.
    pub prompt_tokens: u64,
    /// Number of tokens received, as counted by the server.
    pub completion_tokens: u64,
    /// Cost at the configured prices, in microcents. A request whose response was lost costs what the
    /// most expensive request cost so far, and at least a full response.
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
        let next = self.assumed_microcents(max_tokens);
        if self.limit_microcents > 0 && self.usage.microcents.saturating_add(next) > self.limit_microcents {
            return Err(EndpointError::BudgetExceeded);
        }
        Ok(())
    }

    fn assumed_microcents(&self, max_tokens: u32) -> u64 {
        self.max_request_microcents.max(u64::from(max_tokens).saturating_mul(self.prices.1))
    }

    /// Records a request that was sent in vain.
    fn record_lost(&mut self, run_id: &str, max_tokens: u32, is_billed: bool) {
        let cost = if is_billed { self.assumed_microcents(max_tokens) } else { 0 };
        self.usage.run_id = run_id.to_owned();
        self.usage.requests += 1;
        self.usage.microcents = self.usage.microcents.saturating_add(cost);
    }

    /// Records a request that received a response. Unusable responses are paid for, too.
    fn record(&mut self, run_id: &str, used: Option<&wire::Used>) {
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

/// Counts the requests of one call in a budget: every try is paid for, whether it is of use or not.
pub(super) struct Spending<'b> {
    budget: &'b mut Budget,
    run_id: &'static str,
    max_tokens: u32,
    in_flight: bool,
}

impl<'b> Spending<'b> {
    /// Counts requests of a run, each with a response of at most `max_tokens`.
    pub(super) fn new(budget: &'b mut Budget, run_id: &'static str, max_tokens: u32) -> Self {
        Self { budget, run_id, max_tokens, in_flight: false }
    }

    /// Begins a try.
    ///
    /// # Errors
    /// Returns an error if one more request could exceed the spending limit.
    pub(super) fn begin(&mut self) -> Result<(), EndpointError> {
        self.budget.check_next(self.max_tokens)?;
        self.in_flight = true;
        Ok(())
    }

    /// Ends a try with a response.
    pub(super) fn received(&mut self, response: &Value) {
        self.in_flight = false;
        let used = response.get("usage").cloned().and_then(|used| serde_json::from_value(used).ok());
        match used {
            Some(used) => self.budget.record(self.run_id, Some(&used)),
            None if response.is_object() => self.budget.record(self.run_id, None),
            None => self.budget.record_lost(self.run_id, self.max_tokens, true),
        }
    }

    /// Ends a try that failed. Does nothing if none is in flight.
    pub(super) fn lost(&mut self, error: &EndpointError) {
        if std::mem::take(&mut self.in_flight) {
            self.budget.record_lost(self.run_id, self.max_tokens, error.may_be_billed());
        }
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
