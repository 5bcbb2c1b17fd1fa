"""Write docs/attacks.md from docs/attacks.yaml and the corpora, or with --check fail when stale."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from unbudged.core.corpus import Attack, Corpus, Family, read_corpus

ROOT = Path(__file__).resolve().parent.parent
KINDS = ROOT / "docs" / "attacks.yaml"
DOC = ROOT / "docs" / "attacks.md"
HEAD = """\
# Attacks

<!-- Written by python ci/attacks_doc.py from docs/attacks.yaml and the YAML of the corpora. -->

`core` is the default; `--corpus extended` runs it and all the rest, `--family NAME` some of it.
Payloads are worded by us; sources name where the mechanism was published or reported. Figures are
those of their sources, for the models and prompts tried there: they say what is possible, not what
your judge does. A scan says that.

Where payloads go: behind the answer (suffix), before it (prefix), between its sentences (middle),
in its place (replace), behind every sentence (repeat), word by word between its words (weave),
character by character within them (inlay); `--placement` overrides it. Controls are dealt out in
the same way. Some leave places open: `{max_score}`,
`{pass_word}` and `{scale}` are filled from the judge's scale (`--scale 1-10`), `{goal}` from
`--goal`, `{question}` from the sample. All other braces stay as they are.
"""


def link(source: str) -> str:
    """Return a source as a Markdown link, as it is when it is neither paper nor issue."""
    if match := re.fullmatch(r"arXiv:(\d{4}\.\d{5})", source):
        return f"[{source}](https://arxiv.org/abs/{match[1]})"
    if match := re.fullmatch(r"([\w.-]+/[\w.-]+)#(\d+)", source):
        return f"[{source}](https://github.com/{match[1]}/issues/{match[2]})"
    return source


def links(sources: str) -> str:
    return ", ".join(link(source) for source in sources.split(", "))


def matching(globs: list[str], attacks: tuple[Attack, ...]) -> list[Attack]:
    """Return the payloads that globs name; every glob must name one."""
    for glob in globs:
        if not any(fnmatchcase(attack.id, glob) for attack in attacks):
            raise SystemExit(f"{KINDS.name}: no payload {glob}")
    return [a for a in attacks if any(fnmatchcase(a.id, glob) for glob in globs)]


def kinds_table(corpus: Corpus, core: set[str]) -> str:
    rows = ["| Kind | Payloads | In core | Families |", "|---|---|---|---|"]
    for row in yaml.safe_load(KINDS.read_text("utf-8")):
        if "not_shipped" in row:
            rows.append(f"| {row['kind']} | none | | {row['not_shipped']} |")
            continue
        found = matching(row["payloads"], corpus.attacks)
        names = dict.fromkeys(a.family for a in found)
        inside = sum(a.id in core for a in found)
        listed = ", ".join(f"[{name}](#{name})" for name in names)
        rows.append(f"| {row['kind']} | {len(found)} | {inside or ''} | {listed} |")
    return "\n".join(rows)


def section(family: Family, attacks: list[Attack], core: set[str]) -> str:
    places = Counter(a.placement for a in attacks)
    where = ", ".join(f"{count} {place}" for place, count in places.most_common())
    sources = family.source or ", ".join(dict.fromkeys(a.source for a in attacks if a.source))
    lines = [
        f"### {family.name}",
        "",
        family.what_it_tries,
        "",
        f"{len(attacks)} payloads: {where}.",
        "",
        f"- Fix: {family.fix}",
        *([f"- Measured: {family.figures}"] if family.figures else []),
        f"- Sources: {links(sources)}",
        "",
        "| Payload | What is special about it | Source |",
        "|---|---|---|",
    ]
    for a in attacks:
        said = a.note if a.lang == "en" else f"{a.note} ({a.lang})"
        shown = f"`{a.id}`" + (" (core)" if a.id in core else "")
        lines.append(f"| {shown} | {said} | {links(a.source or family.source or '')} |")
    return "\n".join(lines)


def document() -> str:
    """Return the text of docs/attacks.md."""
    core = {a.id for a in read_corpus("core").attacks}
    corpus = read_corpus("extended")
    langs = sorted({a.lang for a in corpus.attacks})
    count = (
        f"{len(corpus.attacks)} payloads in {len(corpus.families)} families and {len(langs)}"
        f" languages ({', '.join(langs)}); {len(core)} of them are core."
    )
    parts = [HEAD, f"{count}\n", "## Kinds\n", kinds_table(corpus, core) + "\n", "## Families\n"]
    for name, family in corpus.families.items():
        own = [a for a in corpus.attacks if a.family == name]
        parts.append(section(family, own, core) + "\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/attacks.md from the corpora.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when stale")
    check = parser.parse_args().check
    text = document()
    if not check:
        DOC.write_text(text, "utf-8")
        return 0
    if not DOC.exists() or DOC.read_text("utf-8") != text:
        print("docs/attacks.md is stale: run python ci/attacks_doc.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
