"""Words as answers: a reply to a card, the next words where an input is open, and a voice (SPEC E8, E11)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.question_scene import FREED, YES_NO, Asking, asking_scene
from tests.telegram_scene import shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question
from nanoclaw.host.private import write_private
from nanoclaw.testing import VoiceServer, made_workspace, voice
from nanoclaw.testing.telegram.chats import SeenMessage

# One host: a turn that asks ends at once, and an engine hears what people say.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E8"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def speech_to_text() -> AsyncIterator[VoiceServer]:
    async with VoiceServer() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    tmp_path_factory: pytest.TempPathFactory, speech_to_text: VoiceServer
) -> AsyncIterator[Asking]:
    home = made_workspace(tmp_path_factory.mktemp("answering") / "nanoclaw")
    write_private(home / "data" / "keys.json", {"local": speech_to_text.key})
    engine = {"engine": "endpoint", "base_url": speech_to_text.url}
    async with asking_scene(home, FREED, voice=engine) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def answered(asking: Asking, question: Question) -> str | None:
    """What the person wrote, once that is the answer."""
    return (await asking.ended(question)).user_input


async def test_the_next_words_of_the_person_are_the_answer_and_wake_the_agent_with_them(
    freed: Asking,
) -> None:
    question, card = await freed.ask_and_show("Which name shall it have?", kind="input")
    assert card.labels == []
    before = freed.chat.answers
    said = await freed.scene.owner.says(freed.chat, "  Acme & <Sons>  ")
    ended = await freed.ended(question)
    assert (ended.chosen, ended.user_input) == ("Acme & <Sons>", "Acme & <Sons>")
    assert ended.made_by == "hitl"
    await freed.says("woken", after=before)
    assert "You asked: Which name shall it have?" in freed.agent.asked[-1].prompt
    assert "They wrote: Acme &amp; &lt;Sons&gt;" in freed.agent.asked[-1].prompt
    assert "👤 Olena, " in await _text_of(freed, card)
    told = await freed.scene.why(said, "answered")
    assert "It answers the question: Which name shall it have?" in [step.sentence for step in told.steps]
    # And after it, words are words again.
    assert await freed.scene.ask("thanks") == ["heard you"]


async def test_commands_pass_and_only_who_may_decide_answers(freed: Asking) -> None:
    member, _ = await freed.meet("Ostap", within={"main": Role.MEMBER})
    room = await freed.group("Naming", freed.scene.owner, member)
    question, _ = await freed.ask_and_show("Which colour?", kind="input", chat=room)
    await freed.says("told: Nobody has answered yet", room)
    assert "Which colour?" in await freed.scene.command(room, "/inbox@helper_bot")
    assert await freed.scene.command(room, "@helper_bot red", by=member) == "heard you"
    # Among others, only what is said to the bot is meant for it.
    between_us = await freed.scene.owner.says(room, "I like blue, by the way")
    await freed.scene.why(between_us, "dropped")
    assert (await freed.now(question)).is_open
    await freed.scene.owner.says(room, "@helper_bot green")
    assert await answered(freed, question) == "green"


@pytest.mark.capability("E11")
async def test_a_reply_to_a_card_wins_over_the_newest_input_and_any_order_will_do(freed: Asking) -> None:
    first, first_card = await freed.ask_and_show("First name?", kind="input")
    choice, choice_card = await freed.ask_beside(first, "Choose?", options=YES_NO)
    second, second_card = await freed.ask_beside(first, "Second name?", kind="input")
    third, _ = await freed.ask_beside(first, "Third name?", kind="input")
    owner = freed.scene.owner
    await owner.says(freed.chat, "to the second", reply_to=second_card)
    assert await answered(freed, second) == "to the second"
    await owner.says(freed.chat, "to the newest")
    assert await answered(freed, third) == "to the newest"
    await owner.says(freed.chat, "no", reply_to=choice_card)
    assert (await freed.ended(choice)).chosen == "no"
    assert (await freed.now(first)).is_open
    await owner.says(freed.chat, "to the one that is left")
    assert await answered(freed, first) == "to the one that is left"
    # A reply to a card that is decided is something else that someone says.
    late = await owner.says(freed.chat, "too late", reply_to=first_card)
    await freed.scene.why(late, "answered")
    assert await answered(freed, first) == "to the one that is left"


async def test_a_reply_with_the_label_its_number_or_its_id_decides_and_other_words_go_to_the_agent(
    freed: Asking,
) -> None:
    owner = freed.scene.owner
    for words, chosen in (
        ("❌ Reject", "reject"),
        ("approve", "approve"),
        ("2", "reject"),
        ("✅ Схвалити", "approve"),
    ):
        question, card = await freed.ask_and_show(f"Reply {words}?")
        before = freed.chat.answers
        await owner.says(freed.chat, words, reply_to=card)
        assert (await freed.ended(question)).chosen == chosen, words
        await freed.says("woken", after=before)
    question, card = await freed.ask_and_show("Reply with doubts?")
    before = freed.chat.answers
    said = await owner.says(freed.chat, "hm, what does it cost?", reply_to=card)
    assert await freed.says("heard you", after=before)
    await freed.scene.why(said, "answered")
    assert (await freed.now(question)).is_open


async def test_an_answer_can_be_spoken(freed: Asking, speech_to_text: VoiceServer) -> None:
    question, card = await freed.ask_and_show("What shall I tell them?", kind="input")
    speech_to_text.answers.append("Tell them we come at nine.")
    before = freed.chat.answers
    await freed.scene.owner.sends_voice(freed.chat, voice(2), duration=2)
    assert await answered(freed, question) == "Tell them we come at nine."
    await freed.says("woken", after=before)
    assert "They wrote: Tell them we come at nine." in freed.agent.asked[-1].prompt
    assert "Tell them we come at nine." in await _text_of(freed, card)

    # What cannot be made out is asked for again, and decides nothing.
    question, card = await freed.ask_and_show("And then?", kind="input")
    speech_to_text.answers.append("")
    said = await freed.scene.owner.sends_voice(freed.chat, voice(1))
    assert "Please write your answer, or say it again." in await freed.says(
        "I could not make out what you said"
    )
    await freed.scene.why(said, "refused")
    assert (await freed.now(question)).is_open
    # A voice in reply to a choice is meant for the agent.
    choice, card = await freed.ask_beside(question, "Spoken choice?", options=YES_NO)
    speech_to_text.answers.append("Well, no")
    await freed.scene.owner.sends_voice(freed.chat, voice(1), reply_to=card)
    await freed.says("heard you")
    assert (await freed.now(choice)).is_open


async def test_a_number_is_an_answer_where_words_are_wanted(freed: Asking) -> None:
    options = [{"id": "few", "label": "A few"}, {"id": "many", "label": "Many"}]
    question, card = await freed.ask_and_show("How many?", kind="input", options=options)
    await freed.scene.owner.says(freed.chat, "1")
    assert await answered(freed, question) == "1"
    question, card = await freed.ask_and_show("How many more?", kind="input", options=options)
    await freed.scene.owner.says(freed.chat, "many", reply_to=card)
    assert (await freed.ended(question)).chosen == "many"


@pytest.mark.capability("S1")
async def test_the_question_of_a_program_can_be_answered_by_voice(
    freed: Asking, speech_to_text: VoiceServer
) -> None:
    """It has no session for which a voice would be heard."""
    row = await freed.inbox.ask({"question": "What does the program need?", "kind": "input"})
    question = await freed.asked("What does the program need?")
    await freed.card(question)
    speech_to_text.answers.append("A longer cable.")
    await freed.scene.owner.sends_voice(freed.chat, voice(1))
    assert await answered(freed, question) == "A longer cable."
    assert (await freed.inbox.wait(row.id)).user_input == "A longer cable."


async def test_words_by_command_and_at_the_machine_answer_an_input(freed: Asking) -> None:
    question, _ = await freed.ask_and_show("In which tone?", kind="input")
    other, _ = await freed.ask_beside(question, "For whom?", kind="escalation")
    await freed.scene.owner.says(freed.chat, f"/decide {question.id[-5:]} calm and short")
    await freed.says("Noted: calm and short")
    assert await answered(freed, question) == "calm and short"
    assert (await freed.inbox.decide(other.id[-5:], None, "for builders")).said == "Noted: for builders"
    assert await answered(freed, other) == "for builders"
    await freed.scene.owner.says(freed.chat, "/decide")
    await freed.says("Write the question and the choice")
    await freed.scene.owner.says(freed.chat, f"/decide {other.id[-5:]} others")
    assert "for builders" in await freed.says("decided this already")


async def _text_of(asking: Asking, card: SeenMessage) -> str:
    await asking.chat.wait_until(lambda: shown(card).edited)
    return shown(card).text
