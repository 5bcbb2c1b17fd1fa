"""A corpus folder that builds on others: its manifest, and how a bad one is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unbudged.core.corpus import load_corpus, load_families, read_corpus
from unbudged.errors import CorpusError


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def entry(id: str) -> str:
    return f"- {{id: {id}, family: f, text: Text of {id}.}}\n"


def refusal(folder: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        load_corpus(corpus=folder)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_what_a_folder_includes_is_read_before_its_own_files(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", corpus="includes: [core]\n", a=entry("x"))
    read = read_corpus(folder)
    assert read.attacks[:33] == load_corpus()
    assert [a.id for a in read.attacks[33:]] == ["x"]
    assert read.names == (str(folder),)


def test_paths_count_from_the_folder_and_each_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "common", s=entry("s"))
    write(tmp_path / "other", corpus="includes: [../common, ../single.yaml]\n", o=entry("o"))
    (tmp_path / "single.yaml").write_text(entry("one"), encoding="utf-8")
    folder = write(tmp_path / "mine", corpus="includes: [../common, ../other]\n", a=entry("a"))
    assert [a.id for a in load_corpus(corpus=folder)] == ["s", "one", "o", "a"]
    assert len(load_corpus(corpus=[folder, tmp_path / "common", "core", "core"])) == 4 + 33


def test_folders_that_include_each_other_are_read_once(tmp_path: Path) -> None:
    one = write(tmp_path / "one", corpus="includes: [../two]\n", a=entry("a"))
    write(tmp_path / "two", corpus="includes: [../one]\n", b=entry("b"))
    assert [a.id for a in load_corpus(corpus=one)] == ["b", "a"]
    assert [a.id for a in load_corpus(corpus=tmp_path / "two")] == ["a", "b"]


def test_a_manifest_alone_is_enough(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", corpus="includes:\n  - core\n")
    assert load_corpus(corpus=folder) == load_corpus()


def test_a_file_of_that_name_without_includes_is_a_corpus(tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", corpus=entry("a"))
    assert [a.id for a in load_corpus(corpus=folder)] == ["a"]
    folder = write(tmp_path / "yours", corpus="family: f\nattacks:\n  - {id: b, text: B.}\n")
    assert [a.id for a in load_corpus(corpus=folder)] == ["b"]


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("includes: core\n", "must be a list of corpora, not text"),
        ("includes: []\n", "names no corpus"),
        ("includes: [{a: b}]\n", "must name corpora, not mapping"),
        ("includes: [1]\n", "must name corpora, not int"),
        ("includes: [cora]\n", "'cora' is no file, no folder and not shipped: did you mean 'core'"),
        ("includes: [../nowhere]\n", "'../nowhere' is no file"),
        ("includes: [core]\nattacks: []\n", "key 'attacks'"),
        ("includes: [core]\nincludes: [core]\n", "is given twice"),
    ],
)
def test_a_bad_manifest_is_refused_by_file_line_and_key(
    tmp_path: Path, manifest: str, said: str
) -> None:
    message = refusal(write(tmp_path / "mine", corpus=manifest, a=entry("a")))
    assert said in message
    assert f"mine{os.sep}corpus.yaml, line " in message


def test_figures_of_a_family_arrive_and_files_add_to_one_family(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "mine",
        a="family: f\nprefix: f.\nfix: Do this.\nattacks:\n  - {id: f.a, text: A.}\n",
        b="family: f\nprefix: f.\nfigures: 3 of 4.\nattacks:\n  - {id: f.b, text: B.}\n",
    )
    family = load_families(folder)["f"]
    assert (family.fix, family.figures, family.prefix) == ("Do this.", "3 of 4.", "f.")
