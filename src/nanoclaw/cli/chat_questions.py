"""Questions whose card a terminal chat has not seen: those asked before it began, and those of programs."""

from nanoclaw.cli.chat_plans import is_plan
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.connection import Client, Line
from nanoclaw.domain.parcels import QUESTION
from nanoclaw.domain.questions import QuestionKind
from nanoclaw.domain.text import gist
from nanoclaw.texts import say

_LOOK_BACK = 50  # lines of the room
_MOST_TOLD = 20


class OpenQuestions:
    def __init__(self, client: Client, language: str) -> None:
        self._client = client
        self._language = language
        self._known: set[str] = set()
        self._is_first = True

    async def cards(self) -> list[Line]:
        """The cards of this room that can still be pressed, and those of plans."""
        newest = await self._client.newest(_LOOK_BACK)
        found = [line for line in newest if _question_of(line) or is_plan(line)]
        self._known.update(filter(None, map(_question_of, found)))
        return found

    async def elsewhere(self) -> list[str]:
        """A line for each of the others that has none yet; the inbox has the rest. Questions that agents have
        asked since were seen on their cards.
        """
        found = (await self._client.ask("GET", f"/api/questions?limit={_MOST_TOLD}"))["questions"]
        first, self._is_first = self._is_first, False
        if not first:
            await self.cards()  # that came while nobody was connected
        return [self._line(row) for row in found if (first or _is_of_program(row)) and self._is_new(row)]

    async def news(self, question: Line) -> list[str]:
        """A line for one that a program asks right now: its card is on the page and on the phone."""
        if question["status"] != "pending" or question["id"] in self._known:
            return []
        row = await self._client.ask("GET", f"/api/questions/{question['id']}")
        if not _is_of_program(row):
            return []
        await (
            self.cards()
        )  # a question of a batch, of memory or of the context is in the room where it was asked for
        return [self._line(row)] if self._is_new(row) else []

    def _is_new(self, row: Line) -> bool:
        return bool(row["may_decide"]) and row["status"] == "pending" and row["id"] not in self._known

    def _line(self, row: Line) -> str:
        self._known.add(row["id"])
        # Nobody reads Markdown here, and the card has the rest.
        asked = one_line(gist(row["question"]))
        if row["type"] == QuestionKind.INTERACTIVE.word:
            return say(self._language, "chat-question-session", question=asked, id=row["short"])
        if row["options"]:
            choices = ", ".join(f"`/decide {row['short']} {each['id']}`" for each in row["options"])
            return say(self._language, "chat-question", question=asked, choices=choices)
        return say(self._language, "chat-question-words", question=asked, id=row["short"])


def _is_of_program(row: Line) -> bool:
    """Whether a program asks: agents and runs have their cards in a chat."""
    return row["session_id"] is None and row.get("chain_id") is None


def _question_of(line: Line) -> str | None:
    data = (str(button["data"]).split(":") for button in line["buttons"])
    return next((parts[1] for parts in data if parts[0] == QUESTION), None)
