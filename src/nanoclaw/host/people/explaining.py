"""What would become of a message: who says it, where, and which agent would hear it. Nothing is written."""

from nanoclaw.admission.commands import read_order
from nanoclaw.admission.judge import Accumulated, Admitted, Dropped, Held
from nanoclaw.admission.refusals import Refusal
from nanoclaw.console.keeper import Explained, FindingRow
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.messages import Chat, Message
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.door.admitting import Decision, Ordered
from nanoclaw.host.door import Door
from nanoclaw.texts import say


def explained(
    tx: Tx,
    door: Door,
    language: str,
    *,
    chat: str,
    person: str,
    text: str,
    addressed: bool | None,
    thread: str | None,
) -> Explained:
    """A chat or person that is not there is taken for a new one, of whom nothing is known."""
    place, sender = _chat_or_new(tx, door, chat), _person_or_new(tx, door, person)
    is_private = place.kind is ChatKind.PRIVATE
    message = Message(
        id=MessageId(""),
        chat_id=place.id,
        person_id=sender.id,
        sender=sender.name,
        text=text,
        sent_at=now(),
        received_at=now(),
        reply_to=None,
        end=None,
        reason=None,
        thread=thread,
        addressed=is_private or read_order(text) is not None if addressed is None else addressed,
    )
    arrival = door.admitting.meet(tx, message, place, sender, now())
    decision = door.admitting.decide(arrival, door.shelf.commands().keys())
    groups = decision.groups if isinstance(decision, Admitted) else ()
    waits = (door.admitting.due_at(arrival, groups) - arrival.at).total_seconds()
    return _told(language, decision, round(waits))


def _chat_or_new(tx: Tx, door: Door, ref: str) -> Chat:
    try:
        return door.rulings.find_chat(tx, ref)
    except NotFound:
        kind = ChatKind.GROUP if ref.startswith("-") else ChatKind.PRIVATE
        return Chat(id=ChatId(""), channel="", address=ref, title=ref, kind=kind)


def _person_or_new(tx: Tx, door: Door, ref: str) -> Person:
    try:
        return door.rulings.find_person(tx, ref)
    except NotFound as missing:
        if missing.key == "several-people":
            raise
        return Person(
            id=PersonId(""),
            handle=ref if ":" in ref else f"telegram:{ref}",
            name=ref,
            role=Role.STRANGER,
            language=None,
            timezone=None,
        )


def _told(language: str, decision: Decision, waits: int) -> Explained:
    if isinstance(decision, Ordered):
        role = decision.command.role if decision.command else ""
        sentence = say(language, f"explain-{decision.fault or 'order'}", name=decision.order.name, role=role)
        return Explained(verdict="refused" if decision.fault else "order", sentence=sentence, findings=())
    reason = say(language, f"reason-{decision.reason}")
    if isinstance(decision, Refusal):
        return Explained(
            verdict="refused", sentence=say(language, "explain-refused", reason=reason), findings=()
        )
    names = {Admitted: "admitted", Accumulated: "accumulated", Held: "held", Dropped: "dropped"}
    name = names[type(decision)]
    groups = "" if isinstance(decision, Dropped) else ", ".join(decision.groups)
    sentence = say(language, f"explain-{name}", groups=groups, reason=reason)
    if waits > 0:
        sentence += " " + say(language, "explain-waits", seconds=waits)
    return Explained(
        verdict=name,
        sentence=sentence,
        findings=tuple(
            FindingRow(
                group=finding.group,
                outcome=finding.outcome.value,
                sentence=say(language, f"reason-{finding.reason}"),
            )
            for finding in decision.findings
        ),
    )
