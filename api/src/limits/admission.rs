//! Counts each request against the limits of its class, and refuses it over any of them.

use std::net::IpAddr;

use domain::{ApiErrorCode, mode::Tenant};
use http::HeaderMap;

use crate::{
    App,
    console::SessionUser,
    http::{
        auth::{Caller, Principal},
        error::{ApiError, ApiResult},
    },
    limits::{Limit, RateClass, Ticket, Verdict, address_subject},
};

/// Response extension: the question was not answered, so it does not count towards the daily quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuotaExempt;

/// A question or a start that is counted while it is processed. If it is dropped before
/// [`Reservation::settle`] (refused, failed, timed out, client disconnected), the count is given
/// back.
pub struct Reservation {
    app: App,
    ticket: Option<Ticket>,
}

impl Reservation {
    /// Keeps the count if the question was answered or the scan started; else gives it back.
    pub async fn settle(mut self, counts: bool) {
        if let Some(ticket) = self.ticket.take()
            && !counts
        {
            self.app.limiter().give_back(&ticket).await;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let (Some(ticket), Ok(runtime)) = (self.ticket.take(), tokio::runtime::Handle::try_current()) {
            let app = self.app.clone();
            runtime.spawn(async move { app.limiter().give_back(&ticket).await });
        }
    }
}

impl App {
    /// Counts a request of an IP address.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub async fn admit_address(&self, address: IpAddr) -> ApiResult<()> {
        self.throttle("address", &address_subject(address), self.settings().limits.per_address).await
    }

    /// Counts a request of a subject against a limit. Only a refusal carries the rate-limit
    /// headers.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub(crate) async fn throttle(&self, name: &'static str, subject: &str, limit: Limit) -> ApiResult<()> {
        let mut headers = HeaderMap::new();
        let counted = self.count(name, subject, limit, &mut headers).await;
        counted.map(drop).map_err(|error| with_headers(error, headers))
    }

    /// Counts a request of a session against the limit of API keys. All sessions of a user count
    /// together.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub(crate) async fn admit_session(
        &self,
        session_user: &SessionUser,
        headers: &mut HeaderMap,
    ) -> ApiResult<()> {
        let limit = self.settings().limits.per_key;
        self.count("session", session_user.user.id.as_str(), limit, headers).await.map(drop)
    }

    /// Counts a request of a key, or of a session's user, against the limit of API keys, and adds
    /// its headers.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub(crate) async fn admit_caller(&self, caller: &Caller, headers: &mut HeaderMap) -> ApiResult<()> {
        match &caller.principal {
            Principal::Session(session) => self.admit_session(session, headers).await,
            Principal::Key(key) => {
                self.count("key", key.id.as_str(), self.settings().limits.per_key, headers).await.map(drop)
            }
        }
    }

    /// Counts a request against the limits that its class has per account. The caller must settle
    /// the reservation, if there is one.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over a limit.
    pub async fn admit_account(
        &self,
        class: RateClass,
        tenant: &Tenant,
        headers: &mut HeaderMap,
    ) -> ApiResult<Option<Reservation>> {
        let limits = &self.settings().limits;
        let subject = format!("{}:{}", tenant.account_id, tenant.mode.as_str());
        match class {
            RateClass::Standard => Ok(None),
            RateClass::Search => {
                self.count("search", &subject, limits.search, headers).await?;
                self.count("search_daily", &subject, limits.search_daily, headers).await?;
                Ok(None)
            }
            RateClass::Ask => {
                self.count("ask", &subject, limits.ask, headers).await?;
                let ticket = self.count("ask_daily", &subject, limits.ask_daily, headers).await?;
                Ok(Some(Reservation { app: self.clone(), ticket }))
            }
        }
    }

    /// Counts the start of a scan against the daily limit of test mode, because test scans cost the
    /// service as much as live ones. The caller must settle the reservation with whether this request
    /// started the scan.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub(crate) async fn admit_test_scan(&self, tenant: &Tenant) -> ApiResult<Option<Reservation>> {
        let limit = self.settings().limits.test_scans_daily;
        if tenant.mode.livemode() || limit.requests == u32::MAX {
            return Ok(None);
        }
        self.reserve("test_scans_daily", tenant.account_id.as_str(), limit).await.map(Some)
    }

    /// Counts a request against a limit until it is settled. Only a refusal carries the rate-limit
    /// headers.
    ///
    /// # Errors
    /// Returns `RATE_LIMIT_EXCEEDED` over the limit.
    pub(crate) async fn reserve(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
    ) -> ApiResult<Reservation> {
        let mut headers = HeaderMap::new();
        let counted = self.count(name, subject, limit, &mut headers).await;
        let ticket = counted.map_err(|error| with_headers(error, headers))?;
        Ok(Reservation { app: self.clone(), ticket })
    }

    async fn count(
        &self,
        name: &'static str,
        subject: &str,
        limit: Limit,
        headers: &mut HeaderMap,
    ) -> ApiResult<Option<Ticket>> {
        let (verdict, ticket) = self.limiter().reserve(name, subject, limit).await;
        self.enforce(verdict, headers)?;
        Ok(ticket)
    }

    fn enforce(&self, verdict: Verdict, headers: &mut HeaderMap) -> ApiResult<()> {
        verdict.headers(headers);
        self.metrics().set_limiter_failures(self.limiter().failures());
        if verdict.allowed {
            return Ok(());
        }
        self.metrics().record_rate_limited(verdict.name);
        let seconds = verdict.reset_seconds();
        let error = ApiError::new(ApiErrorCode::RateLimitExceeded).retry_after(seconds);
        Err(if verdict.is_daily() { error.with("retry_after", seconds) } else { error })
    }
}

fn with_headers(error: ApiError, headers: HeaderMap) -> ApiError {
    headers.into_iter().fold(error, |error, (name, value)| match name {
        Some(name) => error.header(name, value),
        None => error,
    })
}
