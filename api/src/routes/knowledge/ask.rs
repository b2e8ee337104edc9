//! `POST /spaces/{id}/ask`: answers questions from the claims of a Space Document.

use domain::{
    ApiErrorCode, ScanId, SpaceId,
    document::{Basis, SpaceDocument},
    language::{LanguageModels, Translator, Writer},
    scope::Scope,
};
use entities::spaces;
use http::Method;
use knowledge::ask::{
    Aids, MAX_QUESTION, Meaning, Reason, Status, TASK, TRANSLATION_TASK, TypedQuery, ask_translated,
    ask_with, better, is_improvable, material, translation_schema, worded,
};
use search::SentenceVectors;
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
        knowledge::evidence::{EvidenceWithUrl, FrameUrls},
        space_documents,
        validate::is_blank,
    },
};

/// A question about a space.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// 1 to 500 characters, in English; in any language where a model for questions is configured.
    #[schema(min_length = 1, max_length = 500, pattern = "\\S")]
    pub question: String,
    /// Scan whose document is used; the newest document if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_id: Option<ScanId>,
}

/// An answer, or the reason why there is none.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer {
    /// Always `answer`.
    #[schema(pattern = "^answer$")]
    pub object: &'static str,
    /// The scan whose document was used.
    pub scan_id: ScanId,
    /// Whether the question was answered in full, in part or not at all.
    pub status: Status,
    /// The answer in words; null if abstained.
    pub answer: Option<String>,
    /// The model that worded the answer, if one is configured; null otherwise.
    pub worded_by: Option<String>,
    /// The model that translated the question, if the answer is to its translation; null otherwise.
    pub translated_by: Option<String>,
    /// Lowest confidence of the cited claims, 0 to 1; 0 if abstained.
    pub confidence: f64,
    /// The claims that support the answer; for a conflict, the contradicting claims.
    pub citations: Vec<Citation>,
    /// Why the answer is not complete.
    pub reason: Option<Reason>,
    /// The parts of the question without an answer, in its words. Empty for a question of one part.
    pub missing: Vec<String>,
    /// Up to three claims that come closest to the parts without an answer, the closest first. They
    /// are no answer.
    pub closest: Vec<Citation>,
}

/// A cited claim with its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct Citation {
    /// Id of the claim or of the narration.
    pub claim_id: String,
    /// Value of the claim.
    pub value: String,
    /// Basis of the claim.
    pub basis: Basis,
    /// Confidence of the claim, 0 to 1.
    pub confidence: f64,
    /// Evidence of the claim; never empty.
    pub evidence: Vec<EvidenceWithUrl>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::POST, "/spaces/{id}/ask", "askSpace", "Knowledge")
            .about(
                "Ask a question about a space",
                "Answers from claims of the Space Document and cites each, or abstains with a reason. An answer never \
                 claims that something unseen is absent, and never estimates a size.",
            )
            .json_body::<Question>()
            .responds::<Answer>(200, "An answer, in full or in part, or the reason why there is none.")
            .errors(&[ApiErrorCode::NoDocument])
            .request_example(json!({ "question": "What does the sign say?" }))
            .response_example(200, json!({
                "object": "answer", "scan_id": SCAN, "status": "answered",
                "answer": "A sign reads “MEETING ROOM 2”.", "worded_by": null,
                "translated_by": null, "confidence": 0.94, "reason": null,
                "missing": [], "closest": [],
                "citations": [{ "claim_id": "clm_1", "value": "MEETING ROOM 2", "basis": "read", "confidence": 0.94,
                    "evidence": [evidence_with_url()] }],
            }))
            .key(Scope::AskWrite, post),
    ]
}

async fn post(app: App, caller: Caller, mut request: Request) -> ApiResult<Response> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let question: Question = request.json().await?;
    validate(&question)?;
    let row = match &question.scan_id {
        None => super::latest(&app, &caller, &id).await?.1,
        Some(scan) => super::of_scan(&app, &caller, &id, scan).await?,
    };
    let slot = app.document_pool().enter().await?;
    let document = space_documents::read_typed(&app, &slot, &row).await?;
    let (asked, sentences) = (question.question.clone(), app.sentences().cloned());
    let answering = slot.run(move || (ask_with(&document, &asked, &aids(sentences.as_ref())), document));
    let (asked, document) = answering.await?;
    drop(slot);
    let LanguageModels { writer, translator, .. } = app.language().clone();
    let translator = translator.filter(|_| is_improvable(&asked));
    let (plain, translated_by, reworded, document) = if translator.is_none() && writer.is_none() {
        (asked, None, None, document)
    } else {
        let slot = app.model_pool().enter().await?;
        let (metrics, sentences) = (app.metrics().clone(), app.sentences().cloned());
        let improving = move || {
            let (question, aids) = (&question.question, aids(sentences.as_ref()));
            let (plain, translated_by) = match translator {
                Some(translator) => translated(&*translator, &metrics, &document, question, &aids, asked),
                None => (asked, None),
            };
            let reworded = writer.and_then(|writer| reword(&*writer, &metrics, &document, question, &plain));
            (plain, translated_by, reworded, document)
        };
        slot.run(improving).await?
    };
    let (answer, worded_by) = reworded.map_or((plain, None), |(answer, model)| (answer, Some(model)));
    let frame_urls = FrameUrls::new(&app, &document);
    let present = |citations: Vec<knowledge::ask::Citation>| -> Vec<Citation> {
        let one = |citation: knowledge::ask::Citation| Citation {
            claim_id: citation.claim_id,
            value: citation.value,
            basis: citation.basis,
            confidence: citation.confidence,
            evidence: frame_urls.sign(citation.evidence),
        };
        citations.into_iter().map(one).collect()
    };
    let abstained = answer.status == Status::Abstained;
    let mut response = json(&Answer {
        object: "answer",
        scan_id: row.scan_id.0,
        status: answer.status,
        answer: answer.answer,
        worded_by,
        translated_by,
        confidence: answer.confidence,
        citations: present(answer.citations),
        reason: answer.reason,
        missing: answer.missing,
        closest: present(answer.closest),
    })
    .into_response();
    if abstained {
        response.extensions_mut().insert(QuotaExempt);
    }
    Ok(response)
}

/// Returns what helps to answer: the meaning of sentences, where a model is configured.
fn aids(sentences: Option<&SentenceVectors>) -> Aids<'_> {
    Aids { meaning: sentences.map(|sentences| sentences as &dyn Meaning) }
}

/// Returns the answer to the question as a model translates it, and the model's name, if it says more than
/// the answer to the question as asked. Returns that answer if the model fails or returns no valid query.
fn translated(
    translator: &dyn Translator,
    metrics: &Metrics,
    document: &SpaceDocument,
    question: &str,
    aids: &Aids,
    asked: knowledge::ask::Answer,
) -> (knowledge::ask::Answer, Option<String>) {
    let value = match translator.translate(TRANSLATION_TASK, &translation_schema(), question) {
        Ok((value, used)) => {
            metrics.record_model_request("question", Ok(&used));
            value
        }
        Err(no_answer) => {
            metrics.record_model_request("question", Err(no_answer.code));
            tracing::warn!(%no_answer, "the model failed; the question is answered as it was asked");
            return (asked, None);
        }
    };
    match TypedQuery::parse(question, value) {
        Ok(query) => {
            let (answer, is_translated) = better(asked, ask_translated(document, &query, aids));
            (answer, is_translated.then(|| translator.model().to_owned()))
        }
        Err(reason) => {
            metrics.record_model_request("question", Err("INVALID_QUERY"));
            tracing::info!(reason, "the translation of the question is invalid and is discarded");
            (asked, None)
        }
    }
}

/// Returns the answer in the words of a model, and the model's name; `None` if the model fails or
/// its words are not entailed by the answer.
fn reword(
    writer: &dyn Writer,
    metrics: &Metrics,
    document: &SpaceDocument,
    question: &str,
    plain: &knowledge::ask::Answer,
) -> Option<(knowledge::ask::Answer, String)> {
    let material = material(question, plain)?;
    match writer.write(TASK, &material) {
        Ok((text, used)) => {
            metrics.record_model_request("ask", Ok(&used));
            let answer = worded(document, plain, &text);
            if answer.is_none() {
                metrics.record_model_request("ask", Err("NOT_ENTAILED"));
                tracing::info!("the wording of the model is not entailed by the answer and is discarded");
            }
            Some((answer?, writer.model().to_owned()))
        }
        Err(no_answer) => {
            metrics.record_model_request("ask", Err(no_answer.code));
            tracing::warn!(%no_answer, "the model failed; the answer keeps its own wording");
            None
        }
    }
}

fn validate(question: &Question) -> ApiResult<()> {
    if is_blank(&question.question) {
        return Err(ApiError::field("question", "must not be blank"));
    }
    if question.question.chars().count() > MAX_QUESTION {
        return Err(ApiError::field("question", format!("must have at most {MAX_QUESTION} characters")));
    }
    Ok(())
}
