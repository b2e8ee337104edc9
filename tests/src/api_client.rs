//! A caller of the API that sees everything: status, headers, body.

use std::time::Duration;

use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::{Value, json};

use crate::{clips::Clip, wait};

/// Calls with one key.
#[derive(Debug, Clone)]
pub struct ApiClient {
    http: reqwest::Client,
    base: String,
    key: String,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; `null` when it is none or no JSON.
    pub body: Value,
}

impl ApiResponse {
    /// The error code of the envelope.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// A string of the body.
    ///
    /// # Panics
    /// When there is none of that name.
    pub fn text(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_else(|| panic!("no {field} in {}", self.body)).to_owned()
    }

    /// The answer, which must have this status.
    ///
    /// # Panics
    /// When it has another.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }
}

impl ApiClient {
    /// A caller of the API at `base` (with its version).
    pub fn new(base: String, key: String) -> Self {
        Self { http: crate::http_client(), base, key }
    }

    /// Any call.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        read_response(request.send().await.expect("an answer")).await
    }

    /// `GET`.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.call(Method::GET, path, None).await
    }

    /// `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.call(Method::POST, path, Some(body)).await
    }

    /// `DELETE`.
    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.call(Method::DELETE, path, None).await
    }

    /// `PUT` of raw bytes to a full address, with the key.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn put(&self, url: &str, content_type: &str, bytes: Vec<u8>) -> ApiResponse {
        let request =
            self.http.put(url).bearer_auth(&self.key).header("content-type", content_type).body(bytes);
        read_response(request.send().await.expect("an answer")).await
    }

    /// A new space's id.
    pub async fn space(&self) -> String {
        let body = json!({ "name": "A space", "space_type": "apartment" });
        self.post("/spaces", body).await.expect(201).text("id")
    }

    /// A new video scan of a new space, with its video uploaded; answers the scan as created.
    pub async fn uploaded(&self, clip: &Clip) -> Value {
        let scan = self.created(clip).await;
        self.upload(&scan, clip).await.expect(204);
        scan
    }

    /// A new video scan of a new space; nothing is uploaded.
    pub async fn created(&self, clip: &Clip) -> Value {
        let space = self.space().await;
        self.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body
    }

    /// Uploads a clip for a scan.
    pub async fn upload(&self, scan: &Value, clip: &Clip) -> ApiResponse {
        let url = scan["upload"]["url"].as_str().expect("an upload address").to_owned();
        self.put(&url, clip.content_type, clip.bytes.clone()).await
    }

    /// Starts a scan.
    pub async fn start(&self, scan: &Value) -> ApiResponse {
        self.post(&format!("/scans/{}/start", id(scan)), json!({})).await
    }

    /// A scan as it is now.
    pub async fn scan(&self, scan: &Value) -> Value {
        self.get(&format!("/scans/{}", id(scan))).await.expect(200).body
    }

    /// Waits until a scan has this status.
    ///
    /// # Panics
    /// When it ends in another, or `limit` is over.
    pub async fn await_status(&self, scan: &Value, status: &str, limit: Duration) -> Value {
        let what = format!("scan {} to be {status}", id(scan));
        wait::until(&what, limit, async || {
            let now = self.scan(scan).await;
            let is = now["status"].as_str().unwrap_or_default().to_owned();
            if is == status {
                return Some(now);
            }
            assert!(!["complete", "failed", "cancelled"].contains(&is.as_str()), "it is {is}: {now}");
            None
        })
        .await
    }

    /// Waits until no automatic top-up is under way, and answers the wallet.
    ///
    /// # Panics
    /// When `limit` is over.
    pub async fn await_top_up(&self, limit: Duration) -> Value {
        wait::until("the top-up to end", limit, async || {
            let wallet = self.get("/wallet").await.expect(200).body;
            (wallet["auto_recharge"]["in_progress"] == false).then_some(wallet)
        })
        .await
    }
}

/// The id of a scan.
///
/// # Panics
/// When there is none.
pub fn id(scan: &Value) -> &str {
    scan["id"].as_str().expect("an id")
}

pub(crate) async fn read_response(response: reqwest::Response) -> ApiResponse {
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = response.bytes().await.unwrap_or_default();
    ApiResponse { status, headers, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}
