//! What is to be scanned: one video, or photos in order.

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
    /// Where it is.
    pub path: PathBuf,
    /// What its first bytes say it is.
    pub content_type: &'static str,
    /// Its size.
    pub bytes: u64,
}

impl Media {
    /// Looks at what was named: a video, photos, or a folder of photos (taken in order of their names).
    ///
    /// # Errors
    /// When something is missing, is of no known kind, or kinds are mixed.
    pub fn find(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(photos_of(path)?);
            } else {
                files.push(look_at(path)?.with_context(|| {
                    format!(
                        "{} is neither a video (mp4, mov, webm, mkv) nor a photo (jpeg, png, webp)",
                        path.display()
                    )
                })?);
            }
        }
        let videos = files.iter().filter(|f| media::VIDEO_TYPES.contains(&f.content_type)).count();
        match (videos, files.len()) {
            (_, 0) => bail!("there is nothing to scan"),
            (1, 1) => Ok(Self { kind: InputKind::Video, files }),
            (0, _) => Ok(Self { kind: InputKind::Frames, files }),
            _ => bail!("scan one video, or photos, not both"),
        }
    }

    /// The `input` to declare.
    pub fn declare(&self, language: &str, transcript: Option<Transcript>) -> ScanInput {
        let video = (self.kind == InputKind::Video).then(|| VideoInput {
            content_type: self.files[0].content_type.to_owned(),
            content_length: self.files[0].bytes,
        });
        let frames = (self.kind == InputKind::Frames).then(|| vec![FrameInput::default(); self.files.len()]);
        ScanInput { kind: self.kind, language: language.to_owned(), video, frames, transcript }
    }

    /// Size of all files.
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
        if let Some(file) = look_at(&path)?.filter(|f| media::PHOTO_TYPES.contains(&f.content_type)) {
            photos.push(file);
        }
    }
    if photos.is_empty() {
        bail!("{} holds no photos (jpeg, png, webp)", folder.display());
    }
    Ok(photos)
}

fn look_at(path: &Path) -> anyhow::Result<Option<MediaFile>> {
    use std::io::Read;
    let named = || format!("{}", path.display());
    let mut head = Vec::new();
    let mut file = std::fs::File::open(path).with_context(named)?;
    let bytes = file.metadata().with_context(named)?.len();
    file.by_ref().take(64).read_to_end(&mut head).with_context(named)?;
    Ok(media::sniff(&head).map(|content_type| MediaFile { path: path.to_owned(), content_type, bytes }))
}
