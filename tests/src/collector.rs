//! An OpenTelemetry collector: receives traces by OTLP over gRPC and keeps their spans.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::stream;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    trace::v1::Span,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tonic::{Request, Response, Status, transport::Server};

/// A running collector. It stops when it is dropped.
pub struct Collector {
    address: SocketAddr,
    spans: Arc<Mutex<Vec<Span>>>,
    serving: JoinHandle<()>,
}

struct Receiver(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        lock(&self.0).extend(scopes.flat_map(|scope| scope.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Starts a collector on a free port of loopback.
    ///
    /// # Errors
    /// Returns an error if no port is free.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, spans) = (listener.local_addr()?, Arc::<Mutex<Vec<Span>>>::default());
        let service = TraceServiceServer::new(Receiver(spans.clone()));
        let connections = stream::unfold(listener, |listener| async move {
            let connection = listener.accept().await.map(|(connection, _peer)| connection);
            Some((connection, listener))
        });
        let serving = tokio::spawn(async move {
            let served = Server::builder().add_service(service).serve_with_incoming(connections).await;
            served.expect("the collector serves");
        });
        Ok(Self { address, spans, serving })
    }

    /// Returns the URL of the receiver.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the spans received so far.
    pub fn spans(&self) -> Vec<Span> {
        lock(&self.spans).clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock(spans: &Mutex<Vec<Span>>) -> MutexGuard<'_, Vec<Span>> {
    spans.lock().unwrap_or_else(PoisonError::into_inner)
}
