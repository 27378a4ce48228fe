"""The latest messages of a session as transfer.md shows them, all words of others quoted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nanoclaw.domain.text import without_internal
from nanoclaw.domain.transfers import MOST_MESSAGE
from nanoclaw.durable.session_record import SaidLine
from nanoclaw.flows.transfers.quotes import in_code, in_line, quoted
from nanoclaw.texts import say

_MOST_NAME = 60
_LONGEST_SECRET = 4_000  # characters, such as a private key
_MOST_FILES = 10  # names next to one message


@dataclass(frozen=True, kw_only=True, slots=True)
class Recent:
    """`text` shows as many messages as there was room for."""

    text: str
    left_out: int


def chosen(said: Sequence[SaidLine], most: int, scrub: Callable[[str], str]) -> list[SaidLine]:
    """The newest messages that fit into so many bytes, scrubbed and cut: older ones are not even searched."""
    found: list[SaidLine] = []
    left = most
    for each in reversed(said):
        # Cut after scrubbing: half a secret would not be recognised.
        text = scrub(without_internal(each.text)[: MOST_MESSAGE + _LONGEST_SECRET])
        if len(text) > MOST_MESSAGE:
            text = f"{text[:MOST_MESSAGE].rstrip()} […]"
        left -= len(text.encode())
        if left < 0:
            break
        files = tuple(replace(file, name=scrub(file.name)) for file in each.files)
        attachments = tuple(replace(file, name=scrub(file.name)) for file in each.attachments)
        found.append(replace(each, text=text, files=files, attachments=attachments))
    return found[::-1]


def shown(
    messages: Sequence[SaidLine], said_count: int, names: Callable[[SaidLine], str], language: str, most: int
) -> Recent:
    """`names` says who spoke."""
    blocks: list[str] = []
    left = most
    for each in reversed(messages):
        block = _block(each, names(each), language)
        left -= len(block.encode()) + 2
        if left < 0:
            break
        blocks.append(block)
    left_out = said_count - len(blocks)
    if left_out:
        blocks.append(f"*{say(language, 'package-older', count=left_out)}*")
    return Recent(text="\n\n".join(reversed(blocks)), left_out=left_out)


def speaker(
    guests: Mapping[str, int], language: str, scrub: Callable[[str], str]
) -> Callable[[SaidLine], str]:
    """Names for speakers. Guests are numbered: their names are nobody's business elsewhere."""
    members: dict[tuple[str, str], str] = {}

    def name(said: SaidLine) -> str:
        if said.person_id is None:
            return say(language, "package-agent")
        if number := guests.get(said.person_id):
            return say(language, "package-guest", number=number)
        who = said.person_id, said.sender
        if who not in members:
            members[who] = in_line(scrub(said.sender), _MOST_NAME)
        return members[who]

    return name


def _block(said: SaidLine, name: str, language: str) -> str:
    names = [each.name for each in said.files] + [each.name for each in said.attachments]
    files = ", ".join(map(in_code, names[:_MOST_FILES]))
    told = [f"**{name}** · {said.at:%Y-%m-%d %H:%M} UTC"]
    told += [said.text] if said.text.strip() else []
    told += [say(language, "package-with-files", files=files)] if files else []
    return quoted("\n".join(told))
