//! Sends requests to Stripe.

use std::time::Duration;

use domain::Secret;
use reqwest::{Method, RequestBuilder, Response, header, redirect};
use url::{Url, form_urlencoded};

use super::{
    super::{PaymentError, PaymentSettingsError, StripeSettings},
    response::ApiResponse,
};
use crate::dial::tls;

/// Version of Stripe's API that this client uses. Independent of the account's default version.
const API_VERSION: &str = "2024-06-20";
/// Maximum size of a response. A page of a hundred payments with charges is much smaller.
const MAX_RESPONSE_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct Http {
    client: reqwest::Client,
    base: Url,
    key: Secret,
}

impl Http {
    pub(super) fn new(settings: &StripeSettings) -> Result<Self, PaymentSettingsError> {
        let unusable = |error: String| PaymentSettingsError::Client(error);
        let tls = tls::client_config(None).map_err(|error| unusable(error.to_string()))?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(Duration::from_secs(settings.timeout_seconds))
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { client, base: settings.base()?, key: settings.secret_key.clone() })
    }

    pub(super) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<ApiResponse, PaymentError> {
        let mut url = self.url(path)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.send(self.client.request(Method::GET, url)).await
    }

    pub(super) async fn post(
        &self,
        path: &str,
        form: &[(&str, &str)],
        idempotency_key: Option<&str>,
    ) -> Result<ApiResponse, PaymentError> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let mut request = self
            .client
            .request(Method::POST, self.url(path)?)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        if let Some(key) = idempotency_key {
            request = request.header("idempotency-key", key);
        }
        self.send(request).await
    }

    fn url(&self, path: &str) -> Result<Url, PaymentError> {
        self.base.join(path).map_err(|_| PaymentError::Invalid("invalid path".into()))
    }

    async fn send(&self, request: RequestBuilder) -> Result<ApiResponse, PaymentError> {
        let request = request.bearer_auth(self.key.reveal()).header("stripe-version", API_VERSION);
        let response = request.send().await.map_err(request_error)?;
        let status = response.status().as_u16();
        Ok(ApiResponse { status, body: read_body(response).await? })
    }
}

async fn read_body(mut response: Response) -> Result<Vec<u8>, PaymentError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(request_error)? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(PaymentError::Unknown("the response is too long".into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Converts an error of the HTTP client. Only requests that were never sent certainly had no
/// effect.
fn request_error(error: reqwest::Error) -> PaymentError {
    let error = error.without_url();
    if error.is_builder() {
        PaymentError::Invalid(error.to_string())
    } else if error.is_timeout() {
        PaymentError::Unknown("no response in time".into())
    } else if error.is_connect() {
        PaymentError::Busy("no connection".into())
    } else {
        PaymentError::Unknown(error.to_string())
    }
}
