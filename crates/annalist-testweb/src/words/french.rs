//! French words, frequent ones first in each list.

pub(super) const FUNCTION: &str = "\
    de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont mais \
    comme ou si leur y dont aux avec cette ces ses été être nous vous elle ils tout fait même aussi";

pub(super) const GENERAL: &str = "\
    année temps gens ville question pays semaine exemple groupe rapport raison partie matin maison rue \
    famille amis membres résultat changement grand petit nouveau ancien possible connu simple public \
    ensemble souvent plusieurs presque déclaré montré commencé expliqué trouvé écrit resté revenu";

pub(super) const TOPIC_WORDS: [&str; super::TOPICS] =
    [CLIMATE, ECONOMY, FOOTBALL, MUSIC, HISTORY, SOFTWARE, COOKING, ASTRONOMY];

const CLIMATE: &str = "\
    climat glacier réchauffement carbone sécheresse inondation émissions arctique précipitations \
    canicule océan météo biodiversité incendie banquise température";

const ECONOMY: &str = "\
    économie austérité sauvetage dette budget chômage obligations créanciers retraite récession monnaie \
    impôts ministre salaires crédit grève";

const FOOTBALL: &str = "\
    football but attaquant gardien penalty arbitre championnat coupe entraîneur hors-jeu équipe stade \
    relégation défenseur milieu mi-temps";

const MUSIC: &str = "\
    musique concert orchestre violon piano mélodie chanteuse chorale opéra compositeur chanson rythme \
    guitare répétition symphonie partition";

const HISTORY: &str = "\
    histoire empire médiéval château royaume traité siège bataille monastère manuscrit paysans noblesse \
    fouilles révolution couronnement archives";

const SOFTWARE: &str = "\
    logiciel données algorithme ordinateur mémoire chiffrement compilateur développeur réseau serveur \
    interface débogage fichier certificat processeur navigateur";

const COOKING: &str = "\
    recette four beurre farine oignon pâte épices cuisine cuillère soupe rôti fromage sucre crème persil \
    dessert";

const ASTRONOMY: &str = "\
    astronomie télescope galaxie planète orbite comète observatoire éclipse lune étoile nébuleuse sonde \
    gravité spectre fusée satellite";
