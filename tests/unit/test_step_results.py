"""What a step hands in: asked for by a schema, read strictly, and counted where it can be."""

import json
from typing import Any

import pytest

from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.money import Usage
from nanoclaw.domain.pipelines import Step, Template
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.estimates import StepHistory, estimate
from nanoclaw.pipelines.known import Known, KnownSkill
from nanoclaw.pipelines.measures import sections, words
from nanoclaw.pipelines.results import MOST_BYTES, FalseClaim, StepResult, failed_gates, form_of
from nanoclaw.pipelines.template import read_template
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("D2")


def _template(tmp_path: Any, *steps: str) -> Template:
    known = Known(
        skills=(KnownSkill(name="analyst", path="a/b/analyst"), KnownSkill(name="poster", path="a/b/poster")),
        targets=("telegram", "email"),
    )
    text = "\n".join(["# T", "## Steps:", *steps])
    reading = Catalogue(tmp_path, lambda: known).check(read_template(text.encode(), name="t"))
    assert reading.mistakes == ()
    assert reading.template is not None
    return reading.template


def test_a_step_is_asked_for_what_its_gate_and_later_steps_need(tmp_path: Any) -> None:
    template = _template(
        tmp_path,
        "1. analyst | gate: keywords>=2, words>3",
        "2. poster | when: step 1.quality>50 | outputs: telegram, email",
    )
    first = form_of(template, template.step(1), {"rivals": "list"}).schema()
    assert list(first["properties"]) == ["text", "confidence", "keywords", "words", "quality", "rivals"]
    assert first["required"] == ["text", "keywords", "quality", "rivals"]  # the host counts the words
    second = form_of(template, template.step(2), {}).schema()
    assert second["properties"]["outputs"]["required"] == ["telegram", "email"]
    given = {"outputs": {"telegram": "Short.", "email": "Subject: x\n\nLong."}}
    result = form_of(template, template.step(2), {}).read(given)
    assert isinstance(result, StepResult)
    assert dict(result.texts) == given["outputs"]


def test_what_can_be_counted_is_counted_and_a_claim_that_differs_is_noted(tmp_path: Any) -> None:
    template = _template(tmp_path, "1. analyst | gate: words>3, keywords>=2, sections>=2")
    given = {
        "text": "# Plan\n\n## One\nwords here\n\n## Two\n```\n## no heading\n```\nmore",
        "words": 5000,
        "keywords": ["AI", "ai ", "", "marketing"],
        "sections": 2,
    }
    form = form_of(template, template.step(1), {})
    result = form.read(json.dumps(given))
    assert isinstance(result, StepResult)
    assert result.results["words"] == 8
    assert result.results["sections"] == 2
    assert result.results["keywords"] == ["ai", "marketing"]
    assert result.claims == (FalseClaim(key="words", claimed=5000, counted=8),)
    assert failed_gates(template.step(1), result.results) == ()
    short = form.read({"text": "Two words", "keywords": ["one"]})
    assert isinstance(short, StepResult)
    assert [gate.key for gate in failed_gates(template.step(1), short.results)] == [
        "words",
        "keywords",
        "sections",
    ]


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ("not JSON", ["result-not-json"]),
        ("[1]", ["result-not-json"]),
        ("[" * 100_000, ["result-not-json"]),
        ("{}", ["result-no-text", "result-lacks", "result-lacks"]),
        ('{"text": " ", "quality": "high", "keywords": 5}', ["result-no-text", "result-type", "result-type"]),
        ('{"text": "x", "quality": 101, "keywords": [1]}', ["result-type", "result-range"]),
        ('{"text": "x", "quality": NaN, "keywords": []}', ["result-range"]),
        ('{"text": "x", "quality": true, "keywords": []}', ["result-type"]),
        (b'"' + b"x" * MOST_BYTES + b'"', ["result-big"]),
        ({"text": "x" * MOST_BYTES}, ["result-big"]),
    ],
    ids=str,
)
def test_a_wrong_result_is_refused_with_all_its_faults(tmp_path: Any, given: Any, keys: list[str]) -> None:
    template = _template(tmp_path, "1. analyst | gate: quality>80, keywords>1")
    faults = form_of(template, template.step(1), {}).read(given)
    assert not isinstance(faults, StepResult)
    assert [fault.key for fault in faults] == keys
    for language in LANGUAGES:
        assert not [said for fault in faults if "{" in (said := tell(language, fault)) or said == fault.key]


def test_a_count_of_outputs_is_kept(tmp_path: Any) -> None:
    template = _template(tmp_path, "1. analyst | outputs: 2")
    form = form_of(template, template.step(1), {})
    result = form.read({"outputs": ["one", "two\0"]})
    assert isinstance(result, StepResult)
    assert dict(result.texts) == {"1": "one", "2": "two\ufffd"}
    for wrong in (["one"], ["one", "two", "three"], "one", ["one", ""]):
        assert not isinstance(form.read({"outputs": wrong}), StepResult)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1. One\n   - detail\n2. Two\n3) Three", 3),
        ("Title\n=====\n\nOne\n---\n\nTwo\n---\n", 2),
        ("# One\n# Two\n## Sub\n## Sub\n## Sub", 2),
        ("# Title\n\n## Only one\n", 1),
        ("No sections at all.\n\n---\n\nNone.", 0),
    ],
)
def test_sections_are_headings_or_numbered_items(text: str, count: int) -> None:
    assert sections(text) == count


def test_signs_are_no_words() -> None:
    assert words("# Слово — `code` - it's **3** items | --- |") == 5


def _price(model: str, usage: Usage) -> int:
    if model == "unknown":
        raise ModelRefused("price-unknown", model=model)
    return usage.input + usage.output * 5


def _model(step: Step) -> str:
    return step.model or "sonnet"


@pytest.mark.capability("D5")
def test_an_estimate_comes_from_prices_and_then_from_earlier_runs(tmp_path: Any) -> None:
    template = _template(
        tmp_path,
        "1. analyst | type: container | gate: quality>3",
        "2. poster | with: 1",
        "3. HITL",
        "4. poster | when: quality>3 | budget: $0.02",
        "## Estimated cost: $1-2",
    )
    first = estimate(template, model_of=_model, price=_price)
    assert first.cost == (12_000 + 12_500 + 6_000 + 4_000, 60_000 + 40_000 + 20_000 + 15_000 + 20_000)
    assert first.seconds == (45, 240 + 90)  # two at once, and one that may be left out
    assert first.author.cost == (1_000_000, 2_000_000)
    assert not first.is_learned
    history = {
        1: StepHistory(micros=(100, 200, 300, 400, 500), seconds=(10, 10, 10)),
        2: StepHistory(micros=(50,), seconds=(100,)),
    }
    learned = estimate(template, model_of=_model, price=_price, history=history)
    assert [step.cost for step in learned.steps[:2]] == [(200, 400), (35, 70)]
    assert learned.seconds == (70, 140 + 90)
    assert learned.is_learned
    assert estimate(template, model_of=lambda _: "unknown", price=_price).cost is None
