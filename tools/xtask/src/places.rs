//! Photos of real places for the evaluation, from an npm package.
//!
//! `tools/eval/places.json` lists the photos of each place, and how many objects of each class can
//! be counted in it. The evaluation needs several overlapping photos of each view, as a person
//! with a phone would take them. Three overlapping crops of one photo stand in for them: turning a
//! camera a little changes which part of the scene is in the picture, and hardly anything else.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{
    setup::{
        Tools,
        archives::{self, Archive, Member, Registry},
        print_step,
    },
    system::{command, output_of},
};

const PLACES: &str = include_str!("../../eval/places.json");
/// Width and height of each crop, as a share of the photo's.
const CROP_SHARE: f32 = 0.8;
/// Positions of the crops: from left (0) to right (1), and from top (0) to bottom (1).
const CROP_POSITIONS: [(f32, f32); 3] = [(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)];
/// Version of the cropping. Increase it to crop the photos again.
const REVISION: &str = "1";

/// An npm package of photos, and the places that they show.
#[derive(Deserialize)]
struct Collection {
    package: String,
    version: String,
    sha256: String,
    megabytes: u32,
    folder: String,
    places: Vec<Place>,
}

#[derive(Deserialize)]
struct Place {
    photos: Vec<Photo>,
    /// Name and contents of the place. Only `eval` reads them, from `place.json` beside the photos.
    #[serde(flatten)]
    contents: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Photo {
    file: String,
    sha256: String,
}

/// Returns the folder of each place, with `photo-000.jpg` … and `place.json`. Creates the folders
/// first if they are missing.
///
/// # Errors
/// Returns an error if the photos cannot be downloaded or a folder cannot be written.
pub(crate) fn cached(tools: &Tools) -> Result<Vec<PathBuf>> {
    let collection: Collection = serde_json::from_str(PLACES).context("places.json")?;
    let version = hex::encode(Sha256::digest([PLACES, REVISION].concat()));
    let folder = tools.cache_dir.join(format!("places-{}", &version[..12]));
    let folders = (0..collection.places.len()).map(|number| folder.join(format!("{number:02}"))).collect();
    if folder.is_dir() {
        return Ok(folders);
    }
    let photos = tools.cache_dir.join("photos");
    download(&collection, &photos)?;
    print_step("places", &format!("{} places from {}", collection.places.len(), collection.package));
    // Written to a temporary folder and renamed, so that an interrupted run leaves nothing
    // incomplete.
    let temporary = tempfile::Builder::new().prefix("places-").tempdir_in(&tools.cache_dir)?;
    for (number, place) in collection.places.iter().enumerate() {
        let into = temporary.path().join(format!("{number:02}"));
        fs::create_dir(&into)?;
        for (at, photo) in place.photos.iter().enumerate() {
            crop(&tools.ffmpeg, &photos.join(&photo.file), &into, at * CROP_POSITIONS.len())?;
        }
        fs::write(into.join("place.json"), serde_json::to_vec_pretty(&place.contents)?)?;
    }
    fs::rename(temporary.path(), &folder)?;
    // The folder was renamed: there is nothing left to delete.
    let _ = temporary.keep();
    Ok(folders)
}

fn download(collection: &Collection, into: &Path) -> Result<()> {
    let photos = collection.places.iter().flat_map(|place| &place.photos);
    let member = |photo: &Photo| Member {
        path: format!("{}/{}", collection.folder, photo.file),
        target: photo.file.clone(),
        sha256: photo.sha256.clone(),
    };
    let archive = Archive {
        registry: Registry::Npm,
        package: collection.package.clone(),
        version: collection.version.clone(),
        sha256: collection.sha256.clone(),
        megabytes: collection.megabytes,
        members: photos.map(member).collect(),
    };
    archives::ensure(&[archive], into)
}

/// Writes the crops of a photo, numbered from `first`.
fn crop(ffmpeg: &Path, photo: &Path, into: &Path, first: usize) -> Result<()> {
    let mut command_line = command(ffmpeg);
    command_line.args(["-nostdin", "-v", "error", "-threads", "1", "-i"]).arg(photo);
    for (number, (x, y)) in CROP_POSITIONS.iter().enumerate() {
        let filter = format!("crop=iw*{CROP_SHARE}:ih*{CROP_SHARE}:(iw-ow)*{x}:(ih-oh)*{y}");
        command_line.args(["-vf", &filter, "-q:v", "2", "-map_metadata", "-1", "-fflags", "+bitexact"]);
        command_line
            .args(["-flags:v", "+bitexact"])
            .arg(into.join(format!("photo-{:03}.jpg", first + number)));
    }
    output_of(&mut command_line).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_photo_belongs_to_one_place() {
        let collection: Collection = serde_json::from_str(PLACES).expect("places.json");
        let mut files = std::collections::BTreeSet::new();
        for place in &collection.places {
            assert!(!place.photos.is_empty(), "{:?}", place.contents);
            assert!(
                place.photos.iter().all(|photo| files.insert(photo.file.as_str())),
                "{:?}: a photo of two places",
                place.contents
            );
        }
        assert!(collection.places.len() >= 6 && files.len() >= 20);
    }
}
