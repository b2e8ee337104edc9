//! Passwords: hashed with argon2id, slowly on purpose, beside the requests and a bounded number at once.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use argon2::{
    Argon2,
    password_hash::{Error as HashError, PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::{ApiErrorCode, Secret, key::random_text};
use tokio::sync::Semaphore;

use crate::http::error::{ApiError, ApiResult};

/// How long a request waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Hashes and checks passwords. Cheap to clone; clones share the turns.
#[derive(Clone)]
pub struct Passwords(Arc<Inner>);

struct Inner {
    turns: Arc<Semaphore>,
    /// What is checked when there is no user, so that the answer takes as long as if there were one.
    nobody: OnceLock<String>,
}

impl Passwords {
    /// At most so many at once.
    pub fn new(at_once: usize) -> Self {
        Self(Arc::new(Inner { turns: Arc::new(Semaphore::new(at_once)), nobody: OnceLock::new() }))
    }

    /// The hash to store.
    ///
    /// # Errors
    /// `UNAVAILABLE` when too many are at it.
    pub async fn hash(&self, password: Secret) -> ApiResult<String> {
        self.beside(move |_| hash(&password)).await?.map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Whether this is the password of the hash; `false`, and as slowly, without one.
    ///
    /// # Errors
    /// `UNAVAILABLE` when too many are at it; `INTERNAL` when what is stored is no hash.
    pub async fn verify(&self, password: Secret, stored: Option<String>) -> ApiResult<bool> {
        let checked = self.beside(move |inner| {
            let Some(stored) = stored else {
                let nobody = inner.nobody()?;
                verify(&password, nobody)?;
                return Ok(false);
            };
            verify(&password, &stored)
        });
        checked.await?.map_err(|error: HashError| ApiError::internal(error.to_string()))
    }

    /// Runs the work on a thread that may block. The turn lasts as long as the work, also when the request
    /// is given up.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> ApiResult<T> {
        let busy = || ApiError::new(ApiErrorCode::Unavailable).retry_after(2);
        let turn = tokio::time::timeout(MAX_WAIT, self.0.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| busy())?.map_err(|_| busy())?;
        let inner = self.0.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&inner)
        });
        done.await.map_err(ApiError::internal)
    }
}

impl Inner {
    fn nobody(&self) -> Result<&str, HashError> {
        if self.nobody.get().is_none() {
            let hash = hash(&Secret::new(random_text(32)))?;
            let _ = self.nobody.set(hash);
        }
        Ok(self.nobody.get().map_or("", String::as_str))
    }
}

/// Argon2id with the parameters that OWASP asks for (19 MiB, 2 passes), which are the crate's own.
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
    use super::*;

    #[tokio::test]
    async fn only_the_password_itself_is_taken() {
        let passwords = Passwords::new(2);
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
