//! A person in the console: a cookie, and calls from the service's own pages.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{ApiResponse, Service, api_client};

/// A browser, as far as the API sees.
#[derive(Debug, Clone)]
pub struct ConsoleClient {
    http: reqwest::Client,
    base: String,
    origin: String,
    cookie: Option<String>,
}

impl ConsoleClient {
    /// Nobody is logged in yet.
    pub fn new(service: &Service) -> Self {
        let base = service.api_url();
        let origin = base.trim_end_matches("/v1").to_owned();
        Self { http: crate::http_client(), base, origin, cookie: None }
    }

    /// Any call.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> ApiResponse {
        let mut request =
            self.http.request(method, format!("{}{path}", self.base)).header("origin", &self.origin);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", format!("scan_session={cookie}"));
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        api_client::read_response(request.send().await.expect("an answer")).await
    }

    /// `GET`.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.call(Method::GET, path, None).await
    }

    /// `POST` with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.call(Method::POST, path, Some(body)).await
    }

    /// `GET` of bytes.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn download(&self, path: &str) -> Vec<u8> {
        let cookie = format!("scan_session={}", self.cookie.as_deref().unwrap_or_default());
        let request = self.http.get(format!("{}{path}", self.base)).header("cookie", cookie);
        let response = request.send().await.expect("an answer");
        assert!(response.status().is_success(), "{}", response.status());
        response.bytes().await.expect("a whole answer").to_vec()
    }

    /// A page, by its address.
    ///
    /// # Panics
    /// When it does not come.
    pub async fn open(&self, url: &str) -> String {
        let response = self.http.get(url).send().await.expect("an answer");
        assert!(response.status().is_success(), "{}", response.status());
        response.text().await.expect("a whole page")
    }

    /// What the form of a page answers.
    ///
    /// # Panics
    /// When nothing, or a refusal, comes.
    pub async fn submit(&self, page: &str, fields: &str) -> String {
        let action = page.split('?').next().unwrap_or_default();
        let request = self.http.post(action).header("origin", &self.origin);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.body(fields.to_owned()).send().await.expect("an answer");
        assert!(response.status().is_success(), "{}", response.status());
        response.text().await.expect("a whole page")
    }

    /// Signs up.
    pub async fn sign_up(&self, email: &str, password: &str) -> ApiResponse {
        self.post("/auth/sign-up", json!({ "email": email, "password": password })).await
    }

    /// Logs in; the cookie of the answer goes with the calls that follow.
    pub async fn log_in(&mut self, email: &str, password: &str) -> ApiResponse {
        let answer = self.post("/auth/log-in", json!({ "email": email, "password": password })).await;
        let given = answer.headers.get("set-cookie").and_then(|value| value.to_str().ok());
        let secret = given.and_then(|text| text.strip_prefix("scan_session=")?.split(';').next());
        self.cookie = secret.map(str::to_owned);
        answer
    }

    /// The secret of the session, while someone is logged in.
    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }
}
