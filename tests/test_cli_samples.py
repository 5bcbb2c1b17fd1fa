"""Samples from JSONL and CSV: what is read, and that complaints name file and line."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbudged import Sample, UsageError
from unbudged.cli.samples import read_samples


def file(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return str(path)


def test_jsonl_rows_become_samples(tmp_path):
    rows = [
        {
            "output": "yes",
            "input": "q",
            "reference": 84,
            "context": ["a", "b"],
            "id": 7,
            "by": "me",
        },
        {"output": "no", "context": "one", "reference": None},
    ]
    path = file(tmp_path, "a.jsonl", "\n\n".join(map(json.dumps, rows)) + "\n")
    assert read_samples(path) == (
        Sample("yes", "q", "84", ("a", "b"), "7", {"by": "me"}),
        Sample("no", context=("one",)),
    )


def test_csv_rows_become_samples(tmp_path):
    text = 'id,output,context,by\n1,"two\r\nlines, ""quoted""",,me\n2,plain,c,\n'
    assert read_samples(file(tmp_path, "a.csv", text)) == (
        Sample('two\r\nlines, "quoted"', id="1", metadata={"by": "me"}),
        Sample("plain", context=("c",), id="2"),
    )


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_byte_order_mark_is_accepted(tmp_path, name):
    text = '{"output": "x"}' if name == "a.jsonl" else "output\nx\n"
    assert read_samples(file(tmp_path, name, b"\xef\xbb\xbf" + text.encode())) == (Sample("x"),)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_columns_can_be_mapped(tmp_path, name):
    text = '{"answer": "x", "q": "y"}' if name == "a.jsonl" else "answer,q\nx,y\n"
    mapped = read_samples(file(tmp_path, name, text), {"output": "answer", "input": "q"})
    assert mapped == (Sample("x", input="y"),)


@given(text=st.text(st.characters(codec=None), min_size=1).filter(str.strip))
def test_any_text_of_a_jsonl_file_arrives_unchanged(tmp_path_factory, text):
    path = file(tmp_path_factory.getbasetemp(), "any.jsonl", json.dumps({"output": text}))
    assert read_samples(path)[0].output == text


def test_other_line_separators_do_not_end_a_line(tmp_path):
    path = file(tmp_path, "a.jsonl", '{"output": "a\u2028b\u0085c"}\n{"output": "d"}\n')
    assert [s.output for s in read_samples(path)] == ["a\u2028b\u0085c", "d"]


def test_a_long_answer_in_a_csv_is_read(tmp_path):
    assert (
        len(read_samples(file(tmp_path, "a.csv", "output\n" + "x" * 300_000))[0].output) == 300_000
    )


@pytest.mark.parametrize(
    ("name", "data", "columns", "says"),
    [
        ("a.jsonl", "", {}, "a.jsonl: holds no samples"),
        ("a.csv", "", {}, "a.csv: holds no samples"),
        ("a.csv", "output\n", {}, "a.csv: holds no samples"),
        ("a.txt", "x", {}, "samples come in a .jsonl or .csv file"),
        ("a.jsonl", '{"output": "a"}\n{oops', {}, "a.jsonl, line 2: not JSON at column 2"),
        ("a.jsonl", '"text"', {}, "line 1: an object is needed"),
        ("a.jsonl", "[" * 100_000, {}, "line 1: not JSON: nested too deep"),
        ("a.jsonl", '{"answer": "a"}', {}, "line 1: no 'output' among 'answer'; map it with"),
        ("a.jsonl", "{}", {}, "no 'output' among no keys"),
        ("a.jsonl", '{"output": 3}', {}, "line 1: 'output' must be a string, not a number"),
        ("a.jsonl", '{"output": null}', {}, "'output' must be a string, not null"),
        ("a.jsonl", '\n{"output": " "}', {}, "line 2: 'output' is blank"),
        ("a.jsonl", '{"output": "a", "input": ["b"]}', {}, "'input' must be a string, not a list"),
        ("a.jsonl", '{"output": "a", "context": [1]}', {}, "'context' must be a string or a list"),
        ("a.jsonl", '{"output": "a"}', {"output": "b"}, "no 'b' among 'output'"),
        ("a.jsonl", '{"output": "a"}', {"id": "b"}, "no line has 'b', which --column maps to id"),
        ("a.csv", "answer\na\n", {}, "line 1: no column 'output'; there are answer; map one"),
        ("a.csv", "output\na\n", {"id": "b"}, "line 1: no column 'b'"),
        ("a.csv", "output,x\na\n", {}, "line 2: 1 fields, the header has 2"),
        ("a.csv", 'output\n"a\nb"\nc,d\n', {}, "line 4: 2 fields, the header has 1"),
        ("a.csv", "output,x,x\na,b,c\n", {}, "line 1: column 'x' is there twice"),
        ("a.csv", "output,id\n  ,1\n", {}, "line 2: 'output' is blank"),
        ("a.csv", "output,id\n,1\n", {}, "line 2: 'output' is blank"),
        ("a.csv", 'output\n"a"b\n', {}, "line 2: not CSV"),
        ("a.csv", 'output\n"a\n', {}, "not CSV"),
        ("a.csv", b"output\nok\n\xff\n", {}, "a.csv, line 3: not UTF-8"),
        ("a.jsonl", b'{"output": "\xff"}', {}, "a.jsonl, line 1: not UTF-8"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, name, data, columns, says):
    with pytest.raises(UsageError) as caught:
        read_samples(file(tmp_path, name, data), columns)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path):
    with pytest.raises(UsageError, match="no such file or directory"):
        read_samples(str(tmp_path / "none.jsonl"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match=r"a\.jsonl is not a regular file"):
        read_samples(str(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("text", "named"), [("id;output\n1;x\n", "semicolons"), ("id\toutput\n1\tx\n", "tabs")]
)
def test_columns_separated_by_something_else_are_named(tmp_path, text, named):
    with pytest.raises(UsageError, match=f"a.csv, line 1: the columns are separated by {named}"):
        read_samples(file(tmp_path, "a.csv", text))
