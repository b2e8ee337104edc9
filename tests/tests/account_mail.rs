//! Messages about accounts, on their way to a mailbox that speaks SMTP.

use std::time::Duration;

use activities::send_account_mail;
use domain::{Timestamp, Token, TokenPurpose};
use entities::{
    Db, OutboxRow, Reader, UserRow,
    account_mail::{self, Letter},
    outbox,
    testing::{self, NOON, on_each_database},
    user_tokens, users,
};
use outbound::mail::Mailer;
use sea_orm::EntityTrait;
use tests::Mailbox;

const CONSOLE: &str = "https://scan.example.com/console";
const HOUR: Duration = Duration::from_secs(60 * 60);

/// A user, a mailbox, and a way to it.
struct Post {
    db: Db,
    user: UserRow,
    mailbox: Mailbox,
    mailer: Mailer,
}

async fn on_each(play: impl AsyncFn(Post)) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let user = users::of_account(&db, &tenant.account_id).await.unwrap().remove(0);
        let mailbox = Mailbox::start().await.unwrap();
        let mailer = Mailer::new(&mailbox.settings()).unwrap();
        play(Post { db, user, mailbox, mailer }).await;
    })
    .await;
}

impl Post {
    async fn promise(&self, letter: Letter, email: &str) -> OutboxRow {
        let promised: entities::Result<()> =
            self.db.write(async |txn| account_mail::enqueue(&txn, letter, email, NOON).await).await;
        promised.unwrap();
        self.promised().await.pop().expect("the promise")
    }

    async fn promised(&self) -> Vec<OutboxRow> {
        outbox::Entity::find().all(self.db.conn()).await.unwrap()
    }

    async fn send(&self, promise: &OutboxRow, now: Timestamp) -> bool {
        send_account_mail(&self.db, &self.mailer, CONSOLE, promise, now).await.is_ok()
    }

    async fn is_good(&self, token: &str, purpose: TokenPurpose) -> bool {
        let token = Token::parse(token).expect("a token");
        let holder = user_tokens::holder(&self.db, &token, purpose, NOON).await.unwrap();
        holder.is_some_and(|user| user.id == self.user.id)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_arrives_and_its_token_is_good() {
    on_each(async |post| {
        let promise = post.promise(Letter::ResetPassword, &post.user.email).await;
        // It says who it is to and no secret, and is gone when it was kept.
        assert!(!format!("{promise:?}").contains("token"));
        assert!(post.send(&promise, NOON).await);
        assert_eq!(post.promised().await, []);
        let [message] = &post.mailbox.messages()[..] else { panic!("one message") };
        assert_eq!(message.to, post.user.email);
        assert_eq!(message.header("Subject"), Some("Choose another password"));
        assert_eq!(message.link(), format!("{CONSOLE}/reset-password?token={}", message.token()));
        assert!(post.is_good(&message.token(), TokenPurpose::ResetPassword).await);
        assert!(!post.is_good(&message.token(), TokenPurpose::ConfirmEmail).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sent_again_it_is_the_same_message_and_both_tokens_are_good() {
    on_each(async |post| {
        let promise = post.promise(Letter::ResetPassword, &post.user.email).await;
        // As after a crash between sending and forgetting.
        assert!(post.send(&promise, NOON).await && post.send(&promise, NOON).await);
        let [first, second] = &post.mailbox.messages()[..] else { panic!("two messages") };
        assert!(first.header("Message-ID").is_some_and(|id| id.contains(&promise.subject)));
        assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
        for message in [first, second] {
            assert!(post.is_good(&message.token(), TokenPurpose::ResetPassword).await);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_to_no_one_too_late_or_without_need() {
    on_each(async |post| {
        let to_nobody = post.promise(Letter::ResetPassword, "nobody@example.com").await;
        assert!(post.send(&to_nobody, NOON).await);
        let late = post.promise(Letter::ResetPassword, &post.user.email).await;
        assert!(post.send(&late, NOON.plus(HOUR)).await);
        // The address of the fixture's user is confirmed.
        let needless = post.promise(Letter::ConfirmEmail, &post.user.email).await;
        assert!(post.send(&needless, NOON).await);
        assert_eq!((post.mailbox.messages().len(), post.promised().await), (0, vec![]));

        let told = post.promise(Letter::PasswordChanged, &post.user.email).await;
        assert!(post.send(&told, NOON.plus(HOUR)).await);
        let [message] = &post.mailbox.messages()[..] else { panic!("one message") };
        assert!(!message.text.contains("token"), "news bears no token");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_relay_takes_stays_promised() {
    on_each(async |post| {
        let promise = post.promise(Letter::ResetPassword, &post.user.email).await;
        let Post { db, mailbox, .. } = &post;
        let settings = mailbox.settings();
        let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let smtp = outbound::mail::SmtpSettings { port: nowhere, ..settings.smtp.clone() };
        let away = Mailer::new(&outbound::mail::MailSettings { smtp, ..settings }).unwrap();
        assert!(send_account_mail(db, &away, CONSOLE, &promise, NOON).await.is_err());
        assert_eq!(post.promised().await.len(), 1);
        assert!(post.send(&promise, NOON).await);
        assert_eq!((mailbox.messages().len(), post.promised().await.len()), (1, 0));
    })
    .await;
}
