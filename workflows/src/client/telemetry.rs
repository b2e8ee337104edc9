//! What the Temporal SDK reports about itself: its metrics, and the spans of its plugin.

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use temporalio_common::telemetry::{
    HistogramBucketOverrides, PrometheusExporterOptions, TelemetryOptions,
    metrics::{CoreMeter, TemporalMeter},
    start_prometheus_metric_exporter, telemetry_init,
};

use super::EngineError;

/// Buckets of the times that the SDK measures, in seconds. The SDK's own end at a minute, and
/// stages take hours.
const BUCKETS: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0];
/// Part of the names of all histograms of times.
const LATENCY: &str = "latency";

/// Metrics and traces of the Temporal SDK in this process. Cheap to clone.
///
/// The SDK keeps its metrics in a registry of its own, because it uses one name with different labels,
/// which the registry of the service refuses. It serves them on a port of loopback that nobody else
/// knows; [`SdkTelemetry::address`] is where the admin port reads them.
#[derive(Clone)]
pub struct SdkTelemetry {
    meter: Arc<dyn CoreMeter>,
    address: SocketAddr,
    traces: bool,
}

impl SdkTelemetry {
    /// Starts the exporter of the SDK's metrics. With `traces`, clients and workers also propagate
    /// traces, with the global tracer provider. Call this within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if no port of loopback is free.
    pub fn start(traces: bool) -> Result<Self, EngineError> {
        let overrides = [(LATENCY.to_owned(), BUCKETS.to_vec())].into_iter().collect();
        let options = PrometheusExporterOptions::builder()
            .socket_addr((Ipv4Addr::LOCALHOST, 0).into())
            .use_seconds_for_durations(true)
            .histogram_bucket_overrides(HistogramBucketOverrides { overrides })
            .build();
        let server = start_prometheus_metric_exporter(options)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(Self { meter: server.meter, address: server.bound_addr, traces })
    }

    /// Returns the address of the exporter, which serves `/metrics`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns whether traces are propagated.
    pub fn traces(&self) -> bool {
        self.traces
    }

    /// Returns the options of the runtime of workers.
    pub fn options(&self) -> TelemetryOptions {
        TelemetryOptions::builder().metrics(self.meter.clone()).build()
    }

    /// Returns the meter of a client.
    pub(super) fn client_meter(&self) -> Result<Option<TemporalMeter>, EngineError> {
        let instance =
            telemetry_init(self.options()).map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(instance.get_temporal_metric_meter())
    }
}

impl fmt::Debug for SdkTelemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SdkTelemetry")
            .field("address", &self.address)
            .field("traces", &self.traces)
            .finish_non_exhaustive()
    }
}
