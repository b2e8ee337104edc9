//! Cancellation of blocking stages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::PerceptionError;

/// A flag that the caller sets and a stage checks often. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Creates a flag that is not set.
    pub fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// Asks the stage to stop. A flag cannot be reset.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if the stage was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns early from a stage that was asked to stop.
    ///
    /// # Errors
    /// Returns [`PerceptionError::Cancelled`] if the flag is set.
    pub fn check(&self) -> Result<(), PerceptionError> {
        if self.is_cancelled() { Err(PerceptionError::Cancelled) } else { Ok(()) }
    }
}
