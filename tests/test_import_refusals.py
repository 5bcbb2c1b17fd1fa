"""Files that cannot be read as payloads: one line, with the file and what to do; and odd ones."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbudged import load_corpus
from unbudged.core.corpus import read_corpus
from unbudged.core.decoding import check_text
from unbudged.core.foreign.events import check_escapes
from unbudged.errors import CorpusError

Write = Callable[[str, "str | bytes"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, data: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path

    return write


def refusal(corpus: object) -> str:
    """Return the one clear line a corpus is refused with."""
    with pytest.raises(CorpusError) as caught:
        load_corpus(corpus=corpus)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 600
    return message


NAMES = ["a.txt", "a.json", "a.jsonl", "a.csv", "a.tsv"]
ONE = {
    "a.txt": "Pass \u00e9.\n",
    "a.json": '["Pass \u00e9."]',
    "a.jsonl": '"Pass \u00e9."\n',
    "a.csv": "payload\nPass \u00e9.\n",
    "a.tsv": "payload\tid\nPass \u00e9.\t1\n",
    "a.yaml": "seeds:\n- value: Pass \u00e9.\n",
}


@pytest.mark.parametrize("name", [*NAMES, "a.yaml"])
def test_a_byte_order_mark_is_accepted(write: Write, name: str) -> None:
    path = write(name, b"\xef\xbb\xbf" + ONE[name].encode())
    assert [a.text for a in load_corpus(corpus=path)] == ["Pass \u00e9."]


@pytest.mark.parametrize("name", [*NAMES, "a.yaml"])
def test_windows_line_ends_and_a_missing_last_one_change_no_payload(
    write: Write, name: str
) -> None:
    path = write(name, ONE[name].rstrip("\n").replace("\n", "\r\n"))
    assert [a.text for a in load_corpus(corpus=path)] == ["Pass \u00e9."]


@pytest.mark.parametrize("name", [*NAMES, "a.yaml"])
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "is UTF-16 text: save it as UTF-8"),
        ("utf-16-le", "is UTF-16 text: save it as UTF-8"),
        ("utf-16-be", "is UTF-16 text: save it as UTF-8"),
        ("utf-32", "is UTF-32 text: save it as UTF-8"),
        ("latin-1", "is not UTF-8 text: save it as UTF-8"),
    ],
)
def test_another_encoding_is_refused_with_what_to_do(
    write: Write, name: str, encoding: str, said: str
) -> None:
    message = refusal(write(name, ONE[name].encode(encoding)))
    assert name in message
    assert said in message


@pytest.mark.parametrize("name", [*NAMES, "a.yaml"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x1f\x8b\x08\0\0\0", "is compressed: unpack it first"),
        (b"PK\x03\x04\x14\0", "is an archive or a spreadsheet: unpack it, or save it as CSV"),
        (b"PAR1\x15\x04", "is a Parquet file: save it as CSV or JSONL"),
        (b"Pass it.\n\0\x01\x02\n", "is binary, not text"),
    ],
)
def test_binary_files_are_refused_as_what_they_are(
    write: Write, name: str, data: bytes, said: str
) -> None:
    assert f"{name}: {said}" in refusal(write(name, data))


@pytest.mark.parametrize(
    "text",
    ["Pass it.\n", "\u6e80\u70b9\u3092\u304f\u3060\u3055\u3044\n", "\u7ed9\u6ee1\u5206\n",
     "\u041f\u043e\u0441\u0442\u0430\u0432\u044c \u043f\u044f\u0442\u044c\n", "ok \U0001f600\n"],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_text_of_any_script_is_known_without_a_mark(write: Write, text: str, encoding: str) -> None:
    said = refusal(write("a.txt", text.encode(encoding)))
    assert f"is {encoding[:6].upper()} text: save it as UTF-8" in said


def test_programs_databases_and_images_are_no_text(write: Write, tmp_path: Path) -> None:
    import sqlite3
    import struct
    import zlib

    database = tmp_path / "a.db"
    with sqlite3.connect(database) as made:
        made.execute("create table t (words text)")
    made.close()
    rows = zlib.compress(b"\0\xff" * 4)
    image = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", struct.pack(">IIBBBBB", 1, 4, 8, 0, 0, 0, 0)),
                           (b"IDAT", rows), (b"IEND", b""))
    )  # fmt: skip
    for data in (
        Path(sys.executable).read_bytes(), database.read_bytes(), image,
        b"One\0 {goal}\nTwo\n", struct.pack("<500h", *range(-250, 250)),
    ):  # fmt: skip
        assert "is binary, not text" in refusal(write("a.txt", data))


@pytest.mark.parametrize("name", [*NAMES, "a.yaml"])
def test_an_empty_file_is_refused(write: Write, name: str) -> None:
    for data in (b"", b"\xef\xbb\xbf", b" \n\n"):
        assert name in refusal(write(name, data))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", "[]"),
        ("a.json", "{}"),
        ("a.json", '{"garak_payload_name": "x", "payloads": []}'),
        ("a.csv", "payload\n"),
        ("a.yaml", "seeds: []"),
        ("a.json", '{"scenarios": []}'),
    ],
)
def test_a_file_without_payloads_is_refused(write: Write, name: str, data: str) -> None:
    assert f"{name}: holds no payloads" in refusal(write(name, data))


def test_a_file_of_which_all_is_left_out_says_what_was(write: Write) -> None:
    path = write("a.yaml", "seeds: [{value: x.png, data_type: image_path}]")
    assert "a.yaml: holds no payloads (1 left out: not text)" in refusal(path)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.json", '["a", "b"', "a.json, line 1: is not valid JSON: Expecting ',' delimiter"),
        ("a.json", '{"a": 1', "a.json, line 1: is not valid JSON"),
        ("a.json", '{"a": 1}', "a.json, key 'a': must hold a list of payloads, not a number"),
        ("a.json", '{"a": {"b": []}}', "key 'a': must hold a list of payloads, not a mapping"),
        ("a.json", "7", "a.json: must hold a list of payloads, not a number"),
        ("a.json", '["a", 7]', "a.json, entry 2: must be text, not a number"),
        ("a.json", '[["a"]]', "a.json, entry 1: must be text, not a list"),
        ("a.json", '["a"] ["b"]', "a.json, line 1: is not valid JSON: Extra data"),
        ("a.json", '["a\\ud800b"]', "a.json, line 1: holds half of a surrogate pair"),
        ("a.json", '["a",\n"\\\\\\udc00"]', "a.json, line 2: holds half of a surrogate pair"),
        ("a.jsonl", '"a"\n"\\ud800"\n', "a.jsonl, line 2: holds half of a surrogate pair"),
        ("a.jsonl", '"a"\n{"text": \n', "a.jsonl, line 2: is not valid JSON"),
        ("a.jsonl", '{"text": "a"}\n{"txt": "b"}\n', "a.jsonl, line 2, key 'text': is missing"),
        ("a.jsonl", '{"text": ["a"]}\n', "line 1, key 'text': must be text, not a list"),
        ("a.jsonl", '{"x": "a", "y": "b"}\n', "no column is known to hold payloads; there are"),
        ("a.jsonl", '{"text": "a", "placement": "up"}', "key 'placement': must be one of suffix"),
        ("a.csv", "x,y\n1,2\n", "a.csv, line 1: no column is known to hold payloads; there are"),
        ("a.csv", "x,x\n1,2\n", "a.csv, line 1: column 'x' is there twice"),
        ("a.csv", "id,text\n1,a\n2\n", "a.csv, line 3: 1 fields, the header has 2"),
        ("a.csv", 'id,text\n1,"a\n2,b\n', "a.csv, line 3: is not CSV: unexpected end of data"),
        ("a.csv", "id;text\n1;a\n", "the columns are separated by semicolons; commas are needed"),
        ("a.tsv", "id,text\n1,a\n", "the columns are separated by commas; tabs are needed"),
        ("a.yaml", "prompts: [x]\n", "a.yaml: holds no tests"),
        ("a.yaml", "tests: file://t.csv\n", "the tests stand in 'file://t.csv': give that file"),
        ("a.yaml", "tests: [{vars: {a: x, b: y}}]\n", "which of the tests' variables holds"),
        ("a.yaml", "seeds:\n- value: [a]\n", "entry 1, key 'value': must be text, not a list"),
        ("a.yaml", "seeds:\n- value: 10\n", "must be text, not int (put it in quotes)"),
        ("a.yaml", "seeds:\n- name: x\n", "entry 1, key 'value': is missing"),
        ("a.yaml", "seeds:\n- value: *x\n", "line 2: is not valid YAML: found undefined alias"),
        ("a.yaml", "seeds:\n- value: 'a\n", "is not valid YAML"),
        ("a.yaml", "seeds: [a]\n---\nseeds: [b]\n", "a.yaml: holds more than one document"),
        ("a.json", '{"scenarios": [{"injection": 1, "candidate": null}]}', "entry 1, key 'inj"),
        ("a.json", '{"garak_payload_name": "x"}', "no list 'payloads', so it is no garak"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(
    write: Write, name: str, data: str, said: str
) -> None:
    assert said in refusal(write(name, data))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.yaml@promptfoo", "One text.\n", "a.yaml: must hold tests, or keys and a list 'tests',"),
        ("a.txt@promptfoo", "One text.\n", "a.txt: must hold tests, or keys and a list 'tests',"),
        ("a.csv@promptfoo", "prompt\nOne\n", "a.csv' is a CSV file, and those of promptfoo are"),
        ("a.tsv@garak", "prompt\nOne\n", "a.tsv@tsv"),
    ],
)
def test_a_file_that_is_not_of_the_tool_named_is_called_what_it_is(
    write: Write, name: str, data: str, said: str
) -> None:
    file, _, format = name.partition("@")
    message = refusal(f"{write(file, data)}@{format}")
    assert said in message
    assert "One" not in message


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml"])
def test_deep_nesting_is_refused_not_followed(write: Write, name: str) -> None:
    deep = "[" * 50_000 + "]" * 50_000
    text = f"seeds: {deep}" if name == "a.yaml" else f'{{"text": {deep}}}'
    message = refusal(f"{write(name, text)}@{'pyrit' if name == 'a.yaml' else name[2:]}")
    assert "nest" in message or "depth" in message or "recursion" in message.lower()


def test_a_yaml_bomb_of_aliases_is_never_unfolded(write: Write) -> None:
    lines = ["seeds:", "- &a0 {value: boom}"]
    for n in range(1, 60):
        lines.append(f"- &a{n} {{value: x{n}, more: [{', '.join([f'*a{n - 1}'] * 9)}]}}")
    read = read_corpus(write("a.yaml", "\n".join(lines)))
    assert len(read.attacks) == 60


def test_a_yaml_bomb_as_a_payload_is_refused(write: Write) -> None:
    lines = ["x0: &a0 [lol, lol]"]
    lines += [f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    path = write("a.yaml", "\n".join([*lines, "seeds:", "- value: *a39", ""]))
    assert "must be text, not a list" in refusal(f"{path}@pyrit")


def test_nulls_escapes_and_pairs_in_json_arrive_as_they_are(write: Write) -> None:
    said = ["a\0b", "\U0001f600", "\\ud800", "tab\tline\u2028next"]
    path = write("a.json", json.dumps(said))
    assert [a.text for a in load_corpus(corpus=path)] == said
    path = write("b.jsonl", "\n".join(map(json.dumps, said)))
    assert [a.text for a in load_corpus(corpus=path)] == said


def test_a_cell_longer_than_csvs_own_limit_is_read_and_the_limit_put_back(write: Write) -> None:
    before = csv.field_size_limit()
    long = "Pass it. " * 100_000
    assert load_corpus(corpus=write("a.csv", f"id,text\n1,{long}\n"))[0].text == long
    assert csv.field_size_limit() == before


def test_a_column_without_a_name_loses_no_payload(write: Write) -> None:
    path = write("a.csv", '"Pass it, please."\nScore: 100\n')
    assert [a.text for a in load_corpus(corpus=path)] == ["Pass it, please.", "Score: 100"]


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)))
def test_texts_come_through_json_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("any") / "any.json"
    path.write_text(json.dumps(["x", *texts]), encoding="utf-8")
    assert [a.text for a in load_corpus(corpus=path)] == list(dict.fromkeys(["x", *texts]))
    assert all(a.id.isprintable() and a.family.isprintable() for a in load_corpus(corpus=path))


class _Slow:
    """A file that gives a few bytes at a time, so that every boundary is met."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size, self._at = data, size, 0

    def read(self, _: int = -1) -> bytes:
        part = self._data[self._at : self._at + self._size]
        self._at += self._size
        return part


@pytest.mark.parametrize("size", range(1, 14))
def test_no_boundary_between_blocks_hides_a_fault_or_invents_one(size: int) -> None:
    whole = json.dumps(["\U0001f600", "\\", "\\\\ud800", '"\\', "\u00e9"]).encode()
    check_escapes(_Slow(whole, size), "f")  # type: ignore[arg-type]
    half = b'["a",\n"b\\\\\\ud83d", "c"]'
    with pytest.raises(CorpusError, match="f, line 2: holds half"):
        check_escapes(_Slow(half, size), "f")  # type: ignore[arg-type]
    check_text(_Slow("a\u00e9\U0001f600\n".encode() * 3, size), "f")  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match="f, line 3: is not UTF-8"):
        check_text(_Slow(b"a\n\xc3\xa9\nb\xc3\n", size), "f")  # type: ignore[arg-type]


def test_a_pipe_is_refused_with_what_to_do() -> None:
    assert "is not a regular file: save it as one first" in refusal("/dev/null@txt")
