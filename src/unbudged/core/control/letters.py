"""Other characters of a character's class: its script, case and width, vowel for vowel."""

from __future__ import annotations

from functools import lru_cache

# letters of made-up words, common ones more often
VOWELS = "aaeeeeiioou"
CONSONANTS = "bcddfgghkllmmnnnpprrrsssttttvw"
_CLASSES = (
    VOWELS,
    CONSONANTS + "jqxyz",
    VOWELS.upper(),
    CONSONANTS.upper() + "JQXYZ",
    "0123456789",
    "àáâäãåèéêëìíîïòóôöõùúûüæøœ",
    "ÀÁÂÄÃÅÈÉÊËÌÍÎÏÒÓÔÖÕÙÚÛÜÆØŒ",
    "çñšžčřćłđğş",
    "ÇÑŠŽČŘĆŁĐĞŞ",
    "аеиоуыэюяі",
    "бвгджзклмнпрстфхцчшщ",
    "АЕИОУЫЭЮЯІ",
    "БВГДЖЗКЛМНПРСТФХЦЧШЩ",
    "αεηιουω",
    "βγδζθκλμνξπρστφχψ",
    "ΑΕΗΙΟΥΩ",
    "ΒΓΔΖΘΚΛΜΝΞΠΡΣΤΦΧΨ",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "بتثجحخدرزسشصضطظعغفقكلمنهوي",
    "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "山川水木花月雨雪風雲石田竹林森海湖河春夏秋冬鳥魚馬牛羊草葉果茶米豆桃梅松桜島空星",
    "かきくけこさしすせそたちつてとなにぬねのはひふへほまみむめも",
    "カキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモ",
    "가나다라마바사아자차카타파하고노도로모보소오조초코토포호구누두루무부수우주추쿠투푸후",
    ".,;:!?",
    "-_~",
    "\"'`",
    "/|\\",
    "+*=#&@%$^",
    "([{",
    ")]}",
    "<>",
    "\u200b\u200c\u200d\u2060\ufeff",
)
_CLASS_OF = {char: group for group in _CLASSES for char in group}

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = "abcdef"
#: symbols that say nothing of a mark, of three and of four bytes in UTF-8
SYMBOLS = {
    3: "☁☂☎☕☘⚓⚙⚛⛄⛅⛲⛵⛺✂✈✉✏❄",
    4: "🌿🍂🌊🍎🐟🐢🦋🌵🍋🍇🚲🎈🎻🪑🧺🧶🌻🐝🚜🪁",
}


@lru_cache(maxsize=4096)
def alternatives(char: str) -> str:
    """Return the characters that may stand for one, without itself; empty when there is none."""
    group = _CLASS_OF.get(char)
    if group is None:
        group = _neighbours(char)
    return group.replace(char, "")


def runs(token: str) -> list[str]:
    """Return the choices for each character of a random-looking run; hex stays hex."""
    prefix = 2 if token[:2] in ("0x", "0X") else 0
    body = token[prefix:]
    letters = HEX if set(body.lower()) <= set(HEX + DIGITS) else LOWER
    sets = [letters, letters.upper(), DIGITS]
    choices = [""] * prefix
    for char in body:
        group = next((s for s in sets if char in s), "")
        choices.append(group.replace(char, ""))
    return choices


def dates(token: str) -> list[str]:
    """Return the choices for each character of an ISO date, so that it stays one."""
    choices = ["" if c in "-:Tt " else DIGITS.replace(c, "") for c in token]
    choices[0] = "12".replace(token[0], "") if token[0] in "12" else "123456789"
    choices[5] = ""
    choices[6] = ("12" if token[5] == "1" else "123456789").replace(token[6], "")
    choices[8] = "12" if token[8] == "3" else ""
    choices[9] = ("12345678").replace(token[9], "")
    if len(token) > 10:
        choices[11] = choices[14] = ""
        choices[12] = ("0123" if token[11] == "2" else DIGITS).replace(token[12], "")
        if len(token) > 16:
            choices[17] = ""
    return choices


def escapes(token: str) -> tuple[str, ...]:
    """Return escapes of other ASCII letters, alike in case and in digits and hex letters."""
    decimal = token.startswith("&#") and token[2] not in "xX"
    lead = next(p for p in ("&#x", "&#X", "&#", "\\u", "\\x", "%") if token.startswith(p))
    body = token[len(lead) :].rstrip(";")
    code = int(body, 10 if decimal else 16)
    if code > 0x7F or not chr(code).isalpha():
        return ()
    letters = LOWER if chr(code).islower() else LOWER.upper()
    made = []
    for char in letters:
        digits = str(ord(char)) if decimal else f"{ord(char):x}"
        if any(c.isupper() for c in body):
            digits = digits.upper()
        digits = digits.zfill(len(body))
        if digits != body and [c.isdigit() for c in digits] == [c.isdigit() for c in body]:
            made.append(lead + digits + (";" if lead[0] == "&" else ""))
    return tuple(made)


def _neighbours(char: str) -> str:
    """Find characters near one in its block that share category, width and size in UTF-8."""
    import unicodedata

    code = ord(char)
    kind = unicodedata.category(char)
    if char.isspace() or kind[0] in "CZM":
        return ""

    def alike(other: str) -> bool:
        return (
            unicodedata.category(other) == kind
            and unicodedata.east_asian_width(other) == unicodedata.east_asian_width(char)
            and len(other.encode()) == len(char.encode())
            and len(other.upper()) == len(other.lower()) == 1
            and other.isdigit() == char.isdigit()
        )

    for block in (64, 256):
        low = code // block * block
        found = "".join(c for c in map(chr, range(low, low + block)) if alike(c))
        if len(found) > 3:
            break
    return found
