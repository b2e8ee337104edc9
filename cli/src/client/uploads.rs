//! Uploads that survive a lost connection and an interrupted command.
//!
//! A note on this machine names the scan and the files that it has received. The same command run again
//! continues the same scan and skips these files.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use domain::{ScanId, SpaceId, media::InputKind, scan::Scan};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::{api::Api, exit, input::Media};

/// Attempts for one file.
const MAX_ATTEMPTS: u32 = 6;

/// An upload that has begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Upload {
    /// The space.
    pub space: SpaceId,
    /// The scan.
    pub scan: ScanId,
    /// Indexes of the files that the scan has received.
    #[serde(default)]
    pub received: Vec<usize>,
}

/// The place of the note about one upload.
#[derive(Debug, Clone)]
pub struct Note(PathBuf);

impl Note {
    /// Returns the note for these files. `target` says where they go: another service or space has
    /// another note. A changed file has another note, too.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or there is no home folder.
    pub fn new(target: &[&str], media: &Media) -> anyhow::Result<Self> {
        Ok(Self::in_folder(&state_folder()?, target, media)?)
    }

    fn in_folder(folder: &Path, target: &[&str], media: &Media) -> std::io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        for file in &media.files {
            file.path.canonicalize()?.hash(&mut hasher);
            file.bytes.hash(&mut hasher);
            file.path.metadata()?.modified()?.hash(&mut hasher);
        }
        Ok(Self(folder.join(format!("{:016x}.json", hasher.finish()))))
    }

    /// Returns the upload that has begun, if there is one.
    pub fn read(&self) -> Option<Upload> {
        serde_json::from_slice(&std::fs::read(&self.0).ok()?).ok()
    }

    /// Writes the note.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn write(&self, upload: &Upload) -> anyhow::Result<()> {
        let folder = self.0.parent().context("the note has no folder")?;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let draft = self.0.with_extension("draft");
        let mut file =
            std::fs::File::options().create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
        serde_json::to_writer(&mut file, upload)?;
        std::fs::rename(&draft, &self.0).with_context(|| format!("{}", self.0.display()))
    }

    /// Removes the note, once the scan is started.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[expect(clippy::disallowed_methods, reason = "the place of a user's files is not a setting of the service")]
fn state_folder() -> anyhow::Result<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
    Ok(state.context("neither XDG_STATE_HOME nor HOME is set")?.join("scan/uploads"))
}

/// Uploads the files that the scan has not received yet. Repeats a file after a lost connection.
///
/// # Errors
/// Returns an error if a file cannot be read or the API refuses it. The same call continues later.
pub async fn send(
    api: &Api,
    media: &Media,
    scan: &Scan,
    upload: &mut Upload,
    note: &Note,
) -> anyhow::Result<()> {
    let instructions = scan.upload.as_ref().context("the API returned no upload instructions")?;
    let bar = ProgressBar::new(media.bytes());
    bar.set_style(ProgressStyle::with_template(
        "{msg:>10} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec} {eta}",
    )?);
    bar.set_message("uploading");
    let mut sent = 0;
    for (number, file) in media.files.iter().enumerate() {
        let index = (media.kind == InputKind::Frames).then(|| u32::try_from(number)).transpose()?;
        let mut attempt = 1;
        while !upload.received.contains(&number) {
            bar.set_position(sent);
            let progress = bar.clone();
            let put =
                api.upload(instructions, index, file.content_type, &file.path, move |n| progress.inc(n));
            match put.await.with_context(|| format!("uploading {}", file.path.display())) {
                Ok(()) => {
                    upload.received.push(number);
                    note.write(upload)?;
                }
                Err(error) if attempt < MAX_ATTEMPTS && exit::is_transient(&error) => {
                    bar.set_message("waiting");
                    tokio::time::sleep(Duration::from_millis(250 << attempt)).await;
                    bar.set_message("uploading");
                    attempt += 1;
                }
                Err(error) => return Err(error.context("run the same command again to continue the upload")),
            }
        }
        sent += file.bytes;
        bar.set_position(sent);
    }
    bar.finish_with_message("uploaded");
    if upload.received.len() < media.files.len() {
        bail!("some files were not uploaded");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_found_again_for_the_same_files_and_target_only() {
        let folder = tempfile::tempdir().unwrap();
        let photo = folder.path().join("1.jpg");
        std::fs::write(&photo, [0xff, 0xd8, 0xff, 0xe0, 0, 0]).unwrap();
        let media = Media::find(std::slice::from_ref(&photo)).unwrap();
        let note = |target: &[&str], media: &Media| Note::in_folder(folder.path(), target, media).unwrap();
        let upload = Upload { space: SpaceId::new(), scan: ScanId::new(), received: vec![0] };
        assert!(note(&["a"], &media).read().is_none());
        note(&["a"], &media).write(&upload).unwrap();
        assert_eq!(note(&["a"], &media).read().unwrap().scan, upload.scan);
        assert!(note(&["b"], &media).read().is_none());
        std::fs::write(&photo, [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0]).unwrap();
        assert!(note(&["a"], &Media::find(&[photo]).unwrap()).read().is_none());
        note(&["a"], &media).remove();
    }
}
