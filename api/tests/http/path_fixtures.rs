//! An account with one resource of each kind, for the parameters of all paths. New endpoints are
//! covered automatically.

use std::collections::BTreeMap;

use api::contract::{
    endpoint::{Access, Endpoint},
    examples,
};
use reqwest::Method;
use serde_json::json;

use crate::{
    app::{ApiResponse, Call, Client, ConsoleUser, TestApp},
    exports::complete_export,
    media::{add_sign, create_complete_scan, create_complete_scan_with},
    scans::{create_scan, photos},
};

/// An account with a key, a session, and the id of one resource of each kind.
pub(crate) struct Owner {
    pub(crate) client: Client,
    pub(crate) user: ConsoleUser,
    pub(crate) resource_ids: ResourceIds,
}

/// Ids of resources, by the path segment before the id: `spaces`, `scans`, `keys`, ….
#[derive(Clone)]
pub(crate) struct ResourceIds {
    ids: BTreeMap<String, String>,
    /// A scan that awaits its uploads. The scan in `ids` is complete.
    open_scan: String,
}

impl Owner {
    pub(crate) async fn new(app: &TestApp) -> Self {
        let user = app.console_user().await;
        let client = app.create_key(&user.tenant).await;
        let new = json!({ "name": "Theirs", "space_type": "apartment" });
        let space = app.post("/v1/spaces").key(&client).json(new).send().await.expect(201).body;
        let space = space["id"].as_str().unwrap().to_owned();
        // Two scans, so that they can be compared.
        create_complete_scan(app, &client, &space).await;
        let scan =
            create_complete_scan_with(app, &client, &space, |document| add_sign(document, "EXIT")).await;
        let correction = json!({ "corrections": [{ "target_id": "txt_1", "field": "presence" }] });
        let path = format!("/v1/spaces/{space}/document");
        let made = app.call(Method::PATCH, &path).key(&client).json(correction).send().await.expect(200).body;
        let correction = made["corrections"][0]["id"].as_str().unwrap().to_owned();
        let share = app.post(&format!("/v1/spaces/{space}/shares")).key(&client).json(json!({}));
        let share = share.send().await.expect(201).body["id"].as_str().unwrap().to_owned();
        let open_scan = create_scan(app, &client, &space, photos(2)).await;
        let event = format!("evt_{scan}_completed");
        let ids = [
            ("events", event),
            ("spaces", space),
            ("scans", scan),
            ("corrections", correction),
            ("shares", share),
        ];
        let ids = ids.into_iter().map(|(name, id)| (name.to_owned(), id)).collect();
        let mut owner = Self { client, user, resource_ids: ResourceIds { ids, open_scan } };
        let export = app.post("/v1/auth/exports").session(&owner.user).send().await.expect(202).body;
        complete_export(app, &owner.user, &export).await;
        owner.resource_ids.ids.insert("exports".to_owned(), export["id"].as_str().unwrap().to_owned());
        let sessions = app.get("/v1/auth/sessions").session(&owner.user).send().await.expect(200).body;
        let session = sessions["data"][0]["id"].as_str().unwrap().to_owned();
        owner.resource_ids.ids.insert("sessions".to_owned(), session);
        owner.create_other_resources(app).await;
        owner.create_delivery(app).await;
        owner
    }

    /// Delivers the event to the webhook endpoint.
    async fn create_delivery(&mut self, app: &TestApp) {
        let ids = &mut self.resource_ids.ids;
        let (endpoint, event) = (ids["webhook-endpoints"].clone(), ids["events"].clone());
        let replay = json!({ "event_ids": [event] });
        let path = format!("/v1/webhook-endpoints/{endpoint}/replay");
        app.post(&path).session(&self.user).json(replay).send().await.expect(202);
        ids.insert("deliveries".to_owned(), event);
    }

    /// Creates the other kinds of resources: those that a POST of the documented example creates.
    async fn create_other_resources(&mut self, app: &TestApp) {
        for endpoint in api::routes::endpoints() {
            let collection = endpoint.path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
            let creates = endpoint.method == Method::POST
                && matches!(endpoint.access, Access::Key(_) | Access::Session)
                && endpoint.path.params().next().is_none()
                && endpoint.responses.iter().any(|response| matches!(response.status, 201 | 202));
            if creates && !self.resource_ids.ids.contains_key(&collection) {
                let created = self.call(app, &endpoint).send().await;
                if let Some(id) = created.body["id"].as_str() {
                    self.resource_ids.ids.insert(collection, id.to_owned());
                }
            }
        }
    }

    /// Calls the endpoint correctly, as the owner of the resources in its path.
    pub(crate) fn call(&self, app: &TestApp, endpoint: &Endpoint) -> Call {
        let call = with_example(app, endpoint, &self.resource_ids.path(endpoint));
        match endpoint.access {
            Access::Key(_) => call.key(&self.client),
            Access::Session => call.session(&self.user),
            Access::OwnPages => call.same_origin(),
            Access::Public | Access::Signed => call,
        }
    }
}

impl ResourceIds {
    /// Returns ids that don't exist.
    pub(crate) fn nonexistent() -> Self {
        let ids = [
            ("spaces", domain::SpaceId::new().to_string()),
            ("scans", domain::ScanId::new().to_string()),
            ("keys", domain::KeyId::new().to_string()),
            ("events", "evt_x".to_owned()),
            ("webhook-endpoints", domain::WebhookEndpointId::new().to_string()),
            ("deliveries", "evt_x".to_owned()),
            ("sessions", domain::SessionId::new().to_string()),
            ("exports", domain::ExportId::new().to_string()),
            ("corrections", domain::CorrectionId::new().to_string()),
            ("shares", domain::ShareId::new().to_string()),
        ];
        let open_scan = domain::ScanId::new().to_string();
        Self { ids: ids.into_iter().map(|(name, id)| (name.to_owned(), id)).collect(), open_scan }
    }

    /// Uses the same text for every id.
    pub(crate) fn all(id: &str) -> Self {
        let names = api::routes::endpoints().into_iter().flat_map(|endpoint| {
            let parts: Vec<_> = endpoint.path.as_str().split('/').map(str::to_owned).collect();
            parts
        });
        Self { ids: names.map(|name| (name, id.to_owned())).collect(), open_scan: id.to_owned() }
    }

    /// Returns whether all resources in the path of an endpoint are known.
    pub(crate) fn covers(&self, endpoint: &Endpoint) -> bool {
        let parts: Vec<&str> = endpoint.path.as_str().split('/').collect();
        let named = parts.windows(2).filter(|pair| is_id(pair[1]));
        named.map(|pair| pair[0]).all(|before| self.ids.contains_key(before))
    }

    /// Returns all ids.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.values().chain([&self.open_scan]).map(String::as_str)
    }

    /// Returns the path of an endpoint with these ids.
    pub(crate) fn path(&self, endpoint: &Endpoint) -> String {
        let template = endpoint.path.as_str();
        let mut path = "/v1".to_owned();
        let mut before = "";
        for part in template.trim_start_matches('/').split('/') {
            path.push('/');
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                None => path.push_str(part),
                Some(name) => path.push_str(self.value(endpoint, before, name)),
            }
            before = part;
        }
        path
    }

    fn value(&self, endpoint: &Endpoint, before: &str, name: &str) -> &str {
        match before {
            "frames" => "0",
            // Endpoints that change a scan need one that isn't complete.
            "scans" if !endpoint.method.is_safe() => &self.open_scan,
            _ => match self.ids.get(before) {
                Some(id) => id,
                None => examples::path_param(endpoint.path.as_str(), name),
            },
        }
    }
}

/// Returns whether the path of an endpoint contains ids of an account's resources. Months don't
/// count.
pub(crate) fn has_resource_ids(endpoint: &Endpoint) -> bool {
    endpoint.path.as_str().split('/').any(is_id)
}

fn is_id(part: &str) -> bool {
    part.ends_with("id}")
}

/// Calls the endpoint with the body of its example and without credentials.
pub(crate) fn with_example(app: &TestApp, endpoint: &Endpoint, path: &str) -> Call {
    let examples = &endpoint.examples;
    let query = examples.query.map_or_else(String::new, |query| format!("?{query}"));
    let call = with_idempotency_key(app.call(endpoint.method.clone(), &format!("{path}{query}")), endpoint);
    match &endpoint.body {
        Some(body) if body.media_types == ["application/json"] => {
            call.json(examples.request.clone().unwrap_or_else(|| json!({})))
        }
        Some(body) => call.header("content-type", body.media_types[0]).body("x"),
        None => call,
    }
}

/// Adds an `Idempotency-Key` if the endpoint accepts one; some require it.
pub(crate) fn with_idempotency_key(call: Call, endpoint: &Endpoint) -> Call {
    let accepts_key =
        endpoint.headers.iter().any(|header| header.name.eq_ignore_ascii_case("idempotency-key"));
    if accepts_key { call.header("idempotency-key", "the-example-1") } else { call }
}

/// Sends a call and reads its response, except the body of an endless stream.
pub(crate) async fn send_call(call: Call, endpoint: &Endpoint) -> ApiResponse {
    if endpoint.timeout_class == api::contract::endpoint::TimeoutClass::Stream {
        call.send_streaming().await
    } else {
        call.send().await
    }
}
