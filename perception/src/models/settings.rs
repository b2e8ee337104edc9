//! Settings of the models.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Path of the library of onnxruntime below the cache folder.
const ONNXRUNTIME_LIBRARY: &str = "onnxruntime/libonnxruntime.so";

/// Which models are used, and how much of the machine they may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Folder with the weights. Defaults to `models` in the cache folder.
    pub models_dir: Option<PathBuf>,
    /// Number of threads per model; 0 uses one per processor.
    pub threads: usize,
    /// Reads text in frames.
    pub text: bool,
    /// Transcribes speech.
    pub speech: bool,
    /// Detects objects in frames.
    pub objects: bool,
    /// Computes sentence embeddings for search by meaning, unless an endpoint does.
    pub sentences: bool,
    /// Length in pixels to which the longer side of a frame is reduced before text is detected.
    /// Larger values find smaller letters; time grows with the square.
    pub text_longest_side: u32,
    /// What runs the models for text, objects, furniture and sentences: `rten`, which is built in, or
    /// `onnxruntime`, which is faster and a library of its own. Without the library, rten runs them and the
    /// log says so.
    pub runtime: RuntimeKind,
    /// Settings of onnxruntime.
    pub onnxruntime: OnnxruntimeSettings,
    /// OpenAI-compatible endpoint with remote models. Not used by default.
    pub endpoint: Option<super::endpoint::EndpointSettings>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            models_dir: None,
            threads: 0,
            text: true,
            speech: true,
            objects: true,
            sentences: true,
            text_longest_side: 736,
            runtime: RuntimeKind::default(),
            onnxruntime: OnnxruntimeSettings::default(),
            endpoint: None,
        }
    }
}

/// A runtime of neural networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuntimeKind {
    /// rten, which is built in.
    #[default]
    Rten,
    /// onnxruntime, a library.
    Onnxruntime,
}

/// Settings of onnxruntime.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OnnxruntimeSettings {
    /// Path of the library, version 1.22 or newer. Defaults to the one that
    /// `cargo xtask setup --onnxruntime` puts into the cache folder.
    pub library: Option<PathBuf>,
    /// Execution providers in the order in which they are tried: `cuda`, `tensorrt`, `openvino`, `migraphx`.
    /// The library must be built with them. The processor is always the last.
    pub execution_providers: Vec<ExecutionProvider>,
}

impl OnnxruntimeSettings {
    /// Returns the path of the library.
    pub fn library_path(&self) -> PathBuf {
        self.library.clone().unwrap_or_else(|| cache_folder().join(ONNXRUNTIME_LIBRARY))
    }
}

/// Hardware on which onnxruntime runs networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionProvider {
    /// Nvidia GPUs.
    Cuda,
    /// Nvidia GPUs, with compiled networks.
    Tensorrt,
    /// Intel processors and GPUs.
    Openvino,
    /// AMD GPUs.
    Migraphx,
}

impl ExecutionProvider {
    /// Returns the name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Tensorrt => "tensorrt",
            Self::Openvino => "openvino",
            Self::Migraphx => "migraphx",
        }
    }
}

impl Settings {
    /// Returns the folder with the weights.
    pub fn folder(&self) -> PathBuf {
        self.models_dir.clone().unwrap_or_else(|| cache_folder().join("models"))
    }

    /// Returns the number of threads per model.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

/// Returns the folder into which setup installs tools and weights: `$SCAN_CACHE`, else
/// `$XDG_CACHE_HOME/scan-service`, else `$HOME/.cache/scan-service`, else `scan-service` in the
/// temporary folder.
fn cache_folder() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "the default of a setting")]
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SCAN_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("scan-service")))
        .or_else(|| set("HOME").map(|dir| dir.join(".cache/scan-service")))
        .unwrap_or_else(|| std::env::temp_dir().join("scan-service"))
}
