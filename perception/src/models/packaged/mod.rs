//! Small models whose weights ship in registry packages. They run offline on the CPU and are
//! deterministic.

pub mod weights;

mod furniture;
#[doc(hidden)]
pub mod fuzzing;
mod network;
mod objects;
mod onnx;
mod resize;
mod sentences;
mod speech;
mod text;

use std::path::Path;
use std::sync::Arc;

use domain::document::Warning;
use domain::language::Embedder;

use self::{network::Runtime, sentences::SentenceModel};

pub(in crate::models) use self::objects::is_known_class;
use super::{ModelError, Models, Settings};

/// Loads every enabled model; `absent` lists those that cannot be loaded.
pub(super) fn load(settings: &Settings) -> Models {
    let folder = settings.folder();
    // Frames are observed together, so their models share threads.
    let runtime = Runtime::new(settings);
    let mut absent = Vec::new();
    let text = load_model(
        &mut absent,
        settings.text,
        "TEXT_NOT_LOOKED_AT",
        "Text in the picture was not read",
        || text::Reader::load(&folder, &runtime, settings.text_longest_side),
    );
    let speech = load_model(
        &mut absent,
        settings.speech,
        "SPEECH_NOT_LISTENED_TO",
        "Speech was not transcribed",
        || speech::Recognizer::load(&folder, settings.thread_count()),
    );
    let objects = load_model(
        &mut absent,
        settings.objects,
        "OBJECTS_NOT_LOOKED_AT",
        "Objects were not detected",
        || objects::Detector::load(&folder, &runtime),
    );
    let furniture = load_model(
        &mut absent,
        settings.objects,
        "FURNITURE_NOT_LOOKED_AT",
        "Furniture was not recognized in regions of the picture",
        || furniture::Classifier::load(&folder, &runtime),
    );
    Models {
        text: text.map(|model| model as _),
        speech: speech.map(|model| model as _),
        objects: objects.map(|model| model as _),
        furniture: furniture.map(|model| model as _),
        sentences: sentences(settings, |folder| SentenceModel::on_demand(folder, runtime)),
        endpoint: None,
        absent,
    }
}

/// Loads the sentence embeddings. Returns `None` if they are switched off or cannot be loaded: search
/// then finds spaces by words alone. No document depends on them.
pub fn embedder(settings: &Settings) -> Option<Arc<dyn Embedder>> {
    sentences(settings, |folder| SentenceModel::load(folder, &Runtime::new(settings)))
}

fn sentences(
    settings: &Settings,
    load: impl FnOnce(&Path) -> Result<SentenceModel, ModelError>,
) -> Option<Arc<dyn Embedder>> {
    if !settings.sentences {
        return None;
    }
    match load(&settings.folder()) {
        Ok(model) => Some(Arc::new(model)),
        Err(error) => {
            tracing::warn!(code = "SENTENCE_MODEL_MISSING", %error, "spaces are found by words alone");
            None
        }
    }
}

/// Loads one model, or records why it is absent.
fn load_model<M>(
    absent: &mut Vec<Warning>,
    enabled: bool,
    code: &str,
    consequence: &str,
    load: impl FnOnce() -> Result<M, ModelError>,
) -> Option<Arc<M>> {
    let reason = if enabled {
        match load() {
            Ok(model) => return Some(Arc::new(model)),
            Err(error) => {
                tracing::warn!(code, %error, "a model is not available");
                reason(&error)
            }
        }
    } else {
        "it is switched off"
    };
    absent.push(Warning { code: code.to_owned(), message: format!("{consequence}: {reason}.") });
    None
}

/// Returns why a model is absent, for a document. Paths belong in the log only.
fn reason(error: &ModelError) -> &'static str {
    match error {
        ModelError::Unreadable { .. } => "its weights are not installed",
        ModelError::WrongHash { .. } => "its weights are not the ones that were tested",
        ModelError::Malformed { .. } | ModelError::Failed { .. } => "its weights could not be loaded",
    }
}
