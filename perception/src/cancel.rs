//! Telling a blocking stage to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::PerceptionError;

/// A flag that one side raises and a stage looks at often. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is down.
    pub fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// Asks the stage to stop; it cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stage was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends a stage that was asked to stop.
    ///
    /// # Errors
    /// [`PerceptionError::Cancelled`] when it was.
    pub fn check(&self) -> Result<(), PerceptionError> {
        if self.is_cancelled() { Err(PerceptionError::Cancelled) } else { Ok(()) }
    }
}
