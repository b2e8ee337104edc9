//! The first page of a long list beside the thousandth.

use std::time::{Duration, Instant};

use anyhow::Context;
use domain::{AccountId, Mode, Timestamp, mode::Tenant, space::NewSpace};
use entities::{Db, Settings, spaces};
use serde::Serialize;
use serde_json::Value;
use tests::{Account, Service};

use super::{database_of, load::percentile};

/// Items of a page.
const PAGE: usize = 20;
/// The last page that is looked at.
const LAST: usize = 1000;
/// Looks at each page.
const LOOKS: usize = 200;

#[derive(Serialize)]
pub(super) struct Pages {
    pub(super) ratio: f64,
    page_1_p50_ms: f64,
    page_1000_p50_ms: f64,
}

pub(super) async fn pages(service: &Service) -> anyhow::Result<Pages> {
    let account = service.account()?;
    fill(service, &account).await?;
    let list = List { http: tests::http_client(), url: format!("{}/spaces", service.api_url()), account };

    // A cursor is a place in the list, whatever the size of the pages before it.
    let before = PAGE * (LAST - 1);
    let mut cursor = None;
    for _ in 0..before / 100 {
        cursor = Some(list.page(100, cursor.as_deref()).await?.0);
    }
    for _ in 0..before % 100 / PAGE {
        cursor = Some(list.page(PAGE, cursor.as_deref()).await?.0);
    }
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..LOOKS {
        first.push(list.page(PAGE, None).await?.1);
        last.push(list.page(PAGE, cursor.as_deref()).await?.1);
    }
    let (first, last) = (percentile(&first, 0.5), percentile(&last, 0.5));
    Ok(Pages { ratio: last / first, page_1_p50_ms: first, page_1000_p50_ms: last })
}

/// More spaces than the last page needs, so that it has a next one.
async fn fill(service: &Service, account: &Account) -> anyhow::Result<()> {
    let db = Db::connect(&Settings::at(format!("sqlite://{}", database_of(service).display()))).await?;
    let tenant = Tenant { account_id: account.id.parse::<AccountId>()?, mode: Mode::Test };
    let now = Timestamp::now().as_millis();
    let all: Vec<usize> = (0..PAGE * LAST + PAGE).collect();
    // The service writes too: many short transactions, not one long.
    for some in all.chunks(500) {
        let written: entities::Result<()> = db
            .write(async |txn| {
                for i in some {
                    let new = NewSpace {
                        name: format!("Space {i}"),
                        space_type: "other".into(),
                        external_id: None,
                        description: None,
                    };
                    let at = Timestamp::from_millis(now - *i as i64);
                    spaces::insert(&txn, &tenant, &new, at).await?;
                }
                Ok(())
            })
            .await;
        written?;
    }
    db.close().await?;
    Ok(())
}

struct List {
    http: reqwest::Client,
    url: String,
    account: Account,
}

impl List {
    /// The cursor after a page, and how long the page took.
    async fn page(&self, limit: usize, cursor: Option<&str>) -> anyhow::Result<(String, Duration)> {
        let cursor = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
        let url = format!("{}?limit={limit}{cursor}", self.url);
        let began = Instant::now();
        let answer = self.http.get(url).bearer_auth(&self.account.key).send().await?.error_for_status()?;
        let bytes = answer.bytes().await?;
        let took = began.elapsed();
        let page: Value = serde_json::from_slice(&bytes)?;
        let next = page["next_cursor"].as_str().context("the list is shorter than it was made")?;
        Ok((next.to_owned(), took))
    }
}
