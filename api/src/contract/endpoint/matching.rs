//! Which endpoints serve a path.

use std::borrow::Borrow;

use http::Method;

use super::Endpoint;
use crate::http::path::PathParams;

/// Returns the endpoints that match a path, each with the parameters in the path.
///
/// If several templates match, only the endpoints of the most specific one do: the template with
/// the most literal segments. `/events/stream` therefore never reaches `/events/{id}`, with any
/// method. The order of `endpoints` matters only between templates that tie.
pub fn matching<'a, E: Borrow<Endpoint>>(endpoints: &'a [E], path: &str) -> Vec<(&'a E, PathParams)> {
    let mut found: Vec<(&E, PathParams)> = Vec::new();
    let mut most_literals = 0;
    for endpoint in endpoints {
        let Endpoint { path: template, .. } = endpoint.borrow();
        let Some(params) = template.matches(path) else { continue };
        let literals = template.literals();
        if literals > most_literals {
            found.clear();
            most_literals = literals;
        }
        if literals == most_literals {
            found.push((endpoint, params));
        }
    }
    found
}

/// Returns the methods that a path accepts, for `Allow`; none if no endpoint matches the path.
pub fn allowed<E: Borrow<Endpoint>>(endpoints: &[E], path: &str) -> Vec<Method> {
    let method = |endpoint: &E| {
        let endpoint: &Endpoint = endpoint.borrow();
        endpoint.method.clone()
    };
    let mut methods: Vec<Method> =
        matching(endpoints, path).into_iter().map(|(endpoint, _)| method(endpoint)).collect();
    if methods.is_empty() {
        return methods;
    }
    if methods.contains(&Method::GET) {
        methods.push(Method::HEAD);
    }
    methods.push(Method::OPTIONS);
    methods
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::contract::endpoint::endpoint;

    fn endpoint_at(method: Method, path: &'static str, operation: &'static str) -> Endpoint {
        endpoint(method, path, operation, "Test").public(|_, _| async { Ok(StatusCode::OK) })
    }

    #[test]
    fn the_most_specific_template_wins_in_any_order() {
        let mut endpoints = vec![
            endpoint_at(Method::GET, "/events/{id}", "getEvent"),
            endpoint_at(Method::DELETE, "/events/{id}", "deleteEvent"),
            endpoint_at(Method::GET, "/events/stream", "streamEvents"),
            endpoint_at(Method::GET, "/{all*}", "catchAll"),
        ];
        for _ in 0..2 {
            let operations = |path| -> Vec<_> {
                matching(&endpoints, path).into_iter().map(|(endpoint, _)| endpoint.operation).collect()
            };
            assert_eq!(operations("/v1/events/stream"), ["streamEvents"]);
            assert_eq!(operations("/v1/events/evt_1").len(), 2);
            assert_eq!(operations("/v1/a/b/c"), ["catchAll"]);
            assert_eq!(operations("/v2/events/stream"), [""; 0]);
            assert_eq!(
                allowed(&endpoints, "/v1/events/stream"),
                [Method::GET, Method::HEAD, Method::OPTIONS],
                "DELETE belongs to the less specific template"
            );
            assert_eq!(allowed(&endpoints, "/v2/events/stream"), [Method::GET; 0]);
            endpoints.reverse();
        }
        let found = matching(&endpoints, "/v1/events/evt%5F1");
        assert_eq!(found[0].1.get("id"), Some("evt_1"));
    }
}
