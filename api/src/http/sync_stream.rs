//! A `Sync` stream, which warp's replies require.

use std::{
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
};

use futures::{Stream, StreamExt, stream::BoxStream};

/// A `Sync` wrapper of a stream. It accesses the stream through `&mut` only, so the mutex is never
/// locked.
pub(crate) struct SyncStream<T>(Mutex<BoxStream<'static, T>>);

impl<T> SyncStream<T> {
    /// Wraps a stream.
    pub(crate) fn new(stream: impl Stream<Item = T> + Send + 'static) -> Self {
        Self(Mutex::new(stream.boxed()))
    }
}

impl<T> Stream for SyncStream<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(context)
    }
}
