//! The models of a measurement.

use anyhow::ensure;
use clap::Args;
use perception::{
    Settings,
    models::{Models, RuntimeKind},
};

/// What runs the models.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Runtime {
    /// Run the models with onnxruntime instead of rten. `cargo xtask setup --onnxruntime` installs it.
    #[arg(long)]
    onnxruntime: bool,
}

impl Runtime {
    /// Returns the default settings with this runtime.
    pub fn settings(self) -> Settings {
        let mut settings = Settings::default();
        if self.onnxruntime {
            settings.models.runtime = RuntimeKind::Onnxruntime;
        }
        settings
    }

    /// Loads all models.
    ///
    /// # Errors
    /// Returns an error if a model is missing, or the runtime is not usable: a fallback would be measured.
    pub fn load(self, settings: &Settings) -> anyhow::Result<Models> {
        let models = Models::load(&settings.models);
        ensure!(models.absent.is_empty(), "a model is missing: {:?}", models.absent);
        let run = models.text.as_ref().map(|reader| reader.run());
        let is_used = run.is_some_and(|run| run.parameters.contains_key("runtime"));
        ensure!(is_used == self.onnxruntime, "onnxruntime is not usable");
        Ok(models)
    }
}
