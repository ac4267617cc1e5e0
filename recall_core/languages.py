"""Which language a text is written in, as far as splitting and stemming need to know.

The script decides where it can (Greek, Hindi, Chinese …). Among languages in Latin letters the
one whose function words ("the", "der", "que") occur most often wins. A text with none of them
takes the caller's default, English if nothing better is known. A wrong guess costs little: the
same rules are applied to both sides of every comparison.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": """a about above after again against all also am an and any are aren as at be because
            been before being below between both but by can cannot could couldn d did didn do does
            doesn doing don down during each either else ever few for from further had hadn has
            hasn have haven having he her here hers herself him himself his how i if in into is
            isn it its itself just ll m may me might more most must mustn my myself neither no nor
            not now of off on once only or other our ours ourselves out over own re s same shall
            shan she should shouldn so some such t than that the their theirs them themselves then
            there these they this those through to too under until up upon us ve very was wasn we
            were weren what when where which while who whom whose why will with within without won
            would wouldn yet you your yours yourself yourselves""",
        "de": """aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein
            dem den der des die dies diese diesem diesen dieser dieses doch du durch ein eine einem
            einen einer eines er es für hat habe haben hatte ich ihm ihn ihr ihre im in ist ja kann
            kein keine man mein mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind
            so über um und uns unter vom von vor war waren was weil wenn wer werden wie wir wird
            wurde wurden zu zum zur zwischen""",
        "fr": """à au aux avec c ce ces cette d dans de des du elle elles en est et étaient était
            être eu il ils j je l la le les leur leurs lui m ma mais me même mes n ne nos notre
            nous on ont ou où par pas plus pour qu que qui s sa sans se ses si son sont sur t ta te
            tu un une vos votre vous y""",
        "es": """a al ante como con contra cuando de del desde donde e el ella ellas ellos en entre
            era es esa ese eso esta está están estar este esto fue fueron ha había han hasta hay la
            las le les lo los más me mi muy ni no nos o para pero por porque que qué se ser si sí
            sin sobre son su sus también te tiene tu un una uno unos y ya yo""",
        "it": """a ad agli ai al alla alle anche c che chi ci come con da dal dalla dei del della
            delle degli di e è ed era fra gli ha hanno ho i il in io l la le lei lo loro lui ma mi
            nei nel nella nelle noi non o per perché più quando quella quello questa questo se si
            sono su sua sue sul sulla suo tra tu un una uno vi""",
        "pt": """a à ao aos as às até com como da das de dele do dos e é ela ele eles em entre era
            essa esse esta está este eu foi foram há isso já lhe mais mas me mesmo meu muito na nas
            não nem no nos nós o os ou para pela pelas pelo pelos por porque quando que quem se sem
            ser seu sua suas são só também te tem um uma você""",
        "nl": """aan al als bij dan dat de der deze die dit doch door dus een en er ge geen had heb
            hebben heeft het hij hoe hun ik in is ja je kan maar me men met mij mijn na naar niet
            nog nu of om omdat onder ons ook op over te tegen toch toen tot u uit uw van veel voor
            want waren was wat we wel werd wie wij wil worden wordt zal ze zich zij zijn zo zou""",
        "sv": """alla att av blev bli blir då de dem den denna deras dess det detta dig din du där
            efter ej eller en er ett från för ha hade han hans har hon honom hur här i icke inom
            inte jag ju kan man med mellan men mig min mot mycket ni nu när någon och om oss på så
            sig sin sina sitt ska skulle som till under upp ut utan var vad vi vid vår än är även
            över""",
        "da": """ad af alle alt at blev blive da de dem den denne der deres det dette dig din du
            efter eller en end er et for fra ham han hans har havde hende hendes her hun hvad hvis
            hvor i ikke ind jeg jo kunne man med meget men mig min mod når nogle nu og også om op
            os over på sig sin skal skulle som til ud under var ved vi vil ville være""",
        "no": """alle at av ble bli blir da de dem den denne der deres det dette din du eller en
            enn er et etter for fra før ha hadde han hans har henne hun hva hvis hvor i ikke inn
            jeg kan man med meg mellom men min mot må når noe noen nå og også om opp oss over på
            seg sin skal skulle som til ut under var ved vi vil ville være""",
        "fi": """ei eivät ennen että hän häntä he heidän ja jo joka jonka jos jossa jotka kanssa
            kun kuin me mikä mitä mukaan mutta myös niin niiden nyt ne oli olivat olla on ovat
            saa sekä sen se siitä sitä tai tämä tässä tätä vain vielä voi""",
        "pl": """a aby ale bo być był była było były by co czy dla do gdy go i ich jak jako je
            jego jej jest jeszcze już który która które którzy lub ma może na nad nie niż o od on
            ona oraz po pod przez przy są się tak także też to tego tej ten tym u w we z za ze
            że""",
        "ro": """a acest această ai al ale am ar are au avea ca că cât ce cel cea cele cei care cu
            cum da dar de despre din după el ea este era eu fi fost în într însă la le lui mai ne
            nici nu o pe pentru prin sa să sau se și sunt un unei unui una""",
        "hu": """a abban ahogy aki amely ami amit annak az azért azok azt be csak de e egy el én
            és ez ezek ezt fel ha hogy hogyan igen is itt ki le meg mert mi mint még minden most
            nagyon nem nincs olyan ő ők pedig s sem szerint úgy van vagy volt volna voltak""",
        "tr": """ama ancak bazı belki ben biz bir bu çok da daha de değil diye en gibi göre hem
            her hiç için ile ise kadar ki kim mı mi mu mü ne neden o olan olarak oldu olduğu onu
            onun sen siz sonra şu tüm var ve veya ya yani yok""",
        "cs": """a aby ale ani až by být byl byla bylo byly co do i ještě jak jako je jeho její
            jejich jen již jsem jsou k kde kdo když která které který ma mezi na nad ne nebo není
            o od po pod pro proto protože při s se si také tak ten to tom tu u už v ve však z za
            že""",
        "id": """ada adalah agar akan atau bagi bahwa banyak dalam dan dapat dari dengan di dia
            hanya harus hingga ia ini itu juga karena ke kepada kita lebih mereka oleh pada para
            saat saya sebagai sebuah seperti serta sudah telah tersebut tidak untuk yang""",
        "ru": """а без был была были было быть в вам вас весь во вот все всё вы где да для до его
            ее её если есть еще ещё же за и из или им их к как ко когда кто ли между мне может мы
            на над не него нее нет ни но о об однако он она они оно от по под при с со так также
            там то того тоже только у уже хотя что чтобы эта эти это этого этот я""",
        "el": """από αν αλλά για δε δεν εγώ είναι είχε ένα έναν ένας έχει έχουν ή η ήταν θα και
            κατά με μετά μη μην μια μας να ο οι όπως όταν ότι πολύ που προς σε στα στη στην στις
            στο στον στους τα τη την της τι τις το τον του τους των ως""",
        "ar": """أن أو أي إذا إلا إلى إن التي الذي الذين اللذين به بها بين تلك ثم حتى ذلك على عن
            عند عندما غير في فيه فيها قد كان كانت كل كما لا لكن له لها لم ما مع من منذ منه منها
            هذا هذه هناك هو هي و وقد وهو وهي ولا يكون""",
        "fa": """از است این اما آن آنها با باید بر برای به بود بودن تا چه خود را شد شده که می نیز
            ها های هر هم و یا یک""",
        "hi": """अपना अपनी अपने इन इस इसके उन उस उसके एक और कर करने कि की के को कोई गई गया जब जो
            तक तो था थी थे द्वारा ने नहीं पर बहुत भी में यह या ये लिए वह वाले वे से हुआ हुई हुए है
            हैं ही हो होता होती होते""",
    }.items()
}

BY_SCRIPT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3041-\u30ff\uff66-\uff9f]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")),
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("fa", re.compile("[پچژگکی]")),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("am", re.compile("[\u1200-\u139f]")),
)
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
WORD = re.compile(r"[^\W\d_]+")
SAMPLE = 4_000
"""How many characters are looked at; languages do not change their function words later."""


def language_of(text: str, default: str = "en") -> str:
    """The ISO 639-1 code of the text's language, or `default` where nothing points to one."""
    sample = text[:SAMPLE]
    if sample.isascii():
        return _by_function_words(sample, default)
    counts = {code: len(pattern.findall(sample)) for code, pattern in BY_SCRIPT}
    # Japanese is mostly Chinese characters, Persian mostly Arabic ones: a thirtieth of letters
    # that only they have is enough.
    for special, common in (("ja", "zh"), ("fa", "ar")):
        if 30 * counts[special] >= counts[common] > 0:
            counts[special] += counts[common]
    best = max(counts, key=lambda code: counts[code])
    if counts[best] > len(LATIN.findall(sample)):
        return best
    return _by_function_words(sample, default)


def _by_function_words(sample: str, default: str) -> str:
    words = WORD.findall(sample.lower())
    hits = {code: sum(map(known.__contains__, words)) for code, known in FUNCTION_WORDS.items()}
    best = max(hits, key=lambda code: hits[code])
    # Two languages level: the caller's default if it is one of them, else the first of the table.
    if hits[best] == hits.get(default, 0):
        return default
    return best
