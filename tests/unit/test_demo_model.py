"""The demo model answers in the language spoken to it, from the company's own words, and admits what it lacks."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.groups import Groups
from nanoclaw.context.message_xml import put
from nanoclaw.context.skills import Skill, SkillFrontMatter
from nanoclaw.context.system_prompt import SystemPrompts
from nanoclaw.domain.ids import ChatId, MessageId, PersonId, SessionId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Message, Quote
from nanoclaw.domain.text import storable, without_internal
from nanoclaw.domain.turns import Exchange, SystemPrompt, TextDelta, TurnRequest
from nanoclaw.runtimes.demo_handoffs import handoff_call
from nanoclaw.runtimes.demo_model import DemoModel, answer, call_in
from nanoclaw.testing import made_workspace
from nanoclaw.texts import LANGUAGES, language_of, say

pytestmark = pytest.mark.capability("O1")


def _message(text: str, reply_to: Quote | None = None) -> Message:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return Message(
        id=MessageId("m_1"),
        chat_id=ChatId("c_1"),
        person_id=PersonId("p_1"),
        sender="Writer",
        text=text,
        sent_at=at,
        received_at=at,
        reply_to=reply_to,
        end=None,
        reason=None,
    )


def _request(
    system_prompt: SystemPrompt,
    *messages: Message,
    history: tuple[Exchange, ...] = (),
    language: str | None = None,
) -> TurnRequest:
    return TurnRequest(
        turn_id=TurnId("t_1"),
        session_id=SessionId("s_1"),
        group="main",
        company="demo",
        skill="general-assistant",
        conversation="c",
        model="haiku",
        system_prompt=system_prompt,
        history=history,
        language=language,
        prompt=put(messages, Locale()),
    )


@pytest.fixture(scope="module")
def briefs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SystemPrompt]:
    """The brief of the example company, as each language ships it."""
    found = {}
    head = SkillFrontMatter(name="general-assistant", description="d", context=("*/*",))
    knowing = Skill(head=head, instructions="", path=Path("SKILL.md"))
    for language in LANGUAGES:
        home: Path = made_workspace(tmp_path_factory.mktemp(language) / "nanoclaw", language=language)
        found[language] = SystemPrompts(home, FileCache()).system_prompt(
            CompanyContexts(home).read(Groups(home).main().company), knowing
        )
    return found


@pytest.mark.parametrize("company", LANGUAGES)
@pytest.mark.parametrize(
    ("question", "file", "words"),
    [
        ("How much is the office plan?", "product/pricing", ["128"]),
        ("Скільки коштує офісний план?", "product/pricing", ["128"]),
        ("Hi! And how much is the office plan, please?", "product/pricing", ["128"]),
        ("When do you ship?", "company/operations", ["14:00"]),
        ("Коли ви відправляєте каву?", "company/operations", ["14:00"]),
        ("Who are our competitors?", "market/competitors", ["32", "0.60|0,60"]),
        ("Хто наші конкуренти?", "market/competitors", ["32", "0.60|0,60"]),
        ("What is our tone of voice?", "brand/voice", ["Warm|Теплий"]),
        ("Який у нас тон голосу?", "brand/voice", ["Warm|Теплий"]),
    ],
)
def test_a_question_is_answered_from_the_companys_own_words(
    briefs: dict[str, SystemPrompt], company: str, question: str, file: str, words: list[str]
) -> None:
    said = answer(_request(briefs[company], _message(question)))
    head, _, body = said.partition("\n\n")
    language = language_of(question) or ""
    assert head.startswith(say(language, "demo-from-context", file=file, heading="").partition("**")[0])
    assert body in briefs[company].company
    assert all(any(word in body for word in one.split("|")) for one in words)


@pytest.mark.parametrize(
    "question", ["Who are your competitors?", "What are your prices?", "Хто визначає ціни?"]
)
def test_a_question_that_only_begins_like_a_cue_is_answered_from_the_context(
    briefs: dict[str, SystemPrompt], question: str
) -> None:
    said = answer(_request(briefs["en"], _message(question)))
    assert said not in {say(language, "demo-identity") for language in LANGUAGES}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is the airspeed of a swallow?", "en"),
        ("Скільки важить місяць?", "uk"),
        ("xyzzy", "en"),
        ("12345", "en"),
        ("🦊", "en"),
    ],
)
def test_an_unknown_question_gets_the_honest_answer(
    briefs: dict[str, SystemPrompt], question: str, language: str
) -> None:
    assert answer(_request(briefs["en"], _message(question))) == say(language, "demo-unsure")


def test_nothing_is_known_that_is_not_in_the_brief() -> None:
    nothing = SystemPrompt(foundation="", company="", skill="")
    asked = _message("How much is the office plan?")
    assert answer(_request(nothing, asked)) == say("en", "demo-unsure")
    other = SystemPrompt(
        foundation="",
        company='<context file="product/pricing">\n# Pricing\n\n## Office plan price\n\nIt is 7.\n</context>',
        skill="",
    )
    assert answer(_request(other, asked)).endswith("\n\nIt is 7.")


@pytest.mark.parametrize(
    ("said", "language", "intent"),
    [
        ("Hello!", "en", "greeting"),
        ("good morning", "en", "greeting"),
        ("Привіт!", "uk", "greeting"),
        ("Добрий день", "uk", "greeting"),
        ("thanks", "en", "thanks"),
        ("Дякую!", "uk", "thanks"),
        ("What can you do?", "en", "abilities"),
        ("Що ти вмієш?", "uk", "abilities"),
        ("Who are you?", "en", "identity"),
        ("Хто ти?", "uk", "identity"),
    ],
)
def test_small_talk_is_answered_in_the_language_spoken(
    briefs: dict[str, SystemPrompt], said: str, language: str, intent: str
) -> None:
    reply = answer(_request(briefs["en"], _message(said)))
    assert reply == say(language, f"demo-{intent}")
    assert language_of(reply) == language


def test_without_letters_the_language_of_the_conversation_is_kept(briefs: dict[str, SystemPrompt]) -> None:
    before = (Exchange(asked="?", answered="Вітаю!"),)
    assert answer(_request(briefs["en"], _message("?!"), history=before)) == say("uk", "demo-unsure")
    assert answer(_request(briefs["en"], _message("?!"))) == say("en", "demo-unsure")
    sticker = _message("[sticker 🐱 of the set cats]")
    assert answer(_request(briefs["en"], sticker, language="uk")) == say("uk", "demo-unsure")
    assert answer(_request(briefs["en"], _message("@helper_bot hi"))) == say("en", "demo-greeting")
    # Nothing was said yet: as the host speaks to them, whatever the company's files are written in.
    assert answer(_request(briefs["en"], _message("/demo"), language="uk")) == say("uk", "demo-tour")


@pytest.mark.capability("A10")
@pytest.mark.parametrize(("said", "language"), [("/demo", "en"), ("/demo будь ласка", "uk")])
def test_the_tour_has_a_thought_that_nobody_outside_sees(
    briefs: dict[str, SystemPrompt], said: str, language: str
) -> None:
    tour = answer(_request(briefs["en"], _message(said)))
    assert tour == say(language, "demo-tour")
    thought = tour.partition("<internal>")[2].partition("</internal>")[0]
    assert len(thought) > 20
    shown = without_internal(tour)
    assert thought not in shown
    assert "internal>" not in shown
    assert shown.startswith("### ")


def test_each_of_several_messages_is_answered_in_order_and_nothing_is_said_twice(
    briefs: dict[str, SystemPrompt],
) -> None:
    several = [_message("Hello"), _message("Дякую"), _message("When do you ship?"), _message("hello!")]
    told = answer(_request(briefs["en"], *several))
    greeting, thanks, shipping = say("en", "demo-greeting"), say("uk", "demo-thanks"), "14:00"
    assert [told.count(part) for part in (greeting, thanks, shipping)] == [1, 1, 1]
    assert told.index(greeting) < told.index(thanks) < told.index(shipping)


def test_what_a_message_quotes_is_not_what_it_says(briefs: dict[str, SystemPrompt]) -> None:
    quote = Quote(ref="m_0", sender="Someone", text="Скільки коштує офісний план?")
    assert answer(_request(briefs["en"], _message("thanks", quote))) == say("en", "demo-thanks")


@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("<>&\"'\0"))).map(storable))
def test_whatever_is_written_gets_an_answer(text: str) -> None:
    system_prompt = SystemPrompt(
        foundation="", company='<context file="a">\n## Heading\n\nText.\n</context>', skill=""
    )
    assert answer(_request(system_prompt, _message(text)))


@pytest.mark.parametrize("question", ["Hello", "/demo", "When do you ship?", "Який у нас тон голосу?"])
async def test_an_answer_streams_in_pieces_that_join_to_the_whole(
    briefs: dict[str, SystemPrompt], question: str
) -> None:
    request = _request(briefs["en"], _message(question))
    pieces = [
        piece.text
        async for piece in DemoModel(pace=0).stream(request, (), ())
        if isinstance(piece, TextDelta)
    ]
    assert "".join(pieces) == answer(request)
    assert len(pieces) > 10
    assert all(pieces)


@pytest.mark.parametrize(
    ("said", "tool"),
    [
        ("? Deploy | yes | no", "request_human"),
        ("@helper_bot ? Deploy | yes | no", "request_human"),
        ("@helper_bot, $ ls", "bash"),
        ("@helper_bot @ every day 9:00 | news", "schedule_task"),
        ("@ every day 9:00 | news", "schedule_task"),
        ("@helper_bot coffee | tea", None),
    ],
)
def test_the_name_by_which_it_is_called_is_no_time(said: str, tool: str | None) -> None:
    call = call_in(put([_message(said)], Locale()))
    assert (call[0] if call else None) == tool


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("hand this to editor: an otter", {"to": "editor", "content": "an otter"}),
        ("Передай editor: видра", {"to": "editor", "content": "видра"}),
        ("ask editor: an otter", {"to": "editor", "content": "an otter", "type": "callback"}),
        ("ask editor, copywriter: an otter", {"to": ["editor", "copywriter"], "content": "an otter"}),
        ("швидко, editor: видра", {"to": "editor", "content": "видра", "way": "inside"}),
    ],
)
def test_it_hands_work_over_in_plain_words(said: str, given: dict[str, object]) -> None:
    assert handoff_call(said) == ("handoff", given)
    assert handoff_call(f"please {said}") is None
