"""What Telegram refuses, forgets or never answers: tried again, kept, told, and nothing is sent twice (A12)."""

import asyncio
from pathlib import Path

import pytest
from starlette.responses import JSONResponse, Response
from tests.delivery_scene import (
    PARAGRAPHS,
    Stepwise,
    admit,
    bare,
    events_of,
    given_up,
    known,
    on_the_page,
    post,
    said,
    styled,
)
from tests.led_agent import PICTURE
from tests.staging import until
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.delivery import outbox, worker
from nanoclaw.domain.parcels import Parcel, ParcelState
from nanoclaw.durable import timeline
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.server import Call


@pytest.mark.capability("A12")
async def test_a_chat_that_must_wait_keeps_nobody_else_waiting(home: Path) -> None:
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.flood(scene.chat, 2)
        held_at = asyncio.get_running_loop().time()
        message = await scene.owner.says(scene.chat, "/status")
        await until(lambda: scene.server.counts["sendMessage"] >= 2)
        await scene.owner.says(scene.chat, "/language en")
        await ivan.says(other, "/status")
        await other.wait_for(1)
        assert asyncio.get_running_loop().time() - held_at < 2
        await scene.chat.wait_for(3)
        assert ["English" in text for text in scene.chat.texts()] == [False, False, True]  # in order
        assert asyncio.get_running_loop().time() - held_at >= 2
        assert scene.server.floods == 0  # nobody knocked before it was time
        await scene.owner.says(scene.chat, "/why", reply_to=message)
        await scene.chat.wait_for(4)
        assert "Telegram asked us to wait" in scene.last().text


@pytest.mark.capability("A12")
async def test_formatting_that_telegram_cannot_read_is_left_out_and_the_text_is_not(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("**bold** words")) as scene:
        scene.server.fail("sendMessage", status=400, description="Bad Request: can't parse entities: odd one")
        assert await scene.ask("one") == ["bold words"]
        assert scene.last().entities == ()


@pytest.mark.capability("A12")
async def test_a_message_that_is_too_long_for_telegram_is_split_again(home: Path) -> None:
    """Telegram counts otherwise than we do."""
    text = PARAGRAPHS[:3500]
    async with telegram_scene(home) as scene:
        scene.server.fail("sendMessage", status=400, description="Bad Request: message is too long")
        await post(scene, text)
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(text))
        assert [len(part) <= 3000 for part in scene.chat.texts()] == [True] * 3


@pytest.mark.capability("A12")
async def test_an_edit_that_is_too_long_for_telegram_is_split_again(home: Path) -> None:
    """It words this differently for an edit."""
    text = PARAGRAPHS[:3500]
    model = Stepwise(text[:100], text[100:])
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_for(2)
        scene.server.fail("editMessageText", status=400, description="Bad Request: MESSAGE_TOO_LONG")
        model.go_on()
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(text))
        assert [len(part) <= 3000 for part in scene.chat.texts()] == [True] * 3


@pytest.mark.capability("A12", "A15")
async def test_someone_who_blocks_the_bot_is_left_alone_until_they_write_again(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        model.hold()
        await ivan.says(other, "tell me")
        await model.wait_for_calls(1)
        ivan.blocks(scene.bot)
        model.go_on()
        [parcel] = await given_up(scene)
        assert (parcel.state, parcel.text) == (ParcelState.FAILED, "an answer")
        assert timeline.Event.DELIVERY_FAILED in await events_of(scene, parcel)
        assert (await known(scene, other)).closed
        await scene.chat.wait_for(2)
        alert = scene.last()
        assert "Ivan" in alert.text
        assert "blocked by the user" in alert.text
        assert "an answer" in styled(alert)["blockquote"][0]
        assert alert.labels == ["Send again", "Drop it"]
        assert len(await on_the_page(scene)) == 1
        ivan.unblocks(scene.bot)
        await ivan.says(other, "I am back")
        assert await other.wait_for(1) == ["an answer"]
        assert (await known(scene, other)).closed is None
        press = await scene.owner.presses(alert, "Send again")
        assert (await press.wait()).text == "Taken."
        assert await other.wait_for(2) == ["an answer"] * 2
        await scene.chat.wait_until(lambda: not scene.last().labels)
        assert (await (await scene.owner.presses(alert, "Drop it")).wait()).alert  # an old card says so


@pytest.mark.capability("A12")
async def test_a_chat_that_is_gone_fails_and_the_owner_is_told_on_the_page(home: Path) -> None:
    async with telegram_scene(home) as scene:
        (ivan, ivans), (petro, petros) = await admit(scene, "Ivan", "Petro")
        scene.server.fail("sendMessage", status=400, description="Bad Request: chat not found")
        await ivan.says(ivans, "/status")
        await given_up(scene)
        petro.deletes_account()
        await petro.says(petros, "/status")
        failed = await given_up(scene, 2)
        await scene.chat.wait_for(3)  # the alerts are there: the next fault is not for them
        assert {(parcel.error or {})["error"] for parcel in failed} == {"telegram-forbidden"}
        assert (await known(scene, ivans)).closed
        assert "deactivated" in str((await known(scene, petros)).closed)
        scene.server.fail("sendMessage", status=403, description="Forbidden: bot was blocked by the user")
        await scene.owner.says(scene.chat, "/status")
        assert len(await given_up(scene, 3)) == 3
        async with asyncio.timeout(60):
            while len(await on_the_page(scene)) < 3:
                await asyncio.sleep(0.01)


@pytest.mark.capability("A12")
async def test_an_edit_that_a_server_failed_at_is_made_again(home: Path) -> None:
    model = Stepwise("All", " of it")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_until(lambda: scene.last().text == "All")
        scene.server.fail("editMessageText", status=502)
        scene.server.fail("editMessageText", status=500, description="Internal Server Error")
        model.go_on()
        await scene.chat.wait_until(lambda: scene.last().text == "All of it")
        assert await scene.host.store.read(outbox.given_up) == []


@pytest.mark.capability("A12")
async def test_what_cannot_be_delivered_is_kept_told_and_sent_when_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_TRIES", 2)
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.fail("sendMessage", status=409, times=2)
        await ivan.says(other, "/language en")
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.FAILED
        await scene.chat.wait_for(2)
        assert "could not be delivered" in scene.last().text
        assert other.texts() == []
        assert await scene.ask("/retry_failed") == ["One message is sent again."]
        assert "English" in (await other.wait_for(1))[0]
        assert await scene.ask("/retry_failed") == ["Nothing waits to be sent again."]


@pytest.mark.capability("A12")
@pytest.mark.parametrize("pieces", [("All of it",), ("All", " of it")], ids=["before", "in the middle"])
async def test_an_answer_follows_a_group_to_its_new_address(home: Path, pieces: tuple[str, ...]) -> None:
    model = Stepwise("", *pieces)
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        await scene.owner.says(group, "@helper_bot go")
        await group.wait_until(lambda: group.typing)
        for _ in pieces[1:]:
            model.go_on()
            await group.wait_for(1)
        moved = group.upgrades()
        model.go_on()
        await moved.wait_until(lambda: moved.texts() == ["All of it"])
        assert await scene.host.store.read(outbox.given_up) == []


@pytest.mark.capability("A12")
async def test_a_topic_that_is_gone_is_answered_in_the_group(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        forum = scene.server.group("Team", scene.bot, members=[scene.owner], forum=True)
        topic = forum.topic("Plans")
        model.hold()
        question = await scene.owner.says(forum, "@helper_bot go", topic=topic)
        await model.wait_for_calls(1)
        topic.deleted = True
        await scene.owner.deletes(question)  # with its topic; a reply to it is not possible any more
        model.go_on()
        assert await forum.wait_for(1) == ["an answer"]
        assert (said(forum)[0].topic, said(forum)[0].reply_to) == (None, None)


@pytest.mark.capability("A12")
async def test_an_answer_in_a_group_replies_to_its_question_unless_that_is_deleted(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        question = await scene.owner.says(group, "@helper_bot one")
        await group.wait_for(1)
        assert said(group)[0].reply_to == question.id
        model.hold()
        question = await scene.owner.says(group, "@helper_bot two")
        await model.wait_for_calls(2)
        await scene.owner.deletes(question)
        model.go_on()
        await group.wait_for(2)
        assert said(group)[1].reply_to is None


@pytest.mark.capability("A12")
async def test_a_bot_that_is_removed_in_mid_answer_fails_it_and_says_so(home: Path) -> None:
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        await scene.owner.says(group, "@helper_bot go")
        await group.wait_for(1)
        group.removes(scene.bot)
        model.go_on()
        [parcel] = await given_up(scene)
        assert (parcel.error or {})["error"] == "telegram-forbidden"
        await scene.chat.wait_for(2)
        assert "Team" in scene.last().text
        group.adds(scene.bot)
        await (await scene.owner.presses(scene.last(), "Send again")).wait()
        await group.wait_until(lambda: group.texts()[-1] == "Half and all of it")


@pytest.mark.capability("A10", "A12")
async def test_an_answer_whose_preview_someone_deletes_is_sent_anew(home: Path) -> None:
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        await scene.owner.deletes(scene.last())
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Half and all of it"])


@pytest.mark.capability("A12")
async def test_an_edit_that_changes_nothing_is_a_success(home: Path) -> None:
    """The edit was done and its answer lost, so it is repeated; Telegram calls that an error."""
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        scene.server.cut_after("editMessageText")
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Half and all of it"])
        await scene.ask("/status")  # comes after it in order, so the answer is settled
        assert await scene.host.store.read(outbox.given_up) == []
        assert scene.chat.history_of(said(scene.chat)[1].id) == ["Half", "Half and all of it"]
        assert scene.server.counts["editMessageText"] == 2


@pytest.mark.capability("A12")
async def test_a_send_that_is_never_answered_is_set_aside_and_sent_again_when_the_owner_says_so(
    home: Path,
) -> None:
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.cut_after("sendMessage")
        await ivan.says(other, "/language en")
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.UNKNOWN
        assert timeline.Event.DELIVERY_UNKNOWN in await events_of(scene, parcel)
        await scene.chat.wait_for(2)
        alert = scene.last()
        assert "not known" in alert.text
        assert "may be seen twice" in alert.text
        await (await scene.owner.presses(alert, "Send again")).wait()
        await other.wait_for(2)
        assert other.texts()[1] == other.texts()[0]


@pytest.mark.capability("A10", "A12")
async def test_an_instant_answer_that_is_never_answered_is_not_seen_twice_unasked(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        scene.server.cut_after("sendMessage")
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_until(lambda: "not known" in scene.last().text)  # comes after it in order
        assert scene.chat.texts().count("an answer") == 1


@pytest.mark.capability("A10", "A12")
@pytest.mark.parametrize("known", [0, 1], ids=["the first message", "the second message"])
async def test_a_preview_that_is_never_answered_does_not_hold_up_the_answer(home: Path, known: int) -> None:
    """Telegram has a message whose id nobody knows: it stays as it is, and nothing else is left behind."""
    model = Stepwise(*(PARAGRAPHS[:2000], PARAGRAPHS[2000:5000], PARAGRAPHS[5000:])[1 - known :])
    whole = "".join(str(piece) for piece in model.pieces)
    async with telegram_scene(home, model=model) as scene:
        if known:
            await scene.owner.says(scene.chat, "go")
            await scene.chat.wait_for(2)
        scene.server.cut_after("sendMessage")
        if known:
            model.go_on()
        else:
            await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2 + known)
        lost = scene.last().id
        model.go_on()
        await scene.chat.wait_until(
            lambda: (
                bare("".join(each.text for each in said(scene.chat)[1:] if each.id != lost)) == bare(whole)
            ),
        )
        assert await scene.host.store.read(outbox.given_up) == []


@pytest.mark.capability("A12")
async def test_a_file_that_is_never_answered_is_set_aside_too(home: Path) -> None:
    async with telegram_scene(home) as scene:
        scene.server.cut_after("sendPhoto")
        await post(scene, "look", ("a.png", "image/png", PICTURE))
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.UNKNOWN
        assert len(await on_the_page(scene)) == 1  # the owner's own chat is the one that is in doubt


@pytest.mark.capability("A12")
async def test_a_send_that_never_left_is_repeated(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listened: what was never asked can be asked again without a doubt."""
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        url = scene.server.url
        channel = scene.host.bots._bots[str(scene.bot.id)]
        monkeypatch.setattr(channel._bot, "_base_url", "http://127.0.0.1:1/bot")
        await post(scene, "hello")
        async with asyncio.timeout(60):
            while not (parcel := await first_parcel(scene, "hello")).attempts:
                await asyncio.sleep(0.01)
        assert parcel.state is ParcelState.PENDING
        monkeypatch.setattr(channel._bot, "_base_url", f"{url}/bot{scene.bot.token}")
        assert (await scene.chat.wait_for(2))[1:] == ["hello"]


async def first_parcel(scene: Scene, text: str) -> Parcel:
    def read(tx: Tx) -> Parcel:
        row = tx.execute(parcels.select().where(parcels.c.text == text)).one()
        found = outbox.get(tx, row.id)
        assert found is not None
        return found

    return await scene.host.store.read(read)


@pytest.mark.capability("A12")
async def test_a_token_that_was_taken_back_is_told_on_the_page(home: Path) -> None:
    refused: list[Call] = []
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:

        async def unauthorized(call: Call) -> Response:
            refused.append(call)
            return JSONResponse({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)

        await scene.host.calm(60)  # what was said when they paired goes first
        scene.server.on_call = unauthorized
        await post(scene, "hello")
        await scene.owner.says(scene.chat, "wakes the poll")  # whose next one hears it
        async with asyncio.timeout(60):
            while not any("token" in text for text in await on_the_page(scene)):
                await asyncio.sleep(0.01)
            while not any(call.method == "sendMessage" for call in refused):
                await asyncio.sleep(0.01)
        # It was refused itself, or waits behind the alert if the poll was first.
        assert (await first_parcel(scene, "hello")).state is ParcelState.PENDING
        assert (await scene.host.bots.report("en"))[0].trouble
