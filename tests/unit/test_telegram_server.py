"""The Telegram server of the tests is as strict as Telegram, and shows what a person would see."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio
import telegram
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import (
    BotCommand,
    BotCommandScopeAllPrivateChats,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaDocument,
    InputMediaPhoto,
    MessageEntity,
    ReplyParameters,
)
from telegram.constants import ParseMode, ReactionEmoji
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)
from telegram.request import HTTPXRequest

from nanoclaw.console.web_server import WebServer
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import PrivateChat
from nanoclaw.testing.telegram.files import Sizes
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call, TelegramServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
OGG = b"OggS" + bytes(64)


class Clock:
    """A test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass(kw_only=True)
class Stage:
    server: TelegramServer
    clock: Clock
    account: Bot
    bot: telegram.Bot
    olena: Person
    chat: PrivateChat

    async def send(self, text: str = "Hello", **more: Any) -> telegram.Message:
        return await self.bot.send_message(self.chat.id, text, **more)


@pytest.fixture(autouse=True)
def _waits_as_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the library warns of its own attribute."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[tuple[TelegramServer, Clock]]:
    clock = Clock()
    sizes = Sizes(upload=3000, photo=2000, download=1000)
    async with TelegramServer(clock=clock, sizes=sizes) as server:
        yield server, clock


@pytest_asyncio.fixture(loop_scope="module")
async def stage(running: tuple[TelegramServer, Clock]) -> AsyncIterator[Stage]:
    """A bot and a person of its own for each test."""
    server, clock = running
    clock.now += 1000
    account = server.add_bot("helper_bot", name="Helper")
    olena = server.person("Olena", language="uk", username="olena_t")
    async with _ptb(server, account) as bot:
        yield Stage(
            server=server, clock=clock, account=account, bot=bot, olena=olena, chat=olena.chat_with(account)
        )


def _ptb(server: TelegramServer, account: Bot) -> telegram.Bot:
    # The certificates of the machine are not read: that takes longer than a test, and loopback needs none.
    requests = [HTTPXRequest(httpx_kwargs={"verify": False}) for _ in range(2)]
    return telegram.Bot(
        account.token,
        base_url=f"{server.url}/bot",
        base_file_url=f"{server.url}/file/bot",
        request=requests[0],
        get_updates_request=requests[1],
    )


async def _updates(stage: Stage, **more: Any) -> list[telegram.Update]:
    return list(await stage.bot.get_updates(**more))


def _keyboard(*labels: str, data: str = "x") -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton(label, callback_data=data) for label in labels]])


# What goes through


async def test_a_person_writes_and_the_bot_answers(stage: Stage) -> None:
    await stage.olena.says(stage.chat, "/start@helper_bot see https://example.org, @olena_t")
    (update,) = await _updates(stage)
    assert update.message is not None
    assert update.message.from_user is not None
    assert update.message.from_user.language_code == "uk"
    assert [(each.type, update.message.parse_entity(each)) for each in update.message.entities] == [
        ("bot_command", "/start@helper_bot"),
        ("url", "https://example.org"),
        ("mention", "@olena_t"),
    ]
    sent = await update.message.reply_text("Вітаю 👋", do_quote=True)
    (shown,) = [seen for seen in stage.chat.seen if seen.by_bot]
    assert (shown.id, shown.text, shown.sender) == (sent.message_id, "Вітаю 👋", "Helper")
    assert shown.reply_to == update.message.message_id
    assert sent.reply_to_message == update.message
    assert await stage.chat.wait_for(1) == ["Вітаю 👋"]


async def test_an_update_is_repeated_until_its_offset_is_confirmed(stage: Stage) -> None:
    for text in ("one", "two", "three"):
        await stage.olena.says(stage.chat, text)
    first = await _updates(stage, limit=2)
    assert [update.effective_message and update.effective_message.text for update in first] == ["one", "two"]
    assert await _updates(stage, limit=2) == first
    assert stage.server.unconfirmed(stage.account) == 3
    (third,) = await _updates(stage, offset=first[1].update_id + 1)
    stage.server.repeat_last_update(bot=stage.account)
    assert await _updates(stage, offset=third.update_id + 1) == [third]
    assert await _updates(stage, offset=third.update_id + 1) == []
    assert stage.server.unconfirmed(stage.account) == 0


async def test_a_long_poll_wakes_with_the_first_update(stage: Stage) -> None:
    poll = asyncio.create_task(_updates(stage, timeout=20))
    await _until_called(stage, "getUpdates")
    await stage.olena.says(stage.chat, "now")
    assert len(await poll) == 1


async def test_a_second_poll_ends_the_first(stage: Stage) -> None:
    first = asyncio.create_task(_updates(stage, timeout=20))
    await _until_called(stage, "getUpdates")
    async with _ptb(stage.server, stage.account) as another:
        assert await another.get_updates() == ()
    with pytest.raises(Conflict, match="terminated by other getUpdates request; make sure that only one"):
        await first


async def _until_called(stage: Stage, method: str) -> None:
    while not any(call.bot is stage.account and call.method == method for call in stage.server.calls):
        await asyncio.sleep(0.001)


async def test_only_the_kinds_of_updates_that_were_asked_for_come(stage: Stage) -> None:
    await _updates(stage, allowed_updates=["callback_query"])
    await stage.olena.says(stage.chat, "not this")
    card = await stage.send(reply_markup=_keyboard("Yes"))
    await stage.olena.presses(stage.chat.seen[-1], "Yes")
    (update,) = await _updates(stage)
    assert update.callback_query is not None
    assert update.callback_query.message == card


async def test_a_webhook_gets_every_update_with_the_secret_and_again_after_a_failure(stage: Stage) -> None:
    got: list[tuple[str, int]] = []
    enough = asyncio.Event()

    async def hook(request: Request) -> Response:
        body = await request.json()
        got.append((request.headers["x-telegram-bot-api-secret-token"], body["update_id"]))
        if len(got) == 3:
            enough.set()
        return Response(status_code=500 if len(got) == 1 else 200)

    serving = WebServer(0, for_everyone=True)
    serving.start(Starlette(routes=[Route("/hook", hook, methods=["POST"])]))
    await stage.bot.set_webhook(f"{serving.url}/hook", secret_token="s3cret")  # noqa: S106
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await _updates(stage)
    await stage.olena.says(stage.chat, "one")
    await stage.olena.says(stage.chat, "two")
    await asyncio.wait_for(enough.wait(), 60)
    info = await stage.bot.get_webhook_info()
    await stage.bot.delete_webhook()
    await serving.stop()
    assert info.last_error_message == "Wrong response from the webhook: 500 Internal Server Error"
    assert {secret for secret, _ in got} == {"s3cret"}
    assert got[0] == got[1]
    assert got[2][1] == got[1][1] + 1
    assert await _updates(stage) == []


async def test_people_send_every_kind_of_message(stage: Stage) -> None:
    olena, chat = stage.olena, stage.chat
    await olena.sends_voice(chat, OGG, duration=0)
    await olena.sends_photo(chat, PNG, caption="look #here")
    await olena.sends_document(chat, b"body", name="../../etc/passwd", mime="text/plain")
    await olena.sends_sticker(chat, "🔥")
    await olena.sends_location(chat, 50.45, 30.52)
    await olena.sends_contact(chat, "+380000000000", "Ivan")
    await olena.sends_video_note(chat, b"note")
    await olena.sends_audio(chat, b"ID3")
    await olena.sends_video(chat, b"film")
    await olena.sends_album(chat, [PNG, PNG], caption="two")
    messages = [update.message for update in await _updates(stage) if update.message]
    voice, photo, document, sticker, place, contact, note, audio, video, *album = messages
    assert voice.voice
    assert voice.voice.file_size == len(OGG)
    assert photo.photo[-1].width > photo.photo[0].width
    assert photo.caption_entities[0].type == "hashtag"
    assert document.document
    assert document.document.file_name == "../../etc/passwd"
    assert sticker.sticker
    assert sticker.sticker.emoji == "🔥"
    assert place.location
    assert contact.contact
    assert note.video_note
    assert audio.audio
    assert video.video
    assert {item.media_group_id for item in album} == {album[0].media_group_id}
    assert [item.caption for item in album] == ["two", None]
    file = await stage.bot.get_file(document.document.file_id)
    assert bytes(await file.download_as_bytearray()) == b"body"
    assert (await stage.bot.get_file(photo.photo[0].file_id)).file_size == len(PNG)


async def test_people_reply_edit_and_forward(stage: Stage) -> None:
    said = await stage.olena.says(stage.chat, "old")
    await stage.olena.says(stage.chat, "and", reply_to=said)
    changed = await stage.olena.edits(said, "new")
    await stage.olena.forwards(changed, stage.chat)
    _, reply, edit, forward = await _updates(stage)
    assert reply.message
    assert reply.message.reply_to_message
    assert edit.edited_message
    assert edit.edited_message.text == "new"
    assert forward.message
    assert forward.message.forward_origin
    assert stage.chat.history_of(said.id) == ["old", "new"]
    assert stage.chat.seen[0].edited == 1


async def test_a_bot_sends_files_albums_and_edits(stage: Stage) -> None:
    bot, chat = stage.bot, stage.chat
    document = await bot.send_document(
        chat.id, b"text", filename='re"po\\rt .txt', caption="<b>c</b>", parse_mode="HTML"
    )
    await bot.send_photo(chat.id, PNG)
    await bot.send_voice(chat.id, OGG, duration=3)
    stage.clock.now += 10
    await bot.send_voice(chat.id, b"not a voice")
    album = await bot.send_media_group(chat.id, [InputMediaPhoto(PNG, caption="a"), InputMediaPhoto(PNG)])
    assert document.document
    again = await bot.send_document(chat.id, document.document.file_id)
    assert again.document == document.document
    kinds = [seen.kind for seen in chat.seen]
    assert kinds == ["document", "photo", "voice", "document", "photo", "photo", "document"]
    first = chat.seen[0]
    assert (first.file_name, first.data, first.caption) == ('re"po\\rt .txt', b"text", "c")
    assert first.entities[0]["type"] == "bold"
    assert len({seen.album for seen in chat.seen[4:6]}) == 1
    stage.clock.now += 10
    await bot.edit_message_caption(chat.id, album[0].message_id, caption="b")
    assert chat.history_of(album[0].message_id) == ["a", "b"]
    await bot.delete_message(chat.id, document.message_id)
    assert chat.seen[0].kind == "photo"
    assert chat.all_ever[0].deleted


async def test_typing_and_reactions_are_seen(stage: Stage) -> None:
    said = await stage.olena.says(stage.chat, "hi")
    await stage.bot.send_chat_action(stage.chat.id, "typing")
    assert [typing.action for typing in stage.chat.typing] == ["typing"]
    await stage.bot.set_message_reaction(stage.chat.id, said.id, ReactionEmoji.EYES)
    assert stage.chat.seen[0].reactions == ("👀",)
    for emoji in ReactionEmoji:
        stage.clock.now += 1
        await stage.bot.set_message_reaction(stage.chat.id, said.id, emoji)
    with pytest.raises(BadRequest, match="Reaction_invalid"):
        await stage.bot.set_message_reaction(stage.chat.id, said.id, "🐍")


async def test_a_press_is_answered_once_and_in_time(stage: Stage) -> None:
    await stage.send(reply_markup=_keyboard("Yes", "No", data="d" * 64))
    card = stage.chat.seen[0]
    assert card.labels == ["Yes", "No"]
    press = await stage.olena.presses(card, "No")
    (update,) = await _updates(stage)
    query = update.callback_query
    assert query
    assert query.data == "d" * 64
    stage.clock.now += 2
    await query.answer("Taken", show_alert=True)
    answered = await press.wait()
    assert (answered.text, answered.alert, answered.after) == ("Taken", True, 2)
    with pytest.raises(
        BadRequest, match="Query is too old and response timeout expired or query id is invalid"
    ):
        await query.answer()
    late = await stage.olena.presses(card, "Yes")
    stage.clock.now += 16
    with pytest.raises(BadRequest, match="too old"):
        await stage.bot.answer_callback_query(late.id)
    assert late.answer is None


async def test_a_press_on_a_card_that_is_gone_names_only_its_place(stage: Stage) -> None:
    sent = await stage.send(reply_markup=_keyboard("Yes"))
    card = stage.chat.seen[0]
    await sent.delete()
    await stage.olena.presses(card, "Yes")
    (update,) = await _updates(stage)
    assert update.callback_query
    assert update.callback_query.message
    assert not update.callback_query.message.is_accessible


async def test_the_menu_is_in_the_language_of_the_person(stage: Stage) -> None:
    scope = BotCommandScopeAllPrivateChats()
    await stage.bot.set_my_commands([BotCommand("why", "Why?")], scope=scope)
    await stage.bot.set_my_commands([BotCommand("why", "Чому?")], scope=scope, language_code="uk")
    assert stage.olena.menu(stage.chat, stage.account) == {"why": "Чому?"}
    assert stage.server.person("Guest").menu(stage.chat, stage.account) == {"why": "Why?"}
    assert (await stage.bot.get_my_commands(scope=scope))[0].description == "Why?"
    await stage.bot.delete_my_commands(scope=scope, language_code="uk")
    assert stage.olena.menu(stage.chat, stage.account) == {"why": "Why?"}


async def test_topics_keep_what_is_said_in_them_apart(stage: Stage) -> None:
    forum = stage.server.group("Team", stage.account, members=[stage.olena], forum=True)
    topic = forum.topic("Plans")
    said = await stage.olena.says(forum, "hi", topic=topic)
    member, opened, update = await _updates(stage)
    assert member.my_chat_member
    assert member.my_chat_member.new_chat_member.status == "member"
    assert opened.message
    assert opened.message.forum_topic_created
    assert update.message
    assert update.message.is_topic_message
    assert update.message.reply_to_message
    assert update.message.reply_to_message.forum_topic_created
    await stage.bot.send_message(forum.id, "there", message_thread_id=topic.id)
    await stage.bot.send_message(forum.id, "by reply", reply_parameters=ReplyParameters(said.id))
    await stage.bot.send_chat_action(forum.id, "typing", message_thread_id=1)
    assert [seen.topic for seen in forum.seen] == [topic.id] * 4
    for wrong in (1, 999):
        with pytest.raises(BadRequest, match="Message thread not found"):
            await stage.bot.send_message(forum.id, "x", message_thread_id=wrong)
    stage.clock.now += 10
    topic.closed = True
    with pytest.raises(BadRequest, match="Topic_closed"):
        await stage.bot.send_message(forum.id, "x", message_thread_id=topic.id)


async def test_channels_and_anonymous_administrators_write_in_another_name(stage: Stage) -> None:
    channel = stage.server.channel("News", stage.account, username="news_of_test")
    group = stage.server.group("Team", stage.account, members=[stage.olena], supergroup=True)
    await channel.posts("post")
    await group.says_as(group, "secretly")
    await group.says_as(channel, "loudly")
    updates = [update for update in await _updates(stage) if not update.my_chat_member]
    post, anonymous, loud = updates
    assert post.channel_post
    assert post.channel_post.from_user is None
    assert anonymous.message
    assert anonymous.message.from_user
    assert anonymous.message.from_user.username == "GroupAnonymousBot"
    assert loud.message
    assert loud.message.sender_chat
    assert loud.message.sender_chat.title == "News"
    await stage.bot.send_message("@news_of_test", "by name")
    assert channel.texts() == ["by name"]
    assert (await stage.bot.get_chat(group.id)).title == "Team"


async def test_people_come_and_go(stage: Stage) -> None:
    group = stage.server.group("Team", stage.account)
    await stage.olena.joins(group)
    assert (await stage.bot.get_chat_member(group.id, stage.olena.id)).status == "member"
    await stage.olena.leaves(group)
    assert (await stage.bot.get_chat_member(group.id, stage.olena.id)).status == "left"
    assert (await stage.bot.get_chat_member(group.id, stage.account.id)).status == "member"
    group.promotes(stage.account)
    assert (await stage.bot.get_chat_member(group.id, stage.account.id)).status == "administrator"
    _, joined, left, promoted = await _updates(stage)
    assert joined.message
    assert joined.message.new_chat_members[0].first_name == "Olena"
    assert left.message
    assert left.message.left_chat_member
    assert promoted.my_chat_member


# What is refused

Doing = Callable[[Stage], Awaitable[object]]


def _entity(kind: str, offset: int, length: int) -> MessageEntity:
    return MessageEntity(kind, offset, length)


def _sends(text: str, *entities: MessageEntity, **more: Any) -> Doing:
    return lambda stage: stage.send(text, entities=entities or None, **more)


def _with(button: Any) -> Doing:
    markup = {"inline_keyboard": [[button]]}
    return lambda stage: stage.send(api_kwargs={"reply_markup": markup})


async def _edits_the_same(stage: Stage) -> None:
    sent = await stage.send(reply_markup=_keyboard("a"))
    await sent.edit_text("Hello", reply_markup=_keyboard("a"))


async def _edits_a_deleted_one(stage: Stage) -> None:
    sent = await stage.send()
    await sent.delete()
    await sent.edit_text("new")


async def _edits_what_a_person_wrote(stage: Stage) -> None:
    said = await stage.olena.says(stage.chat, "mine")
    await stage.bot.edit_message_text("yours", stage.chat.id, said.id)


async def _edits_the_text_of_a_photo(stage: Stage) -> None:
    sent = await stage.bot.send_photo(stage.chat.id, PNG)
    await sent.edit_text("new")


async def _edits_the_caption_of_a_text(stage: Stage) -> None:
    await (await stage.send()).edit_caption("new")


async def _edits_too_long(stage: Stage) -> None:
    await (await stage.send()).edit_text("x" * 4097)


async def _gets_a_big_file(stage: Stage) -> None:
    said = await stage.olena.sends_document(stage.chat, b"tiny", size=2 << 30)
    kept = stage.chat.messages[said.id]
    assert kept.file
    await stage.bot.get_file(kept.file.id)


def _album(*media: Any) -> Doing:
    return lambda stage: stage.bot.send_media_group(stage.chat.id, media)


def _commands(*commands: tuple[str, str], **more: Any) -> Doing:
    return lambda stage: stage.bot.set_my_commands(list(commands), **more)


CROOKED = "👍 text"
REFUSALS: dict[str, tuple[Doing, str]] = {
    "text too long": (_sends("x" * 4097), "Message is too long"),
    "text too long in units": (_sends("👍" * 2049), "Message is too long"),
    "nothing but white space": (_sends(" \n\t "), "Message text is empty"),
    "nothing to see": (_sends("\u200b\u2060\ufeff"), "Message text is empty"),
    "caption too long": (
        lambda stage: stage.bot.send_photo(stage.chat.id, PNG, caption="x" * 1025),
        "Message caption is too long",
    ),
    "entity after the end": (
        _sends("abc", _entity("bold", 4, 1)),
        "begins after the end of the text at utf-16 offset 4",
    ),
    "entity over the end": (
        _sends("abc", _entity("bold", 1, 3)),
        "ends after the end of the text at utf-16 offset 4",
    ),
    "entity begins in a pair": (
        _sends(CROOKED, _entity("bold", 1, 2)),
        "begins in a middle of a utf-16 symbol",
    ),
    "entity ends in a pair": (_sends(CROOKED, _entity("bold", 0, 1)), "ends in a middle of a utf-16 symbol"),
    "negative offset": (_sends("abc", _entity("bold", -1, 1)), "incorrect offset -1"),
    "crossing entities": (
        _sends("abcdef", _entity("bold", 0, 3), _entity("italic", 2, 3)),
        "italic crosses bold",
    ),
    "bold in code": (_sends("abcdef", _entity("code", 0, 6), _entity("bold", 2, 3)), "bold inside code"),
    "code in bold": (_sends("abcdef", _entity("bold", 0, 6), _entity("code", 2, 3)), "code inside bold"),
    "quote in quote": (
        _sends("abcdef", _entity("blockquote", 0, 6), _entity("blockquote", 2, 3)),
        "blockquote inside blockquote",
    ),
    "unknown entity": (_sends("abc", _entity("shiny", 0, 1)), "unsupported type specified"),
    "link without address": (_sends("abc", _entity("text_link", 0, 1)), "Can't parse messageentity"),
    "unknown parse mode": (_sends("abc", parse_mode="BBCode"), "Unsupported parse_mode"),
    "a dot in MarkdownV2": (
        _sends("v1.0", parse_mode=ParseMode.MARKDOWN_V2),
        r"Can't parse entities: character '\.' is reserved and must be escaped with the preceding '\\'",
    ),
    "open bold": (
        _sends("x *bold", parse_mode=ParseMode.MARKDOWN_V2),
        "can't find end of bold entity at byte offset 2",
    ),
    "open code": (
        _sends("`code", parse_mode=ParseMode.MARKDOWN_V2),
        "can't find end of code entity at byte offset 0",
    ),
    "open address": (
        _sends("[a](b", parse_mode=ParseMode.MARKDOWN_V2),
        "can't find end of a url at byte offset 4",
    ),
    "open tag": (_sends("<b>x", parse_mode="HTML"), 'can\'t find end tag corresponding to start tag "b"'),
    "wrong end tag": (_sends("<b>x</i>", parse_mode="HTML"), 'expected "</b>", found "</i>"'),
    "unknown tag": (_sends("<h1>x", parse_mode="HTML"), 'unsupported start tag "h1" at byte offset 0'),
    "data of 65 bytes": (_with({"text": "a", "callback_data": "ї" * 33}), "Button_data_invalid"),
    "empty data": (_with({"text": "a", "callback_data": ""}), "Button_data_invalid"),
    "no action": (_with({"text": "a"}), "text buttons are unallowed in the inline keyboard"),
    "no label": (_with({"text": " ", "callback_data": "a"}), "button text must be non-empty"),
    "button is not an object": (_with("a"), "Can't parse inline keyboard button"),
    "rows are not lists": (
        lambda stage: stage.send(api_kwargs={"reply_markup": {"inline_keyboard": [{}]}}),
        "must be an array of arrays",
    ),
    "reply to nothing": (_sends("a", reply_parameters=ReplyParameters(1)), "Message to be replied not found"),
    "topic in a private chat": (_sends("a", message_thread_id=5), "Message thread not found"),
    "edit of the same": (_edits_the_same, "Message is not modified: specified new message content and reply"),
    "edit of a deleted one": (_edits_a_deleted_one, "Message to edit not found"),
    "edit of what a person wrote": (_edits_what_a_person_wrote, "Message can't be edited"),
    "edit of the text of a photo": (_edits_the_text_of_a_photo, "There is no text in the message to edit"),
    "edit of the caption of a text": (
        _edits_the_caption_of_a_text,
        "There is no caption in the message to edit",
    ),
    "edit too long": (_edits_too_long, "Message_too_long"),
    "delete of nothing": (
        lambda stage: stage.bot.delete_message(stage.chat.id, 1),
        "Message to delete not found",
    ),
    "unknown chat": (lambda stage: stage.bot.send_message(5, "a"), "Chat not found"),
    "unknown action": (
        lambda stage: stage.bot.send_chat_action(stage.chat.id, "sing"),
        "Wrong parameter action",
    ),
    "photo too big": (
        lambda stage: stage.bot.send_photo(stage.chat.id, PNG + bytes(2000)),
        "is too big for a photo; the maximum size is 2000 bytes",
    ),
    "not a picture": (lambda stage: stage.bot.send_photo(stage.chat.id, b"text"), "Image_process_failed"),
    "empty file": (lambda stage: stage.bot.send_document(stage.chat.id, b""), "File must be non-empty"),
    "unknown file id": (lambda stage: stage.bot.send_document(stage.chat.id, "abc"), "Wrong file identifier"),
    "unknown file": (lambda stage: stage.bot.get_file("abc"), "Wrong file_id or the file is temporarily"),
    "file too big to get": (_gets_a_big_file, "File is too big"),
    "album of one": (_album(InputMediaPhoto(PNG)), "Too few messages to send as an album"),
    "album of eleven": (_album(*[InputMediaPhoto(PNG)] * 11), "Too many messages to send as an album"),
    "mixed album": (
        _album(InputMediaPhoto(PNG), InputMediaDocument(b"x")),
        "Document can't be mixed with other media types",
    ),
    "capital command": (_commands(("Why", "d")), "Bot_command_invalid"),
    "command too long": (_commands(("a" * 33, "d")), "Bot_command_invalid"),
    "command without description": (_commands(("why", " ")), "Bot_command_description_invalid"),
    "101 commands": (_commands(*[(f"c{number}", "d") for number in range(101)]), "Bot_commands_too_much"),
    "long language": (_commands(("why", "d"), language_code="ukr"), "Invalid language code specified"),
    "unknown query": (lambda stage: stage.bot.answer_callback_query("1"), "Query is too old"),
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_it_refuses_what_telegram_refuses(stage: Stage, refusal: str) -> None:
    doing, said = REFUSALS[refusal]
    with pytest.raises(BadRequest, match=said):
        await doing(stage)


@pytest.mark.parametrize(
    ("text", "entities", "shown", "kept"),
    [
        ("  abc  ", [("bold", 2, 3)], "abc", [("bold", 0, 3)]),
        ("  abc  ", [("bold", 0, 7)], "  abc", [("bold", 0, 5)]),
        ("abc   ", [("bold", 4, 2)], "abc", []),
        ("a\tb\r\nc\u202e d", [("code", 4, 4)], "a b\nc d", [("code", 3, 3)]),
        ("👍 так", [("italic", 3, 3)], "👍 так", [("italic", 3, 3)]),
    ],
)
async def test_white_space_is_trimmed_and_entities_move_with_their_text(
    stage: Stage,
    text: str,
    entities: list[tuple[str, int, int]],
    shown: str,
    kept: list[tuple[str, int, int]],
) -> None:
    sent = await stage.send(text, entities=[_entity(*each) for each in entities])
    assert sent.text == shown
    assert [(each.type, each.offset, each.length) for each in sent.entities] == kept


@pytest.mark.parametrize(
    ("source", "mode", "text", "marks"),
    [
        (r"*b _i_* \. 1", "MarkdownV2", "b i . 1", [("bold", "b i"), ("italic", "i")]),
        ("```py\nx = 1\\`\n```", "MarkdownV2", "x = 1`", [("pre", "x = 1`")]),
        ("[a\\.b](https://x.org/\\)) ||s|| ~t~ __u__", "MarkdownV2", "a.b s t u", None),
        (">q1\n>q2\nafter", "MarkdownV2", "q1\nq2\nafter", [("blockquote", "q1\nq2")]),
        ("**>q1\n>q2||", "MarkdownV2", "q1\nq2", [("expandable_blockquote", "q1\nq2")]),
        ("<b>ї&lt;<i>👍</i></b>", "HTML", "ї<👍", [("bold", "ї<👍"), ("italic", "👍")]),
        ('<pre><code class="language-py">x</code></pre>', "HTML", "x", [("pre", "x")]),
        (
            '<a href="https://x.org">l</a><tg-spoiler>s</tg-spoiler>',
            "HTML",
            "ls",
            [("text_link", "l"), ("spoiler", "s")],
        ),
    ],
)
async def test_both_parse_modes_are_understood(
    stage: Stage, source: str, mode: str, text: str, marks: list[tuple[str, str]] | None
) -> None:
    sent = await stage.send(source, parse_mode=mode)
    assert sent.text == text
    if marks is not None:
        assert [(each.type, sent.parse_entity(each)) for each in sent.entities] == marks
    else:
        assert {each.type for each in sent.entities} == {"text_link", "spoiler", "strikethrough", "underline"}


async def test_a_reply_to_nothing_may_be_sent_anyway(stage: Stage) -> None:
    await stage.send(reply_parameters=ReplyParameters(1, allow_sending_without_reply=True))
    assert stage.chat.seen[0].reply_to is None


async def test_an_upload_over_the_limit_is_too_large(stage: Stage) -> None:
    with pytest.raises(NetworkError, match="Request Entity Too Large"):
        await stage.bot.send_document(stage.chat.id, bytes(3001))
    with pytest.raises(NetworkError, match="Request Entity Too Large"):
        await stage.bot.send_document(stage.chat.id, bytes(2 << 20))


async def test_an_unknown_token_and_an_unknown_method_are_refused(stage: Stage) -> None:
    stranger = _ptb(stage.server, Bot(1, "stranger_bot", "Stranger"))
    with pytest.raises(InvalidToken, match="rejected by the server"):
        await stranger.initialize()
    await stranger.shutdown()
    with pytest.raises(TelegramError, match="Endpoint 'sing' not found"):
        await stage.bot.do_api_request("sing")


async def test_a_bot_hears_why_it_cannot_write(stage: Stage) -> None:
    stage.olena.blocks(stage.account)
    with pytest.raises(Forbidden, match="Forbidden: bot was blocked by the user"):
        await stage.send()
    stage.olena.unblocks(stage.account)
    await stage.send()
    stage.olena.deletes_account()
    with pytest.raises(Forbidden, match="Forbidden: user is deactivated"):
        await stage.send()
    assert len(await _updates(stage)) == 2


@pytest.mark.parametrize("kind", ["group", "supergroup"])
async def test_a_bot_that_was_removed_from_a_group_cannot_write_there(stage: Stage, kind: str) -> None:
    group = stage.server.group("Team", stage.account, supergroup=kind == "supergroup")
    await stage.bot.send_message(group.id, "here")
    group.silences(stage.account)
    with pytest.raises(BadRequest, match="Not enough rights to send text messages"):
        await stage.bot.send_message(group.id, "here")
    group.removes(stage.account)
    with pytest.raises(Forbidden, match=f"Forbidden: bot was kicked from the {kind} chat"):
        await stage.bot.send_message(group.id, "here")
    group.deletes()
    with pytest.raises(Forbidden, match="the group chat was deleted"):
        await stage.bot.send_message(group.id, "here")
    assert [
        update.my_chat_member.new_chat_member.status
        for update in await _updates(stage)
        if update.my_chat_member
    ] == [
        "member",
        "restricted",
        "kicked",
    ]


async def test_a_group_that_became_a_supergroup_tells_its_new_id(stage: Stage) -> None:
    group = stage.server.group("Team", stage.account)
    upgraded = group.upgrades()
    with pytest.raises(ChatMigrated) as raised:
        await stage.bot.send_message(group.id, "where?")
    assert raised.value.new_chat_id == upgraded.id
    await stage.bot.send_message(upgraded.id, "here")
    _, old, new = await _updates(stage)
    assert old.message
    assert old.message.migrate_to_chat_id == upgraded.id
    assert new.message
    assert new.message.migrate_from_chat_id == group.id


# Flood control


async def test_a_chat_takes_a_burst_and_then_one_a_second(stage: Stage) -> None:
    before = stage.server.floods
    for _ in range(24):
        sent = await stage.send()
    with pytest.raises(RetryAfter):
        await sent.edit_text("an edit counts too")
    await stage.bot.send_chat_action(stage.chat.id, "typing")
    assert stage.server.floods == before + 1
    stage.clock.now += 1
    for number in range(5):
        await sent.edit_text(str(number))
        stage.clock.now += 1
    assert stage.server.floods == before + 1


async def test_who_does_not_wait_is_held_longer(stage: Stage) -> None:
    for _ in range(24):
        await stage.send()
    waits = []
    for _ in range(3):
        with pytest.raises(RetryAfter) as raised:
            await stage.send()
        waits.append(_seconds(raised.value))
    assert waits == [1, 2, 3]


async def test_a_group_takes_about_twenty_in_a_minute(stage: Stage) -> None:
    group = stage.server.group("Team", stage.account)
    sent, wait = await _send_until_held(stage, [group.id] * 30, pause=1)
    assert 20 <= sent <= 22
    assert wait == 60 - sent


async def test_a_bot_sends_about_thirty_in_a_second_in_all(stage: Stage) -> None:
    people = [stage.server.person(f"Guest {number}") for number in range(40)]
    sent, wait = await _send_until_held(stage, [each.chat_with(stage.account).id for each in people], pause=0)
    assert 30 <= sent <= 34
    assert wait == 1


async def _send_until_held(stage: Stage, chats: list[int], *, pause: float) -> tuple[int, float]:
    for sent, chat in enumerate(chats):
        try:
            await stage.bot.send_message(chat, "x")
        except RetryAfter as held:
            return sent, _seconds(held)
        stage.clock.now += pause
    raise AssertionError("nothing held it")


def _seconds(held: RetryAfter) -> float:
    return held._retry_after.total_seconds()


async def test_a_test_can_hold_one_chat_alone(stage: Stage) -> None:
    other = stage.server.person("Ivan").chat_with(stage.account)
    before = stage.server.floods
    stage.server.flood(stage.chat, 7)
    with pytest.raises(RetryAfter) as raised:
        await stage.send()
    assert _seconds(raised.value) == 7
    await stage.bot.send_message(other.id, "free")
    stage.clock.now += 7
    await stage.send()
    assert stage.server.floods == before


# Faults


async def test_a_cut_after_the_work_leaves_the_message_in_the_chat(stage: Stage) -> None:
    stage.server.cut_after("sendMessage")
    with pytest.raises(NetworkError):
        await stage.send("once")
    assert stage.chat.texts() == ["once"]
    stage.server.cut_before("sendMessage")
    with pytest.raises(NetworkError):
        await stage.send("never")
    await stage.send("then")
    assert stage.chat.texts() == ["once", "then"]


async def test_a_server_that_is_down_comes_back(stage: Stage) -> None:
    stage.server.fail("sendMessage", status=502, times=2)
    for _ in range(2):
        with pytest.raises(NetworkError, match="Bad Gateway"):
            await stage.send()
    await stage.send()


async def test_a_test_may_answer_in_the_place_of_telegram(stage: Stage) -> None:
    async def say_no(call: Call) -> Response | None:
        if call.method != "sendMessage":
            return None
        assert call.parameters["text"] == "Hello"
        return Response(b"<html>", 503)

    stage.server.on_call = say_no
    try:
        with pytest.raises(NetworkError):
            await stage.send()
        await stage.bot.get_me()
    finally:
        stage.server.on_call = None


async def test_a_poison_update_comes_as_it_is(stage: Stage) -> None:
    stage.server.push({"message": {"text": 5}}, bot=stage.account)
    await stage.olena.says(stage.chat, "fine")
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{stage.server.url}/bot{stage.account.token}/getUpdates?limit=2")
    assert [update["message"]["text"] for update in answer.json()["result"]] == [5, "fine"]


async def test_two_bots_hear_only_what_is_theirs(stage: Stage) -> None:
    other = stage.server.add_bot("other_bot")
    group = stage.server.group("Team", stage.account, other, members=[stage.olena])
    await stage.olena.says(stage.chat, "private")
    await stage.olena.says(group, "both")
    async with _ptb(stage.server, other) as second:
        texts = [update.message.text for update in await second.get_updates() if update.message]
    assert texts == ["both"]
    with pytest.raises(BadRequest, match="Chat not found"):
        async with _ptb(stage.server, other) as second:
            await second.send_message(stage.olena.id, "hello?")


async def test_old_messages_are_forgotten_so_that_a_long_run_stays_small() -> None:
    async with TelegramServer(flood_control=False, keep=10) as server:
        account = server.add_bot("helper_bot")
        olena = server.person("Olena")
        chat = olena.chat_with(account)
        for number in range(50):
            await olena.says(chat, str(number))
        assert [seen.text for seen in chat.seen] == [str(number) for number in range(40, 50)]
        assert server.unconfirmed(account) == 50


async def test_an_open_poll_ends_with_the_server() -> None:
    async with TelegramServer() as server:
        account = server.add_bot("helper_bot")
        async with _ptb(server, account) as bot:
            poll = asyncio.create_task(bot.get_updates(timeout=50))
            while not server.counts["getUpdates"]:
                await asyncio.sleep(0.001)
            await server.__aexit__()
            assert await poll == ()
