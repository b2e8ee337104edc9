//! Runs the whole pipeline over samples with ground truth and over photos of real places, and
//! scores every field of the documents, next to baselines with less information.
//!
//! A metric without anything to count is left out; it is never zero. Metrics of one walk (such as
//! `zone_f1`) are means over the walks. Metrics of questions, citations and objects are shares of
//! all of them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use domain::document::SpaceDocument;
use eval::models::Runtime;
use perception::{Settings, models::Models};

use super::{
    ablations,
    baselines::Baselines,
    columns::{Column, Columns},
    document_metrics, edits, injection,
    metrics::Metrics,
    natural_questions, other_renderer,
    places::{self, PhotographedPlace},
    report,
    scenes::{Manifest, Part},
    search::Corpus,
    speech,
    walk::Walk,
};

/// Options of `eval run`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folder of a sample: `truth.json` beside `video.mp4` or `photo-000.jpg` …; may be given many
    /// times.
    #[arg(long = "sample", required_unless_present_any = ["places", "walks", "scenes", "speech"])]
    samples: Vec<PathBuf>,
    /// Folder of a real place: `place.json` beside `photo-000.jpg` …; may be given many times.
    #[arg(long = "place")]
    places: Vec<PathBuf>,
    /// Folders of two samples of one house, the later one from another camera on another day; may
    /// be given many times.
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"])]
    again: Vec<PathBuf>,
    /// Walks and photos of another renderer: a truth file (`*.truth.json`) or a folder with such
    /// files; may be given many times.
    #[arg(long)]
    walks: Vec<PathBuf>,
    /// Manifest of scenes of another renderer.
    #[arg(long)]
    scenes: Option<PathBuf>,
    /// Part of the scenes of the manifest.
    #[arg(long, default_value = "dev")]
    part: Part,
    /// Folder of a sample of photos with pale walls; may be given many times.
    #[arg(long = "pale")]
    pale: Vec<PathBuf>,
    /// The recording of human speech.
    #[arg(long)]
    speech: Option<PathBuf>,
    /// Reuse the models' output that an earlier evaluation stored in the sample's folder, where
    /// there is any. For work on the stages after the models.
    #[arg(long)]
    reuse: bool,
    /// Also print the details behind the metrics of each walk.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    #[command(flatten)]
    runtime: Runtime,
    /// Print one line of JSON at the end.
    #[arg(long)]
    json: bool,
}

/// Runs the evaluation and prints its results.
///
/// # Errors
/// Returns an error if a model is missing, or if a sample cannot be read or scanned.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.runtime.settings();
    let models = arguments.runtime.load(&settings)?;
    let mut evaluation = Evaluation {
        arguments,
        settings,
        models,
        metrics: Metrics::default(),
        baselines: Baselines::default(),
        corpus: Corpus::with_made_up_spaces()?,
        columns: Columns::default(),
    };
    for (number, folder) in arguments.samples.iter().enumerate() {
        evaluation
            .sample(folder, number == 0)
            .with_context(|| format!("the sample in {}", folder.display()))?;
    }
    for pair in arguments.again.chunks_exact(2) {
        evaluation.second_walk(&pair[0], &pair[1])?;
    }
    for folder in &arguments.places {
        evaluation.place(folder).with_context(|| format!("the place in {}", folder.display()))?;
    }
    for path in &arguments.walks {
        evaluation.other_renderer(path)?;
    }
    for folder in &arguments.pale {
        evaluation.pale(folder).with_context(|| format!("the sample in {}", folder.display()))?;
    }
    if let Some(manifest) = &arguments.scenes {
        evaluation.scenes(&Manifest::open(manifest)?)?;
    }
    if let Some(recording) = &arguments.speech {
        speech::measure(recording, &evaluation.models, &mut evaluation.metrics)?;
    }
    evaluation.finish()
}

struct Evaluation<'a> {
    arguments: &'a Arguments,
    settings: Settings,
    models: Models,
    metrics: Metrics,
    baselines: Baselines,
    corpus: Corpus,
    columns: Columns,
}

impl Evaluation<'_> {
    /// Evaluates one sample walk.
    fn sample(&mut self, folder: &Path, first: bool) -> anyhow::Result<()> {
        let walk = Walk::open(folder)?;
        let observations = walk.media.observe(&self.models, &self.settings, self.arguments.reuse)?;
        let document = observations.document(&self.settings);
        let details = document_metrics::measure(&document, &walk.truth, &mut self.metrics);
        injection::measure(&observations, &self.settings, &walk.truth, &mut self.metrics);
        edits::measure(&observations, &self.settings, &mut self.metrics);
        if first && !self.arguments.reuse {
            // Another run with another batch size, as another worker could process it.
            let again = walk.media.observe_again(&self.models, &self.settings)?.document(&self.settings);
            let same = again.to_bytes()? == document.to_bytes()?;
            self.metrics.share("same_bytes", usize::from(same), 1);
        }
        for (column, less) in ablations::of(&observations, &walk.truth) {
            let document = less.document(&self.settings);
            document_metrics::measure(&document, &walk.truth, self.columns.of(column));
        }
        self.baselines.measure(&document, &walk.truth);
        self.corpus.add(&document, &walk.truth);
        if self.arguments.details {
            println!("{}\n{details}", folder.display());
        }
        self.write(&document, folder)
    }

    /// Evaluates the changes between two walks through one house.
    fn second_walk(&mut self, first: &Path, second: &Path) -> anyhow::Result<()> {
        let observe = |folder: &Path| -> anyhow::Result<_> {
            let walk = Walk::open(folder).with_context(|| format!("the sample in {}", folder.display()))?;
            walk.media.observe(&self.models, &self.settings, self.arguments.reuse)
        };
        let (before, after) = (observe(first)?, observe(second)?);
        let details = edits::measure_again(&before, &after, &self.settings, &mut self.metrics);
        if self.arguments.details {
            println!("{}\n{details}", second.display());
        }
        Ok(())
    }

    /// Evaluates walks and photos of another renderer.
    fn other_renderer(&mut self, path: &Path) -> anyhow::Result<()> {
        for scene in other_renderer::open(path)? {
            let observations = scene
                .media
                .observe(&self.models, &self.settings, self.arguments.reuse)
                .with_context(|| scene.name.clone())?;
            let document = observations.document(&self.settings);
            let details = other_renderer::measure(&document, &scene, &mut self.metrics);
            if self.arguments.details {
                println!("{}\n{details}", scene.name);
            }
            self.write(&document, Path::new(&scene.name))?;
        }
        Ok(())
    }

    /// Evaluates scenes of another renderer in their columns.
    fn scenes(&mut self, manifest: &Manifest) -> anyhow::Result<()> {
        for scene in manifest.scenes(self.arguments.part)? {
            for opened in other_renderer::open(&scene.truth)? {
                let observations = opened
                    .media
                    .observe(&self.models, &self.settings, false)
                    .with_context(|| scene.name.clone())?;
                let document = observations.document(&self.settings);
                let columns: Vec<Column> =
                    [Column::AnotherRenderer].into_iter().chain(scene.columns.clone()).collect();
                let mut details = String::new();
                for column in &columns {
                    details = other_renderer::measure(&document, &opened, self.columns.of(*column));
                }
                if let Some(file) = &scene.questions {
                    details += &natural_questions::measure(&document, file, |count| {
                        columns.iter().for_each(|column| count(self.columns.of(*column)));
                    })?;
                }
                if self.arguments.details {
                    println!("{}\n{details}", scene.name);
                }
                self.write(&document, Path::new(&scene.name))?;
            }
        }
        Ok(())
    }

    /// Evaluates one of our own walks with pale walls.
    fn pale(&mut self, folder: &Path) -> anyhow::Result<()> {
        let walk = Walk::open(folder)?;
        let observations = walk.media.observe(&self.models, &self.settings, self.arguments.reuse)?;
        let document = observations.document(&self.settings);
        document_metrics::measure(&document, &walk.truth, self.columns.of(Column::OwnPaleWalls));
        Ok(())
    }

    /// Evaluates photos of one real place.
    fn place(&mut self, folder: &Path) -> anyhow::Result<()> {
        let place = PhotographedPlace::open(folder)?;
        let observations = place.media.observe(&self.models, &self.settings, self.arguments.reuse)?;
        let document = observations.document(&self.settings);
        let details = places::measure(&document, &place.truth, &mut self.metrics);
        self.baselines.measure_place(&document, &place.truth);
        if self.arguments.details {
            println!("{} {}\n{details}", folder.display(), place.truth.name);
        }
        self.write(&document, folder)
    }

    /// Evaluates the search over all documents and prints the results.
    fn finish(mut self) -> anyhow::Result<()> {
        let details = self.corpus.measure(&mut self.metrics, &mut self.baselines)?;
        if self.arguments.details {
            println!("searches\n{details}");
        }
        print!("{}{}", report::table(&self.metrics, &self.baselines), self.columns.table());
        if self.arguments.json {
            let samples = self.arguments.samples.len();
            let mut line = report::json_line(samples, &self.metrics, &self.baselines);
            line["columns"] = self.columns.json();
            println!("{line}");
        }
        Ok(())
    }

    /// Writes a document into the folder of `--documents`, if it was given.
    fn write(&self, document: &SpaceDocument, sample: &Path) -> anyhow::Result<()> {
        let Some(folder) = self.arguments.documents.as_deref() else { return Ok(()) };
        std::fs::create_dir_all(folder)?;
        let name = sample.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::write(folder.join(format!("{name}.json")), document.to_bytes()?)?;
        Ok(())
    }
}
