//! A server that speaks the protocol of OpenAI's API over real sockets, and fails on demand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Response of the server to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A valid response: one sign and one object per frame, one sentence per sound.
    Valid,
    /// No response.
    Silence,
    /// This status, with `Retry-After` in seconds.
    Status(u16, u32),
    /// This body with status 200.
    Body(&'static str),
    /// A completion with this message and finish reason.
    Message(Value, &'static str),
    /// This status and body if the request has a parameter of this name; otherwise a valid response.
    Refuses(&'static str, u16, &'static str),
}

/// A running server. It stops with the process.
pub(crate) struct Server {
    pub(crate) base_url: String,
    pub(crate) requests: Arc<Mutex<Vec<Request>>>,
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Vec<u8>,
    /// A GET, by which the client finds out whether the server is alive. It is not recorded.
    is_probe: bool,
}

impl Server {
    /// Starts a server with these replies in order. The last one is repeated.
    pub(crate) fn start(replies: &[Reply]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (replies, received) = (replies.to_vec(), requests.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (replies, received) = (replies.clone(), received.clone());
                std::thread::spawn(move || serve(stream, &replies, &received));
            }
        });
        Server { base_url, requests }
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn serve(stream: TcpStream, replies: &[Reply], received: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read(&mut reader) {
        if request.is_probe {
            let alive = "HTTP/1.1 200 x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
            if (&stream).write_all(alive.as_bytes()).is_err() {
                return;
            }
            continue;
        }
        let number = {
            let mut received = received.lock().unwrap();
            received.push(request.clone());
            received.len() - 1
        };
        let (status, wait, body) = match &replies[number.min(replies.len() - 1)] {
            Reply::Valid => (200, None, valid_body(&request).to_string()),
            Reply::Silence => {
                // Waits until the client disconnects.
                let _ = reader.read(&mut [0]);
                return;
            }
            Reply::Status(status, wait) => (*status, Some(*wait), r#"{"error":{"message":"no"}}"#.to_owned()),
            Reply::Body(body) => (200, None, (*body).to_owned()),
            Reply::Refuses(parameter, status, body) => {
                let sent: Value = serde_json::from_slice(&request.body).unwrap();
                match sent.get(*parameter) {
                    Some(_) => (*status, None, (*body).to_owned()),
                    None => (200, None, valid_body(&request).to_string()),
                }
            }
            Reply::Message(message, finish) => (200, None, completion(message, finish).to_string()),
        };
        let wait = wait.map_or_else(String::new, |seconds| format!("Retry-After: {seconds}\r\n"));
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\n{wait}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = &stream;
        if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line);
    }
    let header = |name: &str| {
        lines.iter().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let is_probe = lines.first()?.starts_with("GET ");
    let length = if is_probe { 0 } else { header("content-length")?.parse().ok()? };
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = lines.first()?.split_whitespace().nth(1)?.to_owned();
    Some(Request { path, authorization: header("authorization"), body, is_probe })
}

fn completion(message: &Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050 },
    })
}

fn valid_body(request: &Request) -> Value {
    if request.path.ends_with("/audio/transcriptions") {
        let text = " This is the kitchen.";
        return json!({
            "task": "transcribe",
            "language": "german",
            "duration": 2.0,
            "text": text,
            "segments": [{ "id": 0, "start": 0.2, "end": 1.8, "text": text, "avg_logprob": -0.1 }],
        });
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    if request.path.ends_with("/embeddings") {
        let texts = body["input"].as_array().unwrap();
        // In reverse order: clients must use the index.
        let data: Vec<Value> = (0..texts.len())
            .rev()
            .map(|at| json!({ "object": "embedding", "index": at, "embedding": [1.0, at as f64, 0.5] }))
            .collect();
        return json!({ "object": "list", "data": data, "model": body["model"],
            "usage": { "prompt_tokens": 7 * texts.len(), "total_tokens": 7 * texts.len() } });
    }
    if body["messages"][1]["content"].is_string() {
        return completion(&json!({ "role": "assistant", "content": " It is there. \n" }), "stop");
    }
    let parts = body["messages"][1]["content"].as_array().unwrap();
    let ids =
        parts.iter().filter_map(|part| part["text"].as_str()?.strip_prefix("Frame ")?.strip_suffix(':'));
    let frames: Vec<Value> = ids
        .map(|id| {
            json!({
                "frame_id": id,
                "texts": [{ "text": "FIRE  EXIT", "box": [0.1, 0.1, 0.3, 0.1] }],
                "things": [{ "name": "Fire extinguisher", "box": [0.5, 0.5, 0.1, 0.3] }],
            })
        })
        .collect();
    let content = json!({ "frames": frames }).to_string();
    completion(&json!({ "role": "assistant", "content": content, "refusal": null }), "stop")
}
