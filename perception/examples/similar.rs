//! Prints the similarity of a query to texts, and the time for each vector.
//!
//! `cargo run -p perception --example similar -- QUERY TEXT…`
#![allow(clippy::print_stdout, reason = "results go to the standard output")]

use std::time::Instant;

use domain::language::Priority;
use perception::models::{Settings, packaged};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts: Vec<String> = std::env::args().skip(1).collect();
    let started = Instant::now();
    let embedder = packaged::embedder(&Settings::default()).ok_or("the weights are not set up")?;
    println!("loaded in {:.0?}", started.elapsed());
    let mut vectors = Vec::new();
    for text in &texts {
        let started = Instant::now();
        let (vector, _) = embedder.embed(std::slice::from_ref(text), Priority::Interactive)?;
        vectors.extend(vector.into_iter().map(|vector| (vector, started.elapsed())));
    }
    let Some(((query, _), rest)) = vectors.split_first() else { return Err("give a query".into()) };
    for ((vector, time), text) in rest.iter().zip(&texts[1..]) {
        let cosine: f32 = query.iter().zip(vector).map(|(a, b)| a * b).sum();
        println!("{cosine:6.3} {time:9.1?} {text:.70}");
    }
    Ok(())
}
