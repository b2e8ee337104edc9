//! Scans of local files for agents: the tool `scan_files` of `scan mcp`.

use async_trait::async_trait;
use mcp::{LocalScan, LocalScans};

use super::{
    api::Api,
    connection::Connection,
    run::{RunArgs, begin},
};

/// Scans files of this machine with the key of the command.
#[derive(Debug)]
pub struct FilesOfThisMachine {
    connection: Connection,
}

impl FilesOfThisMachine {
    /// Creates scans with this connection.
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    async fn begin(&self, request: LocalScan) -> anyhow::Result<String> {
        let space = request.space_id.map(|id| id.parse()).transpose()?;
        let args = RunArgs {
            connection: self.connection.clone(),
            media: request.paths,
            space,
            name: request.name,
            space_type: request.space_type.unwrap_or_else(|| "other".to_owned()),
            external_id: None,
            language: "en".to_owned(),
            transcript: None,
            out: "scan-result".into(),
        };
        Ok(begin(&Api::new(&self.connection)?, args).await?.id.to_string())
    }
}

#[async_trait]
impl LocalScans for FilesOfThisMachine {
    async fn scan(&self, request: LocalScan) -> Result<String, String> {
        self.begin(request).await.map_err(|error| format!("{error:#}"))
    }
}
