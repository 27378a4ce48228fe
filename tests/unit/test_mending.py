"""What a server tells sloppily is put right before the library reads it; who wrote what and where is never made up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Update, User

from nanoclaw.channels.telegram.update_repair import mended_update, number_of, sent_message
from nanoclaw.channels.telegram.updates import Joined, Pressing, read
from nanoclaw.domain.messages import Incoming
from nanoclaw.testing.telegram.sloppiness import sloppy_update

pytestmark = pytest.mark.capability("A1")

ME = User(id=6, first_name="Helper", is_bot=True, username="helper_bot")
OLENA = {"id": 71, "is_bot": False, "first_name": "Olena"}
GROUP = {"id": -100200, "type": "supergroup", "title": "Office", "is_forum": True}
FILE = {"file_id": "F", "file_unique_id": "u", "file_size": 5, "duration": 3, "width": 2, "height": 2}
MESSAGE = {"message_id": 9, "date": 1_790_000_000, "chat": GROUP, "from": OLENA}


def heard(update: dict[str, Any]) -> Any:
    return read(Update.de_json(mended_update(update), None), channel="telegram:6", me=ME)


@pytest.mark.parametrize(
    "content",
    [
        {"text": "hello"},
        {"text": "@helper_bot hi", "entities": [{"type": "mention", "offset": 0, "length": 11}]},
        {"photo": [FILE], "caption": "look"},
        {"voice": FILE},
        {"document": FILE | {"file_name": "a.pdf"}},
        {"video": FILE},
        {"animation": FILE, "document": FILE},
        {"video_note": FILE | {"length": 2}},
        {"sticker": FILE | {"is_animated": False, "is_video": False, "type": "regular", "emoji": "🐱"}},
        {"text": "x", "message_thread_id": 3, "is_topic_message": True},
        {"text": "x", "forward_origin": {"type": "user", "date": 5, "sender_user": OLENA}},
        {"text": "x", "via_bot": {"id": 9, "is_bot": True, "first_name": "Gif", "username": "gif_bot"}},
        {"text": "x", "reply_to_message": MESSAGE | {"text": "before"}},
    ],
)
def test_a_sloppy_update_says_the_same(content: dict[str, Any]) -> None:
    update = {"update_id": 5, "message": MESSAGE | content}
    exact, sloppy = heard(update), heard(sloppy_update(update))
    assert isinstance(exact, Incoming)
    for name in ("address", "external_id", "handle", "text", "thread", "kind", "addressed", "forwarded_from"):
        assert getattr(sloppy, name) == getattr(exact, name), name
    assert [(file.kind, file.ref) for file in sloppy.files] == [(file.kind, file.ref) for file in exact.files]


def test_presses_and_comings_are_read_too() -> None:
    press = {"id": "1", "from": OLENA, "message": MESSAGE, "data": "x:y", "chat_instance": "z"}
    found = heard(sloppy_update({"update_id": 1, "callback_query": press}))
    assert isinstance(found, Pressing)
    assert (found.press.handle, found.press.platform_id, found.press.data) == ("telegram:71", "9", "x:y")
    come = {
        "chat": GROUP,
        "from": OLENA,
        "new_chat_member": {"status": "administrator", "user": {"id": 6, "username": "helper_bot"}},
    }
    assert isinstance(heard({"update_id": 2, "my_chat_member": come}), Joined)


@pytest.mark.parametrize(
    "wrong",
    [
        {"from": {"first_name": "Nobody"}},
        {"from": "me"},
        {"chat": None},
        {"via_bot": "gif_bot"},
        {"forward_origin": 5},
        {"reply_to_message": "that one"},
        {"message_id": None},
    ],
)
@pytest.mark.attack
def test_who_wrote_what_and_where_is_never_made_up(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, AttributeError, ValueError, KeyError)):
        heard({"update_id": 1, "message": MESSAGE | {"text": "/stop"} | wrong})


def test_a_bot_is_known_by_its_name_where_nobody_says_that_it_is_one() -> None:
    other = {"id": 9, "first_name": "Other", "username": "other_bot"}
    assert heard({"update_id": 1, "message": MESSAGE | {"text": "hi", "from": other}}) is None


@pytest.mark.parametrize(
    ("raw", "number"),
    [({"update_id": "7"}, 7), ({"update_id": 7.0}, 7), ({"update_id": True}, None), (5, None), ({}, None)],
)
def test_an_update_is_confirmed_by_its_number(raw: object, number: int | None) -> None:
    assert number_of(raw) == number


def test_of_what_was_sent_only_the_number_is_needed() -> None:
    sent = sent_message({"message_id": "12", "chat": "?", "from": []}, "-100")
    assert sent
    assert (sent["message_id"], sent["chat"]["id"]) == (12, -100)
    assert sent_message({"message_id": "twelve"}, 5) is None
    assert sent_message(None, 5) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*MESSAGE, "text", "photo"]), inner)
    ),
    max_leaves=12,
)


@given(anything)
def test_nothing_that_can_be_told_makes_it_stumble(told: object) -> None:
    mended_update(told)
    mended_update({"update_id": 1, "message": told})
