//! Commands of `scan` with the configuration of the stack.

use anyhow::Context;
use harness::service::binary;
use serde_json::Value;
use tokio::process::Command;

use super::Stack;

impl Stack {
    /// Runs a command of `scan` with the configuration, and returns its output.
    ///
    /// # Errors
    /// Returns an error if it fails.
    pub async fn scan(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(binary("scan")?);
        let output = command.args(arguments).envs(self.configuration.environment()).output().await?;
        anyhow::ensure!(
            output.status.success(),
            "scan {}: {}{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs `scan admin …` and parses its output.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub async fn admin(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        let arguments = [&["admin"], arguments].concat();
        Ok(serde_json::from_str(&self.scan(&arguments).await?)?)
    }

    /// Returns the findings of `scan doctor`.
    ///
    /// # Errors
    /// Returns an error if its output is not JSON.
    pub async fn doctor(&self) -> anyhow::Result<Vec<Value>> {
        let mut command = Command::new(binary("scan")?);
        command.args(["doctor", "--json"]).envs(self.configuration.environment());
        let output = command.output().await?;
        let json: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        json["findings"].as_array().cloned().context("no findings in the output")
    }
}
