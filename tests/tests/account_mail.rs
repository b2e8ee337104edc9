//! Mail about accounts, delivered to a mailbox over SMTP.

use std::time::Duration;

use activities::send_account_mail;
use domain::{Timestamp, Token, TokenPurpose};
use entities::{
    Db, OutboxRow, Reader, UserRow,
    account_mail::{self, MailKind},
    outbox,
    testing::{self, NOON, on_each_database},
    user_tokens, users,
};
use harness::Mailbox;
use outbound::mail::Mailer;
use sea_orm::EntityTrait;

const CONSOLE: &str = "https://scan.example.com/console";
const HOUR: Duration = Duration::from_secs(60 * 60);

/// A user, a mailbox, and a mailer that delivers to it.
struct MailFixture {
    db: Db,
    user: UserRow,
    mailbox: Mailbox,
    mailer: Mailer,
}

async fn on_each(test: impl AsyncFn(MailFixture)) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let user = users::of_account(&db, &tenant.account_id).await.unwrap().remove(0);
        let mailbox = Mailbox::start().await.unwrap();
        let mailer = Mailer::new(&mailbox.settings()).unwrap();
        test(MailFixture { db, user, mailbox, mailer }).await;
    })
    .await;
}

impl MailFixture {
    async fn enqueue(&self, kind: MailKind, email: &str) -> OutboxRow {
        let enqueued: entities::Result<()> =
            self.db.write(async |txn| account_mail::enqueue(&txn, kind, email, NOON).await).await;
        enqueued.unwrap();
        self.outbox().await.pop().expect("the outbox entry")
    }

    async fn outbox(&self) -> Vec<OutboxRow> {
        outbox::Entity::find().all(self.db.conn()).await.unwrap()
    }

    async fn send(&self, entry: &OutboxRow, now: Timestamp) -> bool {
        send_account_mail(&self.db, &self.mailer, CONSOLE, entry, now).await.is_ok()
    }

    async fn is_valid(&self, token: &str, purpose: TokenPurpose) -> bool {
        let token = Token::parse(token).expect("a token");
        let holder = user_tokens::holder(&self.db, &token, purpose, NOON).await.unwrap();
        holder.is_some_and(|user| user.id == self.user.id)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mailed_link_contains_a_valid_token() {
    on_each(async |fixture| {
        let entry = fixture.enqueue(MailKind::ResetPassword, &fixture.user.email).await;
        // The outbox entry contains the recipient and no secret, and is deleted when it is
        // processed.
        assert!(!format!("{entry:?}").contains("token"));
        assert!(fixture.send(&entry, NOON).await);
        assert_eq!(fixture.outbox().await, []);
        let [message] = &fixture.mailbox.messages()[..] else { panic!("one message") };
        assert_eq!(message.to, fixture.user.email);
        assert_eq!(message.header("Subject"), Some("Choose another password"));
        assert_eq!(message.link(), format!("{CONSOLE}/reset-password?token={}", message.token()));
        assert!(fixture.is_valid(&message.token(), TokenPurpose::ResetPassword).await);
        assert!(!fixture.is_valid(&message.token(), TokenPurpose::ConfirmEmail).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_send_is_the_same_message_with_two_valid_tokens() {
    on_each(async |fixture| {
        let entry = fixture.enqueue(MailKind::ResetPassword, &fixture.user.email).await;
        // Sends again, as after a crash before the outbox entry was deleted.
        assert!(fixture.send(&entry, NOON).await && fixture.send(&entry, NOON).await);
        let [first, second] = &fixture.mailbox.messages()[..] else { panic!("two messages") };
        assert!(first.header("Message-ID").is_some_and(|id| id.contains(&entry.subject)));
        assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
        for message in [first, second] {
            assert!(fixture.is_valid(&message.token(), TokenPurpose::ResetPassword).await);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unnecessary_and_expired_mail_is_not_sent() {
    on_each(async |fixture| {
        let to_unknown = fixture.enqueue(MailKind::ResetPassword, "nobody@example.com").await;
        assert!(fixture.send(&to_unknown, NOON).await);
        let late = fixture.enqueue(MailKind::ResetPassword, &fixture.user.email).await;
        assert!(fixture.send(&late, NOON.plus(HOUR)).await);
        // The address of the fixture's user is already confirmed.
        let unnecessary = fixture.enqueue(MailKind::ConfirmEmail, &fixture.user.email).await;
        assert!(fixture.send(&unnecessary, NOON).await);
        assert_eq!((fixture.mailbox.messages().len(), fixture.outbox().await), (0, vec![]));

        let notice = fixture.enqueue(MailKind::PasswordChanged, &fixture.user.email).await;
        assert!(fixture.send(&notice, NOON.plus(HOUR)).await);
        let [message] = &fixture.mailbox.messages()[..] else { panic!("one message") };
        assert!(!message.text.contains("token"), "notices contain no token");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn undelivered_mail_stays_in_the_outbox() {
    on_each(async |fixture| {
        let entry = fixture.enqueue(MailKind::ResetPassword, &fixture.user.email).await;
        let MailFixture { db, mailbox, .. } = &fixture;
        let settings = mailbox.settings();
        let closed_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let smtp = outbound::mail::SmtpSettings { port: closed_port, ..settings.smtp.clone() };
        let unreachable = Mailer::new(&outbound::mail::MailSettings { smtp, ..settings }).unwrap();
        assert!(send_account_mail(db, &unreachable, CONSOLE, &entry, NOON).await.is_err());
        assert_eq!(fixture.outbox().await.len(), 1);
        assert!(fixture.send(&entry, NOON).await);
        assert_eq!((mailbox.messages().len(), fixture.outbox().await.len()), (1, 0));
    })
    .await;
}
