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

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn words_are_worth_what_pages_were_that_they_led_to() {
        let mut stand = Stand::default();
        let says = |url, words: &[(u64, f32)]| LinkReading { words: words.into(), ..link(url) };
        stand.page(0.5, &[says(1, &[(5, 2.0)]), says(2, &[(6, 2.0)]), says(3, &[(5, 2.0), (6, 2.0)])]);
        stand.page(0.5, &[says(4, &[(7, 2.0)]), link(9)]);
        stand.ledger.words.entry(5).or_default().add(1.0, 10.0);
        stand.ledger.words.entry(6).or_default().add(0.0, 10.0);
        let [good, bad, both, new] = [1, 2, 3, 4].map(|url| stand.value(value, url).unwrap());
        let mean = stand.ledger.mean();
        assert!(good > 0.75 && bad < 0.25, "{good} {bad}");
        assert!((both - mean).abs() < 1e-6 && (new - mean).abs() < 1e-6, "{both} {new} {mean}");
        assert_eq!(stand.value(value, 9), None, "no words");
    }

    #[test]
    fn a_word_seen_once_is_hardly_believed() {
        let mut stand = Stand::default();
        stand.page(0.5, &[LinkReading { words: [(5, 1.0)].into(), ..link(1) }]);
        stand.ledger.words.entry(5).or_default().add(1.0, 1.0);
        let value = stand.value(value, 1).unwrap();
        assert!(value > stand.ledger.mean() && value < stand.ledger.mean() + 0.1, "{value}");
    }
}
