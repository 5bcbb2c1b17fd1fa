"""What the tests of the cases share: a scan with payloads of one's own."""

from __future__ import annotations

import pytest
import yaml

import unbudged


@pytest.fixture
def scan(tmp_path):
    """Return a function that scans a target with payloads of one's own."""

    def scan(target, payloads, baselines, *, placement="suffix", **options):
        attacks = [
            {"id": f"own.{n}", "family": "own", "text": text, "placement": placement, "note": "x"}
            for n, text in enumerate(payloads, 1)
        ]
        path = tmp_path / "own.yaml"
        path.write_text(yaml.safe_dump(attacks, allow_unicode=True), encoding="utf-8")
        return unbudged.run(target, baselines, corpus=str(path), **options)

    return scan
