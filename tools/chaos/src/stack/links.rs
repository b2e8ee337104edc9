//! The connections between the processes, each through a proxy.

use std::{io, net::SocketAddr};

use harness::{Proxy, Receiver};

/// The connections that a fault can break, delay or make hang.
pub struct Links {
    /// To the service's PostgreSQL.
    pub database: Proxy,
    /// To the S3 server.
    pub storage: Proxy,
    /// To the Temporal frontend.
    pub engine: Proxy,
    /// From the service to webhook receivers.
    pub receiver: Option<Proxy>,
}

impl Links {
    /// Starts a proxy in front of each server.
    pub(super) async fn start(
        database: SocketAddr,
        storage: SocketAddr,
        engine: SocketAddr,
        receiver: Option<&Receiver>,
    ) -> io::Result<Self> {
        Ok(Self {
            database: Proxy::start(database).await?,
            storage: Proxy::start(storage).await?,
            engine: Proxy::start(engine).await?,
            receiver: match receiver {
                Some(receiver) => Some(Proxy::start(receiver.address()).await?),
                None => None,
            },
        })
    }
}
