//! `POST /bank/webhooks`: what banks tell of payments.
//!
//! At least once, late and out of order: it is taken as what it says of one payment at one time, and the
//! ledger lets nothing move a payment back. What is not of this service is acknowledged, or the bank would
//! tell it for days; the daily comparison names what nobody here knows.

use domain::{ApiErrorCode as C, Mode, PaymentId, Timestamp};
use entities::payments;
use http::{Method, StatusCode};
use ledger::Reversal;
use outbound::payments::{Lookup, NotificationError, NotificationKind, Payment};

use crate::{
    App,
    endpoints::{Endpoint, endpoint},
    error::{ApiError, ApiResult},
    request::Request,
    schema::SchemaRef,
};

/// Most bytes of a notification.
const MAX_BYTES: usize = 256 * 1024;

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/bank/webhooks", "receiveBankWebhook", "Bank")
            .about(
                "Take a notification of the bank",
                "For the bank only. Verified by the signature in `Stripe-Signature` (`Bank-Signature` of the simulated bank).",
            )
            .raw_body(&["application/json"], SchemaRef::object())
            .answers_nothing(204, "Taken: it is not to be sent again.")
            .errors(&[C::InvalidSignature, C::BankUnavailable])
            .public(receive),
    ]
}

async fn receive(app: App, mut request: Request) -> ApiResult<StatusCode> {
    let body = request.body.read(MAX_BYTES).await?;
    let now = Timestamp::now();
    let (told, modes) = app.banks().parse_notification(&request.headers, &body, now).map_err(refused)?;
    match told.kind {
        NotificationKind::Payment(payment) => take(&app, &modes, &payment, None, now).await?,
        NotificationKind::Refunded { reference, .. } => look(&app, &modes, &reference, None, now).await?,
        NotificationKind::Disputed { reference, status, .. } => {
            look(&app, &modes, &reference, Some(status), now).await?;
        }
        NotificationKind::Other { event_type } => tracing::debug!(event_type, "of no concern"),
    }
    Ok(StatusCode::NO_CONTENT)
}

fn refused(error: NotificationError) -> ApiError {
    match error {
        NotificationError::Unsigned | NotificationError::Signature(_) => {
            let message = "The notification is not signed by the bank.";
            ApiError::new(C::InvalidSignature).message(message).caused_by(error)
        }
        NotificationError::Unreadable(_) => {
            ApiError::field("body", "is no notification of the bank").caused_by(error)
        }
    }
}

/// What is told by the bank's name only is looked up there: the answer has our name, and is newer.
async fn look(
    app: &App,
    modes: &[Mode],
    reference: &str,
    dispute: Option<String>,
    now: Timestamp,
) -> ApiResult<()> {
    let Some(mode) = modes.first() else { return Ok(()) };
    match app.banks().of(*mode).fetch(Lookup::Reference(reference)).await? {
        Some(payment) => take(app, modes, &payment, dispute, now).await,
        None => Ok(()),
    }
}

/// Settles a payment as the bank says, if it is one of ours and of a mode that this bank may speak of.
async fn take(
    app: &App,
    modes: &[Mode],
    told: &Payment,
    dispute: Option<String>,
    now: Timestamp,
) -> ApiResult<()> {
    let id = told.idempotency_key.as_ref().and_then(|key| key.parse::<PaymentId>().ok());
    let ours = match &id {
        Some(id) => payments::system::find(app.db(), id).await?,
        None => None,
    };
    let Some(ours) = ours.filter(|ours| modes.contains(&ours.tenant().mode)) else {
        tracing::info!(reference = told.reference, "the bank tells of a payment that is not known here");
        return Ok(());
    };
    if told.amount_cents != ours.amount_cents || told.account.as_ref() != Some(&ours.account_id.0) {
        tracing::error!(payment = %ours.id.0, "another amount or account at the bank; left to an operator");
        return Ok(());
    }
    let settled = ledger::settle(app.db(), &ours.id, &told.result.verdict(), now).await?;
    if let Some(settled) = settled.filter(|settled| settled.payment.state != ours.state) {
        let (state, credited) = (settled.payment.state.as_str(), settled.credited);
        tracing::info!(payment = %ours.id.0, state, credited, "settled by the bank's word");
    }
    let given_back = Reversal {
        refunded_cents: told.refunded_cents,
        // The bank's own word for it, where it came, says more.
        dispute: dispute.or_else(|| (told.disputed && ours.dispute.is_none()).then(|| "open".to_owned())),
    };
    if given_back != Reversal::default()
        && ledger::record_reversal(app.db(), &ours.id, &given_back, now).await?
    {
        tracing::warn!(payment = %ours.id.0, ?given_back, "money went back at the bank");
    }
    Ok(())
}
