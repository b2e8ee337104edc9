//! A span, and the text of its context in the format of W3C Trace Context.

use std::{collections::HashMap, future::Future};

use opentelemetry::{
    Context, KeyValue, global,
    propagation::TextMapPropagator,
    trace::{FutureExt, SpanKind, Status, TraceContextExt, Tracer},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// Name of the instrumentation scope.
const SCOPE: &str = "scan";
/// Field of the context, as in the HTTP header of this name.
const FIELD: &str = "traceparent";

/// A span that is current while [`Span::run`] polls its work. It ends when it is dropped.
#[derive(Debug)]
pub struct Span(Context);

impl Span {
    /// Starts the root span of a trace, for a request from outside.
    pub fn root(name: &'static str) -> Self {
        Self::start(name, SpanKind::Server, &Context::new())
    }

    /// Starts a span for work that was enqueued by the span `parent`, which is the result of
    /// [`current_parent`]. Without a valid parent, it is the root of a trace.
    pub fn consumer(name: &'static str, parent: Option<&str>) -> Self {
        let fields: HashMap<String, String> =
            parent.map(|parent| (FIELD.to_owned(), parent.to_owned())).into_iter().collect();
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &fields);
        Self::start(name, SpanKind::Consumer, &parent)
    }

    fn start(name: &'static str, kind: SpanKind, parent: &Context) -> Self {
        let tracer = global::tracer(SCOPE);
        let span = tracer.span_builder(name).with_kind(kind).start_with_context(&tracer, parent);
        Self(parent.with_span(span))
    }

    /// Polls `work` with this span as the current one.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        work.with_context(self.0.clone())
    }

    /// Renames the span, once it is known what it is.
    pub fn rename(&self, name: String) {
        self.0.span().update_name(name);
    }

    /// Adds an attribute.
    pub fn set(&self, key: &'static str, value: impl Into<opentelemetry::Value>) {
        self.0.span().set_attribute(KeyValue::new(key, value));
    }

    /// Marks the span as failed.
    pub fn fail(&self, reason: &'static str) {
        self.0.span().set_status(Status::error(reason));
    }

    /// Returns the trace id as 32 hex digits, or `None` if the span is not recorded.
    pub fn trace_id(&self) -> Option<String> {
        let span = self.0.span();
        let context = span.span_context();
        (context.is_valid() && context.is_sampled()).then(|| context.trace_id().to_string())
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.0.span().end();
    }
}

/// Returns work that runs in the current span also if another task polls it.
pub fn in_current_span<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    work.with_current_context()
}

/// Returns the context of the current span as text (`traceparent`), or `None` without a span.
pub fn current_parent() -> Option<String> {
    let mut fields = HashMap::new();
    TraceContextPropagator::new().inject_context(&Context::current(), &mut fields);
    fields.remove(FIELD)
}

#[cfg(test)]
mod tests {
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;

    #[tokio::test]
    async fn span_of_an_entry_continues_the_trace_that_enqueued_it() {
        // Without a provider there is nothing to continue.
        assert_eq!(Span::root("request").run(async { current_parent() }).await, None);
        assert_eq!(Span::root("request").trace_id(), None);

        global::set_tracer_provider(SdkTracerProvider::builder().build());
        let request = Span::root("request");
        let parent = request.run(async { current_parent() }).await.unwrap();
        assert!(parent.starts_with("00-") && parent.len() == 55, "{parent}");
        assert_eq!(current_parent(), None, "outside of its work the span is not current");
        let entry = Span::consumer("outbox", Some(&parent));
        assert!(request.trace_id().is_some());
        assert_eq!(entry.trace_id(), request.trace_id());
        for missing in [None, Some("nonsense")] {
            let other = Span::consumer("outbox", missing);
            assert!(other.trace_id().is_some());
            assert_ne!(other.trace_id(), request.trace_id());
        }
    }
}
