//! `scan ask` and `scan diff`: questions and comparisons, with links to the frames that prove them.
#![allow(clippy::print_stdout, reason = "the commands print their results")]

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    api::{Api, Call},
    connection::Connection,
    output::{printable, show},
    spaces::segment,
};

/// Ask a question about a space.
#[derive(Debug, Args)]
pub struct AskArgs {
    #[command(flatten)]
    connection: Connection,
    /// The space.
    space_id: String,
    /// The question.
    question: String,
    /// Ask about this scan instead of the newest complete one.
    #[arg(long)]
    scan: Option<String>,
}

/// Compare two scans of a space.
#[derive(Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    connection: Connection,
    /// The space.
    space_id: String,
    /// The earlier scan. Default: the last but one.
    #[arg(long)]
    from: Option<String>,
    /// The later scan. Default: the last one.
    #[arg(long)]
    to: Option<String>,
}

/// Runs `scan ask`. An abstention is a result, not an error.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn ask(args: AskArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    let mut body = json!({ "question": args.question });
    if let Some(scan) = args.scan {
        body["scan_id"] = json!(scan);
    }
    let path = format!("/spaces/{}/ask", segment(&args.space_id));
    let answer = api.send(Method::POST, Call::to(&path).body(body)).await?;
    show(as_json, &answer, print_answer);
    Ok(())
}

fn print_answer(answer: &Value) {
    if let Some(text) = answer["answer"].as_str() {
        println!("{}", printable(text));
        println!("({}, confidence {})", text_of(&answer["status"]), percent(&answer["confidence"]));
    } else {
        println!("No answer: {}.", text_of(&answer["reason"]).replace('_', " "));
    }
    for missing in answer["missing"].as_array().into_iter().flatten() {
        println!("not answered: {}", text_of(missing));
    }
    cite("because", &answer["citations"]);
    cite("closest", &answer["closest"]);
}

fn cite(title: &str, citations: &Value) {
    for citation in citations.as_array().into_iter().flatten() {
        println!();
        let (value, basis) = (text_of(&citation["value"]), text_of(&citation["basis"]));
        println!("{title}: {value} ({basis}, {})", percent(&citation["confidence"]));
        for evidence in citation["evidence"].as_array().into_iter().flatten().take(3) {
            println!("  {}{}", at(evidence), evidence["url"].as_str().unwrap_or("(spoken)"));
        }
    }
}

/// Runs `scan diff`.
///
/// # Errors
/// Returns an error if the API refuses the request, or cannot be reached.
pub async fn diff(args: DiffArgs, as_json: bool) -> anyhow::Result<()> {
    let api = Api::new(&args.connection)?;
    let path = format!("/spaces/{}/diff", segment(&args.space_id));
    let query = [("from", args.from), ("to", args.to)];
    let diff = api.get(Call::to(&path).query(&query)).await?;
    show(as_json, &diff, print_diff);
    Ok(())
}

fn print_diff(diff: &Value) {
    println!("from {} to {}", text_of(&diff["from"]["scan_id"]), text_of(&diff["to"]["scan_id"]));
    let changes = diff["changes"].as_array().map_or(&[][..], Vec::as_slice);
    if changes.is_empty() {
        println!("no changes");
    }
    for change in changes {
        println!(
            "{:<12} {} {}{}",
            text_of(&change["kind"]),
            text_of(&change["subject"]),
            text_of(&change["name"]),
            values(change)
        );
        for side in ["before", "after"] {
            let evidence = &change[side]["evidence"][0];
            if let Some(url) = evidence["url"].as_str() {
                println!("  {side:<7} {}{url}", at(evidence));
            }
        }
    }
}

fn values(change: &Value) -> String {
    let value = |side: &str| change[side]["value"].as_str().map(printable);
    match (value("before"), value("after")) {
        (Some(before), Some(after)) if before != after => format!(": {before} → {after}"),
        (None, Some(only)) | (Some(only), _) => format!(": {only}"),
        (None, None) => String::new(),
    }
}

/// Returns the time or the number of a frame, for example `at 0:42  `.
fn at(evidence: &Value) -> String {
    match (evidence["t_ms"].as_u64(), evidence["ordinal"].as_u64()) {
        (Some(ms), _) => format!("at {}:{:02}  ", ms / 60_000, ms / 1000 % 60),
        (None, Some(ordinal)) => format!("photo {ordinal}  "),
        (None, None) => String::new(),
    }
}

fn text_of(value: &Value) -> String {
    printable(value.as_str().unwrap_or_default())
}

fn percent(value: &Value) -> String {
    format!("{:.0} %", value.as_f64().unwrap_or(0.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_changes_are_shown_for_people() {
        assert_eq!(at(&json!({ "t_ms": 102_500 })), "at 1:42  ");
        assert_eq!(at(&json!({ "ordinal": 3 })), "photo 3  ");
        assert_eq!(values(&json!({ "before": { "value": "2" }, "after": { "value": "3" } })), ": 2 → 3");
        assert_eq!(values(&json!({ "before": null, "after": { "value": "chair" } })), ": chair");
    }
}
