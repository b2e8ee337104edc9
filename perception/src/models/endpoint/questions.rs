//! Translation of questions: builds the request and returns the JSON value. The caller validates it.

use domain::language::{LanguageModelError, ModelUsage, Translator};
use serde_json::{Value, json};

use super::{
    Budget, EndpointError, EndpointSettings,
    budget::Spending,
    chat::ChatParameters,
    client::Client,
    wire::{self, Completion},
};
use crate::CancelFlag;

/// Run id under which the usage for translated questions is counted.
const QUESTIONS_RUN: &str = "run_endpoint_questions";

/// Language model of an endpoint that translates questions.
pub(super) struct QuestionModel {
    pub(super) model: String,
    pub(super) settings: EndpointSettings,
    /// One attempt within the time limit of a question.
    pub(super) client: Client,
    pub(super) parameters: ChatParameters,
}

impl Translator for QuestionModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn translate(
        &self,
        task: &str,
        schema: &Value,
        text: &str,
    ) -> Result<(Value, ModelUsage), LanguageModelError> {
        let mut budget = Budget::new(&self.settings);
        let value = self.request(task, schema, text, &mut budget)?;
        Ok((value, budget.used()))
    }
}

impl QuestionModel {
    fn request(
        &self,
        task: &str,
        schema: &Value,
        text: &str,
        budget: &mut Budget,
    ) -> Result<Value, EndpointError> {
        let request = json!({
            "model": self.model,
            "temperature": 0,
            "max_tokens": self.settings.question_max_tokens,
            "messages": [{ "role": "system", "content": task }, { "role": "user", "content": text }],
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": "query", "strict": true, "schema": schema },
            },
        });
        let mut spending = Spending::new(budget, QUESTIONS_RUN, self.settings.question_max_tokens);
        let response = self.parameters.post(&self.client, &request, &CancelFlag::new(), &mut spending)?;
        let response: Completion = wire::parse(response)?;
        serde_json::from_str(wire::without_fence(response.content()?))
            .map_err(|error| EndpointError::InvalidResponse(error.to_string()))
    }
}
