//! Customary words around articles: headings after which nothing of the article comes, and lines that belong to the page.

use std::sync::LazyLock;

use regex::Regex;

/// Headings of what follows an article.
static TAILS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(
        related(\s+(articles?|stories|posts?|content|topics|links|news|coverage|reading|videos?|items|pages))?\W*$
        | (you\s+)?(may|might)\s+also\s+(like|enjoy|be\s+interested)
        | (read\s+more|read\s+also|read\s+next|see\s+also|next\s+up|explore\s+further|more\s+(on|from|in|stories|news|about|like\s+this))\b.{0,40}:?\s*$
        | (most|recommended|popular|trending|latest|recent|top)\s+(read|popular|viewed|for\s+you|stories|posts?|news|articles|comments)
        | (reader\s+)?comments(\s+\(?\d*\)?)?\W*$
        | (\d+\s+)(comments?|responses?|replies|thoughts\s+on|trackbacks).*
        | (leave|post|add|write)\s+(a|your)\s+(reply|comment)
        | (share|tweet|email|print)(\s+(this|on|via|with)\b.*)?\W*$
        | about\s+the\s+authors?\W*$
        | (filed\s+under|tags|tagged|categories|topics|keywords)\W*
        | (sign\s+up|subscribe)\b.*
        | what\s+(to\s+read|others\s+are\s+reading)
        | (mehr\s+zum\s+thema|das\s+könnte\s+sie|auch\s+interessant|weitere\s+(artikel|beiträge)|kommentare?|ähnliche\s+(artikel|beiträge)|lesen\s+sie\s+auch|themen)\b.*
        | (articles?\s+(liés|similaires|recommandés)|à\s+lire\s+aussi|lire\s+aussi|sur\s+le\s+même\s+(sujet|thème)|commentaires?)\b.*
        | (artículos\s+relacionados|noticias\s+relacionadas|te\s+puede\s+interesar|comentarios)\b.*
        | (leia\s+(também|mais)|veja\s+também|notícias\s+relacionadas)\b.*
        | (leggi\s+anche|articoli\s+correlati|commenti)\b.*
        | (читайте\s+также|по\s+теме|комментарии|相关阅读|相关新闻|関連記事)
    )",
    )
    .ok()
});

/// Lines of the page, not of the article.
static CHROME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(
        advertisements?|advertising|anzeige|publicité|publicidad|werbung|реклама|ad
        | (share|tweet|pin|email|print|save|like|follow|subscribe|reply|menu|search|close|comments?|share\s+this|read\s+more|continue\s+reading|more|loading|top|back\s+to\s+top)
        | (photo|image|picture|foto|credit|source|photograph)\s*(:|by\b|/).{0,60}
        | (story\s+continues|article\s+continues|continue\s+reading|continued|scroll)\b.{0,40}
        | (related|read\s+more|see\s+also|more|also\s+read|read\s+also|read|watch|recommended|mehr\s+zum\s+thema|lesen\s+sie\s+auch|lire\s+aussi|leia\s+mais)\s*:.{0,120}
        | (copyright|©|\(c\)).{0,120}
        | all\s+rights\s+reserved.{0,60}
        | (sign\s+up|subscribe|register|log\s+in|sign\s+in)\s+(to|for|here|now|with).{0,90}
        | (follow|like|find)\s+(us|me)\s+(on|at)\b.{0,80}
        | follow\s+@?\w+(\s+\w+)?\s+on\s+(twitter|facebook|instagram).{0,60}
        | (posted|published|updated|last\s+updated|last\s+modified|filed|first\s+published)\s*(on|at|in|by|:|\d).{0,70}
        | (tags?|tagged|filed\s+under|categor(y|ies)|topics|labels|keywords)\s*:.{0,150}
        | (share|tweet)\s+(this|on|via)\b.{0,40}
        | \d+\s+(comments?|shares?|views|likes|responses|min(ute)?s?\s+read|retweets)
        | (click|tap)\s+here\s+(to|for)\b.{0,60}
        | (please\s+)?(enable|turn\s+on)\s+javascript.{0,80}
    )\W*$",
    )
    .ok()
});

pub(super) fn begins_tail(line: &str) -> bool {
    line.len() < 90 && TAILS.as_ref().is_some_and(|tails| tails.is_match(line))
}

pub(super) fn is_chrome(line: &str) -> bool {
    line.len() < 200 && CHROME.as_ref().is_some_and(|chrome| chrome.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::{begins_tail, is_chrome};

    #[test]
    fn customary_words_are_known() {
        for line in ["Related stories", "You might also like", "12 Comments", "Mehr zum Thema", "Share this:"]
        {
            assert!(begins_tail(line), "{line}");
        }
        for line in ["Relatedness of languages", "The comments of the mayor", "Mores of the time"] {
            assert!(!begins_tail(line), "{line}");
        }
        for line in ["ADVERTISEMENT", "Photo: A. Example", "Follow us on Twitter", "Tags: a, b"] {
            assert!(is_chrome(line), "{line}");
        }
        for line in ["More people came.", "Advertisements were everywhere.", "Read my lips, he said."] {
            assert!(!is_chrome(line), "{line}");
        }
    }
}
