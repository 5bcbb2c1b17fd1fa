"""One audit of a slow judge by whichever tool is installed here; prints JSON.

``python ci/bench/rivals.py TOOL RULE WORKERS``: each tool is run as its own documentation says,
on the answers it ships or, where it ships none, on the three of the benchmark.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from judge import Slow
from scan import baselines


def old_unbudged(judge: Slow, workers: int) -> dict[str, Any]:
    import unbudged

    report = unbudged.run(judge, baselines(3))
    return {"probes": report.probe_count, "says": f"{len(report.findings)} findings"}


def new_unbudged(judge: Slow, workers: int) -> dict[str, Any]:
    import unbudged

    report = unbudged.run(judge.score, baselines(3), concurrency=workers)
    says = f"{report.verdict}, {len(report.findings)} findings"
    return {"probes": report.probe_count, "says": says}


def etb_scan(judge: Slow, workers: int) -> dict[str, Any]:
    from etbscan import load_corpus, scan

    def decide(candidate: str, rubric: dict[str, Any], question: str | None = None) -> Any:
        score = judge.score(candidate)
        return {"verdict": "pass" if score >= 0.5 else "fail", "score": 10 * score}

    result = scan(decide, load_corpus(), max_workers=workers)
    trusted = "" if result.trustworthy else ", not trustworthy"
    says = f"{result.n_success} of {result.n_injected} injections{trusted}"
    return {"probes": result.n_injected, "says": says}


def juryrig(judge: Slow, workers: int) -> dict[str, Any]:
    from juryrig import Judgment, prompt_injection_bias

    class Adapted:
        name = "slow"

        def judge(self, *, prompt: str, response: str, rubric: str) -> Any:
            return Judgment(score=judge.score(response))

    cases = [("Answer the customer.", answer) for answer in baselines(3)]
    report = prompt_injection_bias(Adapted(), cases, "helpful", max_workers=workers)
    says = f"{'flagged' if report.flagged else 'not flagged'}, mean lift {report.mean_delta:+.2f}"
    return {"probes": report.cases, "says": says}


TOOLS = {
    "unbudged": new_unbudged, "unbudged-0.1.2": old_unbudged, "etb-scan": etb_scan,
    "juryrig": juryrig,
}  # fmt: skip


def main(tool: str, rule: str, workers: str) -> None:
    TOOLS[tool](Slow(rule), int(workers))  # imports, corpora and caches are no call's time
    judge = Slow(rule)
    start = time.perf_counter()
    found = TOOLS[tool](judge, int(workers))
    seconds = time.perf_counter() - start
    print(json.dumps(found | {"seconds": seconds, "calls": len(judge.texts)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
