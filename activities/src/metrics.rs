//! Counters of what the activities and background tasks of this process did. Each label has a fixed set
//! of values, which all start at 0.

use domain::FailureCode;
use prometheus::{IntCounterVec, Opts, Registry};

use crate::{ReconcileError, Repair};

/// Counters in a registry. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Metrics {
    refunds: IntCounterVec,
    deliveries: IntCounterVec,
    repairs: IntCounterVec,
}

/// Outcome of one attempt to deliver an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryOutcome {
    /// The endpoint responded with 2xx.
    Delivered,
    /// The attempt failed, and there will be another one.
    Failed,
    /// The last attempt failed.
    Exhausted,
    /// Nothing was sent: the endpoint is disabled or deleted, or the round has ended.
    Dropped,
    /// Nothing was sent yet: the endpoint or its account has too many requests in flight.
    Delayed,
}

impl DeliveryOutcome {
    const ALL: [Self; 5] = [Self::Delivered, Self::Failed, Self::Exhausted, Self::Dropped, Self::Delayed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Exhausted => "exhausted",
            Self::Dropped => "dropped",
            Self::Delayed => "delayed",
        }
    }
}

/// Labels of reconciler actions.
const ACTIONS: [&str; 7] =
    ["refunded", "cancelled", "restarted", "abandoned", "nothing", "not_possible", "error"];

fn counters(
    registry: &Registry,
    name: &str,
    help: &str,
    label: &str,
    values: impl IntoIterator<Item = &'static str>,
) -> prometheus::Result<IntCounterVec> {
    let counters = IntCounterVec::new(Opts::new(name, help), &[label])?;
    for value in values {
        counters.with_label_values(&[value]);
    }
    registry.register(Box::new(counters.clone()))?;
    Ok(counters)
}

impl Metrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// Returns an error if the registry already has metrics with these names.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        Ok(Self {
            refunds: counters(
                registry,
                "scan_refunds_total",
                "Scans that failed and were refunded, by failure code.",
                "code",
                FailureCode::ALL.iter().map(|code| code.as_str()),
            )?,
            deliveries: counters(
                registry,
                "scan_webhook_deliveries_total",
                "Attempts to deliver an event to an endpoint, by outcome.",
                "outcome",
                DeliveryOutcome::ALL.map(DeliveryOutcome::as_str),
            )?,
            repairs: counters(
                registry,
                "scan_reconciler_actions_total",
                "Defects that the reconciler found, by its action.",
                "action",
                ACTIONS,
            )?,
        })
    }

    /// Counts a scan that failed and was refunded.
    pub(crate) fn record_refund(&self, code: FailureCode) {
        self.refunds.with_label_values(&[code.as_str()]).inc();
    }

    /// Counts an attempt to deliver an event.
    pub(crate) fn record_delivery(&self, outcome: DeliveryOutcome) {
        self.deliveries.with_label_values(&[outcome.as_str()]).inc();
    }

    /// Counts an action of the reconciler.
    pub(crate) fn record_repair(&self, outcome: &Result<Repair, ReconcileError>) {
        let action = match outcome {
            Ok(Repair::Refunded) => "refunded",
            Ok(Repair::Cancelled) => "cancelled",
            Ok(Repair::Restarted) => "restarted",
            Ok(Repair::Abandoned) => "abandoned",
            Ok(Repair::Nothing) => "nothing",
            Ok(Repair::NotPossible) => "not_possible",
            Err(_) => "error",
        };
        self.repairs.with_label_values(&[action]).inc();
    }
}

impl Default for Metrics {
    /// Creates counters that no registry shows.
    fn default() -> Self {
        Self::new(&Registry::new()).unwrap_or_else(|error| unreachable!("an empty registry: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_starts_at_zero_and_each_call_counts_once() {
        let registry = Registry::new();
        let metrics = Metrics::new(&registry).unwrap();
        metrics.record_refund(FailureCode::Internal);
        metrics.record_delivery(DeliveryOutcome::Exhausted);
        let outcomes = [
            Repair::Refunded,
            Repair::Cancelled,
            Repair::Restarted,
            Repair::Abandoned,
            Repair::Nothing,
            Repair::NotPossible,
        ];
        for repair in outcomes {
            metrics.record_repair(&Ok(repair));
        }
        metrics.record_repair(&Err(ReconcileError::Engine(workflows::client::EngineError::Closed)));
        for family in registry.gather() {
            let values: Vec<f64> =
                family.get_metric().iter().map(|metric| metric.get_counter().get_value()).collect();
            let (known, expected) = match family.name() {
                "scan_refunds_total" => (FailureCode::ALL.len(), 1.0),
                "scan_webhook_deliveries_total" => (DeliveryOutcome::ALL.len(), 1.0),
                "scan_reconciler_actions_total" => (ACTIONS.len(), 7.0),
                other => panic!("{other}"),
            };
            assert_eq!(values.len(), known, "{}: no label outside of the known ones", family.name());
            assert_eq!(values.iter().sum::<f64>(), expected, "{}", family.name());
        }
    }
}
