//! `scan listen --forward-to URL`: forwards the account's events to a developer's machine.
//!
//! The command reads the event stream of the API and posts each event like a webhook delivery. It
//! generates and prints the signing secret, so that receivers can be tested with signatures.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use std::time::Duration;

use clap::Args;
use futures::StreamExt;
use outbound::webhook::{self, SigningSecrets};

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

/// Runs the command until it is interrupted. Reconnects after the last event if the stream breaks.
///
/// # Errors
/// Returns an error if the API refuses the key.
pub async fn run(args: ListenArgs) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?.patient();
    let secret = webhook::generate_secret();
    println!("signing secret: {}", secret.reveal());
    let secrets = SigningSecrets::from(secret);
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(10))
        .no_proxy()
        .build()?;
    let mut last: Option<String> = None;
    loop {
        let mut stream = api.events(last.as_deref()).await?.bytes_stream();
        let mut parser = SseParser::default();
        while let Some(Ok(chunk)) = stream.next().await {
            for message in parser.push(&chunk) {
                forward(&http, args.forward_to.as_ref(), &secrets, &message).await;
                last = Some(message.id);
            }
        }
        tracing::info!("the event stream ended; reconnecting");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn forward(
    http: &reqwest::Client,
    to: Option<&url::Url>,
    secrets: &SigningSecrets,
    message: &SseMessage,
) {
    let Some(to) = to else {
        println!("{}", message.data);
        return;
    };
    let now = domain::Timestamp::now().as_seconds();
    let signature = webhook::sign(secrets, now, message.data.as_bytes());
    let sent = http
        .post(to.clone())
        .header("content-type", "application/json")
        .header("user-agent", "Scan-Webhooks/1")
        .header("scan-event-id", &message.id)
        .header("scan-signature", signature)
        .body(message.data.clone())
        .send()
        .await;
    match sent {
        Ok(response) => println!("{} → {}", message.id, response.status()),
        Err(error) => println!("{} → {error}", message.id),
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
