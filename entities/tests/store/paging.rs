//! Tests of pagination: every row once, newest first, although rows are added meanwhile.

use std::time::Duration;

use domain::{
    Timestamp,
    page::{Page, PageRequest},
    space::NewSpace,
};
use entities::{
    Db, SpaceRow, Tenant, scans,
    spaces::{self, Filter},
    testing::{self, NOON, on_each_database, video_input},
};

async fn add(db: &Db, tenant: &Tenant, name: &str, at: Timestamp) -> SpaceRow {
    let external_id = name.starts_with('x').then(|| "listing-1".to_owned());
    let new = NewSpace { name: name.into(), space_type: name[..1].into(), external_id, description: None };
    db.write(async |txn| spaces::insert(&txn, tenant, &new, at).await).await.unwrap()
}

async fn page(db: &Db, tenant: &Tenant, limit: u32, before: Option<&Page<SpaceRow>>) -> Page<SpaceRow> {
    let request = PageRequest { limit, after: before.and_then(|page| page.next.clone()) };
    spaces::list(db, tenant, &Filter::default(), &request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_list_every_row_once_while_rows_are_added() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        // Three rows share each millisecond, so the id decides their order.
        let mut expected = Vec::new();
        for n in 0..10_u64 {
            let space = add(&db, &tenant, "a", NOON.plus(Duration::from_millis(n / 3))).await;
            expected.push((space.created_at, space.id.to_string()));
        }
        expected.sort();
        expected.reverse();

        let mut seen = Vec::new();
        let mut last: Option<Page<SpaceRow>> = None;
        loop {
            let next = page(&db, &tenant, 3, last.as_ref()).await;
            seen.extend(next.rows.iter().map(|row| (row.created_at, row.id.to_string())));
            add(&db, &tenant, "new", NOON.plus(Duration::from_secs(60))).await;
            let done = next.next.is_none();
            last = Some(next);
            if done {
                break;
            }
        }
        assert_eq!(seen, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn full_last_page_has_no_next_page() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        assert!(page(&db, &tenant, 5, None).await.rows.is_empty());
        for _ in 0..6 {
            add(&db, &tenant, "a", NOON).await;
        }
        let first = page(&db, &tenant, 3, None).await;
        let second = page(&db, &tenant, 3, Some(&first)).await;
        assert_eq!((first.rows.len(), second.rows.len()), (3, 3));
        assert!(first.next.is_some() && second.next.is_none());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_match_exactly() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        for name in ["x1", "x2", "y"] {
            add(&db, &tenant, name, NOON).await;
        }
        let names = async |external_id: Option<&str>, space_type: Option<&str>| {
            let filter =
                Filter { external_id: external_id.map(Into::into), space_type: space_type.map(Into::into) };
            let page = spaces::list(&db, &tenant, &filter, &PageRequest::default()).await.unwrap();
            let mut names: Vec<_> = page.rows.into_iter().map(|row| row.name).collect();
            names.sort();
            names
        };
        assert_eq!(names(Some("listing-1"), None).await, ["x1", "x2"]);
        assert_eq!(names(None, Some("y")).await, ["y"]);
        assert!(names(Some("listing-1"), Some("y")).await.is_empty());
        assert!(names(Some("LISTING-1"), None).await.is_empty());
        assert!(names(Some("listing"), None).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_scans_of_a_space_with_timelines() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (space, other) = (testing::space(&db, &tenant).await, testing::space(&db, &tenant).await);
        for _ in 0..5 {
            testing::scan(&db, &tenant, &space.id, video_input()).await;
        }
        testing::scan(&db, &tenant, &other.id, video_input()).await;
        let request = PageRequest { limit: 4, after: None };
        let first = scans::list_of_space(&db, &tenant, &space.id, &request).await.unwrap();
        let request = PageRequest { limit: 4, after: first.next.clone() };
        let second = scans::list_of_space(&db, &tenant, &space.id, &request).await.unwrap();
        assert_eq!((first.rows.len(), second.rows.len()), (4, 1));
        let views = scans::views(&db, &first.rows).await.unwrap();
        for (view, row) in views.iter().zip(&first.rows) {
            assert_eq!(view, &scans::view(&db, row).await.unwrap());
            assert_eq!(view.timeline.len(), 1);
        }
    })
    .await;
}
