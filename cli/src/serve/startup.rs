//! Waits for services that are away while a process starts. A process that was restarted during an outage
//! goes on when the outage is over, without the growing pauses of a supervisor.

use std::time::Duration;

use anyhow::{Context, bail};
use entities::{Db, Reader as _};
use media::ObjectStore;
use migration::SchemaError;

use super::{services::Schema, stop_on_signal};

/// Time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// Connects to the database, as soon as it can be reached.
///
/// # Errors
/// Returns an error if the database refuses the connection, for example because of a wrong password, or
/// after a signal to stop.
pub(super) async fn connect_database(settings: &entities::Settings) -> anyhow::Result<Db> {
    while_away("the database", entities::Error::is_outage, async || Db::connect(settings).await)
        .await
        .context("cannot connect to the database")
}

/// Applies pending migrations if `schema` says so, and checks that this program can use the schema. Waits
/// while the database is away.
///
/// # Errors
/// Returns an error if a migration fails, or the schema is older than this program or too new for it.
pub(super) async fn prepare_schema(db: &Db, schema: Schema) -> anyhow::Result<()> {
    if schema == Schema::Migrate {
        let migrate = async || migration::migrate(db.conn()).await.map_err(entities::Error::from);
        while_away("the database", entities::Error::is_outage, migrate)
            .await
            .context("cannot migrate the database")?;
    }
    let is_away = |error: &SchemaError| match error {
        SchemaError::Database(cause) => entities::Error::from(cause.clone()).is_outage(),
        SchemaError::Behind(_) | SchemaError::TooNew(_) => false,
    };
    let unknown = while_away("the database", is_away, async || migration::check(db.conn()).await).await?;
    if !unknown.is_empty() {
        tracing::info!(?unknown, "a newer release has migrated the database, compatibly");
    }
    Ok(())
}

/// Creates the bucket if it does not exist, as soon as the storage can be reached.
///
/// # Errors
/// Returns an error if the storage refuses, or after a signal to stop.
pub(super) async fn ensure_bucket(store: &ObjectStore) -> anyhow::Result<()> {
    while_away("object storage", media::objects::Error::is_retryable, async || store.ensure_bucket().await)
        .await
        .context("cannot use object storage")
}

/// Repeats a step while its service is away.
async fn while_away<T, E>(
    service: &str,
    is_away: impl Fn(&E) -> bool,
    mut step: impl AsyncFnMut() -> Result<T, E>,
) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut stop = None;
    loop {
        let error = match step().await {
            Ok(value) => return Ok(value),
            Err(error) if is_away(&error) => error,
            Err(error) => return Err(error.into()),
        };
        let stop = match &stop {
            Some(stop) => stop,
            None => {
                tracing::warn!(%error, "waiting for {service}");
                stop.insert(stop_on_signal()?)
            }
        };
        tokio::select! {
            () = stop.cancelled() => bail!("stopped while waiting for {service}: {error}"),
            () = tokio::time::sleep(RETRY_INTERVAL) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("away: {away}")]
    struct Failure {
        away: bool,
    }

    #[tokio::test]
    async fn outages_are_waited_for_and_refusals_end_the_start() {
        let attempts = Cell::new(0);
        let attempt = async || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 3 { Err(Failure { away: true }) } else { Ok(attempts.get()) }
        };
        assert_eq!(while_away("a service", |failure: &Failure| failure.away, attempt).await.unwrap(), 3);
        let refused = async || Err::<(), _>(Failure { away: false });
        let error = while_away("a service", |failure: &Failure| failure.away, refused).await.unwrap_err();
        assert_eq!(error.to_string(), "away: false");
    }
}
