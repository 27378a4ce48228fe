"""A growing answer is shown now and then while it is written, and never with what the agent thinks to itself."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.delivery.preview_writer import PreviewWriter
from nanoclaw.domain.ids import ChatId, TurnId
from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.ports import Channel
from nanoclaw.domain.thoughts import presentable, without_internal

pytestmark = pytest.mark.capability("A10")

_TAG = "<internal>"
_BLANK = Preview(chat_id=ChatId("c_1"), address="main", thread="7", turn_id=TurnId("t_1"), text="")


class Watched(Channel):
    """A channel that only keeps what it was asked to preview."""

    name = "watched"

    def __init__(self, preview_every: float = 0) -> None:
        self.preview_every = preview_every
        self.previews: list[Preview] = []

    @property
    def shown(self) -> list[str]:
        return [preview.text for preview in self.previews]

    async def preview(self, preview: Preview) -> None:
        self.previews.append(preview)


def _has_half_a_tag(text: str) -> bool:
    """A lone `<` does not count: people write it too, and nothing can be read from it."""
    return any(text.endswith(_TAG[:length]) for length in range(2, len(_TAG)))


@pytest.mark.parametrize(
    "answer",
    [
        "<internal>SECRET</internal>Hello",
        "Hello <internal>SECRET</internal>you<internal>SECRET</internal>",
        "1 < 2 and <b>bold</b> <internal>SECRET < SECRET</internal> <i>",
        "<internal>SECRET <internal>SECRET</internal>Hello",
        "Hello <internal>SECRET never finished",
    ],
)
def test_no_beginning_of_an_answer_shows_a_thought_or_half_a_tag(answer: str) -> None:
    for length in range(len(answer) + 1):
        shown = presentable(answer[:length])
        assert not set("SECRT") & set(shown)
        assert not _has_half_a_tag(shown)
        assert "internal" not in shown
        assert without_internal(answer).startswith(shown)


@pytest.mark.parametrize(
    ("unfinished", "shown"),
    [
        ("", ""),
        ("Hello", "Hello"),
        ("Hello <", "Hello"),
        ("Hello <interna", "Hello"),
        ("Hello <internal>", "Hello"),
        ("Hello <internal>thou", "Hello"),
        ("Hello <internal>thought</internal> you", "Hello  you"),
        ("Hello <i", "Hello"),
        ("Hello <i>", "Hello <i>"),
        ("Hello <internalise", "Hello <internalise"),
        ("a < b", "a < b"),
    ],
)
def test_what_may_be_shown_of_an_unfinished_answer(unfinished: str, shown: str) -> None:
    assert presentable(unfinished) == shown


said_parts = st.lists(st.sampled_from(["a", "b ", "\n", "< ", "<b>", "</i>", ">"])).map("".join)
thoughts = st.text("XYZ <>/\n").map(lambda thought: f"<internal>{thought}</internal>")
answers = st.lists(st.tuples(said_parts, thoughts), max_size=4).map(
    lambda parts: "".join(said + thought for said, thought in parts)
)


@given(st.data())
async def test_however_an_answer_is_cut_into_pieces_no_preview_shows_a_thought(data: st.DataObject) -> None:
    answer = data.draw(answers) + data.draw(said_parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)))))
    channel = Watched()
    growth = PreviewWriter(channel, _BLANK)
    for begin, end in zip([0, *cuts], [*cuts, len(answer)], strict=True):
        await growth.add(answer[begin:end])
    assert growth.text == answer
    for shown in channel.shown:
        assert not set("XYZ") & set(shown)
        assert _TAG not in shown
        assert not _has_half_a_tag(shown)
        assert without_internal(answer).startswith(shown)


async def test_the_text_is_the_whole_answer_as_it_was_written() -> None:
    growth = PreviewWriter(None, _BLANK)
    assert growth.text == ""
    for piece in (" <internal>", "why", "</internal>", "Hello ", "\n"):
        await growth.add(piece)
    assert growth.text == " <internal>why</internal>Hello \n"


async def test_a_preview_holds_the_answer_so_far_and_belongs_to_its_turn() -> None:
    channel = Watched()
    growth = PreviewWriter(channel, _BLANK)
    await growth.add("Hel")
    await growth.add("lo")
    assert channel.shown == ["Hel", "Hello"]
    last = channel.previews[-1]
    assert (last.chat_id, last.address, last.thread, last.turn_id) == ("c_1", "main", "7", "t_1")


async def test_a_channel_is_not_shown_more_than_it_likes() -> None:
    channel = Watched(preview_every=3600)
    growth = PreviewWriter(channel, _BLANK)
    for _ in range(100):
        await growth.add("word ")
    assert channel.shown == ["word"]
    assert growth.text == "word " * 100


async def test_after_the_pause_the_next_piece_is_shown_with_all_that_came_before() -> None:
    channel = Watched(preview_every=0.005)
    growth = PreviewWriter(channel, _BLANK)
    await growth.add("one ")
    await growth.add("two ")
    pause_is_over = time.monotonic() + 0.005
    while time.monotonic() < pause_is_over:
        pass
    await growth.add("three")
    assert channel.shown[-1] == "one two three"


async def test_while_there_is_nothing_to_show_nothing_is_shown() -> None:
    channel = Watched()
    growth = PreviewWriter(channel, _BLANK)
    for piece in ("  ", "<int", "ernal>", "thought", "</internal>", "\n"):
        await growth.add(piece)
    assert channel.shown == []
    await growth.add("Hello")
    assert channel.shown == ["Hello"]
