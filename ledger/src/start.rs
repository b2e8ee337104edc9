//! Starts a scan: verifies, charges and queues it in one transaction.

use domain::{
    KeyId, ScanId, ScanStatus, Timestamp,
    mode::Tenant,
    money::{Cents, Charge, ChargeKind, Prices},
    scan::StartOutcome,
};
use entities::{
    Db, ScanRow, WalletRow, WriteTxn, api_keys,
    ledger_transactions::{self, TransactionKind},
    outbox::{self, Kind},
    scans, spaces, uploads, users,
};

use crate::{
    Error, Result, names,
    posting::{Posting, post},
    recharge, wallet,
};

/// A request to start a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartRequest {
    /// The scan.
    pub scan_id: ScanId,
    /// The API key of the request, whose cap applies; `None` for the console, which has no cap.
    pub key_id: Option<KeyId>,
    /// Time of the request.
    pub now: Timestamp,
    /// Prices of scans.
    pub prices: Prices,
    /// Maximum number of queued or processing scans of an account and mode.
    pub max_in_progress: u32,
}

/// Starts a scan: checks that it can start, charges a free scan or its price, queues it, and
/// enqueues the update to its workflow. Atomic and idempotent.
///
/// Free scans are used before money; in live mode, only once an e-mail address was confirmed. They cost nothing, so a key's cap does not apply.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn start_scan(db: &Db, request: &StartRequest) -> Result<StartOutcome> {
    let request = request.clone();
    db.write(async |txn| start(&txn, &request).await).await
}

async fn start(txn: &WriteTxn, request: &StartRequest) -> Result<StartOutcome> {
    let Some(found) = scans::system::find(txn, &request.scan_id).await? else {
        return Ok(StartOutcome::NotFound);
    };
    let tenant = found.tenant();
    let wallet = wallet::lock(txn, &tenant).await?;
    let space_exists = spaces::system::lock_shared(txn, &found.space_id).await?;
    let scan = scans::system::lock(txn, &request.scan_id)
        .await?
        .ok_or_else(|| Error::corrupt(format!("scan {} does not exist", request.scan_id)))?;
    if let Some(outcome) = outcome_without_start(&scan, space_exists, request.now)? {
        return Ok(outcome);
    }
    if let Some(refusal) = refusal_if_not_ready(txn, &scan, request).await? {
        return Ok(refusal);
    }
    match determine_charge(txn, &scan, &wallet, request).await? {
        Ok(charge) => {
            record(txn, &scan, &charge, request).await?;
            recharge::begin_below_threshold(txn, &wallet, charge.price_cents, request.now).await?;
            Ok(StartOutcome::Started { charge })
        }
        Err(refusal) => {
            if let StartOutcome::InsufficientFunds { balance_cents, price_cents } = refusal {
                recharge::begin(txn, &wallet, price_cents - balance_cents, request.now).await?;
            }
            Ok(refusal)
        }
    }
}

/// Returns the outcome for a scan that is already started, cancelled or expired.
fn outcome_without_start(scan: &ScanRow, space_exists: bool, now: Timestamp) -> Result<Option<StartOutcome>> {
    Ok(match scan.status.0 {
        ScanStatus::Cancelled => Some(StartOutcome::Cancelled),
        ScanStatus::AwaitingUpload if !scan.is_open(now) || !space_exists => Some(StartOutcome::Cancelled),
        ScanStatus::AwaitingUpload => None,
        _ => {
            let charge = scan
                .charge()
                .ok_or_else(|| Error::corrupt(format!("scan {} was started without a charge", scan.id.0)))?;
            Some(StartOutcome::AlreadyStarted { charge })
        }
    })
}

/// Returns the refusal of a scan that cannot start yet.
async fn refusal_if_not_ready(
    txn: &WriteTxn,
    scan: &ScanRow,
    request: &StartRequest,
) -> Result<Option<StartOutcome>> {
    let uploads = uploads::system::list(txn, &scan.id).await?;
    let missing = uploads::missing(&scan.input, &uploads).len();
    if missing > 0 {
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        return Ok(Some(StartOutcome::UploadIncomplete { missing }));
    }
    let in_progress = scans::count_in_progress(txn, &scan.tenant()).await?;
    if in_progress >= request.max_in_progress {
        return Ok(Some(StartOutcome::ScansInProgress { limit: request.max_in_progress }));
    }
    Ok(None)
}

/// Returns the charge of the scan, or the refusal.
async fn determine_charge(
    txn: &WriteTxn,
    scan: &ScanRow,
    wallet: &WalletRow,
    request: &StartRequest,
) -> Result<Result<Charge, StartOutcome>> {
    if wallet.free_scans > 0 && users::is_cleared_for(txn, &scan.tenant()).await? {
        return Ok(Ok(Charge { kind: ChargeKind::FreeScan, price_cents: 0, refunded: false }));
    }
    let price_cents = request.prices.of(scan.input.kind);
    if exceeds_cap(txn, &scan.tenant(), price_cents, request).await? {
        return Ok(Err(StartOutcome::SpendingCapReached));
    }
    let balance_cents = wallet.balance_cents;
    if balance_cents < price_cents {
        return Ok(Err(StartOutcome::InsufficientFunds { balance_cents, price_cents }));
    }
    Ok(Ok(Charge { kind: ChargeKind::ScanCharge, price_cents, refunded: false }))
}

/// Returns whether the price would exceed the key's cap of this month. The lock on the wallet
/// prevents concurrent scans of one key from exceeding it together.
async fn exceeds_cap(
    txn: &WriteTxn,
    tenant: &Tenant,
    price_cents: Cents,
    request: &StartRequest,
) -> Result<bool> {
    let Some(key_id) = &request.key_id else { return Ok(false) };
    let key = api_keys::find(txn, tenant, key_id)
        .await?
        .ok_or_else(|| Error::corrupt(format!("{key_id} is not a key of account {}", tenant.account_id)))?;
    let Some(cap) = key.monthly_cap_cents else { return Ok(false) };
    let spent = ledger_transactions::spent_by_key(txn, tenant, key_id, &request.now.month()).await?;
    Ok(spent.saturating_add(price_cents) > cap)
}

async fn record(txn: &WriteTxn, scan: &ScanRow, charge: &Charge, request: &StartRequest) -> Result<()> {
    let tenant = scan.tenant();
    let mut posting = Posting::new(&tenant, TransactionKind::Charge, request.now);
    posting = match charge.kind {
        ChargeKind::FreeScan => posting.free_scans(names::free(&tenant), names::free_used(&tenant), 1),
        ChargeKind::ScanCharge => {
            posting.cents(names::wallet(&tenant), names::revenue(&tenant), charge.price_cents)
        }
    };
    posting.scan_id = Some(scan.id.0.clone());
    posting.key_id = request.key_id.clone();
    if !post(txn, &posting).await? {
        return Err(Error::corrupt(format!("scan {} awaits its upload and was already charged", scan.id.0)));
    }
    scans::queue(txn, scan, charge, request.now).await?;
    outbox::enqueue_after_grace(txn, Kind::ScanStart, scan.id.as_str(), request.now).await?;
    Ok(())
}
