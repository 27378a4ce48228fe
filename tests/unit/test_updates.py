"""Updates of Telegram, as its documentation writes them, in our words."""

from datetime import UTC, datetime
from typing import Any

import pytest
from telegram import Update, User

from nanoclaw.channels.telegram.plain_updates import read_plain
from nanoclaw.channels.telegram.updates import (
    ChatClosed,
    ChatMoved,
    Heard,
    Joined,
    Pressing,
    address_of,
    read,
)
from nanoclaw.domain.messages import FileKind, Incoming
from nanoclaw.domain.wirings import ChatKind

pytestmark = pytest.mark.capability("A1")

ME = User(id=6, first_name="Helper", is_bot=True, username="Helper_Bot")
OLENA = {"id": 71, "is_bot": False, "first_name": "Olena", "last_name": "Koval", "language_code": "uk"}
BOT = {"id": 6, "is_bot": True, "first_name": "Helper", "username": "Helper_Bot"}
ALONE = {"id": 71, "type": "private", "first_name": "Olena"}
GROUP = {"id": -100200, "type": "supergroup", "title": "Office", "is_forum": True}
CHANNEL = {"id": -100300, "type": "channel", "title": "News"}
FILE = {"file_id": "F", "file_unique_id": "u", "file_size": 5}
SENT = 1_790_000_000


RIGHTS = dict.fromkeys(
    (
        *(
            "can_be_edited",
            "can_manage_chat",
            "can_delete_messages",
            "can_manage_video_chats",
            "is_anonymous",
        ),
        *("can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users"),
        *("can_post_stories", "can_edit_stories", "can_delete_stories"),
    ),
    False,
)


def message(chat: dict[str, Any] = ALONE, **content: Any) -> dict[str, Any]:
    return {"message_id": 9, "date": SENT, "chat": chat, "from": OLENA} | content


def heard(kind: str = "message", **content: Any) -> Heard:
    raw = {"update_id": 1, kind: message(**content)}
    update = Update.de_json(raw, None)
    assert address_of(update) == str(content.get("chat", ALONE)["id"])
    found = read(update, channel="telegram:6", me=ME)
    assert read_plain(raw, channel="telegram:6") in (None, found)  # the short way says the same, if anything
    return found


def incoming(kind: str = "message", **content: Any) -> Incoming:
    found = heard(kind, **content)
    assert isinstance(found, Incoming)
    return found


def entity(kind: str, text: str, part: str, **more: Any) -> dict[str, Any]:
    before = text[: text.index(part)]
    units = len(before.encode("utf-16-le")) // 2
    return {"type": kind, "offset": units, "length": len(part.encode("utf-16-le")) // 2} | more


def test_a_text_alone_with_the_bot() -> None:
    found = incoming(text="hello")
    assert (found.channel, found.address, found.external_id, found.handle) == (
        "telegram:6",
        "71",
        "9",
        "telegram:71",
    )
    assert (found.sender, found.chat_title, found.language) == ("Olena Koval", "Olena Koval", "uk")
    assert found.sent_at == datetime.fromtimestamp(SENT, UTC)
    assert (found.private, found.addressed, found.thread, found.edits) == (True, True, None, None)


def test_plain_words_alone_with_the_bot_need_no_library() -> None:
    for about in (
        OLENA,
        {"id": 5, "is_bot": False, "first_name": "", "username": "olena", "is_premium": True},
    ):
        content: dict[str, Any] = {"text": "/help me", "from": about}
        raw = {"update_id": 1, "message": message(**content)}
        assert read_plain(raw, channel="telegram:6") == incoming(**content)


@pytest.mark.parametrize(
    "content",
    [
        {"chat": GROUP},
        {"chat": ALONE | {"title": "Titled"}},
        {"chat": ALONE | {"id": "71"}},
        {"from": BOT},
        {"from": OLENA | {"id": True}},
        {"from": OLENA | {"username": 5}},
        {"from": {"id": 71}},
        {"text": "@helper_bot /status"},
        {"text": ""},
        {"text": 5},
        {"date": 1 << 60},
        {"date": None},
        {"sender_chat": GROUP},
        {"forward_origin": {}},
        {"forward_from": OLENA},
        {"via_bot": BOT},
        {"reply_to_message": {}},
        {"entities": []},
        {"caption": "words"},
    ],
    ids=str,
)
def test_whatever_is_unusual_is_left_to_the_library(content: dict[str, Any]) -> None:
    raw = {"update_id": 1, "message": message(**{"text": "hello"} | content)}
    assert read_plain(raw, channel="telegram:6") is None
    assert read_plain(raw | {"message": message(text="hello"), "poll": {}}, channel="telegram:6") is None


def test_zero_width_and_mixed_direction_stay_as_they_were_written() -> None:
    text = "שלום \u200bworld\u200d \u202eevil\u202c 👩\u200d💻 привіт"
    assert incoming(text=text).text == text


def test_an_edit_names_what_it_edits_and_brings_no_file_again() -> None:
    document = FILE | {"file_name": "a.pdf"}
    found = incoming("edited_message", caption="new words", document=document, edit_date=SENT + 60)
    assert (found.edits, found.text, found.files) == ("9", "new words", ())
    assert found.external_id != "9"
    assert found.sent_at == datetime.fromtimestamp(SENT + 60, UTC)


def test_two_edits_within_one_second_are_two() -> None:
    first = incoming("edited_message", text="one", edit_date=SENT + 1)
    second = incoming("edited_message", text="two", edit_date=SENT + 1)
    assert first.external_id != second.external_id


def test_a_place_that_moves_on_its_own_is_not_said_again() -> None:
    place = {"latitude": 50.45, "longitude": 30.52, "live_period": 900}
    assert isinstance(heard(location=place), Incoming)
    assert heard("edited_message", location=place | {"latitude": 50.46}, edit_date=SENT + 5) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            {
                "sticker": FILE
                | {
                    "width": 1,
                    "height": 1,
                    "is_animated": False,
                    "is_video": False,
                    "type": "regular",
                    "emoji": "🐱",
                }
            },
            "🐱",
        ),
        ({"location": {"latitude": 50.45, "longitude": 30.5233}}, "50.450000, longitude 30.523300"),
        (
            {
                "venue": {
                    "location": {"latitude": 1.0, "longitude": 2.0},
                    "title": "Café",
                    "address": "Main St",
                }
            },
            "Café, Main St",
        ),
        (
            {"contact": {"phone_number": "+380441234567", "first_name": "Ivan", "last_name": "Franko"}},
            "Ivan Franko, +380441234567",
        ),
        ({"dice": {"emoji": "🎲", "value": 4}}, "4"),
        (
            {
                "poll": {
                    "id": "1",
                    "question": "Lunch?",
                    "options": [
                        {"text": "Yes", "voter_count": 0, "persistent_id": "a"},
                        {"text": "No", "voter_count": 0, "persistent_id": "b"},
                    ],
                    "total_voter_count": 0,
                    "is_closed": False,
                    "is_anonymous": True,
                    "type": "regular",
                    "allows_multiple_answers": False,
                    "allows_revoting": False,
                    "members_only": False,
                }
            },
            "Lunch? Yes / No",
        ),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_is_no_text_is_told_in_words(content: dict[str, Any], words: str) -> None:
    found = incoming(**content)
    assert words in found.text
    assert found.text.startswith("[")


LASTING = FILE | {"duration": 7}
SHOWN = LASTING | {"width": 1, "height": 1}


@pytest.mark.parametrize(
    ("content", "kind", "name", "seconds"),
    [
        ({"voice": LASTING | {"mime_type": "audio/ogg"}}, FileKind.VOICE, "voice-9.ogg", 7),
        ({"voice": FILE | {"duration": 0}}, FileKind.VOICE, "voice-9.ogg", 0),
        ({"video_note": LASTING | {"length": 240}}, FileKind.VIDEO, "video-9.mp4", 7),
        ({"audio": LASTING | {"file_name": "song.mp3"}}, FileKind.AUDIO, "song.mp3", 7),
        ({"video": SHOWN}, FileKind.VIDEO, "video-9.mp4", 7),
        ({"document": FILE | {"file_name": "a.pdf"}}, FileKind.DOCUMENT, "a.pdf", None),
        ({"document": FILE}, FileKind.DOCUMENT, "document-9", None),
        ({"animation": SHOWN, "document": FILE}, FileKind.VIDEO, "video-9.mp4", 7),
    ],
)
def test_a_file_of_each_kind(
    content: dict[str, Any], kind: FileKind, name: str, seconds: float | None
) -> None:
    (file,) = incoming(**content).files
    assert (file.kind, file.name, file.seconds) == (kind, name, seconds)
    assert (file.ref, file.part_of, file.size, file.path) == ("F", "9", 5, None)


def test_of_a_photo_the_biggest_size_is_taken() -> None:
    sizes = [
        FILE | {"file_id": name, "width": width, "height": width} for name, width in (("S", 90), ("L", 1280))
    ]
    found = incoming(photo=sizes, caption="look", media_group_id="77")
    assert [file.ref for file in found.files] == ["L"]
    assert (found.text, found.album) == ("look", "77")


def test_a_reply_quotes_what_it_answers() -> None:
    said = message(text="The price is 5.", message_id=4) | {"from": BOT}
    found = incoming(text="Why?", reply_to_message=said)
    assert found.reply_to is not None
    assert (found.reply_to.ref, found.reply_to.sender, found.reply_to.text) == (
        "4",
        "Helper",
        "The price is 5.",
    )
    part = incoming(
        text="Why?", reply_to_message=said, quote={"text": "5", "position": 13, "is_manual": True}
    )
    assert part.reply_to is not None
    assert part.reply_to.text == "5"


def test_in_a_topic_a_message_replies_to_nobody_unless_it_does() -> None:
    opened = message(
        GROUP,
        message_id=3,
        message_thread_id=3,
        is_topic_message=True,
        forum_topic_created={"name": "Prices", "icon_color": 7322096},
    )
    found = incoming(
        chat=GROUP, text="hi", message_thread_id=3, is_topic_message=True, reply_to_message=opened
    )
    assert (found.thread, found.reply_to, found.addressed) == ("3", None, False)


def test_outside_of_topics_a_reply_opens_no_thread() -> None:
    """Telegram names the thread of replies in plain supergroups and in General too; it is no place to write to."""
    said = message(GROUP, text="old", message_id=4)
    assert incoming(chat=GROUP, text="hi", message_thread_id=4, reply_to_message=said).thread is None


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"type": "user", "date": SENT, "sender_user": OLENA}, "Olena Koval"),
        ({"type": "hidden_user", "date": SENT, "sender_user_name": "Somebody"}, "Somebody"),
        ({"type": "chat", "date": SENT, "sender_chat": GROUP}, "Office"),
        ({"type": "channel", "date": SENT, "chat": CHANNEL, "message_id": 1}, "News"),
    ],
)
def test_what_was_passed_on_says_from_whom(origin: dict[str, Any], name: str) -> None:
    assert incoming(text="/stop", forward_origin=origin).forwarded_from == name


CALL = "👋 @helper_bot look"


@pytest.mark.parametrize(
    ("content", "addressed"),
    [
        ({"text": "hello"}, False),
        ({"text": "@helper_bot look"}, False),  # in code or in a quotation Telegram marks no mention
        ({"text": CALL, "entities": [entity("mention", CALL, "@helper_bot")]}, True),
        (
            {
                "text": "@helper_bot_2 hi",
                "entities": [entity("mention", "@helper_bot_2 hi", "@helper_bot_2")],
            },
            False,
        ),
        (
            {
                "caption": CALL,
                "caption_entities": [entity("mention", CALL, "@helper_bot")],
                "document": FILE,
            },
            True,
        ),
        (
            {"text": "Helper look", "entities": [entity("text_mention", "Helper look", "Helper", user=BOT)]},
            True,
        ),
        (
            {"text": "Olena look", "entities": [entity("text_mention", "Olena look", "Olena", user=OLENA)]},
            False,
        ),
        ({"text": "/help", "entities": [entity("bot_command", "/help", "/help")]}, True),
        (
            {
                "text": "/help@Helper_bot",
                "entities": [entity("bot_command", "/help@Helper_bot", "/help@Helper_bot")],
            },
            True,
        ),
        (
            {
                "text": "/help@other_bot",
                "entities": [entity("bot_command", "/help@other_bot", "/help@other_bot")],
            },
            False,
        ),
        ({"text": "yes", "reply_to_message": message(GROUP, text="?") | {"from": BOT}}, True),
        ({"text": "yes", "reply_to_message": message(GROUP, text="?")}, False),
    ],
)
def test_in_a_group_the_bot_is_addressed_by_what_telegram_marked(
    content: dict[str, Any], addressed: bool
) -> None:
    found = incoming(chat=GROUP, **content)
    assert (found.addressed, found.private) == (addressed, False)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("@Helper_Bot /status", "/status"),
        ("@helper_bot, /why m_1", "/why m_1"),
        ("@helper_bot: /help", "/help"),
        ("@Helper_Bot what is /status?", "@Helper_Bot what is /status?"),
        ("@helper_bots /status", "@helper_bots /status"),
        ("@Helper_Bot/status", "@Helper_Bot/status"),
        ("@Helper_Bot /status@Helper_Bot", "/status@Helper_Bot"),
        ("@Helper_Bot /status@other_bot", "@Helper_Bot /status@other_bot"),
    ],
)
def test_a_command_behind_our_name_is_a_command(written: str, read_as: str) -> None:
    assert incoming(chat=GROUP, text=written).text == read_as


@pytest.mark.parametrize(
    ("told", "whose"),
    [
        ({"via_bot": {"id": 9, "is_bot": True, "first_name": "Gif", "username": "gif_bot"}}, "@gif_bot"),
        ({"via_bot": {"id": 9, "is_bot": True, "first_name": "Gif"}}, "Gif"),
        ({"sender_business_bot": {"id": 9, "is_bot": True, "first_name": "Shop"}}, "Shop"),
        ({"forward_date": SENT}, "?"),
        ({"forward_sender_name": "Somebody"}, "?"),
        ({"forward_origin": {"type": "of_tomorrow", "date": SENT}}, "?"),
        ({}, None),
    ],
)
@pytest.mark.attack
def test_words_that_their_sender_did_not_write_are_told_as_someone_elses(
    told: dict[str, Any], whose: str | None
) -> None:
    found = incoming(text="/stop", **told)
    assert (found.forwarded_from, found.in_own_words) == (whose, whose is None)


def test_a_reply_to_a_picture_quotes_what_it_is() -> None:
    found = incoming(text="Nice", reply_to_message=message(photo=[FILE | {"width": 9, "height": 9}]))
    assert found.reply_to is not None
    assert found.reply_to.text == "[photo: photo-9.jpg]"


def test_a_command_to_another_bot_is_none_to_us_even_in_reply_to_us() -> None:
    command = "/clear@other_bot"
    found = heard(
        chat=GROUP,
        text=command,
        entities=[entity("bot_command", command, command)],
        reply_to_message=message(GROUP, text="?") | {"from": BOT},
    )
    assert found is None or (isinstance(found, Incoming) and not found.addressed)


ANONYMOUS_ADMIN = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
CHANNEL_BOT = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
TELEGRAM = {"id": 777000, "is_bot": False, "first_name": "Telegram"}


@pytest.mark.capability("P3")
@pytest.mark.parametrize(
    ("content", "handle", "sender"),
    [
        ({"sender_chat": GROUP, "from": ANONYMOUS_ADMIN}, "telegram-chat:-100200", "Office"),
        ({"sender_chat": CHANNEL, "from": CHANNEL_BOT}, "telegram-chat:-100300", "News"),
        (
            {"sender_chat": CHANNEL, "from": TELEGRAM, "is_automatic_forward": True},
            "telegram-chat:-100300",
            "News",
        ),
        ({"sender_chat": CHANNEL, "from": OLENA | {"username": "olena"}}, "telegram-chat:-100300", "News"),
        ({"from": None}, "telegram-chat:-100200", "Office"),
    ],
    ids=["an admin", "a channel", "a linked channel", "with a person", "nobody"],
)
def test_whoever_speaks_as_a_chat_is_that_chat_and_no_person(
    content: dict[str, Any], handle: str, sender: str
) -> None:
    found = incoming(chat=GROUP, text="hi", **content)
    assert (found.handle, found.sender, found.username) == (handle, sender, None)


@pytest.mark.capability("P3")
def test_a_person_is_known_by_their_number_and_may_have_a_name_for_others() -> None:
    named: dict[str, Any] = {"from": OLENA | {"username": "olena_k"}}
    found = incoming(text="hi", **named)
    assert (found.handle, found.username) == ("telegram:71", "olena_k")
    assert incoming(text="hi").username is None


@pytest.mark.capability("P2")
@pytest.mark.parametrize(
    ("chat", "kind"),
    [
        (ALONE, ChatKind.PRIVATE),
        ({"id": -5, "type": "group", "title": "Office"}, ChatKind.GROUP),
        ({"id": -100200, "type": "supergroup", "title": "Office"}, ChatKind.GROUP),
        (GROUP | {"is_forum": False}, ChatKind.GROUP),
        (GROUP, ChatKind.THREADED),
    ],
)
def test_a_chat_is_private_a_group_or_one_with_threads(chat: dict[str, Any], kind: ChatKind) -> None:
    found = incoming(chat=chat, text="hi")
    assert (found.kind, found.private, found.addressed) == (
        kind,
        kind is ChatKind.PRIVATE,
        kind is ChatKind.PRIVATE,
    )


@pytest.mark.capability("P1")
def test_an_edit_calls_the_bot_as_its_words_do_now() -> None:
    call = {"text": CALL, "entities": [entity("mention", CALL, "@helper_bot")], "edit_date": SENT + 9}
    assert incoming("edited_message", chat=GROUP, **call).addressed
    assert not incoming("edited_message", chat=GROUP, text="no call", edit_date=SENT + 9).addressed


@pytest.mark.capability("P1")
def test_what_someone_else_wrote_is_marked_as_theirs_also_when_it_calls_the_bot() -> None:
    command = "/clear"
    found = incoming(
        chat=GROUP,
        text=command,
        entities=[entity("bot_command", command, command)],
        forward_origin={"type": "user", "date": SENT, "sender_user": OLENA},
    )
    assert (found.forwarded_from, found.handle) == ("Olena Koval", "telegram:71")


@pytest.mark.parametrize(
    "content",
    [
        {"new_chat_members": [OLENA]},
        {"new_chat_title": "Offices"},
        {"text": "beep", "from": BOT | {"id": 7}},
    ],
    ids=["joined", "title", "another bot"],
)
def test_what_nobody_said_to_us_is_nothing(content: dict[str, Any]) -> None:
    assert heard(chat=GROUP, **content) is None


def test_a_group_that_became_a_supergroup_moved() -> None:
    old = {"id": -5, "type": "group", "title": "Office"}
    assert heard(chat=old, migrate_to_chat_id=-100200) == ChatMoved(address="-5", to="-100200")
    assert heard(chat=GROUP, migrate_from_chat_id=-5) == ChatMoved(address="-5", to="-100200")


def membership(chat: dict[str, Any], before: str, after: str) -> Heard:
    def status(name: str) -> dict[str, Any]:
        return {"user": BOT, "status": name, "until_date": 0} | (RIGHTS if name == "administrator" else {})

    by = OLENA | {"username": "olena_k"}
    change = {"chat": chat, "from": by, "date": SENT}
    change |= {"old_chat_member": status(before), "new_chat_member": status(after)}
    update = Update.de_json({"update_id": 1, "my_chat_member": change}, None)
    return read(update, channel="telegram:6", me=ME)


@pytest.mark.parametrize("status", ["kicked", "left"])
@pytest.mark.parametrize("before", ["member", "administrator"])
def test_a_chat_is_closed_when_the_bot_is_out(before: str, status: str) -> None:
    assert membership(GROUP, before, status) == ChatClosed(
        address="-100200", why="bot was removed from the group"
    )
    assert membership(ALONE, before, status) == ChatClosed(address="71", why="bot was blocked by the user")


@pytest.mark.capability("P4")
@pytest.mark.parametrize("before", ["left", "kicked"])
@pytest.mark.parametrize("after", ["member", "administrator"])
@pytest.mark.parametrize("chat", [GROUP, {"id": -5, "type": "group", "title": "Office"}])
def test_who_brings_the_bot_into_a_group_is_told_with_the_group(
    chat: dict[str, Any], before: str, after: str
) -> None:
    found = membership(chat, before, after)
    assert isinstance(found, Joined)
    told = found.incoming
    assert (told.channel, told.address, told.chat_title) == ("telegram:6", str(chat["id"]), "Office")
    assert (told.handle, told.sender, told.username, told.language) == (
        "telegram:71",
        "Olena Koval",
        "olena_k",
        "uk",
    )
    assert told.kind is (ChatKind.THREADED if chat is GROUP else ChatKind.GROUP)
    assert (told.text, told.files, told.thread) == ("", (), None)
    assert told.sent_at == datetime.fromtimestamp(SENT, UTC)


@pytest.mark.parametrize(
    ("chat", "before", "after"),
    [
        (GROUP, "member", "administrator"),
        (GROUP, "administrator", "member"),
        (ALONE, "kicked", "member"),
        (ALONE, "left", "member"),
        (CHANNEL, "left", "administrator"),
    ],
    ids=["made admin", "admin no more", "unblocked", "begun", "a channel"],
)
def test_other_changes_of_membership_are_nothing(chat: dict[str, Any], before: str, after: str) -> None:
    assert membership(chat, before, after) is None


def pressed(**query: Any) -> Heard:
    told = {"id": "q", "from": OLENA, "chat_instance": "1"} | query
    return read(Update.de_json({"update_id": 1, "callback_query": told}, None), channel="telegram:6", me=ME)


def test_a_press_says_who_where_and_what() -> None:
    found = pressed(message=message(GROUP, text="card"), data="retry:m_1")
    assert isinstance(found, Pressing)
    press = found.press
    assert (found.query_id, press.address, press.handle, press.platform_id, press.data) == (
        "q",
        "-100200",
        "telegram:71",
        "9",
        "retry:m_1",
    )


def test_a_press_on_a_message_that_telegram_keeps_no_more_still_counts() -> None:
    gone = {"chat": ALONE, "message_id": 9, "date": 0}
    assert isinstance(pressed(message=gone, data="retry:m_1"), Pressing)


def test_a_press_without_card_or_data_is_nothing() -> None:
    assert pressed(data="retry:m_1", inline_message_id="i") is None
    assert pressed(message=message(text="card"), game_short_name="g") is None


@pytest.mark.parametrize("kind", ["channel_post", "edited_channel_post"])
def test_what_a_channel_posts_is_nothing(kind: str) -> None:
    post = {"message_id": 1, "date": SENT, "chat": CHANNEL, "sender_chat": CHANNEL, "text": "news"}
    assert read(Update.de_json({"update_id": 1, kind: post}, None), channel="telegram:6", me=ME) is None
