//! Scopes of API keys.

use serde::{Deserialize, Serialize};

macro_rules! scopes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// One permission of an API key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Scope {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        crate::schema::named!(Scope);

        impl Scope {
            /// All scopes.
            pub const ALL: &'static [Scope] = &[$(Scope::$variant,)*];

            /// Returns the name used in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Scope::$variant => $name,)* }
            }

            /// Parses a name.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($name => Some(Scope::$variant),)* _ => None }
            }
        }
    };
}

scopes! {
    /// Read spaces, their documents, skills and diffs.
    SpacesRead = "spaces:read",
    /// Create and delete spaces.
    SpacesWrite = "spaces:write",
    /// Make and revoke links that show a document to anybody.
    SharesWrite = "shares:write",
    /// Read scans.
    ScansRead = "scans:read",
    /// Create, upload, start and cancel scans.
    ScansWrite = "scans:write",
    /// Ask questions of a space.
    AskWrite = "ask:write",
    /// Search across spaces.
    SearchRead = "search:read",
    /// Read the wallet.
    WalletRead = "wallet:read",
    /// Read events and follow the event stream.
    EventsRead = "events:read",
}
