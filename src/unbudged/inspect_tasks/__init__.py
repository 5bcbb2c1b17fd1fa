"""The tasks that Inspect AI finds once both are installed: verdict_injection, verdict_forging."""

from __future__ import annotations

from ..adapters.extras import check_extra

# An Inspect AI too old is said in one sentence, not by the first name that is missing in it.
check_extra("inspect")
