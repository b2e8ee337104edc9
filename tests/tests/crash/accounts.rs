//! The end of an account, and the archive that its owner takes along.

use domain::{AccountId, ExportId, ExportState, Timestamp, layout};
use entities::{
    account_exports, accounts, api_keys, audit_log, erasure, ledger_transactions::TransactionKind,
    outbox::Kind, payment_methods, testing, users,
};
use harness::{Operation, TestBackend};

use crate::crash_fixture::{CrashFixture, at_every_line};

const MONEY: i64 = 1_000;

/// Someone with money, a card, a key, and a scan that waits with an upload.
async fn lived_in(backend: &TestBackend) -> CrashFixture {
    let fixture = CrashFixture::new(backend, MONEY, 0).await.with_card("pm_card_visa", 0).await;
    testing::key(&backend.db, &fixture.tenant, None).await;
    let scan = fixture.scan().await;
    let key = format!("{}upload", layout::scan_prefix(&scan.id));
    backend.store.put_bytes(&key, "image/jpeg", vec![1; 10]).await.unwrap();
    fixture
}

async fn objects(fixture: &CrashFixture) -> usize {
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
async fn an_account_is_ended() {
    let set = async |backend: &TestBackend| {
        let fixture = lived_in(backend).await;
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
        assert_eq!(fixture.promised(Kind::Erasure, fixture.tenant.account_id.as_str()).await, done);
        done
    };
    at_every_line(set, check, 10).await;
}

async fn ended(backend: &TestBackend) -> CrashFixture {
    let fixture = lived_in(backend).await;
    let archive = layout::account_export(&fixture.tenant.account_id, &begin_export(&fixture).await);
    let export = archive.rsplit('/').next().and_then(|name| name.strip_suffix(".zip")?.parse().ok());
    Operation::Export(export.unwrap()).run(backend).await.unwrap();
    Operation::Close(fixture.tenant.account_id.clone()).run(backend).await.unwrap();
    assert_eq!(objects(&fixture).await, 2, "an upload and an archive");
    fixture
}

/// What is left of an account after a crash in its erasure: nothing, with nothing more to do; or its records
/// whole, and the promise that will erase them.
async fn erased(fixture: &CrashFixture, id: &AccountId) -> bool {
    let (db, row) = (&fixture.backend.db, account(fixture).await);
    let done = row.erased_at.is_some();
    assert_eq!(fixture.promised(Kind::Erasure, id.as_str()).await, !done);
    assert_eq!(row.name.is_empty(), done);
    assert_eq!(payment_methods::find(db, &fixture.tenant).await.unwrap().is_none(), done);
    assert_eq!(keys(fixture).await[0].name.is_empty(), done);
    let log = audit_log::list(db, id, None, 20).await.unwrap();
    assert_eq!(log.iter().any(|entry| entry.action == "account.erased"), done);
    let subject = format!("{id}:test:pm_card_visa");
    assert_eq!(fixture.promised(Kind::MethodDetach, &subject).await, done, "the bank is to forget the card");
    if done {
        assert_eq!(objects(fixture).await, 0);
        assert_eq!(log.len(), 1);
    }
    // The money is in the books as before.
    assert_eq!((fixture.money().await, fixture.count(TransactionKind::Topup).await), ((MONEY, 0), 1));
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_account_is_erased() {
    let set = async |backend: &TestBackend| {
        let fixture = ended(backend).await;
        let operation = Operation::Erase(fixture.tenant.account_id.clone());
        (fixture, operation)
    };
    let check =
        async |fixture: &CrashFixture, _: &Operation| erased(fixture, &fixture.tenant.account_id).await;
    at_every_line(set, check, 30).await;
}

/// The archive as the database has it, and as storage has it: its bytes.
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
async fn an_archive_is_made() {
    let set = async |backend: &TestBackend| {
        let fixture = lived_in(backend).await;
        let operation = Operation::Export(begin_export(&fixture).await);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::Export(id) = operation else { panic!("{operation:?}") };
        let (state, bytes, stored) = archive(fixture, id).await;
        let done = state == ExportState::Ready;
        assert_eq!(fixture.promised(Kind::Export, id.as_str()).await, !done);
        if done {
            let stored = stored.expect("the archive");
            assert_eq!(bytes, i64::try_from(stored.len()).ok());
            let mut zip = zip::ZipArchive::new(std::io::Cursor::new(stored)).unwrap();
            assert!(zip.by_name("ledger_transactions.json").is_ok() && zip.by_name("users.json").is_ok());
            assert!(zip.file_names().flatten().any(|name| name.ends_with("/upload")));
        }
        done
    };
    at_every_line(set, check, 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_deleted() {
    let set = async |backend: &TestBackend| {
        let fixture = lived_in(backend).await;
        let export = begin_export(&fixture).await;
        Operation::Export(export.clone()).run(backend).await.unwrap();
        (fixture, Operation::DropExport(export))
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::DropExport(id) = operation else { panic!("{operation:?}") };
        let (state, _, stored) = archive(fixture, id).await;
        let done = state == ExportState::Expired;
        assert!(stored.is_none() || !done, "nobody would delete it any more");
        done
    };
    at_every_line(set, check, 3).await;
}
