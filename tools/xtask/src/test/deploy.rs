//! The checks of `deploy` and of the compose file by the programs that read them.

use anyhow::Result;

use super::run_shown;
use crate::system::command;

const COMPOSE_FILE: &str = "docker-compose.temporal.yml";
const PROMETHEUS: &str = "deploy/prometheus";

pub(super) fn check() -> Result<()> {
    run_shown(command("promtool").args(["check", "config", &format!("{PROMETHEUS}/prometheus.yml")]))?;
    run_shown(command("promtool").args(["test", "rules", &format!("{PROMETHEUS}/rules.test.yml")]))?;
    run_shown(command("docker-compose").args(["-f", COMPOSE_FILE, "config", "--quiet"]))
}
