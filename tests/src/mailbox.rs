//! A mailbox on loopback that receives the service's mail over SMTP.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use outbound::mail::{MailSettings, MailTransport, SmtpSettings, SmtpTls};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{ServiceOptions, wait};

/// A received message.
#[derive(Debug, Clone)]
pub struct Message {
    /// Recipient of the envelope.
    pub to: String,
    /// Headers and body.
    pub text: String,
}

impl Message {
    /// Returns the link in the message.
    ///
    /// # Panics
    /// Panics if the message has none.
    pub fn link(&self) -> &str {
        let link = self.text.lines().find(|line| line.starts_with("http"));
        link.expect("a link on its own line").trim_end()
    }

    /// Returns the token of the link.
    ///
    /// # Panics
    /// Panics if the message has none.
    pub fn token(&self) -> String {
        self.link().split_once("?token=").expect("a link with a token").1.to_owned()
    }

    /// Returns a header of the message.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.text.lines().take_while(|line| !line.is_empty()).find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

type Messages = Arc<Mutex<Vec<Message>>>;

/// A running mailbox. Stops when dropped.
pub struct Mailbox {
    port: u16,
    messages: Messages,
    serving: JoinHandle<()>,
}

impl Mailbox {
    /// Starts a mailbox on a free port.
    ///
    /// # Errors
    /// Returns an error if no port can be opened.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let messages = Messages::default();
        let inbox = messages.clone();
        let serving = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                // A client that disconnects early has sent nothing.
                tokio::spawn(serve(socket, inbox.clone()));
            }
        });
        Ok(Self { port, messages, serving })
    }

    /// Returns the settings of a mailer that uses the mailbox as relay.
    pub fn settings(&self) -> MailSettings {
        let smtp = SmtpSettings {
            host: "127.0.0.1".into(),
            port: self.port,
            tls: SmtpTls::None,
            timeout_seconds: 5,
            ..SmtpSettings::default()
        };
        MailSettings { transport: MailTransport::Smtp, smtp, ..MailSettings::default() }
    }

    /// Configures a service to send its mail to the mailbox.
    pub fn configure(&self, options: ServiceOptions) -> ServiceOptions {
        options
            .set("OUTBOUND__MAIL__TRANSPORT", "smtp")
            .set("OUTBOUND__MAIL__SMTP__HOST", "127.0.0.1")
            .set("OUTBOUND__MAIL__SMTP__PORT", self.port)
            .set("OUTBOUND__MAIL__SMTP__TLS", "none")
    }

    /// Returns all received messages.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a message to this address with this subject and returns the newest one.
    pub async fn await_message(&self, limit: Duration, to: &str, subject: &str) -> Message {
        let matches = |m: &Message| m.to == to && m.header("Subject") == Some(subject);
        wait::until(subject, limit, async || self.messages().into_iter().rev().find(matches)).await
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(socket: TcpStream, messages: Messages) -> io::Result<()> {
    let (reader, mut writer) = socket.into_split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 mailbox\r\n").await?;
    let mut to = String::new();
    while let Some(line) = lines.next_line().await? {
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let response = match verb.as_str() {
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                "250 recipient ok"
            }
            "DATA" => {
                writer.write_all(b"354 send the message\r\n").await?;
                let mut text = String::new();
                while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                    text += line.strip_prefix('.').unwrap_or(&line);
                    text.push('\n');
                }
                let message = Message { to: std::mem::take(&mut to), text: decode_quoted_printable(text) };
                messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
                "250 accepted"
            }
            "EHLO" => "250-mailbox\r\n250 AUTH PLAIN",
            // Accepts any credentials.
            "AUTH" => "235 authenticated",
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        writer.write_all(format!("{response}\r\n").as_bytes()).await?;
    }
    Ok(())
}

/// Decodes quoted-printable text (RFC 2045 §6.7), which long lines use.
fn decode_quoted_printable(text: String) -> String {
    if !text.contains("Content-Transfer-Encoding: quoted-printable") {
        return text;
    }
    let mut parts = text.replace("=\n", "").split('=').map(str::to_owned).collect::<Vec<_>>();
    for part in parts.iter_mut().skip(1) {
        let byte = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) => *part = format!("{}{}", char::from(byte), &part[2..]),
            None => part.insert(0, '='),
        }
    }
    parts.concat()
}
