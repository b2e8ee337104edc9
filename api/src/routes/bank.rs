//! `POST /bank/webhooks`: notifications of banks about payments.
//!
//! Notifications arrive at least once, late and out of order. Each states the status of one
//! payment, and the ledger never moves a payment back. Notifications about unknown payments are
//! acknowledged, because banks would repeat them for days; the daily reconciliation reports them.

use domain::{ApiErrorCode as C, Mode, PaymentId, Timestamp};
use entities::payments;
use http::{Method, StatusCode};
use ledger::Reversal;
use outbound::payments::{Lookup, NotificationError, NotificationKind, Payment};
use serde_json::json;

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        schema::SchemaRef,
    },
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// Maximum size of a notification, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/bank/webhooks", "receiveBankWebhook", "Bank")
            .about(
                "Receive a notification of the bank",
                "For the bank only. Requires a valid signature in `Stripe-Signature` (`Bank-Signature` for the simulated bank).",
            )
            .raw_body(&["application/json"], SchemaRef::object())
            .responds_empty(204, "Acknowledged.")
            .errors(&[C::InvalidSignature, C::BankUnavailable])
            .request_example(json!({
                "id": "evt_1Q0", "type": "payment_intent.succeeded", "created": 1_772_442_904,
                "data": { "object": { "id": "pi_1Q0", "amount": 2000, "status": "succeeded", "created": 1_772_442_900 } },
            }))
            .public(receive),
    ]
}

async fn receive(app: App, mut request: Request) -> ApiResult<StatusCode> {
    let body = request.body.read(MAX_BYTES).await?;
    let now = Timestamp::now();
    let (notification, modes) =
        app.banks().parse_notification(&request.headers, &body, now).map_err(invalid_notification)?;
    match notification.kind {
        NotificationKind::Payment(payment) => settle(&app, &modes, &payment, None, now).await?,
        NotificationKind::Refunded { reference, .. } => {
            fetch_and_settle(&app, &modes, &reference, None, now).await?
        }
        NotificationKind::Disputed { reference, status, .. } => {
            fetch_and_settle(&app, &modes, &reference, Some(status), now).await?;
        }
        NotificationKind::Other { event_type } => tracing::debug!(event_type, "notification ignored"),
    }
    Ok(StatusCode::NO_CONTENT)
}

fn invalid_notification(error: NotificationError) -> ApiError {
    match error {
        NotificationError::Unsigned | NotificationError::Signature(_) => {
            let message = "The notification is not signed by the bank.";
            ApiError::new(C::InvalidSignature).message(message).caused_by(error)
        }
        NotificationError::Unreadable(_) => {
            ApiError::field("body", "is not a notification of the bank").caused_by(error)
        }
    }
}

/// Fetches a payment by the bank's reference and settles it. The fetched payment has our id and is
/// newer than the notification.
async fn fetch_and_settle(
    app: &App,
    modes: &[Mode],
    reference: &str,
    dispute: Option<String>,
    now: Timestamp,
) -> ApiResult<()> {
    let Some(mode) = modes.first() else { return Ok(()) };
    match app.banks().of(*mode).fetch(Lookup::Reference(reference)).await? {
        Some(payment) => settle(app, modes, &payment, dispute, now).await,
        None => Ok(()),
    }
}

/// Settles a payment with the bank's result, if it is known and its mode belongs to this bank.
async fn settle(
    app: &App,
    modes: &[Mode],
    payment: &Payment,
    dispute: Option<String>,
    now: Timestamp,
) -> ApiResult<()> {
    let id = payment.idempotency_key.as_ref().and_then(|key| key.parse::<PaymentId>().ok());
    let row = match &id {
        Some(id) => payments::system::find(app.db(), id).await?,
        None => None,
    };
    let Some(row) = row.filter(|row| modes.contains(&row.tenant().mode)) else {
        tracing::info!(reference = payment.reference, "the bank reported an unknown payment");
        return Ok(());
    };
    if payment.amount_cents != row.amount_cents || payment.account.as_ref() != Some(&row.account_id.0) {
        tracing::error!(payment = %row.id.0, "amount or account differs from the bank's; an operator must decide");
        return Ok(());
    }
    let settled = ledger::settle(app.db(), &row.id, &payment.result.verdict(), now).await?;
    if let Some(settled) = settled.filter(|settled| settled.payment.state != row.state) {
        let (state, credited) = (settled.payment.state.as_str(), settled.credited);
        tracing::info!(payment = %row.id.0, state, credited, "payment settled by a notification of the bank");
    }
    let reversal = Reversal {
        refunded_cents: payment.refunded_cents,
        // The bank's own status is more specific.
        dispute: dispute.or_else(|| (payment.disputed && row.dispute.is_none()).then(|| "open".to_owned())),
    };
    if reversal != Reversal::default() && ledger::record_reversal(app.db(), &row.id, &reversal, now).await? {
        tracing::warn!(payment = %row.id.0, given_back = ?reversal, "the bank refunded or disputed a payment");
    }
    Ok(())
}
