//! Hashes and verifies passwords with Argon2id, on blocking threads with bounded concurrency.

use std::sync::{Arc, OnceLock};

use argon2::{
    Argon2,
    password_hash::{Error as HashError, PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::{Secret, key::random_text};

use crate::{
    blocking::BlockingPool,
    http::error::{ApiError, ApiResult},
};

/// Hashes and verifies passwords. Cheap to clone; clones share the concurrency limit.
#[derive(Clone)]
pub struct Passwords(Arc<Inner>);

struct Inner {
    pool: BlockingPool,
    /// Hash that is verified if there is no user, so that the response takes as long as if there
    /// were one.
    dummy_hash: OnceLock<String>,
}

impl Passwords {
    /// Creates a hasher that runs at most `concurrency` hashes at once, while at most `queue` requests
    /// wait.
    pub fn new(concurrency: usize, queue: usize) -> Self {
        let pool = BlockingPool::new(concurrency, queue);
        Self(Arc::new(Inner { pool, dummy_hash: OnceLock::new() }))
    }

    /// Hashes a password for storage.
    ///
    /// # Errors
    /// Returns `UNAVAILABLE` if too many requests wait.
    pub async fn hash(&self, password: Secret) -> ApiResult<String> {
        self.run_blocking(move |_| hash(&password))
            .await?
            .map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Returns whether the password matches the stored hash. Without a hash, returns `false` in the
    /// same time.
    ///
    /// # Errors
    /// Returns `UNAVAILABLE` if too many requests wait, and `INTERNAL` if the stored hash is
    /// malformed.
    pub async fn verify(&self, password: Secret, stored: Option<String>) -> ApiResult<bool> {
        let checked = self.run_blocking(move |inner| {
            let Some(stored) = stored else {
                let dummy = inner.dummy_hash()?;
                verify(&password, dummy)?;
                return Ok(false);
            };
            verify(&password, &stored)
        });
        checked.await?.map_err(|error: HashError| ApiError::internal(error.to_string()))
    }

    /// Runs work on a thread of the pool.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> ApiResult<T> {
        let inner = self.0.clone();
        self.0.pool.enter().await?.run(move || work(&inner)).await
    }
}

impl Inner {
    fn dummy_hash(&self) -> Result<&str, HashError> {
        if self.dummy_hash.get().is_none() {
            let hash = hash(&Secret::new(random_text(32)))?;
            let _ = self.dummy_hash.set(hash);
        }
        Ok(self.dummy_hash.get().map_or("", String::as_str))
    }
}

/// Hashes with Argon2id and the crate's defaults, which OWASP recommends: 19 MiB, 2 passes.
fn hash(password: &Secret) -> Result<String, HashError> {
    Ok(Argon2::default().hash_password(password.reveal().as_bytes())?.to_string())
}

fn verify(password: &Secret, stored: &str) -> Result<bool, HashError> {
    let stored = PasswordHash::new(stored).map_err(|_| HashError::EncodingInvalid)?;
    match Argon2::default().verify_password(password.reveal().as_bytes(), &stored) {
        Ok(()) => Ok(true),
        Err(HashError::PasswordInvalid) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use domain::ApiErrorCode;

    use super::*;

    #[tokio::test]
    async fn accepts_the_exact_password_only() {
        let passwords = Passwords::new(2, 2);
        let secret = || Secret::new("correct horse");
        let stored = passwords.hash(secret()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_ne!(stored, passwords.hash(secret()).await.unwrap(), "salted");
        assert!(passwords.verify(secret(), Some(stored.clone())).await.unwrap());
        assert!(!passwords.verify(Secret::new("correct horse "), Some(stored)).await.unwrap());
        assert!(!passwords.verify(secret(), None).await.unwrap());
        let broken = passwords.verify(secret(), Some("plain".into())).await.unwrap_err();
        assert_eq!(broken.code(), ApiErrorCode::Internal);
    }
}
