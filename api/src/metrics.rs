//! Prometheus metrics of the API.

use std::time::Duration;

use domain::language::ModelUsage;
use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    core::Collector,
};

/// Purposes of requests to language models.
const MODEL_PURPOSES: [&str; 4] = ["ask", "embeddings", "question", "search"];
/// Outcome of a request to a language model that succeeded.
const ANSWERED: &str = "answered";

/// Counters and histograms of the API.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
    rate_limited: IntCounterVec,
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

/// Creates collectors and registers them.
struct Registrar<'a>(&'a Registry);

impl Registrar<'_> {
    fn register<C: Collector + Clone + 'static>(&self, collector: C) -> prometheus::Result<C> {
        self.0.register(Box::new(collector.clone()))?;
        Ok(collector)
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntCounterVec> {
        self.register(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    fn gauge(&self, name: &str, help: &str) -> prometheus::Result<IntGauge> {
        self.register(IntGauge::new(name, help)?)
    }
}

fn request_seconds() -> prometheus::Result<HistogramVec> {
    let buckets = vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
    let help = "Time from the head of a request to the head of its response.";
    let options = HistogramOpts::new("scan_api_request_seconds", help).buckets(buckets);
    HistogramVec::new(options, &["operation"])
}

impl Metrics {
    /// Registers the metrics of the API.
    ///
    /// # Errors
    /// Returns an error if the registry already has metrics with these names.
    pub fn new(registry: Registry) -> prometheus::Result<Self> {
        let registrar = Registrar(&registry);
        let metrics = Self {
            requests: registrar.counters(
                "scan_api_requests_total",
                "Responses, by operation and status.",
                &["operation", "status"],
            )?,
            seconds: registrar.register(request_seconds()?)?,
            rate_limited: registrar.counters(
                "scan_api_rate_limited_total",
                "Requests refused by a rate limit, by limit.",
                &["limit"],
            )?,
            in_flight: registrar.gauge("scan_api_requests_in_flight", "Requests in flight.")?,
            connections: registrar.gauge("scan_api_connections", "Open connections.")?,
            uploaded: registrar.register(IntCounter::new(
                "scan_api_uploaded_bytes_total",
                "Bytes of media stored for clients.",
            )?)?,
            limiter_failures: registrar.gauge(
                "scan_api_shared_limits_failures",
                "Failed calls to the Redis of the rate limits since the start.",
            )?,
            model_requests: registrar.counters(
                "scan_api_model_requests_total",
                "Requests to language models, by purpose and outcome.",
                &["purpose", "outcome"],
            )?,
            model_microcents: registrar.counters(
                "scan_api_model_microcents_total",
                "Cost of language models by the configured prices, in millionths of a cent, by purpose.",
                &["purpose"],
            )?,
            registry,
        };
        // Counters that start at 0 can be compared from the beginning.
        metrics.rate_limited.with_label_values(&["address"]);
        for purpose in MODEL_PURPOSES {
            metrics.model_requests.with_label_values(&[purpose, ANSWERED]);
            metrics.model_microcents.with_label_values(&[purpose]);
        }
        Ok(metrics)
    }

    /// Records a response.
    pub fn record_response(&self, operation: &str, status: u16, took: Duration) {
        self.requests.with_label_values(&[operation, &status.to_string()]).inc();
        self.seconds.with_label_values(&[operation]).observe(took.as_secs_f64());
    }

    /// Records a request that a rate limit refused.
    pub fn record_rate_limited(&self, limit: &str) {
        self.rate_limited.with_label_values(&[limit]).inc();
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
    pub fn record_model_request(&self, purpose: &str, outcome: Result<&ModelUsage, &str>) {
        self.model_requests.with_label_values(&[purpose, outcome.err().unwrap_or(ANSWERED)]).inc();
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
