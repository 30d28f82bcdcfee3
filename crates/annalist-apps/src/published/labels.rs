//! The words before a date: was something published then, changed, or is it another matter? In many languages.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// What the words say of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Published,
    Modified,
    /// A day in the life of somebody, the end of a sale, the beginning of a right.
    Otherwise,
    /// The right to copy.
    Copyright,
}

const PUBLISHED: &str = "publish|posted|post date|submitted|pubdate|released|release date|first aired|date:|uploaded|written on|written by\
|veröffentlicht|veroeffentlicht|erschienen|publiziert|eingestellt|verfasst|geschrieben|erstellt|datum:|gepostet|eingetragen|online seit\
|publié|publie le|mis en ligne|mise en ligne|posté|rédigé|paru le|parution|date de publication|écrit le\
|publicad|fecha:|fecha de publicación|enviado|escrito\
|pubblicat|inserito|data pubblicazione|scritto\
|postado|data de publicação\
|gepubliceerd|geplaatst|publicatiedatum\
|opublikowan|dodan|data publikacji|utworzono|zamieszczon\
|опубликован|дата публикации|добавлен|размещен|публикация\
|опубліковано|дата публікації|додано\
|δημοσι|ημερομηνία:|αναρτήθηκε|ανάρτηση\
|yayın|eklenme|giriş:|giriş tarihi|yayım|oluşturulma\
|publicerad|publicerat|skrivet\
|offentliggjort|udgivet|oprettet\
|publisert|lagt ut\
|julkaistu|julkaisu\
|publikov|vydáno|zveřejn|vloženo\
|megjelen|közzétéve|létrehozva\
|publicat|postat\
|发布|發布|發表|发表|刊登|来源|公開|掲載|投稿|配信|作成\
|입력|등록|작성|게시\
|diterbitkan|diposting|dipublikasikan\
|đăng|ngày đăng|xuất bản\
|نشر|تاريخ\
|objavljeno|публикувано|objavil|paskelbta|avaldatud";

const MODIFIED: &str = "updated|update:|modified|last edited|edited|revised|last changed|last change|reviewed\
|aktualisiert|aktualisierung|geändert|änderung|stand:|stand |bearbeitet|überarbeitet|letztes update\
|mis à jour|mise à jour|màj|modifié|actualisé\
|actualizad|modificad|actualización|última modificación|editado\
|aggiornat|modifica|aggiornamento\
|atualizad|atualização\
|bijgewerkt|gewijzigd|laatst\
|aktualizacja|zaktualizowan|aktualizowan|zmodyfikowan\
|обновлен|изменен|редакция|оновлен|змінен\
|ενημέρωση|ενημερώθηκε|τροποποι\
|güncelle|değiştir\
|uppdatera|ändrad\
|opdatere|oppdater|endret|ændret\
|päivitetty|muokattu\
|aktualizov|upraveno|změněno\
|frissít|módosít\
|actualizat la|modificat\
|更新|修改|수정|업데이트\
|diperbarui|cập nhật|تحديث|ažurirano|atnaujinta|uuendatud";

const OTHERWISE: &str = "since|seit |depuis|desde|dal |until|till |bis |jusqu|hasta|fino al|expire|ends |ending|deadline|due |valid|gültig|joined|registered\
|member|mitglied|membre|registriert|beitritt|inscrit|born|geboren|né le|née le|died|gestorben|† |accessed|retrieved|abgerufen|consulté|zugriff\
|event|termin|beginn|start|from |ab dem|à partir|next |effective|in kraft|sale|season|version|dated|photo|foto|aufgenommen|taken\
|zeitraum|between|zwischen|entre |to |birthday|geburtstag|scheduled|eröffnet|founded|gegründet|last post|letzter beitrag|last visit|today is|heute ist";

const COPYRIGHT: &str = "copyright|©|(c)|all rights reserved|alle rechte";

/// What stands between `until` and its date: `the`, `dem`, a day of the week.
const ADJACENT: usize = 12;

static SEEKER: LazyLock<Option<(AhoCorasick, Vec<Label>)>> = LazyLock::new(|| {
    let lists = [
        (PUBLISHED, Label::Published),
        (MODIFIED, Label::Modified),
        (OTHERWISE, Label::Otherwise),
        (COPYRIGHT, Label::Copyright),
    ];
    let words: Vec<(&str, Label)> =
        lists.into_iter().flat_map(|(list, label)| list.split('|').map(move |word| (word, label))).collect();
    let seeker = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(words.iter().map(|(word, _)| word));
    Some((seeker.ok()?, words.into_iter().map(|(_, label)| label).collect()))
});

/// What the words nearest to the end say; those for other matters count only where the date follows at once.
pub(super) fn last(words: &str) -> Option<Label> {
    let lower = words.to_lowercase();
    let near = |(label, end): &(Label, usize)| *label != Label::Otherwise || lower.len() - end <= ADJACENT;
    found(&lower).into_iter().rfind(near).map(|(label, _)| label)
}

/// What the words nearest to the beginning say.
pub(super) fn first(words: &str) -> Option<Label> {
    found(&words.to_lowercase()).first().map(|(label, _)| *label)
}

/// Each label and where it ends.
fn found(lower: &str) -> Vec<(Label, usize)> {
    let Some((seeker, labels)) = &*SEEKER else { return Vec::new() };
    let at_a_word = |from: usize| {
        let before = lower.get(..from).and_then(|before| before.chars().next_back());
        // Words of East Asia stand beside each other.
        before.is_none_or(|c| !c.is_alphabetic() || u32::from(c) >= 0x3000)
    };
    let found = seeker.find_iter(lower).filter(|found| at_a_word(found.start()));
    found.filter_map(|found| Some((*labels.get(found.pattern().as_usize())?, found.end()))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Label, last};

    #[test]
    fn the_words_before_a_date_say_what_it_is() {
        for (words, label) in [
            ("Published on ", Some(Label::Published)),
            ("Veröffentlicht am ", Some(Label::Published)),
            ("Zuletzt aktualisiert am", Some(Label::Modified)),
            ("Published May 1, 2014, updated ", Some(Label::Modified)),
            ("Δημοσιεύτηκε: ", Some(Label::Published)),
            ("发布时间：", Some(Label::Published)),
            ("Member since ", Some(Label::Otherwise)),
            ("Copyright © ", Some(Label::Copyright)),
            ("In the republished edition of", None),
            ("", None),
        ] {
            assert_eq!(last(words), label, "{words}");
        }
    }
}
