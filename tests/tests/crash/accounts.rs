//! The end of an account, and the archive that its owner takes along.

use domain::{AccountId, ExportId, ExportState, Timestamp, layout};
use entities::{
    account_exports, accounts, api_keys, audit_log, erasure, ledger_transactions::TransactionKind,
    outbox::Kind, payment_methods, testing, users,
};
use tests::money::{Deed, Town};

use crate::scene::{Scene, at_every_line};

const MONEY: i64 = 1_000;

/// Someone with money, a card, a key, and a scan that waits with an upload.
async fn lived_in(town: &Town) -> Scene {
    let scene = Scene::new(town, MONEY, 0).await.with_card("pm_card_visa", 0).await;
    testing::key(&town.db, &scene.tenant, None).await;
    let scan = scene.scan().await;
    let key = format!("{}upload", layout::scan_prefix(&scan.id));
    town.store.put_bytes(&key, "image/jpeg", vec![1; 10]).await.unwrap();
    scene
}

async fn objects(scene: &Scene) -> usize {
    let mut count = 0;
    let scans = erasure::scans_after(&scene.town.db, &scene.tenant.account_id, None, 10).await.unwrap();
    for scan in &scans {
        count += scene.town.store.list(&layout::scan_prefix(scan)).await.unwrap().len();
    }
    let archives = layout::account_export_prefix(&scene.tenant.account_id);
    count + scene.town.store.list(&archives).await.unwrap().len()
}

async fn account(scene: &Scene) -> accounts::Model {
    accounts::find(&scene.town.db, &scene.tenant.account_id).await.unwrap().unwrap()
}

async fn keys(scene: &Scene) -> Vec<entities::KeyRow> {
    use entities::Reader;
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    let own = api_keys::Column::AccountId.eq(scene.tenant.account_id.as_str());
    api_keys::Entity::find().filter(own).all(scene.town.db.conn()).await.unwrap()
}

async fn begin_export(scene: &Scene) -> ExportId {
    let account = &scene.tenant.account_id;
    let begun =
        scene.town.db.write(async |txn| account_exports::begin(&txn, account, Timestamp::now()).await);
    begun.await.unwrap().id.0
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_ended() {
    let set = async |town: &Town| {
        let scene = lived_in(town).await;
        let deed = Deed::Close(scene.tenant.account_id.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let done = account(scene).await.closed_at.is_some();
        let user = users::of_account(&scene.town.db, &scene.tenant.account_id).await.unwrap().remove(0);
        assert_eq!(user.email.ends_with("@erased.invalid"), done);
        assert_eq!(keys(scene).await[0].revoked_at.is_some(), done);
        let wallet = ledger::wallet(&scene.town.db, &scene.tenant).await.unwrap();
        assert_eq!(wallet.auto_recharge.is_none(), done);
        assert_eq!(scene.promised(Kind::Erasure, scene.tenant.account_id.as_str()).await, done);
        done
    };
    at_every_line(set, check, 10).await;
}

async fn ended(town: &Town) -> Scene {
    let scene = lived_in(town).await;
    let archive = layout::account_export(&scene.tenant.account_id, &begin_export(&scene).await);
    let export = archive.rsplit('/').next().and_then(|name| name.strip_suffix(".zip")?.parse().ok());
    town.perform(&Deed::Export(export.unwrap())).await.unwrap();
    town.perform(&Deed::Close(scene.tenant.account_id.clone())).await.unwrap();
    assert_eq!(objects(&scene).await, 2, "an upload and an archive");
    scene
}

/// What is left of an account after a crash in its erasure: nothing, with nothing more to do; or its records
/// whole, and the promise that will erase them.
async fn erased(scene: &Scene, id: &AccountId) -> bool {
    let (db, row) = (&scene.town.db, account(scene).await);
    let done = row.erased_at.is_some();
    assert_eq!(scene.promised(Kind::Erasure, id.as_str()).await, !done);
    assert_eq!(row.name.is_empty(), done);
    assert_eq!(payment_methods::find(db, &scene.tenant).await.unwrap().is_none(), done);
    assert_eq!(keys(scene).await[0].name.is_empty(), done);
    let log = audit_log::list(db, id, None, 20).await.unwrap();
    assert_eq!(log.iter().any(|entry| entry.action == "account.erased"), done);
    let subject = format!("{id}:test:pm_card_visa");
    assert_eq!(scene.promised(Kind::MethodDetach, &subject).await, done, "the bank is to forget the card");
    if done {
        assert_eq!(objects(scene).await, 0);
        assert_eq!(log.len(), 1);
    }
    // The money is in the books as before.
    assert_eq!((scene.money().await, scene.count(TransactionKind::Topup).await), ((MONEY, 0), 1));
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_account_is_erased() {
    let set = async |town: &Town| {
        let scene = ended(town).await;
        let deed = Deed::Erase(scene.tenant.account_id.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| erased(scene, &scene.tenant.account_id).await;
    at_every_line(set, check, 30).await;
}

/// The archive as the database has it, and as storage has it: its bytes.
async fn archive(scene: &Scene, id: &ExportId) -> (ExportState, Option<i64>, Option<Vec<u8>>) {
    let account = &scene.tenant.account_id;
    let row = account_exports::find(&scene.town.db, account, id).await.unwrap().unwrap();
    let key = layout::account_export(account, id);
    let stored = match scene.town.store.head(&key).await.unwrap() {
        Some(_) => Some(scene.town.store.get_bytes(&key, u64::MAX).await.unwrap().to_vec()),
        None => None,
    };
    (row.state.0, row.bytes, stored)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_made() {
    let set = async |town: &Town| {
        let scene = lived_in(town).await;
        let deed = Deed::Export(begin_export(&scene).await);
        (scene, deed)
    };
    let check = async |scene: &Scene, deed: &Deed| {
        let Deed::Export(id) = deed else { panic!("{deed:?}") };
        let (state, bytes, stored) = archive(scene, id).await;
        let done = state == ExportState::Ready;
        assert_eq!(scene.promised(Kind::Export, id.as_str()).await, !done);
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
    let set = async |town: &Town| {
        let scene = lived_in(town).await;
        let export = begin_export(&scene).await;
        town.perform(&Deed::Export(export.clone())).await.unwrap();
        (scene, Deed::DropExport(export))
    };
    let check = async |scene: &Scene, deed: &Deed| {
        let Deed::DropExport(id) = deed else { panic!("{deed:?}") };
        let (state, _, stored) = archive(scene, id).await;
        let done = state == ExportState::Expired;
        assert!(stored.is_none() || !done, "nobody would delete it any more");
        done
    };
    at_every_line(set, check, 3).await;
}
