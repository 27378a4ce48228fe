"""Everything that changes a transfer of a session: it is asked for, may leave, comes back, is given up or
expires.

Each change is one transaction. What takes longer, packing and delivering, is done by the story
(`flows/transfer.py`), which is due after every change.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Person, Rights, Role
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.domain.transfers import LIFETIME, SOURCE_RUNTIME, Target, Transfer, TransferState
from nanoclaw.domain.turns import Session
from nanoclaw.durable import audit, people, questions, session_queue, sessions, transfers, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.transfers import picks, repacking
from nanoclaw.flows.transfers.picks import ListedFile
from nanoclaw.texts import say

SEND, CANCEL = "send_package", "cancel"
"""The choices on the card."""
MOST_OPEN = 3  # of one session
MOST_PURPOSE = 1000
GIVEN_UP = "transfer-reason-given-up"
DECLINED = "transfer-reason-declined"
NOBODY = "transfer-reason-nobody"
CLEARED = "transfer-reason-cleared"
GROUP_GONE = "transfer-reason-group-gone"
ALTERED = "transfer-reason-altered"
FAILED = "transfer-reason-failed"
UNDELIVERED = "transfer-reason-undelivered"
"""Why a transfer was cancelled: keys of texts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Transfers:
    """`version` is that of this program."""

    groups: Groups
    decisions: Decisions
    resolution: Resolution
    version: str
    lifetime: timedelta = LIFETIME

    def ask_for(
        self,
        tx: Tx,
        *,
        person: Person,
        rights: Rights,
        session: Session,
        chat: Chat,
        thread: str | None,
        target: Target,
        purpose: str,
        language: str,
        at: datetime,
        message_id: str | None = None,
        turn_id: str | None = None,
        not_before: datetime | None = None,
    ) -> Transfer:
        """Ask for a transfer. It is packed next; then an owner or admin decides whether it may leave. Raises
        Refused.
        """
        company = self.groups.company_of(session.group)
        if not company or not rights.role_in(session.group).may(Role.MEMBER):
            raise Refused("transfer-forbidden")
        if not sessions.exchanges(tx, session, 1) and turn_id is None:
            raise Refused("transfer-no-session")
        if len(transfers.open_of(tx, session.id)) >= MOST_OPEN:
            raise Refused("transfer-too-many", most=MOST_OPEN)
        purpose = "" if is_empty(purpose) else " ".join(storable(purpose).split())
        if len(purpose) > MOST_PURPOSE:
            raise Refused("transfer-purpose-long", most=MOST_PURPOSE, count=len(purpose))
        if message_id is None and turn_id is None:
            # From the page or a terminal: `why` tells it with the latest message.
            message_id = session_queue.last_in(tx, session.id)
        transfer = Transfer(
            id=transfers.new_transfer_id(),
            company=company,
            group=session.group,
            session_id=session.id,
            chat_id=chat.id,
            thread=thread,
            person_id=person.id,
            message_id=message_id,
            turn_id=turn_id,
            purpose=purpose,
            source_runtime=SOURCE_RUNTIME,
            source_version=self.version,
            target=target,
            language=language,
            created_at=at,
            expires_at=at + self.lifetime,
        )
        transfers.add(tx, transfer)
        work.due(tx, work.TRANSFER, transfer.id, not_before or at)
        return transfer

    def release(
        self, tx: Tx, transfer_id: str, by: Actor, at: datetime, *, seen: str | None = None
    ) -> Transfer:
        """Let it leave, as if its card had been pressed. `seen`: the hash of the package that they were shown;
        it may have been packed again since. Raises Refused.
        """
        transfer = _open(tx, transfer_id)
        if transfer.state is not TransferState.CREATED:
            raise Refused("transfer-released")
        if transfer.question_id is None or transfer.packed_at is None:
            raise Refused("transfer-not-packed")
        if seen not in (None, transfer.content_hash):
            raise Refused("transfer-packed-again")
        self.decisions.decide(tx, transfer.question_id, SEND, by, at)
        return transfer

    def pick(
        self, tx: Tx, transfer_id: str, numbers: Iterable[int], by: Actor, at: datetime
    ) -> list[ListedFile]:
        """Take along files that stay otherwise, by their numbers on the card. Whoever may decide it may, and
        only an owner if the name says that it is a secret. It is packed and asked about again. Raises
        Refused.
        """
        transfer = _open(tx, transfer_id)
        if transfer.state is not TransferState.CREATED:
            raise Refused("transfer-released")
        if transfer.question_id is None or transfer.packed_at is None:
            raise Refused("transfer-not-packed")
        question, *_ = self.decisions.theirs(tx, transfer.question_id, by, at)
        if not question.is_open:
            raise Refused("transfer-released")
        found = picks.chosen(transfer, numbers, by)
        names = picks.names_of(found)
        repacking.note_picked(tx, transfer, by.name, names, at)
        transfers.mark(tx, transfer.id, packed_at=None, removed=picks.with_picked(transfer, found, by))
        audit.record(tx, by, at, "transfer-picked", transfer.id, group=transfer.group, files=names)
        # Nobody can release what was shown before: the next card is about another package.
        self.resolution.cancel(tx, question, by, at)
        work.due(tx, work.TRANSFER, transfer.id, at)
        return found

    def cancel(self, tx: Tx, transfer_id: str, by: Actor, at: datetime, reason: str = GIVEN_UP) -> Transfer:
        """Cancel it, as the person who asked for it or an admin of its group. What has left does not come
        back. Raises Refused.
        """
        transfer = _open(tx, transfer_id)
        asked_by = people.person(tx, transfer.person_id)
        if asked_by.handle != by.handle and not by.rights.role_in(transfer.group).may(Role.ADMIN):
            raise Refused("transfer-cancel-forbidden")
        self.end(tx, transfer, TransferState.CANCELLED, at, reason=reason, by=by)
        return transfers.get(tx, transfer_id) or transfer

    def resumed(self, tx: Tx, transfer_id: str, at: datetime) -> Transfer:
        """Mark that its result came back, in the transaction that takes the result in. Raises Refused."""
        transfer = _open(tx, transfer_id)
        if transfer.state is not TransferState.DELIVERED:
            raise Refused("transfer-not-delivered", id=transfer.id[-SHORT:])
        self.end(tx, transfer, TransferState.RESUMED, at)
        return transfers.get(tx, transfer_id) or transfer

    def end(
        self,
        tx: Tx,
        transfer: Transfer,
        state: TransferState,
        at: datetime,
        *,
        reason: str | None = None,
        by: Actor | None = None,
        told: str | None = None,
    ) -> None:
        """End it: its open question is closed, and the story removes the package. `told` is said in its chat."""
        transfers.mark(tx, transfer.id, state=state, ended_at=at, reason=reason)
        if by and state is TransferState.CANCELLED:
            audit.record(
                tx,
                by,
                at,
                "transfer-cancelled",
                transfer.id,
                target=transfer.target.value,
                group=transfer.group,
                reason=reason,
            )
            question = questions.locked(tx, transfer.question_id) if transfer.question_id else None
            if question and question.is_open:
                self.resolution.cancel(tx, question, by, at)
        if told:
            self.tell(tx, transfer, told, at)
        work.due(tx, work.TRANSFER, transfer.id, at)

    def tell(self, tx: Tx, transfer: Transfer, text: str, at: datetime) -> None:
        """Post in its chat, unless nothing can be sent there any more."""
        chat = people.chat(tx, transfer.chat_id)
        if chat is None or chat.closed:
            return
        outbox.post(tx, chat_id=ChatId(chat.id), thread=transfer.thread, author=Author.HOST, text=text, at=at)

    def find(self, tx: Tx, by: Actor, ref: str) -> Transfer:
        """Find it by its id or the last letters of it, among those this person may see. Raises NotFound."""
        wanted = ref.strip().lower()
        exact = transfers.get(tx, wanted)
        fits = [exact] if exact else transfers.ending(tx, wanted) if len(wanted) >= SHORT else []
        theirs = [each for each in fits if may_see(each, by.rights)]
        if len(theirs) != 1:
            raise NotFound("no-such-transfer", id=ref[:80])
        return theirs[0]


def may_see(transfer: Transfer, rights: Rights) -> bool:
    return rights.role_in(transfer.group).may(Role.MEMBER)


def reason_in(transfer: Transfer, language: str) -> str:
    """Why it was cancelled."""
    return say(language, transfer.reason) if transfer.reason else ""


def _open(tx: Tx, transfer_id: str) -> Transfer:
    """The open transfer, locked until the transaction ends. Raises Refused if it is over."""
    transfer = transfers.locked(tx, transfer_id)
    if transfer is None:
        raise NotFound("no-such-transfer", id=transfer_id[:80])
    if not transfer.is_open:
        raise Refused("transfer-over", id=transfer.id[-SHORT:], state=transfer.state.value)
    return transfer
