//! Reaching the engine, and making its namespace ready for us.

use std::{path::PathBuf, time::Duration};

use domain::Secret;
use serde::{Deserialize, Serialize};
use temporalio_client::{
    Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, TlsOptions, tonic,
};
use temporalio_common::protos::temporal::api::{
    enums::v1::IndexedValueType,
    operatorservice::v1::{AddSearchAttributesRequest, ListSearchAttributesRequest},
};

use super::EngineError;
use crate::search;

/// Where the engine is. Embedded: the dev server of `scan up`. Production: a cluster or the cloud.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address of the frontend, `http://host:port` or `https://host:port`.
    pub address: String,
    /// Namespace.
    pub namespace: String,
    /// PEM file of the certificate authority that signed the server's certificate.
    pub tls_ca_file: Option<PathBuf>,
    /// PEM file of the client's certificate, for mTLS.
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the client's key, for mTLS.
    pub tls_key_file: Option<PathBuf>,
    /// Name to verify the server's certificate against, where it is not the address's.
    pub tls_domain: Option<String>,
    /// API key, for the cloud.
    pub api_key: Option<Secret>,
    /// How long a caller of the API waits for a workflow's answer, in milliseconds.
    pub answer_within_ms: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: "http://127.0.0.1:7233".into(),
            namespace: "default".into(),
            tls_ca_file: None,
            tls_cert_file: None,
            tls_key_file: None,
            tls_domain: None,
            api_key: None,
            answer_within_ms: 5_000,
        }
    }
}

/// Connects once; the connection mends itself afterwards.
///
/// # Errors
/// [`EngineError::Unavailable`] when nobody answers; [`EngineError::Internal`] for bad settings.
pub async fn connect(settings: &Settings, identity: &str) -> Result<Client, EngineError> {
    let internal = |e: String| EngineError::Internal(e);
    let target = url_of(&settings.address).map_err(internal)?;
    let options = ConnectionOptions::new(target)
        .identity(identity.to_owned())
        .connect_timeout(Duration::from_secs(5))
        .maybe_tls_options(tls(settings).map_err(internal)?)
        .maybe_api_key(settings.api_key.as_ref().map(|k| k.reveal().to_owned()))
        .dns_load_balancing(None)
        .build();
    let connection =
        Connection::connect(options).await.map_err(|e| EngineError::Unavailable(e.to_string()))?;
    Client::new(connection, ClientOptions::new(settings.namespace.clone()).build())
        .map_err(|e| EngineError::Internal(e.to_string()))
}

fn url_of(address: &str) -> Result<url::Url, String> {
    address.parse().map_err(|e| format!("engine address {address:?}: {e}"))
}

fn tls(settings: &Settings) -> Result<Option<TlsOptions>, String> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let client = match (&settings.tls_cert_file, &settings.tls_key_file) {
        (Some(cert), Some(key)) => {
            Some(ClientTlsOptions::builder().client_cert(read(cert)?).client_private_key(read(key)?).build())
        }
        (None, None) => None,
        _ => return Err("tls_cert_file and tls_key_file go together".into()),
    };
    if client.is_none() && settings.tls_ca_file.is_none() && !settings.address.starts_with("https://") {
        return Ok(None);
    }
    Ok(Some(
        TlsOptions::builder()
            .maybe_server_root_ca_cert(settings.tls_ca_file.as_ref().map(read).transpose()?)
            .maybe_domain(settings.tls_domain.clone())
            .maybe_client_tls_options(client)
            .build(),
    ))
}

/// Makes the namespace ready for us: the search attributes exist. Harmless when they do already.
///
/// # Errors
/// [`EngineError`] when the operator API refuses or is away.
pub async fn prepare_namespace(client: &Client, namespace: &str) -> Result<(), EngineError> {
    let mut operator = client.connection().operator_service();
    let listed = operator
        .list_search_attributes(tonic::Request::new(ListSearchAttributesRequest {
            namespace: namespace.to_owned(),
        }))
        .await
        .map_err(|s| EngineError::Unavailable(s.to_string()))?
        .into_inner();
    let wanted = [
        (search::SCAN_STATUS.name(), IndexedValueType::Keyword),
        (search::SCAN_STAGE.name(), IndexedValueType::Keyword),
        (search::ACCOUNT_ID.name(), IndexedValueType::Keyword),
        (search::SPACE_ID.name(), IndexedValueType::Keyword),
        (search::LIVEMODE.name(), IndexedValueType::Bool),
    ];
    let missing: Vec<(String, i32)> = wanted
        .into_iter()
        .filter(|(name, _)| !listed.custom_attributes.contains_key(*name))
        .map(|(name, kind)| (name.to_owned(), kind as i32))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let request = AddSearchAttributesRequest {
        search_attributes: missing.into_iter().collect(),
        namespace: namespace.to_owned(),
    };
    match operator.add_search_attributes(tonic::Request::new(request)).await {
        Ok(_) => Ok(()),
        Err(s) if s.code() == tonic::Code::AlreadyExists => Ok(()),
        Err(s) => Err(EngineError::Internal(s.to_string())),
    }
}
