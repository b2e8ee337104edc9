//! The API over the network.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};

use crate::api::{Transport, Unreachable};

/// Maximum time of a request. A question or a comparison takes seconds at most.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Carries requests to the API over the network.
#[derive(Debug)]
pub struct Remote {
    http: reqwest::Client,
    base: String,
}

impl Remote {
    /// Creates a transport to the API at this URL (with its version).
    ///
    /// # Errors
    /// Returns an error if the HTTP client cannot be created.
    pub fn new(base: &str) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("scan-mcp/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(10))
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, base: base.trim_end_matches('/').to_owned() })
    }
}

#[async_trait]
impl Transport for Remote {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unreachable> {
        let request = reqwest::Request::try_from(request).map_err(|_| Unreachable)?;
        let response = self.http.execute(request).await.map_err(|_| Unreachable)?;
        let status = response.status();
        let mut carried = Response::new(response.bytes().await.map_err(|_| Unreachable)?);
        *carried.status_mut() = status;
        Ok(carried)
    }

    fn base(&self) -> &str {
        &self.base
    }
}
