//! Expired sessions and tokens are deleted after their retention.

use std::time::Duration;

use activities::Sweeper;
use domain::{Token, TokenPurpose};
use entities::{
    Reader, sessions,
    testing::{self, NOON, on_each_database},
    user_tokens, users,
};
use sea_orm::{EntityTrait, PaginatorTrait};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_tokens_are_deleted_a_week_after_their_end() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let user = users::of_account(&db, &tenant.account_id).await.unwrap().remove(0).id;
        let written: entities::Result<()> = db
            .write(async |txn| {
                for days in [1, 3] {
                    let ended = sessions::open(&txn, &user, &Token::generate(), days * DAY, NOON).await?;
                    // Has the same retention whether it was ended early or expired.
                    sessions::revoke(&txn, &ended.id, NOON).await?;
                    sessions::open(&txn, &user, &Token::generate(), days * DAY, NOON).await?;
                }
                user_tokens::issue(&txn, &user, TokenPurpose::ResetPassword, NOON).await?;
                user_tokens::issue(&txn, &user, TokenPurpose::ConfirmEmail, NOON).await?;
                Ok(())
            })
            .await;
        written.unwrap();
        let count = async || {
            let sessions = sessions::Entity::find().count(db.conn()).await.unwrap();
            (sessions, user_tokens::Entity::find().count(db.conn()).await.unwrap())
        };
        let sweeper = Sweeper::new(db.clone());
        let minute = Duration::from_secs(60);
        for (after, swept, expected) in [
            (7 * DAY, 0, (4, 2)),
            // The reset token was valid for an hour.
            (7 * DAY + Duration::from_secs(60 * 60) + minute, 1, (4, 1)),
            (8 * DAY + minute, 2, (2, 1)),
            (10 * DAY, 0, (2, 1)),
            (10 * DAY + minute, 3, (0, 0)),
            (100 * DAY, 0, (0, 0)),
        ] {
            assert_eq!(sweeper.run_once(NOON.plus(after)).await.unwrap(), swept, "{after:?} later");
            assert_eq!(count().await, expected, "{after:?} later");
        }
    })
    .await;
}
