//! Runs the pipeline over walks and photos of another renderer only, for work on its stages.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use eval::models::Runtime;

use super::{media::Observations, metrics::Metrics, observation_cache::ObservationCache, other_renderer};

/// Options of `eval walks`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Truth file (`*.truth.json`) of a walk or of photos, or a folder with such files.
    #[arg(required = true)]
    walks: Vec<PathBuf>,
    /// Keep what the models said in this folder and reuse it. Remove the folder after changing
    /// them.
    #[arg(long)]
    cache: Option<PathBuf>,
    #[command(flatten)]
    runtime: Runtime,
    /// Also print the details behind the metrics of each walk.
    #[arg(long)]
    details: bool,
    /// Also write each document into this folder.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// Also write the output of the stages up to the models into this folder.
    #[arg(long)]
    observations: Option<PathBuf>,
}

/// Runs the evaluation and prints its results.
///
/// # Errors
/// Returns an error if a model is missing, or if a walk cannot be read or scanned.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = arguments.runtime.settings();
    let models = arguments.runtime.load(&settings)?;
    let cache = arguments.cache.as_deref().map(ObservationCache::open).transpose()?;
    let mut metrics = Metrics::default();
    for path in &arguments.walks {
        for scene in other_renderer::open(path)? {
            let observations: Observations = match &cache {
                Some(cache) => scene.media.observe_with(&models, &settings, cache),
                None => scene.media.observe(&models, &settings, false),
            }
            .with_context(|| scene.name.clone())?;
            let document = observations.document(&settings);
            let details = other_renderer::measure(&document, &scene, &mut metrics);
            if arguments.details {
                println!("{}\n{details}", scene.name);
            }
            if let Some(folder) = &arguments.observations {
                std::fs::create_dir_all(folder)?;
                let json = serde_json::to_vec(&observations)?;
                std::fs::write(folder.join(format!("{}.json", scene.name)), json)?;
            }
            if let Some(folder) = &arguments.documents {
                std::fs::create_dir_all(folder)?;
                std::fs::write(folder.join(format!("{}.json", scene.name)), document.to_bytes()?)?;
            }
        }
    }
    for name in metrics.names() {
        if let Some(value) = metrics.get(name) {
            println!("{name:<28} {value:.3}");
        }
    }
    println!("\n{}", metrics.reliability().diagram());
    Ok(())
}
