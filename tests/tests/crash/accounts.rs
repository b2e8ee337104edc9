//! Crashes while an account is closed, erased or exported.

use domain::{AccountId, ExportId, ExportState, Timestamp, layout};
use entities::{
    account_exports, accounts, api_keys, audit_log, erasure, ledger_transactions::TransactionKind,
    outbox::Kind, payment_methods, testing, users,
};
use harness::{Operation, TestBackend};

use crate::crash_fixture::{CrashFixture, at_every_line};

const BALANCE: i64 = 1_000;

/// Creates an account with money, a card, a key, and a scan that awaits its start with an upload.
async fn account_with_data(backend: &TestBackend) -> CrashFixture {
    let fixture = CrashFixture::new(backend, BALANCE, 0).await.with_card("pm_card_visa", 0).await;
    testing::key(&backend.db, &fixture.tenant, None).await;
    let scan = fixture.create_scan().await;
    let key = format!("{}upload", layout::scan_prefix(&scan.id));
    backend.store.put_bytes(&key, "image/jpeg", vec![1; 10]).await.unwrap();
    fixture
}

async fn count_objects(fixture: &CrashFixture) -> usize {
    let mut count = 0;
    let scans =
        erasure::scans_after(&fixture.backend.db, &fixture.tenant.account_id, None, 10).await.unwrap();
    for scan in &scans {
        count += fixture.backend.store.list(&layout::scan_prefix(scan)).await.unwrap().len();
    }
    let archives = layout::account_export_prefix(&fixture.tenant.account_id);
    count + fixture.backend.store.list(&archives).await.unwrap().len()
}

async fn account(fixture: &CrashFixture) -> accounts::Model {
    accounts::find(&fixture.backend.db, &fixture.tenant.account_id).await.unwrap().unwrap()
}

async fn keys(fixture: &CrashFixture) -> Vec<entities::KeyRow> {
    use entities::Reader;
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    let own = api_keys::Column::AccountId.eq(fixture.tenant.account_id.as_str());
    api_keys::Entity::find().filter(own).all(fixture.backend.db.conn()).await.unwrap()
}

async fn begin_export(fixture: &CrashFixture) -> ExportId {
    let account = &fixture.tenant.account_id;
    let begun =
        fixture.backend.db.write(async |txn| account_exports::begin(&txn, account, Timestamp::now()).await);
    begun.await.unwrap().id.0
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_an_account_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = account_with_data(backend).await;
        let operation = Operation::Close(fixture.tenant.account_id.clone());
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        let done = account(fixture).await.closed_at.is_some();
        let user =
            users::of_account(&fixture.backend.db, &fixture.tenant.account_id).await.unwrap().remove(0);
        assert_eq!(user.email.ends_with("@erased.invalid"), done);
        assert_eq!(keys(fixture).await[0].revoked_at.is_some(), done);
        let wallet = ledger::wallet(&fixture.backend.db, &fixture.tenant).await.unwrap();
        assert_eq!(wallet.auto_recharge.is_none(), done);
        assert_eq!(fixture.has_outbox_entry(Kind::Erasure, fixture.tenant.account_id.as_str()).await, done);
        done
    };
    at_every_line(set_up, check, 10).await;
}

async fn closed_account(backend: &TestBackend) -> CrashFixture {
    let fixture = account_with_data(backend).await;
    let archive = layout::account_export(&fixture.tenant.account_id, &begin_export(&fixture).await);
    let export = archive.rsplit('/').next().and_then(|name| name.strip_suffix(".zip")?.parse().ok());
    Operation::Export(export.unwrap()).run(backend).await.unwrap();
    Operation::Close(fixture.tenant.account_id.clone()).run(backend).await.unwrap();
    assert_eq!(count_objects(&fixture).await, 2, "an upload and an archive");
    fixture
}

/// Checks an account after a crash in its erasure: either everything is erased and nothing is left
/// to do, or the records are complete with the outbox entry that will erase them.
async fn check_erasure(fixture: &CrashFixture, id: &AccountId) -> bool {
    let (db, row) = (&fixture.backend.db, account(fixture).await);
    let done = row.erased_at.is_some();
    assert_eq!(fixture.has_outbox_entry(Kind::Erasure, id.as_str()).await, !done);
    assert_eq!(row.name.is_empty(), done);
    assert_eq!(payment_methods::find(db, &fixture.tenant).await.unwrap().is_none(), done);
    assert_eq!(keys(fixture).await[0].name.is_empty(), done);
    let log = audit_log::list(db, id, None, 20).await.unwrap();
    assert_eq!(log.iter().any(|entry| entry.action == "account.erased"), done);
    let subject = format!("{id}:test:pm_card_visa");
    assert_eq!(
        fixture.has_outbox_entry(Kind::MethodDetach, &subject).await,
        done,
        "the card is detached at the bank"
    );
    if done {
        assert_eq!(count_objects(fixture).await, 0);
        assert_eq!(log.len(), 1);
    }
    // The ledger still has the transactions.
    assert_eq!(
        (fixture.balance().await, fixture.count_transactions(TransactionKind::Topup).await),
        ((BALANCE, 0), 1)
    );
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn erasing_an_account_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = closed_account(backend).await;
        let operation = Operation::Erase(fixture.tenant.account_id.clone());
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, _: &Operation| {
        check_erasure(fixture, &fixture.tenant.account_id).await
    };
    at_every_line(set_up, check, 30).await;
}

/// Returns the state and size of an archive in the database, and its bytes in storage.
async fn archive(fixture: &CrashFixture, id: &ExportId) -> (ExportState, Option<i64>, Option<Vec<u8>>) {
    let account = &fixture.tenant.account_id;
    let row = account_exports::find(&fixture.backend.db, account, id).await.unwrap().unwrap();
    let key = layout::account_export(account, id);
    let stored = match fixture.backend.store.head(&key).await.unwrap() {
        Some(_) => Some(fixture.backend.store.get_bytes(&key, u64::MAX).await.unwrap().to_vec()),
        None => None,
    };
    (row.state.0, row.bytes, stored)
}

#[tokio::test(flavor = "multi_thread")]
async fn exporting_an_account_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = account_with_data(backend).await;
        let operation = Operation::Export(begin_export(&fixture).await);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::Export(id) = operation else { panic!("{operation:?}") };
        let (state, bytes, stored) = archive(fixture, id).await;
        let done = state == ExportState::Ready;
        assert_eq!(fixture.has_outbox_entry(Kind::Export, id.as_str()).await, !done);
        if done {
            let stored = stored.expect("the archive");
            assert_eq!(bytes, i64::try_from(stored.len()).ok());
            let mut zip = zip::ZipArchive::new(std::io::Cursor::new(stored)).unwrap();
            assert!(zip.by_name("ledger_transactions.json").is_ok() && zip.by_name("users.json").is_ok());
            assert!(zip.file_names().flatten().any(|name| name.ends_with("/upload")));
        }
        done
    };
    at_every_line(set_up, check, 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_an_export_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = account_with_data(backend).await;
        let export = begin_export(&fixture).await;
        Operation::Export(export.clone()).run(backend).await.unwrap();
        (fixture, Operation::DropExport(export))
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::DropExport(id) = operation else { panic!("{operation:?}") };
        let (state, _, stored) = archive(fixture, id).await;
        let done = state == ExportState::Expired;
        assert!(stored.is_none() || !done, "an archive without a row would never be deleted");
        done
    };
    at_every_line(set_up, check, 3).await;
}
