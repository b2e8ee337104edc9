//! Answers that are calculated from values of the document: multiples ("three nights"), sums,
//! differences, and the cheapest of a list. An equation states each calculation, and `entails` checks
//! it.

use super::{
    document_index::DocumentIndex,
    equation,
    evidence::Evidence,
    extract::{self, quantity::digits, spelled},
    measure,
    passages::Passage,
    query::{self, AnswerType, Part},
    question::{self, Question},
    reader, retrieval,
    types::Draft,
    vocabulary::{VOCABULARY, root, roots},
};
use crate::words::is_stop_word;

/// Maximum number of items of a sum.
const MAX_ITEMS: usize = 5;
/// Fit of prices with a currency or decimals, and of bare numbers.
const MARKED: f64 = 0.9;
const BARE: f64 = 0.4;
/// Maximum multiple.
const MAX_TIMES: u32 = 100;

/// A price with the answer that states it.
struct Price {
    amount: f64,
    /// Whether it is written with digits after the point.
    decimals: bool,
    draft: Draft,
    /// The lines that state it, and the heading of their board.
    wording: String,
    heading: String,
}

/// Returns a calculated answer, or `None` if the part asks for none or a value is missing.
pub(super) fn answer(
    index: &DocumentIndex,
    evidence: &Evidence,
    part: &Part,
    question: &Question,
) -> Option<Draft> {
    let words = query::words(&part.text);
    let calculator = Calculator { index, evidence };
    if let Some(found) = areas(index, question, &words) {
        return Some(found);
    }
    if let Some((least, kind)) = superlative(&words) {
        return calculator.extreme(least, &kind);
    }
    if let Some((one, other)) = compared(&words) {
        return calculator.difference(&one, &other);
    }
    if part.answer != AnswerType::Price && !says_total(&words) {
        return None;
    }
    calculator.multiple(&words).or_else(|| calculator.sum(&words))
}

struct Calculator<'a, 'd> {
    index: &'a DocumentIndex<'d>,
    evidence: &'a Evidence<'a>,
}

impl Calculator<'_, '_> {
    /// Returns the price of an item, if the reader is sure of it.
    fn price(&self, item: &str) -> Option<Price> {
        let part = query::parse(&format!("how much is {item}"), &self.evidence.words).into_iter().next()?;
        let understood = question::understand(&part.text, self.index.0);
        let found = reader::best(self.index, self.evidence, &part, &understood);
        let (candidate, draft) = found.into_iter().next().filter(|(candidate, _)| candidate.is_sure())?;
        let value = candidate.value.clone()?;
        let passage = candidate.passage;
        let lines = candidate.lines.iter().map(|line| passage.lines[*line].text.as_str());
        let wording = lines.collect::<Vec<_>>().join(" ");
        let heading = passage.lines.first().filter(|_| passage.read).map_or("", |line| line.text.as_str());
        let amount = amount(&value)?;
        Some(Price {
            amount,
            decimals: value.contains(['.', ',']),
            draft,
            wording,
            heading: heading.to_owned(),
        })
    }

    /// "Three nights in a double room", "two scoops".
    fn multiple(&self, words: &[String]) -> Option<Draft> {
        let (at, times) = words.iter().enumerate().find_map(|(at, word)| Some((at, number(word)?)))?;
        let noun = words.get(at + 1)?;
        let unit = root(noun);
        let timed = VOCABULARY.is_period(noun);
        let (from, to) = if timed {
            let from = at - usize::from(at > 0 && words[at - 1] == "for");
            let joint =
                words.get(at + 2).is_some_and(|word| matches!(word.as_str(), "in" | "of" | "with" | "at"));
            (from, at + 2 + usize::from(joint))
        } else {
            (at, at + 1)
        };
        let item: Vec<&str> = words[..from].iter().chain(words.get(to..)?).map(String::as_str).collect();
        let price = self.price(&item.join(" "))?;
        let per_unit = |text: &str| {
            let roots = roots(text);
            roots
                .windows(2)
                .any(|two| two[1] == unit && matches!(two[0].as_str(), "per" | "a" | "an" | "each" | "everi"))
        };
        let fits = if timed {
            per_unit(&price.wording) || per_unit(&price.heading)
        } else {
            // The price is of one: the line states no other number and no pack.
            let single = digits(&price.wording).len() + spelled::numbers(&price.wording).len() == 1;
            single && roots(&price.wording).contains(&unit) && !VOCABULARY.names_pack(&price.wording)
        };
        let total = f64::from(times) * price.amount;
        let write = |value: f64| equation::amount(value, price.decimals);
        fits.then(|| Draft {
            text: format!("{times} × {} = {}. {}", write(price.amount), write(total), price.draft.text),
            ..price.draft
        })
    }

    /// "The soup and a coffee", "an adult plus a child".
    fn sum(&self, words: &[String]) -> Option<Draft> {
        let total = says_total(words);
        let mut items: Vec<Vec<&str>> = vec![Vec::new()];
        for (at, word) in words.iter().enumerate() {
            let joins = match word.as_str() {
                "plus" => true,
                "and" => {
                    total
                        || words
                            .get(at + 1)
                            .is_some_and(|next| matches!(next.as_str(), "a" | "an" | "one" | "the"))
                }
                _ => false,
            };
            if joins {
                items.push(Vec::new());
            } else if let Some(last) = items.last_mut() {
                last.push(word);
            }
        }
        if !(2..=MAX_ITEMS).contains(&items.len()) {
            return None;
        }
        let prices: Vec<Price> =
            items.iter().map(|item| self.price(&item.join(" "))).collect::<Option<_>>()?;
        let once = |at: usize| prices[..at].iter().all(|other| other.wording != prices[at].wording);
        if !(1..prices.len()).all(once) {
            return None;
        }
        let decimals = prices.iter().any(|price| price.decimals);
        let write = |value: f64| equation::amount(value, decimals);
        let terms: Vec<String> = prices.iter().map(|price| write(price.amount)).collect();
        let total = prices.iter().map(|price| price.amount).sum();
        Some(joined(format!("{} = {}.", terms.join(" + "), write(total)), prices))
    }

    fn difference(&self, one: &str, other: &str) -> Option<Draft> {
        let prices = [self.price(one)?, self.price(other)?];
        if prices[0].wording == prices[1].wording {
            return None;
        }
        let decimals = prices.iter().any(|price| price.decimals);
        let write = |value: f64| equation::amount(value, decimals);
        let (high, low) = (prices[0].amount.max(prices[1].amount), prices[0].amount.min(prices[1].amount));
        Some(joined(format!("{} − {} = {}.", write(high), write(low), write(high - low)), prices.into()))
    }

    /// The cheapest or the dearest row of the boards that list this kind.
    fn extreme(&self, least: bool, kind: &str) -> Option<Draft> {
        let part = query::parse(&format!("price {kind}"), &self.evidence.words).into_iter().next()?;
        let boards = self.evidence.passages.iter().filter(|passage| passage.read);
        let mut rows: Vec<Row> = boards.flat_map(rows_of).collect();
        for term in &part.topic {
            let listed = VOCABULARY.is_listed(&term.words);
            if !listed && !term.is_content() {
                continue;
            }
            let says = |row: &Row| {
                let says =
                    |at: &usize| retrieval::in_line(&row.passage.lines[*at], term, &part, true).is_some();
                row.lines.iter().any(says) || row.heading.iter().any(says)
            };
            if rows.iter().any(says) {
                rows.retain(says);
            } else if !listed {
                return None;
            }
        }
        let sign = if least { 1.0 } else { -1.0 };
        rows.sort_by(|a, b| (sign * a.amount).total_cmp(&(sign * b.amount)));
        let [first, second, ..] = rows.as_slice() else { return None };
        if (first.amount - second.amount).abs() < f64::EPSILON {
            return None;
        }
        let quoted: Vec<String> = first
            .lines
            .iter()
            .map(|at| format!("“{}”", super::document_index::quotable(&first.passage.lines[*at].text)))
            .collect();
        let place = self.index.place(first.passage.zone.as_ref());
        let word = if least { "Lowest" } else { "Highest" };
        let cites = rows.iter().flat_map(|row| row.lines.iter().map(|at| row.passage.lines[*at].id.clone()));
        Some(Draft {
            text: format!("{word} of {} prices read: a sign{place} reads {}.", rows.len(), quoted.join(", ")),
            cites: cites.collect(),
            partly: None,
        })
    }
}

/// A row of a price list.
struct Row<'p> {
    passage: &'p Passage,
    lines: Vec<usize>,
    /// Lines of the heading above it.
    heading: Vec<usize>,
    amount: f64,
}

/// Returns the rows of a price list: a board with two prices or more.
fn rows_of(passage: &Passage) -> Vec<Row<'_>> {
    let mut out = Vec::new();
    let mut heading: Vec<usize> = Vec::new();
    let last = passage.lines.iter().map(|line| line.row).max().unwrap_or(0);
    let titled = passage.lines.iter().take(1).any(|line| VOCABULARY.speaks_of_prices(&line.roots));
    // A bare number is a price where the heading says so.
    let least = if titled { BARE } else { MARKED };
    for row in 0..=last {
        let lines: Vec<usize> = (0..passage.lines.len()).filter(|at| passage.lines[*at].row == row).collect();
        let prices: Vec<f64> = lines
            .iter()
            .flat_map(|at| extract::values(AnswerType::Price, &passage.lines[*at].text, true))
            .filter(|value| value.fit >= least)
            .filter_map(|value| amount(&value.shown))
            .collect();
        match prices.as_slice() {
            [] => heading = lines,
            [amount] => out.push(Row { passage, lines, heading: heading.clone(), amount: *amount }),
            _ => {}
        }
    }
    if out.len() < 2 { Vec::new() } else { out }
}

fn joined(equation: String, prices: Vec<Price>) -> Draft {
    let mut draft = Draft { text: equation, ..Draft::default() };
    for price in prices {
        draft.text = format!("{} {}", draft.text, price.draft.text);
        draft.cites.extend(price.draft.cites);
        draft.partly = draft.partly.or(price.draft.partly);
    }
    draft
}

/// Returns the number in an amount: "€12", "forty euros".
fn amount(shown: &str) -> Option<f64> {
    let spelled = || spelled::numbers(shown).first().map(|number| number.value);
    digits(shown).first().map(|(number, ..)| *number).or_else(spelled)
}

/// Returns a number of things, 2 or more.
fn number(word: &str) -> Option<u32> {
    let number = word.parse().ok().or_else(|| domain::numbers::value(word));
    number.filter(|number| (2..=MAX_TIMES).contains(number))
}

/// Whether the question asks for a total.
fn says_total(words: &[String]) -> bool {
    let text = format!(" {} ", words.join(" "));
    [" altogether ", " together ", " in total ", " total ", " combined ", " plus ", " come to "]
        .iter()
        .any(|cue| text.contains(cue))
}

/// Returns whether a superlative asks for the least price, and the other words that are no stop words.
fn superlative(words: &[String]) -> Option<(bool, String)> {
    let found = words.iter().position(|word| VOCABULARY.price_order(word).is_some())?;
    let least = VOCABULARY.price_order(&words[found])?;
    let most = found.checked_sub(1).map(|at| words[at].as_str());
    // "Expensive" and "priced" need a superlative before them.
    let ordered =
        words[found].ends_with("est") || matches!(most, Some("most" | "least" | "lowest" | "highest"));
    let least = match most {
        Some("least" | "lowest") => true,
        Some("most" | "highest") => false,
        _ => least,
    };
    let rest = words.iter().enumerate().filter(|(at, word)| {
        *at != found
            && !is_stop_word(word)
            && !matches!(word.as_str(), "least" | "lowest" | "highest" | "most")
    });
    ordered.then(|| (least, rest.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ")))
}

/// Returns the two items whose prices a question compares: "difference between … and …", "how much
/// more is … than …".
fn compared(words: &[String]) -> Option<(String, String)> {
    let at = |word: &str| words.iter().position(|other| other == word);
    let text = |words: &[String]| words.join(" ");
    if let (Some(_), Some(between)) = (at("difference"), at("between")) {
        let and = words.iter().skip(between).position(|word| word == "and")? + between;
        return Some((text(&words[between + 1..and]), text(&words[and + 1..])));
    }
    let than = at("than")?;
    let begins = words.windows(2).position(|two| two[0] == "how" && two[1] == "much")?;
    let rest: Vec<String> = words[begins + 2..than]
        .iter()
        .filter(|word| {
            !matches!(word.as_str(), "more" | "less" | "is" | "are" | "cost" | "costs" | "does" | "do")
        })
        .filter(|word| VOCABULARY.price_order(word).is_none())
        .cloned()
        .collect();
    Some((text(&rest), text(&words[than + 1..])))
}

/// Returns the sum or the difference of the areas of the asked zones.
fn areas(index: &DocumentIndex, question: &Question, words: &[String]) -> Option<Draft> {
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let more = says(&["larger", "bigger", "smaller"]) && says(&["much"]) && says(&["than"]);
    let total = says(&["together", "altogether", "total", "combined"])
        && says(&["square", "area", "size", "big", "large", "space"]);
    if !(more || total) || question.zones.len() < 2 || (more && question.zones.len() != 2) {
        return None;
    }
    let mut sizes =
        question.zones.iter().map(|zone| measure::area(index, &zone.id).ok()).collect::<Option<Vec<_>>>()?;
    if sizes.iter().any(|size| size.unit != "m2") {
        return None;
    }
    sizes.sort_by(|a, b| b.value.total_cmp(&a.value));
    let write = |value: f64| format!("{} m²", equation::amount(value, false));
    let terms: Vec<String> = sizes.iter().map(|size| write(size.value)).collect();
    let sign = if more { " − " } else { " + " };
    let result =
        if more { sizes[0].value - sizes[1].value } else { sizes.iter().map(|size| size.value).sum() };
    Some(Draft {
        text: format!("{} = {}.", terms.join(sign), write(result)),
        cites: sizes.iter().map(|size| size.claim.id.clone()).collect(),
        partly: None,
    })
}
