//! Compares the first page of a long list with the thousandth.

use std::time::{Duration, Instant};

use anyhow::Context;
use domain::{AccountId, Mode, Timestamp, mode::Tenant, space::NewSpace};
use entities::{Db, Settings, spaces};
use harness::{Account, Service};
use serde::Serialize;
use serde_json::Value;

use super::{database_of, load::percentile};

/// Items per page.
const PAGE_SIZE: usize = 20;
/// Number of the page that is compared with the first.
const LAST_PAGE: usize = 1000;
/// Number of requests for each page.
const REQUESTS: usize = 200;

#[derive(Serialize)]
pub(super) struct Pages {
    pub(super) ratio: f64,
    page_1_p50_ms: f64,
    page_1000_p50_ms: f64,
}

pub(super) async fn pages(service: &Service) -> anyhow::Result<Pages> {
    let account = service.account()?;
    fill(service, &account).await?;
    let list = List { http: harness::http_client(), url: format!("{}/spaces", service.api_url()), account };

    // A cursor is a position in the list, so larger pages can lead there.
    let before = PAGE_SIZE * (LAST_PAGE - 1);
    let mut cursor = None;
    for _ in 0..before / 100 {
        cursor = Some(list.page(100, cursor.as_deref()).await?.0);
    }
    for _ in 0..before % 100 / PAGE_SIZE {
        cursor = Some(list.page(PAGE_SIZE, cursor.as_deref()).await?.0);
    }
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        first.push(list.page(PAGE_SIZE, None).await?.1);
        last.push(list.page(PAGE_SIZE, cursor.as_deref()).await?.1);
    }
    let (first, last) = (percentile(&first, 0.5), percentile(&last, 0.5));
    Ok(Pages { ratio: last / first, page_1_p50_ms: first, page_1000_p50_ms: last })
}

/// Creates one page more than needed, so that the last page has a cursor.
async fn fill(service: &Service, account: &Account) -> anyhow::Result<()> {
    let db = Db::connect(&Settings::at(format!("sqlite://{}", database_of(service).display()))).await?;
    let tenant = Tenant { account_id: account.id.parse::<AccountId>()?, mode: Mode::Test };
    let now = Timestamp::now().as_millis();
    let all: Vec<usize> = (0..PAGE_SIZE * LAST_PAGE + PAGE_SIZE).collect();
    // The service writes too, so many short transactions are better than a long one.
    for chunk in all.chunks(500) {
        let written: entities::Result<()> = db
            .write(async |txn| {
                for i in chunk {
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
    /// Requests a page. Returns the cursor of the next page, and the latency.
    async fn page(&self, limit: usize, cursor: Option<&str>) -> anyhow::Result<(String, Duration)> {
        let cursor = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
        let url = format!("{}?limit={limit}{cursor}", self.url);
        let began = Instant::now();
        let response = self.http.get(url).bearer_auth(&self.account.key).send().await?.error_for_status()?;
        let bytes = response.bytes().await?;
        let latency = began.elapsed();
        let page: Value = serde_json::from_slice(&bytes)?;
        let next = page["next_cursor"].as_str().context("the list is shorter than expected")?;
        Ok((next.to_owned(), latency))
    }
}
