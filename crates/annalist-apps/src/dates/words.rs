//! The names of months, days of the week, and spans of time, in many languages. What they make of a date is said elsewhere.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The twelve months, parted by spaces; several spellings of one by `|`. Where two languages use one word for two
/// months, the language that comes first keeps it.
pub(super) const MONTHS: [(&str, &str); 29] = [
    (
        "en",
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct november|nov december|dec",
    ),
    (
        "de",
        "januar|jänner|jän februar|feber märz|mär|mrz|maerz april mai juni juli august september oktober|okt november dezember|dez",
    ),
    (
        "fr",
        "janvier|janv février|févr|fév mars avril|avr mai juin juillet|juil août septembre octobre novembre décembre|déc",
    ),
    (
        "es",
        "enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre|set octubre noviembre diciembre|dic",
    ),
    (
        "it",
        "gennaio|gen febbraio|febbr marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|sett ottobre|ott novembre dicembre",
    ),
    (
        "pt",
        "janeiro fevereiro|fev março abril maio junho julho agosto setembro outubro|out novembro dezembro",
    ),
    ("nl", "januari februari maart|mrt april mei juni juli augustus september oktober november december"),
    (
        "pl",
        "stycznia|styczeń|sty lutego|luty|lut marca|marzec kwietnia|kwiecień|kwi maja|maj czerwca|czerwiec|cze lipca|lipiec|lip sierpnia|sierpień|sie września|wrzesień|wrz października|październik|paź listopada|listopad|lis grudnia|grudzień|gru",
    ),
    (
        "ru",
        "января|январь|янв февраля|февраль|фев|февр марта|март|мар апреля|апрель|апр мая|май июня|июнь|июн июля|июль|июл августа|август|авг сентября|сентябрь|сен|сент октября|октябрь|окт ноября|ноябрь|ноя|нояб декабря|декабрь|дек",
    ),
    (
        "el",
        "ιανουαρίου|ιανουάριος|ιαν φεβρουαρίου|φεβρουάριος|φεβ μαρτίου|μάρτιος|μάρτης|μαρ|μάρ απριλίου|απρίλιος|απρ μαΐου|μαΐος|μάιος|μαΐ|μάι ιουνίου|ιούνιος|ιούν|ιουν ιουλίου|ιούλιος|ιούλ|ιουλ αυγούστου|αύγουστος|αύγ|αυγ σεπτεμβρίου|σεπτέμβριος|σεπ|σεπτ οκτωβρίου|οκτώβριος|οκτ νοεμβρίου|νοέμβριος|νοέ|νοε δεκεμβρίου|δεκέμβριος|δεκ",
    ),
    ("sv", "januari februari mars april maj juni juli augusti september oktober november december"),
    (
        "tr",
        "ocak|oca şubat|şub mart nisan|nis mayıs haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki kasım|kas aralık|ara",
    ),
    (
        "cs",
        "ledna|leden|led února|únor|úno března|březen|bře dubna|duben|dub května|květen|kvě června|červen|čvn července|červenec|čvc srpna|srpen|srp září|zář října|říjen|říj listopadu prosince|prosinec|pro",
    ),
    ("da", "januar februar marts april maj juni juli august september oktober november december"),
    ("nb", "januar februar mars april mai juni juli august september oktober november desember|des"),
    (
        "fi",
        "tammikuuta|tammikuu|tammi helmikuuta|helmikuu|helmi maaliskuuta|maaliskuu|maalis huhtikuuta|huhtikuu|huhti toukokuuta|toukokuu|touko kesäkuuta|kesäkuu|kesä heinäkuuta|heinäkuu|heinä elokuuta|elokuu|elo syyskuuta|syyskuu|syys lokakuuta|lokakuu|loka marraskuuta|marraskuu|marras joulukuuta|joulukuu|joulu",
    ),
    (
        "hu",
        "január február|febr március|márc április|ápr május|máj június|jún július|júl augusztus szeptember|szept október november december",
    ),
    (
        "ro",
        "ianuarie|ian februarie martie aprilie mai iunie|iun iulie|iul august septembrie octombrie noiembrie|noi decembrie",
    ),
    (
        "uk",
        "січня|січень|січ лютого|лютий|лют березня|березень|бер квітня|квітень|кві травня|травень|тра червня|червень|чер липня|липень серпня|серпень|сер вересня|вересень|вер жовтня|жовтень|жов листопада|листопад|лис грудня|грудень|гру",
    ),
    ("bg", "януари февруари март април май юни юли август септември октомври ноември декември"),
    ("sk", "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"),
    (
        "hr",
        "siječnja|siječanj veljače|veljača ožujka|ožujak travnja|travanj svibnja|svibanj lipnja|lipanj srpnja|srpanj kolovoza|kolovoz rujna|rujan listopada|- studenoga|studeni prosinca|prosinac",
    ),
    ("sr", "januar februar mart april maj jun jul avgust|avg septembar oktobar novembar decembar"),
    ("ca", "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"),
    ("id", "januari februari maret april mei juni juli agustus|agt september oktober november desember"),
    (
        "lt",
        "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    ),
    ("et", "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember"),
    ("ar", "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
    (
        "he",
        "ינואר|בינואר פברואר|בפברואר מרץ|במרץ אפריל|באפריל מאי|במאי יוני|ביוני יולי|ביולי אוגוסט|באוגוסט ספטמבר|בספטמבר אוקטובר|באוקטובר נובמבר|בנובמבר דצמבר|בדצמבר",
    ),
];

/// Monday to Sunday.
const WEEKDAYS: [&str; 12] = [
    "monday|mon tuesday|tue|tues wednesday|wed thursday|thu|thur|thurs friday|fri saturday|sat sunday|sun",
    "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda terça quarta quinta sexta sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "понедельник вторник среда|среду четверг пятница|пятницу суббота|субботу воскресенье",
    "δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή",
    "måndag tisdag onsdag torsdag fredag lördag söndag",
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
];

const TODAY: &str = "today heute aujourd hoy oggi hoje vandaag dziś dzisiaj сегодня σήμερα idag bugün dnes today's 今天 今日 오늘 сьогодні";
const YESTERDAY: &str = "yesterday gestern hier ayer ieri ontem gisteren wczoraj вчера χθες χτες igår dün včera 昨天 昨日 어제 вчора";
/// Words that tell that a span lies behind us.
const AGO: &str =
    "ago vor hace fa há atrás geleden temu назад πριν sedan önce před il 前 전 тому yesterday siden sitten";
const NOW: &str = "now jetzt maintenant ahora ora agora nu teraz сейчас τώρα şimdi nyní 刚刚 たった今 방금";
const ONE: &str = "a an one ein eine einer einem einen un une una uno um uma een jeden jedną jedna один одну μία ένα ett bir jeden jednou";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

/// By how the words begin: nouns of time are bent in many ways.
const UNITS: [(Unit, &str); 7] = [
    (Unit::Second, "second sekund seconde segund second сек δευτερ saniye vteřin 秒 초"),
    (Unit::Minute, "minut minuut хвилин минут мин λεπτ dakika 分钟 分鐘 分前 分 분"),
    (Unit::Hour, "hour stund heure hora ore ora uur uren godzin час ώρ timm saat hodin 小时 小時 時間 시간"),
    (Unit::Day, "day tag jour día dia giorn dag dni dzień день дня дней ημέρ μέρ gün den dny 天 日 일"),
    (
        Unit::Week,
        "week woche semaine semana settiman weken tydzień tygodni недел εβδομ veck hafta týd 周 週 주",
    ),
    (
        Unit::Month,
        "month monat mois mes mês mese mesi maand miesi месяц μήν månad ay měsíc 个月 個月 か月 ヶ月 개월",
    ),
    (Unit::Year, "year jahr an año ano ann jaar jaren rok lat lata год лет έτ χρόν år yıl let 年 년"),
];

static MONTH_NAMES: LazyLock<HashMap<String, i8>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (_, months) in MONTHS {
        for (month, spellings) in (1..).zip(months.split(' ')) {
            for spelling in spellings.split('|') {
                names.entry(spelling.to_owned()).or_insert(month);
                names.entry(folded(spelling)).or_insert(month);
            }
        }
    }
    names
});

pub(super) fn month(word: &str) -> Option<i8> {
    MONTH_NAMES.get(word).copied().or_else(|| MONTH_NAMES.get(&folded(word)).copied())
}

/// Monday is 1.
pub(super) fn weekday(word: &str) -> Option<i8> {
    WEEKDAYS.iter().find_map(|days| {
        let place = days.split(' ').position(|spellings| spellings.split('|').any(|name| name == word))?;
        i8::try_from(place + 1).ok()
    })
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    let short = match word {
        "s" | "sec" | "secs" => Some(Unit::Second),
        "m" | "min" | "mins" => Some(Unit::Minute),
        "h" | "hr" | "hrs" | "std" => Some(Unit::Hour),
        "d" | "tg" => Some(Unit::Day),
        "w" | "wk" | "wks" => Some(Unit::Week),
        "mo" | "mos" => Some(Unit::Month),
        "y" | "yr" | "yrs" => Some(Unit::Year),
        _ => None,
    };
    short.or_else(|| {
        // The longest beginning decides: `mese` is a month, `an` a year, `månad` no year.
        let matching = UNITS.iter().flat_map(|(unit, words)| words.split(' ').map(move |word| (*unit, word)));
        matching
            .filter(|(_, beginning)| begins(word, beginning))
            .max_by_key(|(_, beginning)| beginning.len())
            .map(|(unit, _)| unit)
    })
}

fn begins(word: &str, beginning: &str) -> bool {
    // Very short stems are words of their own: `an` and `day` must not catch `and` or `days` by chance.
    word.strip_prefix(beginning).is_some_and(|ending| {
        let most = if beginning.chars().count() <= 2 && beginning.is_ascii() { 1 } else { 4 };
        ending.chars().count() <= most
    })
}

pub(super) fn is_today(word: &str) -> bool {
    listed(TODAY, word)
}

pub(super) fn is_yesterday(word: &str) -> bool {
    listed(YESTERDAY, word)
}

pub(super) fn is_ago(word: &str) -> bool {
    listed(AGO, word) || word.ends_with('前') || word.ends_with('전')
}

pub(super) fn is_now(word: &str) -> bool {
    listed(NOW, word)
}

pub(super) fn is_one(word: &str) -> bool {
    listed(ONE, word)
}

fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Without accents, as careless writers type.
pub(super) fn folded(word: &str) -> String {
    word.chars()
        .map(|c| match c {
            'ä' | 'á' | 'à' | 'â' | 'ã' | 'å' => 'a',
            'é' | 'è' | 'ê' | 'ë' | 'ě' | 'ę' | 'ė' => 'e',
            'í' | 'ì' | 'î' | 'ï' | 'ı' => 'i',
            'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
            'ú' | 'ù' | 'û' | 'ü' | 'ů' | 'ū' => 'u',
            'ç' | 'ć' | 'č' => 'c',
            'ş' | 'ś' | 'š' => 's',
            'ź' | 'ż' | 'ž' => 'z',
            'ğ' => 'g',
            'ñ' | 'ń' => 'n',
            'ř' => 'r',
            'ý' => 'y',
            'ł' => 'l',
            'ά' => 'α',
            'έ' => 'ε',
            'ή' => 'η',
            'ί' | 'ϊ' | 'ΐ' => 'ι',
            'ό' => 'ο',
            'ύ' => 'υ',
            'ώ' => 'ω',
            'ς' => 'σ',
            other => other,
        })
        .collect()
}
