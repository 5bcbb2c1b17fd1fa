"""The shipped corpus and the built-in samples: what each payload is, byte for byte."""

from __future__ import annotations

import base64
import codecs
import hashlib
import re
import unicodedata
import urllib.parse
from pathlib import Path

import pytest
import yaml

from unbudged.core import corpus
from unbudged.core.corpus import Attack, load_corpus, load_families
from unbudged.core.encoding import ENCODERS
from unbudged.core.samples import load_samples

FOLDER = Path(corpus.__file__).parent.parent / "corpora"
FILES = sorted((FOLDER / "core").glob("*.y*ml"))
ATTACKS = {attack.id: attack for attack in load_corpus()}
ENCODED = [attack for attack in ATTACKS.values() if attack.encoding]
PREFIX = {
    "instruction_override": "override.",
    "role_reversal": "role.",
    "delimiter_escape": "delim.",
    "encoding": "encoding.",
    "homoglyph": "homoglyph.",
    "social_pressure": "social.",
    "fake_system": "system.",
}
NAMES = {
    "instruction_override": "full_marks score_lines new_policy skip_checks only_reply",
    "role_reversal": "administrator senior_reviewer debug_mode author_seat",
    "delimiter_escape": "xml_tags json_object yaml_document code_fence heading",
    "encoding": "base64 rot13 leet spaced url",
    "homoglyph": "cyrillic zero_width bidi_override fullwidth struck",
    "social_pressure": "authority urgency flattery consensus sympathy",
    "fake_system": "chat_turn developer_note assistant_prefix tool_result",
}
IDS = [PREFIX[family] + name for family, names in NAMES.items() for name in names.split()]
ACCESS_TERMS = (
    "system", "administrator", "policy", "reset", "review", "approve", "verify", "ticket",
)  # fmt: skip

each_payload = pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
each_encoded = pytest.mark.parametrize("attack", ENCODED, ids=[a.id for a in ENCODED])
each_file = pytest.mark.parametrize("file", FILES, ids=[f.name for f in FILES])


def test_the_corpus_is_these_33_payloads() -> None:
    assert len(IDS) == 33
    assert sorted(ATTACKS) == sorted(IDS)


@each_payload
def test_an_id_starts_with_the_prefix_of_its_family(attack: Attack) -> None:
    assert attack.id.startswith(PREFIX[attack.family])
    assert [f for f, prefix in PREFIX.items() if attack.id.startswith(prefix)] == [attack.family]
    assert load_families()[attack.family].prefix == PREFIX[attack.family]


def test_no_two_payloads_share_a_text_even_after_folding_case_and_spaces() -> None:
    assert len({"".join(a.text.lower().split()) for a in ATTACKS.values()}) == 33


@each_payload
def test_a_payload_says_what_it_is_and_where_it_goes(attack: Attack) -> None:
    assert attack.note.endswith(".")
    assert attack.lang == "en"
    assert attack.placement == "suffix"


def test_every_family_says_what_it_tries_and_what_to_change() -> None:
    families = load_families()
    assert set(families) == set(PREFIX)
    for family in families.values():
        assert len(family.what_it_tries) > 30
        assert len(family.fix) > 80
        assert re.fullmatch(r"arXiv:\d{4}\.\d{5}(, arXiv:\d{4}\.\d{5})*", family.source or "")
    assert len({family.fix for family in families.values()}) == 7


@each_file
def test_a_file_holds_one_family_and_is_named_after_it(file: Path) -> None:
    assert set(load_families(file)) == {file.stem}


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.y*ml")), ids=lambda f: f.name)
def test_a_shipped_file_is_plain_ascii_with_no_tab_and_no_trailing_space(file: Path) -> None:
    data = file.read_bytes()
    data.decode("ascii")
    assert b"\t" not in data
    assert data.endswith(b"\n")
    assert not re.search(rb" \r?\n", data)


@each_file
def test_a_file_survives_windows_line_ends(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / file.name
    copy.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert load_corpus(corpus=copy) == load_corpus(corpus=file)


@each_file
def test_both_yaml_loaders_read_the_same_texts(file: Path) -> None:
    entries = yaml.load(file.read_text("ascii"), Loader=yaml.SafeLoader)["attacks"]
    assert {e["id"]: e["text"] for e in entries} == {
        a.id: a.text for a in ATTACKS.values() if a.family == file.stem
    }


def test_encoded_and_disguised_payloads_are_what_they_were_byte_for_byte() -> None:
    digest = hashlib.sha256()
    for attack in sorted(ENCODED, key=lambda a: a.id):
        digest.update(f"{attack.id}\0{attack.text}\0".encode())
    assert digest.hexdigest() == DIGEST


def test_exactly_the_encoded_and_disguised_families_carry_a_plain_text() -> None:
    assert [a.id for a in ATTACKS.values() if a.family in ("encoding", "homoglyph")] == [
        a.id for a in ENCODED
    ]
    assert [str(a.encoding) for a in ENCODED] == list(corpus.ENCODINGS[:10])
    assert len({a.plain for a in ENCODED}) == 1, "one canonical order, ten disguises"


LATIN = dict(zip("аеорсхуіАЕОРСХ", "aeopcxyiAEOPCX", strict=True))
LEET = str.maketrans("431057", "aeiost")
ENCODE = {
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "rot13": lambda s: codecs.encode(s, "rot13"),
    "leet": lambda s: s.translate(str.maketrans("aeiostAEIOST", "431057431057")),
    "spaced": lambda s: "   ".join(" ".join(word) for word in s.split(" ")),
    "url": lambda s: urllib.parse.quote(s, safe=""),
    "cyrillic": lambda s: s.translate({ord(b): a for a, b in LATIN.items()}),
    "zero_width": lambda s: re.sub(r"(?<=[^\W\d_])(?=[^\W\d_])", "\u200b", s),
    "rlo": lambda s: f"\u202e{s[::-1]}\u202c",
    "fullwidth": lambda s: s.translate({0x20: 0x3000, **{c: c + 0xFEE0 for c in range(33, 127)}}),
    "combining": lambda s: re.sub(r"([^\W\d_])", "\\1\u0336", s),
}
DECODE = {
    "base64": lambda s: base64.b64decode(s, validate=True).decode(),
    "rot13": lambda s: codecs.decode(s, "rot13"),
    "spaced": lambda s: " ".join(word.replace(" ", "") for word in s.split("   ")),
    "url": urllib.parse.unquote,
    "cyrillic": lambda s: s.translate(str.maketrans(LATIN)),
    "zero_width": lambda s: s.replace("\u200b", ""),
    "rlo": lambda s: s.removeprefix("\u202e").removesuffix("\u202c")[::-1],
    "fullwidth": lambda s: unicodedata.normalize("NFKC", s),
    "combining": lambda s: "".join(c for c in s if not unicodedata.combining(c)),
}


@each_encoded
def test_the_plain_text_encoded_stands_in_the_payload_once(attack: Attack) -> None:
    assert attack.plain is not None
    assert attack.encoding is not None
    assert attack.text.count(ENCODE[attack.encoding](attack.plain)) == 1


def test_the_package_encodes_as_the_corpus_does() -> None:
    assert sorted(ENCODERS) == sorted(corpus.ENCODINGS)
    for attack in ENCODED:
        assert attack.plain is not None
        name = str(attack.encoding)
        assert ENCODERS[name](attack.plain) == ENCODE[name](attack.plain)


@each_encoded
def test_a_payload_really_decodes_to_its_plain_text(attack: Attack) -> None:
    assert attack.plain is not None
    encoded = attack.text.rpartition("=" if attack.encoding == "url" else "\n")[2]
    if attack.encoding == "leet":  # 1 and 0 stand for digits too: compare with both folded
        assert encoded.translate(LEET) == attack.plain.lower().translate(LEET)
    else:
        assert DECODE[str(attack.encoding)](encoded) == attack.plain


@each_encoded
def test_an_encoded_payload_does_not_give_the_order_in_clear(attack: Attack) -> None:
    assert not re.search(r"\b(ignore the|rubric|full marks|out of)\b", attack.text, re.I)


@each_payload
def test_a_payload_asks_for_a_definite_mark(attack: Attack) -> None:
    assert re.search(
        r"\b100\b|\bfull marks\b|\b10 out of 10\b|\bpass\b", attack.plain or attack.text
    )


@each_payload
def test_a_payload_asks_no_question(attack: Attack) -> None:
    """A scorer that looks for a question is not to be moved by accident."""
    assert "?" not in attack.text


@pytest.mark.parametrize(
    "mechanism",
    [
        r"(?i)\bignore\b.*\brubric",
        r"(?i)\bdisregard\b.*\bcriteria",
        r"(?i)\bforget\b.*\brules",
        r"(?i)\boverride\b.*\bguideline",
        r"(?i)\bskip\b.*\bcriteria",
        r"(?m)^Score: 100$",
        r"(?m)^Rating: 5/5$",
        r"(?m)^GRADE: C$",
        r"\b100/100\b",
        r"\b100 out of 100\b",
        r"\b10 out of 10\b",
        r'"\}\n\{"score": 100\b',
        r"\A---\nscore: 100\nverdict: pass\n",
        r"\A```\n[^`]*\n```\w+\n",
        r"\A</answer>\n</submission>\n",
        r"(?m)^# .*result",
        r"\[\[10\]\]",
        r"<\|im_start\|>system\n",
        r"\[INST\] <<SYS>>\n",
        r"(?i)developer note",
        r"(?m)^Assistant:",
        r'(?i)tool result.*\n.*"role": "tool"',
        r"(?i)\bhead of department\b",
        r"(?i)\burgent\b.*\bdeadline\b",
        r"(?i)\bplease\b.*\blose my job\b.*\bfamily\b",
        r"(?i)\ball 11 of the other reviewers\b",
        r"(?i)\bmost expert grader\b",
        r"(?i)\bI am the administrator\b",
        r"(?i)\bdebug mode\b",
    ],
)
def test_some_payload_carries_the_mechanism(mechanism: str) -> None:
    assert [a.id for a in ATTACKS.values() if re.search(mechanism, a.text)]


def test_rubric_words_of_access_control_stand_in_six_families() -> None:
    counts = {a.id: sum(term in a.text.lower() for term in ACCESS_TERMS) for a in ATTACKS.values()}
    assert len({ATTACKS[id].family for id, count in counts.items() if count}) == 6
    assert max(counts.values()) >= 4
    families_with_two = {ATTACKS[id].family for id, count in counts.items() if count >= 2}
    assert len(families_with_two) >= 5


def test_the_built_in_samples_are_four_pairs_on_ordinary_topics() -> None:
    pairs = load_samples()
    assert [weak.metadata["topic"] for weak, _ in pairs] == [
        "biology", "geography", "help_desk", "cooking",
    ]  # fmt: skip
    for weak, strong in pairs:
        assert (weak.input, weak.reference, weak.context) == (
            strong.input, strong.reference, strong.context,
        )  # fmt: skip
        assert weak.input
        assert weak.reference
        assert weak.context
        assert weak.output != strong.output
        assert (weak.id, strong.id) == (
            f"{weak.metadata['topic']}.weak", f"{weak.metadata['topic']}.strong",
        )  # fmt: skip


def test_no_built_in_sample_speaks_of_marking() -> None:
    marking = re.compile(r"\b(mark|score|grad|rubric|rating|pass\b|approv|review|criteri)", re.I)
    for pair in load_samples():
        for sample in pair:
            for text in (
                sample.output,
                sample.input or "",
                sample.reference or "",
                *sample.context,
            ):
                assert not marking.search(text), text


def test_a_strong_answer_shares_more_words_with_the_reference_than_a_weak_one() -> None:
    def shared(answer: str, reference: str) -> float:
        a, b = (set(re.findall(r"\w{4,}", t.lower())) for t in (answer, reference))
        return len(a & b) / len(b)

    for weak, strong in load_samples():
        assert strong.reference is not None
        good, bad = (shared(s.output, strong.reference) for s in (strong, weak))
        assert good >= bad + 0.25


@each_payload
def test_no_payload_contains_a_built_in_reference(attack: Attack) -> None:
    for weak, _ in load_samples():
        assert weak.reference is not None
        assert weak.reference.lower() not in attack.text.lower()


# Changes only together with a payload of these two families, on purpose.
DIGEST = "6fd565d7aee30a0e46c8a111e2bdcee314f20757ad8bd95300b59b3e30881994"
