//! Signals that wake the relays of a process, by kind of entry.

use tokio::sync::watch;

use super::kind::Kind;

/// Wakes the relays of this process when an entry that is due at once is committed.
#[derive(Debug)]
pub(crate) struct Wakeups([watch::Sender<()>; Kind::ALL.len()]);

impl Default for Wakeups {
    fn default() -> Self {
        Self(std::array::from_fn(|_| watch::Sender::new(())))
    }
}

impl Wakeups {
    /// Returns a receiver that changes at each wake-up of this kind.
    pub(super) fn subscribe(&self, kind: Kind) -> watch::Receiver<()> {
        self.0[kind as usize].subscribe()
    }

    /// Wakes the relays that wait for entries of this kind.
    pub(crate) fn wake(&self, kind: Kind) {
        self.0[kind as usize].send_replace(());
    }
}
