//! The client on whose behalf the current task writes. Sessions and the audit log record it, so that
//! no caller has to pass it on and none can forget it.

use std::future::Future;

tokio::task_local! {
    static CURRENT: Client;
}

/// Maximum length of a recorded `User-Agent`, in characters.
const MAX_USER_AGENT: usize = 200;

/// Address and program of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Client {
    /// IP address; `None` for the service itself and for operators.
    pub address: Option<String>,
    /// The `User-Agent` of a request, or the name of a program.
    pub user_agent: Option<String>,
}

impl Client {
    /// Returns the client with a shortened `User-Agent`.
    pub fn new(address: Option<String>, user_agent: Option<&str>) -> Self {
        let user_agent = user_agent.map(|text| text.chars().take(MAX_USER_AGENT).collect());
        Self { address, user_agent }
    }
}

/// Does work on behalf of a client.
pub async fn acting_for<T>(client: Client, work: impl Future<Output = T>) -> T {
    CURRENT.scope(client, work).await
}

/// Returns the client on whose behalf this task works; an empty one for the service itself.
pub fn current() -> Client {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}
