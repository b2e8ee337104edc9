//! Encrypts stored signing secrets again with the current master key.

use domain::WebhookEndpointId;
use entities::{Db, webhook_endpoints};
use outbound::seal::Sealer;
use serde::Serialize;

use crate::error::Result;

/// Number of endpoints that are read at a time.
const PAGE: u64 = 200;

/// Result of [`reseal`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ResealReport {
    /// Number of endpoints whose secrets were encrypted again.
    pub resealed: u64,
    /// Number of endpoints whose secrets had the current master key already.
    pub current: u64,
}

/// Encrypts the secrets of all endpoints with the current master key, unless they have it. Afterwards the
/// older keys can be removed, once no process seals with them. Idempotent, and safe while the service is
/// running: a secret that is rotated meanwhile is left unchanged, because it has the key of its process.
///
/// # Errors
/// Returns an error if a secret cannot be decrypted, or the database is unavailable.
pub async fn reseal(db: &Db, sealer: &Sealer) -> Result<ResealReport> {
    let mut report = ResealReport::default();
    let mut last: Option<WebhookEndpointId> = None;
    loop {
        let page = webhook_endpoints::system::sealed_after(db, last.as_ref(), PAGE).await?;
        let Some(end) = page.last() else { return Ok(report) };
        last = Some(end.id.0.clone());
        for endpoint in &page {
            let owner = endpoint.id.0.as_str();
            let stored = [Some(&endpoint.secret_ciphertext), endpoint.previous_secret_ciphertext.as_ref()];
            if stored.into_iter().flatten().all(|sealed| sealer.is_current(sealed)) {
                report.current += 1;
                continue;
            }
            let again =
                |sealed: &String| sealer.open(sealed, owner).map(|secret| sealer.seal(&secret, owner));
            let current = again(&endpoint.secret_ciphertext)?;
            let previous = endpoint.previous_secret_ciphertext.as_ref().map(again).transpose()?;
            let replaced: entities::Result<bool> = db
                .write(async |txn| {
                    let previous = previous.as_deref();
                    webhook_endpoints::system::replace_sealed(&txn, endpoint, &current, previous).await
                })
                .await;
            report.resealed += u64::from(replaced?);
        }
    }
}
