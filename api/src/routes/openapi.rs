//! `GET /openapi.json`.

use http::{HeaderValue, Method, header};
use serde_json::json;
use warp::reply::{Reply, Response};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        schema::SchemaRef,
    },
    http::{error::ApiResult, request::Request},
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/openapi.json", "getOpenapi", "Contract")
            .about("Get this document", "OpenAPI 3.1. Requires no key.")
            .responds_with(200, "The document.", "application/json", SchemaRef::object())
            .response_example(200, json!({ "openapi": "3.1.0", "info": { "title": "Scan Service" } }))
            .public(document),
    ]
}

async fn document(app: App, _: Request) -> ApiResult<Response> {
    let mut response = app.openapi().to_owned().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
