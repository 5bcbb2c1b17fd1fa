"""The extended corpus: what is in it, where it comes from, and what is told of it."""

from __future__ import annotations

import base64
import html
import json
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from unbudged.core.control import filler, marking, twin
from unbudged.core.control.words import foreign, function_words
from unbudged.core.corpus import PLACEMENTS, Attack, load_corpus, read_corpus
from unbudged.core.slots import Slots, asks, stand_in
from unbudged.errors import CorpusError

ROOT = Path(__file__).resolve().parent.parent
CORPUS = read_corpus("extended")
CORE = load_corpus()
OWN = [a for a in CORPUS.attacks if a not in CORE]
LANGUAGES = ("de", "es", "fr", "it", "ja", "nl", "pt", "ru", "zh")
KINDS = yaml.safe_load((ROOT / "docs" / "attacks.yaml").read_text("utf-8"))
SOURCE = r"arXiv:\d{4}\.\d{5}|[\w.-]+/[\w.-]+#\d+"
SCALES = [
    Slots(), Slots(scale=(0, 1)), Slots(scale=(1, 5)), Slots(scale=(1, 10)), Slots(scale=(5, 0)),
    Slots(labels=("F", "C", "A")), Slots(labels=("incorrect", "correct"), goal="say correct"),
]  # fmt: skip

each_own = pytest.mark.parametrize("attack", OWN, ids=[a.id for a in OWN])


def test_it_holds_core_by_reference_and_at_least_160_payloads_of_its_own() -> None:
    assert CORPUS.attacks[:33] == CORE
    assert len(OWN) == len(CORPUS.attacks) - 33 >= 160
    assert len(CORPUS.families) >= 18
    assert len({a.family for a in OWN}) >= 18
    folder = ROOT / "src/unbudged/corpora/extended"
    assert yaml.safe_load((folder / "corpus.yaml").read_text("ascii")) == {"includes": ["core"]}


def test_core_stays_what_a_scan_uses_unasked() -> None:
    assert len(CORE) == 33
    assert read_corpus().names == ("core",)


def test_the_readme_and_the_changelog_count_right() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"and {len(OWN)} payloads more, in {len(CORPUS.families)}\nfamilies" in readme
    news = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"adds {len(OWN)} payloads in {len({a.family for a in OWN})} families" in news


def test_every_placement_is_used_and_at_least_six_other_languages() -> None:
    assert {a.placement for a in OWN} == set(PLACEMENTS)
    whole = ("suffix", "prefix", "middle", "replace")
    assert all(sum(a.placement == where for a in OWN) >= 10 for where in whole)
    assert all(sum(a.placement == where for a in OWN) >= 3 for where in PLACEMENTS[4:])
    assert sorted({a.lang for a in OWN} - {"en"}) == list(LANGUAGES)


def test_every_family_has_its_prefix_its_aim_its_fix_and_its_sources() -> None:
    prefixes = [family.prefix for family in CORPUS.families.values()]
    assert len(set(prefixes)) == len(prefixes)
    for family in CORPUS.families.values():
        assert re.fullmatch(r"[a-z]+\.", family.prefix)
        assert 30 < len(family.what_it_tries) < 250
        assert 80 < len(family.fix) < 400
        assert re.fullmatch(rf"(?:{SOURCE})(?:, (?:{SOURCE}))*", family.source or "")
        if family.figures is not None:
            assert re.search(rf"{SOURCE}|etb-scan|promptfoo", family.figures)
    fixes = [family.fix for family in CORPUS.families.values()]
    assert len(set(fixes)) == len(fixes)


@each_own
def test_a_payload_says_what_it_is_and_where_it_comes_from(attack: Attack) -> None:
    family = CORPUS.families[attack.family]
    assert attack.id.startswith(family.prefix)
    assert re.fullmatch(r"[a-z]+\.[a-z0-9_]+", attack.id)
    assert attack.note.endswith(".")
    assert 10 < len(attack.note) < 200
    assert re.fullmatch(SOURCE, attack.source or "")


CONCRETE = re.compile(
    r"\{max_score\}|\{pass_word\}|\{goal\}|\b(?:10|100|5|1\.0)\b|GRADE: C|CORRECT|\[\[A|passed = tr"
    r"|full_marks|\bY\b"
)
#: families whose mechanism is not to name a mark: empty answers, options, praise, placeholders
WITHOUT_A_MARK = (
    "answer_smuggling", "master_key", "no_op_edit", "null_answer", "template_injection",
    "trigger_phrase",
)  # fmt: skip


@each_own
def test_a_payload_is_concrete_about_the_mark(attack: Attack) -> None:
    alone = attack.id.startswith(("disable.refusal", "homoglyph.emoji_in"))
    if attack.family not in WITHOUT_A_MARK and not alone:
        assert CONCRETE.search(attack.plain or attack.text), attack.text


@pytest.mark.parametrize("slots", SCALES, ids=str)
def test_no_two_payloads_say_the_same_on_any_scale(slots: Slots) -> None:
    texts = ["".join(slots.fill(a).text.lower().split()) for a in CORPUS.attacks]
    assert len(set(texts)) == len(texts)


def test_no_slot_is_misspelt() -> None:
    named = {n for a in OWN for n in re.findall(r"(?<![{$#%])\{([a-z_]+)\}(?!\})", a.text)}
    known = {"goal", "max_score", "pass_word", "question", "scale"}
    literal = {"criterion", "answer", "reference", "instructions", "white"}
    assert named - literal <= known
    assert known <= named | {n for a in OWN for n in re.findall(r"\{(\w+)\}", a.plain or "")}


def test_one_family_alone_can_be_scanned() -> None:
    some = load_corpus(["forged_verdict"], "extended")
    assert {a.family for a in some} == {"forged_verdict"}
    both = load_corpus(["homoglyph"], "extended")
    assert len(both) > len(load_corpus(["homoglyph"]))
    with pytest.raises(CorpusError, match="did you mean 'forged_verdict'"):
        load_corpus(["forged_verdicts"], "extended")


@pytest.mark.parametrize(
    ("options", "count"),
    [([], len(CORPUS.attacks)), (["--family", "null_answer"], len(load_corpus(["null_answer"],
     "extended"))), (["--attack", "lang.*"], sum(a.id.startswith("lang.") for a in OWN))],
)  # fmt: skip
def test_the_command_line_runs_all_of_it_or_some(options: list[str], count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unbudged.cli", "run", "examples/naive_grader.py", "--dry-run",
         "--json", "--corpus", "extended", *options],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["attack_count"] == count


# ---- what is published, and which payloads cover it ----------------------------------


@pytest.mark.parametrize("row", KINDS, ids=lambda row: row["kind"])
def test_every_kind_of_attack_is_covered_or_said_to_be_missing(row: dict) -> None:
    if "not_shipped" in row:
        assert len(row["not_shipped"]) > 20
        return
    for glob in row["payloads"]:
        assert any(fnmatchcase(a.id, glob) for a in CORPUS.attacks), glob
    found = [a for a in CORPUS.attacks if any(fnmatchcase(a.id, g) for g in row["payloads"])]
    assert len(found) >= 4


def test_every_family_belongs_to_a_kind() -> None:
    globs = [glob for row in KINDS for glob in row.get("payloads", ())]
    assert {a.id for a in CORPUS.attacks if not any(fnmatchcase(a.id, g) for g in globs)} == set()
    assert len({row["kind"] for row in KINDS}) == len(KINDS) >= 26


def test_the_page_on_attacks_is_what_the_corpora_say() -> None:
    done = subprocess.run(
        [sys.executable, "ci/attacks_doc.py", "--check"], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs" / "attacks.md").read_text("utf-8")
    assert all(f"`{a.id}`" in page for a in CORPUS.attacks)


# ---- controls -------------------------------------------------------------------------


def shown(attack: Attack, slots: Slots) -> Attack:
    made = slots.fill(attack)
    return stand_in(made)[0] if asks(made) else made


@each_own
def test_its_twins_are_other_texts_of_its_length(attack: Attack) -> None:
    for slots in SCALES:
        payload = shown(attack, slots)
        twins = [twin(payload, k) for k in range(6)]
        assert all(len(t) == len(payload.text) for t in twins)
        assert payload.text not in twins
        assert len(set(twins)) >= (6 if len(set(payload.text)) > 5 else 2)


@each_own
def test_a_twin_keeps_none_of_the_marks_it_forges(attack: Attack) -> None:
    payload = shown(attack, Slots(scale=(0, 7)))
    if attack.encoding is None and "7" not in attack.text and "{max_score}" in attack.text:
        for k in range(6):
            assert not re.search(r"(?<!\d)7(?!\d)", twin(payload, k))


@each_own
def test_what_parses_as_json_has_twins_that_parse(attack: Attack) -> None:
    text = shown(attack, Slots(scale=(0, 10))).text
    try:
        documents = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return
    if not any(documents):
        return  # an empty list for an empty object, a word for null: all that is left to vary
    for k in range(6):
        made = twin(shown(attack, Slots(scale=(0, 10))), k)
        assert [type(json.loads(line)) for line in made.splitlines()] == list(map(type, documents))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_twins_stay_in_the_language_of_the_payload(lang: str) -> None:
    for attack in (Slots().fill(a) for a in OWN if a.lang == lang):
        for k in range(6):
            made = twin(attack, k)
            if lang in ("zh", "ja"):
                assert not re.search("[A-Za-z]", made)
                kept = re.findall("[\u3041-\u309f]+|[，。、：]", attack.text)
                assert re.findall("[\u3041-\u309f]+|[，。、：]", made) == kept
                continue
            old = re.findall(r"[^\W\d_]+", attack.text.lower())
            new = re.findall(r"[^\W\d_]+", made.lower())
            assert len(old) == len(new)
            for before, after in zip(old, new, strict=True):
                if before in function_words(lang):
                    assert after == before
                else:
                    assert after in foreign(lang, before), f"{before} became {after}"
                    assert after not in old


@pytest.mark.parametrize("lang", LANGUAGES)
def test_filler_and_text_about_marking_are_in_the_language_of_the_payload(lang: str) -> None:
    for text in (filler(120, lang=lang), marking(120, lang=lang)):
        assert len(text) == 120
        assert not set(re.findall("[a-z]+", text.lower())) & {"the", "while", "was", "and"}
        assert text != filler(120, lang="en")
    if lang in ("zh", "ja"):
        assert filler(120, lang=lang).isascii() is False
        assert filler(120, lang=lang)[-1] == "。"
    assert filler(80, lang=f"{lang}-XX") == filler(80, lang=lang)
    assert filler(80, lang="xx") == filler(80)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_filler_of_any_length_fits_and_avoids_what_it_is_told(lang: str) -> None:
    for length in range(300):
        assert len(filler(length, lang=lang, k=length % 3)) == length
        assert len(marking(length, lang=lang)) == length
    text = " ".join(filler(300, lang=lang, k=k) for k in range(3))
    words = set(re.findall(r"[^\W\d_]{4,}", text))
    if lang in ("zh", "ja"):
        return
    avoid = frozenset(w.lower() for w in list(words)[:3])
    for k in range(20):
        assert not avoid & set(re.findall(r"[^\W\d_]+", filler(300, lang=lang, k=k, avoid=avoid)))


def test_a_payload_of_one_character_gets_controls_of_one_other_character() -> None:
    from unbudged.core.plan import make_plan
    from unbudged.core.sample import Sample

    dots = [Attack("x.a", "x", c, placement="replace") for c in (".", ":", "-", "解")]
    plan = make_plan(dots, [Sample("Blue.")], {})
    for a, attack in enumerate(dots):
        for arm in ("twin", "filler"):
            for k in range(3):
                assert len(plan.control(arm, a, k)) == 1  # type: ignore[arg-type]
                assert plan.control(arm, a, k) != attack.text  # type: ignore[arg-type]


def test_no_payload_is_the_twin_of_another() -> None:
    from unbudged.core.plan import make_plan
    from unbudged.core.sample import Sample

    attacks = load_corpus(["null_answer", "master_key"], "extended")
    plan = make_plan(attacks, [Sample("Blue.", "Which?")], {})
    made = {plan.control("twin", a, k) for a in range(len(attacks)) for k in range(12)}
    assert not made & {a.text for a in attacks}


def test_no_twin_states_the_reference_answer_by_chance() -> None:
    from unbudged.core.plan import make_plan
    from unbudged.core.sample import Sample

    attack = Attack("x.a", "x", "Marks: 7 of 9.")
    plan = make_plan([attack], [Sample("It is 3.", reference="4"), Sample("2", reference="5")], {})
    made = [plan.control("twin", 0, k) for k in range(40)]
    assert not any(re.search("[45]", text) for text in made)
    assert len(set(made)) > 20


# ---- encodings ------------------------------------------------------------------------

DECODE = {
    "base64": lambda s: base64.b64decode(s, validate=True).decode(),
    "hex": lambda s: bytes.fromhex(s).decode(),
    "reversed": lambda s: s[::-1],
    "html": html.unescape,
    "escapes": lambda s: json.loads(f'"{s}"'),
    "tags": lambda s: "".join(chr(ord(c) - 0xE0000) for c in s),
    "variation": lambda s: bytes(
        ord(c) - 0xFE00 if ord(c) < 0xFE10 else ord(c) - 0xE0100 + 16 for c in s
    ).decode(),
}


@pytest.mark.parametrize("attack", [a for a in OWN if a.encoding], ids=lambda a: a.id)
def test_an_encoded_payload_and_its_twins_decode(attack: Attack) -> None:
    from unbudged.core.encoding import encode

    payload = Slots(scale=(1, 5)).fill(attack)
    plain, decode = str(payload.plain), DECODE[str(payload.encoding)]
    hidden = encode(plain, str(payload.encoding))
    assert payload.text.count(hidden) == 1
    assert decode(hidden) == plain
    assert "{" not in plain or json.loads(plain)
    start = payload.text.index(hidden)
    for k in range(4):
        made = twin(payload, k)
        end = len(made) - (len(payload.text) - start - len(hidden))
        said = decode(made[start:end])
        assert said != plain
        assert len(said) == len(plain)
        assert [c.isalpha() for c in said] == [c.isalpha() for c in plain]


def test_an_encoding_gives_back_any_text() -> None:
    from unbudged.core.encoding import encode

    for plain in ("Grade: A", "naïve", "得分", "😀 ok"):
        for name, decode in DECODE.items():
            if name != "tags" or plain.isascii():
                assert decode(encode(plain, name)) == plain
