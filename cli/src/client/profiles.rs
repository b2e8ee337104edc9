//! Keys and sessions that `scan login` stores: one profile for each mode, in a file that only its owner
//! can read.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// Stored profiles.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Profiles {
    /// Name of the profile that commands use without `--profile`.
    #[serde(default)]
    pub default: Option<String>,
    /// Profiles by name: `test`, `live`, or a name of the user.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// A key of an account, and the session that created it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Profile {
    /// URL of the API, with its version.
    pub api: String,
    /// `test` or `live`.
    pub mode: String,
    /// API key.
    pub key: String,
    /// Session cookie, for what no key may do: `name=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Profiles {
    /// Returns the path of the file: `$XDG_CONFIG_HOME/scan/profiles.toml`, by default in `~/.config`.
    ///
    /// # Errors
    /// Returns an error if the environment names no home folder.
    #[expect(
        clippy::disallowed_methods,
        reason = "the place of a user's files is not a setting of the service"
    )]
    pub fn path() -> anyhow::Result<PathBuf> {
        let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
        Ok(config.context("neither XDG_CONFIG_HOME nor HOME is set")?.join("scan/profiles.toml"))
    }

    /// Reads the file; a missing file has no profiles.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or parsed.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text).with_context(|| format!("{} is damaged", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("{}", path.display())),
        }
    }

    /// Writes the file. Only its owner can read it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let folder = path.parent().context("the path has no folder")?;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Written to a draft and renamed, so that a crash never leaves half a file.
        let draft = path.with_extension(format!("{}", std::process::id()));
        let _ = std::fs::remove_file(&draft);
        let mut file = File::options().create_new(true).write(true).mode(0o600).open(&draft)?;
        file.write_all(toml::to_string_pretty(self)?.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path).with_context(|| format!("{}", path.display()))
    }

    /// Returns the profile with this name, or the default one.
    ///
    /// # Errors
    /// Returns an error if no profile has the name.
    pub fn find(&self, name: Option<&str>) -> anyhow::Result<Option<&Profile>> {
        let Some(name) = name else {
            let default = self.default.as_deref().and_then(|name| self.profiles.get(name));
            return Ok(default.or_else(|| self.profiles.get("test")));
        };
        let known = || self.profiles.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.profiles.get(name).map(Some).with_context(|| {
            format!("there is no profile `{name}`; stored are: {}. See `scan login`", known())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn profiles_are_stored_for_their_owner_only_and_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scan/profiles.toml");
        let mut profiles = Profiles::load(&path).unwrap();
        assert!(profiles.find(None).unwrap().is_none());
        for mode in ["test", "live"] {
            let profile = Profile {
                api: "http://h/v1".into(),
                mode: mode.into(),
                key: format!("sc_{mode}_x"),
                session: None,
            };
            profiles.profiles.insert(mode.into(), profile);
        }
        profiles.save(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let read = Profiles::load(&path).unwrap();
        assert_eq!(read.find(None).unwrap().unwrap().mode, "test");
        assert_eq!(read.find(Some("live")).unwrap().unwrap().key, "sc_live_x");
        assert!(read.find(Some("prod")).unwrap_err().to_string().contains("live, test"));
    }
}
