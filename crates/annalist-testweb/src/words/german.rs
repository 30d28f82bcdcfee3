//! German words, frequent ones first in each list.

pub(super) const FUNCTION: &str = "\
    der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden \
    aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur \
    oder aber";

pub(super) const GENERAL: &str = "\
    Jahr Zeit Menschen Stadt Frage Land Woche Beispiel Gruppe Bericht Grund Teil Morgen Haus Straße \
    Familie Freunde Mitglieder Ergebnis Änderung groß klein neu lange früher später möglich bekannt \
    wichtig schließlich gemeinsam öffentlich sagte zeigte begann führte erklärte blieb schrieb kehrte";

pub(super) const TOPIC_WORDS: [&str; super::TOPICS] =
    [CLIMATE, ECONOMY, FOOTBALL, MUSIC, HISTORY, SOFTWARE, COOKING, ASTRONOMY];

const CLIMATE: &str = "\
    Klima Gletscher Erwärmung Kohlenstoff Dürre Überschwemmung Treibhausgas Arktis Niederschlag \
    Hitzewelle Meeresspiegel Wetter Artenvielfalt Waldbrand Ausstoß Eisschild";

const ECONOMY: &str = "\
    Wirtschaft Sparkurs Rettungspaket Schulden Haushalt Arbeitslosigkeit Staatsanleihen Gläubiger Rente \
    Rezession Währung Steuern Finanzminister Löhne Kredit Streik";

const FOOTBALL: &str = "\
    Fußball Tor Stürmer Torwart Elfmeter Schiedsrichter Bundesliga Pokal Trainer Abseits Eckball \
    Mannschaft Stadion Abstieg Verteidiger Anpfiff";

const MUSIC: &str = "\
    Musik Konzert Orchester Geige Klavier Melodie Sänger Chor Oper Dirigent Komponist Lied Rhythmus \
    Gitarre Probe Festspiele";

const HISTORY: &str = "\
    Geschichte Kaiserreich Mittelalter Burg Königreich Vertrag Belagerung Schlacht Kloster Handschrift \
    Bauern Adel Ausgrabung Reformation Urkunde Feldzug";

const SOFTWARE: &str = "\
    Programm Datenbank Algorithmus Rechner Speicher Verschlüsselung Quelltext Entwickler Netzwerk \
    Betriebssystem Schnittstelle Fehlersuche Datei Zertifikat Prozessor Übersetzer";

const COOKING: &str = "\
    Rezept Backofen Mehl Knoblauch Zwiebel Teig Gewürze Küche Esslöffel Suppe Braten Käse Zucker Sahne \
    Kräuter Nachtisch";

const ASTRONOMY: &str = "\
    Astronomie Fernrohr Galaxie Planet Umlaufbahn Komet Sternwarte Finsternis Sternbild Mond Sonnenfleck \
    Raumsonde Schwerkraft Lichtjahr Teleskop Weltraum";
