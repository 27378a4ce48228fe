"""What Telegram does to a text: cleans and trims it, checks and shifts its entities, counts in UTF-16 units."""

import re
from typing import Any

from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.markup import parse_html, parse_markdown
from nanoclaw.testing.telegram.refusals import Refusal

Entity = dict[str, Any]

TEXT = 4096  # UTF-16 units
CAPTION = 1024
_ENTITIES = 100  # Telegram shows no more of them
_TYPES = {
    "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic", "underline",
    "strikethrough", "spoiler", "blockquote", "expandable_blockquote", "code", "pre", "text_link", "text_mention",
    "custom_emoji", "date_time",
}  # fmt: skip
_CODE = {"code", "pre"}
_STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
_QUOTES = {"blockquote", "expandable_blockquote"}
_SPACES = " \n"
_UNSEEN = re.compile(
    "[\\s\u180e\u200b-\u200f\u2060-\u2064\u115f\u1160\u3164\u2800\ufeff\U000e0000-\U000e007f]*"
)
_GONE = re.compile("[\r\u2028-\u202e\u0333\u033f\u030a]")
_TO_SPACE = dict.fromkeys([*range(10), 11, 12, *range(14, 32)], " ")
_FOUND = re.compile(
    r"(?P<bot_command>(?<![\w/@])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?\b)"
    r"|(?P<url>\bhttps?://[^\s<>\"]+[^\s<>\".,;:!?)\]])"
    r"|(?P<email>\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b)"
    r"|(?P<mention>(?<!\w)@[A-Za-z]\w{3,31}\b)"
    r"|(?P<hashtag>(?<!\w)#\w*[^\W\d]\w*)"
)


def units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def find_entities(text: str) -> list[Entity]:
    """What Telegram detects by itself in what a person writes."""
    if text.isascii() and not any(mark in text for mark in "/@#:"):
        return []
    return [
        {"type": str(found.lastgroup), "offset": units(text[: found.start()]), "length": units(found[0])}
        for found in _FOUND.finditer(text)
    ]


def read_content(form: Form, name: str, *, required: bool = False, too_long: str = "") -> dict[str, Any]:
    """`text` or `caption` with its entities, as fields of a message and as it will be shown."""
    entities, limit = ("entities", TEXT) if name == "text" else ("caption_entities", CAPTION)
    text = form.text(name)
    mode = form.text("parse_mode").lower()
    if mode == "html":
        text, marks = parse_html(text)
    elif mode == "markdownv2":
        text, marks = parse_markdown(text)
    elif mode in ("", "none"):
        marks = _given(form, entities)
    else:
        raise Refusal("unsupported parse_mode")
    text, marks = tidy(text, marks)
    if _UNSEEN.fullmatch(text):
        text, marks = "", []
    if units(text) > limit:
        raise Refusal(too_long or f"message {'' if name == 'text' else 'caption '}is too long")
    if required and not text:
        raise Refusal("message text is empty")
    return ({name: text} if text else {}) | ({entities: marks} if marks else {})


def _given(form: Form, name: str) -> list[Entity]:
    marks = form.nested(name, "can't parse entities JSON object")
    if marks is None:
        return []
    if not isinstance(marks, list) or not all(isinstance(mark, dict) for mark in marks):
        raise Refusal("can't parse entities: expected an Array of Objects")
    for mark in marks:
        if not isinstance(mark.get("offset"), int) or not isinstance(mark.get("length"), int):
            raise Refusal('can\'t parse MessageEntity: Field "offset" and "length" must be of type Number')
        if mark.get("type") not in _TYPES:
            raise Refusal("can't parse MessageEntity: unsupported type specified")
        if mark["type"] == "text_link" and not mark.get("url"):
            raise Refusal("can't parse MessageEntity: Can't find field \"url\"")
    return marks


def tidy(text: str, marks: list[Entity]) -> tuple[str, list[Entity]]:
    """Control characters become spaces or go, outer white space goes, and every entity moves with its characters."""
    _check_places(text, marks)
    marks = [dict(mark) for mark in marks if mark["length"] > 0]
    for gone in reversed(list(_GONE.finditer(text))):
        _cut(marks, units(text[: gone.start()]))
    text = _GONE.sub("", text).translate(_TO_SPACE)
    marks.sort(key=_from_outer_to_inner)
    text = text.rstrip(_SPACES)
    end = units(text)
    for mark in marks:
        mark["length"] = min(mark["length"], end - mark["offset"])
    marks = [mark for mark in marks if mark["length"] > 0 and _part(text, mark).strip(_SPACES)]
    # Text before the first entity is trimmed; white space inside it stays, such as the indent of code.
    first = marks[0]["offset"] if marks else end
    lead = min(len(text) - len(text.lstrip(_SPACES)), first)
    for mark in marks:
        mark["offset"] -= lead
    _check_nesting(marks)
    return text[lead:], marks[:_ENTITIES]


def _from_outer_to_inner(mark: Entity) -> tuple[int, int, bool, bool]:
    return mark["offset"], -mark["length"], mark["type"] not in _QUOTES, mark["type"] in _CODE


def _part(text: str, mark: Entity) -> str:
    if text.isascii():
        return text[mark["offset"] : mark["offset"] + mark["length"]]
    start, end = mark["offset"] * 2, (mark["offset"] + mark["length"]) * 2
    return text.encode("utf-16-le")[start:end].decode("utf-16-le")


def _cut(marks: list[Entity], at: int) -> None:
    """One unit at this position is gone."""
    for mark in marks:
        if at < mark["offset"]:
            mark["offset"] -= 1
        elif at < mark["offset"] + mark["length"]:
            mark["length"] -= 1


def _check_places(text: str, marks: list[Entity]) -> None:
    if not marks:
        return
    encoded = text.encode("utf-16-le")
    size = len(encoded) // 2

    def splits(position: int) -> bool:
        return 0 < position < size and 0xDC <= encoded[position * 2 + 1] <= 0xDF

    def byte(position: int) -> int:
        return len(encoded[: (position + 1) * 2].decode("utf-16-le").encode())

    for mark in marks:
        start, end = mark["offset"], mark["offset"] + mark["length"]
        if not 0 <= start <= 1_000_000:
            raise Refusal(f"receive an entity with incorrect offset {start}")
        if mark["length"] < 0:
            raise Refusal(f"receive an entity with incorrect length {mark['length']}")
        if start > size:
            raise Refusal(f"entity begins after the end of the text at UTF-16 offset {start}")
        if end > size:
            raise Refusal(
                f"entity beginning at UTF-16 offset {start} ends after the end of the text at UTF-16 offset {end}"
            )
        if splits(start):
            raise Refusal(f"entity begins in a middle of a UTF-16 symbol at byte offset {byte(start)}")
        if splits(end):
            raise Refusal(
                f"entity beginning at UTF-16 offset {start} ends in a middle of a UTF-16 symbol "
                f"at byte offset {byte(end)}"
            )


def _check_nesting(marks: list[Entity]) -> None:
    """Telegram repairs these silently, and the person misses a style. Here it is refused, so that a test notices."""
    around: list[Entity] = []
    for mark in marks:
        kind, start, end = mark["type"], mark["offset"], mark["offset"] + mark["length"]
        around = [outer for outer in around if outer["offset"] + outer["length"] > start]
        for outer in around:
            if end > outer["offset"] + outer["length"]:
                raise Refusal(
                    f"can't parse entities: {kind} crosses {outer['type']} at UTF-16 offset {start}"
                )
            if not _may_contain(outer["type"], kind):
                raise Refusal(f"can't parse entities: {kind} inside {outer['type']} at UTF-16 offset {start}")
        around.append(mark)


def _may_contain(outer: str, inner: str) -> bool:
    if outer in _CODE or inner in _QUOTES:
        return outer in _STYLES and inner in _QUOTES
    if inner in _CODE:
        return outer in _QUOTES
    return outer in _STYLES | _QUOTES or inner in _STYLES
