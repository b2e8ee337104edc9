//! The two PostgreSQL servers: one for the service, one for Temporal.

use std::{net::SocketAddr, path::Path, process::Command};

use anyhow::{Context, ensure};
use temporary_postgres::{Durability, Postgres};
use url::Url;

/// Role and database of the service. The role owns nothing else.
const SERVICE: &str = "scan";

/// The PostgreSQL servers. Commits survive the death of a server.
#[derive(Debug)]
pub struct Databases {
    /// The service's.
    pub service: Postgres,
    /// Temporal's.
    pub temporal: Postgres,
}

impl Databases {
    /// Starts both servers, and creates the service's role and database.
    pub(super) fn start(folder: &Path) -> anyhow::Result<Self> {
        let service = Postgres::start(folder, None, Durability::OfCommits)?;
        let temporal = Postgres::start(folder, None, Durability::OfCommits)?;
        let databases = Self { service, temporal };
        let password = url(databases.service.url())?.password().unwrap_or_default().to_owned();
        run_sql(&databases.service, &format!("CREATE ROLE {SERVICE} LOGIN PASSWORD '{password}'"))?;
        run_sql(&databases.service, &format!("CREATE DATABASE {SERVICE} OWNER {SERVICE}"))?;
        Ok(databases)
    }

    /// Returns the address of the service's server.
    pub(super) fn service_address(&self) -> anyhow::Result<SocketAddr> {
        address_of(&self.service)
    }

    /// Returns the URL of the service's database.
    pub(super) fn service_url(&self) -> anyhow::Result<String> {
        self.service_url_through(self.service_address()?)
    }

    /// Returns the URL of the service's database at the address of a proxy.
    pub(super) fn service_url_through(&self, proxy: SocketAddr) -> anyhow::Result<String> {
        let password = url(self.service.url())?.password().unwrap_or_default().to_owned();
        Ok(format!("postgres://{SERVICE}:{password}@{proxy}/{SERVICE}"))
    }
}

/// Returns the address of a server.
pub(super) fn address_of(server: &Postgres) -> anyhow::Result<SocketAddr> {
    let url = url(server.url())?;
    let port = url.port().context("the URL has no port")?;
    Ok(SocketAddr::from(([127, 0, 0, 1], port)))
}

/// Returns the name and the password of the administrator.
pub(super) fn administrator(server: &Postgres) -> anyhow::Result<(String, String)> {
    let url = url(server.url())?;
    Ok((url.username().to_owned(), url.password().unwrap_or_default().to_owned()))
}

fn url(text: &str) -> anyhow::Result<Url> {
    Url::parse(text).context("the URL of PostgreSQL")
}

fn run_sql(server: &Postgres, statement: &str) -> anyhow::Result<()> {
    let programs = temporary_postgres::installed().context("PostgreSQL is not installed")?;
    let mut psql = Command::new(programs.join("psql"));
    let output = psql.args([server.url(), "-v", "ON_ERROR_STOP=1", "-qc", statement]).output()?;
    ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
