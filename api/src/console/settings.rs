//! Configuration of log-ins and sessions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::Limit;

/// Configuration of sign-up, log-in and sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsoleSettings {
    /// Maximum duration of a session.
    pub session_hours: u32,
    /// Time without requests after which a session ends.
    pub session_idle_hours: u32,
    /// Maximum number of sessions of one user. A further log-in ends the oldest.
    pub max_sessions: usize,
    /// Maximum number of passwords that are hashed at once. Each takes 19 MiB and a core for some
    /// milliseconds.
    pub max_password_hashes: usize,
    /// Log-in attempts from one IP address (for IPv6 from one /64).
    pub log_in_per_address: Limit,
    /// Failed log-ins and password checks with one e-mail address from one IP address. More of them
    /// wait longer: twice as many are allowed in 15 times, and four times as many in 360 times the
    /// window. Attempts from other addresses don't count, so nobody can lock a user out.
    pub log_in_per_address_and_email: Limit,
    /// Time for which an entered password is sufficient for live keys and exports.
    pub password_validity_minutes: u32,
    /// Sign-up attempts from one IP address (for IPv6 from one /64).
    pub sign_up_per_address: Limit,
    /// Requests for mail, and redemptions of mailed tokens, from one IP address (for IPv6 from one
    /// /64).
    pub mail_per_address: Limit,
    /// Exports of one account.
    pub exports_per_account: Limit,
    /// Requests for mail to one e-mail address, including sign-ups, from all IP addresses.
    pub mail_per_email: Limit,
}

impl Default for ConsoleSettings {
    fn default() -> Self {
        Self {
            session_hours: 14 * 24,
            session_idle_hours: 48,
            max_sessions: 20,
            max_password_hashes: 4,
            log_in_per_address: Limit { requests: 30, window_seconds: 300 },
            log_in_per_address_and_email: Limit { requests: 5, window_seconds: 60 },
            password_validity_minutes: 15,
            sign_up_per_address: Limit { requests: 10, window_seconds: 3_600 },
            mail_per_address: Limit { requests: 30, window_seconds: 3_600 },
            exports_per_account: Limit { requests: 5, window_seconds: 24 * 3_600 },
            mail_per_email: Limit { requests: 5, window_seconds: 3_600 },
        }
    }
}

impl ConsoleSettings {
    /// Returns the maximum duration of a session.
    pub fn session_lifetime(&self) -> Duration {
        Duration::from_secs(u64::from(self.session_hours) * 3_600)
    }

    /// Returns the time without requests after which a session ends.
    pub fn session_idle(&self) -> Duration {
        Duration::from_secs(u64::from(self.session_idle_hours) * 3_600)
    }

    /// Returns the time for which an entered password is sufficient.
    pub fn password_validity(&self) -> Duration {
        Duration::from_secs(u64::from(self.password_validity_minutes) * 60)
    }

    /// Returns a message for each invalid setting.
    pub(crate) fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        let positive = [
            ("session_hours", self.session_hours as usize),
            ("session_idle_hours", self.session_idle_hours as usize),
            ("password_validity_minutes", self.password_validity_minutes as usize),
            ("max_sessions", self.max_sessions),
            ("max_password_hashes", self.max_password_hashes),
        ];
        for (name, _) in positive.iter().filter(|(_, value)| *value == 0) {
            defects.push(format!("console.{name} must not be 0"));
        }
        let limits = [
            ("log_in_per_address", self.log_in_per_address),
            ("log_in_per_address_and_email", self.log_in_per_address_and_email),
            ("sign_up_per_address", self.sign_up_per_address),
            ("mail_per_address", self.mail_per_address),
            ("exports_per_account", self.exports_per_account),
            ("mail_per_email", self.mail_per_email),
        ];
        for (name, limit) in limits {
            if limit.requests == 0 || limit.window_seconds == 0 {
                defects.push(format!(
                    "console.{name} must allow at least one request in a window of at least one second"
                ));
            }
        }
        defects
    }
}
