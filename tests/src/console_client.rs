//! A client of the console, with a session cookie.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{ApiResponse, Service, api_client};

/// Calls the console's endpoints like a browser.
#[derive(Debug, Clone)]
pub struct ConsoleClient {
    http: reqwest::Client,
    base: String,
    origin: String,
    cookie: Option<String>,
}

impl ConsoleClient {
    /// Builds a client without a session.
    pub fn new(service: &Service) -> Self {
        let base = service.api_url();
        let origin = base.trim_end_matches("/v1").to_owned();
        Self { http: crate::http_client(), base, origin, cookie: None }
    }

    /// Sends a request and returns the response.
    ///
    /// # Panics
    /// Panics if there is no response.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        let mut request =
            self.http.request(method, format!("{}{path}", self.base)).header("origin", &self.origin);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", format!("scan_session={cookie}"));
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        api_client::read_response(request.send().await.expect("a response")).await
    }

    /// Sends a `GET` request.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.call(Method::GET, path, None).await
    }

    /// Sends a `POST` request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Downloads bytes.
    ///
    /// # Panics
    /// Panics if the download fails.
    pub async fn download(&self, path: &str) -> Vec<u8> {
        let cookie = format!("scan_session={}", self.cookie.as_deref().unwrap_or_default());
        let request = self.http.get(format!("{}{path}", self.base)).header("cookie", cookie);
        let response = request.send().await.expect("a response");
        assert!(response.status().is_success(), "{}", response.status());
        response.bytes().await.expect("the complete response").to_vec()
    }

    /// Opens a page by its URL and returns its HTML.
    ///
    /// # Panics
    /// Panics if the page isn't returned.
    pub async fn open(&self, url: &str) -> String {
        let response = self.http.get(url).send().await.expect("a response");
        assert!(response.status().is_success(), "{}", response.status());
        response.text().await.expect("a complete page")
    }

    /// Submits the form of a page and returns the response's HTML.
    ///
    /// # Panics
    /// Panics if the response isn't successful.
    pub async fn submit(&self, page: &str, fields: &str) -> String {
        let action = page.split('?').next().unwrap_or_default();
        let request = self.http.post(action).header("origin", &self.origin);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.body(fields.to_owned()).send().await.expect("a response");
        assert!(response.status().is_success(), "{}", response.status());
        response.text().await.expect("a complete page")
    }

    /// Signs up.
    pub async fn sign_up(&self, email: &str, password: &str) -> ApiResponse {
        self.post("/auth/sign-up", json!({ "email": email, "password": password })).await
    }

    /// Logs in. Later calls carry the session cookie of the response.
    pub async fn log_in(&mut self, email: &str, password: &str) -> ApiResponse {
        let response = self.post("/auth/log-in", json!({ "email": email, "password": password })).await;
        let set_cookie = response.headers.get("set-cookie").and_then(|value| value.to_str().ok());
        let secret = set_cookie.and_then(|text| text.strip_prefix("scan_session=")?.split(';').next());
        self.cookie = secret.map(str::to_owned);
        response
    }

    /// Returns the secret of the session, if someone is logged in.
    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }
}
