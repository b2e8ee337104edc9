//! Ingesting ordered photos.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use domain::document::{Frame, KeptBecause, Medium, MediumKind};
use domain::media::InputKind;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::files::{Files, digest};
use super::look::Look;
use super::video::run;
use super::{FrameFile, Ingested, Sample, View, frame_id};
use crate::signal::{align, distance, thousandths};
use crate::{CancelFlag, PerceptionError, Settings};

/// A photo as it lies on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoFile {
    /// Its place in the order, starting at 0.
    pub ordinal: u32,
    /// When it was taken, in milliseconds from the first, if known.
    pub t_ms: Option<u64>,
    /// The file: JPEG, PNG or WebP.
    pub path: PathBuf,
}

/// Blur above which a photo is left out where a sharper one shows the same.
const BLURRED: f64 = 0.62;
/// Share of a blurred photo that a sharper one must show.
const COVERED: f64 = 0.5;
/// Two photos that share this much are one view.
const DUPLICATE: f64 = 0.9;
/// Features that must agree.
const DUPLICATE_INLIERS: usize = 24;
/// Hashes of duplicates differ in at most so many bits.
const HASH_DISTANCE: u32 = 18;

struct Photo {
    ordinal: u32,
    t_ms: Option<u64>,
    medium: Medium,
    look: Look,
    file: String,
    size: (u32, u32),
    /// Why it is left out, and the photo that shows the same.
    left_out: Option<(&'static str, Option<usize>)>,
}

/// Looks at photos in order: writes those that are kept as `<frame id>.jpg`, upright and reduced, into
/// `work_dir`. A photo is left out when another shows the same, or when it is too dark to show anything;
/// why is in its [`Sample`]. After an error nothing is left in `work_dir`. Blocks.
///
/// # Errors
/// What is wrong with a photo ([`PerceptionError::failure`] says its code), or with this machine.
pub fn photos(
    photos: &[PhotoFile],
    work_dir: &Path,
    settings: &Settings,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Ingested, PerceptionError> {
    let mut files = Files::new(work_dir);
    let mut looked = Vec::with_capacity(photos.len());
    for (index, photo) in photos.iter().enumerate() {
        cancel.check()?;
        let done = index as f32 / photos.len() as f32;
        progress(done);
        let (sha256, bytes) = digest(&photo.path, cancel, &|| progress(done))?;
        let (width, height, picture) = open(photo, settings)?;
        let look = Look::of_photo(&picture);
        let file = format!("photo_{:05}.jpg", photo.ordinal);
        files.jpeg(&file, &picture, settings.frames.jpeg_quality)?;
        looked.push(Photo {
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
            },
            look,
            file,
            size: picture.dimensions(),
            left_out: None,
        });
    }
    choose(&mut looked, settings, cancel)?;
    let ingested = gather(looked, &mut files, settings)?;
    files.hand_over();
    progress(1.0);
    Ok(ingested)
}

/// Reads a photo upright; its size is checked before anything is decoded.
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
    let mut bounds = Limits::default();
    bounds.max_image_width = Some(limits.max_side);
    bounds.max_image_height = Some(limits.max_side);
    // Eight bytes a pixel (16 bits, four channels) for the largest picture that is taken.
    bounds.max_alloc = Some(u64::from(limits.max_pixels) * 8);
    reader.limits(bounds);
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

/// Leaves out what others show, and what shows nothing.
fn choose(photos: &mut [Photo], settings: &Settings, cancel: &CancelFlag) -> Result<(), PerceptionError> {
    for photo in photos.iter_mut() {
        if !photo.look.is_lit(&settings.frames) {
            photo.left_out = Some(("dark", None));
        }
    }
    for i in 0..photos.len() {
        cancel.check()?;
        if photos[i].left_out.is_some() {
            continue;
        }
        for j in 0..i {
            if photos[j].left_out.is_some() || !same(&photos[i].look, &photos[j].look) {
                continue;
            }
            let (worse, better) =
                if photos[i].look.sharpness.blur < photos[j].look.sharpness.blur { (j, i) } else { (i, j) };
            photos[worse].left_out = Some(("duplicate", Some(better)));
            if worse == i {
                break;
            }
        }
    }
    for i in 0..photos.len() {
        cancel.check()?;
        if photos[i].left_out.is_some() || photos[i].look.sharpness.blur <= BLURRED {
            continue;
        }
        let covered = (0..photos.len()).find(|j| {
            *j != i
                && photos[*j].left_out.is_none()
                && photos[*j].look.sharpness.blur <= BLURRED
                && align(&photos[i].look.features, &photos[*j].look.features)
                    .is_some_and(|found| found.overlap >= COVERED)
        });
        if let Some(j) = covered {
            photos[i].left_out = Some(("blurred", Some(j)));
        }
    }
    Ok(())
}

fn same(a: &Look, b: &Look) -> bool {
    if distance(a.hash, b.hash) > HASH_DISTANCE {
        return false;
    }
    match align(&a.features, &b.features) {
        Some(found) => found.inliers >= DUPLICATE_INLIERS && found.overlap >= DUPLICATE,
        None => a.appearance.layout_difference(&b.appearance) < 0.008,
    }
}

fn gather(photos: Vec<Photo>, files: &mut Files, settings: &Settings) -> Result<Ingested, PerceptionError> {
    let mut ids: Vec<Option<String>> = Vec::new();
    let (mut frames, mut names, mut views) = (Vec::new(), Vec::new(), Vec::new());
    for photo in &photos {
        if photo.left_out.is_some() {
            files.remove(&photo.file);
            ids.push(None);
            continue;
        }
        let id = frame_id(frames.len() + 1);
        let file = format!("{id}.jpg");
        files.rename(&photo.file, &file)?;
        frames.push(Frame {
            id: id.clone(),
            media_id: photo.medium.id.clone(),
            t_ms: photo.t_ms,
            ordinal: Some(photo.ordinal),
            width: photo.size.0,
            height: photo.size.1,
            sharpness: thousandths(photo.look.sharpness.detail),
            exposure: thousandths(photo.look.exposure),
            hash: format!("{:016x}", photo.look.hash),
            kept_because: KeptBecause::Photo,
            zone_id: None,
            key: String::new(),
            url: None,
        });
        names.push(FrameFile { frame_id: id.clone(), file });
        views.push(View { frame_id: id.clone(), features: photo.look.features.clone() });
        ids.push(Some(id));
    }
    if frames.is_empty() {
        return Err(PerceptionError::NoUsableFrames);
    }
    // A duplicate of a duplicate is shown by the one that stayed.
    let shown_by = |mut at: usize| {
        while let Some((_, Some(other))) = photos[at].left_out {
            at = other;
        }
        ids[at].clone()
    };
    let samples: Vec<Sample> = photos
        .iter()
        .enumerate()
        .map(|(at, photo)| Sample {
            t_ms: photo.t_ms,
            ordinal: Some(photo.ordinal),
            sharpness: thousandths(photo.look.sharpness.detail),
            blur: thousandths(photo.look.sharpness.blur),
            exposure: thousandths(photo.look.exposure),
            usable: !matches!(photo.left_out, Some(("dark" | "blurred", _))),
            appearance: photo.look.appearance.clone(),
            kept_frame: shown_by(at),
            left_out: photo.left_out.map(|(why, _)| why.to_owned()),
        })
        .collect();
    let share = |why: &str| {
        let count = photos.iter().filter(|p| p.left_out.is_some_and(|(reason, _)| reason == why)).count();
        thousandths(count as f64 / photos.len() as f64)
    };
    let blurry = photos.iter().filter(|p| p.look.sharpness.blur > BLURRED).count();
    Ok(Ingested {
        kind: InputKind::Frames,
        frames,
        files: names,
        views,
        samples,
        audio: None,
        blurred: thousandths(blurry as f64 / photos.len() as f64),
        dark: share("dark"),
        uncovered: Vec::new(),
        run: run(&settings.frames),
        media: photos.into_iter().map(|p| p.medium).collect(),
    })
}
