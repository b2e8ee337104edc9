//! Scans of files on the agent's machine. Only the server on standard input and output offers them.

use std::path::PathBuf;

use async_trait::async_trait;

/// Scans media files of this machine. Implemented by the command line.
#[async_trait]
pub trait LocalScans: Send + Sync {
    /// Creates a scan of these files, uploads them and starts it. Returns the id of the scan.
    ///
    /// # Errors
    /// Returns a message for the agent.
    async fn scan(&self, request: LocalScan) -> Result<String, String>;
}

/// Media to scan, and the space that they show.
#[derive(Debug, Clone)]
pub struct LocalScan {
    /// One video, photos in order, or a folder of photos.
    pub paths: Vec<PathBuf>,
    /// Space to scan (`spc_…`). `None`: a new one.
    pub space_id: Option<String>,
    /// Name of the new space.
    pub name: Option<String>,
    /// Type label of the new space.
    pub space_type: Option<String>,
}
