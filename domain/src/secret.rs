//! Strings that must not be logged.

use serde::{Deserialize, Serialize};

/// A password, key or signing secret from the configuration. `Debug` and serialization never show
/// it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Returns the secret itself. Call this only where the secret is needed.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[secret]")
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("[secret]")
    }
}

/// A signing secret during its rotation: the current secret signs, and what an earlier one signed stays
/// valid.
#[derive(Debug, Clone)]
pub struct RotatingSecret {
    current: Secret,
    previous: Vec<Secret>,
}

impl RotatingSecret {
    /// Builds it from the current secret and the earlier ones that are still valid.
    pub fn new(current: Secret, previous: Vec<Secret>) -> Self {
        Self { current, previous }
    }

    /// Returns the secret that signs.
    pub fn current(&self) -> &Secret {
        &self.current
    }

    /// Returns all valid secrets, the current one first.
    pub fn all(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.current).chain(&self.previous)
    }
}

impl From<Secret> for RotatingSecret {
    fn from(current: Secret) -> Self {
        Self { current, previous: Vec::new() }
    }
}
