//! `scan events`: events of the last 30 days.

use clap::Args;

use super::{
    api::{Api, Call},
    connection::Connection,
    output::{show, table},
    spaces::{rows, segment},
};

/// List events, newest first, or show one.
#[derive(Debug, Args)]
pub struct EventsArgs {
    #[command(flatten)]
    connection: Connection,
    /// Show this event as JSON.
    event_id: Option<String>,
    /// Only events of this type, for example `scan.completed`.
    #[arg(long = "type")]
    event_type: Option<String>,
    /// Maximum number of events.
    #[arg(long, default_value_t = 20)]
    limit: usize,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn run(args: EventsArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    if let Some(event_id) = args.event_id {
        let event = api.get(Call::to(&format!("/events/{}", segment(&event_id)))).await?;
        show(true, &event, |_| ());
        return Ok(());
    }
    let query = [("type", args.event_type)];
    let events = api.list(Call::to("/events").query(&query), args.limit).await?;
    let columns = &[("ID", "id"), ("TYPE", "type"), ("CREATED", "created_at"), ("SCAN", "data.object.id")];
    show(as_json, &events, |page| table(rows(page), columns));
    Ok(())
}
