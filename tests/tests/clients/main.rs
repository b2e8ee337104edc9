//! Programs in other languages against the real service: the client libraries, webhook receivers, and
//! agents.

mod agents;
mod libraries;
mod packages;
