//! The accounts of the clients, each with a webhook endpoint.

use anyhow::Context;
use harness::{Receiver, insert_paying_account};
use serde_json::Value;

use super::Caller;
use crate::stack::Stack;

/// Number of free scans of an account that never pays: more than a run uses.
const FREE_SCANS: &str = "100000";

/// How an account pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Funds {
    /// With free scans, which last.
    FreeScans,
    /// With automatic top-ups from this card of the simulated bank, up to a daily limit.
    Card(&'static str),
}

/// The accounts of a run: three with free scans, and one for each behaviour of the bank.
const FUNDS: [Funds; 6] = [
    Funds::FreeScans,
    Funds::FreeScans,
    Funds::FreeScans,
    Funds::Card("pm_card_visa"),
    Funds::Card("pm_card_visa_chargeDeclined"),
    Funds::Card("pm_sim_silent_then_success"),
];

/// Number of the account whose endpoint never responds. No other account has it.
const NUMBER_OF_HANGING: usize = 1_000;

/// An account.
#[derive(Debug)]
pub struct Account {
    /// The id.
    pub id: String,
    /// How it pays.
    pub funds: Funds,
    /// Its client of the API.
    pub caller: Caller,
    /// Path of its webhook endpoint.
    pub path: String,
    /// Signing secret of its endpoint.
    pub signing_secret: String,
}

impl Account {
    /// Creates the accounts of a run.
    ///
    /// # Errors
    /// Returns an error if a command fails.
    pub async fn create_all(stack: &Stack, receiver: &Receiver) -> anyhow::Result<Vec<Self>> {
        let mut accounts = Vec::new();
        for (number, funds) in FUNDS.into_iter().enumerate() {
            accounts.push(Self::create(stack, receiver, funds, number, None).await?);
        }
        Ok(accounts)
    }

    /// Creates this many accounts with free scans.
    ///
    /// # Errors
    /// Returns an error if a command fails.
    pub async fn with_free_scans(
        stack: &Stack,
        receiver: &Receiver,
        count: usize,
    ) -> anyhow::Result<Vec<Self>> {
        let mut accounts = Vec::new();
        for number in 0..count {
            accounts.push(Self::create(stack, receiver, Funds::FreeScans, number, None).await?);
        }
        Ok(accounts)
    }

    /// Creates an account with free scans whose webhook endpoint never responds.
    ///
    /// # Errors
    /// Returns an error if a command fails.
    pub async fn with_hanging_endpoint(stack: &Stack, receiver: &Receiver) -> anyhow::Result<Self> {
        Self::create(stack, receiver, Funds::FreeScans, NUMBER_OF_HANGING, Some("/hang")).await
    }

    /// Creates an account. Without a path of its own, its endpoint has its id as the path.
    async fn create(
        stack: &Stack,
        receiver: &Receiver,
        funds: Funds,
        number: usize,
        path: Option<&str>,
    ) -> anyhow::Result<Self> {
        let id = match funds {
            Funds::FreeScans => {
                let email = format!("client-{number}@example.com");
                let created = stack.admin(&["create-account", "--email", &email]).await?;
                let id = text(&created, "account_id")?;
                let grant = ["grant", "--account", &id, "--mode", "test", "--free-scans", FREE_SCANS];
                stack.admin(&[&grant[..], &["--reference", &format!("chaos-{number}")]].concat()).await?;
                id
            }
            Funds::Card(card) => {
                let db = stack.database().await?;
                let id = insert_paying_account(&db, card).await?.to_string();
                db.close().await?;
                id
            }
        };
        let key = stack.admin(&["create-key", "--account", &id, "--mode", "test"]).await?;
        let path = path.map_or_else(|| format!("/{id}"), str::to_owned);
        let url = receiver.url_of(&path);
        let webhook = ["create-webhook", "--account", &id, "--mode", "test", "--url", &url];
        let webhook = stack.admin(&webhook).await?;
        Ok(Self {
            caller: Caller::new(stack.api_url(), text(&key, "secret")?),
            signing_secret: text(&webhook, "signing_secret")?,
            id,
            funds,
            path,
        })
    }
}

fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    value[field].as_str().map(str::to_owned).with_context(|| format!("no {field} in {value}"))
}
