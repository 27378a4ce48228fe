"""What would happen to a message: who says it, where, and which agent would get it. Writes nothing."""

from collections.abc import Collection

from nanoclaw.admission.commands import read_command
from nanoclaw.admission.judge import Accumulated, Admitted, Dropped, Held
from nanoclaw.admission.refusals import Refusal
from nanoclaw.console.people_shapes import Finding, Trial, Verdict
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.ids import ChatId, MessageId, PersonId
from nanoclaw.domain.messages import Chat, Message
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access import AccessChanges
from nanoclaw.flows.incoming.admission import Commanded, Decision, MessageAdmission
from nanoclaw.texts import say


def explain(
    tx: Tx,
    trial: Trial,
    language: str,
    *,
    message_admission: MessageAdmission,
    access: AccessChanges,
    skills: Collection[str],
) -> Verdict:
    """An unknown chat or person is treated as new. `skills` are the commands that skills answer. `addressed` None: as
    is usual in such a chat."""
    place, sender = _chat_or_new(tx, access, trial.chat), _person_or_new(tx, access, trial.person)
    usually = place.kind is ChatKind.PRIVATE or read_command(trial.text) is not None
    message = Message(
        id=MessageId(""),
        chat_id=place.id,
        person_id=sender.id,
        sender=sender.name,
        text=trial.text,
        sent_at=now(),
        received_at=now(),
        reply_to=None,
        end=None,
        reason=None,
        thread=trial.thread,
        addressed=usually if trial.addressed is None else trial.addressed,
    )
    arrival = message_admission.meet(tx, message, place, sender, now())
    decision = message_admission.decide(arrival, skills)
    groups = decision.groups if isinstance(decision, Admitted) else ()
    waits = (message_admission.due_at(arrival, groups) - arrival.at).total_seconds()
    return _told(language, decision, round(waits))


def _chat_or_new(tx: Tx, access: AccessChanges, ref: str) -> Chat:
    try:
        return access.find_chat(tx, ref)
    except NotFound:
        kind = ChatKind.GROUP if ref.startswith("-") else ChatKind.PRIVATE
        return Chat(id=ChatId(""), channel="", address=ref, title=ref, kind=kind)


def _person_or_new(tx: Tx, access: AccessChanges, ref: str) -> Person:
    try:
        return access.find_person(tx, ref)
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


def _told(language: str, decision: Decision, waits: int) -> Verdict:
    if isinstance(decision, Commanded):
        role = decision.command.role if decision.command else ""
        sentence = say(language, f"explain-{decision.fault or 'order'}", name=decision.given.name, role=role)
        return Verdict(verdict="refused" if decision.fault else "order", sentence=sentence, findings=[])
    reason = say(language, f"reason-{decision.reason}")
    if isinstance(decision, Refusal):
        return Verdict(
            verdict="refused", sentence=say(language, "explain-refused", reason=reason), findings=[]
        )
    names = {Admitted: "admitted", Accumulated: "accumulated", Held: "held", Dropped: "dropped"}
    name = names[type(decision)]
    groups = "" if isinstance(decision, Dropped) else ", ".join(decision.groups)
    sentence = say(language, f"explain-{name}", groups=groups, reason=reason)
    if waits > 0:
        sentence += " " + say(language, "explain-waits", seconds=waits)
    return Verdict(
        verdict=name,
        sentence=sentence,
        findings=[
            Finding.of(finding, sentence=say(language, f"reason-{finding.reason}"))
            for finding in decision.findings
        ],
    )
