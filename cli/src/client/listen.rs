//! `scan listen --forward-to URL`: forwards the account's events to a developer's machine.
//!
//! The command reads the event stream of the API and posts each event like a webhook delivery. It
//! generates and prints the signing secret, so that receivers can be tested with signatures. Without a
//! URL it prints the events, one line of JSON each.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use std::time::Duration;

use clap::Args;
use futures::StreamExt;
use outbound::webhook::{self, SigningSecrets};
use serde_json::{Value, json};

use super::{Connection, api::Api};

/// Forward events to a URL on this machine.
#[derive(Debug, Args)]
pub struct ListenArgs {
    #[command(flatten)]
    connection: Connection,
    /// URL to post events to, for example `http://127.0.0.1:3000/webhooks`. Without it, events are
    /// printed.
    #[arg(long)]
    forward_to: Option<url::Url>,
}

/// A receiver on this machine.
struct Receiver {
    http: reqwest::Client,
    url: url::Url,
    secrets: SigningSecrets,
}

/// Runs the command until it is interrupted. Reconnects after the last event if the stream breaks.
///
/// # Errors
/// Returns an error if the API refuses the key.
pub async fn run(args: ListenArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?.patient();
    let receiver = args.forward_to.map(|url| Receiver::new(url, as_json)).transpose()?;
    let mut last: Option<String> = None;
    loop {
        let mut stream = api.events(last.as_deref()).await?.bytes_stream();
        let mut parser = SseParser::default();
        while let Some(Ok(chunk)) = stream.next().await {
            for message in parser.push(&chunk) {
                match &receiver {
                    Some(receiver) => {
                        let outcome = receiver.forward(&message).await;
                        println!("{}", line(&message.id, &outcome, as_json));
                    }
                    None => println!("{}", message.data),
                }
                last = Some(message.id);
            }
        }
        tracing::info!("the event stream ended; reconnecting");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

impl Receiver {
    /// Generates the signing secret and prints it.
    fn new(url: url::Url, as_json: bool) -> anyhow::Result<Self> {
        let secret = webhook::generate_secret();
        match as_json {
            true => println!("{}", json!({ "signing_secret": secret.reveal() })),
            false => println!("signing secret: {}", secret.reveal()),
        }
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(10))
            .no_proxy()
            .build()?;
        Ok(Self { http, url, secrets: SigningSecrets::from(secret) })
    }

    /// Posts an event. Returns the status of the response, or the failure.
    async fn forward(&self, message: &SseMessage) -> Result<u16, String> {
        let now = domain::Timestamp::now().as_seconds();
        let signature = webhook::sign(&self.secrets, now, message.data.as_bytes());
        let request = self
            .http
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("user-agent", "Scan-Webhooks/1")
            .header("scan-event-id", &message.id)
            .header("scan-signature", signature)
            .body(message.data.clone());
        let response = request.send().await.map_err(|error| error.to_string())?;
        Ok(response.status().as_u16())
    }
}

/// Returns the line that says what happened to an event.
fn line(event_id: &str, outcome: &Result<u16, String>, as_json: bool) -> String {
    if as_json {
        let (status, error) = match outcome {
            Ok(status) => (json!(status), Value::Null),
            Err(error) => (Value::Null, json!(error)),
        };
        return json!({ "event_id": event_id, "status": status, "error": error }).to_string();
    }
    match outcome {
        Ok(status) => format!("{event_id} → {status}"),
        Err(error) => format!("{event_id} → {error}"),
    }
}

/// One server-sent event.
#[derive(Debug, PartialEq, Eq)]
struct SseMessage {
    id: String,
    data: String,
}

/// Parses a byte stream into server-sent events (WHATWG HTML, 9.2.6). Supports the fields `id` and
/// `data`.
#[derive(Default)]
struct SseParser {
    buffer: Vec<u8>,
}

impl SseParser {
    fn push(&mut self, chunk: &[u8]) -> Vec<SseMessage> {
        self.buffer.extend_from_slice(chunk);
        let mut messages = Vec::new();
        while let Some(end) = self.buffer.windows(2).position(|w| w == b"\n\n") {
            let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
            let block = String::from_utf8_lossy(&block);
            let field = |name: &str| {
                let values: Vec<&str> = block
                    .lines()
                    .filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                    .map(|value| value.strip_prefix(' ').unwrap_or(value))
                    .collect();
                (!values.is_empty()).then(|| values.join("\n"))
            };
            if let (Some(id), Some(data)) = (field("id"), field("data")) {
                messages.push(SseMessage { id, data });
            }
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_programs_are_json() {
        let parsed = |outcome| serde_json::from_str::<Value>(&line("evt_1", &outcome, true)).unwrap();
        assert_eq!(parsed(Ok(204)), json!({ "event_id": "evt_1", "status": 204, "error": null }));
        assert_eq!(
            parsed(Err("away".into())),
            json!({ "event_id": "evt_1", "status": null, "error": "away" })
        );
        assert_eq!(line("evt_1", &Ok(204), false), "evt_1 → 204");
    }

    #[test]
    fn parses_events_split_at_any_byte() {
        let stream =
            b": keep-alive\n\nid: evt_1\nevent: scan.completed\ndata: {\"a\":1}\n\nid: evt_2\ndata: {}\n\n";
        for split in 0..stream.len() {
            let mut parser = SseParser::default();
            let mut messages = parser.push(&stream[..split]);
            messages.extend(parser.push(&stream[split..]));
            let ids: Vec<_> = messages.iter().map(|m| m.id.as_str()).collect();
            assert_eq!(ids, ["evt_1", "evt_2"], "split at {split}");
            assert_eq!(messages[0].data, "{\"a\":1}");
        }
    }
}
