"""A14, A18: which model a message gets, how much it thinks first, and what the vendor is then told."""

import pytest

from nanoclaw.domain.model_choice import Complexity, ModelWish, Thinking, choose, judge
from nanoclaw.domain.model_thinking import thinking_fields, with_thinking

pytestmark = pytest.mark.capability("A14", "A18")

SIMPLE, STANDARD, COMPLEX = Complexity.SIMPLE, Complexity.STANDARD, Complexity.COMPLEX


@pytest.mark.parametrize(
    ("text", "files", "wanted"),
    [
        ("Thanks!", 0, SIMPLE),
        ("What time is it in Kyiv?", 0, SIMPLE),
        ("Привіт! Як справи?", 0, SIMPLE),
        ("Коли наступна зустріч?", 0, SIMPLE),
        ("Write a short post about otters", 0, STANDARD),
        ("Напиши короткий пост про видр", 0, STANDARD),
        ("Поясни, що таке маржа", 0, STANDARD),
        ("See the file", 1, STANDARD),
        ("word " * 60, 0, STANDARD),
        ("Compare our strategy with theirs", 0, COMPLEX),
        ("Порівняй нашу стратегію з їхньою", 0, COMPLEX),
        ("Проаналізуй цей звіт", 1, COMPLEX),
        ("Analyse this report", 1, COMPLEX),
        ("Fix this:\n```python\ndef f(): ...\n```", 0, COMPLEX),
        ("Виправ:\n```\nSELECT 1\n```", 0, COMPLEX),
        ("Research the market:\n- who\n- where\n- why", 0, COMPLEX),
        ("Досліди ринок:\n1. хто\n2. де\n3. чому", 0, COMPLEX),
        ("слово " * 400, 3, COMPLEX),
    ],
)
def test_how_hard_a_message_looks(text: str, files: int, wanted: Complexity) -> None:
    assert judge(text, files) is wanted


def test_the_first_place_that_names_something_decides() -> None:
    step, task = ModelWish(by="step", thinking="low"), ModelWish(by="task", model="opus")
    skill = ModelWish(by="skill", model="auto", thinking="auto")
    chosen = choose([step, task, skill], "Thanks!", 0)
    assert (chosen.model, chosen.reason, chosen.thinking, chosen.thinking_reason) == (
        *("opus", "task", Thinking.LOW, "step"),
    )
    chosen = choose([skill], "Compare both strategies", 0)
    assert (chosen.model, chosen.reason, chosen.thinking) == ("opus", "complexity-complex", Thinking.HIGH)
    # What a small model said of it, where one read it anyway, is worth more than its words.
    assert choose([skill], "Compare both strategies", 0, SIMPLE).model == "haiku"
    assert choose([], "", 0).reason == "default"


@pytest.mark.parametrize(
    ("model", "thinking", "max_tokens", "fields"),
    [
        ("claude-sonnet-5", None, 16_000, {}),
        ("claude-sonnet-5", Thinking.OFF, 16_000, {"thinking": {"type": "disabled"}}),
        (
            *("claude-opus-5", Thinking.HIGH, 2_000),
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        ("claude-opus-5-5", Thinking.OFF, 16_000, {"output_config": {"effort": "low"}}),
        ("claude-sonnet-5-5", Thinking.OFF, 16_000, {"thinking": {"type": "between_tools"}}),
        (
            *("claude-haiku-4-5-20251001", Thinking.LOW, 16_000),
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
        ("claude-haiku-4-5", Thinking.HIGH, 4_096, {"thinking": {"type": "enabled", "budget_tokens": 3072}}),
        ("claude-haiku-4-5", Thinking.HIGH, 2_000, {}),  # what is left pays for no thoughts
        ("claude-haiku-4-5", Thinking.OFF, 16_000, {}),
        ("claude-3-5-haiku-latest", Thinking.HIGH, 16_000, {}),
        ("small", Thinking.HIGH, 16_000, {}),
    ],
)
def test_what_a_model_is_told(
    model: str, thinking: Thinking | None, max_tokens: int, fields: dict[str, object]
) -> None:
    assert thinking_fields(model, thinking, max_tokens) == fields


def test_a_model_sees_only_its_own_thoughts_again() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "x", "by_model": "claude-haiku-4-5"}
    use = {"type": "tool_use", "id": "t", "name": "bash", "input": {}}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [thought, use]}]
    body = {"model": "claude-haiku-4-5", "max_tokens": 16_000, "messages": messages}
    made = with_thinking(body, Thinking.LOW)
    assert made["messages"][1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "x"}
    assert "thinking" in made
    # Another model works on: without the thoughts of the first, which it would not believe, it may not think here.
    other = with_thinking({**body, "model": "claude-sonnet-4-5"}, Thinking.LOW)
    assert other["messages"][1]["content"] == [use]
    assert "thinking" not in other
