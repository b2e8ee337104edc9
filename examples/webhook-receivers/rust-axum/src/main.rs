//! Receives webhooks of Scan Service: verifies each delivery and processes each event once.
#![allow(clippy::print_stdout, reason = "the example prints the events")]

use std::{
    collections::HashSet,
    env,
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

/// Maximum difference between the time of a signature and this machine's clock, in seconds.
const TOLERANCE_SECONDS: u64 = 300;

struct Receiver {
    secret: String,
    /// Deliveries are repeated. In production, this is a table with the event id as its key.
    processed: Mutex<HashSet<String>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let secret = env::var("SCAN_WEBHOOK_SECRET")?;
    let port = env::var("PORT").map_or(Ok(3000_u16), |port| port.parse())?;
    let receiver = Arc::new(Receiver { secret, processed: Mutex::default() });
    let app = Router::new().route("/webhooks", post(receive)).with_state(receiver);
    Ok(axum::serve(tokio::net::TcpListener::bind(("127.0.0.1", port)).await?, app).await?)
}

/// `body` has the raw bytes: parsing and writing JSON again would change what is signed.
async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let signature = headers.get("scan-signature").and_then(|value| value.to_str().ok());
    if !signature.is_some_and(|signature| is_signed(&receiver.secret, signature, &body)) {
        return StatusCode::BAD_REQUEST;
    }
    let event: Value = serde_json::from_slice(&body).unwrap_or_default();
    let id = event["id"].as_str().unwrap_or_default().to_owned();
    if receiver.processed.lock().unwrap_or_else(PoisonError::into_inner).insert(id) {
        // Respond within ten seconds: hand longer work to a queue.
        println!("{} {}", event["type"], event["id"]);
    }
    StatusCode::NO_CONTENT
}

/// Returns whether a header `t=<seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` is valid and recent.
/// While a secret is being rotated, the header has several `v1`.
fn is_signed(secret: &str, header: &str, body: &[u8]) -> bool {
    let entries = || header.split(',').filter_map(|entry| entry.trim().split_once('='));
    let Some((_, time)) = entries().find(|(name, _)| *name == "t") else { return false };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    for part in [time.as_bytes(), b".", body] {
        mac.update(part);
    }
    let matches = entries().filter(|(name, _)| *name == "v1").any(|(_, candidate)| {
        // Compares in constant time.
        hex::decode(candidate).is_ok_and(|bytes| mac.clone().verify_slice(&bytes).is_ok())
    });
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    matches && time.parse::<u64>().is_ok_and(|time| now.abs_diff(time) <= TOLERANCE_SECONDS)
}
