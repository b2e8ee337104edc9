//! Rate limits that several instances share in Redis match those of a single instance.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use api::limits::{Limit, RateClass, SharedWindows, SlidingWindows, Ticket, Verdict};
use domain::Secret;
use entities::testing;
use http::HeaderMap;
use proptest::{prelude::*, test_runner::TestRunner};

use crate::app::TestApp;

/// A Redis server for one test.
pub(crate) struct Redis {
    process: Child,
    port: u16,
}

impl Redis {
    pub(crate) async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let redis = Self { process: command.spawn().expect("redis-server is installed"), port };
        let ready = async {
            let limit = Limit::per_minute(1_000_000);
            while redis.windows().check("ready", "", limit, None).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ready).await.expect("redis-server responds");
        redis
    }

    fn url(&self) -> Secret {
        Secret::new(format!("redis://127.0.0.1:{}/0", self.port))
    }

    pub(crate) fn windows(&self) -> SharedWindows {
        SharedWindows::new(&self.url(), None, Duration::from_secs(5)).unwrap()
    }

    /// Returns address and port.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn app(redis: Option<&Redis>, change: impl FnOnce(&mut api::limits::LimitSettings)) -> TestApp {
    TestApp::with(|settings| {
        settings.limits.redis_url = redis.map(Redis::url);
        settings.limits.redis_timeout_milliseconds = 5000;
        change(&mut settings.limits);
    })
    .await
}

/// Reference model of a limit: the times of all requests that were admitted and not refunded.
#[derive(Default)]
struct Model(Vec<u64>);

impl Model {
    fn check(&mut self, limit: Limit, now: u64) -> (bool, u32, u64) {
        let window = u64::from(limit.window_seconds) * 1000;
        self.0.retain(|at| now - at < window);
        let count = self.0.len() as u32;
        if count >= limit.requests {
            return (false, 0, self.0[(count - limit.requests) as usize] + window - now);
        }
        self.0.push(now);
        (true, limit.requests - count - 1, window)
    }
}

fn summary(verdict: &Verdict) -> (bool, u32, u64) {
    (verdict.allowed, verdict.remaining, verdict.reset.as_millis() as u64)
}

#[tokio::test(flavor = "multi_thread")]
async fn local_and_shared_windows_match_the_model() {
    let redis = Redis::start().await;
    let runtime = tokio::runtime::Handle::current();
    let shared = std::sync::Arc::new(redis.windows());
    let run = move || {
        let cases = std::sync::atomic::AtomicU32::new(0);
        let steps = prop::collection::vec((0u64..30_000, 1u32..5, any::<bool>()), 1..40);
        TestRunner::new(ProptestConfig::with_cases(40)).run(&(steps,), |(steps,)| {
            let subject = cases.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string();
            let (local, mut model, mut now) = (SlidingWindows::default(), Model::default(), 0);
            for (gap, requests, refund) in steps {
                now += gap;
                // The limit may change with a new configuration.
                let limit = Limit { requests, window_seconds: 60 };
                let expected = model.check(limit, now);
                let (one, ticket) = local.check("model", &subject, limit, now);
                prop_assert_eq!(summary(&one), expected);
                let check = shared.check("model", &subject, limit, Some(now));
                let (other, shared_ticket) = runtime.block_on(check).unwrap();
                prop_assert_eq!(summary(&other), expected);
                prop_assert_eq!(ticket.is_some(), expected.0);
                let both: Option<(Ticket, Ticket)> = ticket.zip(shared_ticket);
                if let (true, Some((ticket, shared_ticket))) = (refund, both) {
                    for _twice in 0..2 {
                        local.give_back(&ticket);
                        runtime.block_on(shared.give_back(&shared_ticket));
                    }
                    model.0.pop();
                }
            }
            Ok(())
        })
    };
    tokio::task::spawn_blocking(run).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_instances_share_their_limits() {
    let redis = Redis::start().await;
    let limit = Limit::per_minute(10);
    let (a, b) = tokio::join!(
        app(Some(&redis), |limits| limits.per_address = limit),
        app(Some(&redis), |limits| limits.per_address = limit)
    );
    let calls = (0..40).map(|number| {
        let app = if number % 2 == 0 { &a } else { &b };
        app.get("/v1/openapi.json").send()
    });
    let responses = futures::future::join_all(calls).await;
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 10);
    assert_eq!(responses.iter().filter(|response| response.status == 429).count(), 30);
    let refused = b.get("/v1/openapi.json").send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
    a.finish().await;
    b.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redis_each_instance_counts_alone() {
    let mut redis = Redis::start().await;
    let app = app(Some(&redis), |limits| limits.per_address = Limit::per_minute(3)).await;
    app.get("/v1/openapi.json").send().await.expect(200);
    redis.stop();
    for _ in 0..3 {
        app.get("/v1/openapi.json").send().await.expect(200);
    }
    app.get("/v1/openapi.json").send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    let text = String::from_utf8(app.app.metrics().text().unwrap()).unwrap();
    let failures = text.lines().find(|line| line.starts_with("scan_api_shared_limits_failures "));
    let failures: u64 = failures.and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    assert!(failures >= 1, "{text}");
    app.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_answered_questions_count_towards_the_daily_limit() {
    let redis = Redis::start().await;
    for redis in [None, Some(&redis)] {
        let app = app(redis, |limits| {
            limits.ask = Limit::per_minute(1_000_000);
            limits.ask_daily = Limit::per_day(2);
        })
        .await;
        let tenant = testing::account(app.db()).await;
        let ask = async || {
            let mut headers = HeaderMap::new();
            let outcome = app.app.admit_account(RateClass::Ask, &tenant, &mut headers).await;
            outcome.map(|reserved| reserved.expect("questions are reserved"))
        };
        for _unanswered in 0..4 {
            ask().await.unwrap().settle(false).await;
        }
        // While two requests are in progress, a third one is over the limit.
        let (first, second) = (ask().await.unwrap(), ask().await.unwrap());
        assert!(ask().await.is_err());
        first.settle(true).await;
        // A client that disconnects early gets its request refunded too.
        drop(second);
        let again = async {
            loop {
                if let Ok(reserved) = ask().await {
                    return reserved;
                }
                tokio::task::yield_now().await;
            }
        };
        let again =
            tokio::time::timeout(Duration::from_secs(10), again).await.expect("the request was refunded");
        again.settle(true).await;
        assert!(ask().await.is_err());
        let searched = app.app.admit_account(RateClass::Search, &tenant, &mut HeaderMap::new()).await;
        assert!(searched.is_ok_and(|reserved| reserved.is_none()), "searches don't count as questions");
        app.finish().await;
    }
}

#[tokio::test]
async fn daily_limit_returns_the_retry_time_in_the_body() {
    let app = app(None, |limits| limits.per_key = Limit::per_day(1)).await;
    let client = app.client().await;
    app.get("/v1/me").key(&client).send().await.expect(200);
    let refused = app.get("/v1/me").key(&client).send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    let wait = refused.body["error"]["retry_after"].as_u64().unwrap();
    assert!((86_000..=86_400).contains(&wait));
    assert_eq!(refused.header("retry-after"), wait.to_string());
    app.finish().await;
}
