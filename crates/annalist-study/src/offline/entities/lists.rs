//! Words that tell what stands beside them, language by language: `Dr` a person, `University` an organisation, `in` a place.

use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

/// What a word may be, as bits: many are several things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(u16);

impl Class {
    /// Stands before the name of a person and is no part of it.
    pub(super) const HONORIFIC: Class = Class(1);
    /// What somebody is; written with a capital before a name.
    pub(super) const ROLE: Class = Class(1 << 1);
    /// Part of the name of an organisation.
    pub(super) const ORGANISATION: Class = Class(1 << 2);
    /// Part of the name of a place.
    pub(super) const PLACE: Class = Class(1 << 3);
    /// Has a capital in some languages and is no name.
    pub(super) const ORDINARY: Class = Class(1 << 4);
    /// What people say, think and are.
    pub(super) const SAYING: Class = Class(1 << 5);
    /// Stands before places.
    pub(super) const WHERE: Class = Class(1 << 6);
    pub(super) const ARTICLE: Class = Class(1 << 7);
    /// Part of a name though it has no capital.
    pub(super) const PARTICLE: Class = Class(1 << 8);
    /// Joins the parts of an organisation's name.
    pub(super) const OF: Class = Class(1 << 9);
    /// A function word.
    pub(super) const STOP: Class = Class(1 << 10);
    /// Of a people, a language, a direction: no name alone, and part of many.
    pub(super) const DEMONYM: Class = Class(1 << 11);

    pub(super) fn is(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

/// The words of one language.
#[derive(Debug, Default)]
pub(super) struct Words(HashMap<&'static str, Class>);

impl Words {
    pub(super) fn of(language: &str) -> &'static Words {
        static ALL: OnceLock<HashMap<&'static str, Words>> = OnceLock::new();
        static OTHER: OnceLock<Words> = OnceLock::new();
        let all = ALL.get_or_init(|| LANGUAGES.split(' ').map(|code| (code, Words::read(code))).collect());
        all.get(language).unwrap_or_else(|| OTHER.get_or_init(|| Words::read("")))
    }

    fn read(language: &str) -> Words {
        let mut words: HashMap<&'static str, Class> = HashMap::new();
        for (languages, class, list) in LISTS {
            if *languages == "*" || languages.split(' ').any(|code| code == language) {
                for word in list.split_ascii_whitespace() {
                    let known = words.entry(word).or_default();
                    *known = known.or(*class);
                }
            }
        }
        Words(words)
    }

    /// Of a word in lower case.
    pub(super) fn class(&self, word: &str) -> Class {
        self.0.get(word).copied().unwrap_or_default()
    }
}

pub(super) fn first_names() -> &'static str {
    static LIST: OnceLock<String> = OnceLock::new();
    LIST.get_or_init(|| unpacked(include_bytes!("../../../data/first-names.gz")))
}

pub(super) fn places() -> &'static str {
    static LIST: OnceLock<String> = OnceLock::new();
    LIST.get_or_init(|| unpacked(include_bytes!("../../../data/places.gz")))
}

/// The lists are part of the program: a test unpacks them all.
fn unpacked(list: &[u8]) -> String {
    let mut text = String::new();
    let _ = flate2::read::GzDecoder::new(list).read_to_string(&mut text);
    text
}

const LANGUAGES: &str = "bg cs da de el en es fi fr hr hu it nb nl no pl pt ro ru sk sl sr sv tr uk";

/// Languages, what the words are, the words in lower case. `*` is every language.
#[rustfmt::skip]
const LISTS: &[(&str, Class, &str)] = &[
    ("*", Class::HONORIFIC, "mr mrs ms miss dr prof sir dame lord lady mister madam rev reverend saint herr frau mme mlle monsieur madame \
        señor señora sr sra don doña signor signora dott dottor avv pan pani κύριος κύριο κυρία κ κα δρ господин г-н г-жа госпожа"),
    ("*", Class::ROLE, "president minister chancellor senator governor mayor professor doctor captain general colonel major sergeant lieutenant \
        admiral commander inspector judge king queen prince princess emperor pope bishop archbishop cardinal father sister brother ambassador \
        secretary chairman chairwoman chairperson chair director chief ceo coach manager editor spokesman spokeswoman spokesperson councillor \
        councilwoman councilman deputy prime finance foreign interior former vice premier congressman congresswoman representative mp mps mep meps \
        attorney justice officer uncle aunt reporter author writer singer actor actress poet coordinator researcher engineer"),
    ("de", Class::ROLE, "präsident präsidentin minister ministerin kanzler kanzlerin bundeskanzler bundeskanzlerin bundespräsident \
        ministerpräsident ministerpräsidentin außenminister außenministerin finanzminister finanzministerin innenminister innenministerin \
        bundesminister bundesministerin bürgermeister bürgermeisterin oberbürgermeister oberbürgermeisterin professor professorin doktor \
        general könig königin prinz prinzessin kaiser papst bischof kardinal richter richterin direktor direktorin vorsitzender vorsitzende \
        vorsitzenden parteichef parteichefin chef chefin sprecher sprecherin abgeordneter abgeordnete trainer autor autorin sänger sängerin \
        schauspieler schauspielerin regierungschef regierungschefin staatschef generalsekretär botschafter pfarrer stadträtin stadtrat \
        journalist journalistin leiter leiterin kollege kollegin"),
    ("fr", Class::ROLE, "président présidente ministre premier première maire sénateur sénatrice député députée professeur docteur général \
        roi reine prince princesse empereur pape évêque cardinal juge directeur directrice secrétaire porte-parole chancelier chancelière \
        ambassadeur commissaire"),
    ("es pt", Class::ROLE, "presidente presidenta ministro ministra primer primera alcalde alcaldesa senador senadora diputado diputada \
        profesor profesora doctor doctora general rey reina príncipe princesa emperador papa obispo cardenal juez jueza director directora \
        secretario secretaria portavoz canciller embajador primeiro prefeito deputado professor doutor rei rainha"),
    ("it", Class::ROLE, "presidente ministro ministra premier sindaco sindaca senatore senatrice deputato deputata professore professoressa \
        dottore dottoressa generale re regina principe principessa imperatore papa vescovo cardinale giudice direttore direttrice segretario \
        segretaria portavoce cancelliere ambasciatore"),
    ("el", Class::ROLE, "πρωθυπουργός πρωθυπουργό πρωθυπουργού πρόεδρος πρόεδρο προέδρου υπουργός υπουργό υπουργού δήμαρχος δήμαρχο δημάρχου \
        βουλευτής βουλευτή καθηγητής καθηγητή καθηγήτρια διευθυντής διευθυντή γραμματέας εκπρόσωπος εκπρόσωπο βασιλιάς στρατηγός καγκελάριος"),
    ("ru uk", Class::ROLE, "президент президента министр министра премьер премьер-министр мэр губернатор сенатор депутат профессор доктор \
        генерал король королева князь император папа судья директор секретарь канцлер посол прем'єр міністр голова"),
    ("nl sv da nb no", Class::ROLE, "president minister premier burgemeester professor dokter generaal koning koningin prins prinses paus \
        rechter directeur voorzitter statsminister utrikesminister finansminister borgmester kung drottning dronning konge borgmästare"),
    ("pl cs", Class::ROLE, "prezydent prezydenta premier premiera minister ministra burmistrz profesor doktor generał król królowa papież sędzia \
        dyrektor prezes marszałek prezident předseda ministr starosta král"),

    ("*", Class::ORGANISATION, "party union bank university college school institute ministry department council committee commission agency \
        association federation foundation group company corporation corp inc ltd llc plc gmbh ag kg se sa spa srl bv nv oy ab asa club fc team \
        society league alliance coalition movement front parliament congress senate assembly court tribunal police army navy force forces \
        church museum library hospital academy laboratory laboratories lab press times news post journal gazette herald tribune guardian \
        chronicle observer radio television tv broadcasting airlines airways motors industries systems technologies media network partners \
        holdings trust fund authority office bureau service services organisation organization chamber confederation syndicate orchestra \
        theatre theater greens democrats republicans conservatives socialists liberals board brigade initiative forum consortium \
        works workshop cooperative collective studio studios records games software insurance energy railways transport"),
    ("de", Class::ORGANISATION, "partei verband verein bundesverband bank sparkasse universität hochschule schule institut ministerium \
        bundesministerium amt bundesamt rat bundesrat bundestag landtag ausschuss kommission agentur gesellschaft gewerkschaft stiftung \
        gruppe konzern firma bündnis allianz bewegung gericht verfassungsgericht bundesverfassungsgericht polizei bundeswehr kirche museum \
        bibliothek krankenhaus akademie zeitung rundfunk werke fraktion union fc sv behörde zentralbank verlag"),
    ("fr", Class::ORGANISATION, "parti union banque université école institut ministère département conseil comité commission agence association \
        fédération fondation groupe société entreprise compagnie alliance mouvement front parlement assemblée sénat cour tribunal police armée \
        église musée bibliothèque hôpital académie syndicat confédération ligue"),
    ("es pt", Class::ORGANISATION, "partido unión banco universidad escuela instituto ministerio departamento consejo comité comisión agencia \
        asociación federación fundación grupo sociedad empresa compañía alianza movimiento frente parlamento congreso senado asamblea corte \
        tribunal policía ejército iglesia museo biblioteca hospital academia sindicato liga universidade ministério conselho união fundação"),
    ("it", Class::ORGANISATION, "partito unione banca università scuola istituto ministero dipartimento consiglio comitato commissione agenzia \
        associazione federazione fondazione gruppo società azienda compagnia alleanza movimento fronte parlamento senato assemblea corte \
        tribunale polizia esercito chiesa museo biblioteca ospedale accademia sindacato lega"),
    ("el", Class::ORGANISATION, "κόμμα κόμματος ένωση ένωσης τράπεζα τράπεζας πανεπιστήμιο πανεπιστημίου σχολή ινστιτούτο υπουργείο υπουργείου \
        συμβούλιο συμβουλίου επιτροπή επιτροπής οργανισμός οργανισμού ομοσπονδία ομοσπονδίας ίδρυμα όμιλος ομίλου εταιρεία εταιρείας συνασπισμός κίνημα \
        βουλή βουλής δικαστήριο αστυνομία στρατός εκκλησία μουσείο βιβλιοθήκη νοσοκομείο ακαδημία σύλλογος δημοκρατία"),
    ("ru uk", Class::ORGANISATION, "партия союз банк университет школа институт министерство департамент совет комитет комиссия агентство \
        ассоциация федерация фонд группа компания альянс движение фронт парламент дума суд полиция армия церковь музей библиотека больница \
        академия партія спілка університет міністерство рада верховная государственная"),
    ("nl sv da nb no pl cs", Class::ORGANISATION, "partij unie universiteit ministerie raad vereniging stichting groep bedrijf vakbond politie \
        leger kerk ziekenhuis partiet universitet riksdag folketing ministerium bolag stiftelse partia uniwersytet ministerstwo rada komitet \
        strana univerzita ministerstvo společnost"),

    ("*", Class::PLACE, "river lake mount mountain mountains island islands isle city county street avenue road square bay province state states \
        valley sea ocean gulf cape peninsula desert forest park republic kingdom district region port harbour harbor bridge airport station \
        beach coast canyon hills heights village town borough castle palace cathedral highway canal strait glacier falls plateau basin \
        rio río lago monte mont isla isola île baie lac cabo piazza plaza calle rue boulevard straße strasse platz weg allee gasse insel \
        gebirge fluss berg tal λίμνη όρος νησί οδός πλατεία ποταμός река озеро гора остров область улица площадь край"),
    ("*", Class::ORDINARY, "january february march april may june july august september october november december jan feb mar apr jun jul aug sep \
        sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun today yesterday tomorrow \
        christmas easter internet web pdf url html http https www faq ok am pm ad bc bce ce gmt utc est cet usd eur gbp isbn tv cd dvd ph phd bs ba ma md msc bsc \
        god lord i ii iii iv vi vii viii ix xi xii xiii xiv xv xvi click read share reply post comment comments login home page menu search"),
    ("*", Class::DEMONYM, "english german french greek italian spanish portuguese dutch russian chinese japanese american british european \
        african asian australian canadian mexican indian turkish polish swedish norwegian danish finnish irish scottish welsh swiss austrian \
        belgian hungarian czech romanian bulgarian serbian croatian ukrainian arab arabic israeli jewish muslim islamic christian catholic \
        protestant orthodox hindu buddhist latin roman egyptian iranian iraqi syrian afghan pakistani korean vietnamese thai indonesian \
        brazilian argentine cuban hispanic slavic celtic nordic western eastern northern southern central west east north south \
        germans greeks italians americans britons europeans africans asians russians muslims jews christians catholics romans turks arabs \
        communist socialist nazi soviet persian ottoman byzantine victorian medieval hebrew sanskrit mongol dutchman frenchman englishman"),
    ("de", Class::ORDINARY, "januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend \
        sonntag weihnachten ostern"),
    ("de", Class::DEMONYM, "deutsche deutscher deutschen griechen griechische europäer europäische europäischen amerikaner russen"),
    ("es pt fr it", Class::ORDINARY, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes \
        miércoles jueves viernes sábado domingo janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi \
        mercredi jeudi vendredi samedi dimanche gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì \
        giovedì venerdì sabato domenica"),
    ("fr", Class::DEMONYM, "français française européen européenne grec grecque allemand allemands européens"),
    ("el", Class::ORDINARY, "ιανουάριος ιανουαρίου φεβρουάριος φεβρουαρίου μάρτιος μαρτίου απρίλιος απριλίου μάιος μαΐου ιούνιος ιουνίου ιούλιος \
        ιουλίου αύγουστος αυγούστου σεπτέμβριος σεπτεμβρίου οκτώβριος οκτωβρίου νοέμβριος νοεμβρίου δεκέμβριος δεκεμβρίου δευτέρα τρίτη τετάρτη πέμπτη \
        παρασκευή σάββατο κυριακή"),
    ("el", Class::DEMONYM, "έλληνας έλληνες ελλήνων γερμανοί ευρωπαίοι τούρκοι αμερικανοί"),

    ("*", Class::SAYING, "said says told tells added adds replied argued argues believes thinks asked asks wrote writes claimed claims \
        announced announces denied warned insisted explained stated noted resigned married born promised visited met spoke who"),
    ("de", Class::SAYING, "sagte sagt erklärte erklärt meinte meint betonte forderte fordert kritisierte schrieb schreibt antwortete fragte \
        glaubt kündigte warnte traf lobte versprach sprach wurde geboren"),
    ("fr", Class::SAYING, "dit déclare affirme estime explique ajoute écrit répond demande annonce assure né née promet"),
    ("es pt", Class::SAYING, "dijo dice declaró afirmó afirma explicó añadió escribió respondió preguntó anunció aseguró nació prometió disse afirmou"),
    ("it", Class::SAYING, "disse dice dichiarato afferma spiega aggiunge scrive scritto risponde annuncia nato nata promesso"),
    ("el", Class::SAYING, "είπε δήλωσε ανέφερε τόνισε υποστήριξε έγραψε απάντησε ρώτησε ανακοίνωσε συναντήθηκε γεννήθηκε"),
    ("ru uk", Class::SAYING, "сказал сказала заявил заявила сообщил сообщила отметил считает написал ответил родился сказав заявив"),
    ("nl sv da nb no", Class::SAYING, "zei zegt verklaarde schreef vindt sade säger sagde siger skrev sa sier"),
    ("pl cs", Class::SAYING, "powiedział powiedziała stwierdził napisał odpowiedział dodał řekl řekla uvedl dodal"),

    ("en", Class::WHERE, "in near at across outside throughout around toward towards"),
    ("de", Class::WHERE, "in nahe bei aus nach"),
    ("fr", Class::WHERE, "à en dans vers près"),
    ("es", Class::WHERE, "en cerca hacia"),
    ("pt", Class::WHERE, "em no na"),
    ("it", Class::WHERE, "in a nel nella presso"),
    ("el", Class::WHERE, "στην στη στο στον στα στις"),
    ("ru uk bg sr", Class::WHERE, "в во из у"),
    ("nl sv da nb no", Class::WHERE, "in i te nabij nära"),
    ("pl cs sk", Class::WHERE, "w we v ve do"),

    ("en", Class::ARTICLE, "the a an this that these those his her its their our your my some every each any no"),
    ("de", Class::ARTICLE, "der die das des dem den ein eine einer eines einem einen kein keine keiner keinem keinen mein meine meiner meinem \
        meinen dein deine sein seine seiner seinem seinen ihr ihre ihrer ihrem ihren unser unsere unserer unserem unseren euer eure diese dieser \
        dieses diesem diesen jede jeder jedes jedem jeden alle aller viele vieler wenige einige mehr zum zur im am vom beim ins ans solche welche \
        manche beide zwei drei vier fünf"),

    ("*", Class::PARTICLE, "van von de del della bin ibn al el"),
    ("en fr it es pt", Class::PARTICLE, "di da du dos das la le ben d"),
    ("en", Class::OF, "of for"),
    ("de", Class::OF, "für der des"),
    ("fr", Class::OF, "de des du pour d l"),
    ("es pt", Class::OF, "de del do da para los las"),
    ("it", Class::OF, "di del della dei delle dello d per"),
    ("nl", Class::OF, "van voor"),

    ("en", Class::STOP, "the a an this that these those it he she we they you i his her its their our your my in on at by for from with of to as but \
        and or if when while after before since although though however because so there here what who why how where which then than not no yes \
        is are was were has have had do does did can could would should might must also only even just now many most \
        some both each every other another such more very next please let thank thanks dear hello hi see about into \
        over under between during through against without within despite according still never ever once again perhaps maybe instead \
        meanwhile nobody nothing everyone everybody somebody someone something anyone never always often sometimes later earlier"),
];

#[cfg(test)]
mod tests {
    use super::{Class, Words, first_names, places};

    #[test]
    fn words_are_what_they_are_in_their_language() {
        assert!(Words::of("en").class("university").is(Class::ORGANISATION));
        assert!(Words::of("el").class("στην").is(Class::WHERE));
        assert!(
            !Words::of("en").class("die").is(Class::ARTICLE)
                && Words::of("de").class("die").is(Class::ARTICLE)
        );
        assert!(Words::of("xx").class("dr").is(Class::HONORIFIC));
    }

    #[test]
    fn the_lists_that_come_along_are_whole() {
        assert!(first_names().lines().count() > 20_000 && first_names().lines().any(|name| name == "Angela"));
        assert!(
            places().lines().any(|place| place == "Athens")
                && places().lines().any(|place| place == "Griechenland")
        );
    }
}
