//! Runs a command against the real service, for contract tests with other tools. Starts the service
//! with high limits and creates an account, a key and a console session. The command finds them in
//! its environment: `SCAN_API_URL`, `SCAN_ORIGIN`, `SCAN_API_KEY`, `SCAN_SESSION`, and `SCAN_CLIP`,
//! a short video.

use std::{
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context, ensure};
use clap::Parser;
use harness::{Service, ServiceOptions, clips::Clip};
use serde_json::{Value, json};

/// Rate limits to raise. They have their own tests.
const LIMITS: &[&str] = &[
    "SERVER__LIMITS__PER_KEY",
    "SERVER__LIMITS__PER_ADDRESS",
    "SERVER__LIMITS__SEARCH",
    "SERVER__LIMITS__SEARCH_DAILY",
    "SERVER__LIMITS__ASK",
    "SERVER__LIMITS__ASK_DAILY",
    "SERVER__CONSOLE__LOG_IN_PER_ADDRESS",
    "SERVER__CONSOLE__LOG_IN_PER_EMAIL",
    "SERVER__CONSOLE__SIGN_UP_PER_ADDRESS",
    "SERVER__CONSOLE__MAIL_PER_ADDRESS",
    "SERVER__CONSOLE__MAIL_PER_EMAIL",
    "SERVER__CONSOLE__EXPORTS_PER_ACCOUNT",
];

#[derive(Parser)]
struct Arguments {
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("contract: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let mut options = ServiceOptions::default()
        .set("SERVER__LIMITS__UNSTARTED_UPLOAD_BYTES", 1_u64 << 60)
        // Ends event streams quickly, so that a client sees their end.
        .set("SERVER__STREAM_MAX_SECONDS", 1);
    for limit in LIMITS {
        options = options.set(&format!("{limit}__REQUESTS"), 100_000_000);
        options = options.set(&format!("{limit}__WINDOW_SECONDS"), 60);
    }
    let mut service = Service::start(options, None).await?;
    let user = ConsoleUser::sign_up(&service).await?;
    let clip = service.folder().join("clip.mp4");
    std::fs::write(&clip, Clip::moving(3).bytes)?;

    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]);
    command.env("SCAN_API_URL", service.api_url()).env("SCAN_ORIGIN", &user.origin);
    command.env("SCAN_API_KEY", &user.key).env("SCAN_SESSION", &user.session).env("SCAN_CLIP", &clip);
    let status = tokio::task::spawn_blocking(move || command.status()).await?;
    let status =
        status.with_context(|| format!("{} could not be started", arguments.command[0].display()))?;
    let stopped = service.stop().await;
    ensure!(stopped.success(), "the service ended with {stopped}:\n{}", service.log_tail());
    ensure!(status.success(), "{} ended with {status}", arguments.command[0].display());
    Ok(())
}

/// A user with an account, logged in to the console.
struct ConsoleUser {
    origin: String,
    session: String,
    key: String,
}

impl ConsoleUser {
    async fn sign_up(service: &Service) -> anyhow::Result<Self> {
        let api = service.api_url();
        let origin = api.strip_suffix("/v1").unwrap_or(&api).to_owned();
        let http = harness::http_client();
        let post = async |path: &str, session: &str, body: Value| {
            let request = http.post(format!("{api}{path}")).header("origin", &origin).json(&body);
            let response = request.header("cookie", format!("scan_session={session}")).send().await?;
            ensure!(response.status().is_success(), "{path}: {}", response.status());
            Ok(response)
        };
        let credentials = json!({ "email": "ann@example.com", "password": "four unrelated plain words" });
        post("/auth/sign-up", "", credentials.clone()).await?;
        let logged_in = post("/auth/log-in", "", credentials).await?;
        let cookie = logged_in.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        let session =
            cookie.and_then(|cookie| cookie.split(['=', ';']).nth(1)).context("no cookie")?.to_owned();
        let scopes: Vec<_> = domain::scope::Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        let new = json!({ "name": "Contract", "scopes": scopes });
        let created: Value = post("/keys", &session, new).await?.json().await?;
        let key = created["secret"].as_str().context("no secret")?.to_owned();
        Ok(Self { origin, session, key })
    }
}
