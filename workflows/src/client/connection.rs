//! Connects to the engine, and registers the search attributes in its namespace.

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
use temporalio_sdk::opentelemetry::OpenTelemetryPlugin;

use super::{EngineError, SdkTelemetry};
use crate::search_attributes;

/// Connection to Temporal: the dev server of `scan up`, a cluster, or Temporal Cloud.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address of Temporal's frontend: `http://host:port` or `https://host:port`.
    pub address: String,
    /// Temporal namespace.
    pub namespace: String,
    /// PEM file of the certificate authority (CA) that signed the server's certificate.
    pub tls_ca_file: Option<PathBuf>,
    /// PEM file of the client's certificate, for mTLS.
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the client's key, for mTLS.
    pub tls_key_file: Option<PathBuf>,
    /// Host name to verify the server's certificate against. Default: the host of `address`.
    pub tls_domain: Option<String>,
    /// API key, for Temporal Cloud.
    pub api_key: Option<Secret>,
    /// Maximum time of one request to the engine, in milliseconds. An API request that needs a
    /// workflow's response waits at most this long.
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

/// Connects to the engine. The connection reconnects by itself after failures. With `telemetry`, the
/// client and the workers that use it report metrics and propagate traces.
///
/// # Errors
/// Returns [`EngineError::Unavailable`] if the engine cannot be reached, and
/// [`EngineError::Internal`] if the settings are invalid.
pub async fn connect(
    settings: &Settings,
    identity: &str,
    telemetry: Option<&SdkTelemetry>,
) -> Result<Client, EngineError> {
    let target = parse_address(&settings.address).map_err(EngineError::Internal)?;
    let options = ConnectionOptions::new(target)
        .identity(identity.to_owned())
        .connect_timeout(Duration::from_secs(5))
        .maybe_tls_options(tls_options(settings).map_err(EngineError::Internal)?)
        .maybe_api_key(settings.api_key.as_ref().map(|k| k.reveal().to_owned()))
        .dns_load_balancing(None)
        .maybe_metrics_meter(telemetry.map(SdkTelemetry::client_meter).transpose()?.flatten())
        .build();
    let connection =
        Connection::connect(options).await.map_err(|e| EngineError::Unavailable(e.to_string()))?;
    let options = ClientOptions::new(settings.namespace.clone());
    // Workers inherit the plugin from their client.
    let options = if telemetry.is_some_and(SdkTelemetry::traces) {
        options.plugin(OpenTelemetryPlugin::builder().build()).build()
    } else {
        options.build()
    };
    Client::new(connection, options).map_err(|e| EngineError::Internal(e.to_string()))
}

fn parse_address(address: &str) -> Result<url::Url, String> {
    address.parse().map_err(|e| format!("invalid engine address {address:?}: {e}"))
}

fn tls_options(settings: &Settings) -> Result<Option<TlsOptions>, String> {
    let read =
        |path: &PathBuf| std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()));
    let client = match (&settings.tls_cert_file, &settings.tls_key_file) {
        (Some(cert), Some(key)) => {
            Some(ClientTlsOptions::builder().client_cert(read(cert)?).client_private_key(read(key)?).build())
        }
        (None, None) => None,
        _ => return Err("set both tls_cert_file and tls_key_file, or neither".into()),
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

/// Registers the search attributes that are missing in the namespace. Idempotent.
///
/// # Errors
/// Returns an error if the operator API is unavailable or rejects the request.
pub async fn prepare_namespace(client: &Client, namespace: &str) -> Result<(), EngineError> {
    let mut operator = client.connection().operator_service();
    let listed = operator
        .list_search_attributes(tonic::Request::new(ListSearchAttributesRequest {
            namespace: namespace.to_owned(),
        }))
        .await
        .map_err(|s| EngineError::Unavailable(s.to_string()))?
        .into_inner();
    let required = [
        (search_attributes::SCAN_STATUS.name(), IndexedValueType::Keyword),
        (search_attributes::SCAN_STAGE.name(), IndexedValueType::Keyword),
        (search_attributes::SCAN_ERROR.name(), IndexedValueType::Keyword),
        (search_attributes::ACCOUNT_ID.name(), IndexedValueType::Keyword),
        (search_attributes::SPACE_ID.name(), IndexedValueType::Keyword),
        (search_attributes::LIVEMODE.name(), IndexedValueType::Bool),
    ];
    let missing: Vec<(String, i32)> = required
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
