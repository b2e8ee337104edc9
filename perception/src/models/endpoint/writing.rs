//! Wording: the question, and the answer as text. What it says is checked by whoever asked.

use std::time::Duration;

use domain::language::{NoAnswer, Used, Writer};
use serde_json::json;

use super::{
    EndpointSettings, Fault, Spending,
    client::Client,
    wire::{self, Completion},
};
use crate::CancelFlag;

/// Run of wordings, in what is counted of their cost.
const WRITING_RUN: &str = "run_endpoint_text";

/// The model of texts of an endpoint.
pub(super) struct TextModel {
    pub(super) model: String,
    pub(super) settings: EndpointSettings,
    pub(super) client: Client,
}

impl Writer for TextModel {
    fn model(&self) -> &str {
        &self.model
    }

    fn write(&self, task: &str, material: &str) -> Result<(String, Used), NoAnswer> {
        let mut spending = Spending::new(&self.settings);
        let text = self.ask(task, material, &mut spending)?;
        Ok((text, spending.used()))
    }
}

impl TextModel {
    fn ask(&self, task: &str, material: &str, spending: &mut Spending) -> Result<String, Fault> {
        spending.allow(self.settings.text_max_tokens)?;
        let request = json!({
            "model": self.model,
            "temperature": 0,
            "max_tokens": self.settings.text_max_tokens,
            "messages": [{ "role": "system", "content": task }, { "role": "user", "content": material }],
        });
        let client = self.client.hasty(Duration::from_millis(self.settings.text_timeout_ms));
        let answer = client.post_json("chat/completions", &request, &CancelFlag::new())?;
        let answer: Completion = wire::typed(answer)?;
        spending.add(WRITING_RUN, answer.usage.as_ref());
        Ok(answer.content()?.trim().to_owned())
    }
}
