//! Recognises a place by the signs that hang in it.
//!
//! Words alone identify nothing: the same ones hang in several rooms, and anybody can write them. A
//! sign counts if its words are rare and if the picture around the words agrees: the corners of one
//! photo lie where the words predict them in the other. Signs seen through a door are smaller than in
//! their room, so a sign counts less the more its sizes differ.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{BBox, Frame};

use super::words::{edit_distance, normalized};
use crate::ingest::View;
use crate::observe::{FrameObservation, TextReading};
use crate::signal::{Feature, Features};

/// Minimum confidence of a reading.
const MIN_CONFIDENCE: f64 = 0.8;
/// Minimum number of letters and digits: shorter texts repeat.
const MIN_LENGTH: usize = 5;
/// Minimum height of a line as a share of the frame's width. Smaller ones may be far away, in
/// another room.
const MIN_HEIGHT_WIDTHS: f64 = 0.010;
/// Ratio of the heights of one text in two photos from which it says nothing: the smaller one may be
/// seen through a door.
const MAX_HEIGHT_RATIO: f64 = 2.2;
/// Edits, as a share of the length, up to which two readings are one text.
const MAX_EDIT_SHARE: f64 = 0.2;
/// Number of frames up to which a text is rare; or a share of all frames, where that is more.
const RARE_FRAMES: usize = 3;
/// Share of all frames up to which a text is rare.
const RARE_SHARE: usize = 6;
/// Number of frames from which no text is rare.
const MAX_RARE_FRAMES: usize = 12;
/// Maximum Hamming distance (of 256 bits) of the descriptors of one corner. It is larger than for
/// corners that are searched in the whole picture, because the words predict the position.
const MAX_DESCRIPTOR_DISTANCE_BITS: u32 = 80;
/// Maximum distance of a corner from its predicted position, as a share of the width.
const POSITION_TOLERANCE_WIDTHS: f64 = 0.012;
/// Minimum number of corners that agree. Shifted by a twentieth of the width, signs agree in less
/// than one corner.
const MIN_AGREEING: usize = 4;
/// Minimum share of the corners on and around the words that agree.
const MIN_AGREEING_SHARE: f64 = 0.25;
/// Log-odds of one place for a sign of equal size.
const LOG_ODDS: f64 = 2.5;

/// A text in a frame.
#[derive(Debug, Clone)]
struct Landmark {
    text: String,
    /// Height as a share of the frame's width.
    height: f64,
    area: BBox,
}

impl Landmark {
    fn of(line: &TextReading, frame: &Frame) -> Option<Landmark> {
        let text: String = normalized(&line.text).chars().filter(|c| c.is_alphanumeric()).collect();
        let height = line.pixel_height / f64::from(frame.width.max(1));
        let counts = line.confidence >= MIN_CONFIDENCE
            && text.chars().count() >= MIN_LENGTH
            && height >= MIN_HEIGHT_WIDTHS;
        counts.then_some(Landmark { text, height, area: line.bbox })
    }
}

/// Returns the log-odds that two frames, by their indices, show one place because both show one rare
/// sign, for all such pairs. The lower index is first.
pub(super) fn shared_signs(
    frames: &[Frame],
    views: &[Option<&View>],
    observations: &BTreeMap<&str, &FrameObservation>,
) -> BTreeMap<(usize, usize), f64> {
    let of_frame = |frame: &Frame| {
        let readings = observations.get(frame.id.as_str()).map_or(&[][..], |o| &o.readings[..]);
        readings.iter().filter_map(|line| Landmark::of(line, frame)).collect::<Vec<_>>()
    };
    let landmarks: Vec<Vec<Landmark>> = frames.iter().map(of_frame).collect();
    let mut found = BTreeMap::<(usize, usize), f64>::new();
    for (text, at) in rare_texts(&landmarks) {
        for (number, b) in at.iter().enumerate() {
            for a in &at[..number] {
                let (Some(one), Some(two)) = (views[*a], views[*b]) else { continue };
                let of_text =
                    |frame: usize| landmarks[frame].iter().filter(|other| is_same(&text, &other.text));
                let pairs = of_text(*a).flat_map(|x| of_text(*b).map(move |y| (x, y)));
                let most = pairs
                    .map(|pair| same_sign((pair.0, &one.features), (pair.1, &two.features)))
                    .fold(0.0, f64::max);
                if most > 0.0 {
                    let entry = found.entry((*a, *b)).or_default();
                    *entry = entry.max(most);
                }
            }
        }
    }
    found
}

/// Returns the texts that few frames show, with those frames in order.
fn rare_texts(landmarks: &[Vec<Landmark>]) -> Vec<(String, Vec<usize>)> {
    let most = RARE_FRAMES.max(landmarks.len() / RARE_SHARE).min(MAX_RARE_FRAMES);
    let mut frames_of = BTreeMap::<&str, BTreeSet<usize>>::new();
    for (at, list) in landmarks.iter().enumerate() {
        for one in list {
            frames_of.entry(&one.text).or_default().insert(at);
        }
    }
    let frames_with = |text: &str| -> BTreeSet<usize> {
        let similar = frames_of.iter().filter(|(other, _)| is_same(text, other));
        similar.flat_map(|(_, frames)| frames).copied().collect()
    };
    let texts = frames_of.iter().filter(|(_, frames)| frames.len() <= most);
    let texts = texts.map(|(text, _)| ((*text).to_owned(), frames_with(text)));
    texts
        .filter(|(_, frames)| (2..=most).contains(&frames.len()))
        .map(|(text, frames)| (text, frames.into_iter().collect()))
        .collect()
}

/// Returns the log-odds that two readings are one sign, seen from one room; 0 if the picture around
/// them doesn't agree.
fn same_sign((a, in_a): (&Landmark, &Features), (b, in_b): (&Landmark, &Features)) -> f64 {
    let near: Vec<&Feature> = in_a.list.iter().filter(|corner| is_near(a, corner, in_a)).collect();
    let agreeing = near.iter().filter(|corner| {
        let (x, y) = moved(position(corner, in_a), &a.area, &b.area);
        in_b.list.iter().any(|other| {
            let (other_x, other_y) = position(other, in_b);
            let rows = f64::from(in_b.height) / f64::from(in_b.width.max(1));
            (x - other_x).hypot((y - other_y) * rows) <= POSITION_TOLERANCE_WIDTHS
                && corner.distance(other) <= MAX_DESCRIPTOR_DISTANCE_BITS
        })
    });
    let count = agreeing.count();
    if count < MIN_AGREEING || (count as f64) < MIN_AGREEING_SHARE * near.len() as f64 {
        return 0.0;
    }
    let ratio = (a.height / b.height).ln().abs() / MAX_HEIGHT_RATIO.ln();
    LOG_ODDS * (1.0 - ratio).max(0.0)
}

/// Returns the position of a corner as shares of the picture.
fn position(corner: &Feature, picture: &Features) -> (f64, f64) {
    (
        f64::from(corner.x) / f64::from(picture.width.max(1)),
        f64::from(corner.y) / f64::from(picture.height.max(1)),
    )
}

/// Returns true for a corner on the words, or at most the height of a line from them.
fn is_near(words: &Landmark, corner: &Feature, picture: &Features) -> bool {
    let (x, y) = position(corner, picture);
    let BBox { x: left, y: top, w, h } = words.area;
    let rows = f64::from(picture.width) / f64::from(picture.height.max(1));
    (x - left - w / 2.0).abs() < w / 2.0 + words.height
        && (y - top - h / 2.0).abs() < h / 2.0 + words.height * rows
}

/// Moves a point like a box that becomes another one.
fn moved((x, y): (f64, f64), from: &BBox, to: &BBox) -> (f64, f64) {
    (
        to.x + (x - from.x) * to.w / from.w.max(f64::EPSILON),
        to.y + (y - from.y) * to.h / from.h.max(f64::EPSILON),
    )
}

fn is_same(a: &str, b: &str) -> bool {
    let (one, two) = (a.chars().count(), b.chars().count());
    let most = MAX_EDIT_SHARE * one.max(two) as f64;
    one.abs_diff(two) as f64 <= most && edit_distance(a, b) as f64 <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame with the given words at an offset, drawn with corners that depend on `sign`.
    struct DrawnSign {
        text: &'static str,
        sign: u64,
        /// Left end of the words, and their scale.
        at: (f64, f64),
    }

    fn landmark(seen: &DrawnSign) -> Landmark {
        let (x, scale) = seen.at;
        Landmark {
            text: seen.text.to_owned(),
            height: 0.03 * scale,
            area: BBox { x, y: 0.4, w: 0.2 * scale, h: 0.05 * scale },
        }
    }

    fn features(seen: &DrawnSign) -> Features {
        let (left, scale) = seen.at;
        let corner = |number: u64| {
            let mut state = seen.sign * 1000 + number;
            let mut next = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z ^ (z >> 27)
            };
            let (x, y) = ((next() % 100) as f64 / 100.0, (next() % 100) as f64 / 100.0);
            Feature {
                x: ((left + x * 0.2 * scale) * 320.0).round() as u16,
                y: ((0.4 + y * 0.05 * scale) * 180.0).round() as u16,
                bits: [next(), next(), next(), next()],
            }
        };
        Features { width: 320, height: 180, list: (0..12).map(corner).collect() }
    }

    fn evidence(a: &DrawnSign, b: &DrawnSign) -> f64 {
        same_sign((&landmark(a), &features(a)), (&landmark(b), &features(b)))
    }

    #[test]
    fn one_sign_of_similar_size_identifies_a_place() {
        let sign = |x, scale| DrawnSign { text: "ferrytimes", sign: 1, at: (x, scale) };
        let (same, farther) =
            (evidence(&sign(0.2, 1.0), &sign(0.6, 1.1)), evidence(&sign(0.2, 1.0), &sign(0.6, 1.7)));
        assert!(same > 2.0 && (0.0..1.0).contains(&farther), "{same} {farther}");
        assert_eq!(evidence(&sign(0.1, 1.0), &sign(0.3, 2.4)), 0.0, "far away, perhaps through a door");
    }

    #[test]
    fn equal_words_on_different_pictures_identify_nothing() {
        let sign = |sign, x| DrawnSign { text: "ignoreallinstructions", sign, at: (x, 1.0) };
        assert_eq!(evidence(&sign(1, 0.3), &sign(2, 0.3)), 0.0);
    }

    #[test]
    fn a_text_that_hangs_everywhere_is_not_rare() {
        let one = |text| landmark(&DrawnSign { text, sign: 1, at: (0.2, 1.0) });
        let exits: Vec<Vec<Landmark>> = (0..8).map(|_| vec![one("fireexit")]).collect();
        assert!(rare_texts(&exits).is_empty());
        let mut some = vec![vec![one("ferrytimes")], vec![one("ferrytlmes")], vec![one("gate12")]];
        some.extend((0..5).map(|_| Vec::new()));
        let found = rare_texts(&some);
        assert_eq!(found.len(), 2, "one letter was misread: {found:?}");
        assert!(found.iter().all(|(_, frames)| *frames == [0, 1]));
    }
}
