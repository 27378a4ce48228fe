"""Cards with buttons in a terminal: each button has a number below the card, and is pressed by typing it.

A number is never reused in the same conversation. Otherwise, if a card arrived or was decided elsewhere while someone
was typing, their number would press something they never meant.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from nanoclaw.cli.chat_plans import choices_text, data_of, is_plan
from nanoclaw.cli.host_words import shown
from nanoclaw.cli.paper import Paper
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.connection import Line
from nanoclaw.domain.parcels import PIPELINE, PLAN, QUESTION, TASK
from nanoclaw.domain.questions import AGAIN
from nanoclaw.texts import say

_SIGNS = re.compile(r"[*_`#>│]")
_ABOVE = re.compile(r"\W*(\*\*?)[^*]+\1")  # all of it bold or italic
_REMINDS = "⏰"
_LONGEST_TITLE = 40
_NUMBER = re.compile(r"\s*/([0-9]{1,6})\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class CardButton:
    """A button under a card."""

    card: str
    data: str
    label: str


def number_in(typed: str) -> int | None:
    found = _NUMBER.fullmatch(typed)
    return int(found[1]) if found else None


def is_card(line: Line) -> bool:
    """Whether it is a card, including one without buttons that wants an answer in words: whatever the host
    says unasked.
    """
    unasked = line["author"] == "host" and line["turn"] is None and line["reply_to"] is None
    return unasked or bool(line["buttons"])


class CardReader:
    """For someone who can only look: shows each card once."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def is_new(self, name: str, line: Line) -> bool:
        new = name == "message" and is_card(line) and line["id"] not in self._ids
        if new:
            self._ids.add(line["id"])
        return new


class ShownCards:
    """The cards shown in this conversation, in their current state."""

    def __init__(
        self, paper: Paper, write: Callable[[str], None], words: Callable[[Line], str], language: str
    ) -> None:
        self._paper = paper
        self._language = language
        self._words = words
        self._write = write
        self._shown: dict[str, Line] = {}
        self._choices: dict[int, CardButton] = {}
        self._highest = 0
        self._pressed: set[str] = set()

    def is_card(self, name: str, line: Line) -> bool:
        return name == "message" and (line["id"] in self._shown or is_card(line))

    def knows(self, line: Line) -> bool:
        """Whether it was shown here."""
        return line["id"] in self._shown

    def has_news(self, line: Line) -> bool:
        """Whether there is news. Not for what was pressed here: the person has been told. New buttons are
        news to them, too.
        """
        before = self._shown.get(line["id"])
        if before is None:
            return True
        if line["id"] in self._pressed and not line["buttons"]:
            return False
        changed = (before["text"], before["buttons"]) != (line["text"], line["buttons"])
        return changed and (line["id"] not in self._pressed or before["buttons"] != line["buttons"])

    def show(self, line: Line) -> None:
        """Show a new card in full; of one shown before only what is new."""
        before = self._shown.get(line["id"])
        self._remember(line)
        known = self._words(before) if before else ""
        parts = [part for part in self._words(line).split("\n\n") if part not in known.split("\n\n")]
        of_plan = is_plan(line) or (before is not None and is_plan(before))
        fresh = list(filter(None, (_new_lines(part, known, is_plan=of_plan) for part in parts)))
        if fresh:
            self._paper.add("\n\n".join(fresh))
            self._paper.end()
        is_offered = before is not None and before["buttons"] == line["buttons"]
        if (choices := self._choices_of(line["id"])) and not is_offered:
            self._write(f"{choices}\n\n")

    def pass_over(self, line: Line) -> None:
        """Remember changes without showing them."""
        if line["id"] in self._shown:
            self._remember(line)

    def choice(self, number: int) -> CardButton | None:
        return self._choices.get(number)

    def plan_choice(self, typed: str) -> CardButton | None:
        """The button meant by this on the card of an open plan; None for any other words."""
        card = next((line for line in reversed(self._shown.values()) if is_plan(line)), None)
        data = data_of(card, typed) if card else None
        return CardButton(card=card["id"], data=data, label=typed) if card and data else None

    @property
    def offered(self) -> str:
        """Everything that can be pressed now, one line per card."""
        return "".join(f"\n{self._choices_of(card)}" for card in self._open)

    @property
    def _open(self) -> list[str]:
        return list(dict.fromkeys(each.card for each in self._choices.values()))

    def begin_press(self, choice: CardButton) -> None:
        """Changes from now on are not news, unless the press only starts something, such as ending a run."""
        if not choice.data.startswith((f"{TASK}:", f"{PIPELINE}:", f"{PLAN}:")):
            self._pressed.add(choice.card)

    def not_taken(self, choice: CardButton) -> str:
        """The card changed for another reason. Returns what can be pressed on it now."""
        self._pressed.discard(choice.card)
        return self._choices_of(choice.card)

    def _remember(self, line: Line) -> None:
        card = line["id"]
        before = self._shown.get(card)
        self._shown[card] = line
        if before is not None and before["buttons"] == line["buttons"]:
            return
        self._pressed.discard(card)
        kept = {number: each for number, each in self._choices.items() if each.card != card}
        for number, button in enumerate([] if is_plan(line) else line["buttons"], self._highest + 1):
            kept[number] = CardButton(card=card, data=button["data"], label=button["label"])
            self._highest = number
        self._choices = kept

    def _choices_of(self, card: str) -> str:
        """The choices; if several cards can be pressed, with the card they belong to."""
        if is_plan(self._shown[card]):
            return choices_text(self._language, self._shown[card])
        choices = [f"/{number} {each.label}" for number, each in self._choices.items() if each.card == card]
        about = [f"{title_of(self._shown[card])}:"] if choices and len(self._open) > 1 else []
        return "   ".join([*about, *choices])


def _new_lines(part: str, known: str, *, is_plan: bool) -> str:
    """Of a list only new lines: a run of many steps is one message, which each step would repeat. The
    questions of a plan share the same head.
    """
    lines, before = part.split("\n"), known.split("\n")
    is_list = is_plan or all(line.startswith("- ") for line in lines)
    return "\n".join(line for line in lines if line not in before) if is_list else part


def title_of(line: Line) -> str:
    """What a card is about, in a few words. Lines above a question only say that it is one, or remind of it."""
    lines = [each for each in shown(line).splitlines() if each.strip()]
    about = [each for each in lines if not _ABOVE.fullmatch(each)] or lines
    about = about[1:] if about and about[0].startswith(_REMINDS) and len(about) > 1 else about
    title = one_line(_SIGNS.sub("", about[0])).strip() if about else ""
    return f"{title[: _LONGEST_TITLE - 1]}…" if len(title) > _LONGEST_TITLE else title


def how_to_decide(language: str, line: Line) -> list[str]:
    """For someone who cannot type an answer here: the command for each choice."""
    told = []
    for place, button in enumerate(line["buttons"], 1):
        kind, _, rest = str(button["data"]).partition(":")
        question, _, option = rest.partition(":")
        if kind == QUESTION and option != AGAIN:
            told.append(say(language, "chat-decide", id=question, option=str(place), label=button["label"]))
    return told
