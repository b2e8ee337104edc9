//! The client libraries and the webhook receivers of `examples` against the real service.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use harness::{Account, Receiver, Service, ServiceOptions, clips::Clip, ports, until};
use reqwest::StatusCode;

use crate::packages::{node, python, workspace};

const TIMEOUT: Duration = Duration::from_secs(120);

/// A receiver of `examples/webhook-receivers`, killed when dropped.
struct Example {
    path: &'static str,
    url: String,
    process: Child,
}

impl Example {
    /// Starts a receiver and registers it for the events of an account.
    fn start(
        path: &'static str,
        service: &Service,
        account: &Account,
        receiver: &Receiver,
        command: impl FnOnce(u16) -> Command,
    ) -> Self {
        let [port] = ports::free();
        let url = receiver.url_of(path);
        let new = ["create-webhook", "--account", &account.id, "--mode", "test", "--url", &url];
        let created = service.admin(&new).unwrap();
        let url = format!("http://127.0.0.1:{port}/webhooks");
        receiver.forward(path, &url);
        let mut command = command(port);
        command.env("SCAN_WEBHOOK_SECRET", created["signing_secret"].as_str().unwrap());
        command.env("PORT", port.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        let process = command.spawn().unwrap();
        Self { path, url, process }
    }

    /// Waits until it responds. It refuses a request without a signature.
    async fn ready(&mut self) {
        let http = harness::http_client();
        let status = until("the receiver to respond", TIMEOUT, async || {
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none(), "{} ended with {ended:?}", self.path);
            let request = http.post(&self.url).header("content-type", "application/json").body("{}");
            request.send().await.ok().map(|response| response.status())
        });
        assert_eq!(status.await, StatusCode::BAD_REQUEST);
    }

    /// Waits until it has accepted the event, and checks that it refuses a changed body.
    async fn accepts(&self, receiver: &Receiver, event: &str) {
        let delivered = receiver
            .await_request(TIMEOUT, |r| r.path == self.path && r.event_id == event && r.responded.is_some())
            .await;
        assert_eq!(delivered.responded, Some(StatusCode::NO_CONTENT), "{} {event}", self.path);
        let changed = String::from_utf8(delivered.body.to_vec()).unwrap().replacen("scan", "Scan", 1);
        for (body, expected) in [(changed.into(), 400), (delivered.body.clone(), 204)] {
            let request = harness::http_client().post(&self.url).header("content-type", "application/json");
            let response = request.header("scan-signature", &delivered.signature).body(body).send().await;
            assert_eq!(response.unwrap().status().as_u16(), expected, "{} {event}", self.path);
        }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the whole path of a library and returns the events of its scans.
async fn run(mut command: Command, service: &Service, account: &Account, media: &Path) -> Vec<String> {
    command.env("SCAN_API_URL", service.api_url()).env("SCAN_API_KEY", &account.key);
    command.env("SCAN_CLIP", media.join("clip.mp4")).env("SCAN_PHOTOS", media.join("photos"));
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let (ids, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{ids}\n{errors}");
    let events: Vec<String> = ids.lines().map(|scan| format!("evt_{scan}_completed")).collect();
    assert_eq!(events.len(), 2, "{ids}");
    events
}

/// Writes a short video and three of its frames as photos.
fn write_media(folder: &Path) {
    std::fs::create_dir_all(folder.join("photos")).unwrap();
    std::fs::write(folder.join("clip.mp4"), Clip::moving(3).bytes).unwrap();
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-loglevel", "error", "-nostdin", "-i"]).arg(folder.join("clip.mp4"));
    ffmpeg.args(["-vf", "fps=1"]).arg(folder.join("photos/photo-%02d.jpg"));
    assert!(ffmpeg.status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn client_libraries_run_the_whole_path_and_receivers_verify_deliveries() {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(ServiceOptions::default(), Some(&receiver)).await.unwrap();
    let media = tempfile::tempdir().unwrap();
    write_media(media.path());
    let examples = workspace().join("examples/webhook-receivers");
    let accounts = [service.account().unwrap(), service.account().unwrap()];
    let fastapi = |port: u16| {
        let mut command = python();
        let port = port.to_string();
        command.args(["-m", "uvicorn", "main:app", "--log-level", "warning", "--port", &port]);
        command.current_dir(examples.join("python-fastapi"));
        command
    };
    let express = |_| node(&examples.join("node-express/receiver.mjs"));
    let axum = |_| Command::new(harness::binary("webhook-receiver").unwrap());
    // Each library is used by one account. Its deliveries go to two receivers.
    let mut started = [
        Example::start("/fastapi", &service, &accounts[0], &receiver, fastapi),
        Example::start("/axum", &service, &accounts[0], &receiver, axum),
        Example::start("/express", &service, &accounts[1], &receiver, express),
    ];
    for example in &mut started {
        example.ready().await;
    }

    let mut whole_path = python();
    whole_path.arg(workspace().join("clients/python/tests/whole_path.py"));
    let (of_python, of_typescript) = tokio::join!(
        run(whole_path, &service, &accounts[0], media.path()),
        run(
            node(&workspace().join("clients/typescript/tests/whole-path.mjs")),
            &service,
            &accounts[1],
            media.path()
        ),
    );
    let [fastapi, axum, express] = &started;
    for event in &of_python {
        fastapi.accepts(&receiver, event).await;
        axum.accepts(&receiver, event).await;
    }
    for event in &of_typescript {
        express.accepts(&receiver, event).await;
    }
}
