//! Traces of requests, workflows and activities, exported by OTLP over gRPC (ADR 31).

use anyhow::Context;
use opentelemetry::{KeyValue, global};
use opentelemetry_otlp::{
    SpanExporter, WithExportConfig, WithTonicConfig, tonic_types::transport::ClientTlsConfig,
};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchSpanProcessor, Sampler, SdkTracerProvider},
};
use serde::{Deserialize, Serialize};
use temporalio_sdk::opentelemetry::{WorkflowIdGenerator, WorkflowSpanProcessor};

/// Export of traces to an OpenTelemetry collector.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Traces {
    /// Address of the collector's OTLP receiver for gRPC: `http://host:4317`, or `https://…`. Not set,
    /// nothing is traced.
    pub endpoint: Option<String>,
    /// Name of the service in traces.
    pub service_name: String,
    /// Part of the requests that are traced, from 0 to 1.
    pub sample_ratio: f64,
}

impl Default for Traces {
    fn default() -> Self {
        Self { endpoint: None, service_name: "scan".into(), sample_ratio: 1.0 }
    }
}

impl Traces {
    /// Validates rules that the types don't express.
    ///
    /// # Errors
    /// Returns the defect.
    pub fn validate(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.sample_ratio) {
            return Err("sample_ratio must be between 0 and 1".into());
        }
        match &self.endpoint {
            Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => {
                Err("endpoint must start with http:// or https://".into())
            }
            _ => Ok(()),
        }
    }
}

/// The exporter of a process.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

/// Starts the export of traces, if it is configured. `role` is the command of the process.
///
/// # Errors
/// Returns an error if the settings are invalid. A collector that is away is no error: spans that
/// cannot be exported are lost.
pub fn start(settings: &Traces, role: &str) -> anyhow::Result<Option<Exporter>> {
    let Some(endpoint) = &settings.endpoint else { return Ok(None) };
    let mut exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint);
    if endpoint.starts_with("https://") {
        exporter = exporter.with_tls_config(ClientTlsConfig::new().with_enabled_roots());
    }
    let exporter = exporter.build().context("traces.endpoint")?;
    let resource = Resource::builder()
        .with_service_name(settings.service_name.clone())
        .with_attributes([
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", format!("{role}-{}", std::process::id())),
        ])
        .build();
    let provider = SdkTracerProvider::builder()
        .with_resource(resource)
        // Spans of workflows have the same ids, and are not exported again, when they are replayed.
        .with_id_generator(WorkflowIdGenerator::default())
        .with_span_processor(WorkflowSpanProcessor::new(BatchSpanProcessor::builder(exporter).build()))
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.sample_ratio))))
        .build();
    global::set_tracer_provider(provider.clone());
    tracing::info!(endpoint, "traces are exported");
    Ok(Some(Exporter(provider)))
}

/// Exports the remaining spans, if traces are exported.
pub async fn finish(exporter: Option<Exporter>) {
    let Some(Exporter(provider)) = exporter else { return };
    let shut_down = tokio::task::spawn_blocking(move || provider.shutdown()).await;
    if !matches!(shut_down, Ok(Ok(()))) {
        tracing::warn!("the last spans could not be exported");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_off_by_default_and_bad_settings_are_refused() {
        assert!(start(&Traces::default(), "test").unwrap().is_none());
        assert_eq!(Traces::default().validate(), Ok(()));
        let endpoint = Some("collector:4317".to_owned());
        assert!(Traces { endpoint, ..Traces::default() }.validate().unwrap_err().contains("http://"));
        for sample_ratio in [-0.1, 1.1, f64::NAN] {
            assert!(Traces { sample_ratio, ..Traces::default() }.validate().is_err(), "{sample_ratio}");
        }
    }
}
