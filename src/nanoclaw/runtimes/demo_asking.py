"""What the demo model says of people's answers: hosts tell agents of them in English, whatever the reader speaks."""

import re

from nanoclaw.texts import say

_OPEN = "Nobody has answered yet"  # how the host says so
_CHOSE = re.compile(
    r'(?P<name>.+) chose "(?P<label>.*)" \((?P<option>[^()]*)\), .*?\.(?: They wrote: (?P<said>.*))?', re.S
)
_WROTE = re.compile(r"(?P<name>.+) answered, .*?\. They wrote: (?P<said>.*)", re.S)
_DEFAULT = re.compile(
    r'Nobody answered in time\. The default is taken: "(?P<label>.*)" \((?P<option>[^()]*)\)\..*'
)
_ASKED = "You asked: "
_OURS = ("approve", "reject")


def asked(text: str, language: str, *, ok: bool) -> str:
    """After the tool."""
    if text.startswith(_OPEN):
        return say(language, "demo-asked-open")
    return say(language, "demo-asked" if ok else "demo-asked-badly", said=_in_words(text, language))


def brought(text: str, language: str) -> str:
    """An answer that came later, with the question."""
    question, _, answer = text.partition("\n")
    if language == "en" or not question.startswith(_ASKED) or not answer:
        return say(language, "demo-woken", said=text)
    told = say(language, "demo-asked-what", question=question.removeprefix(_ASKED))
    return say(language, "demo-woken", said=f"{told} {_in_words(answer, language)}")


def _in_words(text: str, language: str) -> str:
    """Whatever is not known is passed on as it is."""
    if language == "en":
        return text
    if found := _CHOSE.fullmatch(text):
        told = say(language, "demo-chose", name=found["name"], label=_label(found, language))
        return f"{told} {say(language, 'demo-wrote-too', said=found['said'])}" if found["said"] else told
    if found := _WROTE.fullmatch(text):
        return say(language, "demo-wrote", name=found["name"], said=found["said"])
    if found := _DEFAULT.fullmatch(text):
        return say(language, "demo-default-taken", label=_label(found, language))
    return text


def _label(found: re.Match[str], language: str) -> str:
    return say(language, f"option-{found['option']}") if found["option"] in _OURS else found["label"]
