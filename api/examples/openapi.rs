//! Prints `openapi.json`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let text = api::contract::openapi::text(&api::routes::endpoints(), None);
    std::io::stdout().write_all(text.as_bytes())
}
