//! Ingesting a video.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use domain::document::{Frame, Interval, KeptBecause, Medium, MediumKind, Provider, Run, Task};
use domain::media::InputKind;
use media::ffmpeg::{DecodeOptions, Decoder, Next, Probe, YuvFrame, probe};

use super::files::{Files, digest};
use super::look::Look;
use super::select::{Candidate, Selector, Usable, Verdict};
use super::{FrameFile, Ingested, Sample, View, frame_id};
use crate::settings::FrameSettings;
use crate::signal::{Features, thousandths};
use crate::{CancelFlag, PerceptionError, Settings};

/// How long nothing may be reported.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// Kept pictures fit into this, either way up.
const PICTURE: (u32, u32) = (1280, 720);
/// One sample is kept for each stretch of this length.
const SAMPLE_MS: u64 = 500;
/// A stretch without a usable picture is worth telling from this length on.
const UNCOVERED_MS: u64 = 1500;
/// Name of the sound file.
const AUDIO: &str = "audio.wav";
/// The id of the video.
const MEDIUM: &str = "med_video";

/// Looks at a video once, from the first picture to the last: writes the kept frames as `<frame id>.jpg`
/// and the sound as `audio.wav` into `work_dir`. `progress` is told the share done at least once a second.
/// After an error nothing is left in `work_dir`. Blocks.
///
/// # Errors
/// What is wrong with the video ([`PerceptionError::failure`] says its code), or with this machine.
pub fn video(
    path: &Path,
    work_dir: &Path,
    settings: &Settings,
    progress: &dyn Fn(f32),
    cancel: &CancelFlag,
) -> Result<Ingested, PerceptionError> {
    progress(0.0);
    let described = probe(path, &settings.ffmpeg)?;
    let (sha256, bytes) = digest(path, cancel, &|| progress(0.0))?;
    let mut files = Files::new(work_dir);
    let audio = described.has_audio.then(|| files.reserve(AUDIO));
    let options = DecodeOptions {
        max_fps: settings.frames.samples_per_second,
        longest_side: PICTURE.0,
        shortest_side: PICTURE.1,
        audio,
    };
    let mut decoder = Decoder::start(path, &described, &options, &settings.ffmpeg)?;
    let mut pass = Pass::new(&settings.frames, files);
    let mut done = 0.0;
    loop {
        cancel.check()?;
        match decoder.next_within(HEARTBEAT)? {
            Next::Picture(picture) => {
                if described.duration_ms > 0 {
                    done = (picture.t_ms as f32 / described.duration_ms as f32).min(0.99);
                }
                pass.take(picture)?;
            }
            Next::Waiting => {}
            Next::End => break,
        }
        progress(done);
    }
    let (width, height) = (decoder.width(), decoder.height());
    let end_ms = described.duration_ms.max(pass.last_ms);
    let medium = Medium {
        id: MEDIUM.to_owned(),
        kind: MediumKind::Video,
        ordinal: None,
        sha256,
        bytes,
        width: described.width,
        height: described.height,
        duration_ms: Some(end_ms),
        fps: (described.fps > 0.0).then_some(described.fps),
        has_audio: described.has_audio,
    };
    let ingested = pass.end(medium, &described, (width, height), settings)?;
    progress(1.0);
    Ok(ingested)
}

/// A frame that is kept, until its number is known.
struct Kept {
    t_ms: u64,
    file: String,
    sharpness: f64,
    exposure: f64,
    hash: u64,
    because: KeptBecause,
    features: Features,
}

/// What is gathered in one pass.
struct Pass<'a> {
    settings: &'a FrameSettings,
    files: Files,
    selector: Selector<'a>,
    kept: BTreeMap<usize, Kept>,
    next_number: usize,
    samples: Vec<Sample>,
    /// For each sample the number of the kept frame that shows it, or of the frame it was thinned out for.
    shown_by: Vec<Option<usize>>,
    /// The first sample of the open window.
    window_start: usize,
    /// Numbers that were dropped, and the ones that stand for them.
    stands_for: BTreeMap<usize, usize>,
    pictures: u64,
    blurred: u64,
    dark: u64,
    usable_until: u64,
    uncovered: Vec<Interval>,
    last_ms: u64,
}

impl<'a> Pass<'a> {
    fn new(settings: &'a FrameSettings, files: Files) -> Pass<'a> {
        Pass {
            settings,
            files,
            selector: Selector::new(settings),
            kept: BTreeMap::new(),
            next_number: 0,
            samples: Vec::new(),
            shown_by: Vec::new(),
            window_start: 0,
            stands_for: BTreeMap::new(),
            pictures: 0,
            blurred: 0,
            dark: 0,
            usable_until: 0,
            uncovered: Vec::new(),
            last_ms: 0,
        }
    }

    fn take(&mut self, picture: YuvFrame) -> Result<(), PerceptionError> {
        let t_ms = picture.t_ms;
        let look = Look::of_video(&picture);
        let usable = self.selector.judge(&look);
        self.pictures += 1;
        self.last_ms = t_ms;
        match usable {
            Usable::Yes => {
                self.cover(t_ms);
                self.usable_until = t_ms;
            }
            Usable::Blurred => self.blurred += 1,
            Usable::Dark => self.dark += 1,
        }
        let sample = Sample {
            t_ms: Some(t_ms),
            ordinal: None,
            sharpness: thousandths(look.sharpness.detail),
            blur: thousandths(look.sharpness.blur),
            exposure: thousandths(look.exposure),
            usable: usable == Usable::Yes,
            appearance: look.appearance.clone(),
            kept_frame: None,
            left_out: None,
        };
        let passed = match usable {
            Usable::Yes => self.selector.push(Candidate { t_ms, look, picture }),
            _ => None,
        };
        if let Some(verdict) = passed {
            self.settle(verdict)?;
        }
        self.sample(sample);
        Ok(())
    }

    /// Keeps the best sample of each half second.
    fn sample(&mut self, sample: Sample) {
        let slot = |s: &Sample| s.t_ms.unwrap_or_default() / SAMPLE_MS;
        if let Some(last) = self.samples.last_mut().filter(|last| slot(last) == slot(&sample)) {
            // A sample of the window before stays with its window.
            let open = self.shown_by.len() > self.window_start;
            if open && (sample.usable, -sample.blur) > (last.usable, -last.blur) {
                *last = sample;
            }
            return;
        }
        self.samples.push(sample);
        self.shown_by.push(None);
    }

    fn settle(&mut self, verdict: Verdict) -> Result<(), PerceptionError> {
        let number = match verdict {
            Verdict::Keep { candidate, because } => self.keep(*candidate, because)?,
            Verdict::Replace { number, candidate } => {
                let because =
                    self.kept.get(&number).map_or(KeptBecause::NewView, |kept| kept.because.clone());
                self.drop_frame(number);
                let first = because == KeptBecause::First;
                let because = if first { because } else { KeptBecause::Sharper };
                let better = self.keep(*candidate, because)?;
                self.stands_for.insert(number, better);
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

    fn keep(&mut self, candidate: Candidate, because: KeptBecause) -> Result<usize, PerceptionError> {
        let number = self.next_number;
        self.next_number += 1;
        let file = format!("kept_{number:06}.jpg");
        let picture = crate::signal::rgb_of_video(&candidate.picture);
        self.files.jpeg(&file, &picture, self.settings.jpeg_quality)?;
        let look = candidate.look;
        self.kept.insert(
            number,
            Kept {
                t_ms: candidate.t_ms,
                file,
                sharpness: look.sharpness.detail,
                exposure: look.exposure,
                hash: look.hash,
                because,
                features: look.features.clone(),
            },
        );
        self.selector.kept(number, look);
        if self.kept.len() > self.settings.max_kept.max(2) {
            self.thin();
        }
        Ok(number)
    }

    /// Drops the frame whose neighbours are nearest to each other, so that what stays is spread evenly.
    fn thin(&mut self) {
        let all: Vec<(usize, u64)> = self.kept.iter().map(|(number, kept)| (*number, kept.t_ms)).collect();
        let crowded = all.windows(3).min_by_key(|w| w[2].1.abs_diff(w[0].1)).map(|w| (w[0], w[1], w[2]));
        if let Some((before, (number, t_ms), after)) = crowded {
            self.drop_frame(number);
            let nearer = if t_ms.abs_diff(before.1) <= after.1.abs_diff(t_ms) { before.0 } else { after.0 };
            self.stands_for.insert(number, nearer);
        }
    }

    fn drop_frame(&mut self, number: usize) {
        if let Some(kept) = self.kept.remove(&number) {
            self.files.remove(&kept.file);
        }
        self.selector.forget(number);
    }

    /// Notes a gap before a usable moment, or before the end.
    fn cover(&mut self, t_ms: u64) {
        if t_ms.saturating_sub(self.usable_until) >= UNCOVERED_MS && self.dark + self.blurred > 0 {
            self.uncovered.push(Interval { start: self.usable_until, end: t_ms });
        }
    }

    fn end(
        mut self,
        medium: Medium,
        described: &Probe,
        (width, height): (u32, u32),
        settings: &Settings,
    ) -> Result<Ingested, PerceptionError> {
        if let Some(verdict) = self.selector.finish() {
            self.settle(verdict)?;
        }
        if self.kept.is_empty() {
            return Err(PerceptionError::NoUsableFrames);
        }
        if self.last_ms > self.usable_until {
            self.cover(self.last_ms);
        }
        let mut order: Vec<(usize, Kept)> = std::mem::take(&mut self.kept).into_iter().collect();
        order.sort_by_key(|(_, kept)| kept.t_ms);
        let (mut frames, mut files, mut views) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids = BTreeMap::new();
        for (index, (number, kept)) in order.into_iter().enumerate() {
            let id = frame_id(index + 1);
            let file = format!("{id}.jpg");
            self.files.rename(&kept.file, &file)?;
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
                kept_because: kept.because,
                zone_id: None,
                key: String::new(),
                url: None,
            });
            files.push(FrameFile { frame_id: id.clone(), file });
            views.push(View { frame_id: id.clone(), features: kept.features });
            ids.insert(number, id);
        }
        for (sample, shown_by) in self.samples.iter_mut().zip(&self.shown_by) {
            let mut number = *shown_by;
            while let Some(other) = number.and_then(|n| self.stands_for.get(&n)) {
                number = Some(*other);
            }
            sample.kept_frame = number.and_then(|n| ids.get(&n).cloned());
        }
        let share = |count: u64| thousandths(count as f64 / self.pictures.max(1) as f64);
        let ingested = Ingested {
            kind: InputKind::Video,
            media: vec![medium],
            frames,
            files,
            views,
            samples: self.samples,
            audio: described.has_audio.then(|| AUDIO.to_owned()),
            blurred: share(self.blurred),
            dark: share(self.dark),
            uncovered: self.uncovered,
            run: run(&settings.frames),
        };
        self.files.hand_over();
        Ok(ingested)
    }
}

/// How frames were chosen.
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
