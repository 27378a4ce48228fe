"""What an agent thinks to itself leaves the host by no door: answers, previews, tools, captions, cards, `/why`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.telegram_scene import telegram_scene

from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.testing import ScriptedModel, made_workspace

pytestmark = pytest.mark.capability("A10")

THOUGHT = '<INTERNAL reason="not for them">SECRET</internal >'
CALLS = (
    ToolCall(id="a", name="send_message", arguments={"text": f"{THOUGHT}Half of it is done."}),
    ToolCall(id="b", name="send_message", arguments={"text": f"{THOUGHT}<internal>SECRET again"}),
    ToolCall(id="c", name="send_file", arguments={"path": "note.txt", "caption": f"A note.{THOUGHT}"}),
    ToolCall(
        id="d",
        name="request_human",
        arguments={
            "question": f"Go on?{THOUGHT}",
            "context": {"draft": f"Words.{THOUGHT}"},
            "options": [
                {"id": "yes", "label": "Yes", "description": f"Goes on.{THOUGHT}"},
                {"id": "no", "label": "No"},
            ],
        },
    ),
)


class ThinkingAgent(ScriptedModel):
    """Uses one tool after the other, and thinks aloud in each of them."""

    def __init__(self) -> None:
        super().__init__(self._pieces)

    @property
    def told(self) -> list[Returned]:
        return [step for step in self.steps[-1] if isinstance(step, Returned)]

    def _pieces(self, _request: TurnRequest) -> Iterator[str | ModelPiece]:
        if len(self.told) < len(CALLS):
            yield CALLS[len(self.told)]
            return
        yield from ("<Inter", "nal why='", "'>SEC", "RET", "</internal>", "All done. ", "The tag `<inter")
        yield "nal>` hides a thought, and this is still said."


async def test_no_door_lets_a_thought_out_and_a_tag_in_code_cuts_nothing_off(home: Path) -> None:
    files = made_workspace(home) / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    (files / "note.txt").write_text("a note", "utf-8")
    agent = ThinkingAgent()
    async with telegram_scene(home, model=agent) as scene:
        await scene.owner.says(scene.chat, "please go on")
        card = await scene.card("Go on?")
        assert "Words." in card.text
        await scene.press(card, "Yes")
        said = "All done. The tag <internal> hides a thought, and this is still said."
        await scene.chat.wait_until(lambda: said in scene.chat.texts())
        assert "Half of it is done." in scene.chat.texts()
        assert [seen.caption for seen in scene.chat.seen if seen.caption] == ["A note."]
        # The agent hears that there was nothing to say.
        assert [step.ok for step in agent.told] == [True, False, True, True]
        assert "`arguments.text` is empty" in agent.told[1].text
        why = await scene.command(scene.chat, "/why")
        assert "send_message" in why
        sent = [text for call in scene.server.calls for text in call.parameters.values()]
        assert [text for text in sent if "SECRET" in text] == []
        assert any("still said" in text for text in sent)
