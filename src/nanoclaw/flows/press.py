"""A person presses a button under a parcel: their right is checked, it is done once, and shown on the card.

A button's data, `<prefix>:<id>`, says what it does; the rows say whether that is still to be done. So a
second press, or one on an old card, changes nothing and says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from nanoclaw.delivery import outbox, unknown_sends
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, Press, Pressed
from nanoclaw.domain.parcels import (
    ANALYSIS,
    DROP,
    NEW_CHAT,
    PIPELINE,
    PLAN,
    QUESTION,
    RETRY,
    SEND_AGAIN,
    SENDER,
    TASK,
    Author,
    Button,
    Parcel,
    ParcelState,
)
from nanoclaw.domain.people import Actor, Person, Rights, Role
from nanoclaw.domain.questions import AGAIN, Question, Status
from nanoclaw.domain.text import as_written
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, messages, people, sent, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.analyses.commands import AnalysisCommands
from nanoclaw.flows.analyses.told import UNDO
from nanoclaw.flows.human.decisions import Decisions, TooLate
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.incoming.cards import CREATE
from nanoclaw.flows.incoming.commands import reopen
from nanoclaw.flows.pipelines.presses import RunPresses
from nanoclaw.flows.plans.changes import PlanPress, Plans
from nanoclaw.flows.tasks.presses import TaskPresses
from nanoclaw.texts import say, tell


@dataclass(frozen=True, kw_only=True, slots=True)
class _Done:
    """The result of a press."""

    pressed: Pressed
    shown: bool = False  # the cards are already updated


@dataclass(frozen=True, kw_only=True, slots=True)
class _By:
    """The person who pressed, where, and the language to answer in."""

    person: Person
    rights: Rights
    chat: Chat
    language: str
    platform_id: str
    data: str


class Presses:
    def __init__(
        self,
        *,
        store: Store,
        locale: Locale,
        approvals: Approvals,
        question_decisions: Decisions,
        tasks: TaskPresses,
        pipelines: RunPresses,
        plans: Plans,
        analyses: AnalysisCommands,
    ) -> None:
        self._store = store
        self._locale = locale
        self._approvals = approvals
        self._question_decisions = question_decisions
        self._tasks = tasks
        self._pipelines = pipelines
        self._plans = plans
        self._analyses = analyses
        self._kinds: dict[str, Callable[[Tx, str, _By], _Done]] = {
            RETRY: _retry,
            SEND_AGAIN: partial(_decide, send=True),
            DROP: partial(_decide, send=False),
            SENDER: self._approve,
            NEW_CHAT: self._approve,
            QUESTION: self._answer,
            TASK: self._change_task,
            PIPELINE: self._change_run,
            PLAN: self._change_plan,
            ANALYSIS: self._change_analysis,
        }

    async def press(self, press: Press) -> Pressed:
        return (await self._store.write(partial(self._take, press=press))).pressed

    def _take(self, tx: Tx, press: Press) -> _Done:
        person = people.person_named(tx, press.handle)
        chat = people.chat_at(tx, press.channel, press.address)
        own = Locale(language=person.language, timezone=person.timezone) if person else Locale()
        language = own.or_else(self._locale).speaks
        prefix, _, meant = press.data.partition(":")
        act = self._kinds.get(prefix)
        if person is None or chat is None or person.blocked:
            return _no(language, "press-forbidden")
        if act is None:
            return _no(language, "press-old")
        by = _By(
            person=person,
            rights=memberships.rights_of(tx, person),
            chat=chat,
            language=language,
            platform_id=press.platform_id,
            data=press.data,
        )
        unknown_sends.prove_by_press(tx, chat.id, press.platform_id, press.data, now())
        done = act(tx, meant, by)
        if not done.pressed.taken or done.shown:
            return done
        _sign(tx, outbox.alerts_about(tx, meant) or _card(tx, chat, press.platform_id), by)
        return done

    def _approve(self, tx: Tx, meant: str, by: _By) -> _Done:
        """Decide a request; the cards of everyone who was asked show the decision."""
        request_id, _, choice = meant.partition(":")
        actor = Actor.of(by.person, by.rights, via=by.chat.channel, language=by.language)
        asked_in = by.chat if by.chat.kind is ChatKind.PRIVATE else None
        try:
            decided = self._approvals.decide(tx, request_id, choice, actor, now(), asked_in=asked_in)
        except (Refused, BadWorkspace) as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        # By then the cards are signed; what was asked after them is not. "Create new" decides nothing yet.
        asked = [card for card in _card(tx, by.chat, by.platform_id) if card.buttons and choice != CREATE]
        _sign(tx, asked, by)
        said = _yes(by.language) if decided.done else Pressed(text=decided.said, taken=True)
        return _Done(pressed=said, shown=True)

    def _answer(self, tx: Tx, meant: str, by: _By) -> _Done:
        """Answer a question; the cards of everyone who was asked show the result."""
        question_id, _, choice = meant.partition(":")
        actor = Actor.of(by.person, by.rights, via=by.chat.channel, language=by.language)
        try:
            if choice == AGAIN:
                self._question_decisions.ask_again(tx, question_id, actor, now())
                _sign(tx, _card(tx, by.chat, by.platform_id), by)
                return _Done(pressed=_yes(by.language), shown=True)
            said = self._question_decisions.decide(tx, question_id, choice, actor, now(), chat_id=by.chat.id)
        except TooLate as late:
            told = tell(by.language, late)
            _offer_again(tx, late.question, told, by)
            return _Done(pressed=Pressed(text=told, taken=False))
        except Refused as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        return _Done(pressed=Pressed(text=said, taken=True), shown=True)

    def _change_task(self, tx: Tx, meant: str, by: _By) -> _Done:
        """The card of the task shows the result and keeps its buttons."""
        actor = Actor.of(by.person, by.rights, via=by.chat.channel, language=by.language)
        try:
            done = self._tasks.press(tx, meant, actor, by.chat, now())
        except Refused as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        pressed = _card(tx, by.chat, by.platform_id) if done.settled else []
        _sign(tx, [each for each in pressed if each.id != done.card], by)
        return _Done(pressed=Pressed(text=done.said, taken=True), shown=True)

    def _change_run(self, tx: Tx, meant: str, by: _By) -> _Done:
        """The message of the run shows the result."""
        actor = Actor.of(by.person, by.rights, via=by.chat.channel, language=by.language)
        try:
            said = self._pipelines.press(tx, meant, actor, by.person, now())
        except Refused as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        return _Done(pressed=Pressed(text=said, taken=True), shown=True)

    def _change_plan(self, tx: Tx, meant: str, by: _By) -> _Done:
        """Change a plan; its card shows what comes next. The data names no plan: the pressed card does."""
        card = next((each.id for each in _card(tx, by.chat, by.platform_id)), None)
        pressed = PlanPress(
            meant=meant, card=card, person=by.person, rights=by.rights, chat=by.chat, at=now()
        )
        try:
            said = self._plans.press(tx, pressed)
        except Refused as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        return _Done(pressed=Pressed(text=said, taken=True), shown=True)

    def _change_analysis(self, tx: Tx, meant: str, by: _By) -> _Done:
        """Change an analysis: findings are shown below, and one that was undone loses its buttons."""
        actor = Actor.of(by.person, by.rights, via=by.chat.channel, language=by.language)
        try:
            said = self._analyses.press(tx, meant, actor, by.chat.id, now())
        except Refused as error:
            return _Done(pressed=Pressed(text=tell(by.language, error), taken=False))
        return _Done(pressed=Pressed(text=said, taken=True), shown=not meant.endswith(f":{UNDO}"))


def _offer_again(tx: Tx, question: Question, said: str, by: _By) -> None:
    """They wanted to decide a question that timed out: offer to ask it once more."""
    origin = f"{outbox.ALERT} late {question.id} {by.chat.id}"
    nobody_waits = question.status is not Status.TIMEOUT or question.session_id is None
    if nobody_waits or outbox.posted_for(tx, origin):
        return
    pressed = _card(tx, by.chat, by.platform_id)
    outbox.post(
        tx,
        chat_id=by.chat.id,
        thread=pressed[0].thread if pressed else None,
        author=Author.HOST,
        text=as_written(said),
        at=now(),
        buttons=[Button(label=say(by.language, "button-ask-again"), data=question.again_data)],
        origin=origin,
    )


def _sign(tx: Tx, cards: Sequence[Parcel], by: _By) -> None:
    """Show who chose what, and remove the buttons."""
    for card in cards:
        label = next((button.label for button in card.buttons if button.data == by.data), "")
        note = say(by.language, "press-signed", label=as_written(label), name=as_written(by.person.name))
        outbox.amend(tx, card.id, f"{card.text}\n\n*{note}*", (), now())


def _card(tx: Tx, chat: Chat, platform_id: str) -> list[Parcel]:
    """The parcels of that message; in a room of this machine they are found by their own id."""
    card = outbox.about(tx, sent.subject_at(tx, chat.id, platform_id) or platform_id)
    return [card] if card and card.chat_id == chat.id else []


def _retry(tx: Tx, message_id: str, by: _By) -> _Done:
    """Retry a failed message; anyone who may talk to the agent here may do so."""
    if not by.rights.role_among(wirings.groups_of(tx, by.chat.id)).may(Role.MEMBER):
        return _no(by.language, "press-forbidden")
    message = messages.get(tx, message_id)
    if message is None or message.chat_id != by.chat.id:
        return _no(by.language, "press-old")
    if not reopen(tx, message_id=message_id, at=now()):
        return _no(by.language, "press-old")
    return _Done(pressed=_yes(by.language))


def _decide(tx: Tx, parcel_id: str, by: _By, *, send: bool) -> _Done:
    """Send an undelivered parcel again, or give it up."""
    if not by.person.role.may(Role.ADMIN):
        return _no(by.language, "press-forbidden")
    parcel = outbox.get(tx, parcel_id)
    if parcel is None or parcel.state not in (ParcelState.FAILED, ParcelState.UNKNOWN):
        return _no(by.language, "press-old")
    if not send:
        outbox.drop(tx, parcel, now())
        return _Done(pressed=_yes(by.language))
    outbox.retry(tx, parcel, now())
    return _Done(pressed=_yes(by.language))


def _yes(language: str) -> Pressed:
    return Pressed(text=say(language, "press-taken"), taken=True)


def _no(language: str, key: str) -> _Done:
    return _Done(pressed=Pressed(text=say(language, key), taken=False))
