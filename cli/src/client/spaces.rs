//! `scan spaces`: spaces and their documents.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    api::{Api, Call},
    connection::Connection,
    output::{fields, show, table},
};

/// Manage spaces.
#[derive(Debug, Args)]
pub struct SpacesArgs {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: Option<SpacesCommand>,
}

#[derive(Debug, Subcommand)]
enum SpacesCommand {
    /// List spaces, newest first (the default).
    List {
        /// Only spaces of exactly this type, for example `apartment`.
        #[arg(long = "type")]
        space_type: Option<String>,
        /// Only spaces with exactly this reference.
        #[arg(long)]
        external_id: Option<String>,
        /// Maximum number of spaces.
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Create a space.
    Create {
        /// Name of the space.
        name: String,
        /// Type label, for example `apartment`.
        #[arg(long = "type", default_value = "other")]
        space_type: String,
        /// Your own reference.
        #[arg(long)]
        external_id: Option<String>,
        /// Description.
        #[arg(long)]
        description: Option<String>,
    },
    /// Show a space and an overview of its document. With `--json`, the whole document.
    Get {
        /// The space.
        space_id: String,
    },
    /// Print the Space Document as JSON.
    Document {
        /// The space.
        space_id: String,
    },
    /// Delete a space with its scans, media and documents.
    Delete {
        /// The space.
        space_id: String,
        /// Delete without a question.
        #[arg(long)]
        yes: bool,
    },
}

const COLUMNS: &[(&str, &str)] = &[
    ("ID", "id"),
    ("NAME", "name"),
    ("TYPE", "space_type"),
    ("REFERENCE", "external_id"),
    ("CREATED", "created_at"),
];

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn run(args: SpacesArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    let all = SpacesCommand::List { space_type: None, external_id: None, limit: 100 };
    match args.command.unwrap_or(all) {
        SpacesCommand::List { space_type, external_id, limit } => {
            let filters = [("space_type", space_type), ("external_id", external_id)];
            let spaces = api.list(Call::to("/spaces").query(&filters), limit).await?;
            show(as_json, &spaces, |page| table(rows(page), COLUMNS));
        }
        SpacesCommand::Create { name, space_type, external_id, description } => {
            let mut body = json!({ "name": name, "space_type": space_type });
            for (field, value) in [("external_id", external_id), ("description", description)] {
                if let Some(value) = value {
                    body[field] = json!(value);
                }
            }
            let space = api.send(Method::POST, Call::to("/spaces").body(body)).await?;
            show(as_json, &space, |space| table(std::slice::from_ref(space), COLUMNS));
        }
        SpacesCommand::Get { space_id } => {
            let space = api.get(Call::to(&format!("/spaces/{}", segment(&space_id)))).await?;
            show(as_json, &space, overview);
            if !as_json {
                println!("console     {}", api.access().console(&format!("/spaces/{}", segment(&space_id))));
            }
        }
        SpacesCommand::Document { space_id } => {
            let space = api.get(Call::to(&format!("/spaces/{}", segment(&space_id)))).await?;
            anyhow::ensure!(!space["document"].is_null(), "no scan of this space is complete yet");
            println!("{:#}", space["document"]);
        }
        SpacesCommand::Delete { space_id, yes } => {
            let path = format!("/spaces/{}", segment(&space_id));
            if !yes {
                let space = api.get(Call::to(&path)).await?;
                let name = super::output::printable(space["name"].as_str().unwrap_or_default());
                let question = format!("Delete “{name}” with all its scans? Type its name to confirm: ");
                let typed = super::account::prompt::line(&question)?;
                anyhow::ensure!(typed == name, "nothing was deleted");
            }
            api.send(Method::DELETE, Call::to(&path)).await?;
            show(as_json, &json!({ "deleted": space_id }), |_| println!("deleted {space_id}"));
        }
    }
    Ok(())
}

fn overview(space: &Value) {
    fields(
        space,
        &[
            ("id", "id"),
            ("name", "name"),
            ("type", "space_type"),
            ("reference", "external_id"),
            ("created", "created_at"),
        ],
    );
    let document = &space["document"];
    if document.is_null() {
        println!("document    none yet: no scan is complete");
        return;
    }
    let count = |name: &str| document[name].as_array().map_or(0, Vec::len);
    println!(
        "document    {} zones, {} objects, {} texts, {} sentences of speech, {} frames",
        count("zones"),
        count("objects"),
        count("texts"),
        count("narration"),
        count("frames")
    );
    for zone in document["zones"].as_array().into_iter().flatten() {
        println!("            {}", super::output::printable(zone["label"].as_str().unwrap_or_default()));
    }
}

/// Returns the rows of a page.
pub fn rows(page: &Value) -> &[Value] {
    page["data"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns an id as one segment of a path. Anything but letters, digits, `_` and `-` is encoded, so that
/// it cannot lead to another path.
pub fn segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::segment;

    #[test]
    fn an_id_cannot_lead_to_another_path() {
        assert_eq!(segment("spc_01AZ-x"), "spc_01AZ-x");
        assert_eq!(segment("../me?x"), "%2E%2E%2Fme%3Fx");
    }
}
