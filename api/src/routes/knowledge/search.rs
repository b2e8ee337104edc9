//! `GET /search`: spaces by words of their records and documents, and by facts.

use domain::{ScanId, Timestamp, layout, scope::Scope, search::EntryKind};
use entities::search::entries;
use http::Method;
use knowledge::search::{MAX_QUERY, score};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use super::{find::find, meaning::meant};

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

/// A space that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchHit {
    /// Always `search_hit`.
    #[schema(pattern = "^search_hit$")]
    pub object: &'static str,
    /// The space.
    pub space: Space,
    /// The scan whose document it was found by.
    pub scan_id: ScanId,
    /// Only for comparing hits of one query: the higher, the better.
    pub score: f64,
    /// What matches, best first; at most three.
    pub matches: Vec<Match>,
}

/// What of a space matches.
#[derive(Debug, Serialize, ToSchema)]
pub struct Match {
    /// What it is.
    pub kind: EntryKind,
    /// Its id in the document, or of the space.
    pub id: String,
    /// What it says, shortened.
    pub text: String,
    /// The zone it is in.
    pub zone_id: Option<String>,
    /// A frame that shows it.
    pub frame_id: Option<String>,
    /// When in the video that is, in milliseconds.
    pub t_ms: Option<i64>,
    /// Which photo that is.
    pub ordinal: Option<i64>,
    /// Signed address of the frame, good for one hour.
    pub url: Option<String>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/search", "search", "Knowledge")
            .about(
                "Search across spaces",
                "Best first. Spaces are found once a scan of them is complete, by the words of their record and of \
                 their newest document; plurals, accents and a slip of the hand do not matter. A number before a room \
                 or a thing (“2 bedrooms”) must hold, other words rank.",
            )
            .required_query("q", "What to look for: 1 to 200 characters.", SchemaRef::search_text())
            .query("space_type", "Only spaces of exactly this type.", SchemaRef::text())
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
    let asked = request.query.get("q").unwrap_or_default();
    if is_blank(asked) {
        return Err(ApiError::field("q", "must not be blank"));
    }
    if asked.chars().count() > MAX_QUERY {
        return Err(ApiError::field("q", format!("must have at most {MAX_QUERY} characters")));
    }
    let space_type = request.query.get("space_type");
    // A cursor is good for the query that it was given for.
    let list = format!("search\n{asked}\n{}", space_type.unwrap_or_default());
    let page = app.cursors().request(&list, &caller.tenant, &request.query)?;
    let meant = meant(&app, asked).await;
    let found = find(app.db(), &caller.tenant, asked, space_type, meant.as_ref(), &page).await?;
    let now = Timestamp::now();
    let hits = found.map(|found| SearchHit {
        object: "search_hit",
        scan_id: found.record.scan_id.0,
        score: score(found.score),
        matches: found.matches.into_iter().map(|row| matching(&app, row, now)).collect(),
        space: found.space.into(),
    });
    Ok(json(&app.cursors().list(&list, &caller.tenant, hits)))
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
