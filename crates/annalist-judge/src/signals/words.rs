//! What pages were like whose links and addresses had the same words. Learned while crawling, so it needs no topic, and
//! words that lie or say nothing lose their say by themselves.

use super::Known;

/// How often a word has to have been seen to be believed halfway.
const PRIOR: f32 = 3.0;

/// 0.5 where the words tell nothing.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let mean = known.ledger.mean();
    let (mut told, mut all) = (0.0, 0.0);
    for (word, idf) in &known.link.words {
        all += idf;
        if let Some(tally) = known.ledger.words.get(word) {
            let belief = tally.count / (tally.count + PRIOR);
            told += idf * belief * (tally.mean(mean, PRIOR) - mean);
        }
    }
    (all > 0.0).then(|| mean + told / all)
}
