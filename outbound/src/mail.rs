//! Sends mail over SMTP, or writes it to a folder.
//!
//! Each message has a fixed id, so sending it again is idempotent: a folder gets the same file, and
//! over SMTP the `Message-ID` is the same, which mailboxes show once.

use std::{io::Write, path::PathBuf, sync::Arc, time::Duration};

use domain::Secret;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Tokio1Executor,
    message::{Mailbox, header::ContentType},
    transport::smtp::{
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
    },
};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

/// Settings of outgoing mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MailSettings {
    /// How mail is sent: `folder` or `smtp`.
    pub transport: MailTransport,
    /// Sender, `Name <address>`.
    pub from: String,
    /// Folder to which messages are written if `transport` is `folder`.
    pub folder: PathBuf,
    /// The SMTP relay, if `transport` is `smtp`.
    pub smtp: SmtpSettings,
}

/// How mail is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailTransport {
    /// Writes one `.eml` file per message.
    #[default]
    Folder,
    /// Sends over an SMTP relay.
    Smtp,
}

/// Settings of the SMTP relay.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SmtpSettings {
    /// Host of the relay.
    pub host: String,
    /// Port of the relay: usually 465 for implicit TLS and 587 for STARTTLS.
    pub port: u16,
    /// How the connection is encrypted: `implicit`, `starttls` or `none`.
    pub tls: SmtpTls,
    /// User name. If empty, the relay is used without authentication.
    pub username: String,
    /// Password.
    pub password: Secret,
    /// PEM file of the relay's certificate authority, if it isn't a public one.
    pub ca_file: Option<PathBuf>,
    /// Maximum time of each SMTP command, in seconds; 1 to 300.
    pub timeout_seconds: u64,
}

/// How a connection to the relay is encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpTls {
    /// TLS from the first byte.
    #[default]
    Implicit,
    /// TLS after STARTTLS, which must succeed.
    Starttls,
    /// No TLS. Allowed only for a relay on this machine.
    None,
}

impl Default for MailSettings {
    fn default() -> Self {
        Self {
            transport: MailTransport::default(),
            from: "Scan Service <no-reply@localhost.localdomain>".into(),
            folder: "mailbox".into(),
            smtp: SmtpSettings::default(),
        }
    }
}

impl Default for SmtpSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 465,
            tls: SmtpTls::default(),
            username: String::new(),
            password: Secret::default(),
            ca_file: None,
            timeout_seconds: 20,
        }
    }
}

/// Error of invalid mail settings.
#[derive(Debug, thiserror::Error)]
pub enum MailSettingsError {
    /// `from` is not an address.
    #[error("from is not an address: {0}")]
    From(String),
    /// `smtp.host` is empty.
    #[error("smtp.host is not set")]
    Host,
    /// `smtp.tls` is `none`, but the relay isn't on this machine: passwords and mail would cross
    /// the network in plain text.
    #[error("smtp.tls = none is allowed only for a relay on loopback")]
    Plain,
    /// The timeout is out of range.
    #[error("smtp.timeout_seconds must be from 1 to 300")]
    Timeout,
    /// The folder cannot be created.
    #[error("folder {folder}: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("smtp TLS: {0}")]
    Tls(String),
}

impl MailSettings {
    /// Validates everything that can be checked without opening a file.
    pub fn validate(&self) -> Result<(), MailSettingsError> {
        self.sender()?;
        let smtp = &self.smtp;
        if self.transport == MailTransport::Folder {
            return Ok(());
        }
        if smtp.host.is_empty() {
            return Err(MailSettingsError::Host);
        }
        if !(1..=300).contains(&smtp.timeout_seconds) {
            return Err(MailSettingsError::Timeout);
        }
        let on_loopback = smtp.host == "localhost"
            || smtp.host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        if smtp.tls == SmtpTls::None && !on_loopback {
            return Err(MailSettingsError::Plain);
        }
        Ok(())
    }

    fn sender(&self) -> Result<Mailbox, MailSettingsError> {
        self.from
            .parse()
            .map_err(|error: lettre::address::AddressError| MailSettingsError::From(error.to_string()))
    }
}

/// A message to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// Unique id: 1 to 128 letters, digits, `-`, `_` or `.`. The same when the message is sent
    /// again.
    pub id: String,
    /// Address of the recipient.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
}

/// Reason why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The id, the address or the content is invalid. A retry doesn't help.
    #[error("the message is invalid: {0}")]
    Invalid(String),
    /// The relay rejected the message permanently.
    #[error("the relay rejected the message: {0}")]
    Refused(String),
    /// Sending failed. A retry may succeed; the relay may already have accepted the message.
    #[error("sending the message failed: {0}")]
    Failed(String),
}

impl MailError {
    /// Returns whether a retry with the same message may succeed.
    pub const fn retryable(&self) -> bool {
        matches!(self, MailError::Failed(_))
    }
}

/// Sends mail. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    from: Mailbox,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Folder(Arc<PathBuf>),
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
}

impl Mailer {
    /// Builds a mailer. Creates the folder, but doesn't connect to the relay yet.
    pub fn new(settings: &MailSettings) -> Result<Self, MailSettingsError> {
        settings.validate()?;
        let transport = match settings.transport {
            MailTransport::Folder => {
                let folder = settings.folder.clone();
                std::fs::create_dir_all(&folder)
                    .map_err(|source| MailSettingsError::Folder { folder: folder.clone(), source })?;
                Transport::Folder(Arc::new(folder))
            }
            MailTransport::Smtp => Transport::Smtp(smtp_transport(&settings.smtp)?),
        };
        Ok(Self { from: settings.sender()?, transport })
    }

    /// Sends one message. Returns once the message is in the folder or the relay has accepted it.
    pub async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = self.build_message(mail)?;
        match &self.transport {
            Transport::Folder(folder) => {
                let (folder, id, bytes) = (folder.clone(), mail.id.clone(), message.formatted());
                let written = tokio::task::spawn_blocking(move || write_message(&folder, &id, &bytes)).await;
                let written = written.map_err(std::io::Error::other).flatten();
                written.map_err(|error| MailError::Failed(error.to_string()))
            }
            Transport::Smtp(relay) => match relay.send(message).await {
                Ok(_) => Ok(()),
                Err(error) if error.is_permanent() => Err(MailError::Refused(error.to_string())),
                Err(error) => Err(MailError::Failed(error.to_string())),
            },
        }
    }

    fn build_message(&self, mail: &Mail) -> Result<lettre::Message, MailError> {
        let is_id = (1..=128).contains(&mail.id.len())
            && mail.id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && !mail.id.starts_with('.');
        if !is_id {
            return Err(MailError::Invalid("the id".into()));
        }
        let to = mail
            .to
            .parse()
            .map_err(|error: lettre::address::AddressError| MailError::Invalid(format!("to: {error}")))?;
        // Rejects control characters, so that an interpolated value cannot add header lines.
        if mail.subject.chars().any(char::is_control) {
            return Err(MailError::Invalid("the subject has control characters".into()));
        }
        lettre::Message::builder()
            .message_id(Some(format!("<{}@{}>", mail.id, self.from.email.domain())))
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(mail.subject.clone())
            .header(ContentType::TEXT_PLAIN)
            .body(mail.text.clone())
            .map_err(|error| MailError::Invalid(error.to_string()))
    }
}

/// Writes a message to the folder atomically. Keeps an existing message.
fn write_message(folder: &std::path::Path, id: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(folder.join(format!("{id}.eml"))) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error),
        _ => std::fs::File::open(folder)?.sync_all(),
    }
}

fn smtp_transport(settings: &SmtpSettings) -> Result<AsyncSmtpTransport<Tokio1Executor>, MailSettingsError> {
    let tls = match settings.tls {
        SmtpTls::None => Tls::None,
        SmtpTls::Implicit => Tls::Wrapper(tls_parameters(settings)?),
        SmtpTls::Starttls => Tls::Required(tls_parameters(settings)?),
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&settings.host)
        .port(settings.port)
        .tls(tls)
        .timeout(Some(Duration::from_secs(settings.timeout_seconds)));
    if !settings.username.is_empty() {
        let password = settings.password.reveal().to_owned();
        builder = builder.credentials(Credentials::new(settings.username.clone(), password));
    }
    Ok(builder.build())
}

fn tls_parameters(settings: &SmtpSettings) -> Result<TlsParameters, MailSettingsError> {
    let unusable = |error: lettre::transport::smtp::Error| MailSettingsError::Tls(error.to_string());
    let mut builder =
        TlsParameters::builder(settings.host.clone()).certificate_store(CertificateStore::WebpkiRoots);
    if let Some(file) = &settings.ca_file {
        let pem = std::fs::read(file)
            .map_err(|error| MailSettingsError::Tls(format!("{}: {error}", file.display())))?;
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).map_err(unusable)?);
    }
    builder.build_rustls().map_err(unusable)
}
