//! Recognises the type of the answer that a question asks for.

/// Dimension of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::ask) enum Dimension {
    Length,
    Width,
    Height,
    Depth,
    Area,
    Weight,
    Capacity,
    Other,
}

/// Type of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::ask) enum AnswerType {
    YesNo,
    Price,
    Number,
    Count,
    Year,
    Age,
    Time,
    Duration,
    Frequency,
    Code,
    Phone,
    Email,
    Website,
    Contact,
    Name,
    Place,
    /// A floor of a building.
    Floor,
    Size(Dimension),
    Temperature,
    List,
    /// Colour, light and other looks: answered from attributes of zones only.
    Appearance,
    Text,
}

/// How a question is framed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    pub(super) answer: AnswerType,
    /// Positions of words that only express the type.
    pub(super) cues: Vec<usize>,
    pub(super) existence: bool,
    pub(super) permission: bool,
}

/// Phrases that express a type, and the type. The first that a question holds wins. A phrase with
/// `^` must begin the question.
const PHRASES: &[(&str, AnswerType)] = &[
    ("phone number", AnswerType::Phone),
    ("telephone number", AnswerType::Phone),
    ("mobile number", AnswerType::Phone),
    ("number to call", AnswerType::Phone),
    ("number do i call", AnswerType::Phone),
    ("number can i call", AnswerType::Phone),
    ("number should i call", AnswerType::Phone),
    ("number do i ring", AnswerType::Phone),
    ("number should i ring", AnswerType::Phone),
    ("phone no", AnswerType::Phone),
    ("who do i call", AnswerType::Phone),
    ("who can i call", AnswerType::Phone),
    ("who should i call", AnswerType::Phone),
    ("who do i ring", AnswerType::Phone),
    ("who do i contact", AnswerType::Contact),
    ("who can i contact", AnswerType::Contact),
    ("who should i contact", AnswerType::Contact),
    ("email address", AnswerType::Email),
    ("e mail address", AnswerType::Email),
    ("e mail", AnswerType::Email),
    ("mail address", AnswerType::Email),
    ("email", AnswerType::Email),
    ("web address", AnswerType::Website),
    ("web site", AnswerType::Website),
    ("website", AnswerType::Website),
    ("homepage", AnswerType::Website),
    ("contact details", AnswerType::Contact),
    ("network name", AnswerType::Code),
    ("name of the network", AnswerType::Code),
    ("name of the wifi", AnswerType::Code),
    ("name of the wireless", AnswerType::Code),
    ("password", AnswerType::Code),
    ("passcode", AnswerType::Code),
    ("passphrase", AnswerType::Code),
    ("pin code", AnswerType::Code),
    ("pin number", AnswerType::Code),
    ("access code", AnswerType::Code),
    ("pin", AnswerType::Code),
    ("code", AnswerType::Code),
    ("combination", AnswerType::Code),
    ("wifi pass", AnswerType::Code),
    ("wifi key", AnswerType::Code),
    ("wifi pw", AnswerType::Code),
    ("how old", AnswerType::Age),
    ("what age", AnswerType::Age),
    ("age of", AnswerType::Age),
    ("what year", AnswerType::Year),
    ("which year", AnswerType::Year),
    ("year of", AnswerType::Year),
    ("year was", AnswerType::Year),
    ("since when", AnswerType::Year),
    ("how often", AnswerType::Frequency),
    ("how frequently", AnswerType::Frequency),
    ("how many times", AnswerType::Frequency),
    ("how many square metres", AnswerType::Size(Dimension::Area)),
    ("how many square meters", AnswerType::Size(Dimension::Area)),
    ("how many square feet", AnswerType::Size(Dimension::Area)),
    ("square footage", AnswerType::Size(Dimension::Area)),
    ("floor area", AnswerType::Size(Dimension::Area)),
    ("how many minutes", AnswerType::Duration),
    ("how many hours", AnswerType::Duration),
    ("how many days", AnswerType::Duration),
    ("how many weeks", AnswerType::Duration),
    ("how many months", AnswerType::Duration),
    ("how many people", AnswerType::Size(Dimension::Capacity)),
    ("how many persons", AnswerType::Size(Dimension::Capacity)),
    ("how many guests", AnswerType::Size(Dimension::Capacity)),
    ("maximum occupancy", AnswerType::Size(Dimension::Capacity)),
    ("capacity", AnswerType::Size(Dimension::Capacity)),
    ("how many degrees", AnswerType::Temperature),
    ("how many", AnswerType::Count),
    ("number of", AnswerType::Count),
    ("how much weight", AnswerType::Size(Dimension::Weight)),
    ("how heavy", AnswerType::Size(Dimension::Weight)),
    ("how much does it weigh", AnswerType::Size(Dimension::Weight)),
    ("weigh", AnswerType::Size(Dimension::Weight)),
    ("how much space", AnswerType::Size(Dimension::Area)),
    ("how much time", AnswerType::Duration),
    ("how much notice", AnswerType::Duration),
    ("how much", AnswerType::Price),
    ("how expensive", AnswerType::Price),
    ("what price", AnswerType::Price),
    ("to pay", AnswerType::Price),
    ("price", AnswerType::Price),
    ("prices", AnswerType::Price),
    ("cost", AnswerType::Price),
    ("costs", AnswerType::Price),
    ("what do i pay", AnswerType::Price),
    ("what would i pay", AnswerType::Price),
    ("what will i pay", AnswerType::Price),
    ("what do you charge", AnswerType::Price),
    ("do i have to pay for", AnswerType::Price),
    ("fee", AnswerType::Price),
    ("fare", AnswerType::Price),
    ("charge for", AnswerType::Price),
    ("how wide", AnswerType::Size(Dimension::Width)),
    ("width", AnswerType::Size(Dimension::Width)),
    ("how high", AnswerType::Size(Dimension::Height)),
    ("how tall", AnswerType::Size(Dimension::Height)),
    ("height", AnswerType::Size(Dimension::Height)),
    ("how deep", AnswerType::Size(Dimension::Depth)),
    ("depth", AnswerType::Size(Dimension::Depth)),
    ("how far", AnswerType::Size(Dimension::Length)),
    ("how big", AnswerType::Size(Dimension::Area)),
    ("how large", AnswerType::Size(Dimension::Area)),
    ("how spacious", AnswerType::Size(Dimension::Area)),
    ("what size", AnswerType::Size(Dimension::Other)),
    ("dimensions", AnswerType::Size(Dimension::Other)),
    ("measurements", AnswerType::Size(Dimension::Other)),
    ("speed limit", AnswerType::Number),
    ("how fast", AnswerType::Number),
    ("voltage", AnswerType::Number),
    ("how hot", AnswerType::Temperature),
    ("how warm", AnswerType::Temperature),
    ("how cold", AnswerType::Temperature),
    ("temperature", AnswerType::Temperature),
    ("degrees", AnswerType::Temperature),
    ("how long", AnswerType::Duration),
    ("for how long", AnswerType::Duration),
    ("what time", AnswerType::Time),
    ("which time", AnswerType::Time),
    ("what times", AnswerType::Time),
    ("at what hour", AnswerType::Time),
    ("what hours", AnswerType::Time),
    ("opening hours", AnswerType::Time),
    ("opening times", AnswerType::Time),
    ("open hours", AnswerType::Time),
    ("business hours", AnswerType::Time),
    ("closing time", AnswerType::Time),
    ("opening time", AnswerType::Time),
    ("hours", AnswerType::Time),
    ("what day", AnswerType::Time),
    ("what days", AnswerType::Time),
    ("which day", AnswerType::Time),
    ("which days", AnswerType::Time),
    ("what date", AnswerType::Time),
    ("which date", AnswerType::Time),
    ("date of", AnswerType::Time),
    ("deadline", AnswerType::Time),
    ("until when", AnswerType::Time),
    ("how late", AnswerType::Time),
    ("how early", AnswerType::Time),
    ("how soon", AnswerType::Time),
    ("when", AnswerType::Time),
    ("whens", AnswerType::Time),
    ("what month", AnswerType::Time),
    ("which month", AnswerType::Time),
    ("colour", AnswerType::Appearance),
    ("colours", AnswerType::Appearance),
    ("color", AnswerType::Appearance),
    ("colors", AnswerType::Appearance),
    ("who", AnswerType::Name),
    ("whos", AnswerType::Name),
    ("whose", AnswerType::Name),
    ("whom", AnswerType::Name),
    ("what is the name", AnswerType::Name),
    ("whats the name", AnswerType::Name),
    ("called", AnswerType::Name),
    ("where", AnswerType::Place),
    ("wheres", AnswerType::Place),
    ("which room", AnswerType::Place),
    ("what room is", AnswerType::Place),
    ("which floor", AnswerType::Floor),
    ("what floor", AnswerType::Floor),
    ("which level", AnswerType::Floor),
    ("which way", AnswerType::Place),
    ("room number", AnswerType::Number),
    ("what number", AnswerType::Number),
    ("which number", AnswerType::Number),
    ("telephone", AnswerType::Phone),
    ("phone", AnswerType::Phone),
    ("how do i contact", AnswerType::Contact),
    ("how can i contact", AnswerType::Contact),
    ("how do i reach", AnswerType::Contact),
    ("how can i reach", AnswerType::Contact),
    ("get in touch", AnswerType::Contact),
    ("get hold of", AnswerType::Contact),
    ("^what is on", AnswerType::List),
    ("^whats on", AnswerType::List),
    ("^what s on", AnswerType::List),
    ("what is on the", AnswerType::List),
    ("whats on the", AnswerType::List),
    ("list", AnswerType::List),
    ("what rules", AnswerType::List),
    ("what are the rules", AnswerType::List),
    ("house rules", AnswerType::List),
    ("what kinds", AnswerType::List),
    ("what sorts", AnswerType::List),
    ("what types", AnswerType::List),
];

/// Nouns that name an amount of money: "what is the rent?"
const AMOUNTS: [&str; 9] =
    ["rent", "deposit", "fine", "admission", "surcharge", "tariff", "toll", "discount", "service charge"];
/// Words that express a type besides its phrase, and are no topic.
const ALSO: &[(AnswerType, &str)] = &[
    (
        AnswerType::Price,
        "much price prices cost costs pay paid charge charged expensive fee extra additional",
    ),
    (AnswerType::Code, "password passcode passphrase pin code combination key pw pwd"),
    (
        AnswerType::Time,
        "time times when day days date hour hours month late early until from begin begins start starts starting started happen happens happening held",
    ),
    (AnswerType::Phone, "phone telephone number call ring mobile no"),
    (AnswerType::Email, "email mail e address write"),
    (AnswerType::Website, "website web site homepage address"),
    (AnswerType::Contact, "contact details reach touch hold"),
    (AnswerType::Year, "year since when date"),
    (AnswerType::Age, "old age years"),
    (AnswerType::Temperature, "temperature degrees hot warm cold set"),
    (AnswerType::Name, "name names called who"),
    (AnswerType::Place, "where which way room floor place located location held take takes happen happening"),
    (AnswerType::Floor, "floor level storey which what"),
    (AnswerType::Frequency, "often frequently times"),
    (AnswerType::Duration, "long time minutes hours days weeks months"),
    (AnswerType::List, "list rules kinds sorts types"),
    (AnswerType::Count, "many number"),
];
/// Auxiliary verbs that begin a question for yes or no.
const AUXILIARIES: [&str; 26] = [
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "may", "has",
    "have", "had", "am", "any", "anyone", "isnt", "arent", "dont", "doesnt", "whether", "must", "cant",
];

/// Whether a word expresses a type.
pub(super) fn knows(word: &str) -> bool {
    words().any(|known| known == word)
}

/// Returns all words that express types.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let phrases = PHRASES.iter().flat_map(|(phrase, _)| phrase.trim_start_matches('^').split(' '));
    phrases.chain(ALSO.iter().flat_map(|(_, words)| words.split(' '))).chain(AMOUNTS)
}

/// Whether a word only asks, and labels no value.
pub(super) fn is_question_word(word: &str) -> bool {
    const WORDS: [&str; 29] = [
        "number", "no", "details", "time", "times", "what", "whats", "which", "when", "whens", "where",
        "wheres", "who", "whos", "whose", "whom", "how", "much", "many", "is", "are", "the", "of", "do", "i",
        "to", "take", "does", "can",
    ];
    WORDS.contains(&word)
}

/// Recognises the frame of a question.
pub(super) fn frame(words: &[String]) -> Frame {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let text = format!(" {} ", words.join(" "));
    let says = |list: &[&str]| list.iter().any(|phrase| text.contains(&format!(" {phrase} ")));
    let asks_whether = begins_with_auxiliary(words);
    let phrase =
        PHRASES.iter().find_map(|(phrase, answer)| Some((position(words, phrase)?, phrase, *answer)));
    let existence = says(&[
        "is there",
        "are there",
        "was there",
        "were there",
        "do you have",
        "does it have",
        "do they have",
        "have you got",
        "has it got",
        "any chance of",
        "do you sell",
        "do they sell",
        "do you serve",
        "do they serve",
        "do you offer",
        "do they offer",
        "can i buy",
        "can i get",
        "can you buy",
        "can you get",
        "any sign of",
        "have a",
        "have an",
    ]) || words.first().is_some_and(|word| word == "any");
    let permission =
        has(&["allowed", "permitted", "may", "forbidden", "prohibited", "okay", "ok", "must", "banned"])
            || says(&[
                "can i",
                "can we",
                "can you",
                "can people",
                "could i",
                "could we",
                "am i",
                "are we",
                "do i have to",
            ]);
    let bought = says(&["can i buy", "can i get", "can you buy", "can you get"]);
    let existence = existence && (bought || !permission);
    // "Is there a phone number?" asks for the number.
    let valued = |phrase: &str, answer: AnswerType| {
        let number = answer == AnswerType::Phone && phrase.contains("number");
        number || matches!(answer, AnswerType::Email | AnswerType::Website | AnswerType::Code)
    };
    let embedded = phrase.as_ref().is_some_and(|(at, ..)| *at > 0 && is_introduction(&words[..*at]));
    let answer = match phrase {
        Some((_, phrase, answer)) if !asks_whether || embedded || (existence && valued(phrase, answer)) => {
            answer
        }
        _ if asks_whether => AnswerType::YesNo,
        _ if has(&AMOUNTS) && has(&["what", "whats"]) => AnswerType::Price,
        _ => AnswerType::Text,
    };
    // "How high is the rent?" asks for an amount.
    let high = matches!(answer, AnswerType::Size(Dimension::Height | Dimension::Area));
    let answer = if high && has(&AMOUNTS) { AnswerType::Price } else { answer };
    let mut cues = Vec::new();
    if let Some((at, phrase, found)) = phrase
        && (found == answer || high)
    {
        cues.extend(at..at + phrase.split(' ').count());
    }
    let also = ALSO.iter().filter(|(of, _)| *of == answer).flat_map(|(_, words)| words.split(' '));
    let mut also: Vec<&str> = also.collect();
    if existence && answer == AnswerType::YesNo {
        also.extend(["sell", "serve", "offer", "buy", "have", "get", "available", "sold"]);
    }
    if permission && answer == AnswerType::YesNo {
        also.extend(["allowed", "permitted", "may", "okay", "ok", "must", "bring", "wear", "use"]);
    }
    let size = [
        "big",
        "large",
        "size",
        "wide",
        "high",
        "tall",
        "long",
        "deep",
        "far",
        "width",
        "height",
        "depth",
        "length",
        "area",
        "square",
        "metres",
        "meters",
        "feet",
        "fit",
        "hold",
        "people",
        "persons",
        "guests",
        "dimensions",
        "weight",
        "heavy",
        "weigh",
        "capacity",
        "carry",
        "bear",
    ];
    if matches!(answer, AnswerType::Size(_)) {
        also.extend(size);
    }
    cues.extend(words.iter().enumerate().filter(|(_, word)| also.contains(&word.as_str())).map(|(at, _)| at));
    // "When was it last cleaned?" asks for the time of the cleaning.
    let dated = matches!(answer, AnswerType::Time | AnswerType::Year);
    let participles =
        words.windows(2).enumerate().filter(|(_, two)| two[0] == "last" && two[1].ends_with("ed"));
    cues.extend(participles.filter(|_| dated).map(|(at, _)| at));
    // "In the morning" says when, not what.
    let parts = ["morning", "afternoon", "evening"];
    let within = words
        .windows(3)
        .enumerate()
        .filter(|(_, three)| three[0] == "in" && three[1] == "the" && parts.contains(&three[2].as_str()));
    cues.extend(within.filter(|_| answer == AnswerType::Time).map(|(at, _)| at + 2));
    cues.sort_unstable();
    cues.dedup();
    Frame { answer, cues, existence, permission }
}

/// Whether the question asks for yes or no: an auxiliary before any question word, perhaps after an
/// introduction ("I wonder if …").
fn begins_with_auxiliary(words: &[String]) -> bool {
    let at = |list: &[&str]| words.iter().position(|word| list.contains(&word.as_str()));
    let asks = at(&[
        "what", "whats", "which", "when", "whens", "where", "wheres", "who", "whos", "whose", "how", "hows",
        "why",
    ]);
    match (at(&AUXILIARIES), asks, at(&["if", "whether"])) {
        (_, None, Some(_)) => true,
        (Some(auxiliary), None, _) if !is_request(words) => {
            auxiliary < 4 || words[..auxiliary].iter().all(|w| crate::words::is_stop_word(w))
        }
        (Some(auxiliary), Some(asks), _) => auxiliary < asks && !is_introduction(&words[..asks]),
        _ => false,
    }
}

/// Whether the question asks to be told something: "Could you give me the address".
fn is_request(words: &[String]) -> bool {
    const VERBS: [&str; 6] = ["tell", "know", "give", "remind", "show", "say"];
    words.iter().take(6).any(|word| VERBS.contains(&word.as_str()))
}

/// Whether these words introduce an indirect question: "Could you tell me", "do you know".
fn is_introduction(words: &[String]) -> bool {
    const VERBS: [&str; 14] = [
        "tell",
        "know",
        "say",
        "remind",
        "explain",
        "show",
        "help",
        "wonder",
        "wondering",
        "ask",
        "find",
        "give",
        "check",
        "let",
    ];
    words.iter().any(|word| VERBS.contains(&word.as_str()))
        || words.iter().all(|word| {
            [
                "please", "hi", "hello", "hey", "so", "and", "ok", "by", "from", "at", "on", "in", "to",
                "for", "until",
            ]
            .contains(&word.as_str())
        })
}

/// Returns the position of a phrase.
fn position(words: &[String], phrase: &str) -> Option<usize> {
    let begins = phrase.starts_with('^');
    let phrase: Vec<&str> = phrase.trim_start_matches('^').split(' ').collect();
    let fits = |window: &[String]| window.iter().zip(&phrase).all(|(a, b)| a == b);
    let at = words.windows(phrase.len()).position(fits)?;
    (!begins || at == 0).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> AnswerType {
        frame(&super::super::split::words(text)).answer
    }

    #[test]
    fn recognises_types_in_direct_and_indirect_questions() {
        for (text, answer) in [
            ("How much is a towel?", AnswerType::Price),
            ("Could you tell me how much a towel costs?", AnswerType::Price),
            ("do you know when the sauna closes", AnswerType::Time),
            ("Is the sauna open?", AnswerType::YesNo),
            ("I was wondering if the sauna is open", AnswerType::YesNo),
            ("What's the code for the gate?", AnswerType::Code),
            ("Is there a phone number?", AnswerType::Phone),
            ("Who runs the place?", AnswerType::Name),
            ("Can you tell me where the bins are?", AnswerType::Place),
            ("How old is the roof?", AnswerType::Age),
            ("How tall is the door?", AnswerType::Size(Dimension::Height)),
            ("What is the deposit?", AnswerType::Price),
            ("How high is the fine?", AnswerType::Price),
            ("What is the stove powered by?", AnswerType::Text),
        ] {
            assert_eq!(of(text), answer, "{text}");
        }
    }
}
