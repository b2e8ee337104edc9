//! Walks and photos of another renderer, scored against the truth files that it writes.
//!
//! - `zone_f1`: B-cubed F1 over quarter seconds or photos. For each moment, precision is the share
//!   of its zone that is in its room, and recall the share of its room that is in its zone. A moment
//!   without a zone is a zone of its own.
//! - room types: a claimed type is right if a room that makes up a quarter of the zone has it. A
//!   room is found if such a claim is right for it.
//! - counts, over the objects whose class is in the rooms of their zone (a quarter each): the true
//!   number is within `[min, max]`; `max` is at most twice the true number.
//! - objects: a claimed class is right if it is in view in a frame that it names.
//! - texts: a sign is found if a text of the document differs in a fifth of the letters at most from
//!   it or from each of its lines, and in no word with a digit; only signs with letters of [`MIN_LETTER_PX`] are wanted. A text
//!   is right if it is a sign, a line, or whole words of one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use domain::document::{Evidence, SpaceDocument};
use eval::score;
use serde::Deserialize;

use super::{document_metrics::count_unsupported, media::Media, metrics::Metrics};

/// Prefix of the metrics' names.
const PREFIX: &str = "other_";
/// End of the names of truth files.
const TRUTH_SUFFIX: &str = ".truth.json";
/// Moments per second of a video.
const MOMENTS_PER_SECOND: f64 = 4.0;
/// Height of the largest letters of a sign that the pipeline should read, in pixels.
const MIN_LETTER_PX: f64 = 12.0;
/// Maximum edit distance between a text and a sign, as a share of the longer one.
const MAX_TEXT_DISTANCE: f64 = 0.2;
/// Share of a zone from which a room counts as one of the zone's rooms.
const MIN_ROOM_SHARE: f64 = 0.25;
/// Time by which a sighting may lie outside of the interval in which a piece is in view, in seconds.
const IN_VIEW_TOLERANCE_S: f64 = 0.3;
/// Last words of the categories of each class that a model can detect.
const CATEGORIES_OF_CLASS: [(&str, &[&str]); 18] = [
    ("apple", &["apples"]),
    ("bench", &["seat"]),
    ("bicycle", &["bike"]),
    ("book", &["books", "bookcase", "shelf"]),
    ("bottle", &["bottles"]),
    ("bowl", &["fruit bowl"]),
    ("chair", &["armchair", "stool"]),
    ("couch", &["sofa", "armchair", "settee"]),
    ("cup", &["mug", "teapot"]),
    ("dining table", &["table", "desk"]),
    ("keyboard", &["computer"]),
    ("laptop", &["laptop computer"]),
    ("oven", &["cooker", "stove"]),
    ("potted plant", &["plant"]),
    ("refrigerator", &["fridge", "freezer"]),
    ("sink", &["washbasin", "basin"]),
    ("tv", &["television", "computer", "monitor", "screen"]),
    ("vase", &["vase of flowers", "flowers"]),
];

/// Truth of a walk or of photos.
#[derive(Debug, Deserialize)]
struct Truth {
    /// The video, beside the truth file.
    file: Option<PathBuf>,
    #[serde(default)]
    duration_s: f64,
    rooms: Vec<Room>,
    #[serde(default)]
    furniture: Vec<Furniture>,
    #[serde(default)]
    signs: Vec<Sign>,
    #[serde(default)]
    photos: Vec<Photo>,
}

#[derive(Debug, Deserialize)]
struct Room {
    id: String,
    label: String,
    #[serde(default)]
    intervals_s: Vec<(f64, f64)>,
}

#[derive(Debug, Deserialize)]
struct Furniture {
    room: String,
    category: String,
    #[serde(default)]
    in_view_s: Vec<(f64, f64)>,
}

#[derive(Debug, Deserialize)]
struct Sign {
    text: String,
    #[serde(default)]
    lines: Vec<String>,
    #[serde(alias = "best_letter_px")]
    letter_px: f64,
}

#[derive(Debug, Deserialize)]
struct Photo {
    file: PathBuf,
    camera_room: String,
    #[serde(default)]
    categories_in_view: Vec<String>,
    #[serde(default)]
    categories_maybe_partly: Vec<String>,
    #[serde(default)]
    signs_whole: Vec<Sign>,
    #[serde(default)]
    signs_maybe_partly: Vec<String>,
}

/// A walk or photos of another renderer.
pub(super) struct OtherScene {
    pub(super) name: String,
    pub(super) media: Media,
    truth: Truth,
}

/// Returns the scenes of a truth file, or of a folder and the folders in it, in the order of their
/// names.
///
/// # Errors
/// Returns an error if a file cannot be read, or if there is none.
pub(super) fn open(path: &Path) -> anyhow::Result<Vec<OtherScene>> {
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            if path.is_dir() {
                for inner in fs::read_dir(path)? {
                    files.push(inner?.path());
                }
            } else {
                files.push(path);
            }
        }
        files.retain(|file| file.to_string_lossy().ends_with(TRUTH_SUFFIX));
        files.sort();
    } else {
        files.push(path.to_owned());
    }
    anyhow::ensure!(!files.is_empty(), "no *{TRUTH_SUFFIX} in {}", path.display());
    files.iter().map(|file| open_one(file).with_context(|| file.display().to_string())).collect()
}

fn open_one(file: &Path) -> anyhow::Result<OtherScene> {
    let truth: Truth = serde_json::from_slice(&fs::read(file)?)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let media = match &truth.file {
        Some(video) => Media::video(folder.join(video)),
        None => Media::photos(truth.photos.iter().map(|photo| folder.join(&photo.file)).collect()),
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy().replace(TRUTH_SUFFIX, "");
    Ok(OtherScene { name, media, truth })
}

/// Adds one scene to the metrics. Returns the details behind them as text.
pub(super) fn measure(document: &SpaceDocument, scene: &OtherScene, metrics: &mut Metrics) -> String {
    let truth = &scene.truth;
    let shares = room_shares(document, truth);
    let mut details = describe_zones(document, truth, &shares);
    let f1 = b_cubed(&moments(document, truth));
    metrics.mean(&format!("{PREFIX}zone_f1"), f1);
    if let Some(f1) = f1 {
        details.push_str(&format!("  zone_f1 {f1:.3}\n"));
    }
    types(document, truth, &shares, metrics, &mut details);
    objects(document, truth, &shares, metrics, &mut details);
    texts(document, truth, metrics, &mut details);
    metrics.count("claims_without_evidence", count_unsupported(document));
    details
}

/// A moment or photo: the number of its room and of its zone.
type Moment = (usize, Option<usize>);

fn moments(document: &SpaceDocument, truth: &Truth) -> Vec<Moment> {
    let zone_at = |holds: &dyn Fn(u64, u64) -> bool| {
        document.zones.iter().position(|zone| zone.intervals.iter().any(|i| holds(i.start, i.end)))
    };
    let room_number = |id: &str| truth.rooms.iter().position(|room| room.id == id);
    if !truth.photos.is_empty() {
        let photos = (0..).zip(&truth.photos);
        let moment = |(ordinal, photo): (u64, &Photo)| {
            Some((room_number(&photo.camera_room)?, zone_at(&|start, end| (start..=end).contains(&ordinal))))
        };
        return photos.filter_map(moment).collect();
    }
    let count = (truth.duration_s * MOMENTS_PER_SECOND) as u64;
    let moment = |number: u64| {
        let seconds = (number as f64 + 0.5) / MOMENTS_PER_SECOND;
        let inside = |(start, end): &(f64, f64)| (*start..*end).contains(&seconds);
        let room = truth.rooms.iter().position(|room| room.intervals_s.iter().any(inside))?;
        let t_ms = (seconds * 1000.0) as u64;
        Some((room, zone_at(&|start, end| (start..end).contains(&t_ms))))
    };
    (0..count).filter_map(moment).collect()
}

/// Returns the B-cubed F1 of zones against rooms, or `None` without moments.
fn b_cubed(moments: &[Moment]) -> Option<f64> {
    let count = |matches: &dyn Fn(&Moment) -> bool| moments.iter().filter(|other| matches(other)).count();
    let mut cells = BTreeMap::<Moment, usize>::new();
    moments.iter().for_each(|moment| *cells.entry(*moment).or_default() += 1);
    let (mut precision, mut recall) = (0.0, 0.0);
    for (&(room, zone), &both) in &cells {
        let in_room = count(&|other| other.0 == room) as f64;
        // Moments without a zone are alone.
        let (own, in_zone) =
            if zone.is_some() { (both as f64, count(&|other| other.1 == zone) as f64) } else { (1.0, 1.0) };
        precision += both as f64 * own / in_zone;
        recall += both as f64 * own / in_room;
    }
    let sum = precision + recall;
    (sum > 0.0).then(|| 2.0 * precision * recall / sum / moments.len() as f64)
}

/// For each zone, the share of each room in it, by number.
fn room_shares(document: &SpaceDocument, truth: &Truth) -> Vec<BTreeMap<usize, f64>> {
    let moments = moments(document, truth);
    let shares = |zone: usize| {
        let inside: Vec<usize> =
            moments.iter().filter(|(_, of)| *of == Some(zone)).map(|(room, _)| *room).collect();
        let mut shares = BTreeMap::<usize, f64>::new();
        inside.iter().for_each(|room| *shares.entry(*room).or_default() += 1.0 / inside.len() as f64);
        shares
    };
    (0..document.zones.len()).map(shares).collect()
}

/// Returns the rooms that make up a quarter of a zone.
fn rooms_of(shares: &BTreeMap<usize, f64>) -> BTreeSet<usize> {
    shares.iter().filter(|(_, share)| **share >= MIN_ROOM_SHARE).map(|(room, _)| *room).collect()
}

fn describe_zones(document: &SpaceDocument, truth: &Truth, shares: &[BTreeMap<usize, f64>]) -> String {
    let mut text = String::new();
    for room in &truth.rooms {
        text.push_str(&format!("  room {} {:?}\n", room.id, room.intervals_s));
    }
    for (zone, shares) in document.zones.iter().zip(shares) {
        let rooms: Vec<String> =
            shares.iter().map(|(room, share)| format!("{} {share:.2}", truth.rooms[*room].id)).collect();
        let intervals: Vec<String> =
            zone.intervals.iter().map(|interval| format!("{}..{}", interval.start, interval.end)).collect();
        text.push_str(&format!(
            "  zone {} {:?} {}: {}\n",
            zone.id,
            zone.label,
            intervals.join(" "),
            rooms.join(", ")
        ));
    }
    text
}

fn types(
    document: &SpaceDocument,
    truth: &Truth,
    shares: &[BTreeMap<usize, f64>],
    metrics: &mut Metrics,
    details: &mut String,
) {
    let (mut right, mut claimed, mut found) = (0, 0, BTreeSet::new());
    for (zone, shares) in document.zones.iter().zip(shares) {
        for claim in &zone.types {
            claimed += 1;
            let is_so =
                |room: &usize| score::room_kind(&truth.rooms[*room].label) == score::room_kind(&claim.value);
            let rooms: Vec<usize> = rooms_of(shares).into_iter().filter(is_so).collect();
            metrics.claim(claim.confidence, !rooms.is_empty());
            if rooms.is_empty() {
                details.push_str(&format!("  wrong type {} {:.2}\n", claim.value, claim.confidence));
            } else {
                right += 1;
                found.extend(rooms);
            }
        }
    }
    metrics.share(&format!("{PREFIX}room_type_precision"), right, claimed);
    metrics.share(&format!("{PREFIX}room_type_recall"), found.len(), truth.rooms.len());
}

/// Returns whether a class of a model fits a category of the truth.
pub(super) fn fits(class: &str, category: &str) -> bool {
    let ends = |name: &str| category == name || category.ends_with(&format!(" {name}"));
    ends(class)
        || CATEGORIES_OF_CLASS.iter().any(|(of, names)| *of == class && names.iter().any(|name| ends(name)))
}

fn objects(
    document: &SpaceDocument,
    truth: &Truth,
    shares: &[BTreeMap<usize, f64>],
    metrics: &mut Metrics,
    details: &mut String,
) {
    let (mut right, mut within, mut bounded, mut counted) = (0, 0, 0, 0);
    for object in &document.objects {
        let class = &object.category.value;
        let is_there = object.sightings.iter().any(|sighting| is_in_view(truth, class, sighting));
        metrics.claim(object.category.confidence, is_there);
        if is_there {
            right += 1;
        } else {
            details.push_str(&format!("  wrong object {class} {:.2}\n", object.category.confidence));
        }
        let zone = document.zones.iter().position(|zone| Some(&zone.id) == object.zone_id.as_ref());
        let rooms: BTreeSet<&str> = zone
            .map(|zone| rooms_of(&shares[zone]))
            .unwrap_or_default()
            .iter()
            .map(|room| truth.rooms[*room].id.as_str())
            .collect();
        let of_class = || truth.furniture.iter().filter(|piece| fits(class, &piece.category));
        let number = of_class().filter(|piece| rooms.contains(piece.room.as_str())).count();
        if number == 0 {
            continue;
        }
        // A class may be narrower than the categories that fit it: an armchair is a chair or not.
        let same_name = of_class()
            .filter(|piece| rooms.contains(piece.room.as_str()) && piece.category.ends_with(class.as_str()))
            .count();
        let least = if same_name > 0 { same_name } else { number };
        let (min, max) = (object.count.min as usize, object.count.max as usize);
        counted += 1;
        within += usize::from(min <= number && least <= max);
        bounded += usize::from(max <= 2 * number);
        if !(min <= number && least <= max && max <= 2 * number) {
            details.push_str(&format!("  count {class} {min}..{max} of {least}..{number}\n"));
        }
    }
    metrics.share(&format!("{PREFIX}object_precision"), right, document.objects.len());
    metrics.share(&format!("{PREFIX}count_within"), within, counted);
    metrics.share(&format!("{PREFIX}count_max_bounded"), bounded, counted);
}

fn is_in_view(truth: &Truth, class: &str, sighting: &Evidence) -> bool {
    if let Some(photo) = sighting.ordinal.and_then(|ordinal| truth.photos.get(ordinal as usize)) {
        return photo
            .categories_in_view
            .iter()
            .chain(&photo.categories_maybe_partly)
            .any(|category| fits(class, category));
    }
    let Some(seconds) = sighting.t_ms.map(|t_ms| t_ms as f64 / 1000.0) else { return false };
    let near = |(start, end): &(f64, f64)| {
        (start - IN_VIEW_TOLERANCE_S..=end + IN_VIEW_TOLERANCE_S).contains(&seconds)
    };
    truth.furniture.iter().any(|piece| fits(class, &piece.category) && piece.in_view_s.iter().any(near))
}

fn texts(document: &SpaceDocument, truth: &Truth, metrics: &mut Metrics, details: &mut String) {
    let signs: Vec<&Sign> =
        truth.signs.iter().chain(truth.photos.iter().flat_map(|photo| &photo.signs_whole)).collect();
    let partly = truth.photos.iter().flat_map(|photo| &photo.signs_maybe_partly);
    let all: Vec<&String> = signs.iter().map(|sign| &sign.text).chain(partly).collect();
    // A code or number is right or wrong; only longer words may have a letter wrong.
    let is = |raw: &str, line: &str| {
        score::distance(raw, line) <= MAX_TEXT_DISTANCE && score::numbers(raw) == score::numbers(line)
    };
    let is_read = |line: &str| document.texts.iter().any(|text| is(&text.raw, line));
    let is_right = |raw: &str| {
        all.iter().any(|sign| is(raw, sign) || has_words(sign, raw))
            || signs.iter().flat_map(|sign| &sign.lines).any(|line| is(raw, line))
    };
    let right = document.texts.iter().filter(|text| is_right(&text.raw)).count();
    let wrong = document.texts.iter().filter(|text| !is_right(&text.raw));
    wrong.for_each(|text| details.push_str(&format!("  wrong text {:?}\n", text.raw)));
    metrics.share(&format!("{PREFIX}text_precision"), right, document.texts.len());

    let mut wanted = BTreeMap::<&str, bool>::new();
    for sign in signs.iter().filter(|sign| sign.letter_px >= MIN_LETTER_PX) {
        let lines = !sign.lines.is_empty() && sign.lines.iter().all(|line| is_read(line));
        let words = document.texts.iter().filter(|text| has_words(&sign.text, &text.raw));
        let letters: usize = words.map(|text| text.raw.len()).sum();
        // Without a list of its lines, a sign is found if texts of its words cover most of it.
        let covered = sign.lines.is_empty() && letters as f64 >= 0.8 * sign.text.len() as f64;
        *wanted.entry(&sign.text).or_default() |= is_read(&sign.text) || lines || covered;
    }
    let found = wanted.values().filter(|found| **found).count();
    let missed: Vec<&str> = wanted.iter().filter(|(_, found)| !**found).map(|(text, _)| *text).collect();
    if !missed.is_empty() {
        details.push_str(&format!("  missed texts {missed:?}\n"));
    }
    metrics.share(&format!("{PREFIX}text_recall"), found, wanted.len());
}

/// Returns whether a text is a run of whole words of a sign.
fn has_words(sign: &str, text: &str) -> bool {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let (sign, text) = (words(sign), words(text));
    !text.is_empty() && sign.windows(text.len()).any(|run| run == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b_cubed_is_one_for_equal_divisions_and_falls_with_merges_and_splits() {
        let moments = |rooms: &str, zones: &str| -> Vec<Moment> {
            rooms.bytes().zip(zones.bytes()).map(|(r, z)| (r.into(), Some(z.into()))).collect()
        };
        assert_eq!(b_cubed(&moments("aabb", "xxyy")), Some(1.0));
        // Precision 0.5, recall 1.
        assert!((b_cubed(&moments("aabb", "xxxx")).unwrap() - 2.0 / 3.0).abs() < 1e-9);
        // Precision 1, recall 0.5.
        assert!((b_cubed(&moments("aaaa", "xxyy")).unwrap() - 2.0 / 3.0).abs() < 1e-9);
        // Two moments without a zone are apart.
        assert!((b_cubed(&[(0, None), (0, None)]).unwrap() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(b_cubed(&[]), None);
    }

    #[test]
    fn classes_fit_categories_by_their_last_words() {
        assert!(fits("chair", "office chair") && fits("chair", "armchair") && fits("bed", "bunk bed"));
        assert!(fits("dining table", "coffee table") && fits("refrigerator", "drinks fridge"));
        assert!(!fits("bed", "bedside table") && !fits("dining table", "table lamp"));
    }

    #[test]
    fn a_text_of_a_sign_is_a_run_of_its_words() {
        assert!(has_words("MENU LENTIL SOUP PLUM TART", "Plum tart") && has_words("ROOM 204", "ROOM 204"));
        assert!(has_words("OPEN MON - THU 8:15 - 16:45", "OPEN MON -THU"));
        assert!(!has_words("ROOM 204", "ROOM 20") && !has_words("ROOM 204", ""));
    }
}
