//! `scan webhooks` and `scan trigger`: webhook endpoints. They need the session of `scan login --email`.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::event::EventType;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{
    api::{Api, Call},
    connection::Connection,
    output::{fields, show, table},
    spaces::{rows, segment},
};

/// Manage webhook endpoints.
#[derive(Debug, Args)]
pub struct WebhooksArgs {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: Option<WebhooksCommand>,
}

#[derive(Debug, Subcommand)]
enum WebhooksCommand {
    /// List the endpoints of the profile's mode (the default).
    List,
    /// Add an endpoint. Its signing secret is shown once.
    Create {
        /// HTTPS URL on a public host.
        url: String,
        /// Event types, separated by commas. Default: all.
        #[arg(long, value_delimiter = ',')]
        events: Vec<String>,
    },
    /// List the deliveries of an endpoint, newest first.
    Deliveries {
        /// The endpoint.
        endpoint_id: String,
    },
    /// Send events to an endpoint again.
    Replay {
        /// The endpoint.
        endpoint_id: String,
        /// The events.
        #[arg(required = true)]
        event_ids: Vec<String>,
    },
    /// Remove an endpoint.
    Delete {
        /// The endpoint.
        endpoint_id: String,
    },
}

/// Send a test event to a webhook endpoint.
#[derive(Debug, Args)]
pub struct TriggerArgs {
    #[command(flatten)]
    connection: Connection,
    /// Type of the event, for example `scan.completed`.
    event_type: String,
    /// The endpoint. Can be omitted if there is only one.
    #[arg(long)]
    endpoint: Option<String>,
}

const ENDPOINTS: &[(&str, &str)] = &[
    ("ID", "id"),
    ("URL", "url"),
    ("ENABLED", "enabled"),
    ("FAILURES", "consecutive_failures"),
    ("EVENTS", "events"),
];
const DELIVERIES: &[(&str, &str)] =
    &[("EVENT", "event_id"), ("STATUS", "status"), ("ATTEMPTS", "attempts"), ("CREATED", "created_at")];

/// Runs `scan webhooks`.
///
/// # Errors
/// Returns an error if no session is stored, or the API refuses the request.
pub async fn run(args: WebhooksArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    match args.command.unwrap_or(WebhooksCommand::List) {
        WebhooksCommand::List => {
            let page = api.get(Call::with_session("/webhook-endpoints")).await?;
            show(as_json, &page, |page| table(rows(page), ENDPOINTS));
        }
        WebhooksCommand::Create { url, events } => {
            let all = || EventType::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
            let events: Vec<String> = if events.is_empty() { all() } else { events };
            let body = json!({ "url": url, "events": events });
            let endpoint =
                api.send(Method::POST, Call::with_session("/webhook-endpoints").body(body)).await?;
            show(as_json, &endpoint, |endpoint| {
                fields(endpoint, &[("id", "id"), ("url", "url"), ("signing secret", "signing_secret")]);
                println!("Store the secret now: it is not shown again.");
            });
        }
        WebhooksCommand::Deliveries { endpoint_id } => {
            let path = format!("/webhook-endpoints/{}/deliveries", segment(&endpoint_id));
            let page = api.get(Call::with_session(&path)).await?;
            show(as_json, &page, |page| table(rows(page), DELIVERIES));
        }
        WebhooksCommand::Replay { endpoint_id, event_ids } => {
            let path = format!("/webhook-endpoints/{}/replay", segment(&endpoint_id));
            let body = json!({ "event_ids": event_ids });
            let replayed = api.send(Method::POST, Call::with_session(&path).body(body)).await?;
            show(as_json, &replayed, |_| println!("{} events will be sent again", event_ids.len()));
        }
        WebhooksCommand::Delete { endpoint_id } => {
            let path = format!("/webhook-endpoints/{}", segment(&endpoint_id));
            api.send(Method::DELETE, Call::with_session(&path)).await?;
            show(as_json, &json!({ "deleted": endpoint_id }), |_| println!("deleted {endpoint_id}"));
        }
    }
    Ok(())
}

/// Runs `scan trigger`.
///
/// # Errors
/// Returns an error if there is no endpoint, the API refuses, or the endpoint did not accept the event.
pub async fn trigger(args: TriggerArgs, as_json: bool) -> anyhow::Result<()> {
    if EventType::parse(&args.event_type).is_none() {
        let known: Vec<_> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
        bail!("`{}` is no event type; there are: {}", args.event_type, known.join(", "));
    }
    let api = Api::new(&args.connection)?;
    let endpoint = match args.endpoint {
        Some(endpoint) => endpoint,
        None => only_endpoint(&api.get(Call::with_session("/webhook-endpoints")).await?)?,
    };
    let path = format!("/webhook-endpoints/{}/test", segment(&endpoint));
    let body = json!({ "type": args.event_type });
    let sent = api.send(Method::POST, Call::with_session(&path).body(body)).await?;
    show(as_json, &sent, |sent| {
        fields(
            sent,
            &[
                ("event", "event.id"),
                ("delivered", "delivered"),
                ("status", "status"),
                ("error", "error.message"),
                ("milliseconds", "duration_ms"),
                ("response", "response"),
            ],
        );
    });
    anyhow::ensure!(sent["delivered"] == true, "the endpoint did not accept the event");
    Ok(())
}

fn only_endpoint(page: &Value) -> anyhow::Result<String> {
    match rows(page) {
        [] => bail!("there is no webhook endpoint: add one with `scan webhooks create URL`"),
        [endpoint] => Ok(endpoint["id"].as_str().context("an endpoint without an id")?.to_owned()),
        _ => bail!("there are several webhook endpoints: name one with --endpoint"),
    }
}
