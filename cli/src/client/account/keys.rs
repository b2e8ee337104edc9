//! `scan keys`: API keys of the account. Needs the session of `scan login --email`.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{
    api::{Api, Call},
    connection::Connection,
    output::{fields, show, table},
    spaces::{rows, segment},
};

/// Manage API keys.
#[derive(Debug, Args)]
pub struct KeysArgs {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: Option<KeysCommand>,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// List the keys of the profile's mode (the default).
    List,
    /// Create a key. Its secret is shown once.
    Create {
        /// Name of the key.
        name: String,
        /// Scopes, separated by commas. Default: all.
        #[arg(long, value_delimiter = ',')]
        scopes: Vec<String>,
        /// Monthly spending cap, in cents.
        #[arg(long)]
        monthly_cap_cents: Option<u64>,
    },
    /// Replace a key with a new one. The old one stays valid for a day.
    Roll {
        /// The key.
        key_id: String,
    },
    /// Revoke a key at once.
    Revoke {
        /// The key.
        key_id: String,
    },
}

const COLUMNS: &[(&str, &str)] = &[
    ("ID", "id"),
    ("NAME", "name"),
    ("MODE", "mode"),
    ("ENDS IN", "hint"),
    ("ACTIVE", "active"),
    ("LAST USED", "last_used_at"),
    ("SCOPES", "scopes"),
];

/// Runs the command.
///
/// # Errors
/// Returns an error if no session is stored, or the API refuses the request.
pub async fn run(args: KeysArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    match args.command.unwrap_or(KeysCommand::List) {
        KeysCommand::List => {
            let page =
                api.get(Call::with_session("/keys").query(&[("limit", Some("100".to_owned()))])).await?;
            show(as_json, &page, |page| table(rows(page), COLUMNS));
        }
        KeysCommand::Create { name, scopes, monthly_cap_cents } => {
            let all = || domain::scope::Scope::ALL.iter().map(|scope| scope.as_str().to_owned()).collect();
            let scopes: Vec<String> = if scopes.is_empty() { all() } else { scopes };
            let mut body = json!({ "name": name, "scopes": scopes });
            if let Some(cents) = monthly_cap_cents {
                body["monthly_cap_cents"] = json!(cents);
            }
            created(&api.send(Method::POST, Call::with_session("/keys").body(body)).await?, as_json);
        }
        KeysCommand::Roll { key_id } => {
            let path = format!("/keys/{}/roll", segment(&key_id));
            created(&api.send(Method::POST, Call::with_session(&path).body(json!({}))).await?, as_json);
        }
        KeysCommand::Revoke { key_id } => {
            let path = format!("/keys/{}", segment(&key_id));
            api.send(Method::DELETE, Call::with_session(&path)).await?;
            show(as_json, &json!({ "key_id": key_id, "revoked": true }), |_| println!("revoked {key_id}"));
        }
    }
    Ok(())
}

fn created(key: &Value, as_json: bool) {
    show(as_json, key, |key| {
        fields(key, &[("id", "id"), ("name", "name"), ("mode", "mode"), ("secret", "secret")]);
        println!("Store the secret now: it is not shown again.");
    });
}
