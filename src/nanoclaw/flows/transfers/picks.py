"""Files that stay here unless somebody picks them: what a package lists, and what was picked so far.

Both are kept in the transfer's `removed`. A pick names a content, not a path: a file that changes afterwards is
listed again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.domain.transfers import Package, Transfer
from nanoclaw.flows.transfers.artifacts import CollectedArtifacts
from nanoclaw.flows.transfers.candidates import Why

_UNCHOSEN, _PICKED, _SECRETS = "unchosen", "picked", "secrets"


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedFile:
    """A file that stays, by its number on the card."""

    number: int
    name: str
    size: int
    why: str
    key: str
    sha256: str

    @property
    def is_secret(self) -> bool:
        return self.why == Why.NAME


def noted(collected: CollectedArtifacts, transfer: Transfer) -> dict[str, Any]:
    """What a new package says about them in its `removed`."""
    return {
        _UNCHOSEN: {"files": [asdict(each) for each in collected.unchosen], "more": collected.more},
        _SECRETS: [each.name for each in collected.taken if each.is_secret],
        _PICKED: dict((transfer.removed or {}).get(_PICKED) or {}),
    }


def listed(package: Package | Transfer) -> list[ListedFile]:
    found = ((package.removed or {}).get(_UNCHOSEN) or {}).get("files", ())
    return [ListedFile(number=number, **each) for number, each in enumerate(found, 1)]


def unlisted(package: Package | Transfer) -> int:
    """How many further files stay, for which the list has no room."""
    return int(((package.removed or {}).get(_UNCHOSEN) or {}).get("more", 0))


def secrets(package: Package | Transfer) -> list[str]:
    """Files that leave although their names say that they are secrets: an owner picked them."""
    return list((package.removed or {}).get(_SECRETS) or ())


def picked(transfer: Transfer) -> dict[str, str]:
    """The SHA-256 of the contents that people picked, by the keys of their files."""
    return {key: each["sha256"] for key, each in ((transfer.removed or {}).get(_PICKED) or {}).items()}


def chosen(transfer: Transfer, numbers: Iterable[int], by: Actor) -> list[ListedFile]:
    """The files with these numbers. Raises Refused: no such number, or a secret that is not theirs to pick."""
    known = {each.number: each for each in listed(transfer)}
    wanted = dict.fromkeys(numbers)
    if not known:
        raise Refused("transfer-nothing-to-pick")
    if not wanted or not wanted.keys() <= known.keys():
        raise Refused("transfer-pick-which", count=len(known))
    found = [known[number] for number in wanted]
    if not by.rights.role_in(transfer.group).may(Role.OWNER) and any(each.is_secret for each in found):
        names = names_of(each for each in found if each.is_secret)
        raise Refused("transfer-pick-secret", names=names)
    return found


def names_of(found: Iterable[ListedFile]) -> str:
    """As a person is shown them."""
    return ", ".join(shown_line(each.name) for each in found)


def with_picked(transfer: Transfer, found: Iterable[ListedFile], by: Actor) -> Mapping[str, Any]:
    """The transfer's `removed` with these picked too."""
    removed = dict(transfer.removed or {})
    fresh = {each.key: {"sha256": each.sha256, "name": each.name, "by": by.handle} for each in found}
    return {**removed, _PICKED: {**(removed.get(_PICKED) or {}), **fresh}}
