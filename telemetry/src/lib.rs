//! Trace context: spans of requests and outbox entries, and the text that carries their parent from one
//! process to another.
//!
//! A request of the API is the root of a trace. The Temporal SDK's plugin carries the trace to workflows
//! and activities (ADR 31), and the outbox carries it to the relay, in a column of its rows. Without a
//! tracer provider, which the binary installs if traces are configured, spans are not recorded and
//! [`current_parent`] returns `None`.

mod span;

pub use span::{Span, current_parent, in_current_span};
