//! The user that runs the server.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use nix::unistd::{User, geteuid};

/// The user that runs the server: the current user, or `postgres` if the current user is root.
#[derive(Debug)]
pub(crate) struct ServerUser(Option<User>);

impl ServerUser {
    pub(crate) fn choose() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self(None));
        }
        let user = User::from_name("postgres")?
            .context("PostgreSQL does not run as root and there is no user postgres")?;
        Ok(Self(Some(user)))
    }

    /// Lets the user pass through `folder`, without letting it list the folder.
    pub(crate) fn allow_traversal(&self, folder: &Path) -> Result<()> {
        let mode = fs::metadata(folder)?.permissions().mode();
        if self.0.is_some() && mode & 0o001 == 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o011))?;
        }
        Ok(())
    }

    /// Makes the user the owner of `path`. Nobody else can read it.
    pub(crate) fn take_ownership(&self, path: &Path) -> Result<()> {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        if let Some(user) = &self.0 {
            chown(path, Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
        }
        Ok(())
    }

    /// Returns a command that runs `program` as this user. The kernel stops it when the thread that
    /// started it ends.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command_line = Command::new("setpriv");
        command_line.stdin(Stdio::null());
        if let Some(user) = &self.0 {
            command_line.args([
                "--reuid",
                &user.uid.to_string(),
                "--regid",
                &user.gid.to_string(),
                "--clear-groups",
            ]);
        }
        command_line.args(["--pdeathsig", "QUIT", "--"]).arg(program);
        command_line
    }
}
