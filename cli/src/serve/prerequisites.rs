//! Programs and files that `scan up` needs beside its own program. They are looked for before anything
//! starts, so that one message names everything that this machine lacks.

use std::path::{Path, PathBuf};

use anyhow::bail;
use media::ffmpeg;
use perception::models::packaged::weights::WEIGHTS;

use super::temporal;
use crate::config::Config;

/// Prerequisites that were not found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Missing {
    /// Whether the Temporal CLI is missing.
    engine: bool,
    /// The missing ones of ffmpeg and ffprobe.
    decoders: Vec<PathBuf>,
    /// Packaged models without weights, and the folder where they belong.
    models: Option<(PathBuf, Vec<&'static str>)>,
}

/// Looks for the prerequisites. Missing weights alone are logged: the service runs without them.
///
/// # Errors
/// Returns one error that names everything that is missing, if a program is.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    let missing = Missing {
        engine: temporal::find_command().is_err(),
        decoders: ffmpeg::missing_programs(&config.perception.ffmpeg),
        models: without_weights(&config.perception.models.folder()),
    };
    if missing.engine || !missing.decoders.is_empty() {
        bail!(missing.message());
    }
    if missing.models.is_some() {
        tracing::warn!("{}", missing.message());
    }
    Ok(())
}

fn without_weights(folder: &Path) -> Option<(PathBuf, Vec<&'static str>)> {
    let absent = WEIGHTS.iter().filter(|weights| !weights.are_installed(folder));
    let models: Vec<_> = absent.map(|weights| weights.model).collect();
    (!models.is_empty()).then(|| (folder.to_owned(), models))
}

impl Missing {
    fn message(&self) -> String {
        let mut lines = vec!["this machine lacks:".to_owned()];
        if self.engine {
            lines
                .push("- the Temporal CLI: put `temporal` on the PATH (https://docs.temporal.io/cli)".into());
        }
        for program in &self.decoders {
            let program = program.display();
            lines.push(format!("- {program}: install ffmpeg (Debian and Ubuntu: apt install ffmpeg)"));
        }
        if let Some((folder, models)) = &self.models {
            let (folder, models) = (folder.display(), models.join(", "));
            lines.push(format!(
                "- weights in {folder} of {models}: without them, documents lack what these find"
            ));
        }
        if self.engine || self.models.is_some() {
            lines.push("The release archive has the Temporal CLI and the weights; `cargo xtask setup` installs them.".into());
        }
        lines.join("\n  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_message_names_everything_that_is_missing() {
        let empty = tempfile::tempdir().unwrap();
        let missing = Missing {
            engine: true,
            decoders: vec!["ffmpeg".into(), "ffprobe".into()],
            models: without_weights(empty.path()),
        };
        let message = missing.message();
        for part in ["`temporal`", "ffmpeg:", "ffprobe:", "apt install", "whisper-tiny.en", "nanodet"] {
            assert!(message.contains(part), "{part} is missing in {message}");
        }
    }

    #[test]
    fn a_decoder_that_does_not_exist_is_an_error_before_the_start() {
        let mut config = Config::default();
        config.perception.ffmpeg.ffmpeg = "/nowhere/ffmpeg".into();
        let error = check(&config).unwrap_err().to_string();
        assert!(error.contains("- /nowhere/ffmpeg: install ffmpeg"), "{error}");
    }

    #[test]
    fn models_with_all_their_weights_are_not_named() {
        let folder = tempfile::tempdir().unwrap();
        for weights in WEIGHTS.iter() {
            std::fs::create_dir_all(folder.path().join(weights.folder)).unwrap();
            for file in &weights.files {
                std::fs::write(folder.path().join(weights.folder).join(file.name), "").unwrap();
            }
        }
        assert_eq!(without_weights(folder.path()), None);
        let first = &WEIGHTS[0];
        std::fs::remove_file(folder.path().join(first.folder).join(first.files[0].name)).unwrap();
        assert_eq!(without_weights(folder.path()), Some((folder.path().to_owned(), vec![first.model])));
    }
}
