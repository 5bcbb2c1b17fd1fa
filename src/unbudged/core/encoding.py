"""The encodings a payload may hide its plain text in."""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Callable

_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_CYRILLIC = str.maketrans(
    "aeopcxyiAEOPCX",
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0410\u0415\u041e\u0420\u0421\u0425",
)
_FULLWIDTH = {c: c + 0xFEE0 for c in range(0x21, 0x7F)} | {0x20: 0x3000}
_TAGS = {c: 0xE0000 + c for c in range(0x20, 0x7F)}
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])(?=[^\W\d_])")
_LETTER = re.compile(r"[^\W\d_]")


def _base64(plain: str) -> str:
    data = plain.encode("utf-8", "surrogatepass")
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _variation(plain: str) -> str:
    # a byte as a variation selector: 16 in one block, the other 240 in another
    data = plain.encode("utf-8", "surrogatepass")
    return "".join(chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in data)


def _escapes(plain: str) -> str:
    units = plain.encode("utf-16-be", "surrogatepass")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in pairs)


def _url(plain: str) -> str:
    from urllib.parse import quote

    return quote(plain, safe="", errors="surrogatepass")


ENCODERS: dict[str, Callable[[str], str]] = {
    "base64": _base64,
    "rot13": lambda plain: codecs.encode(plain, "rot13"),
    "leet": lambda plain: plain.translate(_LEET),
    "spaced": lambda plain: "   ".join(" ".join(word) for word in plain.split(" ")),
    "url": _url,
    "cyrillic": lambda plain: plain.translate(_CYRILLIC),
    "zero_width": lambda plain: _BETWEEN_LETTERS.sub("\u200b", plain),
    "rlo": lambda plain: f"\u202e{plain[::-1]}\u202c",
    "fullwidth": lambda plain: plain.translate(_FULLWIDTH),
    "combining": lambda plain: _LETTER.sub("\\g<0>\u0336", plain),
    "hex": lambda plain: plain.encode("utf-8", "surrogatepass").hex(),
    "reversed": lambda plain: plain[::-1],
    "html": lambda plain: "".join(f"&#x{ord(c):x};" for c in plain),
    "escapes": _escapes,
    "tags": lambda plain: plain.translate(_TAGS),
    "variation": _variation,
}


def encode(plain: str, encoding: str) -> str:
    """Encode plain text the way the corpus does; raises KeyError for an unknown encoding."""
    return ENCODERS[encoding](plain)
