//! The media to scan: one video, or photos in order.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use domain::media::{self, FrameInput, InputKind, ScanInput, Transcript, VideoInput};

/// Media on this machine, in upload order.
#[derive(Debug, Clone)]
pub struct Media {
    /// Video or photos.
    pub kind: InputKind,
    /// The files: one video, or the photos in order.
    pub files: Vec<MediaFile>,
}

/// One file of a [`Media`].
#[derive(Debug, Clone)]
pub struct MediaFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Content type, detected from the first bytes.
    pub content_type: &'static str,
    /// Size in bytes.
    pub bytes: u64,
}

impl Media {
    /// Finds the media at the given paths: a video, photos, or folders of photos (in order of file
    /// names).
    ///
    /// # Errors
    /// Returns an error if a file is missing, has an unknown type, or videos and photos are mixed.
    pub fn find(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(photos_of(path)?);
            } else {
                files.push(inspect(path)?.with_context(|| {
                    format!(
                        "{} is neither a video (mp4, mov, webm, mkv) nor a photo (jpeg, png, webp)",
                        path.display()
                    )
                })?);
            }
        }
        let videos = files.iter().filter(|f| media::VIDEO_TYPES.contains(&f.content_type)).count();
        match (videos, files.len()) {
            (_, 0) => bail!("no media to scan"),
            (1, 1) => Ok(Self { kind: InputKind::Video, files }),
            (0, _) => Ok(Self { kind: InputKind::Frames, files }),
            _ => bail!("scan either one video or photos"),
        }
    }

    /// Builds the `input` of the request that creates the scan.
    pub fn declare(&self, language: &str, transcript: Option<Transcript>) -> ScanInput {
        let video = (self.kind == InputKind::Video).then(|| VideoInput {
            content_type: self.files[0].content_type.to_owned(),
            content_length: self.files[0].bytes,
        });
        let frames = (self.kind == InputKind::Frames).then(|| vec![FrameInput::default(); self.files.len()]);
        ScanInput { kind: self.kind, language: language.to_owned(), video, frames, transcript }
    }

    /// Returns a name for a space of these media: the file of a video, or the folder of photos.
    pub fn name(&self) -> String {
        let path = self.files[0].path.canonicalize().unwrap_or_else(|_| self.files[0].path.clone());
        let named = match self.kind {
            InputKind::Video => path.file_stem(),
            InputKind::Frames => path.parent().and_then(Path::file_name),
        };
        named.map_or("My space".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Returns the size of all files, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|f| f.bytes).sum()
    }
}

fn photos_of(folder: &Path) -> anyhow::Result<Vec<MediaFile>> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("{}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.is_file())
        .collect();
    names.sort();
    let mut photos = Vec::new();
    for path in names {
        if let Some(file) = inspect(&path)?.filter(|f| media::PHOTO_TYPES.contains(&f.content_type)) {
            photos.push(file);
        }
    }
    if photos.is_empty() {
        bail!("{} contains no photos (jpeg, png, webp)", folder.display());
    }
    Ok(photos)
}

/// Detects the type of a file. Returns `None` if it is unknown.
fn inspect(path: &Path) -> anyhow::Result<Option<MediaFile>> {
    use std::io::Read;
    let named = || format!("{}", path.display());
    let mut head = Vec::new();
    let mut file = std::fs::File::open(path).with_context(named)?;
    let bytes = file.metadata().with_context(named)?.len();
    file.by_ref().take(64).read_to_end(&mut head).with_context(named)?;
    Ok(media::sniff(&head).map(|content_type| MediaFile { path: path.to_owned(), content_type, bytes }))
}
