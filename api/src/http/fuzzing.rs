//! Fuzz target of the parsers of query strings and cursors. It returns the kind of its outcome.

use domain::{AccountId, Mode, Secret, mode::Tenant};

use crate::http::{page::Cursors, request::Query};

/// Parses a query string whose last parameter is a cursor, and opens the cursor.
#[must_use]
pub fn cursor(text: &[u8]) -> String {
    let cursors = Cursors::new(&Secret::new("of the fuzz target").into());
    let tenant = Tenant { account_id: AccountId::trusted("acc_fuzz"), mode: Mode::Test };
    let text = format!("limit=1&cursor={}", String::from_utf8_lossy(text));
    let opened =
        Query::parse(&text, &["limit", "cursor"]).and_then(|query| cursors.request("fuzz", &tenant, &query));
    match opened {
        Ok(page) => format!("opened {:?}", page.after.map(|keyset| keyset.id)),
        // The last word tells the reason. The words before may quote the query.
        Err(error) => error.public_message().rsplit(' ').next().unwrap_or_default().to_owned(),
    }
}
