//! A client of the API that returns status, headers and body.

use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{clips::Clip, wait};

/// Calls the API with a key.
#[derive(Debug, Clone)]
pub struct ApiClient {
    http: reqwest::Client,
    base: String,
    key: String,
}

/// A response.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body; `null` if it is empty or not JSON.
    pub body: Value,
}

/// An upload whose second half has not been sent yet.
#[derive(Debug)]
pub struct HalfUpload {
    proceed: oneshot::Sender<()>,
    response: JoinHandle<ApiResponse>,
}

impl HalfUpload {
    /// Sends the second half, and returns the response.
    ///
    /// # Panics
    /// Panics if there is no response.
    pub async fn finish(self) -> ApiResponse {
        // The server may have responded already.
        let _ = self.proceed.send(());
        self.response.await.expect("a response")
    }
}

impl ApiResponse {
    /// Returns the error code of the error envelope.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// Returns a string field of the body.
    ///
    /// # Panics
    /// Panics if the field is missing.
    pub fn text(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_else(|| panic!("no {field} in {}", self.body)).to_owned()
    }

    /// Asserts the status and returns the response.
    ///
    /// # Panics
    /// Panics if the status differs.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }
}

impl ApiClient {
    /// Builds a client of the API at `base` (including the version).
    pub fn new(base: String, key: String) -> Self {
        Self { http: crate::http_client(), base, key }
    }

    /// Sends a request and returns the response.
    ///
    /// # Panics
    /// Panics if there is no response.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        read_response(request.send().await.expect("a response")).await
    }

    /// Sends a `GET` request.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.call(Method::GET, path, None).await
    }

    /// Sends a `POST` request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Sends a `DELETE` request.
    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.call(Method::DELETE, path, None).await
    }

    /// Sends raw bytes with `PUT` to a full URL, with the key.
    ///
    /// # Panics
    /// Panics if there is no response.
    pub async fn put(&self, url: &str, content_type: &str, bytes: Vec<u8>) -> ApiResponse {
        let request =
            self.http.put(url).bearer_auth(&self.key).header("content-type", content_type).body(bytes);
        read_response(request.send().await.expect("a response")).await
    }

    /// Creates a space and returns its id.
    pub async fn create_space(&self) -> String {
        let body = json!({ "name": "A space", "space_type": "apartment" });
        self.post("/spaces", body).await.expect(201).text("id")
    }

    /// Creates a space with a video scan, uploads the video, and returns the created scan.
    pub async fn create_uploaded_scan(&self, clip: &Clip) -> Value {
        let scan = self.create_scan(clip).await;
        self.upload(&scan, clip).await.expect(204);
        scan
    }

    /// Creates a space with a video scan without uploading anything.
    pub async fn create_scan(&self, clip: &Clip) -> Value {
        let space = self.create_space().await;
        self.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body
    }

    /// Uploads a clip for a scan.
    pub async fn upload(&self, scan: &Value, clip: &Clip) -> ApiResponse {
        let url = scan["upload"]["url"].as_str().expect("an upload URL").to_owned();
        self.put(&url, clip.content_type, clip.bytes.clone()).await
    }

    /// Uploads the first half of a clip for a scan.
    ///
    /// # Panics
    /// Panics if the scan has no upload URL.
    pub fn begin_upload(&self, scan: &Value, clip: &Clip) -> HalfUpload {
        let url = scan["upload"]["url"].as_str().expect("an upload URL");
        let bytes = Bytes::from(clip.bytes.clone());
        let (first, second) = (bytes.slice(..bytes.len() / 2), bytes.slice(bytes.len() / 2..));
        let (proceed, proceeding) = oneshot::channel();
        let second = async move {
            // The sender is dropped only if the test has ended.
            let _ = proceeding.await;
            Ok::<_, std::io::Error>(second)
        };
        let halves = stream::StreamExt::chain(stream::iter([Ok(first)]), stream::once(second));
        let request = self
            .http
            .put(url)
            .bearer_auth(&self.key)
            .header("content-type", clip.content_type)
            .header("content-length", bytes.len())
            .body(reqwest::Body::wrap_stream(halves));
        let response =
            tokio::spawn(async move { read_response(request.send().await.expect("a response")).await });
        HalfUpload { proceed, response }
    }

    /// Starts a scan.
    pub async fn start(&self, scan: &Value) -> ApiResponse {
        self.post(&format!("/scans/{}/start", id(scan)), json!({})).await
    }

    /// Reads a scan.
    pub async fn scan(&self, scan: &Value) -> Value {
        self.get(&format!("/scans/{}", id(scan))).await.expect(200).body
    }

    /// Waits until a scan has this status.
    ///
    /// # Panics
    /// Panics if the scan ends with another status, or `limit` expires.
    pub async fn await_status(&self, scan: &Value, status: &str, limit: Duration) -> Value {
        let condition = format!("scan {} to be {status}", id(scan));
        wait::until(&condition, limit, async || {
            let current = self.scan(scan).await;
            let current_status = current["status"].as_str().unwrap_or_default().to_owned();
            if current_status == status {
                return Some(current);
            }
            assert!(
                !["complete", "failed", "cancelled"].contains(&current_status.as_str()),
                "the scan is {current_status}: {current}"
            );
            None
        })
        .await
    }

    /// Waits until no automatic top-up is in progress and returns the wallet.
    ///
    /// # Panics
    /// Panics if `limit` expires.
    pub async fn await_top_up(&self, limit: Duration) -> Value {
        wait::until("the top-up to end", limit, async || {
            let wallet = self.get("/wallet").await.expect(200).body;
            (wallet["auto_recharge"]["in_progress"] == false).then_some(wallet)
        })
        .await
    }
}

/// Returns the id of a scan.
///
/// # Panics
/// Panics if there is none.
pub fn id(scan: &Value) -> &str {
    scan["id"].as_str().expect("an id")
}

pub(crate) async fn read_response(response: reqwest::Response) -> ApiResponse {
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = response.bytes().await.unwrap_or_default();
    ApiResponse { status, headers, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}
