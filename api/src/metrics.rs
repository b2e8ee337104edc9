//! What is measured of the API, for Prometheus.

use std::time::Duration;

use domain::language::Used;
use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
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

/// Counts something down when it is over.
pub struct Held(IntGauge);

impl Held {
    fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    /// Registers the measurements of the API.
    ///
    /// # Errors
    /// When the registry has measurements of these names already.
    pub fn new(registry: Registry) -> prometheus::Result<Self> {
        let requests = IntCounterVec::new(
            Opts::new("scan_api_requests_total", "Requests answered, by operation and status."),
            &["operation", "status"],
        )?;
        let seconds = HistogramVec::new(
            HistogramOpts::new(
                "scan_api_request_seconds",
                "Time from a request's head to its answer's head.",
            )
            .buckets(vec![
                0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
            ]),
            &["operation"],
        )?;
        let limited = IntCounterVec::new(
            Opts::new("scan_api_rate_limited_total", "Requests refused by a rate limit, by limit."),
            &["limit"],
        )?;
        let in_flight = IntGauge::new("scan_api_requests_in_flight", "Requests that have no answer yet.")?;
        let connections = IntGauge::new("scan_api_connections", "Open connections.")?;
        let uploaded =
            IntCounter::new("scan_api_uploaded_bytes_total", "Bytes of media stored for clients.")?;
        let limiter_failures = IntGauge::new(
            "scan_api_shared_limits_failures",
            "How often the Redis of the rate limits could not be asked since the start.",
        )?;
        let model_requests = IntCounterVec::new(
            Opts::new(
                "scan_api_model_requests_total",
                "Requests to models for texts, by purpose and outcome.",
            ),
            &["purpose", "outcome"],
        )?;
        let model_microcents = IntCounterVec::new(
            Opts::new(
                "scan_api_model_microcents_total",
                "What models for texts cost by the configured prices, in millionths of a cent, by purpose.",
            ),
            &["purpose"],
        )?;
        registry.register(Box::new(model_requests.clone()))?;
        registry.register(Box::new(model_microcents.clone()))?;
        registry.register(Box::new(limiter_failures.clone()))?;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        registry.register(Box::new(limited.clone()))?;
        registry.register(Box::new(in_flight.clone()))?;
        registry.register(Box::new(connections.clone()))?;
        registry.register(Box::new(uploaded.clone()))?;
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

    /// A request was answered.
    pub fn answered(&self, operation: &str, status: u16, took: Duration) {
        self.requests.with_label_values(&[operation, &status.to_string()]).inc();
        self.seconds.with_label_values(&[operation]).observe(took.as_secs_f64());
    }

    /// A rate limit refused a request.
    pub fn limited(&self, limit: &str) {
        self.limited.with_label_values(&[limit]).inc();
    }

    /// The shared limits could not be asked so often, since the start.
    pub fn limiter_failures(&self, count: u64) {
        self.limiter_failures.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Media were stored.
    pub fn uploaded(&self, bytes: u64) {
        self.uploaded.inc_by(bytes);
    }

    /// A model for texts was asked: what it used, or the code of why it gave nothing.
    pub fn model_asked(&self, purpose: &str, outcome: Result<&Used, &str>) {
        self.model_requests.with_label_values(&[purpose, outcome.err().unwrap_or("answered")]).inc();
        if let Ok(used) = outcome {
            self.model_microcents.with_label_values(&[purpose]).inc_by(used.microcents);
        }
    }

    /// A request is in flight until the value is dropped.
    pub fn in_flight(&self) -> Held {
        Held::new(&self.in_flight)
    }

    /// A connection is open until the value is dropped.
    pub fn connection(&self) -> Held {
        Held::new(&self.connections)
    }

    /// Everything in the registry, in the text format of Prometheus.
    ///
    /// # Errors
    /// When a measurement is inconsistent.
    pub fn text(&self) -> prometheus::Result<Vec<u8>> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}
