//! Key for `scan login --data`: of an account in the database of a `scan up` on this machine.

use std::path::Path;

use anyhow::Context;
use domain::{Mode, mode::Tenant};
use entities::{
    Db,
    client::{self, Client},
    users,
};

use super::{accounts, keys, load_config};

/// A new key, and where it is valid.
#[derive(Debug)]
pub struct LocalKey {
    /// URL of the API, with its version.
    pub api: String,
    /// Secret of the key.
    pub secret: String,
}

/// Creates a key in test mode for the user with this address; creates the account if nobody has the
/// address.
///
/// # Errors
/// Returns an error if the folder holds no `scan up`, or its database cannot be reached.
pub async fn key_of_data_folder(data: &Path, email: &str) -> anyhow::Result<LocalKey> {
    anyhow::ensure!(
        data.join("secrets.toml").is_file(),
        "{} is not the data folder of a `scan up`; start one first, or name its folder with --data",
        data.display()
    );
    let config = load_config(Some(data), None)?;
    let db = Db::connect(&config.database).await.context("cannot connect to the database")?;
    let operator = Client::new(None, Some(concat!("scan login ", env!("CARGO_PKG_VERSION"))));
    let secret = client::acting_for(operator, async {
        if users::find_by_email(&db, email).await?.is_none() {
            accounts::create(&db, email, "My account").await?;
        }
        let user = users::find_by_email(&db, email).await?.context("the user does not exist")?;
        let tenant = Tenant { account_id: user.account_id.0.clone(), mode: Mode::Test };
        let key = keys::create(&db, &tenant, Vec::new(), None, "scan login").await?;
        anyhow::Ok(key["secret"].as_str().context("no secret")?.to_owned())
    })
    .await?;
    Ok(LocalKey { api: format!("{}/v1", config.server.public_url), secret })
}
