"""How the demo plays a batch: topics, texts and grades from a small script, so that it can be watched without
a key.

Every fourteenth text has a longer list than a Telegram post may have, so that one can see the check find it.
"""

import json
import re
from collections.abc import Mapping
from itertools import product
from typing import Any
from xml.sax.saxutils import unescape

from nanoclaw.texts import say

# As written by flows/batches/prompts.py and topics.py; what people said is escaped there.
_TOPICS = re.compile(r"Find (?P<count>\d+) topics for them, in (?P<language>\w+)")
_TAKEN = re.compile(r'<taken count="(?P<count>\d+)">')
_TOPIC = re.compile(r"<topic>(?P<text>[^<]*)</topic>")
_NUMBER = re.compile(r'<text number="(?P<number>\d+)"')
_LANGUAGE = re.compile(r"<language>(?P<language>\w+)</language>")
_WISH = re.compile(r"<wish>(?P<text>[^<]*)</wish>")
_ADAPTOR = re.compile(r'<adaptor file=\\?"(?P<name>[a-z]+)')
# What the starter's adaptors for these channels want besides the text itself.
_FORMS = {
    "linkedin": "{text}\n\n#practice #learning #smallteams",
    "email": "Subject: A note from the demo\nPreview: What a batch looks like\n\n{text}\n\n"
    "[Unsubscribe / Відписатися](https://example.com/unsubscribe)",
    "instagram": "{text}\n\n## Image\n\nA table by the window.\n\n## First comment\n\n"
    + " ".join(f"#tag{letter}" for letter in "abcdefghijklmnopqrst"),
}
_CODES = {"Ukrainian": "uk", "English": "en"}
_WAYS = 7  # of each part of a text; any two of 49 texts share at most one part
_FAULTY = 14
_GRADE = 8


def answer(prompt: str) -> str:
    """Answer a question of the host itself: a list of topics, or a grade."""
    wanted, taken = _TOPICS.search(prompt), _TAKEN.search(prompt)
    if wanted is None:
        return json.dumps({"grade": _GRADE})
    first, language = int(taken["count"]) if taken else 0, _CODES.get(wanted["language"], "en")
    return json.dumps(_topics(language)[first : first + int(wanted["count"])], ensure_ascii=False)


def write(params: Mapping[str, Any]) -> str:
    """The text that a request asks for, the same each time."""
    prompt = str(params["messages"][0]["content"])
    found, spoken = _NUMBER.search(prompt), _LANGUAGE.search(prompt)
    number = int(found["number"]) if found else 1
    language = _CODES.get(spoken["language"], "en") if spoken else "en"
    again = number // _WAYS
    places = {"why": number, "how": number + again, "do": 2 * number + again}
    lines = [say(language, f"demo-batch-{part}-{place % _WAYS + 1}") for part, place in places.items()]
    if number % _FAULTY == 0:
        lines.insert(2, say(language, "demo-batch-list"))
    if wish := _said(_WISH, prompt):
        lines.append(say(language, "demo-batch-wish", wish=wish))
    text = "\n\n".join([f"**{_said(_TOPIC, prompt)}**", *lines])
    channels = _ADAPTOR.findall(str(params.get("system", "")))
    return _FORMS[channels[-1]].format(text=text) if channels and channels[-1] in _FORMS else text


def _topics(language: str) -> list[str]:
    """Topics of which neighbours share neither a beginning nor a thing."""
    words = (say(language, f"demo-batch-{name}").split("|") for name in ("readers", "sides", "things"))
    readers, sides, things = ([each.strip() for each in listed] for listed in words)
    return [
        f"{sides[(place + turn) % len(sides)]} {thing} {reader}"
        for reader, turn in product(readers, range(len(sides)))
        for place, thing in enumerate(things)
    ]


def _said(pattern: re.Pattern[str], prompt: str) -> str:
    match = pattern.search(prompt)
    return unescape(match["text"]) if match else ""
