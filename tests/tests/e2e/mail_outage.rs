//! The mail server hangs. Money does not wait for mail.

use std::time::{Duration, Instant};

use domain::Timestamp;
use entities::account_mail::{self, MailKind};
use harness::{
    Service, ServiceOptions, clips::Clip, create_paying_account, paying_account::TOP_UP_CENTS, until,
};
use tokio::net::TcpListener;

use crate::SCAN_TIMEOUT;

/// Number of messages that wait for the mail server: more than the relay has slots for.
const MESSAGES: usize = 100;
/// Maximum delay of an automatic top-up.
const MAX_DELAY: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn automatic_top_up_is_not_delayed_by_a_mail_server_that_hangs() {
    // Connections are accepted by the kernel, and nobody reads from them.
    let mail_server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = ServiceOptions::default()
        .set("OUTBOUND__MAIL__TRANSPORT", "smtp")
        .set("OUTBOUND__MAIL__SMTP__HOST", "127.0.0.1")
        .set("OUTBOUND__MAIL__SMTP__PORT", mail_server.local_addr().unwrap().port())
        .set("OUTBOUND__MAIL__SMTP__TLS", "none");
    let service = Service::start(options, None).await.unwrap();
    let account = create_paying_account(&service, "pm_card_visa").await.unwrap();
    let caller = service.client(&account);
    let scan = caller.create_uploaded_scan(&Clip::moving(1)).await;
    let db = service.database().await.unwrap();
    let account = account.id.parse().unwrap();
    let user = entities::users::of_account(&db, &account).await.unwrap().remove(0);
    let enqueued: entities::Result<()> = db
        .write(async |txn| {
            for _ in 0..MESSAGES {
                account_mail::enqueue(&txn, MailKind::PasswordChanged, &user.email, Timestamp::now()).await?;
            }
            Ok(())
        })
        .await;
    enqueued.unwrap();
    let mut connections = Vec::new();
    until("the relay to send mail", SCAN_TIMEOUT, async || {
        while let Ok(Ok((connection, _))) =
            tokio::time::timeout(Duration::from_millis(10), mail_server.accept()).await
        {
            connections.push(connection);
        }
        (!connections.is_empty()).then_some(())
    })
    .await;

    caller.start(&scan).await.expect(402);
    let began = Instant::now();
    let wallet = caller.await_top_up(SCAN_TIMEOUT).await;
    let delay = began.elapsed();
    eprintln!("automatic top-up in {delay:.1?} while {MESSAGES} messages wait");
    assert_eq!(wallet["balance_cents"], TOP_UP_CENTS);
    assert!(delay <= MAX_DELAY, "the top-up took {delay:?}");
    db.close().await.unwrap();
}
