//! Terms of a query, weighted by their document frequency among the spaces of a tenant.

use std::collections::BTreeMap;

use domain::{mode::Tenant, search::EVERY_SPACE};
use entities::{
    Db,
    search::{deletion_neighbourhoods, document_frequencies},
};

use crate::{
    deletion_neighbourhood::{deletion_neighbourhood, is_probable_typo},
    error::Result,
    facts::space_type_term,
    query::parse_query,
    ranking::term_weight,
};

/// Maximum number of corrections of a misspelled word.
const MAX_CORRECTIONS: usize = 5;

/// Terms to look up for a query.
#[derive(Default)]
pub(crate) struct QueryTerms {
    /// Terms that rank, with their weights.
    pub(crate) weights: Vec<(String, i64)>,
    /// Terms that a space must have.
    pub(crate) required: Vec<String>,
}

impl QueryTerms {
    /// Parses a query and weighs its terms. Words that no space has are replaced by similar words
    /// of the tenant's spaces.
    pub(crate) async fn resolve(
        db: &Db,
        tenant: &Tenant,
        text: &str,
        space_type: Option<&str>,
    ) -> Result<Self> {
        let query = parse_query(text);
        let all: Vec<String> = query.words.iter().cloned().chain([EVERY_SPACE.to_owned()]).collect();
        let frequencies = document_frequencies::of_terms(db, tenant, &all).await?;
        let spaces = frequencies.get(EVERY_SPACE).copied().unwrap_or_default();
        let (known, unknown): (Vec<&String>, Vec<&String>) =
            query.words.iter().partition(|word| frequencies.contains_key(*word));
        let mut weights: Vec<(String, i64)> = known
            .into_iter()
            .map(|word| (word.clone(), term_weight(frequencies[word], spaces, false)))
            .collect();
        let mut corrections = corrections(db, tenant, &unknown).await?;
        corrections.retain(|word| !weights.iter().any(|(other, _)| other == word));
        if !corrections.is_empty() {
            let frequencies: BTreeMap<String, i64> =
                document_frequencies::of_terms(db, tenant, &corrections).await?;
            let weigh = |(word, frequency)| (word, term_weight(frequency, spaces, true));
            weights.extend(frequencies.into_iter().map(weigh));
        }
        if query.words.is_empty() && !query.facts.is_empty() {
            // Without ranking words, every space with the facts matches.
            weights.push((EVERY_SPACE.to_owned(), 1));
        }
        let mut required = query.facts;
        required.extend(space_type.map(space_type_term));
        Ok(Self { weights, required })
    }
}

/// Returns words of the tenant that are likely corrections of the unknown words.
async fn corrections(db: &Db, tenant: &Tenant, unknown: &[&String]) -> Result<Vec<String>> {
    let mut corrections = Vec::new();
    for word in unknown {
        let forms = deletion_neighbourhood(word);
        if !forms.is_empty() {
            let similar = deletion_neighbourhoods::terms_with(db, tenant, &forms).await?;
            let likely = similar.into_iter().filter(|known| is_probable_typo(word, known));
            corrections.extend(likely.take(MAX_CORRECTIONS));
        }
    }
    Ok(corrections)
}
