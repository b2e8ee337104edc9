//! `scan search`: searches spaces by words.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

use clap::Args;

use super::{
    api::{Api, Call},
    connection::Connection,
    output::{printable, show},
    spaces::rows,
};

/// Search spaces: names, room types, objects, signs and speech.
#[derive(Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    connection: Connection,
    /// Words.
    #[arg(required = true)]
    words: Vec<String>,
    /// Only spaces of exactly this type.
    #[arg(long = "type")]
    space_type: Option<String>,
    /// Maximum number of spaces.
    #[arg(long, default_value_t = 20)]
    limit: usize,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn run(args: SearchArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    let query = [("q", Some(args.words.join(" "))), ("space_type", args.space_type)];
    let found = api.list(Call::to("/search").query(&query), args.limit).await?;
    show(as_json, &found, |page| {
        if rows(page).is_empty() {
            println!("no space matches");
        }
        for hit in rows(page) {
            let text = |value: &serde_json::Value| printable(value.as_str().unwrap_or_default());
            println!("{}  {}", text(&hit["space"]["id"]), text(&hit["space"]["name"]));
            for found in hit["matches"].as_array().into_iter().flatten().take(5) {
                let url = found["url"].as_str().unwrap_or_default();
                println!("    {}: {}  {url}", text(&found["kind"]), text(&found["text"]));
            }
        }
    });
    Ok(())
}
