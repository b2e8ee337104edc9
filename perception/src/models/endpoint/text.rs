//! Text generation: builds the request and returns the text. The caller verifies what it says.

use std::time::Duration;

use domain::language::{LanguageModelError, ModelUsage, Writer};
use serde_json::json;

use super::{
    Budget, EndpointError, EndpointSettings,
    budget::Spending,
    chat::ChatParameters,
    client::Client,
    wire::{self, Completion},
};
use crate::CancelFlag;

/// Run id under which the usage for phrased answers is counted.
const TEXT_RUN: &str = "run_endpoint_text";

/// Language model of an endpoint.
pub(super) struct TextModel {
    pub(super) model: String,
    pub(super) settings: EndpointSettings,
    pub(super) client: Client,
    pub(super) parameters: ChatParameters,
}

impl Writer for TextModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn write(&self, task: &str, material: &str) -> Result<(String, ModelUsage), LanguageModelError> {
        let mut budget = Budget::new(&self.settings);
        let text = self.generate(task, material, &mut budget)?;
        Ok((text, budget.used()))
    }
}

impl TextModel {
    fn generate(&self, task: &str, material: &str, budget: &mut Budget) -> Result<String, EndpointError> {
        let request = json!({
            "model": self.model,
            "temperature": 0,
            "max_tokens": self.settings.text_max_tokens,
            "messages": [{ "role": "system", "content": task }, { "role": "user", "content": material }],
        });
        let client = self.client.for_interactive(Duration::from_millis(self.settings.text_timeout_ms));
        let mut spending = Spending::new(budget, TEXT_RUN, self.settings.text_max_tokens);
        let response = self.parameters.post(&client, &request, &CancelFlag::new(), &mut spending)?;
        let response: Completion = wire::parse(response)?;
        Ok(response.content()?.trim().to_owned())
    }
}
