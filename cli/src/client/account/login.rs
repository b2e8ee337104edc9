//! `scan login` and `scan logout`: store and forget keys and sessions.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::prompt;
use crate::{
    admin::login::key_of_data_folder,
    client::{
        api::{Api, Call},
        connection::Connection,
        open,
        output::show,
        profiles::{Profile, Profiles},
    },
};

/// Store an API key for the other commands.
#[derive(Debug, Args)]
pub struct LoginArgs {
    #[command(flatten)]
    connection: Connection,
    /// E-mail address to log in with. Stores a session, for what no key may do, and creates a key.
    #[arg(long)]
    email: Option<String>,
    /// Create an account with this e-mail address and password first.
    #[arg(long, requires = "email")]
    sign_up: bool,
    /// Read the password from standard input.
    #[arg(long, requires = "email")]
    password_stdin: bool,
    /// Create the key in live mode, where scans cost money.
    #[arg(long, requires = "email")]
    live: bool,
    /// Create a test key in a `scan up` on this machine, with this data folder.
    #[arg(long, conflicts_with_all = ["sign_up", "password_stdin", "live"])]
    data: Option<PathBuf>,
    /// Don't open the console in a browser.
    #[arg(long)]
    no_browser: bool,
}

/// Forget the stored keys and sessions.
#[derive(Debug, Args)]
pub struct LogoutArgs {
    #[command(flatten)]
    connection: Connection,
}

/// Runs `scan login`.
///
/// # Errors
/// Returns an error if the service refuses the credentials, or the profile cannot be stored.
pub async fn login(args: LoginArgs, as_json: bool) -> anyhow::Result<()> {
    if let Some(data) = &args.data {
        let email = args.email.as_deref().unwrap_or("me@localhost.localdomain");
        let local = key_of_data_folder(data, email).await?;
        let connection = Connection { api: Some(local.api), key: Some(local.secret.clone()), profile: None };
        return store(&Api::new(&connection)?, &args, local.secret, None, as_json).await;
    }
    let mut api = Api::new(&Connection { profile: None, ..args.connection.clone() })?;
    let mut email = args.email.clone();
    // A key of the environment is no answer to a login by e-mail.
    let mut key = args.connection.key.clone().filter(|_| email.is_none());
    if key.is_none() && email.is_none() {
        let page = api.access().console("/keys");
        eprint_line(&format!("Create a key at {page}"));
        if !args.no_browser {
            open::in_browser(&page);
        }
        let given = prompt::line("Paste the key, or type your e-mail address: ")?;
        if given.contains('@') { email = Some(given) } else { key = Some(given) }
    }
    if let Some(key) = key {
        let key = key.trim().to_owned();
        api = Api::new(&Connection { key: Some(key.clone()), profile: None, ..args.connection.clone() })?;
        return store(&api, &args, key, None, as_json).await;
    }
    let email = email.context("no e-mail address")?;
    let password = if args.password_stdin { prompt::read_line()? } else { prompt::password("Password: ")? };
    if args.sign_up {
        api.sign_up(&email, &password).await?;
        eprint_line(&format!("A mail to {email} confirms the address, which live mode requires."));
    }
    let session = api.log_in(&email, &password).await?;
    let mode = if args.live { "live" } else { "test" };
    let api = api.in_session(session.clone(), mode);
    let scopes: Vec<_> = domain::scope::Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let new = json!({ "name": "scan login", "scopes": scopes });
    let created = api.send(Method::POST, Call::with_session("/keys").body(new)).await?;
    let key = created["secret"].as_str().context("the API returned no secret")?.to_owned();
    let connection =
        Connection { api: Some(api.access().base.clone()), key: Some(key.clone()), profile: None };
    store(&Api::new(&connection)?, &args, key, Some(session), as_json).await
}

/// Verifies a key and stores it.
async fn store(
    api: &Api,
    args: &LoginArgs,
    key: String,
    session: Option<String>,
    as_json: bool,
) -> anyhow::Result<()> {
    let me = api.get(Call::to("/me")).await.context("the key was not stored")?;
    let mode = me["key"]["mode"].as_str().unwrap_or("test").to_owned();
    let name = args.connection.profile.clone().unwrap_or_else(|| mode.clone());
    let path = Profiles::path()?;
    let mut profiles = Profiles::load(&path)?;
    let profile = Profile { api: api.access().base.clone(), mode: mode.clone(), key, session };
    profiles.profiles.insert(name.clone(), profile);
    profiles.default = Some(name.clone());
    profiles.save(&path)?;
    let stored =
        json!({ "profile": name, "mode": mode, "api": api.access().base, "file": path, "user": me["user"] });
    show(as_json, &stored, |_| {
        let user = me["user"]["email"].as_str().unwrap_or("the account");
        println!(
            "logged in as {user}: {mode} mode at {}, profile `{name}` in {}",
            api.access().base,
            path.display()
        );
    });
    Ok(())
}

/// Runs `scan logout`: ends the session and removes the profile, or all of them.
///
/// # Errors
/// Returns an error if the profile does not exist, or the file cannot be written.
pub async fn logout(args: LogoutArgs, as_json: bool) -> anyhow::Result<()> {
    let path = Profiles::path()?;
    let mut profiles = Profiles::load(&path)?;
    let names: Vec<String> = match &args.connection.profile {
        Some(name) if profiles.profiles.contains_key(name) => vec![name.clone()],
        Some(name) => bail!("there is no profile `{name}`"),
        None => profiles.profiles.keys().cloned().collect(),
    };
    let mut forgotten = Vec::new();
    for name in names {
        let Some(profile) = profiles.profiles.remove(&name) else { continue };
        if let Some(session) = profile.session {
            let connection = Connection { api: Some(profile.api), key: Some(profile.key), profile: None };
            let api = Api::new(&connection)?.in_session(session, &profile.mode);
            // A service that is down must not keep the secrets on the disk.
            if let Err(error) = api.send(Method::POST, Call::with_session("/auth/log-out")).await {
                eprint_line(&format!("the session of `{name}` could not be ended: {error}"));
            }
        }
        forgotten.push(name);
    }
    profiles.default = profiles.profiles.keys().next().cloned();
    profiles.save(&path)?;
    let result: Value = json!({ "forgotten": forgotten });
    show(as_json, &result, |_| {
        println!("forgotten: {}. The keys stay valid; revoke them in the console.", forgotten.join(", "));
    });
    Ok(())
}

fn eprint_line(text: &str) {
    eprintln!("{text}");
}
