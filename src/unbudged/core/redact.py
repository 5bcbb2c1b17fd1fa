"""Keys and tokens, taken out of what a judge said before it is kept or shown."""

from __future__ import annotations

import os
import re
from functools import lru_cache

SHOWN = "[redacted]"
_SHAPES = re.compile(
    r"""
    \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}            # OpenAI, Anthropic, Stripe
    | \bgh[oprsu]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,}
    | \bhf_[A-Za-z0-9]{16,} | \bgsk_[A-Za-z0-9]{16,} | \bxox[abpr]-[A-Za-z0-9-]{10,}
    | \bA(?:KIA|SIA)[A-Z0-9]{16}\b                  # AWS
    | \bAIza[A-Za-z0-9_-]{30,}                      # Google
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*   # JSON web token
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)               # user:password in an address
    """,
    re.X,
)
#: a name that says what follows is secret, then the secret
_NAMED = re.compile(
    r"""(?ix)
    ( (?:api[-_ ]?key | access[-_ ]?token | auth[-_ ]?token | secret(?:[-_ ]?key)? | password
        | x-api-key | authorization ) ["']? \s* (?:[:=]|provided:|is) \s* ["']?
      (?: (?:bearer|basic) \s+ )? )
    ( [^\s"',;)}\]]{6,} )
    | ( \b bearer \s+ ) ( [A-Za-z0-9._~+/=-]{12,} )
    """
)
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")


@lru_cache(maxsize=1)
def _own() -> re.Pattern[str] | None:
    """Match the values of environment variables whose names say that they are secret."""
    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= 12 and any(word in name.upper() for word in _SECRET_NAMES)
    }
    if not values:
        return None
    return re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))


def redact(text: str) -> str:
    """Return text with secrets replaced by ``[redacted]``: values of environment variables
    named like secrets, well-known shapes of keys, and what follows "api_key=" and its like."""
    own = _own()
    if own is not None:
        text = own.sub(SHOWN, text)
    text = _SHAPES.sub(SHOWN, text)
    return _NAMED.sub(lambda m: f"{m[1] or m[3]}{SHOWN}", text)
