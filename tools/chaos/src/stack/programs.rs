//! The third-party programs that the stack runs.

use std::path::PathBuf;

use clap::Args;

/// Paths of third-party programs. `cargo xtask` installs them and passes their paths.
#[derive(Debug, Clone, Args)]
pub struct Programs {
    /// Temporal's server.
    #[arg(long)]
    pub temporal_server: PathBuf,
    /// The program that creates the tables of Temporal's server.
    #[arg(long)]
    pub temporal_sql_tool: PathBuf,
    /// Temporal's Web UI.
    #[arg(long)]
    pub temporal_ui: PathBuf,
    /// The S3 server.
    #[arg(long)]
    pub versitygw: PathBuf,
    /// The library that shifts the clock of a process. Without it, no clock is shifted.
    #[arg(long)]
    pub faketime: Option<PathBuf>,
}
