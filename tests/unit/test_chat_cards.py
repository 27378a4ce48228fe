"""Cards in a terminal: what changes in a long one is printed, and not the whole of it again."""

from typing import Any

import pytest

from nanoclaw.cli.chat_cards import ShownCards, title_of
from nanoclaw.cli.paper import Paper

_CANCEL = {"label": "✖️ Cancel", "data": "ppl:pl_1:c"}


def _line(text: str, *buttons: dict[str, str]) -> dict[str, Any]:
    return {
        "id": "o_1",
        "author": "host",
        "turn": None,
        "reply_to": "m_1",
        "text": text,
        "buttons": [*buttons],
    }


def test_of_a_run_only_lines_that_are_new_are_printed_and_its_button_once() -> None:
    printed: list[str] = []
    cards = ShownCards(Paper(printed.append), printed.append, lambda line: str(line["text"]), "en")
    cards.show(_line("⚙️ Tea\n\nStep 1 of 2\n\n- ▶️ 1. cook\n- ▫️ 2. taste", _CANCEL))
    assert "".join(printed).split("\n\n")[-2].strip() == "/1 ✖️ Cancel"
    printed.clear()
    cards.show(_line("⚙️ Tea\n\nStep 2 of 2\n\n- ✅ 1. cook\n- ▫️ 2. taste", _CANCEL))
    assert "".join(printed).split() == ["Step", "2", "of", "2", "-", "✅", "1.", "cook"]
    printed.clear()
    cards.show(_line("✅ Tea\n\n- ✅ 1. cook\n- ✅ 2. taste"))
    assert "".join(printed).split() == ["✅", "Tea", "-", "✅", "2.", "taste"]
    assert cards.choice(1) is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "🔔 **Your decision is needed**\n\n📣 *This publishes something.*\n\nMay **it** leave?",
            "May it leave?",
        ),
        ("⏰ Waiting for your decision…\n\n> May it leave?\n\n⏰ Automatically: no", "May it leave?"),
        ("Start **Tea**: oolong?\n\n> subject: oolong", "Start Tea: oolong?"),
        ("✖️ *Taken back at 21:39*", "✖️ Taken back at 21:39"),
    ],
)
def test_a_card_is_named_by_what_it_asks(text: str, title: str) -> None:
    assert title_of(_line(text)) == title
