"""Check the error guarantee by simulation and write docs/measurement.md.

    python ci/measure.py [--scans N] [--power N] [--jobs N] [--only SECTION] [--check]

False alarms of whole scans over noise models no payload matters to, power over effect
sizes, and judge calls against designs with fixed numbers of calls. ``--check`` runs a
short version and exits 1 when a model raises more alarms than alpha allows.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import unbudged
from unbudged.core.stats import wilson

DOC = Path(__file__).parent.parent / "docs" / "measurement.md"
ALPHA = 0.01
BASELINES = [
    "The caller gave two proofs of who they are, so I unlocked the account and noted the time.",
    "Leaves take in light and turn water and air into sugar, which feeds the rest of the plant.",
    "The loop ends one step early, so the last value in the list is never compared.",
]
TARGETED = "system.chat_turn"  # the one payload a planted effect listens to


def uniform(text: str, salt: str) -> float:
    digest = hashlib.sha256(f"{salt}\0{text}".encode()).hexdigest()
    return (int(digest[:13], 16) + 0.5) / 16**13


def gauss_of(text: str, salt: str) -> float:
    """A standard normal draw that only the text decides."""
    return NormalDist().inv_cdf(uniform(text, salt))


def whole(value: float, low: float, high: float) -> float:
    return float(max(low, min(high, round(value))))


def added(text: str) -> str:
    """The part after the first blank line: the payload or control itself."""
    return text.partition("\n\n")[2]


Score = Callable[[str, random.Random, int, str], float]

# (text, random numbers of this judge, number of the call, salt of this judge) -> score
MODELS: dict[str, tuple[str, Score]] = {
    "gaussian": ("independent noise, sd 5", lambda t, r, n, s: 50 + r.gauss(0, 5)),
    "integers": ("1 to 10, sd 1", lambda t, r, n, s: whole(r.gauss(6, 1), 1, 10)),
    "coin": ("passes half of all answers", lambda t, r, n, s: float(r.random() < 0.5)),
    "rare": ("passes 3% of all answers", lambda t, r, n, s: float(r.random() < 0.03)),
    "cauchy": ("noise without a variance",
               lambda t, r, n, s: 50 + math.tan(math.pi * (r.random() - 0.5))),
    "drift": ("slow drift and noise", lambda t, r, n, s: 40 + 0.03 * n + r.gauss(0, 2)),
    "alternating": ("every second call scores 5 more", lambda t, r, n, s: 50 + 5.0 * (n % 2)),
    "jumps of five": ("repeatable, 1 to 5, jumps by one on a fifth of texts",
                      lambda t, r, n, s: 3.0 + (uniform(t, s) < 0.2)),
    "jumps of ten": ("repeatable, 1 to 10, jumps by one or two on 60% of texts",
                     lambda t, r, n, s: whole(5 + 1.2 * gauss_of(t, s), 1, 10)),
    "rare jumps": ("repeatable, leaps on 3% of texts",
                   lambda t, r, n, s: 50 + 50.0 * (uniform(t, s) < 0.03)),
    "wild texts": ("repeatable, every text its own score, heavy tails",
                   lambda t, r, n, s: 50 + math.tan(math.pi * (uniform(t, s) - 0.5))),
    "wording": ("repeatable, each added wording its own shift wherever it stands, sd 3",
                lambda t, r, n, s: 50 + 3 * gauss_of(added(t), s)),
    "wording in noise": ("the same with sd 2, under noise of sd 5",
                         lambda t, r, n, s: 50 + 2 * gauss_of(added(t), s) + r.gauss(0, 5)),
}


def jumpy(centre: float, low: float, high: float, share: float) -> Score:
    def score(text: str, rng: random.Random, n: int, salt: str) -> float:
        u = uniform(text, salt)
        step = 0.0 if u >= share else 1.0 if u < share / 2 else -1.0
        return max(low, min(high, centre + step))

    return score


JUMPY = ("1 to 5, 20%", "1 to 5, 60%", "1 to 10, 20%", "1 to 10, 60%")
for _name in JUMPY:
    _high = float(_name.split(",")[0].split()[-1])
    _share = float(_name.split(", ")[1][:-1]) / 100
    MODELS[_name] = ("", jumpy(2.0 if _high == 5 else 5.0, 1.0, _high, _share))
POWER_MODELS = ("gaussian", "integers", "jumps of five", "jumps of ten")
SPREADS = {"gaussian": 5.0, "integers": 1.04, "jumps of five": 0.4, "jumps of ten": 1.21}
LIFTS = {
    "gaussian": (0.75, 1.0, 1.25, 1.5, 2.0, 3.0),
    "integers": (0.75, 1.0, 1.25, 1.5, 2.0, 3.0),
    "jumps of five": (2.5, 5.0),
    "jumps of ten": (0.83, 1.65, 2.5),
}


@dataclass
class Judge:
    """A judge of one model; ``lift`` is added when the targeted payload is in the text."""

    model: str
    seed: int
    lift: float = 0.0
    calls: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(f"judge {self.seed}")
        (attack,) = [a for a in unbudged.load_corpus() if a.id == TARGETED]
        self.payload = attack.text

    def score(self, text: str) -> float:
        self.calls += 1
        value = MODELS[self.model][1](text, self.random, self.calls, str(self.seed))
        return value + (self.lift if self.lift and self.payload in text else 0.0)


def scan(task: tuple[str, int, float]) -> tuple[set[str], int, int, float]:
    """Return the payloads found, calls, probes and the smallest shift the report claims."""
    model, seed, lift = task
    # few scan seeds and many judges: texts are made once per scan seed
    report = unbudged.run(Judge(model, seed, lift), BASELINES, seed=seed % 8)
    smallest = report.smallest_detectable.get("up") or 0.0
    return {f.attack_id for f in report.findings}, report.calls, report.probe_count, smallest


def null_table(pool: ProcessPoolExecutor, scans: int) -> tuple[list[str], bool, dict[str, float]]:
    rows = ["| judge | what it does | scans | false alarms | 95% interval | calls per probe |",
            "|---|---|---|---|---|---|"]
    fine, alarms_all, cost = True, 0, {}
    for model, (what, _) in MODELS.items():
        if model in JUMPY:
            continue  # their own table
        done = list(pool.map(scan, [(model, seed, 0.0) for seed in range(scans)], chunksize=8))
        alarms = sum(bool(found) for found, *_ in done)
        low, high = wilson(alarms, scans)
        cost[model] = sum(c for _, c, _, _ in done) / scans
        probes = sum(p for _, _, p, _ in done)
        fine = fine and low <= ALPHA
        alarms_all += alarms
        rows.append(f"| {model} | {what} | {scans} | {alarms} | {low:.1%} to {high:.1%} |"
                    f" {cost[model] * scans / probes:.2f} |")
        print(rows[-1], file=sys.stderr, flush=True)
    total = scans * (len(MODELS) - len(JUMPY))
    low, high = wilson(alarms_all, total)
    rows.append(f"| **all** | | {total} | {alarms_all} | {low:.2%} to {high:.2%} | |")
    return rows, fine and low <= ALPHA, cost


def power_table(pool: ProcessPoolExecutor, scans: int) -> list[str]:
    rows = ["| judge | lift (sd of one call) | lift (score units) | found | 95% interval |"
            " smallest shift claimed (median of null scans) |",
            "|---|---|---|---|---|---|"]
    for model in POWER_MODELS:
        nulls = list(pool.map(scan, [(model, 9000 + i, 0.0) for i in range(21)], chunksize=4))
        claims = sorted(s for *_, s in nulls)
        for lift in LIFTS[model]:
            size = lift * SPREADS[model]
            tasks = [(model, 5000 + i, size) for i in range(scans)]
            hits = sum(TARGETED in found for found, *_ in pool.map(scan, tasks, chunksize=4))
            low, high = wilson(hits, scans)
            rows.append(f"| {model} | {lift:g} | {size:.2f} | {hits / scans:.0%} |"
                        f" {low:.0%} to {high:.0%} | {claims[len(claims) // 2]:.2f} |")
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def claim_table(pool: ProcessPoolExecutor, scans: int) -> list[str]:
    """Plant the very shift a null scan claims it would have found with 90% probability."""
    rows = ["| judge | shift claimed | found | 95% interval |", "|---|---|---|---|"]
    for model in POWER_MODELS:
        nulls = list(pool.map(scan, [(model, 9000 + i, 0.0) for i in range(21)], chunksize=4))
        claim = sorted(s for *_, s in nulls)[10]
        tasks = [(model, 7000 + i, claim) for i in range(scans)]
        hits = sum(TARGETED in found for found, *_ in pool.map(scan, tasks, chunksize=4))
        low, high = wilson(hits, scans)
        rows.append(f"| {model} | {claim:.2f} | {hits / scans:.0%} | {low:.0%} to {high:.0%} |")
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def cost_table(cost: dict[str, float]) -> list[str]:
    attacks, cells = 33, 99
    normal = NormalDist().inv_cdf

    def pairs(tests: int) -> int:
        z = normal(1 - ALPHA / (2 * tests)) + normal(0.9)
        return math.ceil(2 * (z / 1.5) ** 2)

    per_probe = 2 * cells * pairs(cells)
    per_payload = 2 * attacks * pairs(attacks)
    ten = 2 * cells * 10
    rows = [
        f"(a) fixed, each probe tested: {pairs(cells)} pairs per probe, {per_probe} calls. "
        f"(a') fixed, each payload tested over all baselines together: {pairs(attacks)} pairs per"
        f" payload, {per_payload} calls. (b) ten trials of every attack and control: {ten} calls.",
        "",
        "| noisy clean judge | calls per scan | of (a) | of (a') | of (b) |",
        "|---|---|---|---|---|",
    ]
    for model in ("gaussian", "integers", "coin", "cauchy", "drift"):
        calls = cost[model]
        rows.append(f"| {model} | {calls:.0f} | {calls / per_probe:.0%} |"
                    f" {calls / per_payload:.0%} | {calls / ten:.0%} |")
    return rows


def jumpy_table(pool: ProcessPoolExecutor, scans: int) -> list[str]:
    """Repeatable judges that jump on a share of texts, with and without a lift of two points."""
    rows = ["| judge | jumps on | lift | scans | right | calls per probe |",
            "|---|---|---|---|---|---|"]
    for model in JUMPY:
        for lift in (0.0, 2.0):
            tasks = [(model, 3000 + i, lift) for i in range(scans)]
            done = list(pool.map(scan, tasks, chunksize=4))
            right = sum((TARGETED in found) if lift else not found for found, *_ in done)
            calls = sum(c for _, c, _, _ in done) / sum(p for _, _, p, _ in done)
            scale, share = model.split(", ")
            rows.append(f"| {scale} | {share} | {lift:g} | {scans} | {right} | {calls:.2f} |")
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


HEAD = """# Measurement, checked by simulation

Written by `python ci/measure.py` (`make measure`); the rules and their guarantee are in
ARCHITECTURE.md. Every scan is the real `unbudged.run`: the core corpus, three baselines, 99 probes,
default settings (alpha 0.01 for the whole scan). Only the judges are made.
"""
SECTIONS = ("False alarms of whole scans", "Power", "The smallest shift a clean report claims",
            "Judges that repeat themselves but jump")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scans", type=int, default=156, help="null scans per judge")
    parser.add_argument("--power", type=int, default=40, help="scans per effect size")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, choices=range(4), help="write one section of four")
    parser.add_argument("--check", action="store_true", help="short run, writes nothing")
    args = parser.parse_args()
    fine = True
    with ProcessPoolExecutor(args.jobs) as pool:
        if args.check:
            _, fine, _ = null_table(pool, min(args.scans, 20))
            return 0 if fine else 1
        written = {}
        if args.only in (None, 0):
            nulls, fine, cost = null_table(pool, args.scans)
            written[0] = (
                "No payload matters to these judges; any finding is a false alarm.\n\n"
                + "\n".join(nulls)
                + "\n\nDesigns with the same alpha and 90% power at a lift of 1.5 standard"
                " deviations, two-sided, Bonferroni: n = 2 ((z_(alpha/2m) + z_0.9) / 1.5)^2"
                " pairs.\n\n" + "\n".join(cost_table(cost))
            )
        if args.only in (None, 1):
            written[1] = (
                "One payload of 33 is given an effect on every baseline; found means that very"
                " payload is a finding.\n\n" + "\n".join(power_table(pool, args.power))
            )
        if args.only in (None, 2):
            written[2] = (
                "A report without findings says which shift it would have found with 90%"
                " probability. That very shift, planted:\n\n"
                + "\n".join(claim_table(pool, args.power))
            )
        if args.only in (None, 3):
            written[3] = (
                "Five- and ten-point scales that jump by one, up or down, on a share of all"
                " texts; the lift is heard from one payload of 33.\n\n"
                + "\n".join(jumpy_table(pool, args.power))
            )
    write(written)
    return 0 if fine else 1


def write(written: dict[int, str]) -> None:
    """Write the document, keeping the sections that were not measured this time."""
    kept = {}
    if DOC.exists():
        for part in DOC.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, body = part.partition("\n")
            kept[title.strip()] = body.strip()
    parts = [HEAD]
    for i, title in enumerate(SECTIONS):
        body = written.get(i) or kept.get(title)
        if body:
            parts.append(f"## {title}\n\n{body}\n")
    DOC.parent.mkdir(exist_ok=True)
    DOC.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
