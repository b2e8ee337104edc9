//! A load balancer in front of the API: the next process takes the next connection, and a process that
//! refuses connections is skipped.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A running load balancer. Stops when dropped.
#[derive(Debug)]
pub(super) struct Balancer {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Balancer {
    pub(super) async fn start(targets: Vec<SocketAddr>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (targets, next) = (Arc::new(targets), Arc::new(AtomicUsize::default()));
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let first = next.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(client, targets.clone(), first));
            }
        });
        Ok(Self { address, accepting })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Forwards one connection to the first process that accepts it, beginning with `first`.
async fn serve(mut client: TcpStream, targets: Arc<Vec<SocketAddr>>, first: usize) {
    for offset in 0..targets.len() {
        let target = targets[(first + offset) % targets.len()];
        if let Ok(mut server) = TcpStream::connect(target).await {
            // Either side may break the connection at any time.
            let _ = copy_bidirectional(&mut client, &mut server).await;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn server(answer: u8) -> (SocketAddr, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                stream.write_u8(answer).await.unwrap();
            }
        });
        (address, serving)
    }

    async fn answers(balancer: &Balancer) -> Vec<u8> {
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(TcpStream::connect(balancer.address()).await.unwrap().read_u8().await.unwrap());
        }
        answers
    }

    #[tokio::test]
    async fn connections_alternate_and_skip_a_process_that_is_gone() {
        let (first, _serving) = server(1).await;
        let (second, ending) = server(2).await;
        let balancer = Balancer::start(vec![first, second]).await.unwrap();
        assert_eq!(answers(&balancer).await, [1, 2, 1, 2]);
        ending.abort();
        let _ = ending.await;
        assert_eq!(answers(&balancer).await, [1, 1, 1, 1]);
    }
}
