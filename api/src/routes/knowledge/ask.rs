//! `POST /spaces/{id}/ask`: a question, answered from claims or not at all.

use domain::{
    ApiErrorCode, ScanId, SpaceId,
    document::{Basis, SpaceDocument},
    language::Writer,
    scope::Scope,
};
use entities::spaces;
use http::Method;
use knowledge::ask::{MAX_QUESTION, Reason, Status, TASK, ask, material, worded};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Reply, Response, json};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{SCAN, evidence_with_url},
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    limits::admission::QuotaExempt,
    metrics::Metrics,
    routes::{
        knowledge::evidence::{Addresses, ShownEvidence},
        space_documents,
        validate::is_blank,
    },
};

/// A question about a space.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// 1 to 500 characters, in English.
    #[schema(min_length = 1, max_length = 500, pattern = "\\S")]
    pub question: String,
    /// A past scan to ask; the newest document when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_id: Option<ScanId>,
}

/// An answer, or why there is none.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer {
    /// Always `answer`.
    #[schema(pattern = "^answer$")]
    pub object: &'static str,
    /// The scan whose document was asked.
    pub scan_id: ScanId,
    /// How far the question was answered.
    pub status: Status,
    /// In words; null when abstained.
    pub answer: Option<String>,
    /// The model whose words these are, where a configured one worded them; null for our own.
    pub worded_by: Option<String>,
    /// The least confidence of what it rests on, 0 to 1; 0 when abstained.
    pub confidence: f64,
    /// The claims that it rests on; of a conflict, those that contradict one another.
    pub citations: Vec<Citation>,
    /// Why it was not answered in full.
    pub reason: Option<Reason>,
}

/// A claim that an answer rests on, and where it can be checked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Citation {
    /// The claim, or the piece of narration.
    pub claim_id: String,
    /// What it says.
    pub value: String,
    /// What it rests on.
    pub basis: Basis,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it can be checked; never empty.
    pub evidence: Vec<ShownEvidence>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/spaces/{id}/ask", "askSpace", "Knowledge")
            .about(
                "Ask a question about a space",
                "Answered from claims of the Space Document, each cited, or not at all: `abstained` with a reason. \
                 What was not seen is never said to be absent, and no size is estimated.",
            )
            .json_body::<Question>()
            .responds::<Answer>(200, "An answer, in full or in part, or the reason why there is none.")
            .errors(&[ApiErrorCode::NoDocument])
            .request_example(json!({ "question": "What does the sign say?" }))
            .response_example(200, json!({
                "object": "answer", "scan_id": SCAN, "status": "answered",
                "answer": "A sign reads “MEETING ROOM 2”.", "worded_by": null, "confidence": 0.94, "reason": null,
                "citations": [{ "claim_id": "clm_1", "value": "MEETING ROOM 2", "basis": "read", "confidence": 0.94,
                    "evidence": [evidence_with_url()] }],
            }))
            .key(Scope::AskWrite, post),
    ]
}

async fn post(app: App, caller: Caller, mut request: Request) -> ApiResult<Response> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let asked: Question = request.json().await?;
    validate(&asked)?;
    let row = match &asked.scan_id {
        None => super::latest(&app, &caller, &id).await?.1,
        Some(scan) => super::of_scan(&app, &caller, &id, scan).await?,
    };
    let document = space_documents::read_typed(&app, &row).await?;
    // Questions of a large document are work for a processor, and must not hold up other requests.
    let (metrics, writer) = (app.metrics().clone(), app.language().writer.clone());
    let answering = tokio::task::spawn_blocking(move || {
        let plain = ask(&document, &asked.question);
        let worded = writer.and_then(|writer| words(&*writer, &metrics, &document, &asked.question, &plain));
        (plain, worded, document)
    });
    let (plain, worded, document) = answering.await.map_err(ApiError::internal)?;
    let (answer, worded_by) = worded.map_or((plain, None), |(answer, model)| (answer, Some(model)));
    let addresses = Addresses::of(&app, &document);
    let citations = answer.citations.into_iter().map(|cited| Citation {
        claim_id: cited.claim_id,
        value: cited.value,
        basis: cited.basis,
        confidence: cited.confidence,
        evidence: addresses.shown(cited.evidence),
    });
    let abstained = answer.status == Status::Abstained;
    let mut response = json(&Answer {
        object: "answer",
        scan_id: row.scan_id.0,
        status: answer.status,
        answer: answer.answer,
        worded_by,
        confidence: answer.confidence,
        citations: citations.collect(),
        reason: answer.reason,
    })
    .into_response();
    if abstained {
        response.extensions_mut().insert(QuotaExempt);
    }
    Ok(response)
}

/// The answer in the words of a model, and which; none when there are no words that say what the answer says.
fn words(
    writer: &dyn Writer,
    metrics: &Metrics,
    document: &SpaceDocument,
    question: &str,
    plain: &knowledge::ask::Answer,
) -> Option<(knowledge::ask::Answer, String)> {
    let material = material(question, plain)?;
    match writer.write(TASK, &material) {
        Ok((text, used)) => {
            metrics.model_asked("ask", Ok(&used));
            let answer = worded(document, plain, &text);
            if answer.is_none() {
                metrics.model_asked("ask", Err("NOT_ENTAILED"));
                tracing::info!("the words of the model do not say what the answer says: they are not used");
            }
            Some((answer?, writer.model().to_owned()))
        }
        Err(no_answer) => {
            metrics.model_asked("ask", Err(no_answer.code));
            tracing::warn!(%no_answer, "the answer is given in our own words");
            None
        }
    }
}

fn validate(asked: &Question) -> ApiResult<()> {
    if is_blank(&asked.question) {
        return Err(ApiError::field("question", "must not be blank"));
    }
    if asked.question.chars().count() > MAX_QUESTION {
        return Err(ApiError::field("question", format!("must have at most {MAX_QUESTION} characters")));
    }
    Ok(())
}
