//! Commands on the search index.

use entities::Db;
use media::ObjectStore;
use serde_json::json;

use super::Output;
use crate::config::Config;

/// Rebuilds the search index of every space. Fails, after printing the report, if a document could
/// not be read.
pub(super) async fn reindex(config: &Config, db: &Db) -> anyhow::Result<Output> {
    let embedder = crate::serve::embedder(config, crate::serve::model_endpoint(config)?.as_ref());
    let store = ObjectStore::new(&config.storage)?;
    let report = activities::reindex(db, &store, embedder.as_ref()).await?;
    let failure = (!report.failed.is_empty()).then_some("some documents could not be read");
    Ok(Output { json: json!(report), failure })
}
