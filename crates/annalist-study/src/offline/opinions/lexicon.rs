//! Words that tell of an opinion, and those that turn, strengthen or weaken it, language by language. The words come from
//! `data/opinion-*.gz`: who made them stands beside them.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::io::Read;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use annalist_judge::text::Language;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// An entry has no more words.
pub(super) const LONGEST_ENTRY: usize = 4;
/// What is known of a word's stem alone counts less.
const BY_STEM: f32 = 0.8;

/// What a word does to the opinions around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Negates,
    Strengthens,
    Weakens,
    /// What comes behind it counts more than what came before.
    But,
    /// Takes the force of a negation before it: `not only`.
    Only,
    /// Stands for the person named before.
    Pronoun,
}

/// One language.
pub(super) struct Lexicon {
    words: HashMap<u64, f32, BuildHasherDefault<Xxh3Default>>,
    stems: HashMap<u64, f32, BuildHasherDefault<Xxh3Default>>,
    turns: HashMap<&'static str, Turn>,
    language: &'static Language,
    /// A negation may stand behind what it negates: `das gefällt mir nicht`.
    pub(super) negates_behind: bool,
    /// Nouns have a capital, so that a capital does not tell of a name.
    pub(super) raises_nouns: bool,
}

macro_rules! lists {
    ($($code:literal)*) => { [$(($code, include_bytes!(concat!("../../../data/opinion-", $code, ".gz")).as_slice(), OnceLock::new())),*] };
}

type List = (&'static str, &'static [u8], OnceLock<Lexicon>);

static LISTS: [List; 26] = lists! {
    "ar" "cs" "da" "de" "el" "en" "es" "fi" "fr" "he" "hi" "hu" "it" "ja" "ko" "nb" "nl" "pl" "pt" "ro" "ru" "sv" "tr" "uk" "vi" "zh"
};

impl Lexicon {
    /// `None` for a language without words.
    pub(super) fn of(code: &str) -> Option<&'static Lexicon> {
        let code = if matches!(code, "no" | "nn") { "nb" } else { code };
        let (code, packed, lexicon) = LISTS.iter().find(|(known, ..)| *known == code)?;
        Some(lexicon.get_or_init(|| Lexicon::read(code, &unpacked(packed))))
    }

    fn read(code: &str, list: &str) -> Lexicon {
        let language = Language::of(code);
        let mut words = HashMap::default();
        let mut stems: HashMap<u64, (f32, u32)> = HashMap::new();
        let mut add = |word: &str, value: f32| {
            words.insert(xxh3_64(word.as_bytes()), value);
            if !word.contains(' ') {
                let (sum, count) = stems.entry(xxh3_64(language.stem(word).as_bytes())).or_default();
                *sum += value;
                *count += 1;
            }
        };
        for (value, word) in entries(list) {
            add(word, value);
        }
        for (_, value, more) in MORE.iter().filter(|(known, ..)| *known == code) {
            more.split(' ').for_each(|word| add(word, *value));
        }
        let mut turns = HashMap::new();
        for (languages, turn, list) in TURNS {
            if languages.split(' ').any(|known| known == code) {
                turns.extend(list.split_ascii_whitespace().map(|word| (word, *turn)));
            }
        }
        Lexicon {
            words,
            stems: stems
                .into_iter()
                .map(|(stem, (sum, count))| (stem, BY_STEM * sum / count as f32))
                .collect(),
            turns,
            language,
            negates_behind: matches!(code, "de" | "nl" | "da" | "nb" | "sv"),
            raises_nouns: code == "de",
        }
    }

    /// What some words, in lower case with one space between them, tell.
    pub(super) fn entry(&self, words: &str) -> Option<f32> {
        self.words.get(&xxh3_64(words.as_bytes())).copied()
    }

    /// What a word in lower case tells, in whatever form it is.
    pub(super) fn word(&self, word: &str) -> Option<f32> {
        self.entry(word).or_else(|| {
            let known = word.chars().nth(3).is_some()
                && !self.turns.contains_key(word)
                && !self.language.is_stop_word(word);
            known.then(|| self.stems.get(&xxh3_64(self.language.stem(word).as_bytes())).copied())?
        })
    }

    pub(super) fn turn(&self, word: &str) -> Option<Turn> {
        // `isn't`, `can’t`
        if word.ends_with("n't") || word.ends_with("n’t") {
            return Some(Turn::Negates);
        }
        self.turns.get(word).copied()
    }
}

/// Emoji and emoticons, which all languages share.
pub(super) struct Signs {
    automaton: Option<AhoCorasick>,
    signs: Vec<(String, f32)>,
}

impl Signs {
    pub(super) fn all() -> &'static Signs {
        static SIGNS: OnceLock<Signs> = OnceLock::new();
        SIGNS.get_or_init(|| {
            let list = unpacked(include_bytes!("../../../data/opinion-signs.gz"));
            let signs: Vec<(String, f32)> =
                entries(&list).map(|(value, sign)| (sign.to_owned(), value)).collect();
            let patterns = signs.iter().map(|(sign, _)| sign);
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .ascii_case_insensitive(true)
                .build(patterns)
                .ok();
            Signs { automaton, signs }
        })
    }

    /// Each with its place.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, f32)> + 't {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_iter(text));
        found.filter_map(move |hit| {
            let (sign, value) = self.signs.get(hit.pattern().as_usize())?;
            // `:(` is none in `see:(1)`.
            let before = text.get(..hit.start())?.chars().next_back();
            let after = text.get(hit.end()..)?.chars().next();
            let apart =
                |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ',' | '!' | '?'));
            (!sign.is_ascii() || apart(before) && apart(after)).then_some((hit.start(), *value))
        })
    }
}

/// The lines of a list: a value and the words that have it.
fn entries(list: &str) -> impl Iterator<Item = (f32, &str)> {
    list.lines().flat_map(|line| {
        let (value, words) = line.split_once(';').unwrap_or_default();
        let value = value.parse::<f32>().unwrap_or(0.0) / 100.0;
        words.split(';').map(move |word| (value, word))
    })
}

/// The lists are part of the program: a test unpacks them all.
fn unpacked(list: &[u8]) -> String {
    let mut text = String::new();
    let _ = flate2::read::GzDecoder::new(list).read_to_string(&mut text);
    text
}

/// What the lists lack, or have wrong: the most usual words of praise and blame.
#[rustfmt::skip]
const MORE: &[(&str, f32, &str)] = &[
    ("en", 0.0, "like well"),
    ("en", 0.5, "reliable competent trustworthy capable wise skilful skillful visionary dedicated remarkable outstanding commendable sensible"),
    ("en", -0.5, "incompetent unreliable clueless dishonest useless pointless disastrous shameful unfit overrated ineffective scandalous"),
    ("de", 0.6, "gut gute guter gutes guten besser beste besten toll tolle großartig großartige hervorragend hervorragende ausgezeichnet wunderbar klasse \
        spitze super brillant exzellent fantastisch genial herausragend vorbildlich"),
    ("de", 0.4, "klug kluge mutig mutige ehrlich ehrliche zuverlässig zuverlässige kompetent kompetente fähig fähige vertrauenswürdig überzeugend \
        gelungen erfreulich lobenswert vernünftig weise beliebt sympathisch lobt loben lob vertraue vertrauen verdient bewundere mag mögen gerne schätze"),
    ("de", -0.6, "schlecht schlechte schlechter schlechtes schlechten schlimm schlimme furchtbar schrecklich schreckliche katastrophal katastrophe \
        miserabel grauenhaft widerlich unfähig unfähige inkompetent korrupt korrupte peinlich skandalös"),
    ("de", -0.4, "unehrlich unzuverlässig enttäuschend enttäuscht enttäuschung nutzlos unnütz falsch schwach arrogant dumm gierig versagt versagen \
        unverantwortlich lügt lüge lügen schadet schämen schande unfair ungerecht überfordert ärgerlich"),
    ("de", 0.0, "bedeutung auswirkung interesse frage leute art groß machen lassen sache alle stoppen aktiv"),
    ("fr", 0.6, "bon bonne bons bonnes meilleur meilleure excellent excellente formidable génial géniale magnifique remarquable brillant brillante \
        merveilleux merveilleuse parfait parfaite admirable exceptionnel exceptionnelle"),
    ("fr", 0.4, "honnête compétent compétente fiable courageux courageuse sage efficace sérieux digne sincère aime adore apprécie admire félicite talentueux"),
    ("fr", -0.6, "mauvais mauvaise mauvaises nul nulle terrible horrible affreux affreuse catastrophique lamentable désastreux désastreuse scandaleux \
        scandaleuse honteux honteuse incompétent incompétente corrompu corrompue pire"),
    ("fr", -0.4, "malhonnête inutile décevant décevante déçu déçue faible incapable arrogant arrogante ridicule échec menteur menteuse ment dangereux faux"),
    // What people say of themselves: they like, trust, support, admire, thank; or hate, despise, are ashamed.
    ("de", 0.5, "liebe lieben mag unterstütze unterstützen bewundern danke dankbar begeistert stolz respektiere empfehle froh freue freut"),
    ("de", -0.5, "hasse hassen verachte verachten schäme ablehne lehne verabscheue kritisiere misstraue fürchte wütend traurig ruiniert betrogen betrügt"),
    ("fr", 0.5, "soutiens soutient soutenir respecte remercie merci bravo fier fière heureux heureuse recommande"),
    ("fr", -0.5, "déteste détester méprise haïr honte critique condamne furieux furieuse colère triste trompé gâché ruiné échoué"),
    ("el", 0.5, "αγαπώ αγαπούν στηρίζω υποστηρίζω υποστηρίζουν σέβομαι ευχαριστώ χαίρομαι προτείνω περήφανος περήφανη ευτυχισμένος"),
    ("el", -0.5, "μισώ μισούν περιφρονώ ντρέπομαι κατηγορώ κατακρίνω φοβάμαι θυμωμένος θυμωμένη λυπάμαι θυμώνει αντέχω κατέστρεψε εξαπάτησε"),
    ("es", 0.5, "apoyo admiro respeto gracias confío recomiendo amo adoro orgulloso orgullosa feliz contento"),
    ("es", -0.5, "odio desprecio detesto vergüenza critico rechazo furioso furiosa enfadado triste engañó arruinó"),
    ("it", 0.5, "sostengo ammiro rispetto grazie consiglio amo adoro orgoglioso orgogliosa felice contento"),
    ("it", -0.5, "odio disprezzo detesto vergogna critico rifiuto furioso furiosa arrabbiato triste ingannato rovinato"),
    ("es", 0.6, "bueno buena buenos buenas buen mejor excelente genial fantástico fantástica maravilloso maravillosa magnífico brillante estupendo"),
    ("es", 0.4, "honesto honesta competente fiable confiable valiente sabio sabia eficaz"),
    ("es", -0.6, "malo mala malos malas mal peor pésimo pésima terrible horrible desastroso desastrosa vergonzoso incompetente corrupto corrupta"),
    ("it", 0.6, "buono buona buoni buone migliore ottimo ottima eccellente fantastico fantastica meraviglioso magnifico brillante splendido"),
    ("it", 0.4, "onesto onesta competente affidabile coraggioso saggio bravo brava efficace"),
    ("it", -0.6, "cattivo cattiva peggiore pessimo pessima terribile orribile disastroso vergognoso incompetente corrotto corrotta"),
    ("el", 0.6, "καλός καλή καλό καλά καλύτερος καλύτερη καλύτερο εξαιρετικός εξαιρετική εξαιρετικό θαυμάσιος θαυμάσια υπέροχος υπέροχη υπέροχο άριστος \
        άριστη λαμπρός λαμπρή φανταστικός τέλειος τέλεια μπράβο"),
    ("el", 0.4, "έντιμος έντιμη ειλικρινής ικανός ικανή αξιόπιστος αξιόπιστη γενναίος γενναία σοφός σοφή σωστός σωστή χρήσιμος αξίζει θαυμάζω εμπιστεύομαι επιτυχία"),
    ("el", -0.6, "κακός κακή κακό κακά χειρότερος χειρότερη χειρότερο φρικτός φρικτή απαίσιος απαίσια τραγικός τραγική άθλιος άθλια καταστροφικός \
        καταστροφική καταστροφή ανίκανος ανίκανη διεφθαρμένος διεφθαρμένη ντροπή"),
    ("el", -0.4, "ανέντιμος ανέντιμη άχρηστος άχρηστη αναξιόπιστος αναξιόπιστη απογοήτευση απογοητευτικός απογοητευτική αδύναμος ψεύτης ψεύτρα ψέματα \
        αποτυχία αλαζόνας λάθος επικίνδυνος επικίνδυνη"),
];

#[rustfmt::skip]
const TURNS: &[(&str, Turn, &str)] = &[
    ("en", Turn::Negates, "not no never neither nor without hardly barely scarcely nobody nothing none cannot nowhere"),
    ("de", Turn::Negates, "nicht kein keine keiner keinem keinen keines nie niemals ohne weder noch kaum nichts niemand"),
    ("fr", Turn::Negates, "ne n pas jamais ni sans aucun aucune rien personne guère"),
    ("es", Turn::Negates, "no nunca jamás ni sin ningún ninguna ninguno nada nadie tampoco"),
    ("it", Turn::Negates, "non mai né senza nessun nessuno nessuna niente nulla"),
    ("pt", Turn::Negates, "não nunca jamais nem sem nenhum nenhuma nada ninguém"),
    ("el", Turn::Negates, "δεν δε μην μη όχι ποτέ χωρίς ούτε κανείς κανένας καμία καθόλου"),
    ("ru uk", Turn::Negates, "не ни нет без никогда ничего ні немає ніколи"),
    ("nl", Turn::Negates, "niet geen nooit zonder noch niets niemand nauwelijks"),
    ("sv da nb", Turn::Negates, "inte ej ingen inget aldrig utan ikke ingen intet aldri aldrig uden uten"),
    ("pl cs", Turn::Negates, "nie nigdy bez ani nic ne není nikdy"),
    ("ro", Turn::Negates, "nu niciodată fără nici nimic"),
    ("hu", Turn::Negates, "nem ne soha nélkül sem"),
    ("fi", Turn::Negates, "ei en et emme ette eivät ilman"),
    ("tr", Turn::Negates, "değil yok hiç"),
    ("ar", Turn::Negates, "لا لم لن ليس ليست بدون غير"),
    ("he", Turn::Negates, "לא אין בלי אף"),
    ("zh", Turn::Negates, "不 没 没有 别 无 未"),
    ("vi", Turn::Negates, "không chưa chẳng"),
    ("en", Turn::Strengthens, "very really extremely absolutely completely totally so incredibly truly deeply highly utterly particularly especially"),
    ("de", Turn::Strengthens, "sehr wirklich äußerst absolut völlig total extrem unglaublich besonders so richtig wahrhaft"),
    ("fr", Turn::Strengthens, "très vraiment extrêmement absolument complètement totalement tellement si particulièrement trop"),
    ("es", Turn::Strengthens, "muy realmente extremadamente absolutamente completamente totalmente tan increíblemente"),
    ("it", Turn::Strengthens, "molto davvero estremamente assolutamente completamente totalmente così incredibilmente"),
    ("el", Turn::Strengthens, "πολύ πραγματικά εξαιρετικά απολύτως τελείως εντελώς τόσο ιδιαίτερα πάρα"),
    ("nl sv da nb pt ru pl cs", Turn::Strengthens, "heel erg zeer echt mycket väldigt meget virkelig veldig muito realmente очень крайне bardzo naprawdę velmi"),
    ("hi", Turn::Strengthens, "बहुत बेहद अत्यंत"),
    ("en", Turn::Weakens, "slightly somewhat fairly rather partly occasionally almost kinda sorta"),
    ("de", Turn::Weakens, "etwas ziemlich einigermaßen teilweise fast wenig"),
    ("fr", Turn::Weakens, "assez plutôt peu légèrement presque"),
    ("es it", Turn::Weakens, "bastante algo poco ligeramente casi abbastanza piuttosto poco leggermente quasi"),
    ("el", Turn::Weakens, "λίγο κάπως αρκετά μάλλον σχεδόν"),
    ("en", Turn::But, "but yet nevertheless"),
    ("de", Turn::But, "aber sondern jedoch doch dennoch trotzdem"),
    ("fr", Turn::But, "mais cependant pourtant"),
    ("es", Turn::But, "pero sino aunque"),
    ("it", Turn::But, "ma però tuttavia"),
    ("pt", Turn::But, "mas porém"),
    ("el", Turn::But, "αλλά όμως μα"),
    ("nl sv da nb ru uk pl cs", Turn::But, "maar men но однако але ale lecz však"),
    ("en", Turn::Only, "only just"),
    ("de", Turn::Only, "nur bloß"),
    ("fr", Turn::Only, "seulement"),
    ("es it", Turn::Only, "solo sólo solamente soltanto"),
    ("el", Turn::Only, "μόνο"),
    ("en", Turn::Pronoun, "he she they his her"),
    ("de", Turn::Pronoun, "er sie"),
    ("fr", Turn::Pronoun, "il elle"),
    ("es it", Turn::Pronoun, "él ella lui lei"),
    ("el", Turn::Pronoun, "αυτός αυτή εκείνος εκείνη"),
];

#[cfg(test)]
mod tests {
    use super::{LISTS, Lexicon, Signs};

    #[test]
    fn every_list_is_whole() {
        for (code, ..) in &LISTS {
            assert!(Lexicon::of(code).is_some_and(|lexicon| lexicon.words.len() > 1500), "{code}");
        }
        assert!(Lexicon::of("xx").is_none() && Lexicon::of("no").is_some());
    }

    #[test]
    fn words_tell_in_all_their_forms() {
        let value = |code: &str, word: &str| Lexicon::of(code).unwrap().word(word).unwrap_or(0.0);
        assert!(
            value("en", "wonderful") > 0.4 && value("en", "terrible") < -0.3 && value("en", "table") == 0.0
        );
        assert!(value("de", "hervorragenden") > 0.3 && value("el", "ανίκανος") < -0.3);
    }

    #[test]
    fn signs_stand_apart() {
        let count = |text: &str| Signs::all().find(text).count();
        assert_eq!((count("good :) 😠"), count("see:(1)"), count("plain")), (2, 0, 0));
    }
}
