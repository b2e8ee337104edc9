//! A TCP proxy in front of a server, which a test can cut off, delay or make hang.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// State of the network between the clients and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Connections work.
    Up,
    /// Everything arrives later, by this time for each piece.
    Delayed(Duration),
    /// The server is gone: connections break, and new ones are closed at once.
    Cut,
    /// The server is stopped: connections stay open, and nothing arrives any more.
    Hanging,
}

/// A running proxy. Stops when dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    network: watch::Sender<Network>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy for the server at `target`, on a free port.
    ///
    /// # Errors
    /// Returns an error if no port can be opened.
    pub async fn start(target: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let network = watch::Sender::new(Network::Up);
        let state = Arc::new(network.subscribe());
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, target, state.as_ref().clone()));
            }
        });
        Ok(Self { address, network, accepting })
    }

    /// Returns the address for clients.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the network for all connections, present and future.
    pub fn set(&self, network: Network) {
        self.network.send_replace(network);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Serves one connection until it ends or the network is cut.
async fn connect(client: TcpStream, target: SocketAddr, mut network: watch::Receiver<Network>) {
    let mut cut = network.clone();
    let forwarding = async {
        wait_until_connected(&mut network).await;
        let Ok(server) = TcpStream::connect(target).await else { return };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let (upstream, downstream) = (network.clone(), network.clone());
        tokio::join!(forward(from_client, to_server, upstream), forward(from_server, to_client, downstream));
    };
    tokio::select! {
        () = forwarding => {}
        () = wait_for(&mut cut, |network| *network == Network::Cut) => {}
    }
}

/// Forwards bytes while the network is up.
async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut network: watch::Receiver<Network>,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        wait_until_connected(&mut network).await;
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
    // The other side may have closed the connection already.
    let _ = to.shutdown().await;
}

/// Waits until bytes pass, and then for the delay of the network.
async fn wait_until_connected(network: &mut watch::Receiver<Network>) {
    wait_for(network, |network| matches!(network, Network::Up | Network::Delayed(_))).await;
    let current = *network.borrow();
    if let Network::Delayed(by) = current {
        tokio::time::sleep(by).await;
    }
}

async fn wait_for(network: &mut watch::Receiver<Network>, awaited: impl FnMut(&Network) -> bool) {
    if network.wait_for(awaited).await.is_err() {
        // The proxy was dropped.
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn exchange(stream: &mut TcpStream) -> io::Result<u8> {
        stream.write_u8(7).await?;
        stream.read_u8().await
    }

    #[tokio::test]
    async fn connections_hang_resume_wait_and_break() {
        let echo = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(echo.local_addr().unwrap()).await.unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = echo.accept().await {
                tokio::spawn(async move {
                    let (mut from, mut to) = stream.split();
                    tokio::io::copy(&mut from, &mut to).await
                });
            }
        });
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(exchange(&mut stream).await.unwrap(), 7);

        proxy.set(Network::Hanging);
        let mut hanging = Box::pin(exchange(&mut stream));
        assert!(tokio::time::timeout(Duration::from_millis(200), &mut hanging).await.is_err());
        proxy.set(Network::Up);
        assert_eq!(hanging.await.unwrap(), 7);

        let delay = Duration::from_millis(50);
        proxy.set(Network::Delayed(delay));
        let began = std::time::Instant::now();
        assert_eq!(exchange(&mut stream).await.unwrap(), 7);
        assert!(began.elapsed() >= 2 * delay, "both ways take longer");

        proxy.set(Network::Cut);
        assert!(exchange(&mut stream).await.is_err(), "the connection is broken");
        let mut new = TcpStream::connect(proxy.address()).await.unwrap();
        assert!(exchange(&mut new).await.is_err(), "a new connection is closed");
    }
}
