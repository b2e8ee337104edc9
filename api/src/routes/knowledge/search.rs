//! `GET /search`: finds spaces by words of their records and documents, and by facts.

use domain::{ScanId, Timestamp, layout, scope::Scope, search::EntryKind};
use entities::search::entries;
use http::Method;
use search::{MAX_QUERY_CHARS, QueryVector, displayed_score, embed_query, find};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{SCAN, frame_url, list_of},
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::{
        space_documents,
        spaces::{self, Space},
        validate::is_blank,
    },
};

/// A space that matches the query.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchHit {
    /// Always `search_hit`.
    #[schema(pattern = "^search_hit$")]
    pub object: &'static str,
    /// The space.
    pub space: Space,
    /// The scan whose document matches.
    pub scan_id: ScanId,
    /// Relevance. Comparable between hits of one query only; higher is better.
    pub score: f64,
    /// The best matching parts of the space, at most three.
    pub matches: Vec<Match>,
}

/// A matching part of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct Match {
    /// Kind of the part.
    pub kind: EntryKind,
    /// Id of the part in the document, or of the space.
    pub id: String,
    /// Shortened text.
    pub text: String,
    /// Zone that contains the part.
    pub zone_id: Option<String>,
    /// Frame that shows the part.
    pub frame_id: Option<String>,
    /// Position in the video, in milliseconds.
    pub t_ms: Option<i64>,
    /// Number of the photo.
    pub ordinal: Option<i64>,
    /// Signed URL of the frame, valid for one hour.
    pub url: Option<String>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/search", "search", "Knowledge")
            .about(
                "Search across spaces",
                "Returns matching spaces, best first. A space becomes searchable when its first scan is complete, by the \
                 words of its record and of its newest document. Plurals, accents and small typos are ignored. A \
                 number before a room or an object (“2 bedrooms”) is a condition; all other words only affect the ranking.",
            )
            .required_query("q", "Search text, 1 to 200 characters.", SchemaRef::search_text())
            .query("space_type", "Returns only spaces of exactly this type.", SchemaRef::text())
            .paged()
            .responds::<List<SearchHit>>(200, "A page of hits.")
            .query_example("q=apartment")
            .response_example(200, list_of(json!({
                "object": "search_hit", "space": spaces::example(), "scan_id": SCAN, "score": 7.31,
                "matches": [{ "kind": "text", "id": "txt_1", "text": "MEETING ROOM 2", "zone_id": "zon_1",
                    "frame_id": "frm_00001", "t_ms": 1200, "ordinal": null, "url": frame_url() }],
            })))
            .key(Scope::SearchRead, get),
    ]
}

async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let query = request.query.get("q").unwrap_or_default();
    if is_blank(query) {
        return Err(ApiError::field("q", "must not be blank"));
    }
    if query.chars().count() > MAX_QUERY_CHARS {
        return Err(ApiError::field("q", format!("must have at most {MAX_QUERY_CHARS} characters")));
    }
    let space_type = request.query.get("space_type");
    // A cursor is valid for its own query only.
    let list = format!("search\n{query}\n{}", space_type.unwrap_or_default());
    let page = app.cursors().request(&list, &caller.tenant, &request.query)?;
    let vector = query_vector(&app, query).await?;
    let found = find(app.db(), &caller.tenant, query, space_type, vector.as_ref(), &page).await?;
    let now = Timestamp::now();
    let hits = found.map(|found| SearchHit {
        object: "search_hit",
        scan_id: found.record.scan_id.0,
        score: displayed_score(found.score),
        matches: found.matches.into_iter().map(|row| matching(&app, row, now)).collect(),
        space: found.space.into(),
    });
    Ok(json(&app.cursors().list(&list, &caller.tenant, hits)))
}

/// Returns the embedding of the query, or `None` without a model or if the model gives no vector in
/// time: the search then uses words alone.
///
/// # Errors
/// Returns `UNAVAILABLE` if too many requests wait for the model.
async fn query_vector(app: &App, query: &str) -> ApiResult<Option<QueryVector>> {
    let Some(embedder) = app.language().embedder.clone() else { return Ok(None) };
    let (slot, query) = (app.model_pool().enter().await?, query.to_owned());
    // A task of its own holds the slot until the model has responded, also if the request ends before.
    let embedding = tokio::spawn(async move {
        let _slot = slot;
        embed_query(embedder, &query).await
    });
    Ok(match embedding.await.map_err(ApiError::internal)? {
        Ok((vector, used)) => {
            app.metrics().record_model_request("search", Ok(&used));
            vector
        }
        Err(no_answer) => {
            app.metrics().record_model_request("search", Err(no_answer.code));
            tracing::warn!(%no_answer, "no query embedding: searching by words alone");
            None
        }
    })
}

impl From<search::Error> for ApiError {
    fn from(error: search::Error) -> Self {
        match error {
            search::Error::Store(error) => error.into(),
        }
    }
}

fn matching(app: &App, row: entries::Model, now: Timestamp) -> Match {
    let url = |frame: &String| space_documents::signed_url(app, &layout::frame(&row.scan_id, frame), now);
    Match {
        url: row.frame_id.as_ref().map(url),
        kind: row.kind.0,
        id: row.source_id,
        text: row.body,
        zone_id: row.zone_id,
        frame_id: row.frame_id,
        t_ms: row.t_ms,
        ordinal: row.ordinal,
    }
}
