#!/usr/bin/env python3
"""Records what Hugging Face's tokenizer makes of texts in many scripts. Needs `pip install tokenizers`.

    python make_pieces.py      writes pieces-cased.json and pieces-uncased.json beside itself: the tokenizer as it is saved, and for each
                               text the numbers and places (in bytes) of its pieces
"""
import json
import pathlib

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

TEXTS = """\
Yesterday Antonis Samaras came to Athens; nobody had asked O'Brien, the minister's friend.
Am Samstag öffnet das Straßenfest in Müllrose – 1.250 Gäste, sagt die Bürgermeisterin.
L'Été dernier, l’Assemblée générale à Besançon n'a rien décidé : « pas encore ».
Χθες ο Αντώνης Σαμαράς μίλησε στην Αθήνα· ποιος τον άκουσε; ΟΔΟΣ ΕΡΜΟΥ
Вчера в Москве Ёлкин встретил Йосифа: «Гринпис» молчит…
¿Quién llegó a Zaragoza? ¡Niñas y niños, según El País!
İstanbul'da ığdır ve ŞANLIURFA: yağmur yağıyor
Łódź, Žižkov a Plzeň; příliš žluťoučký kůň
Trời mưa ở Hà Nội, Việt Nam
在希腊的危机,雅典。东京都へ行きました!カタカナ
서울에서 만난 김철수
ירושלים, שָׁלוֹם לכולם
مرحبا بالعالم، أثينا؟ مَدْرَسَة
नमस्ते दिल्ली। हिन्दी
สวัสดีกรุงเทพ
አዲስ አበባ፡ ሰላም
A\u0301 e\u0301 ﬁ ǅ Ⅻ ½ ² ™ ≠ ſ ẞ
tab\tnew\u00a0space\u3000wide\u2028line\u200bnothing\u00adsoft
\u0000\u0007\ufffd\ue000 control \u202eturned\u202c
🏳️‍🌈 emoji 👩‍👩‍👧 €100 £5 $7 #tag @name a_b-c/d\\e ~x^y`z
U.S.A. e.g. 3.14 1,000 http://example.org/?a=b&c=d
supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis
""".splitlines(keepends=False)
TEXTS += ["", " ", "x" * 101, "x" * 100, "é" * 300]

here = pathlib.Path(__file__).parent
for name, lowercase in (("cased", False), ("uncased", True)):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    # Every third text teaches nothing, so that some words are unknown.
    taught = [text for at, text in enumerate(TEXTS) if at % 3]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(taught, trainer)
    texts = []
    for text in TEXTS:
        places = [0]
        for letter in text:
            places.append(places[-1] + len(letter.encode()))
        encoded = tokenizer.encode(text, add_special_tokens=False)
        spans = [[places[start], places[end]] for start, end in encoded.offsets]
        texts.append({"text": text, "ids": encoded.ids, "spans": spans})
    recorded = {"tokenizer": json.loads(tokenizer.to_str()), "texts": texts}
    path = here / f"pieces-{name}.json"
    path.write_text(json.dumps(recorded, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
