//! Admitted requests that wait for their bodies.

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::app::{Call, TestApp};

/// A request whose handler waits for the body.
pub(crate) struct StalledRequest {
    stream: TcpStream,
    body: Vec<u8>,
}

/// Sends the head of a request and waits for `100 Continue`, which the server sends when the
/// handler reads the body. The request is then admitted, and the handler hasn't changed anything
/// yet.
pub(crate) async fn stall(app: &TestApp, call: Call) -> StalledRequest {
    let request = call.build();
    let body = request.body().and_then(|body| body.as_bytes()).expect("a body to send later").to_vec();
    let (method, url) = (request.method(), request.url());
    let mut head = format!("{method} {} HTTP/1.1\r\nhost: {}\r\n", url.path(), app.address);
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    head += &format!("content-length: {}\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut received = vec![0; expected.len()];
    stream.read_exact(&mut received).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&received), String::from_utf8_lossy(expected), "{method} {url}");
    StalledRequest { stream, body }
}

impl StalledRequest {
    /// Sends the body and returns status and body of the response.
    pub(crate) async fn finish(mut self) -> (u16, Value) {
        self.stream.write_all(&self.body).await.unwrap();
        let mut response = Vec::new();
        self.stream.read_to_end(&mut response).await.unwrap();
        let text = String::from_utf8(response).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("a response");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), serde_json::from_str(body).unwrap_or_default())
    }
}
