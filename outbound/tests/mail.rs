//! Tests mail to a folder and to an SMTP relay on loopback.

use std::{path::Path, sync::Arc};

use domain::Secret;
use outbound::mail::{Mail, MailError, MailSettings, MailTransport, Mailer, SmtpSettings, SmtpTls};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    sync::Mutex,
};

fn in_folder(folder: &Path) -> Mailer {
    let settings = MailSettings {
        from: "Scan Service <no-reply@scan.example.com>".into(),
        folder: folder.join("mailbox"),
        ..Default::default()
    };
    Mailer::new(&settings).unwrap()
}

fn mail(id: &str) -> Mail {
    Mail {
        id: id.into(),
        to: "owner@example.org".into(),
        subject: "Top-up failed – sorry".into(),
        text: "Hello,\nyour top-up of 20 € was declined.\n.\nScan Service".into(),
    }
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("mailbox")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn repeated_sends_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = in_folder(folder.path());
    mailer.send(&mail("evt_1")).await.unwrap();
    let first = std::fs::read_to_string(folder.path().join("mailbox/evt_1.eml")).unwrap();
    mailer.send(&Mail { text: "other".into(), ..mail("evt_1") }).await.unwrap();
    mailer.send(&mail("evt_2")).await.unwrap();
    assert_eq!(files(folder.path()), ["evt_1.eml", "evt_2.eml"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("mailbox/evt_1.eml")).unwrap(), first);
    for line in [
        "From: \"Scan Service\" <no-reply@scan.example.com>",
        "To: owner@example.org",
        "Message-ID: <evt_1@scan.example.com>",
        "Content-Type: text/plain; charset=utf-8",
    ] {
        assert!(first.contains(&format!("{line}\r\n")), "{line} is not in\n{first}");
    }
}

#[tokio::test]
async fn rejects_header_injection() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = in_folder(folder.path());
    let good = mail("evt_1");
    for bad in [
        Mail { id: "../evt".into(), ..good.clone() },
        Mail { id: ".hidden".into(), ..good.clone() },
        Mail { id: String::new(), ..good.clone() },
        Mail { id: "a\r\nBcc: x@example.org".into(), ..good.clone() },
        Mail { to: "nobody".into(), ..good.clone() },
        Mail { to: "a@example.org\r\nBcc: x@example.org".into(), ..good.clone() },
        Mail { to: "a@example.org, b@example.org".into(), ..good.clone() },
        Mail { subject: "hi\r\nBcc: x@example.org".into(), ..good.clone() },
    ] {
        let error = mailer.send(&bad).await.unwrap_err();
        assert!(matches!(error, MailError::Invalid(_)) && !error.retryable(), "{bad:?}");
    }
    assert!(files(folder.path()).is_empty());
}

/// A minimal SMTP relay. It responds to `RCPT` with `verdict` and records what it receives.
async fn relay(verdict: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = received.clone();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let (reader, mut writer) = socket.into_split();
        let mut lines = BufReader::new(reader).lines();
        writer.write_all(b"220 relay\r\n").await.unwrap();
        let mut in_data = false;
        while let Ok(Some(line)) = lines.next_line().await {
            log.lock().await.push(line.clone());
            let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
            let response = match (in_data, verb.as_str()) {
                (true, _) if line == "." => {
                    in_data = false;
                    "250 taken"
                }
                (true, _) => continue,
                (_, "RCPT") => verdict,
                (_, "DATA") => {
                    in_data = true;
                    "354 go on"
                }
                (_, "QUIT") => "221 bye",
                _ => "250 ok",
            };
            writer.write_all(format!("{response}\r\n").as_bytes()).await.unwrap();
        }
    });
    (port, received)
}

fn by_smtp(port: u16) -> Mailer {
    let smtp = SmtpSettings {
        host: "127.0.0.1".into(),
        port,
        tls: SmtpTls::None,
        timeout_seconds: 5,
        ..Default::default()
    };
    let from = "no-reply@scan.example.com".into();
    Mailer::new(&MailSettings { transport: MailTransport::Smtp, from, smtp, ..Default::default() }).unwrap()
}

#[tokio::test]
async fn sends_the_message_to_the_relay() {
    let (port, received) = relay("250 ok").await;
    by_smtp(port).send(&mail("evt_1")).await.unwrap();
    let received = received.lock().await;
    assert!(
        received.iter().any(|line| line.starts_with("MAIL FROM:<no-reply@scan.example.com>")),
        "{received:?}"
    );
    assert!(received.iter().any(|line| line.starts_with("RCPT TO:<owner@example.org>")));
    assert!(received.iter().any(|line| line == "Message-ID: <evt_1@scan.example.com>"));
}

#[tokio::test]
async fn only_temporary_rejections_are_retryable() {
    for (verdict, retryable) in [("550 no such user", false), ("451 later", true)] {
        let (port, _) = relay(verdict).await;
        let error = by_smtp(port).send(&mail("evt_1")).await.unwrap_err();
        assert_eq!(error.retryable(), retryable, "{verdict}: {error}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    assert!(by_smtp(port).send(&mail("evt_1")).await.unwrap_err().retryable());
}

#[test]
fn rejects_invalid_and_insecure_settings() {
    let with = |host: &str, tls| {
        let smtp = SmtpSettings { host: host.into(), tls, password: Secret::new("x"), ..Default::default() };
        MailSettings { transport: MailTransport::Smtp, smtp, ..Default::default() }.validate()
    };
    assert!(with("smtp.example.com", SmtpTls::Implicit).is_ok());
    assert!(with("smtp.example.com", SmtpTls::Starttls).is_ok());
    assert!(with("smtp.example.com", SmtpTls::None).is_err());
    assert!(with("127.0.0.1", SmtpTls::None).is_ok());
    assert!(with("", SmtpTls::Implicit).is_err());
    assert!(MailSettings { from: "nobody".into(), ..Default::default() }.validate().is_err());
    assert!(MailSettings::default().validate().is_ok());
}
