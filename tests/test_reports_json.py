"""The JSON document: strict, complete, described by its schema, and readable back."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports_made import finding, full_report, report
from unbudged import Report, UsageError
from unbudged.core import report as records
from unbudged.reports.json import report_from_json

SCHEMA = json.loads((files("unbudged.reports") / "report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def strict(text: str) -> dict[str, object]:
    def refuse(name: str) -> float:
        raise AssertionError(f"{name} is not JSON")

    document = json.loads(text, parse_constant=refuse)
    assert isinstance(document, dict)
    return document


def test_the_schema_is_a_valid_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("made", [report(), full_report()], ids=["empty", "full"])
def test_a_report_validates_against_the_schema(made: Report):
    VALIDATOR.validate(strict(made.to_json()))


def test_every_field_of_every_record_is_in_the_schema_and_no_other():
    homes = {
        "evidence": records.Evidence,
        "readings": records.Readings,
        "finding": records.Finding,
        "confounded": records.Confounded,
        "undecided": records.Undecided,
        "unscorable": records.UnscorableProbe,
        "baseline": records.BaselineScore,
        "rate": records.Rate,
        "flips": records.FlipRow,
        "map": records.ExcessMap,
    }
    for name, record in homes.items():
        assert list(SCHEMA["$defs"][name]["properties"]) == [f.name for f in fields(record)]
    derived = {"schema_version", "ok", "max_excess", "families_hit"}
    assert set(SCHEMA["properties"]) == {f.name for f in fields(Report)} | derived


def test_nothing_in_the_schema_is_optional():
    for part in (SCHEMA, *SCHEMA["$defs"].values()):
        assert part["required"] == list(part["properties"])
        assert part["additionalProperties"] is False


def test_a_missing_field_does_not_validate():
    document = strict(full_report().to_json())
    del document["findings"][0]["evidence"]  # type: ignore[index]
    assert not VALIDATOR.is_valid(document)


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_back_code_point_for_code_point(text: str):
    made = full_report(text)
    assert report_from_json(made.to_json()) == made


def test_a_lone_surrogate_is_written_as_an_escape_and_survives():
    written = full_report("a\ud83db").to_json()
    assert "a\\ud83db" in written
    assert written.isascii()
    assert report_from_json(written).findings[0].payload == "a\ud83db"


def test_a_number_that_is_not_finite_becomes_null():
    made = report(
        findings=(finding(attack_shift=float("nan"), excess=float("inf")),),
        settings={"x": float("-inf")},
    )
    document = strict(made.to_json())
    assert document["max_excess"] is None
    assert document["findings"][0]["attack_shift"] is None  # type: ignore[index]
    assert document["settings"] == {"x": None}
    VALIDATOR.validate(document)


def test_derived_values_are_in_the_document():
    document = strict(full_report().to_json())
    assert document["schema_version"] == 1
    assert document["ok"] is False
    assert document["max_excess"] == 25.0
    assert document["families_hit"] == ["plain", "role_reversal"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a report: it is empty"),
        ("{", "not a report: not whole: it ends in the middle"),
        ('{"schema_version": 1, "notes": ["cut', "not whole: it ends in the middle"),
        ('{\n "a": 1,}', "not a report: not JSON at line 2, column 9"),
        ("def target(text):", "not JSON at line 1, column 1"),
        ("[]", "not an object"),
        ("[" * 100_000, "not JSON: nested too deep"),
        ("9" * 9_999, "not JSON: a number too long to read"),
        ("{}", "schema version None"),
        ('{"schema_version": 2}', "schema version 2"),
        ('{"schema_version": 1}', "the document has no list 'confounded'|'findings'"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(text: str, says: str):
    with pytest.raises(UsageError, match=says) as caught:
        report_from_json(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"target":', '"tarjet":', "the document has a key too many, 'tarjet'"),
        ('"excess":', '"ex":', "item 1 of 'findings' has a key too many, 'ex'"),
        ('"hits": 1,', "", "'fail_to_pass' of item 1 of 'flips' lacks 'hits'"),
    ],
)
def test_an_edited_report_is_refused_in_our_own_words(old: str, new: str, says: str):
    with pytest.raises(UsageError) as caught:
        report_from_json(full_report().to_json().replace(old, new, 1))
    assert str(caught.value) == f"not a report: {says}"


def test_an_unknown_field_is_refused():
    document = strict(report().to_json())
    document["extra"] = 1
    with pytest.raises(UsageError, match="extra"):
        report_from_json(json.dumps(document))


def test_a_setting_json_has_no_type_for_is_written_as_text(tmp_path):
    made = replace(report(), settings={"corpus": tmp_path})
    assert strict(made.to_json())["settings"] == {"corpus": str(tmp_path)}
