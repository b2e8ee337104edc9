//! Under what the words of a tenant are found when they are mistyped.

use std::collections::BTreeSet;

use domain::{AccountId, mode::Tenant, search::Posting};
use sea_orm::{IntoActiveModel, QuerySelect, QueryTrait, entity::prelude::*};

use super::{entries::CHUNK, frequencies};
use crate::{Reader, Result, Text, WriteTxn, table::TenantOwned};

/// A form of a word.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_spellings")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The word.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: String,
    /// The word, or the word without one letter.
    #[sea_orm(primary_key, auto_increment = false)]
    pub spelling: String,
}

no_relations!();
tenant_owned!();

/// The words that are known under any of these spellings.
///
/// # Errors
/// Of the database.
pub async fn known(reader: &impl Reader, tenant: &Tenant, spellings: &[String]) -> Result<Vec<String>> {
    // Each once, but not by DISTINCT: for its sake SQLite would read all spellings of the tenant in the order of words.
    let rows =
        Entity::of(tenant).select_only().column(Column::Term).filter(Column::Spelling.is_in(spellings));
    let words: Vec<String> = rows.into_tuple().all(reader.conn()).await?;
    Ok(words.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
}

/// Adds the spellings of words that the tenant did not have.
pub(super) async fn add(txn: &WriteTxn, tenant: &Tenant, postings: &[Posting]) -> Result<()> {
    let spelled: Vec<&Posting> = postings.iter().filter(|posting| !posting.spellings.is_empty()).collect();
    for chunk in spelled.chunks(CHUNK) {
        let there: Vec<String> = Entity::of(tenant)
            .select_only()
            .column(Column::Term)
            .distinct()
            .filter(Column::Term.is_in(chunk.iter().map(|posting| &posting.term)))
            .into_tuple()
            .all(txn.conn())
            .await?;
        let there: BTreeSet<String> = there.into_iter().collect();
        let fresh = chunk.iter().filter(|posting| !there.contains(&posting.term));
        let rows: Vec<Model> = fresh.flat_map(|posting| of_word(tenant, posting)).collect();
        for rows in rows.chunks(CHUNK) {
            let rows = rows.iter().cloned().map(Model::into_active_model);
            Entity::insert_many(rows).exec_without_returning(txn.conn()).await?;
        }
    }
    Ok(())
}

fn of_word(tenant: &Tenant, posting: &Posting) -> Vec<Model> {
    let one = |spelling: &String| Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        term: posting.term.clone(),
        spelling: spelling.clone(),
    };
    posting.spellings.iter().map(one).collect()
}

/// Takes away what is known of these words, where no space of the tenant has them any more.
pub(super) async fn prune(txn: &WriteTxn, tenant: &Tenant, words: &[&String]) -> Result<()> {
    for chunk in words.chunks(CHUNK) {
        let still = frequencies::Entity::of(tenant)
            .select_only()
            .column(frequencies::Column::Term)
            .filter(frequencies::Column::Term.is_in(chunk.iter().copied()))
            .into_query();
        let gone = Entity::owned_by(tenant)
            .add(Column::Term.is_in(chunk.iter().copied()))
            .add(Column::Term.not_in_subquery(still));
        Entity::delete_many().filter(gone).exec(txn.conn()).await?;
    }
    Ok(())
}
