//! Settings of the models.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
            endpoint: None,
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
