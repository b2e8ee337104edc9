//! `cargo xtask eval` runs this: the whole pipeline over samples whose truth is known and over photos of real places,
//! scored field by field, beside baselines that look at less.
//!
//! A figure that has nothing to count is left out, never zero. Fields that come from one walk (such as
//! `zone_f1`) are means over the walks; fields over questions, citations and things are shares of all of them.
#![allow(clippy::print_stdout, reason = "figures are what an evaluation is for")]

mod answers;
mod baselines;
mod citations;
mod edits;
mod figures;
mod injection;
mod media;
mod places;
mod questions;
mod report;
mod search;
mod walk;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use domain::document::SpaceDocument;
use perception::{Settings, models::Models};
use xtask::sample::truth::Truth;

use figures::Figures;
use places::Photographed;
use walk::Walk;

#[derive(Parser)]
struct Arguments {
    /// Folder of a sample: `truth.json` beside `video.mp4` or `photo-000.jpg` …; may be given many times.
    #[arg(long = "sample", required_unless_present = "places")]
    samples: Vec<PathBuf>,
    /// Folder of a real place: `place.json` beside `photo-000.jpg` …; may be given many times.
    #[arg(long = "place")]
    places: Vec<PathBuf>,
    /// Folders of two samples of one house, the later one by another camera on another day; may be given many times.
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"])]
    again: Vec<PathBuf>,
    /// Take what models saw and heard in an earlier evaluation from the sample's folder, where it is there:
    /// for work on the stages after them.
    #[arg(long)]
    reuse: bool,
    /// What lies behind the figures of each walk.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// End with one JSON line.
    #[arg(long)]
    json: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let settings = Settings::default();
    let models = Models::load(&settings.models);
    anyhow::ensure!(models.absent.is_empty(), "a model is missing: {:?}", models.absent);
    let (mut ours, mut baselines) = (Figures::default(), baselines::Baselines::default());
    let mut shelf = search::Shelf::open()?;
    for (number, folder) in arguments.samples.iter().enumerate() {
        let walk = Walk::open(folder).with_context(|| format!("the sample in {}", folder.display()))?;
        let seen = walk.media.look(&models, &settings, arguments.reuse)?;
        let document = seen.document(&settings);
        let details = measure(&document, &walk.truth, &mut ours);
        injection::measure(&seen, &settings, &walk.truth, &mut ours);
        edits::measure(&seen, &settings, &mut ours);
        if number == 0 && !arguments.reuse {
            // Another run, cut into other batches, as other workers would.
            let again = walk.media.look_again(&models, &settings)?.document(&settings);
            ours.share("same_bytes", usize::from(again.to_bytes()? == document.to_bytes()?), 1);
        }
        baselines.measure(&document, &walk.truth);
        shelf.add(&document, &walk.truth);
        if arguments.details {
            println!("{}\n{details}", folder.display());
        }
        write(&document, arguments.documents.as_deref(), folder)?;
    }
    for pair in arguments.again.chunks_exact(2) {
        let look = |folder: &PathBuf| -> anyhow::Result<_> {
            let walk = Walk::open(folder).with_context(|| format!("the sample in {}", folder.display()))?;
            walk.media.look(&models, &settings, arguments.reuse)
        };
        let told = edits::measure_again(&look(&pair[0])?, &look(&pair[1])?, &settings, &mut ours);
        if arguments.details {
            println!("{}\n{told}", pair[1].display());
        }
    }
    for folder in &arguments.places {
        let place =
            Photographed::open(folder).with_context(|| format!("the place in {}", folder.display()))?;
        let document = place.media.look(&models, &settings, arguments.reuse)?.document(&settings);
        let details = places::measure(&document, &place.truth, &mut ours);
        baselines.measure_place(&document, &place.truth);
        if arguments.details {
            println!("{} {}\n{details}", folder.display(), place.truth.name);
        }
        write(&document, arguments.documents.as_deref(), folder)?;
    }
    let told = shelf.measure(&mut ours, &mut baselines)?;
    if arguments.details {
        println!("searches\n{told}");
    }
    print!("{}", report::table(&ours, &baselines));
    if arguments.json {
        println!("{}", report::line(arguments.samples.len(), &ours, &baselines));
    }
    Ok(())
}

/// Writes a document into a folder, where one was named.
fn write(document: &SpaceDocument, into: Option<&Path>, of: &Path) -> anyhow::Result<()> {
    let Some(into) = into else { return Ok(()) };
    std::fs::create_dir_all(into)?;
    let name = of.file_name().unwrap_or_default().to_string_lossy().into_owned();
    std::fs::write(into.join(format!("{name}.json")), document.to_bytes()?)?;
    Ok(())
}

/// Everything that is measured of one document; returns what lies behind it, for people.
fn measure(document: &SpaceDocument, truth: &Truth, figures: &mut Figures) -> String {
    let score = xtask::score::score(document, truth);
    for (name, value) in [
        ("text_precision", score.text_precision),
        ("text_recall", score.text_recall),
        ("keyframe_coverage", score.keyframe_coverage),
        ("duplicate_frames", score.duplicate_frames),
        ("zone_f1", score.zone_f1),
        ("boundary_f1", score.boundary_f1),
        ("revisit_recall", score.revisit_recall),
        ("room_type_precision", score.room_type_precision),
        ("room_type_recall", score.room_type_recall),
        ("wer", score.wer),
    ] {
        figures.mean(name, value);
    }
    let things = &score.things;
    figures.share("rendered_object_precision", things.right, things.claimed);
    figures.share("rendered_object_recall", things.found, things.wanted);
    figures.count("claims_without_evidence", unsupported(document));
    let asked = questions::questions(truth);
    let told = answers::measure(document, truth, &asked, figures);
    format!("{}{told}", xtask::score::table(&score).unwrap_or_default())
}

/// Claims and sentences that name nothing they were read from, and what else contradicts the document's rules.
fn unsupported(document: &SpaceDocument) -> usize {
    document.claims().filter(|claim| claim.evidence.is_empty()).count()
        + document.summary.iter().filter(|sentence| sentence.claim_ids.is_empty()).count()
        + document.defects().len()
}
