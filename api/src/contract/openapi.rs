//! Generates `openapi.json` from the list of endpoints and their types.

use domain::{ApiErrorCode, CorrectionId, KeyId, ScanId, ShareId, SpaceId, WebhookEndpointId};
use serde_json::Value;
use utoipa::openapi::{
    Components, ComponentsBuilder, Content, ContentBuilder, HttpMethod, InfoBuilder, ObjectBuilder, OpenApi,
    OpenApiBuilder, PathItem, Paths, PathsBuilder, Required, Response, ResponseBuilder, ResponsesBuilder,
    ServerBuilder,
    example::ExampleBuilder,
    header::HeaderBuilder,
    path::{Operation, OperationBuilder, ParameterBuilder, ParameterIn},
    request_body::{RequestBody, RequestBodyBuilder},
    schema::Type,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    tag::TagBuilder,
};

use crate::{
    contract::{
        endpoint::{Access, Endpoint, Param, ResponseSpec},
        examples,
        schema::{Named, SchemaRef},
    },
    http::{error::ErrorBody, path::BASE},
};

/// Name of the security scheme for API keys.
const BEARER: &str = "api_key";
/// Name of the security scheme for console sessions.
const SESSION: &str = "session";

const DESCRIPTION: &str = "Turns a video or an ordered set of photos of a physical space into a structured record \
of that space, the Space Document. JSON over HTTPS; field names are snake_case, times ISO 8601 in UTC, money integer \
US cents. Every response has the header `X-Request-Id`; every error is `{error: {code, message, request_id, …}}`.";

/// Returns the document as text. Without `public_url`, the server URL is relative.
pub fn text(endpoints: &[Endpoint], public_url: Option<&str>) -> String {
    let document = document(endpoints, public_url);
    // Cannot fail: the document holds only text, numbers and maps with text keys.
    let mut text = serde_json::to_string_pretty(&document).expect("an OpenAPI document is JSON");
    text.push('\n');
    text
}

/// Returns the document. Without `public_url`, the server URL is relative.
pub fn document(endpoints: &[Endpoint], public_url: Option<&str>) -> OpenApi {
    let info = InfoBuilder::new().title("Scan Service").version("1.0.0").description(Some(DESCRIPTION));
    let server = format!("{}{BASE}", public_url.unwrap_or_default());
    let mut tags: Vec<&str> = Vec::new();
    for endpoint in endpoints {
        if !tags.contains(&endpoint.tag) {
            tags.push(endpoint.tag);
        }
    }
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url(server).build()]))
        .tags(Some(tags.into_iter().map(|tag| TagBuilder::new().name(tag).build())))
        .paths(paths(endpoints))
        .components(Some(components(endpoints)))
        .build()
}

fn paths(endpoints: &[Endpoint]) -> Paths {
    let mut paths = PathsBuilder::new();
    for endpoint in endpoints {
        let method = match endpoint.method.as_str() {
            "GET" => HttpMethod::Get,
            "POST" => HttpMethod::Post,
            "PUT" => HttpMethod::Put,
            "PATCH" => HttpMethod::Patch,
            _ => HttpMethod::Delete,
        };
        // `PathsBuilder::path` merges the operations of one path.
        paths = paths.path(endpoint.path.as_str(), PathItem::new(method, operation(endpoint)));
    }
    paths.build()
}

fn operation(endpoint: &Endpoint) -> Operation {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(endpoint.operation))
        .tag(endpoint.tag)
        .summary(Some(endpoint.summary));
    let mut about = endpoint.description.to_owned();
    if let Access::Key(scope) = endpoint.access {
        let required =
            scope.map_or_else(String::new, |scope| format!("Requires the scope `{}`.", scope.as_str()));
        about = [about, required].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ");
        operation = operation.security(SecurityRequirement::new::<_, [&str; 0], &str>(BEARER, []));
        if endpoint.accepts_session() {
            // A second requirement is an alternative to the first.
            operation = operation.security(SecurityRequirement::new::<_, [&str; 0], &str>(SESSION, []));
        }
    } else if endpoint.access == Access::Session {
        operation = operation.security(SecurityRequirement::new::<_, [&str; 0], &str>(SESSION, []));
    } else {
        operation = operation.security(SecurityRequirement::default());
    }
    if !about.is_empty() {
        operation = operation.description(Some(about));
    }
    for name in endpoint.path.params() {
        let (schema, about) = path_param(endpoint.path.as_str(), name);
        let example = schema.value(examples::path_param(endpoint.path.as_str(), name));
        operation = operation.parameter(
            parameter(name, about, ParameterIn::Path, schema).required(Required::True).example(Some(example)),
        );
    }
    for (params, place) in [(&endpoint.query, ParameterIn::Query), (&endpoint.headers, ParameterIn::Header)] {
        for Param { name, about, schema, required } in params {
            let required = if *required { Required::True } else { Required::False };
            operation =
                operation.parameter(parameter(name, about, place.clone(), *schema).required(required));
        }
    }
    if let Some(body) = request_body(endpoint) {
        operation = operation.request_body(Some(body));
    }
    let mut responses = ResponsesBuilder::new();
    for response in &endpoint.responses {
        // Responses with the same status differ in their media type.
        responses = responses.response(response.status.to_string(), success(response, endpoint));
    }
    let errors = endpoint.all_errors();
    let mut statuses: Vec<u16> = errors.iter().map(|code| code.status()).collect();
    statuses.dedup();
    for status in statuses {
        let codes: Vec<_> = errors.iter().filter(|code| code.status() == status).copied().collect();
        responses = responses.response(status.to_string(), failure(status, &codes));
    }
    operation.responses(responses.build()).build()
}

fn parameter(name: &str, about: &str, place: ParameterIn, schema: SchemaRef) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .description(Some(about))
        .schema(Some(schema.schema()))
}

/// Returns the schema and the description of a path parameter.
fn path_param(path: &str, name: &str) -> (SchemaRef, &'static str) {
    match name {
        "index" => (SchemaRef::index(), "Index of the photo, counted from 0."),
        "key" => (SchemaRef::text(), "Key of the picture, as in the signed URL."),
        "scan_id" => (SchemaRef::inline::<ScanId>(), "Id of the scan."),
        "event_id" => (SchemaRef::text(), "Id of the event."),
        "share_id" => (SchemaRef::inline::<ShareId>(), "Id of the share link."),
        "correction_id" => (SchemaRef::inline::<CorrectionId>(), "Id of the correction."),
        _ if path.starts_with("/keys/") => (SchemaRef::inline::<KeyId>(), "Id of the key."),
        _ if path.starts_with("/spaces/") => (SchemaRef::inline::<SpaceId>(), "Id of the space."),
        _ if path.starts_with("/scans/") => (SchemaRef::inline::<ScanId>(), "Id of the scan."),
        _ if path.starts_with("/webhook-endpoints/") => {
            (SchemaRef::inline::<WebhookEndpointId>(), "Id of the endpoint.")
        }
        _ => (SchemaRef::text(), "Id of the resource."),
    }
}

fn request_body(endpoint: &Endpoint) -> Option<RequestBody> {
    let body = endpoint.body.as_ref()?;
    let required = if body.optional { Required::False } else { Required::True };
    let mut request = RequestBodyBuilder::new().required(Some(required));
    for media_type in body.media_types {
        request = request.content(*media_type, content(body.schema, endpoint.examples.request.as_ref()));
    }
    Some(request.build())
}

fn content(schema: SchemaRef, example: Option<&Value>) -> Content {
    let content = ContentBuilder::new().schema(Some(schema.schema()));
    let named = example.map(|value| ("usual", ExampleBuilder::new().value(Some(value.clone())).build()));
    content.examples_from_iter(named).build()
}

fn success(response_spec: &ResponseSpec, endpoint: &Endpoint) -> Response {
    let mut response = ResponseBuilder::new()
        .description(response_spec.about)
        .header("X-Request-Id", text_header("Id of the request; quote it to support."));
    if endpoint.headers.iter().any(|param| param.name == "Idempotency-Key") && response_spec.status == 200 {
        response = response.header(
            "Idempotent-Replayed",
            text_header("`true` if an earlier request with the same `Idempotency-Key` created the resource."),
        );
    }
    let same = endpoint.responses.iter().filter(|other| other.status == response_spec.status);
    for (media_type, schema) in same.filter_map(|other| other.body.as_ref()) {
        let example =
            endpoint.examples.response(response_spec.status).filter(|_| *media_type != "application/zip");
        response = response.content(*media_type, content(*schema, example));
    }
    response.build()
}

fn failure(status: u16, codes: &[ApiErrorCode]) -> Response {
    let names: Vec<_> = codes.iter().map(|code| format!("`{code}`")).collect();
    let mut response = ResponseBuilder::new()
        .description(names.join(", "))
        .header("X-Request-Id", text_header("Id of the request; quote it to support."))
        .content("application/json", content(SchemaRef::of::<ErrorBody>(), None));
    if status == 429 || status == 503 {
        response = response.header("Retry-After", text_header("Seconds to wait before a retry."));
    }
    response.build()
}

fn text_header(about: &str) -> utoipa::openapi::Header {
    HeaderBuilder::new()
        .description(Some(about))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

fn components(endpoints: &[Endpoint]) -> Components {
    let mut named = Named::new();
    SchemaRef::of::<ErrorBody>().collect(&mut named);
    for endpoint in endpoints {
        endpoint.body.iter().for_each(|body| body.schema.collect(&mut named));
        for response in &endpoint.responses {
            response.body.iter().for_each(|(_, schema)| schema.collect(&mut named));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    named.dedup_by(|a, b| a.0 == b.0);
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key: `sc_test_…` acts on test data, `sc_live_…` on live data."))
        .build();
    let session = ApiKeyValue::with_description(
        crate::console::cookie::NAME,
        "A console session, started by `logIn`. Requests that change something are accepted from the service's own \
         pages only. Where an API key is accepted too, the session needs the header `Scan-Mode`.",
    );
    ComponentsBuilder::new()
        .schemas_from_iter(named)
        .security_scheme(BEARER, SecurityScheme::Http(bearer))
        .security_scheme(SESSION, SecurityScheme::ApiKey(ApiKey::Cookie(session)))
        .build()
}
