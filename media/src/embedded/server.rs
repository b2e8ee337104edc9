//! Accepting and stopping.

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

/// Longest time for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Wait after the system refuses to accept (too many open files, say).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The one identity that may use the server.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Access key id.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another server, perhaps another instance of this program, has the folder.
    #[error("the storage folder {0} is in use by another process")]
    InUse(String),
    /// The folder or the listener failed.
    #[error("the storage folder cannot be served: {0}")]
    Io(#[from] io::Error),
}

/// A running server. Dropped, it stops at once: what was being stored is not.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stopping: CancellationToken,
    accepting: JoinHandle<()>,
}

/// Serves `folder`, which is created if need be, on `listener`, to whoever signs with `credentials`.
/// Must be called within a Tokio runtime.
///
/// # Errors
/// [`Error::InUse`] when the folder is served already, [`Error::Io`] otherwise.
pub fn serve(folder: &Path, listener: TcpListener, credentials: Credentials) -> Result<Server, Error> {
    let store = Folder::open(folder).map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => Error::InUse(folder.display().to_string()),
        _ => Error::Io(error),
    })?;
    let address = listener.local_addr()?;
    let mut builder = S3ServiceBuilder::new(FolderService(Arc::new(store)));
    builder
        .set_auth(SimpleAuth::from_single(credentials.access_key_id, credentials.secret_access_key.reveal()));
    let stopping = CancellationToken::new();
    let accepting = tokio::spawn(accept(listener, builder.build(), stopping.clone()));
    Ok(Server { address, stopping, accepting })
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as S3 clients take it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Takes no more requests and waits for those under way, at most `grace`; the rest is broken off.
    pub async fn stop(mut self, grace: Duration) {
        self.stopping.cancel();
        if tokio::time::timeout(grace, &mut self.accepting).await.is_err() {
            tracing::warn!("requests to the storage folder were broken off");
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
    // Owned here, so that connections end with this task.
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
                tracing::warn!(%error, "the storage server cannot accept");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Small answers must not wait for the client's acknowledgement.
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
