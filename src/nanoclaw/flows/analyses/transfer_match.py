"""Finds the transfer a document belongs to: by the id in it or given with it, else the only open one, else
people choose.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import SessionId, moment_of
from nanoclaw.domain.people import Rights, Role
from nanoclaw.domain.transfers import Analysis, AnalysisState, Transfer, TransferState
from nanoclaw.durable import analyses, memberships, people, sessions, transfers, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.transfers.changes import CLEARED

_ID = re.compile(r"(?<![0-9a-z])tr_[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])", re.IGNORECASE)
_LABELLED = re.compile(rf"transfer[\W_]{{0,4}}id\W{{0,20}}(?P<id>{_ID.pattern})", re.IGNORECASE)
_GOING_ON = (
    AnalysisState.RECEIVED,
    AnalysisState.ASKING,
    AnalysisState.UNDERSTOOD,
    AnalysisState.IMPORTED,
    AnalysisState.UNDONE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentOrigin:
    """Where a document was brought, and by whom. Only transfers that this person may see can be meant."""

    company: str
    group: str
    rights: Rights
    chat_id: str
    thread: str | None


def ids_in(text: str) -> list[str]:
    """The ids labelled as the transfer's id; if there are none, every id in the text."""
    labelled = [match["id"] for match in _LABELLED.finditer(text)]
    found = labelled or _ID.findall(text)
    return list(dict.fromkeys(each.lower() for each in found))


def match(
    tx: Tx, texts: Sequence[str], given: str | None, place: DocumentOrigin, at: datetime
) -> Transfer | list[Transfer]:
    """The transfer that is meant, or several for a person to choose from. `texts` are in order of precedence.
    Raises Refused.
    """
    named = next((ids for ids in map(ids_in, texts) if ids), [])
    if given and named and given not in named:
        raise Refused("analysis-of-other", named=named[0][-SHORT:], given=given[-SHORT:])
    if given:
        return check(tx, given, place, at)
    if len(named) == 1:
        return check(tx, named[0], place, at)
    known = [each for each in open_for(tx, place) if not named or each.id in named]
    here = [each for each in known if _is_here(tx, each, place)]
    if not known:
        raise Refused("analysis-no-transfer")
    if len(here) == 1 or len(known) == 1:
        return check(tx, (here if len(here) == 1 else known)[0].id, place, at)
    return here or known


def check(tx: Tx, transfer_id: str, place: DocumentOrigin, at: datetime) -> Transfer:
    """Check that the transfer still accepts a result brought at `at`. Raises Refused with the reason."""
    transfer, short = transfers.locked(tx, transfer_id), transfer_id[-SHORT:]
    if transfer is None:
        raise Refused("analysis-unknown-transfer", id=short)
    if transfer.company != place.company:
        raise Refused("analysis-foreign", id=short)
    if not _may_bring(transfer, place):
        raise Refused("analysis-other-group", id=short)
    match transfer.state:
        case TransferState.CANCELLED:
            cleared = transfer.reason == CLEARED
            raise Refused("analysis-session-over" if cleared else "analysis-cancelled", id=short)
        case TransferState.RESUMED:
            raise Refused("analysis-resumed", id=short)
        case TransferState.EXPIRED:
            raise Refused("analysis-expired", id=short)
        case TransferState.CREATED:
            raise Refused("analysis-not-released", id=short)
        case TransferState.DELIVERED:
            pass
    if transfer.expires_at <= at:
        raise Refused("analysis-expired", id=short)
    if _is_session_over(tx, transfer):
        raise Refused("analysis-session-over", id=short)
    return transfer


def may_be_back(tx: Tx, transfer: Transfer) -> bool:
    """Whether a document that was brought in time but not yet read may belong to this transfer."""
    return any(
        _may_bring(transfer, place_of(each, memberships.rights_of(tx, people.person(tx, each.person_id))))
        for each in analyses.unmatched(tx, transfer.company, transfer.expires_at)
    )


def find(tx: Tx, ref: str, place: DocumentOrigin, at: datetime) -> Transfer:
    """Find a transfer by its id or the last letters of it. Raises Refused."""
    wanted = ref.strip().strip("#`").lower()
    if not _ID.fullmatch(wanted):
        fits = transfers.ending(tx, wanted) if len(wanted) >= SHORT else []
        ending = [each for each in fits if each.company == place.company]
        if len(ending) != 1:
            raise Refused("analysis-unknown-transfer", id=wanted[:40])
        wanted = ending[0].id
    return check(tx, wanted, place, at)


def open_for(tx: Tx, place: DocumentOrigin) -> list[Transfer]:
    """Transfers that wait for a result, in groups this person belongs to."""
    return [
        each
        for each in transfers.open_in(tx, place.company)
        if each.state is TransferState.DELIVERED and place.rights.role_in(each.group).may(Role.MEMBER)
    ]


def refuse_repeat(tx: Tx, company: str, sha256: str, analysis_id: str = "") -> None:
    """Refuse a document that was already taken in; one that was refused may be brought again."""
    for each in analyses.of_document(tx, company, sha256):
        if each.id != analysis_id and each.state in _GOING_ON:
            raise Refused("analysis-again", id=each.id[-SHORT:], name=each.file_name)


def place_of(analysis: Analysis, rights: Rights) -> DocumentOrigin:
    return DocumentOrigin(
        company=analysis.company,
        group=analysis.group,
        rights=rights,
        chat_id=analysis.chat_id,
        thread=analysis.thread,
    )


def brought_at(analysis: Analysis, at: datetime) -> datetime:
    """When it was brought. Deadlines are judged by this, not by how long people or a model take. The clock
    may be set back.
    """
    return min(analysis.created_at, at)


def _may_bring(transfer: Transfer, place: DocumentOrigin) -> bool:
    needed = Role.MEMBER if transfer.group == place.group else Role.ADMIN
    return place.rights.role_in(transfer.group).may(needed)


def _is_here(tx: Tx, transfer: Transfer, place: DocumentOrigin) -> bool:
    session = sessions.known(tx, SessionId(transfer.session_id))
    return session is not None and (session.chat_id, session.thread or "") == (
        place.chat_id,
        place.thread or "",
    )


def _is_session_over(tx: Tx, transfer: Transfer) -> bool:
    """Whether the session was restarted since, or its agent no longer listens to that chat: nobody could continue."""
    session = sessions.known(tx, SessionId(transfer.session_id))
    if session is None or session.group not in wirings.groups_of(tx, session.chat_id):
        return True
    return moment_of(session.cleared_by or "") > moment_of(transfer.id)
