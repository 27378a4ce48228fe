"""The rows of admission keep the same promises on every database: requests, roles, wirings, what is kept, the audit."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, MessageId, PersonId, new_id
from nanoclaw.domain.messages import Chat, End, Incoming, Message
from nanoclaw.domain.people import Actor, Person, Rights, Role, Speaker
from nanoclaw.domain.turns import Session, TurnState
from nanoclaw.domain.wirings import (
    ChatKind,
    Engage,
    EngageMode,
    IgnoredMessages,
    SenderScope,
    UnknownSenders,
    Wiring,
)
from nanoclaw.durable import (
    approvals,
    audit,
    drops,
    memberships,
    messages,
    people,
    schema,
    session_queue,
    sessions,
    wirings,
)
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import SCHEMA_VERSION

AT = now().replace(microsecond=0)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


def add_person(tx: Tx, number: int, role: Role = Role.STRANGER, network: str = "telegram") -> Person:
    return people.add_person(
        tx, handle=f"{network}:{number}", name=f"Person {number}", role=role, at=AT, username=f"user{number}"
    )


def add_chat(tx: Tx, address: str = "-100", kind: ChatKind = ChatKind.GROUP) -> Chat:
    return people.add_chat(tx, channel="telegram:6", address=address, title=address, at=AT, kind=kind)


def say(tx: Tx, chat: Chat, person: Person, text: str, **more: Any) -> Message:
    message_id = MessageId(new_id("m"))
    incoming = Incoming(
        channel=chat.channel,
        address=chat.address,
        external_id=message_id,
        handle=person.handle,
        sender=person.name,
        text=text,
        sent_at=AT,
        kind=chat.kind,
        **{"addressed": True, **more},
    )
    return messages.store(tx, message_id, incoming, chat.id, person.id, AT)


async def scene(store: Store, people_in_it: int = 1) -> tuple[Chat, list[Person]]:
    def story(tx: Tx) -> tuple[Chat, list[Person]]:
        return add_chat(tx), [add_person(tx, number) for number in range(people_in_it)]

    return await store.write(story)


class TestMigration:
    """From a database as the last version left it."""

    @pytest.fixture
    def old(self, empty_database_url: str) -> Iterator[Store]:
        store = open_store(empty_database_url)
        with store.engine.begin() as tx:
            config = import_module("alembic.config").Config()
            config.set_main_option("script_location", str(schema.MIGRATIONS))
            config.attributes["connection"] = tx
            import_module("alembic.command").upgrade(config, "0003")
        yield store
        store.close()

    def test_what_was_there_stays_and_each_chat_engages_as_before(self, old: Store) -> None:
        chats = {
            "c_web": ("web", "main"),
            "c_dash": ("web", "-5"),
            "c_alone": ("telegram:6", "71"),
            "c_group": ("telegram:6", "-5"),
            "c_super": ("telegram:6", "-100200"),
        }
        with old.engine.begin() as tx:
            _insert_old(tx, chats)
        schema.upgrade(old)
        with old.engine.begin() as tx:
            assert schema.version_of(tx) == SCHEMA_VERSION
            kinds = {chat.id: (chat.kind, chat.strangers, chat.naming) for chat in people.all_chats(tx)}
            engages = {each.chat_id: each for each in wirings.everywhere(tx)}
            owner = people.person_named(tx, "telegram:71")
            message = messages.get(tx, "m_1")
            (session,) = sessions.of_chat(tx, ChatId("c_group"), None)
            waiting = session_queue.waiting_in(tx, session.id, 10, AT)
        asked = UnknownSenders.REQUEST_APPROVAL
        alone, among = (ChatKind.PRIVATE, asked, None), (ChatKind.GROUP, asked, None)
        assert kinds == {
            "c_web": alone,
            "c_dash": alone,
            "c_alone": alone,
            "c_group": among,
            "c_super": among,
        }
        always, called = Engage(mode=EngageMode.PATTERN, pattern="."), Engage(mode=EngageMode.MENTION)
        for chat_id, (kind, _, _) in kinds.items():
            assert engages[chat_id] == Wiring(
                chat_id=chat_id,
                group="main",
                engage=always if kind is ChatKind.PRIVATE else called,
                priority=3,
            )
        assert owner is not None
        assert (owner.name, owner.role, owner.username, owner.blocked) == ("Olena", Role.OWNER, None, False)
        assert message is not None
        assert (message.text, message.addressed, message.held_for, message.end) == ("hi", True, None, None)
        assert (session.called_at, session.keeps) == (None, False)
        assert [each.id for each in waiting] == ["m_1"]

    def test_the_new_tables_are_empty_and_work(self, old: Store) -> None:
        with old.engine.begin() as tx:
            _insert_old(tx, {"c_group": ("telegram:6", "-5")})
        schema.upgrade(old)
        with old.engine.begin() as tx:
            assert (approvals.list_open(tx), audit.newest(tx, 9), drops.newest(tx, 9)) == ([], [], [])
            assert memberships.all_of(tx) == {}
            memberships.put(tx, PersonId("p_1"), "main", Role.MEMBER, AT)
            assert approvals.open_for_chat(tx, ChatId("c_group"), PersonId("p_1"), AT)
            assert approvals.open_for_sender(tx, ChatId("c_group"), PersonId("p_1"), ["main"], AT)
            assert approvals.count_open(tx) == 2


def _insert_old(tx: Tx, chats: dict[str, tuple[str, str]]) -> None:
    """Rows as version 0003 wrote them."""
    at = AT.isoformat(sep=" ") if tx.dialect.name == "postgresql" else AT.strftime("%Y-%m-%d %H:%M:%S.%f")

    def insert(table: str, **values: str | int) -> None:
        columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        tx.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({marks})"), values)  # noqa: S608 - our own names

    insert("people", id="p_1", handle="telegram:71", name="Olena", role="owner", created_at=at)
    for chat_id, (channel, address) in chats.items():
        insert("chats", id=chat_id, channel=channel, address=address, title="A chat", created_at=at)
        insert("wirings", chat_id=chat_id, agent_group="main", priority=3, created_at=at)
    insert("sessions", id="s_1", agent_group="main", chat_id="c_group", thread="", created_at=at)
    insert(
        "messages",
        id="m_1",
        channel="telegram:6",
        external_id="9",
        chat_id="c_group",
        thread="",
        person_id="p_1",
        sender="Olena",
        text="hi",
        sent_at=at,
        received_at=at,
    )
    insert("inbox", session_id="s_1", message_id="m_1")


@pytest.mark.capability("P3", "P4")
class TestRequests:
    async def test_there_is_one_for_each_person_and_chat(self, store: Store) -> None:
        chat, (olena, ivan) = await scene(store, 2)

        def story(tx: Tx) -> None:
            other = add_chat(tx, "-200")
            first = approvals.open_for_sender(tx, chat.id, olena.id, ["main", "press"], AT)
            assert first is not None
            assert approvals.open_for_sender(tx, chat.id, olena.id, ["main"], AT) is None
            assert approvals.open_for_sender(tx, chat.id, ivan.id, ["main"], AT)
            assert approvals.open_for_sender(tx, other.id, olena.id, ["main"], AT)
            assert approvals.of_sender(tx, chat.id, olena.id) == first == approvals.get(tx, first.id)
            assert (first.groups, first.is_about_chat) == (("main", "press"), False)
            assert approvals.of_sender(tx, other.id, ivan.id) is None
            assert approvals.count_open(tx) == 3

        await store.write(story)

    async def test_there_is_one_for_each_chat(self, store: Store) -> None:
        chat, (olena, ivan) = await scene(store, 2)

        def story(tx: Tx) -> None:
            first = approvals.open_for_chat(tx, chat.id, olena.id, AT)
            assert first is not None
            assert approvals.open_for_chat(tx, chat.id, ivan.id, AT) is None
            assert approvals.open_for_chat(tx, add_chat(tx, "-200").id, ivan.id, AT)
            assert first == approvals.of_chat(tx, chat.id) == approvals.get(tx, first.id)
            assert (first.groups, first.is_about_chat, first.new_group) == ((), True, None)
            approvals.put_name(tx, first.id, "sales")
            changed = approvals.get(tx, first.id)
            assert changed is not None
            assert (changed.person_id, changed.new_group) == (olena.id, "sales")

        await store.write(story)

    async def test_of_many_who_open_one_at_once_one_does(self, store: Store) -> None:
        chat, (olena,) = await scene(store)
        for opening in (
            lambda tx: approvals.open_for_sender(tx, chat.id, olena.id, ["main"], AT),
            lambda tx: approvals.open_for_chat(tx, chat.id, olena.id, AT),
        ):
            found = await asyncio.gather(*(store.write(opening) for _ in range(20)))
            assert sum(each is not None for each in found) == 1
        assert await store.read(approvals.count_open) == 2

    async def test_of_many_who_decide_at_once_one_does(self, store: Store) -> None:
        chat, (olena,) = await scene(store)

        def opening(tx: Tx) -> list[str]:
            asked = approvals.open_for_sender(tx, chat.id, olena.id, ["main"], AT)
            wanted = approvals.open_for_chat(tx, chat.id, olena.id, AT)
            assert asked
            assert wanted
            return [asked.id, wanted.id]

        for request_id in await store.write(opening):

            def taking(tx: Tx, request_id: str = request_id) -> bool:
                return approvals.take(tx, request_id)

            taken = await asyncio.gather(*(store.write(taking) for _ in range(20)))
            assert sum(taken) == 1
            assert await store.read(lambda tx, found=request_id: approvals.get(tx, found)) is None  # type: ignore[misc]
        assert not await store.write(lambda tx: approvals.take(tx, "w_nothing"))
        assert not await store.write(lambda tx: approvals.take(tx, ""))

    async def test_when_it_is_decided_the_same_can_be_asked_again(self, store: Store) -> None:
        chat, (olena,) = await scene(store)

        def story(tx: Tx) -> None:
            for _ in range(2):
                found = approvals.open_for_sender(tx, chat.id, olena.id, ["main"], AT)
                assert found is not None
                assert approvals.take(tx, found.id)

        await store.write(story)

    async def test_all_are_listed_in_the_order_in_which_they_came(self, store: Store) -> None:
        chat, strangers = await scene(store, 3)

        def story(tx: Tx) -> None:
            for number, person in enumerate(reversed(strangers)):
                approvals.open_for_sender(
                    tx, chat.id, person.id, ["main"], AT + timedelta(seconds=2 * number)
                )
            approvals.open_for_chat(tx, chat.id, strangers[0].id, AT + timedelta(seconds=3))
            found = approvals.list_open(tx)
            assert [each.created_at - AT for each in found] == [timedelta(seconds=n) for n in (0, 2, 3, 4)]
            assert [each.is_about_chat for each in found] == [False, False, True, False]

        await store.write(story)

    async def test_a_name_is_asked_for_in_one_chat_and_no_more_when_it_is_decided(self, store: Store) -> None:
        chat, (olena,) = await scene(store)

        def naming(tx: Tx, some: Chat) -> str | None:
            found = people.chat(tx, some.id)
            assert found is not None
            return found.naming

        def story(tx: Tx) -> None:
            request = approvals.open_for_chat(tx, chat.id, olena.id, AT)
            assert request is not None
            here, there = add_chat(tx, "71", ChatKind.PRIVATE), add_chat(tx, "72", ChatKind.PRIVATE)
            approvals.ask_name(tx, request.id, here.id)
            approvals.ask_name(tx, request.id, there.id)
            assert (naming(tx, here), naming(tx, there)) == (None, request.id)
            approvals.ask_name(tx, request.id, None)
            assert naming(tx, there) is None
            approvals.ask_name(tx, request.id, here.id)
            assert approvals.take(tx, request.id)
            assert naming(tx, here) is None

        await store.write(story)

    async def test_what_is_held_waits_in_the_order_in_which_it_came(self, store: Store) -> None:
        chat, (olena,) = await scene(store)

        def story(tx: Tx) -> None:
            said = [say(tx, chat, olena, str(number), thread="7", addressed=False) for number in range(3)]
            for message in reversed(said):
                approvals.hold(tx, message.id, "w_1")
            found = approvals.held_for(tx, "w_1")
            assert [each.text for each in found] == ["0", "1", "2"]
            assert {(each.thread, each.addressed, each.held_for) for each in found} == {("7", False, "w_1")}
            approvals.hold(tx, said[1].id, None)
            assert [each.text for each in approvals.held_for(tx, "w_1")] == ["0", "2"]
            assert approvals.held_for(tx, "w_2") == []

        await store.write(story)


@pytest.mark.capability("P5", "P7")
class TestRoles:
    async def test_a_role_in_a_group_is_put_changed_and_taken(self, store: Store) -> None:
        _, (olena, ivan) = await scene(store, 2)

        def story(tx: Tx) -> None:
            memberships.put(tx, olena.id, "main", Role.MEMBER, AT)
            memberships.put(tx, olena.id, "press", Role.ADMIN, AT)
            memberships.put(tx, olena.id, "main", Role.ADMIN, AT)
            within = {"main": Role.ADMIN, "press": Role.ADMIN}
            assert memberships.rights_of(tx, olena) == Rights(everywhere=Role.STRANGER, within=within)
            assert memberships.rights_of(tx, ivan) == Rights(everywhere=Role.STRANGER)
            assert memberships.all_of(tx) == {olena.id: within}
            memberships.put(tx, olena.id, "main", None, AT)
            memberships.put(tx, ivan.id, "main", None, AT)
            assert memberships.all_of(tx) == {olena.id: {"press": Role.ADMIN}}

        await store.write(story)

    async def test_those_may_decide_who_administer_every_one_of_the_groups(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            owner, admin = add_person(tx, 1, Role.OWNER), add_person(tx, 2, Role.ADMIN)
            both, one, member = (add_person(tx, number) for number in (3, 4, 5))
            for person, group, role in (
                (both, "main", Role.ADMIN),
                (both, "press", Role.ADMIN),
                (one, "main", Role.ADMIN),
                (member, "main", Role.MEMBER),
                (member, "press", Role.MEMBER),
            ):
                memberships.put(tx, person.id, group, role, AT)

            def may_decide(*groups: str) -> list[Person]:
                return memberships.approvers(tx, groups)

            assert may_decide() == [owner, admin]
            assert may_decide("main") == [owner, admin, both, one]
            assert may_decide("main", "press") == may_decide("press", "main") == [owner, admin, both]
            assert may_decide("main", "main") == may_decide("main")
            assert may_decide("lab") == [owner, admin]

        await store.write(story)

    async def test_whoever_is_blocked_decides_nothing(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            owner, blocked = add_person(tx, 1, Role.OWNER), add_person(tx, 2, Role.ADMIN)
            people.block(tx, blocked.id, blocked=True)
            assert people.person(tx, blocked.id).blocked
            assert memberships.approvers(tx) == [owner]
            people.block(tx, blocked.id, blocked=False)
            assert not people.person(tx, blocked.id).blocked

        await store.write(story)

    async def test_everyone_who_spoke_is_told_with_the_role_that_they_have_in_the_group(
        self, store: Store
    ) -> None:
        def story(tx: Tx) -> None:
            chat = add_chat(tx)
            owner, member, stranger = add_person(tx, 1, Role.OWNER), add_person(tx, 2), add_person(tx, 3)
            memberships.put(tx, member.id, "main", Role.MEMBER, AT)
            memberships.put(tx, owner.id, "main", Role.MEMBER, AT)
            memberships.put(tx, stranger.id, "press", Role.ADMIN, AT)
            said = [say(tx, chat, person, "hi") for person in (owner, member, stranger, member)]
            assert memberships.speakers(tx, said, "main") == {
                owner.id: Speaker(handle="telegram:1", role=Role.OWNER),
                member.id: Speaker(handle="telegram:2", role=Role.MEMBER),
                stranger.id: Speaker(handle="telegram:3", role=Role.STRANGER),
            }
            assert memberships.speakers(tx, [], "main") == {}

        await store.write(story)

    async def test_people_are_found_as_others_call_them(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            olena, _ = add_person(tx, 71), add_person(tx, 171)
            channel = people.add_person(
                tx, handle="telegram-chat:-10071", name="News", role=Role.STRANGER, at=AT
            )
            for ref in (olena.id, "telegram:71", "@user71", "user71", "@USER71", "71"):
                assert people.known_as(tx, ref) == [olena], ref
            assert people.known_as(tx, "-10071") == [channel]
            for ref in ("", "@", "%", ":71", "telegram", "1", "user", "User%"):
                assert people.known_as(tx, ref) == [], ref

        await store.write(story)

    async def test_a_name_belongs_to_the_last_who_had_it(self, store: Store) -> None:
        """Otherwise a role given to @olena would go to whoever once had that name."""

        def story(tx: Tx) -> None:
            first, second = add_person(tx, 1), add_person(tx, 2)
            people.rename_person(tx, second.id, "Second", "user1")
            assert [each.id for each in people.known_as(tx, "@user1")] == [second.id]
            assert people.person(tx, first.id).username is None
            newcomer = people.add_person(
                tx, handle="telegram:3", name="New", role=Role.STRANGER, at=AT, username="user1"
            )
            assert [each.id for each in people.known_as(tx, "@user1")] == [newcomer.id]

        await store.write(story)

    async def test_a_name_changes_hands_however_it_is_written(self, store: Store) -> None:
        """On Telegram @Olena and @olena are one name."""

        def story(tx: Tx) -> None:
            old, new = add_person(tx, 1), add_person(tx, 2)
            people.rename_person(tx, old.id, "Old", "Olena")
            people.rename_person(tx, new.id, "New", "olena")
            assert [each.id for each in people.known_as(tx, "@olena")] == [new.id]

        await store.write(story)


@pytest.mark.capability("P1", "P2")
class TestWirings:
    async def test_a_chat_is_wired_as_is_usual_for_its_kind(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            for number, kind in enumerate(ChatKind):
                chat = add_chat(tx, str(number), kind)
                made = wirings.wire(tx, chat.id, kind, "main", AT)
                assert wirings.of_chat(tx, chat.id) == [made]
            assert [each.engage.mode for each in wirings.everywhere(tx)] == [
                EngageMode.PATTERN,
                EngageMode.MENTION,
                EngageMode.MENTION_STICKY,
            ]
            assert len(wirings.chats_wired_to(tx, "main")) == 3
            assert wirings.chats_wired_to(tx, "press") == []

        await store.write(story)

    async def test_a_wiring_is_changed_and_others_are_not(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            chat = add_chat(tx)
            for group in ("press", "main"):
                wirings.wire(tx, chat.id, chat.kind, group, AT)
            assert wirings.groups_of(tx, chat.id) == ["main", "press"]
            changed = Wiring(
                chat_id=chat.id,
                group="main",
                engage=Engage(mode=EngageMode.PATTERN, pattern="^асистент"),
                senders=SenderScope.KNOWN,
                ignored=IgnoredMessages.ACCUMULATE,
                priority=5,
            )
            wirings.change(tx, changed)
            press = Wiring(chat_id=chat.id, group="press", engage=Engage(mode=EngageMode.MENTION))
            assert wirings.of_chat(tx, chat.id) == [press, changed]  # the lowest priority first
            wirings.unwire(tx, chat.id, "press")
            wirings.unwire(tx, chat.id, "lab")
            assert wirings.of_chat(tx, chat.id) == [changed]

        await store.write(story)

    async def test_many_who_wire_at_once_wire_once_and_disturb_nobody(self, store: Store) -> None:
        chat, _ = await scene(store)

        def wiring(tx: Tx) -> None:
            wirings.wire(tx, chat.id, chat.kind, "main", AT)

        await asyncio.gather(*(store.write(wiring) for _ in range(20)))
        assert await store.read(lambda tx: wirings.groups_of(tx, chat.id)) == ["main"]

    async def test_a_chat_keeps_its_kind_and_its_policy(self, store: Store) -> None:
        chat, _ = await scene(store)

        def story(tx: Tx) -> None:
            people.set_kind(tx, chat.id, ChatKind.THREADED)
            for policy in UnknownSenders:
                people.set_strangers(tx, chat.id, policy)
                found = people.chat(tx, chat.id)
                assert found is not None
                assert (found.kind, found.strangers) == (ChatKind.THREADED, policy)

        await store.write(story)


RULER = Actor(
    handle="local:owner", name="Owner", rights=Rights(everywhere=Role.OWNER), via="page", language="en"
)


@pytest.mark.capability("P6")
class TestRecords:
    async def test_the_audit_is_read_page_by_page_newest_first(self, store: Store) -> None:
        def story(tx: Tx) -> None:
            for number in range(7):
                at = AT + timedelta(seconds=number)
                audit.record(tx, RULER, at, "blocked", f"p_{number % 2}", person="Олена", number=number)
            pages, before = [], None
            while page := audit.newest(tx, 3, before):
                pages.append([each.detail["number"] for each in page])
                before = page[-1].id
            assert pages == [[6, 5, 4], [3, 2, 1], [0]]
            entry = audit.last_about(tx, "p_1")
            assert entry is not None
            assert (entry.handle, entry.name, entry.via, entry.action, entry.at) == (
                "local:owner",
                "Owner",
                "page",
                "blocked",
                AT + timedelta(seconds=5),
            )
            assert entry.detail == {"person": "Олена", "number": 5}
            assert audit.last_about(tx, "p_9") is None

        await store.write(story)

    async def test_what_was_dropped_is_read_page_by_page_with_its_reason(self, store: Store) -> None:
        chat, (olena,) = await scene(store)

        def story(tx: Tx) -> None:
            for number in range(6):
                message = say(tx, chat, olena, str(number))
                if number % 2:
                    messages.end(tx, message.id, End.DROPPED, f"reason {number}")
            messages.end(tx, say(tx, chat, olena, "/help").id, End.ANSWERED)
            first = drops.newest(tx, 2)
            assert [(each.text, each.reason) for each in first] == [("5", "reason 5"), ("3", "reason 3")]
            (last,) = drops.newest(tx, 2, first[-1].id)
            assert (last.text, last.handle, last.sender, last.chat, last.chat_id, last.channel) == (
                "1",
                olena.handle,
                olena.name,
                chat.title,
                chat.id,
                chat.channel,
            )
            assert drops.newest(tx, 2, last.id) == []

        await store.write(story)


@pytest.mark.capability("P1", "A6")
class TestInbox:
    @staticmethod
    async def opened(store: Store) -> tuple[Session, Callable[[Tx, str], Message]]:
        chat, (olena,) = await scene(store)
        session = await store.write(lambda tx: sessions.find_or_open(tx, "main", chat.id, None, AT))
        return session, lambda tx, text: say(tx, chat, olena, text)

    @staticmethod
    def turn(tx: Tx, session: Session, said: Message) -> tuple[list[str], list[str]]:
        """A turn begins with a message: what it takes, and what it overheard."""
        session_queue.join(tx, said.id, session.id)
        waiting = session_queue.waiting_in(tx, session.id, 50, AT)
        turn_id = session_queue.begin_turn(tx, session, waiting, AT)
        kept = session_queue.read_kept(tx, session.id, turn_id, 10)
        assert session_queue.kept_of(tx, turn_id, 10) == kept  # also when the turn begins again
        taken = [each.text for each in session_queue.messages_of(tx, turn_id)]
        session_queue.end_turn(tx, turn_id, TurnState.ANSWERED, skill=None, prompt="p", answer="a", at=AT)
        assert session_queue.kept_of(tx, turn_id, 10) == kept
        return taken, [each.text for each in kept]

    async def test_of_what_was_kept_the_last_ten_are_read_once(self, store: Store) -> None:
        session, said = await self.opened(store)

        def story(tx: Tx) -> None:
            for number in range(14):
                session_queue.keep(tx, said(tx, f"kept {number}").id, session.id)
            assert session_queue.waiting_in(tx, session.id, 50, AT) == []  # they wake nobody
            assert session_queue.open_turn(tx, session.id) is None
            last_ten = [f"kept {number}" for number in range(4, 14)]
            assert self.turn(tx, session, said(tx, "wake up")) == (["wake up"], last_ten)
            assert self.turn(tx, session, said(tx, "and again")) == (["and again"], [])
            session_queue.keep(tx, said(tx, "kept later").id, session.id)
            assert self.turn(tx, session, said(tx, "once more")) == (["once more"], ["kept later"])

        await store.write(story)

    async def test_a_turn_that_failed_reads_it_again(self, store: Store) -> None:
        session, said = await self.opened(store)

        def story(tx: Tx) -> None:
            kept, waking = said(tx, "kept"), said(tx, "wake up")
            session_queue.keep(tx, kept.id, session.id)
            session_queue.join(tx, waking.id, session.id)
            turn_id = session_queue.begin_turn(tx, session, [waking], AT)
            assert session_queue.read_kept(tx, session.id, turn_id, 10)
            session_queue.end_turn(tx, turn_id, TurnState.FAILED, skill=None, prompt="p", answer="", at=AT)
            assert session_queue.reopen(tx, waking.id) == {session.id: turn_id}
            assert sessions.get(tx, session.id).keeps
            (again,) = session_queue.waiting_in(tx, session.id, 10, AT)
            assert again.id == waking.id
            second = session_queue.begin_turn(tx, session, [again], AT)
            assert [each.text for each in session_queue.read_kept(tx, session.id, second, 10)] == ["kept"]

        await store.write(story)

    async def test_what_came_too_fast_waits_for_its_time_and_others_go_first(self, store: Store) -> None:
        session, said = await self.opened(store)

        def later(seconds: int) -> datetime:
            return AT + timedelta(seconds=seconds)

        def story(tx: Tx) -> None:
            for text, seconds in (("slow", 20), ("slower", 40)):
                session_queue.join(tx, said(tx, text).id, session.id, not_before=later(seconds))
            session_queue.join(tx, said(tx, "at once").id, session.id)

            def waiting(by: datetime) -> list[str]:
                return [each.text for each in session_queue.waiting_in(tx, session.id, 50, by)]

            assert (waiting(AT), waiting(later(19))) == (["at once"], ["at once"])
            assert waiting(later(20)) == ["slow", "at once"]
            assert waiting(later(99)) == ["slow", "slower", "at once"]
            assert session_queue.paused_until(tx, session.id) == later(20)
            session_queue.begin_turn(tx, session, session_queue.waiting_in(tx, session.id, 1, later(20)), AT)
            assert session_queue.paused_until(tx, session.id) == later(40)

        await store.write(story)

    async def test_what_waits_for_its_time_can_be_stopped(self, store: Store) -> None:
        session, said = await self.opened(store)

        def story(tx: Tx) -> None:
            message = said(tx, "slow")
            session_queue.join(tx, message.id, session.id, not_before=AT + timedelta(hours=1))
            assert session_queue.stop_waiting(tx, session.id) == [message.id]
            assert session_queue.paused_until(tx, session.id) is None

        await store.write(story)

    async def test_a_call_into_a_thread_is_remembered_until_the_agent_leaves(self, store: Store) -> None:
        session, _ = await self.opened(store)

        def story(tx: Tx) -> None:
            other = sessions.find_or_open(tx, "main", ChatId(session.chat_id), "7", AT)
            sessions.call(tx, other.id, AT)
            assert sessions.get(tx, other.id).called_at == AT
            assert sessions.get(tx, session.id).called_at is None
            sessions.call(tx, other.id, None)
            assert sessions.get(tx, other.id).called_at is None
            sessions.keep(tx, session.id, keeps=True)
            assert sessions.get(tx, session.id).keeps
            sessions.keep(tx, session.id, keeps=False)
            assert not sessions.get(tx, session.id).keeps

        await store.write(story)
