//! Mail: into a folder, or out by SMTP.
//!
//! A message has an id of its own, so sending it again after a crash is the same message: in the folder
//! the same file, by SMTP the same `Message-ID`, which mailboxes show once.

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

/// Where mail goes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MailSettings {
    /// How it leaves.
    pub transport: MailTransport,
    /// Who it is from, `Name <address>`.
    pub from: String,
    /// Where messages are put when `transport` is `folder`.
    pub folder: PathBuf,
    /// The relay when `transport` is `smtp`.
    pub smtp: SmtpSettings,
}

/// The ways mail leaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailTransport {
    /// One `.eml` file a message.
    #[default]
    Folder,
    /// A relay.
    Smtp,
}

/// The relay.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SmtpSettings {
    /// Its host.
    pub host: String,
    /// Its port; 465 for implicit TLS, 587 for STARTTLS by custom.
    pub port: u16,
    /// How the connection is protected.
    pub tls: SmtpTls,
    /// Whom to log in as; nobody when empty.
    pub username: String,
    /// With which password.
    pub password: Secret,
    /// An authority (PEM) of a relay that has no public certificate.
    pub ca_file: Option<PathBuf>,
    /// For each command of a delivery.
    pub timeout_seconds: u64,
}

/// Protections of a connection to the relay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpTls {
    /// TLS from the first byte.
    #[default]
    Implicit,
    /// TLS after a STARTTLS that must succeed.
    Starttls,
    /// None: a relay on this machine only.
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

/// Mail cannot be set up as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum MailSettingsError {
    /// `from` is not an address.
    #[error("from is not an address: {0}")]
    From(String),
    /// `smtp.host` is empty.
    #[error("smtp.host is not set")]
    Host,
    /// Passwords and mail would cross a network in the clear.
    #[error("smtp.tls = none is for a relay on loopback")]
    Plain,
    /// A limit of zero would let nothing through.
    #[error("smtp.timeout_seconds must be from 1 to 300")]
    Timeout,
    /// The folder cannot be made.
    #[error("folder {folder}: {source}")]
    Folder {
        /// The folder named.
        folder: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("smtp TLS: {0}")]
    Tls(String),
}

impl MailSettings {
    /// Checks what can be checked without opening a file.
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

/// A message of the service to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// Its name for ever: 1 to 128 letters, digits, `-`, `_` or `.`, the same when it is sent again.
    pub id: String,
    /// The person's address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// A message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The id, the address or the content cannot be in a message; trying again is of no use.
    #[error("this cannot be sent: {0}")]
    Invalid(String),
    /// The relay will never take it.
    #[error("the relay refused the message: {0}")]
    Refused(String),
    /// It may work later. The message may have been taken.
    #[error("the message could not be handed over: {0}")]
    Failed(String),
}

impl MailError {
    /// Whether sending the same message again may help.
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
    /// A mailer as the settings say. No connection is made yet; the folder is.
    pub fn new(settings: &MailSettings) -> Result<Self, MailSettingsError> {
        settings.validate()?;
        let transport = match settings.transport {
            MailTransport::Folder => {
                let folder = settings.folder.clone();
                std::fs::create_dir_all(&folder)
                    .map_err(|source| MailSettingsError::Folder { folder: folder.clone(), source })?;
                Transport::Folder(Arc::new(folder))
            }
            MailTransport::Smtp => Transport::Smtp(relay(&settings.smtp)?),
        };
        Ok(Self { from: settings.sender()?, transport })
    }

    /// Sends one message; when this returns, it is in the folder or the relay has taken it.
    pub async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = self.message(mail)?;
        match &self.transport {
            Transport::Folder(folder) => {
                let (folder, id, bytes) = (folder.clone(), mail.id.clone(), message.formatted());
                let written = tokio::task::spawn_blocking(move || put(&folder, &id, &bytes)).await;
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

    fn message(&self, mail: &Mail) -> Result<lettre::Message, MailError> {
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
        // One line, whatever was interpolated into it.
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

/// Puts a message into the folder, whole or not at all. One that is there already stays.
fn put(folder: &std::path::Path, id: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(folder.join(format!("{id}.eml"))) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error),
        _ => std::fs::File::open(folder)?.sync_all(),
    }
}

fn relay(settings: &SmtpSettings) -> Result<AsyncSmtpTransport<Tokio1Executor>, MailSettingsError> {
    let tls = match settings.tls {
        SmtpTls::None => Tls::None,
        SmtpTls::Implicit => Tls::Wrapper(tls(settings)?),
        SmtpTls::Starttls => Tls::Required(tls(settings)?),
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

fn tls(settings: &SmtpSettings) -> Result<TlsParameters, MailSettingsError> {
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
