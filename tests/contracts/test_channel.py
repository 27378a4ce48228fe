"""Every channel keeps the same promises: what is sent is seen once, and nothing is confirmed before it is safe."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import cast

import httpx
import pytest
import pytest_asyncio
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from tests.channel_scene import (
    ADDRESS,
    FarEndScene,
    Network,
    Nobody,
    Reader,
    Scene,
    SlackScene,
    TelegramScene,
    a_parcel,
    room,
    with_button,
)

from nanoclaw.channels import scripted
from nanoclaw.channels.rooms import TERMINAL, WEB, Rooms
from nanoclaw.channels.scripted import ScriptedChannel
from nanoclaw.delivery.live import Live, ParcelShown, PreviewGrew
from nanoclaw.domain.errors import BadWorkspace, SendLater, SendRefused, StoreUnavailable
from nanoclaw.domain.ids import ChatId, TurnId, new_id
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged
from nanoclaw.domain.parcels import Attachment, Preview
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable.store import Store, open_store
from nanoclaw.testing import CountedHandover, FarEnd, Sent, SlackLikeServer, TelegramServer, made_database

# One loop for the file: its tests share their far ends.
pytestmark = [pytest.mark.capability("X1"), pytest.mark.asyncio(loop_scope="module")]
for_the_file = partial(pytest_asyncio.fixture, scope="module", loop_scope="module")
for_a_test = partial(pytest_asyncio.fixture, loop_scope="module")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_store(made_database(tmp_path_factory.mktemp("store") / "store.db"))
    yield store
    store.close()


@for_the_file
async def network() -> AsyncIterator[FarEnd]:
    async with FarEnd() as far_end:
        yield far_end


@for_a_test
async def far_end(network: FarEnd) -> AsyncIterator[FarEnd]:
    """The network, as quiet as if nobody had ever used it."""
    network.seen.clear()
    network.sends = 0
    yield network
    network.on_send = None
    if network.unconfirmed:
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(verify=False)) as client:
            # Confirms them all.
            await client.get(f"{network.url}/updates", params={"offset": 10**9, "wait": 0})
    assert network.unconfirmed == 0


@for_a_test
async def channel(far_end: FarEnd) -> AsyncIterator[ScriptedChannel]:
    channel = ScriptedChannel(far_end.url, repeatable=True)
    yield channel
    await channel.stop()


Stage = Callable[[str], AbstractAsyncContextManager[Scene]]
CARDS = ["telegram", "slack-like", "slack-like, sloppy"]
NETWORKS = ["scripted", *CARDS]
EVERY = [WEB, TERMINAL, "scripted, forgetful", *NETWORKS]


@for_the_file
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer(flood_control=False) as server:
        yield server


@pytest.fixture
def stage(
    store: Store,
    telegram: TelegramServer,
    tmp_path: Path,
) -> Stage:
    @asynccontextmanager
    async def made(name: str) -> AsyncIterator[Scene]:
        match name:
            case "scripted" | "scripted, forgetful":
                repeatable = name == "scripted"
                async with FarEnd(repeatable=repeatable) as far_end:
                    yield FarEndScene(far_end, repeatable=repeatable)
            case "slack-like" | "slack-like, sloppy":
                sloppy = name.endswith("sloppy")
                async with SlackLikeServer(sloppy=sloppy) as server:
                    yield SlackScene(server, tmp_path, sloppy=sloppy)
            case "telegram":
                yield TelegramScene(telegram, store, tmp_path)
            case _:
                async with room(name, store) as scene:
                    yield scene

    return made


class TestChannel:
    """What every channel promises."""

    @for_a_test(params=EVERY)
    async def scene(self, request: pytest.FixtureRequest, stage: Stage) -> AsyncIterator[Scene]:
        async with stage(request.param) as scene:
            yield scene

    @for_a_test
    async def started(self, scene: Scene) -> AsyncIterator[Scene]:
        await scene.channel.start(Nobody())
        yield scene
        await scene.channel.stop()

    async def test_what_is_sent_is_seen_once_and_has_an_id(self, started: Scene) -> None:
        platform_id = await started.channel.send(await started.parcel("Hello"), CountedHandover())
        assert isinstance(platform_id, str)
        assert platform_id
        assert await started.seen() == ["Hello"]

    async def test_parcels_are_seen_in_the_order_they_were_sent(self, started: Scene) -> None:
        ids = [
            await started.channel.send(await started.parcel(text), CountedHandover())
            for text in ("one", "two", "three")
        ]
        assert await started.seen() == ["one", "two", "three"]
        assert len(set(ids)) == 3

    @pytest.mark.capability("L3")
    async def test_a_repeat_is_seen_once_if_the_channel_says_so(self, started: Scene) -> None:
        parcel = await started.parcel("Hello")
        first = await started.channel.send(parcel, CountedHandover())
        again = await started.channel.send(parcel, CountedHandover())
        if started.channel.repeatable:
            assert (again, await started.seen()) == (first, ["Hello"])
        else:
            assert await started.seen() in (["Hello"], ["Hello"] * 2)
            assert started.channel.leaves_at_once(await started.parcel("Next"))

    async def test_no_letter_is_lost_on_the_way(self, started: Scene) -> None:
        text = "Привіт 🦊\n\n```\n<b>&amp;\t\"'\n```\n" + "x" * 10_000
        await started.channel.send(await started.parcel(text), CountedHandover())
        assert await started.seen() == started.shown(text)

    async def test_a_preview_is_no_message_and_never_raises(self, started: Scene) -> None:
        parcel = await started.parcel("Hello")
        for text in ("", "Hel", "Hello" * 10_000, "🦊\n<b>"):
            preview = Preview(
                chat_id=parcel.chat_id, address=parcel.address, thread=None, turn_id=TurnId("t"), text=text
            )
            started.channel.show_working(preview, again=False)
            await started.channel.preview(preview)
            started.channel.show_rest(preview, said=False)
        assert await started.seen() == []

    async def test_a_channel_says_what_it_is(self, started: Scene) -> None:
        parcel = await started.parcel("Hello")
        assert started.channel.name == parcel.channel
        assert isinstance(started.channel.leaves_at_once(parcel), bool)
        assert started.channel.preview_every >= 0
        trusted = (WEB, TERMINAL, scripted.NAME)  # people there hold this machine
        assert (started.channel.newcomers is Role.OWNER) == (started.channel.name in trusted)

    async def test_after_its_stop_nothing_of_a_channel_is_left(self, scene: Scene) -> None:
        before = asyncio.all_tasks()
        await scene.channel.start(Nobody())
        await scene.channel.send(await scene.parcel("Hello"), CountedHandover())
        await scene.channel.stop()
        left = {task for task in asyncio.all_tasks() - before if "uvicorn" not in repr(task)}
        assert left == set()

    async def test_a_channel_that_was_never_started_can_be_stopped(self, scene: Scene) -> None:
        await scene.channel.stop()
        await scene.channel.preview(
            Preview(chat_id=ChatId("c"), address=ADDRESS, thread=None, turn_id=TurnId("t"), text="Hel")
        )


@pytest.mark.capability("A1", "A3", "A12")
class TestNetwork:
    """What a channel promises whose far end is a network of people."""

    @for_a_test(params=NETWORKS)
    async def scene(self, request: pytest.FixtureRequest, stage: Stage) -> AsyncIterator[Network]:
        async with stage(request.param) as scene:
            yield cast(Network, scene)
            await scene.channel.stop()

    async def test_a_message_arrives_as_it_was_written(self, scene: Network) -> None:
        reader = Reader()
        await scene.channel.start(reader)
        ref = await scene.say("Привіт\n<b>")
        incoming = await reader.next_new()
        address = (await scene.parcel("Hello")).address
        assert (incoming.channel, incoming.address, incoming.external_id) == (
            scene.channel.name,
            address,
            ref,
        )
        assert incoming.handle.partition(":")[0] == scene.channel.name.partition(":")[0]
        assert (incoming.text, incoming.edits, incoming.forwarded_from) == ("Привіт\n<b>", None, None)
        assert incoming.sent_at.tzinfo is not None

    async def test_what_could_not_be_stored_comes_again_under_the_same_id(
        self, scene: Network, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scripted, "_PAUSE_AFTER_ERROR", 0)
        reader = Reader(StoreUnavailable("disk-full"))
        await scene.channel.start(reader)
        ref = await scene.say("keep me")
        assert [(await reader.next()).external_id for _ in range(2)] == [ref, ref]

    async def test_a_file_that_someone_sent_is_fetched_and_never_more_than_allowed(
        self, scene: Network, tmp_path: Path
    ) -> None:
        reader, target = Reader(), tmp_path / "file"
        await scene.channel.start(reader)
        await scene.say("Look", {"notes.txt": b"ten boxes"})
        [file] = (await reader.next_new()).files
        await scene.channel.fetch(file, target, 9)
        assert (file.name, target.read_bytes()) == ("notes.txt", b"ten boxes")
        with pytest.raises(SendRefused, match="file-too-long"):
            await scene.channel.fetch(file, target, 8)


@pytest.mark.capability("A1", "A12", "E1")
class TestCards:
    """What a channel promises whose network has buttons and edits."""

    @for_a_test(params=CARDS)
    async def scene(self, request: pytest.FixtureRequest, stage: Stage) -> AsyncIterator[Network]:
        async with stage(request.param) as scene:
            yield cast(Network, scene)
            await scene.channel.stop()

    async def test_whoever_presses_a_button_is_told_what_came_of_it(self, scene: Network) -> None:
        reader = Reader()
        await scene.channel.start(reader)
        card = with_button(await scene.parcel("Shall I?"), "Yes", "hitl:q_1:yes")
        platform_id = await scene.channel.send(card, CountedHandover())
        assert await scene.press("Yes") == "Noted."
        pressed = reader.presses[-1]
        assert (pressed.channel, pressed.address, pressed.platform_id, pressed.data) == (
            scene.channel.name,
            card.address,
            platform_id,
            "hitl:q_1:yes",
        )
        assert pressed.handle.startswith(f"{scene.channel.name.partition(':')[0]}:")

    async def test_other_words_take_the_place_of_what_stands_there_and_its_buttons_go(
        self, scene: Network
    ) -> None:
        await scene.channel.start(Reader())
        card = with_button(await scene.parcel("Shall I?"), "Yes", "hitl:q_1:yes")
        platform_id = await scene.channel.send(card, CountedHandover())
        amended = replace(card, text="Done.", buttons=(), platform_id=platform_id)
        assert await scene.channel.send(amended, CountedHandover()) == platform_id
        assert await scene.seen() == ["Done."]
        with pytest.raises(ValueError, match="not enough values"):
            await scene.press("Yes")

    async def test_other_words_of_a_person_say_which_message_they_are_for(self, scene: Network) -> None:
        reader = Reader()
        await scene.channel.start(reader)
        ref = await scene.say("eight")
        assert (await reader.next_new()).text == "eight"
        await scene.edit(ref, "nine")
        edited = await reader.next_new()
        assert (edited.text, edited.edits) == ("nine", ref)
        assert edited.external_id != ref

    async def test_a_reply_says_which_message_it_answers(self, scene: Network) -> None:
        reader = Reader()
        await scene.channel.start(reader)
        platform_id = await scene.channel.send(await scene.parcel("Which?"), CountedHandover())
        await scene.reply(platform_id, "That one")
        quote = (await reader.next_new()).reply_to
        assert scene.channel.replies
        assert quote is not None
        assert (quote.ref, quote.text, quote.ours) == (platform_id, "Which?", True)

    async def test_a_chat_where_nothing_can_be_said_any_more_is_told_of(self, scene: Network) -> None:
        reader = Reader()
        await scene.channel.start(reader)
        await scene.leave()
        parcel = await scene.parcel("Hello")
        with pytest.raises(SendRefused):
            await scene.channel.send(parcel, CountedHandover())
        assert (scene.channel.name, parcel.address) in reader.gone


class TestSlackLike:
    @for_a_test
    async def scene(self, stage: Stage) -> AsyncIterator[SlackScene]:
        async with stage("slack-like") as scene:
            assert isinstance(scene, SlackScene)
            yield scene
            await scene.channel.stop()

    async def test_what_is_said_in_a_thread_is_answered_there_and_a_chat_may_move(
        self, scene: SlackScene
    ) -> None:
        reader, server = Reader(), scene.server
        await scene.channel.start(reader)
        await server.say("C1", "Here", user="U7", thread_ts="5.1")
        incoming = await reader.next()
        assert (incoming.address, incoming.thread, incoming.kind, incoming.addressed) == (
            "C1",
            "5.1",
            ChatKind.THREADED,
            False,
        )
        parcel = replace(a_parcel("There", "C1", "slack"), thread="5.1")
        await scene.channel.send(parcel, CountedHandover())
        assert [(each.text, each.thread) for each in server.seen] == [("There", "5.1")]
        await server.tell({"type": "channel_renamed", "value": "C2"}, "C1", "U7")
        await server.tell({"type": "channel_archive"}, "C2", "U7")
        await server.tell({"type": "of another time"}, "C2", "U7")
        assert (reader.moves, reader.gone) == ([("C1", "C2")], [("slack", "C2")])

    async def test_a_file_goes_with_its_words_and_a_long_text_in_parts_with_the_buttons_below(
        self, scene: SlackScene
    ) -> None:
        scene.attachments.mkdir(parents=True)
        (scene.attachments / "o_1").write_bytes(b"ten boxes")
        file = Attachment(name="notes.txt", media_type="text/plain", size=9, kept="o_1")
        parcel = replace(with_button(await scene.parcel("x" * 50_000), "Yes", "hitl:q"), attachments=(file,))
        last = await scene.channel.send(parcel, CountedHandover())
        assert await scene.channel.send(parcel, CountedHandover()) == last
        assert [(each.file, len(each.text), len(each.buttons)) for each in scene.server.seen] == [
            (("notes.txt", b"ten boxes"), 0, 0),
            (None, 40_000, 0),
            (None, 10_000, 1),
        ]
        with pytest.raises(SendRefused, match="no_text"):
            await scene.channel.send(await scene.parcel(""), CountedHandover())

    @pytest.mark.parametrize(
        ("status", "ends"), [(429, SendLater), (500, SendLater)], ids=["too many", "failed"]
    )
    async def test_a_call_that_failed_is_made_again(
        self, scene: SlackScene, status: int, ends: type[Exception]
    ) -> None:
        async def failing(_method: str) -> Response:
            return Response(status_code=status, headers={"Retry-After": "7"})

        scene.server.on_call = failing
        with pytest.raises(ends):
            await scene.channel.send(await scene.parcel("Hello"), CountedHandover())
        scene.server.on_call = None
        await scene.channel.send(await scene.parcel("Hello"), CountedHandover())
        assert await scene.seen() == ["Hello"]

    @pytest.mark.attack
    async def test_what_the_network_did_not_sign_or_signed_long_ago_is_not_taken_in(
        self, scene: SlackScene
    ) -> None:
        reader, server = Reader(), scene.server
        await scene.channel.start(reader)
        await scene.say("Hello")
        told = {"type": "message", "user": scene.user, "is_private": True, "text": "/roles", "ts": "1.5"}
        body = json.dumps(told).encode()
        answers = [
            await server.post(body, secret=new_id("s")),
            await server.post(body, at=time.time() - 3600),
            await server.post(body, at=time.time() + 3600),
            await server.post(b"{}" + b" " * (2 << 20)),
        ]
        assert [answer.status_code for answer in answers] == [401] * 4
        assert (await server.post(b'{"type": []}')).status_code == 400
        await server.post(body)
        assert [(await reader.next()).text for _ in range(2)] == ["Hello", "/roles"]


class TestRooms:
    async def test_those_who_watch_a_room_are_told_of_parcels_and_previews_and_others_only_that_it_changed(
        self,
    ) -> None:
        live = Live()
        rooms, parcel = Rooms(WEB, live), a_parcel("Hello")
        preview = Preview(chat_id=ChatId("c_1"), address="a", thread=None, turn_id=TurnId("t"), text="Hel")
        with live.watch("c_1") as inside, live.watch("c_2") as elsewhere, live.watch(EVERY_CHAT) as listed:
            await rooms.preview(preview)
            await rooms.send(parcel, CountedHandover())
        assert [inside.get_nowait(), inside.get_nowait()] == [PreviewGrew(preview), ParcelShown(parcel.id)]
        assert listed.get_nowait() == ChatChanged("c_1")
        assert (inside.qsize(), elsewhere.qsize(), listed.qsize()) == (0, 0, 0)


Answering = Callable[[Sent], Awaitable[Response | None]]


def _always(answer: Response) -> Answering:
    async def on_send(_sent: Sent) -> Response | None:
        return answer

    return on_send


@pytest.mark.capability("A1", "A12")
class TestScripted:
    @pytest.fixture(autouse=True)
    def _no_pause(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scripted, "_PAUSE_AFTER_ERROR", 0)

    @pytest.mark.parametrize(
        ("headers", "after"),
        [
            ({"Retry-After": "7"}, 7),
            ({"Retry-After": "0.5"}, 0.5),
            ({}, None),
            ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
        ],
    )
    async def test_a_busy_far_end_is_left_alone_as_long_as_it_asks(
        self, far_end: FarEnd, channel: ScriptedChannel, headers: dict[str, str], after: float | None
    ) -> None:
        far_end.on_send = _always(Response(status_code=429, headers=headers))
        with pytest.raises(SendLater, match="far-end-busy") as refusal:
            await channel.send(a_parcel("Hello"), CountedHandover())
        assert refusal.value.after == (after and timedelta(seconds=after))
        assert far_end.seen == []

    @pytest.mark.parametrize("status", [500, 502, 503])
    async def test_a_failing_far_end_is_tried_again(
        self, far_end: FarEnd, channel: ScriptedChannel, status: int
    ) -> None:
        far_end.on_send = _always(Response(status_code=status))
        with pytest.raises(SendLater, match="far-end-failed") as refusal:
            await channel.send(a_parcel("Hello"), CountedHandover())
        assert refusal.value.after is None
        assert refusal.value.values["status"] == str(status)

    @pytest.mark.parametrize("status", [400, 403, 404, 413])
    async def test_what_the_far_end_refuses_is_not_tried_again(
        self, far_end: FarEnd, channel: ScriptedChannel, status: int
    ) -> None:
        far_end.on_send = _always(PlainTextResponse("no such chat " + "x" * 1000, status))
        with pytest.raises(SendRefused, match="far-end-refused") as refusal:
            await channel.send(a_parcel("Hello"), CountedHandover())
        said = str(refusal.value.values["said"])
        assert said.startswith("no such chat")
        assert len(said) <= 200

    async def test_after_a_failure_the_same_parcel_arrives_once(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        parcel = a_parcel("Hello")
        far_end.on_send = _always(Response(status_code=500))
        with pytest.raises(SendLater):
            await channel.send(parcel, CountedHandover())
        far_end.on_send = None
        assert await channel.send(parcel, CountedHandover()) == parcel.id
        assert (far_end.said_to(ADDRESS), far_end.sends) == (["Hello"], 2)

    async def test_a_far_end_that_is_not_there_is_tried_again(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
            channel = ScriptedChannel(f"http://127.0.0.1:{taken.getsockname()[1]}", repeatable=True)
            with pytest.raises(SendLater, match="far-end-silent") as refusal:
                await channel.send(a_parcel("Hello"), CountedHandover())
            await channel.stop()
        assert refusal.value.values == {"said": "ConnectError"}

    @pytest.mark.parametrize(
        "answer",
        [
            Response(status_code=429, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
            PlainTextResponse("<html>a proxy's page</html>"),
            JSONResponse({"ok": True}),
            RedirectResponse("/elsewhere"),
        ],
        ids=["a date to wait for", "no JSON", "no id", "a redirect"],
    )
    async def test_an_answer_that_makes_no_sense_is_a_send_that_failed(
        self, far_end: FarEnd, channel: ScriptedChannel, answer: Response
    ) -> None:
        far_end.on_send = _always(answer)
        with pytest.raises((SendLater, SendRefused)):
            await channel.send(a_parcel("Hello"), CountedHandover())

    async def test_a_message_arrives_as_it_was_written(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        reader = Reader()
        await channel.start(reader)
        external_id = await far_end.say("street", "Привіт\n<b>", sender="writer")
        incoming = await reader.next()
        assert (incoming.channel, incoming.address) == ("scripted", "street")
        assert (incoming.external_id, incoming.handle) == (external_id, "scripted:writer")
        assert (incoming.sender, incoming.text) == ("writer", "Привіт\n<b>")
        assert incoming.sent_at.tzinfo is not None

    async def test_messages_that_wait_arrive_in_order(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        for number in range(20):
            await far_end.say(ADDRESS, str(number))
        reader = Reader()
        await channel.start(reader)
        assert [(await reader.next()).text for _ in range(20)] == [str(number) for number in range(20)]

    async def test_an_update_is_confirmed_only_when_it_has_been_received(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        reader = Reader()
        reader.gate.clear()
        await channel.start(reader)
        await far_end.say(ADDRESS, "first")
        assert (await reader.next()).text == "first"
        assert far_end.unconfirmed == 1  # being stored, but not stored yet
        reader.gate.set()
        await far_end.say(ADDRESS, "second")
        assert (await reader.next()).text == "second"
        assert far_end.unconfirmed == 1  # asking for the second has confirmed the first

    async def test_an_update_that_could_not_be_stored_comes_again(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        reader = Reader(StoreUnavailable("disk-full"), StoreUnavailable("disk-full"))
        await channel.start(reader)
        await far_end.say(ADDRESS, "keep me", message_id="x1")
        assert [(await reader.next()).external_id for _ in range(3)] == ["x1", "x1", "x1"]
        await far_end.say(ADDRESS, "next", message_id="x2")
        assert (await reader.next()).external_id == "x2"

    async def test_a_message_that_could_not_be_stored_is_not_overtaken_by_the_next_one_of_its_chat(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        for number in range(3):
            await far_end.say(ADDRESS, str(number))
        reader = Reader(StoreUnavailable("disk-full"))
        await channel.start(reader)
        assert [(await reader.next()).text for _ in range(4)] == ["0", "0", "1", "2"]

    async def test_one_chat_does_not_wait_for_another(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        for address in ("one", "two", "three"):
            await far_end.say(address, "Hello")
        reader = Reader()
        reader.gate.clear()
        await channel.start(reader)
        assert {(await reader.next()).address for _ in range(3)} == {"one", "two", "three"}
        assert far_end.unconfirmed == 3
        reader.gate.set()

    async def test_an_update_that_the_host_choked_on_does_not_make_the_channel_deaf(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        reader = Reader(BadWorkspace("no-groups", folder="groups"))
        await channel.start(reader)
        await far_end.say(ADDRESS, "while the group's file is broken")
        await reader.next()
        await far_end.say(ADDRESS, "when it is mended")
        await reader.next()

    async def test_a_repeated_update_has_the_same_id_so_that_it_is_recognised(
        self, far_end: FarEnd, channel: ScriptedChannel
    ) -> None:
        reader = Reader()
        await channel.start(reader)
        for _ in range(2):
            await far_end.say(ADDRESS, "again", message_id="x1")
        assert [(await reader.next()).external_id for _ in range(2)] == ["x1", "x1"]

    async def test_a_channel_that_comes_back_gets_what_was_not_confirmed(self, far_end: FarEnd) -> None:
        first, reader = ScriptedChannel(far_end.url, repeatable=True), Reader()
        reader.gate.clear()
        await first.start(reader)
        await far_end.say(ADDRESS, "in the middle of a stop", message_id="x1")
        await reader.next()
        await first.stop()
        second, reader = ScriptedChannel(far_end.url, repeatable=True), Reader()
        await second.start(reader)
        assert (await reader.next()).external_id == "x1"
        await second.stop()

    async def test_a_channel_starts_and_stops_where_nobody_answers(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            channel = ScriptedChannel(f"http://127.0.0.1:{taken.getsockname()[1]}", repeatable=True)
            await channel.start(Nobody())
            with pytest.raises(SendLater):
                await channel.send(a_parcel("Hello"), CountedHandover())
            await channel.stop()
