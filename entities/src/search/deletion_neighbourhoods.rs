//! Deletion neighbourhoods of a tenant's words, for typo tolerance as in SymSpell.

use std::collections::BTreeSet;

use domain::{AccountId, mode::Tenant, search::Posting};
use sea_orm::{IntoActiveModel, QuerySelect, QueryTrait, entity::prelude::*};

use super::{document_frequencies, entries::ROWS_PER_STATEMENT};
use crate::{Reader, Result, Text, WriteTxn, table::TenantOwned};

/// A form of a word, by which misspellings are found.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_spellings")]
pub struct Model {
    /// Account that owns the space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether the row belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The word.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: String,
    /// The word itself, or the word with one letter deleted.
    #[sea_orm(primary_key, auto_increment = false, column_name = "spelling")]
    pub form: String,
}

no_relations!();
tenant_owned!();

/// Returns the words whose deletion neighbourhood has any of these forms, each once, in order.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn terms_with(reader: &impl Reader, tenant: &Tenant, forms: &[String]) -> Result<Vec<String>> {
    // Deduplicated here: for DISTINCT, SQLite would read all rows of the tenant in order.
    let rows = Entity::of(tenant).select_only().column(Column::Term).filter(Column::Form.is_in(forms));
    let words: Vec<String> = rows.into_tuple().all(reader.conn()).await?;
    Ok(words.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
}

/// Adds the neighbourhoods of words that are new to the tenant.
pub(super) async fn add(txn: &WriteTxn, tenant: &Tenant, postings: &[Posting]) -> Result<()> {
    let words: Vec<&Posting> =
        postings.iter().filter(|posting| !posting.deletion_neighbourhood.is_empty()).collect();
    for chunk in words.chunks(ROWS_PER_STATEMENT) {
        let existing: Vec<String> = Entity::of(tenant)
            .select_only()
            .column(Column::Term)
            .distinct()
            .filter(Column::Term.is_in(chunk.iter().map(|posting| &posting.term)))
            .into_tuple()
            .all(txn.conn())
            .await?;
        let existing: BTreeSet<String> = existing.into_iter().collect();
        let new = chunk.iter().filter(|posting| !existing.contains(&posting.term));
        let rows: Vec<Model> = new.flat_map(|posting| rows_of_word(tenant, posting)).collect();
        for rows in rows.chunks(ROWS_PER_STATEMENT) {
            let rows = rows.iter().cloned().map(Model::into_active_model);
            Entity::insert_many(rows).exec_without_returning(txn.conn()).await?;
        }
    }
    Ok(())
}

fn rows_of_word(tenant: &Tenant, posting: &Posting) -> Vec<Model> {
    let row = |form: &String| Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        term: posting.term.clone(),
        form: form.clone(),
    };
    posting.deletion_neighbourhood.iter().map(row).collect()
}

/// Deletes the neighbourhoods of the words that no space of the tenant has any more.
pub(super) async fn prune(txn: &WriteTxn, tenant: &Tenant, words: &[&String]) -> Result<()> {
    for chunk in words.chunks(ROWS_PER_STATEMENT) {
        let in_use = document_frequencies::Entity::of(tenant)
            .select_only()
            .column(document_frequencies::Column::Term)
            .filter(document_frequencies::Column::Term.is_in(chunk.iter().copied()))
            .into_query();
        let unused = Entity::owned_by(tenant)
            .add(Column::Term.is_in(chunk.iter().copied()))
            .add(Column::Term.not_in_subquery(in_use));
        Entity::delete_many().filter(unused).exec(txn.conn()).await?;
    }
    Ok(())
}
