//! Defects of deliveries and their repairs.

use domain::Timestamp;
use entities::{
    DeliveryRow,
    webhook_deliveries::{self, DeliveryStatus, Round, Verdict},
};
use workflows::client::WorkflowState;

use super::{Defect, DeliveryDefect, ReconcileError, Reconciler, Repair};
use crate::webhooks::{delivery_input, start_delivery};

impl Reconciler {
    /// Returns the id of the workflow of a delivery.
    pub(super) fn delivery_workflow(&self, delivery: &DeliveryRow) -> String {
        delivery_input(self.retries, &delivery.last_round()).workflow_id()
    }

    /// Describes the workflow of a pending delivery that has no running workflow by the engine's
    /// index.
    pub(super) async fn delivery_without_workflow(
        &self,
        delivery: DeliveryRow,
    ) -> Result<Option<Defect>, ReconcileError> {
        let input = delivery_input(self.retries, &delivery.last_round());
        let defect = match self.engine.delivery_state(&input).await? {
            WorkflowState::Running => return Ok(None),
            WorkflowState::Missing => DeliveryDefect::WorkflowMissing,
            WorkflowState::Terminated | WorkflowState::Ended => DeliveryDefect::WorkflowEnded,
        };
        // The delivery may have ended after its row was read and before its workflow was described.
        let Round { event, endpoint, number } = delivery.last_round();
        let current = webhook_deliveries::system::find(&self.db, &event, &endpoint).await?;
        let current =
            current.filter(|current| current.status.0 == DeliveryStatus::Pending && current.round == number);
        Ok(current.map(|delivery| Defect::Delivery(Box::new(delivery), defect)))
    }

    /// Starts a missing workflow again. If the workflow has ended (an operator terminated it), the
    /// delivery is abandoned; the endpoint's owner can request a redelivery.
    pub(super) async fn repair_delivery(
        &self,
        delivery: &DeliveryRow,
        defect: DeliveryDefect,
        now: Timestamp,
    ) -> Result<Repair, ReconcileError> {
        let round = delivery.last_round();
        match defect {
            DeliveryDefect::WorkflowMissing => {
                start_delivery(&self.engine, self.retries, &round, &delivery.tenant().account_id).await?;
                Ok(Repair::Restarted)
            }
            DeliveryDefect::WorkflowEnded => {
                let abandon = async |txn| {
                    webhook_deliveries::system::finish(&txn, &round, Verdict::Abandoned, now).await
                };
                self.db.write(abandon).await?;
                Ok(Repair::Abandoned)
            }
        }
    }
}

/// Parses the id of a delivery's workflow.
pub(super) fn round_of(workflow_id: &str) -> Option<Round> {
    let subject = workflow_id.strip_prefix("webhook:")?;
    // The id of the first round has no number.
    Round::of_subject(subject).or_else(|| Round::of_subject(&format!("{subject}:0")))
}

#[cfg(test)]
mod tests {
    use domain::{EventId, WebhookEndpointId};
    use workflows::{DeliveryInput, RetrySchedule};

    use super::*;

    #[test]
    fn round_is_parsed_from_the_workflow_id() {
        for number in [0, 1, 12] {
            let round =
                Round { event: EventId::trusted("evt_1"), endpoint: WebhookEndpointId::new(), number };
            let input: DeliveryInput = delivery_input(RetrySchedule::default(), &round);
            assert_eq!(round_of(&input.workflow_id()), Some(round));
        }
        assert_eq!(round_of("scan:scn_1"), None);
        assert_eq!(round_of("webhook:evt_1"), None);
    }
}
