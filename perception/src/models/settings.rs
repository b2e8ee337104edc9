//! Settings of the models.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Which models are used, and with how much of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The folder with the weights; `models` in the cache folder when absent.
    pub models_dir: Option<PathBuf>,
    /// Threads one model uses at a time; 0 means one for each processor.
    pub threads: usize,
    /// Whether to look for text.
    pub text: bool,
    /// Whether to listen for speech.
    pub speech: bool,
    /// Whether to look for things.
    pub objects: bool,
    /// The longer side, in pixels, to which a frame is reduced before text is looked for. Larger finds
    /// smaller letters and costs time by its square.
    pub text_longest_side: u32,
    /// Models behind an OpenAI-compatible address; none by default.
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
            text_longest_side: 736,
            endpoint: None,
        }
    }
}

impl Settings {
    /// The folder with the weights.
    pub fn folder(&self) -> PathBuf {
        self.models_dir.clone().unwrap_or_else(|| cache_folder().join("models"))
    }

    /// How many threads a model gets.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        }
    }
}

/// Where set-up puts tools and weights: `$SCAN_CACHE`, else `$XDG_CACHE_HOME/scan-service`, else
/// `$HOME/.cache/scan-service`, else a folder `scan-service` among the temporary files.
fn cache_folder() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "the default of a setting")]
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SCAN_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("scan-service")))
        .or_else(|| set("HOME").map(|dir| dir.join(".cache/scan-service")))
        .unwrap_or_else(|| std::env::temp_dir().join("scan-service"))
}
