//! Recognises a place by the texts that hang in it.

use std::collections::BTreeMap;

use domain::document::Frame;

use super::words::{edit_distance, normalized};
use crate::observe::FrameObservation;

/// Minimum confidence of a reading.
const MIN_CONFIDENCE: f64 = 0.8;
/// Minimum number of letters and digits: shorter texts repeat.
const MIN_LENGTH: usize = 5;
/// Minimum height of a line as a share of the frame's width. Smaller ones may be far away, in
/// another room.
const MIN_HEIGHT_WIDTHS: f64 = 0.010;
/// Largest ratio of the heights of one text in two photos of its room. A text seen through a door
/// is much smaller.
const MAX_HEIGHT_RATIO: f64 = 2.2;
/// Edits, as a share of the length, up to which two readings are one text.
const MAX_EDIT_SHARE: f64 = 0.2;
/// Number of frames up to which a text is rare; or a share of all frames, where that is more.
const RARE_FRAMES: usize = 3;
/// Share of all frames up to which a text is rare.
const RARE_SHARE: usize = 6;
/// Length from which words are unlikely to hang in two rooms. A text with digits counts as long.
const LONG: usize = 8;
/// Log-odds of a common text, for long texts and for others.
const LOG_ODDS: (f64, f64) = (2.0, 1.5);

/// A text in a frame.
struct Landmark {
    text: String,
    /// Height as a share of the frame's width.
    height: f64,
}

/// Texts of frames that may identify a place.
pub(super) struct Landmarks(Vec<Vec<Landmark>>);

impl Landmarks {
    /// Collects the texts of frames, in the order of the frames.
    pub(super) fn of(frames: &[Frame], observations: &BTreeMap<&str, &FrameObservation>) -> Landmarks {
        let of_frame = |frame: &Frame| {
            let readings = observations.get(frame.id.as_str()).map_or(&[][..], |o| &o.readings[..]);
            let landmark = |line: &crate::observe::TextReading| {
                let text: String = normalized(&line.text).chars().filter(|c| c.is_alphanumeric()).collect();
                let height = line.pixel_height / f64::from(frame.width.max(1));
                let counts = line.confidence >= MIN_CONFIDENCE
                    && text.chars().count() >= MIN_LENGTH
                    && height >= MIN_HEIGHT_WIDTHS;
                counts.then_some(Landmark { text, height })
            };
            readings.iter().filter_map(landmark).collect()
        };
        Landmarks(frames.iter().map(of_frame).collect())
    }

    /// Returns the log-odds that two frames, given by index, show one place because both show a
    /// rare text from a similar distance; 0 without such a text.
    pub(super) fn same_place(&self, a: usize, b: usize) -> f64 {
        let mut most = 0.0_f64;
        for one in &self.0[a] {
            let similar = |two: &Landmark| {
                is_same(&one.text, &two.text)
                    && one.height.max(two.height) <= MAX_HEIGHT_RATIO * one.height.min(two.height)
            };
            if self.0[b].iter().any(similar) && self.is_rare(&one.text) {
                let long = one.text.chars().count() >= LONG || one.text.chars().any(|c| c.is_ascii_digit());
                most = most.max(if long { LOG_ODDS.0 } else { LOG_ODDS.1 });
            }
        }
        most
    }

    fn is_rare(&self, text: &str) -> bool {
        let frames = self.0.iter().filter(|frame| frame.iter().any(|other| is_same(text, &other.text)));
        frames.count() <= RARE_FRAMES.max(self.0.len() / RARE_SHARE)
    }
}

fn is_same(a: &str, b: &str) -> bool {
    let longer = a.chars().count().max(b.chars().count());
    edit_distance(a, b) as f64 <= MAX_EDIT_SHARE * longer as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landmarks(frames: &[&[(&str, f64)]]) -> Landmarks {
        let one = |(text, height): &(&str, f64)| Landmark { text: (*text).to_owned(), height: *height };
        Landmarks(frames.iter().map(|frame| frame.iter().map(one).collect()).collect())
    }

    #[test]
    fn a_rare_text_of_similar_size_identifies_a_place() {
        let all = landmarks(&[
            &[("ferrytimes", 0.03)],
            &[("ferrytlmes", 0.02)],
            &[("ferrytimes", 0.011)],
            &[("gate12", 0.03)],
        ]);
        assert!(all.same_place(0, 1) > 0.0, "one letter was misread");
        assert_eq!(all.same_place(0, 2), 0.0, "far away, perhaps through a door");
        assert_eq!(all.same_place(0, 3), 0.0);
    }

    #[test]
    fn a_text_that_hangs_everywhere_identifies_nothing() {
        let exit: &[(&str, f64)] = &[("fireexit", 0.03)];
        assert_eq!(landmarks(&[exit; 8]).same_place(0, 1), 0.0);
    }
}
