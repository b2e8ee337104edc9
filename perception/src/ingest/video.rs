//! Ingests a video.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use domain::document::{Frame, Interval, KeptBecause, Medium, MediumKind, Provider, Run, Task};
use domain::media::InputKind;
use media::ffmpeg::{DecodeEvent, DecodeOptions, Decoder, Probe, YuvFrame, probe};

use super::files::{WorkFiles, sha256_and_size};
use super::metrics::PictureMetrics;
use super::select::{Candidate, Selector, Usable, Verdict};
use super::{FrameFile, Ingested, Sample, View, frame_id};
use crate::settings::FrameSettings;
use crate::signal::{DoorwayTracker, Features, thousandths};
use crate::{CancelFlag, PerceptionError, Settings};

/// Longest time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
/// Largest progress that is reported before the end.
const MAX_PROGRESS: f32 = 0.99;
/// Maximum width and height of kept pictures in landscape; portrait pictures swap them.
const KEPT_FRAME_MAX_SIZE_PX: (u32, u32) = (1280, 720);
/// Interval that one stored sample stands for, in milliseconds.
const SAMPLE_INTERVAL_MS: u64 = 500;
/// Shortest time without a usable picture that is reported, in milliseconds.
const MIN_UNCOVERED_MS: u64 = 1500;
/// Name of the sound file.
const AUDIO_FILE: &str = "audio.wav";
/// Media id of the video.
const VIDEO_MEDIA_ID: &str = "med_video";

/// Ingests a video in one pass. Writes kept frames as `<frame id>.jpg` and the sound as `audio.wav`
/// into `work_dir`. Calls `progress` with the share done at least once per second. An error leaves
/// no files behind. Blocks.
///
/// # Errors
/// Returns an error if the video is invalid ([`PerceptionError::failure`] gives the code) or a file
/// of this machine cannot be read or written.
pub fn video(
    path: &Path,
    work_dir: &Path,
    settings: &Settings,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Ingested, PerceptionError> {
    progress(0.0);
    let video_info = probe(path, &settings.ffmpeg)?;
    let (sha256, bytes) = sha256_and_size(path, cancel, &|| progress(0.0))?;
    let mut files = WorkFiles::new(work_dir);
    let audio = video_info.has_audio.then(|| files.reserve(AUDIO_FILE));
    let options = DecodeOptions {
        max_fps: settings.frames.samples_per_second,
        longest_side: KEPT_FRAME_MAX_SIZE_PX.0,
        shortest_side: KEPT_FRAME_MAX_SIZE_PX.1,
        audio,
    };
    let mut decoder = Decoder::start(path, &video_info, &options, &settings.ffmpeg)?;
    let mut pass =
        VideoPass::new(&settings.frames, max_kept(&settings.frames, video_info.duration_ms), files);
    let mut done = 0.0;
    loop {
        cancel.check()?;
        match decoder.next_within(PROGRESS_INTERVAL)? {
            DecodeEvent::Frame(picture) => {
                if video_info.duration_ms > 0 {
                    done = (picture.t_ms as f32 / video_info.duration_ms as f32).min(MAX_PROGRESS);
                }
                pass.add_picture(picture)?;
            }
            DecodeEvent::Waiting => {}
            DecodeEvent::End => break,
        }
        progress(done);
    }
    let (width, height) = (decoder.width(), decoder.height());
    let end_ms = video_info.duration_ms.max(pass.last_ms);
    let medium = Medium {
        id: VIDEO_MEDIA_ID.to_owned(),
        kind: MediumKind::Video,
        ordinal: None,
        sha256,
        bytes,
        width: video_info.width,
        height: video_info.height,
        duration_ms: Some(end_ms),
        fps: (video_info.fps > 0.0).then_some(video_info.fps),
        has_audio: video_info.has_audio,
        url: None,
    };
    let ingested = pass.finish(medium, &video_info, (width, height), settings)?;
    progress(1.0);
    Ok(ingested)
}

/// Returns the maximum number of frames kept of a video of this length: long ones keep more, so that
/// their frames are no farther apart.
fn max_kept(settings: &FrameSettings, duration_ms: u64) -> usize {
    let of_length = duration_ms.saturating_mul(settings.kept_per_minute as u64) / 60_000;
    settings.max_kept.max(usize::try_from(of_length).unwrap_or(usize::MAX)).max(2)
}

/// A kept frame before it has an id.
struct Kept {
    t_ms: u64,
    file: String,
    sharpness: f64,
    exposure: f64,
    hash: u64,
    kept_because: KeptBecause,
    features: Features,
}

/// A kept frame with its final id.
struct NumberedFrame {
    /// Number under which the frame was kept.
    number: usize,
    id: String,
    kept: Kept,
}

/// State of one pass over a video.
struct VideoPass<'a> {
    settings: &'a FrameSettings,
    /// Maximum number of kept frames.
    max_kept: usize,
    /// Number of frames that were dropped because there were too many.
    thinned: usize,
    files: WorkFiles,
    selector: Selector<'a>,
    kept: BTreeMap<usize, Kept>,
    next_number: usize,
    samples: Vec<Sample>,
    /// For each sample, the number of the kept frame that shows it, or showed it before it was
    /// dropped.
    shown_by: Vec<Option<usize>>,
    /// Index of the first sample of the open window.
    window_start: usize,
    /// Replacement of each dropped frame, by number.
    replaced_by: BTreeMap<usize, usize>,
    /// Number of decoded pictures.
    pictures: u64,
    /// Number of pictures that are too blurred to use.
    blurred: u64,
    /// Number of pictures that are too dark or too bright to use.
    dark: u64,
    /// Time of the last usable picture.
    usable_until_ms: u64,
    /// Intervals without usable pictures.
    uncovered: Vec<Interval>,
    /// Time of the last picture.
    last_ms: u64,
    doorways: DoorwayTracker,
}

impl<'a> VideoPass<'a> {
    fn new(settings: &'a FrameSettings, max_kept: usize, files: WorkFiles) -> VideoPass<'a> {
        VideoPass {
            settings,
            max_kept,
            thinned: 0,
            files,
            selector: Selector::new(settings),
            kept: BTreeMap::new(),
            next_number: 0,
            samples: Vec::new(),
            shown_by: Vec::new(),
            window_start: 0,
            replaced_by: BTreeMap::new(),
            pictures: 0,
            blurred: 0,
            dark: 0,
            usable_until_ms: 0,
            uncovered: Vec::new(),
            last_ms: 0,
            doorways: DoorwayTracker::default(),
        }
    }

    fn add_picture(&mut self, picture: YuvFrame) -> Result<(), PerceptionError> {
        let t_ms = picture.t_ms;
        let metrics = PictureMetrics::of_video(&picture);
        self.doorways.push(t_ms, metrics.profiles.clone(), &metrics.upright_edges);
        let usable = self.selector.classify(&metrics);
        self.pictures += 1;
        self.last_ms = t_ms;
        match usable {
            Usable::Yes => {
                self.record_gap(t_ms);
                self.usable_until_ms = t_ms;
            }
            Usable::Blurred => self.blurred += 1,
            Usable::Dark => self.dark += 1,
        }
        let sample = Sample {
            t_ms: Some(t_ms),
            ordinal: None,
            sharpness: thousandths(metrics.sharpness.detail),
            blur: thousandths(metrics.sharpness.blur),
            exposure: thousandths(metrics.exposure),
            usable: usable == Usable::Yes,
            appearance: metrics.appearance.clone(),
            kept_frame: None,
            left_out: None,
        };
        let verdict = match usable {
            Usable::Yes => self.selector.push(Candidate { t_ms, metrics, picture }),
            _ => None,
        };
        if let Some(verdict) = verdict {
            self.apply(verdict)?;
        }
        self.add_sample(sample);
        Ok(())
    }

    /// Keeps the best sample of each interval.
    fn add_sample(&mut self, sample: Sample) {
        let slot = |s: &Sample| s.t_ms.unwrap_or_default() / SAMPLE_INTERVAL_MS;
        if let Some(last) = self.samples.last_mut().filter(|last| slot(last) == slot(&sample)) {
            // A sample of the previous window stays with that window.
            let open = self.shown_by.len() > self.window_start;
            if open && (sample.usable, -sample.blur) > (last.usable, -last.blur) {
                *last = sample;
            }
            return;
        }
        self.samples.push(sample);
        self.shown_by.push(None);
    }

    fn apply(&mut self, verdict: Verdict) -> Result<(), PerceptionError> {
        let number = match verdict {
            Verdict::Keep { candidate, kept_because } => self.keep(*candidate, kept_because)?,
            Verdict::Replace { number, candidate } => {
                let kept_because =
                    self.kept.get(&number).map_or(KeptBecause::NewView, |kept| kept.kept_because.clone());
                self.drop_frame(number);
                let first = kept_because == KeptBecause::First;
                let kept_because = if first { kept_because } else { KeptBecause::Sharper };
                let better = self.keep(*candidate, kept_because)?;
                self.replaced_by.insert(number, better);
                better
            }
            Verdict::Duplicate { number } => number,
        };
        for (sample, shown_by) in self.samples.iter().zip(&mut self.shown_by).skip(self.window_start) {
            if sample.usable {
                *shown_by = Some(number);
            }
        }
        self.window_start = self.samples.len();
        Ok(())
    }

    fn keep(&mut self, candidate: Candidate, kept_because: KeptBecause) -> Result<usize, PerceptionError> {
        let number = self.next_number;
        self.next_number += 1;
        let file = format!("kept_{number:06}.jpg");
        let picture = crate::signal::rgb_of_video(&candidate.picture);
        self.files.jpeg(&file, &picture, self.settings.jpeg_quality)?;
        let metrics = candidate.metrics;
        self.kept.insert(
            number,
            Kept {
                t_ms: candidate.t_ms,
                file,
                sharpness: metrics.sharpness.detail,
                exposure: metrics.exposure,
                hash: metrics.hash,
                kept_because,
                features: metrics.features.clone(),
            },
        );
        self.selector.add_kept(number, metrics);
        if self.kept.len() > self.max_kept {
            self.drop_most_crowded();
        }
        Ok(number)
    }

    /// Drops the frame whose neighbours are closest to each other, so that the others stay evenly
    /// spread.
    fn drop_most_crowded(&mut self) {
        let all: Vec<(usize, u64)> = self.kept.iter().map(|(number, kept)| (*number, kept.t_ms)).collect();
        let crowded = all.windows(3).min_by_key(|w| w[2].1.abs_diff(w[0].1)).map(|w| (w[0], w[1], w[2]));
        if let Some((before, (number, t_ms), after)) = crowded {
            self.drop_frame(number);
            self.thinned += 1;
            let nearer = if t_ms.abs_diff(before.1) <= after.1.abs_diff(t_ms) { before.0 } else { after.0 };
            self.replaced_by.insert(number, nearer);
        }
    }

    fn drop_frame(&mut self, number: usize) {
        if let Some(kept) = self.kept.remove(&number) {
            self.files.remove(&kept.file);
        }
        self.selector.remove_kept(number);
    }

    /// Records an interval without usable pictures that ends now.
    fn record_gap(&mut self, t_ms: u64) {
        if t_ms.saturating_sub(self.usable_until_ms) >= MIN_UNCOVERED_MS && self.dark + self.blurred > 0 {
            self.uncovered.push(Interval { start: self.usable_until_ms, end: t_ms });
        }
    }

    /// Gives the kept frames their ids in order of time, and renames their files.
    fn number_frames(&mut self) -> Result<Vec<NumberedFrame>, PerceptionError> {
        let mut order: Vec<(usize, Kept)> = std::mem::take(&mut self.kept).into_iter().collect();
        order.sort_by_key(|(_, kept)| kept.t_ms);
        let mut out = Vec::with_capacity(order.len());
        for (index, (number, mut kept)) in order.into_iter().enumerate() {
            let id = frame_id(index + 1);
            let file = format!("{id}.jpg");
            self.files.rename(&kept.file, &file)?;
            kept.file = file;
            out.push(NumberedFrame { number, id, kept });
        }
        Ok(out)
    }

    /// Sets the kept frame of each sample.
    fn link_samples(&mut self, frames: &[NumberedFrame]) {
        let ids: BTreeMap<usize, &String> = frames.iter().map(|frame| (frame.number, &frame.id)).collect();
        for (sample, shown_by) in self.samples.iter_mut().zip(&self.shown_by) {
            let mut number = *shown_by;
            while let Some(other) = number.and_then(|n| self.replaced_by.get(&n)) {
                number = Some(*other);
            }
            sample.kept_frame = number.and_then(|n| ids.get(&n).map(|id| (*id).clone()));
        }
    }

    /// Ends the pass and builds the result.
    fn finish(
        mut self,
        medium: Medium,
        video_info: &Probe,
        (width, height): (u32, u32),
        settings: &Settings,
    ) -> Result<Ingested, PerceptionError> {
        if let Some(verdict) = self.selector.finish() {
            self.apply(verdict)?;
        }
        if self.kept.is_empty() {
            return Err(PerceptionError::NoUsableFrames);
        }
        if self.last_ms > self.usable_until_ms {
            self.record_gap(self.last_ms);
        }
        let numbered = self.number_frames()?;
        self.link_samples(&numbered);
        let (mut frames, mut files, mut views) = (Vec::new(), Vec::new(), Vec::new());
        for NumberedFrame { kept, id, .. } in numbered {
            frames.push(Frame {
                id: id.clone(),
                media_id: medium.id.clone(),
                t_ms: Some(kept.t_ms),
                ordinal: None,
                width,
                height,
                sharpness: thousandths(kept.sharpness),
                exposure: thousandths(kept.exposure),
                hash: format!("{:016x}", kept.hash),
                kept_because: kept.kept_because,
                zone_id: None,
                key: String::new(),
                url: None,
            });
            files.push(FrameFile { frame_id: id.clone(), file: kept.file });
            views.push(View { frame_id: id, features: kept.features });
        }
        let share = |count: u64| thousandths(count as f64 / self.pictures.max(1) as f64);
        let ingested = Ingested {
            kind: InputKind::Video,
            media: vec![medium],
            frames,
            files,
            views,
            samples: self.samples,
            audio: video_info.has_audio.then(|| AUDIO_FILE.to_owned()),
            blurred: share(self.blurred),
            dark: share(self.dark),
            uncovered: self.uncovered,
            doorways: self.doorways.finish(),
            thinned: self.thinned,
            run: run(&settings.frames),
        };
        self.files.keep();
        Ok(ingested)
    }
}

/// Builds the run of the frame selection.
pub(super) fn run(settings: &FrameSettings) -> Run {
    let parameters = [
        ("samples_per_second", settings.samples_per_second.to_string()),
        ("same_view", settings.same_view.to_string()),
        ("duplicate", settings.duplicate.to_string()),
        ("max_blur", settings.max_blur.to_string()),
    ];
    Run {
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Run::new(Task::Frames, Provider::Signal, "views: FAST, BRIEF, Laplacian, perceived blur", "1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_videos_keep_more_frames() {
        let kept = |minutes: u64| max_kept(&FrameSettings::default(), minutes * 60_000);
        assert_eq!([1, 30, 60, 180].map(kept), [600, 600, 600, 1800]);
        let few = FrameSettings { max_kept: 0, kept_per_minute: 0, ..FrameSettings::default() };
        assert_eq!(max_kept(&few, 600_000), 2);
    }
}
