//! Accepts connections and shuts down gracefully.

use std::{io, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use domain::Secret;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use s3s::{
    auth::SimpleAuth,
    service::{S3Service, S3ServiceBuilder},
};
use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};
use tokio_util::sync::CancellationToken;

use super::{folder::Folder, service::FolderService};

/// Maximum time to receive the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause after a failed accept, for example because of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The credentials that clients must sign with.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Access key id.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
}

/// Reason why the server failed to start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process serves the folder.
    #[error("the storage folder {0} is in use by another process")]
    InUse(String),
    /// The folder or the listener failed.
    #[error("the storage folder cannot be served: {0}")]
    Io(#[from] io::Error),
}

/// A running server. Stops immediately when dropped; uploads in progress are not stored.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stopping: CancellationToken,
    accepting: JoinHandle<()>,
}

/// Serves `folder` on `listener` to clients that sign with `credentials`. Creates the folder if it
/// doesn't exist. Must be called within a Tokio runtime.
///
/// # Errors
/// Returns [`Error::InUse`] if another process serves the folder, and [`Error::Io`] otherwise.
pub fn serve(folder: &Path, listener: TcpListener, credentials: Credentials) -> Result<Server, Error> {
    serve_rotating(folder, listener, credentials, Vec::new())
}

/// Serves as [`serve`] does, and accepts requests and signed URLs of earlier credentials too.
///
/// # Errors
/// Returns the errors of [`serve`].
pub fn serve_rotating(
    folder: &Path,
    listener: TcpListener,
    credentials: Credentials,
    previous: Vec<Credentials>,
) -> Result<Server, Error> {
    let store = Folder::open(folder).map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => Error::InUse(folder.display().to_string()),
        _ => Error::Io(error),
    })?;
    let address = listener.local_addr()?;
    let mut builder = S3ServiceBuilder::new(FolderService(Arc::new(store)));
    let mut auth = SimpleAuth::new();
    // The current credentials come last, so that they win over an earlier secret of the same id.
    for Credentials { access_key_id, secret_access_key } in previous.into_iter().chain([credentials]) {
        auth.register(access_key_id, secret_access_key.reveal().into());
    }
    builder.set_auth(auth);
    let stopping = CancellationToken::new();
    let accepting = tokio::spawn(accept(listener, builder.build(), stopping.clone()));
    Ok(Server { address, stopping, accepting })
}

impl Server {
    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the endpoint URL for S3 clients.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops accepting requests and waits at most `grace` for running ones. Aborts the rest.
    pub async fn stop(mut self, grace: Duration) {
        self.stopping.cancel();
        if tokio::time::timeout(grace, &mut self.accepting).await.is_err() {
            tracing::warn!("aborted the running requests to the storage server");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, service: S3Service, stopping: CancellationToken) {
    let graceful = GracefulShutdown::new();
    // Owned by this task, so that the connections end with it.
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "the storage server failed to accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Sends small responses without waiting for acknowledgements.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service.clone());
        connections.spawn(graceful.watch(connection));
    }
    drop(listener);
    graceful.shutdown().await;
}
