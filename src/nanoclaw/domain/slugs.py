"""Short names for files and folders, made from what people wrote: `[a-z0-9-]`, Ukrainian in Latin letters."""

import re
import unicodedata

LONGEST_SLUG = 60

# As passports write it; the soft sign and the apostrophe are left out, as they are there.
_LETTERS = {
    **dict(zip("абвгґдезиійклмнопрстуфыэё", "abvhgdezyiiklmnoprstufyee", strict=True)),
    "є": "ie",
    "ж": "zh",
    "ї": "i",
    "х": "kh",
    "ц": "ts",
    "ч": "ch",
    "ш": "sh",
    "щ": "shch",
    "ю": "iu",
    "я": "ia",
    "ь": "",
    "ъ": "",
    "'": "",
    "\u2019": "",
    "\u02bc": "",
}
_AT_START = {"є": "ye", "ї": "yi", "й": "y", "ю": "yu", "я": "ya"}
_STARTS = re.compile(r"(?<![\w'\u2019\u02bc])[єїйюя]")
_ANYTHING_ELSE = re.compile(r"[^a-z0-9]+")
_TABLE = str.maketrans(_LETTERS)
_MOST_READ = 1000  # a task may have many pages; its first words name it


def slug(text: str, otherwise: str = "") -> str:
    """The slug; `otherwise` if no letter of the text can be written like this."""
    lower = unicodedata.normalize("NFC", text[:_MOST_READ]).lower()
    latin = _STARTS.sub(lambda found: _AT_START[found[0]], lower).replace("зг", "zgh").translate(_TABLE)
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    whole = _ANYTHING_ELSE.sub("-", plain).strip("-")
    if len(whole) <= LONGEST_SLUG:
        return whole or otherwise
    cut = whole[: LONGEST_SLUG + 1].rpartition("-")[0]  # at the end of a word, if there is one
    return (cut or whole[:LONGEST_SLUG]).strip("-")
