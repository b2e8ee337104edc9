//! Ingests ordered photos.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use domain::document::{Frame, KeptBecause, Medium, MediumKind};
use domain::media::InputKind;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::files::{WorkFiles, sha256_and_size};
use super::metrics::{PictureMetrics, SAME_PICTURE_MAX_LAYOUT_DIFFERENCE};
use super::video::run;
use super::{FrameFile, Ingested, Sample, View, frame_id};
use crate::signal::{align, distance, thousandths};
use crate::{CancelFlag, PerceptionError, Settings};

/// A photo on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoFile {
    /// Position in the order, starting at 0.
    pub ordinal: u32,
    /// Time in milliseconds since the first photo, if known.
    pub t_ms: Option<u64>,
    /// Path of the JPEG, PNG or WebP file.
    pub path: PathBuf,
}

/// Perceived blur (0 to 1) above which a photo is left out if a sharper one shows the same view.
const MAX_SHARP_BLUR: f64 = 0.62;
/// Share of a blurred photo that a sharper one must show to replace it.
const COVERED_MIN_OVERLAP: f64 = 0.5;
/// Number of sharp photos, the most alike ones, with which a blurred photo is aligned.
const MAX_ALIGNED: usize = 16;
/// Overlap (share of the picture) from which two photos are duplicates.
const DUPLICATE_MIN_OVERLAP: f64 = 0.9;
/// Minimum number of matching features of two duplicates.
const DUPLICATE_MIN_INLIERS: usize = 24;
/// Maximum number of bits in which the hashes of two duplicates differ.
const DUPLICATE_MAX_HASH_BITS: u32 = 18;

struct Photo {
    ordinal: u32,
    t_ms: Option<u64>,
    medium: Medium,
    metrics: PictureMetrics,
    file: String,
    size: (u32, u32),
    /// Reason why the photo is left out, and the index of the photo that shows the same view.
    left_out: Option<(&'static str, Option<usize>)>,
}

/// Ingests photos in order. Writes kept photos as `<frame id>.jpg`, upright and reduced, into
/// `work_dir`. Leaves out photos that duplicate another or are too dark; [`Sample::left_out`] gives
/// the reason. An error leaves no files behind. Blocks.
///
/// # Errors
/// Returns an error if a photo is invalid ([`PerceptionError::failure`] gives the code) or a file
/// of this machine cannot be read or written.
pub fn photos(
    photos: &[PhotoFile],
    work_dir: &Path,
    settings: &Settings,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Ingested, PerceptionError> {
    let mut files = WorkFiles::new(work_dir);
    let mut measured = Vec::with_capacity(photos.len());
    for (index, photo) in photos.iter().enumerate() {
        cancel.check()?;
        let done = index as f32 / photos.len() as f32;
        progress(done);
        let (sha256, bytes) = sha256_and_size(&photo.path, cancel, &|| progress(done))?;
        let (width, height, picture) = open(photo, settings)?;
        let metrics = PictureMetrics::of_photo(&picture);
        let file = format!("photo_{:05}.jpg", photo.ordinal);
        files.jpeg(&file, &picture, settings.frames.jpeg_quality)?;
        measured.push(Photo {
            ordinal: photo.ordinal,
            t_ms: photo.t_ms,
            medium: Medium {
                id: format!("med_photo_{}", photo.ordinal),
                kind: MediumKind::Photo,
                ordinal: Some(photo.ordinal),
                sha256,
                bytes,
                width,
                height,
                duration_ms: None,
                fps: None,
                has_audio: false,
                url: None,
            },
            metrics,
            file,
            size: picture.dimensions(),
            left_out: None,
        });
    }
    mark_left_out(&mut measured, settings, cancel)?;
    let ingested = build_ingested(measured, &mut files, settings)?;
    files.keep();
    progress(1.0);
    Ok(ingested)
}

/// Decodes a photo and turns it upright. Its size is checked before decoding.
fn open(photo: &PhotoFile, settings: &Settings) -> Result<(u32, u32, RgbImage), PerceptionError> {
    let ordinal = photo.ordinal;
    let io = |e| PerceptionError::internal(format!("reading {}", photo.path.display()), e);
    let unreadable = |reason: String| PerceptionError::PhotoUnreadable { ordinal, reason };
    let mut head = Vec::with_capacity(64);
    File::open(&photo.path).map_err(io)?.take(64).read_to_end(&mut head).map_err(io)?;
    let format = match domain::media::sniff(&head) {
        Some("image/jpeg") => ImageFormat::Jpeg,
        Some("image/png") => ImageFormat::Png,
        Some("image/webp") => ImageFormat::WebP,
        _ => return Err(unreadable("neither JPEG, PNG nor WebP".to_owned())),
    };
    let reader = || -> Result<_, PerceptionError> {
        Ok(ImageReader::with_format(BufReader::new(File::open(&photo.path).map_err(io)?), format))
    };
    let (width, height) = reader()?.into_dimensions().map_err(|e| unreadable(e.to_string()))?;
    let limits = &settings.ffmpeg;
    if width.max(height) > limits.max_side
        || u64::from(width) * u64::from(height) > u64::from(limits.max_pixels)
    {
        return Err(PerceptionError::PhotoTooLarge { ordinal, width, height });
    }
    let mut reader = reader()?;
    let mut decoder_limits = Limits::default();
    decoder_limits.max_image_width = Some(limits.max_side);
    decoder_limits.max_image_height = Some(limits.max_side);
    // 16 bits × 4 channels per pixel of the largest accepted picture.
    decoder_limits.max_alloc = Some(u64::from(limits.max_pixels) * 8);
    reader.limits(decoder_limits);
    let mut decoder = reader.into_decoder().map_err(|e| unreadable(e.to_string()))?;
    let orientation = decoder.orientation().map_err(|e| unreadable(e.to_string()))?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|e| unreadable(e.to_string()))?;
    picture.apply_orientation(orientation);
    let (width, height) = (picture.width(), picture.height());
    let side = settings.frames.photo_longest_side.max(64);
    let picture = if width.max(height) > side {
        picture.resize(side, side, image::imageops::FilterType::Triangle)
    } else {
        picture
    };
    Ok((width, height, picture.into_rgb8()))
}

/// Marks photos that are dark or duplicates, and blurred photos of a view that a sharper one shows.
fn mark_left_out(
    photos: &mut [Photo],
    settings: &Settings,
    cancel: &CancelFlag,
) -> Result<(), PerceptionError> {
    for photo in photos.iter_mut() {
        if !photo.metrics.is_lit(&settings.frames) {
            photo.left_out = Some(("dark", None));
        }
    }
    for i in 0..photos.len() {
        cancel.check()?;
        if photos[i].left_out.is_some() {
            continue;
        }
        for j in 0..i {
            if photos[j].left_out.is_some() || !is_duplicate(&photos[i].metrics, &photos[j].metrics) {
                continue;
            }
            let (worse, better) = if photos[i].metrics.sharpness.blur < photos[j].metrics.sharpness.blur {
                (j, i)
            } else {
                (i, j)
            };
            photos[worse].left_out = Some(("duplicate", Some(better)));
            if worse == i {
                break;
            }
        }
    }
    for i in 0..photos.len() {
        cancel.check()?;
        if photos[i].left_out.is_some() || photos[i].metrics.sharpness.blur <= MAX_SHARP_BLUR {
            continue;
        }
        let mut sharp: Vec<usize> = (0..photos.len())
            .filter(|j| {
                *j != i
                    && photos[*j].left_out.is_none()
                    && photos[*j].metrics.sharpness.blur <= MAX_SHARP_BLUR
            })
            .collect();
        sharp.sort_by_cached_key(|j| {
            let difference = photos[i].metrics.appearance.difference(&photos[*j].metrics.appearance);
            ((difference * 1e6) as u64, *j)
        });
        let covered = sharp.into_iter().take(MAX_ALIGNED).find(|j| {
            align(&photos[i].metrics.features, &photos[*j].metrics.features)
                .is_some_and(|found| found.overlap >= COVERED_MIN_OVERLAP)
        });
        if let Some(j) = covered {
            photos[i].left_out = Some(("blurred", Some(j)));
        }
    }
    Ok(())
}

fn is_duplicate(a: &PictureMetrics, b: &PictureMetrics) -> bool {
    if distance(a.hash, b.hash) > DUPLICATE_MAX_HASH_BITS {
        return false;
    }
    match align(&a.features, &b.features) {
        Some(found) => found.inliers >= DUPLICATE_MIN_INLIERS && found.overlap >= DUPLICATE_MIN_OVERLAP,
        None => a.appearance.layout_difference(&b.appearance) < SAME_PICTURE_MAX_LAYOUT_DIFFERENCE,
    }
}

/// Kept photos as frames.
#[derive(Default)]
struct KeptPhotos {
    frames: Vec<Frame>,
    files: Vec<FrameFile>,
    views: Vec<View>,
    /// Frame id of each photo; `None` for a photo that is left out.
    ids: Vec<Option<String>>,
}

/// Numbers the kept photos, renames their files and removes the files of the others.
fn keep_photos(photos: &[Photo], files: &mut WorkFiles) -> Result<KeptPhotos, PerceptionError> {
    let mut kept = KeptPhotos::default();
    for photo in photos {
        if photo.left_out.is_some() {
            files.remove(&photo.file);
            kept.ids.push(None);
            continue;
        }
        let id = frame_id(kept.frames.len() + 1);
        let file = format!("{id}.jpg");
        files.rename(&photo.file, &file)?;
        kept.frames.push(Frame {
            id: id.clone(),
            media_id: photo.medium.id.clone(),
            t_ms: photo.t_ms,
            ordinal: Some(photo.ordinal),
            width: photo.size.0,
            height: photo.size.1,
            sharpness: thousandths(photo.metrics.sharpness.detail),
            exposure: thousandths(photo.metrics.exposure),
            hash: format!("{:016x}", photo.metrics.hash),
            kept_because: KeptBecause::Photo,
            zone_id: None,
            key: String::new(),
            url: None,
        });
        kept.files.push(FrameFile { frame_id: id.clone(), file });
        kept.views.push(View { frame_id: id.clone(), features: photo.metrics.features.clone() });
        kept.ids.push(Some(id));
    }
    Ok(kept)
}

/// Describes every photo, including those that are left out.
fn samples(photos: &[Photo], ids: &[Option<String>]) -> Vec<Sample> {
    // A duplicate of a duplicate is shown by the photo that stayed.
    let shown_by = |mut at: usize| {
        while let Some((_, Some(other))) = photos[at].left_out {
            at = other;
        }
        ids[at].clone()
    };
    photos
        .iter()
        .enumerate()
        .map(|(at, photo)| Sample {
            t_ms: photo.t_ms,
            ordinal: Some(photo.ordinal),
            sharpness: thousandths(photo.metrics.sharpness.detail),
            blur: thousandths(photo.metrics.sharpness.blur),
            exposure: thousandths(photo.metrics.exposure),
            usable: !matches!(photo.left_out, Some(("dark" | "blurred", _))),
            appearance: photo.metrics.appearance.clone(),
            kept_frame: shown_by(at),
            left_out: photo.left_out.map(|(reason, _)| reason.to_owned()),
        })
        .collect()
}

fn build_ingested(
    photos: Vec<Photo>,
    files: &mut WorkFiles,
    settings: &Settings,
) -> Result<Ingested, PerceptionError> {
    let kept = keep_photos(&photos, files)?;
    if kept.frames.is_empty() {
        return Err(PerceptionError::NoUsableFrames);
    }
    let share = |reason: &str| {
        let count = photos.iter().filter(|p| p.left_out.is_some_and(|(found, _)| found == reason)).count();
        thousandths(count as f64 / photos.len() as f64)
    };
    let blurred_count = photos.iter().filter(|p| p.metrics.sharpness.blur > MAX_SHARP_BLUR).count();
    Ok(Ingested {
        kind: InputKind::Frames,
        samples: samples(&photos, &kept.ids),
        frames: kept.frames,
        files: kept.files,
        views: kept.views,
        audio: None,
        blurred: thousandths(blurred_count as f64 / photos.len() as f64),
        dark: share("dark"),
        uncovered: Vec::new(),
        doorways: Vec::new(),
        thinned: 0,
        run: run(&settings.frames),
        media: photos.into_iter().map(|p| p.medium).collect(),
    })
}
