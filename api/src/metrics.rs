//! Prometheus metrics of the API.

use std::time::Duration;

use domain::language::Used;
use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    core::Collector,
};

/// Counters and histograms of the API.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
    limited: IntCounterVec,
    in_flight: IntGauge,
    connections: IntGauge,
    uploaded: IntCounter,
    limiter_failures: IntGauge,
    model_requests: IntCounterVec,
    model_microcents: IntCounterVec,
}

/// Decrements a gauge when dropped.
pub struct GaugeGuard(IntGauge);

impl GaugeGuard {
    fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Registers a collector and returns it.
fn registered<C: Collector + Clone + 'static>(registry: &Registry, collector: C) -> prometheus::Result<C> {
    registry.register(Box::new(collector.clone()))?;
    Ok(collector)
}

impl Metrics {
    /// Registers the metrics of the API.
    ///
    /// # Errors
    /// Returns an error if the registry already has metrics with these names.
    pub fn new(registry: Registry) -> prometheus::Result<Self> {
        let requests = registered(
            &registry,
            IntCounterVec::new(
                Opts::new("scan_api_requests_total", "Responses, by operation and status."),
                &["operation", "status"],
            )?,
        )?;
        let seconds = registered(
            &registry,
            HistogramVec::new(
                HistogramOpts::new(
                    "scan_api_request_seconds",
                    "Time from the head of a request to the head of its response.",
                )
                .buckets(vec![
                    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
                ]),
                &["operation"],
            )?,
        )?;
        let limited = registered(
            &registry,
            IntCounterVec::new(
                Opts::new("scan_api_rate_limited_total", "Requests refused by a rate limit, by limit."),
                &["limit"],
            )?,
        )?;
        let in_flight =
            registered(&registry, IntGauge::new("scan_api_requests_in_flight", "Requests in flight.")?)?;
        let connections = registered(&registry, IntGauge::new("scan_api_connections", "Open connections.")?)?;
        let uploaded = registered(
            &registry,
            IntCounter::new("scan_api_uploaded_bytes_total", "Bytes of media stored for clients.")?,
        )?;
        let limiter_failures = registered(
            &registry,
            IntGauge::new(
                "scan_api_shared_limits_failures",
                "Failed calls to the Redis of the rate limits since the start.",
            )?,
        )?;
        let model_requests = registered(
            &registry,
            IntCounterVec::new(
                Opts::new(
                    "scan_api_model_requests_total",
                    "Requests to language models, by purpose and outcome.",
                ),
                &["purpose", "outcome"],
            )?,
        )?;
        let model_microcents = registered(
            &registry,
            IntCounterVec::new(
                Opts::new(
                    "scan_api_model_microcents_total",
                    "Cost of language models by the configured prices, in millionths of a cent, by purpose.",
                ),
                &["purpose"],
            )?,
        )?;
        Ok(Self {
            registry,
            requests,
            seconds,
            limited,
            in_flight,
            connections,
            uploaded,
            limiter_failures,
            model_requests,
            model_microcents,
        })
    }

    /// Records a response.
    pub fn record_response(&self, operation: &str, status: u16, took: Duration) {
        self.requests.with_label_values(&[operation, &status.to_string()]).inc();
        self.seconds.with_label_values(&[operation]).observe(took.as_secs_f64());
    }

    /// Records a request that a rate limit refused.
    pub fn record_rate_limited(&self, limit: &str) {
        self.limited.with_label_values(&[limit]).inc();
    }

    /// Sets the number of failed calls to the Redis of the rate limits, since the start.
    pub fn set_limiter_failures(&self, count: u64) {
        self.limiter_failures.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Records stored media.
    pub fn record_upload(&self, bytes: u64) {
        self.uploaded.inc_by(bytes);
    }

    /// Records a request to a language model: its usage, or an error code.
    pub fn model_asked(&self, purpose: &str, outcome: Result<&Used, &str>) {
        self.model_requests.with_label_values(&[purpose, outcome.err().unwrap_or("answered")]).inc();
        if let Ok(used) = outcome {
            self.model_microcents.with_label_values(&[purpose]).inc_by(used.microcents);
        }
    }

    /// Counts a request as in flight until the guard is dropped.
    pub fn in_flight(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_flight)
    }

    /// Counts a connection as open until the guard is dropped.
    pub fn connection(&self) -> GaugeGuard {
        GaugeGuard::new(&self.connections)
    }

    /// Returns all metrics in the text format of Prometheus.
    ///
    /// # Errors
    /// Returns an error if a metric is inconsistent.
    pub fn text(&self) -> prometheus::Result<Vec<u8>> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}
