//! `GET /spaces/{id}/skill`: exports a space as an Agent Skill.

use domain::{ApiErrorCode, ScanId, SpaceId, document::SpaceDocument, scope::Scope};
use entities::SpaceRow;
use http::{HeaderValue, Method, header};
use knowledge::skill::{About, SkillFile, skill};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Reply, Response, json};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::SCAN,
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::space_documents,
};

/// An Agent Skill: a folder of files for agents.
#[derive(Debug, Serialize, ToSchema)]
pub struct Skill {
    /// Always `skill`.
    #[schema(pattern = "^skill$")]
    pub object: &'static str,
    /// Name of the skill and of its folder.
    #[schema(pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", max_length = 64)]
    pub name: String,
    /// The scan whose document is exported.
    pub scan_id: ScanId,
    /// Its files, `SKILL.md` first.
    pub files: Vec<SkillFile>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/spaces/{id}/skill", "getSkill", "Knowledge")
            .about(
                "Get a space as an Agent Skill",
                "Returns `SKILL.md` and references by zone. Text that was read or heard in the scan is quoted. With \
                 `Accept: application/zip`, returns the folder as a zip.",
            )
            .header("Accept", "`application/zip` for the folder; JSON otherwise.", SchemaRef::text())
            .responds::<Skill>(200, "The skill, of the newest document.")
            .responds_with(200, "The skill, of the newest document.", "application/zip", SchemaRef::bytes())
            .errors(&[ApiErrorCode::NoDocument])
            .response_example(200, json!({
                "object": "skill", "name": "unit-4b", "scan_id": SCAN,
                "files": [{ "path": "SKILL.md", "content": "---\nname: unit-4b\n---\n" }],
            }))
            .key(Scope::SpacesRead, get),
    ]
}

async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Response> {
    let (space, row) = super::latest(&app, &caller, &request.id::<SpaceId>("id")?).await?;
    let slot = app.document_pool().enter().await?;
    let document = space_documents::read_typed(&app, &slot, &row).await?;
    let wants_zip = wants_zip(request.header("accept").unwrap_or_default());
    let mut response = slot.run(move || render(&space, row.scan_id.0, &document, wants_zip)).await??;
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

/// Renders the skill of a document as JSON or as a zip.
fn render(space: &SpaceRow, scan_id: ScanId, document: &SpaceDocument, zip: bool) -> ApiResult<Response> {
    let about = About {
        id: space.id.as_str(),
        name: &space.name,
        space_type: &space.space_type,
        description: space.description.as_deref(),
    };
    let skill = skill(&about, document);
    Ok(if zip {
        let mut response = skill.to_zip().map_err(ApiError::internal)?.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
        let name = format!("attachment; filename=\"{}.zip\"", skill.name);
        headers.extend(HeaderValue::from_str(&name).ok().map(|name| (header::CONTENT_DISPOSITION, name)));
        response
    } else {
        json(&Skill { object: "skill", name: skill.name, scan_id, files: skill.files }).into_response()
    })
}

/// Returns whether an `Accept` header prefers a zip to JSON (RFC 9110 §12.5.1). JSON wins a tie.
fn wants_zip(accept: &str) -> bool {
    let weight = |names: &[&str]| {
        let ranges = accept.split(',').map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let q = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
            (name, q)
        });
        let ranges: Vec<_> = ranges.collect();
        // The most specific media range decides.
        names
            .iter()
            .find_map(|name| ranges.iter().find(|range| range.0 == *name))
            .map_or(0.0, |range| range.1)
    };
    let zip = weight(&["application/zip", "application/*", "*/*"]);
    zip > weight(&["application/json", "application/*", "*/*"])
}

#[cfg(test)]
mod tests {
    use super::wants_zip;

    #[test]
    fn prefers_the_media_type_with_the_higher_weight() {
        for yes in ["application/zip", "Application/ZIP", "application/zip, application/json;q=0.5"] {
            assert!(wants_zip(yes), "{yes}");
        }
        for no in
            ["", "*/*", "application/json", "application/zip;q=0", "application/json, application/zip", "x"]
        {
            assert!(!wants_zip(no), "{no}");
        }
    }
}
