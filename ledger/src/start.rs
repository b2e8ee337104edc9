//! Starting a scan: verified, charged and queued in one transaction.

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
    scans, spaces, uploads,
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
    /// The key that asks, whose cap counts; `None` for the console, which has none.
    pub key_id: Option<KeyId>,
    /// When.
    pub now: Timestamp,
    /// What scans cost.
    pub prices: Prices,
    /// Most scans of the account and mode that may be queued or processing at once.
    pub max_in_progress: u32,
}

/// Starts a scan: checks that it can be, takes a free scan or its price, queues it, and promises that its
/// workflow will hear of it. All of it or nothing; once, however often it is asked.
///
/// A free scan is used before money. It spends nothing, so a key's cap does not stop it.
///
/// # Errors
/// Of the database.
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
    let space_is_there = spaces::system::hold(txn, &found.space_id).await?;
    let scan = scans::system::lock(txn, &request.scan_id)
        .await?
        .ok_or_else(|| Error::corrupt(format!("{} vanished", request.scan_id)))?;
    if let Some(settled) = settled(&scan, space_is_there, request.now)? {
        return Ok(settled);
    }
    if let Some(refusal) = not_ready(txn, &scan, request).await? {
        return Ok(refusal);
    }
    match payment(txn, &scan, &wallet, request).await? {
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

/// The answer when it no longer matters what the scan would cost.
fn settled(scan: &ScanRow, space_is_there: bool, now: Timestamp) -> Result<Option<StartOutcome>> {
    Ok(match scan.status.0 {
        ScanStatus::Cancelled => Some(StartOutcome::Cancelled),
        ScanStatus::AwaitingUpload if !scan.is_open(now) || !space_is_there => Some(StartOutcome::Cancelled),
        ScanStatus::AwaitingUpload => None,
        _ => {
            let charge =
                scan.charge().ok_or_else(|| Error::corrupt(format!("{} runs uncharged", scan.id.0)))?;
            Some(StartOutcome::AlreadyStarted { charge })
        }
    })
}

/// The answer when the scan cannot run yet.
async fn not_ready(txn: &WriteTxn, scan: &ScanRow, request: &StartRequest) -> Result<Option<StartOutcome>> {
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

/// How the scan is paid, or why it cannot be.
async fn payment(
    txn: &WriteTxn,
    scan: &ScanRow,
    wallet: &WalletRow,
    request: &StartRequest,
) -> Result<Result<Charge, StartOutcome>> {
    if wallet.free_scans > 0 {
        return Ok(Ok(Charge { kind: ChargeKind::FreeScan, price_cents: 0, refunded: false }));
    }
    let price_cents = request.prices.of(scan.input.kind);
    if cap_stops(txn, &scan.tenant(), price_cents, request).await? {
        return Ok(Err(StartOutcome::SpendingCapReached));
    }
    let balance_cents = wallet.balance_cents;
    if balance_cents < price_cents {
        return Ok(Err(StartOutcome::InsufficientFunds { balance_cents, price_cents }));
    }
    Ok(Ok(Charge { kind: ChargeKind::ScanCharge, price_cents, refunded: false }))
}

/// Whether the price would take the key over its cap for this month. The wallet's lock keeps two scans of
/// one key from passing side by side.
async fn cap_stops(
    txn: &WriteTxn,
    tenant: &Tenant,
    price_cents: Cents,
    request: &StartRequest,
) -> Result<bool> {
    let Some(key_id) = &request.key_id else { return Ok(false) };
    let key = api_keys::find(txn, tenant, key_id)
        .await?
        .ok_or_else(|| Error::corrupt(format!("{key_id} is no key of {}", tenant.account_id)))?;
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
        return Err(Error::corrupt(format!("{} awaits its upload and was charged", scan.id.0)));
    }
    scans::queue(txn, scan, charge, request.now).await?;
    outbox::enqueue_after_grace(txn, Kind::ScanStart, scan.id.as_str(), request.now).await?;
    Ok(())
}
