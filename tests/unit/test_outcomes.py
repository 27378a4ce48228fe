"""What a session may result in: what people say is read into a form, and what does not fit is told."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.staging import until

from nanoclaw import texts
from nanoclaw.domain.outcome_forms import form_of
from nanoclaw.domain.outcomes import (
    Concluded,
    OutcomeType,
    WantedOutcome,
    as_concluded,
    misfit_of,
    read_words,
)
from nanoclaw.flows.human.misfit_text import said
from nanoclaw.sandbox import outcome_checks
from nanoclaw.sandbox.outcome_checks import OutcomeChecks

pytestmark = pytest.mark.capability("S3")

APPROVAL = WantedOutcome(type=OutcomeType.APPROVAL)
SELECTION = WantedOutcome(type=OutcomeType.SELECTION, options=("Small steps", "All at once"))
FREEFORM = WantedOutcome(type=OutcomeType.FREEFORM)


def structured(**properties: Any) -> WantedOutcome:
    return WantedOutcome(
        type=OutcomeType.STRUCTURED, json_schema={"type": "object", "properties": properties}
    )


@pytest.mark.parametrize(
    ("outcome", "said", "read"),
    [
        (APPROVAL, "I approve this", "approved"),
        (APPROVAL, "APPROVED", "approved"),
        (APPROVAL, "yes, let's proceed", "approved"),
        (APPROVAL, "I do not approve this", "rejected"),
        (APPROVAL, "no, don't proceed", "rejected"),
        (APPROVAL, "Схвалюю", "approved"),
        (APPROVAL, "не схвалюю", "rejected"),
        (APPROVAL, "approved or rejected, who knows", None),
        (APPROVAL, "what does it cost?", None),
        (SELECTION, "small STEPS", "Small steps"),
        (SELECTION, "I would go for small steps here", "Small steps"),
        (SELECTION, "small steps, or all at once?", None),
        (FREEFORM, "  a text ", "a text"),
        (FREEFORM, " ", None),
        (structured(a={"type": "boolean"}), 'so be it: {"a": 1}', None),
        (structured(a={"type": "boolean"}), '{"a": true}', {"a": True}),
        (structured(a={"type": "boolean"}), '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', {"a": 2}),
        (structured(a={}), '```json\n{"decision": {"a": 2}}\n```', {"a": 2}),
        (structured(n={"type": "number"}, notes={"type": "string"}), "too slow", {"notes": "too slow"}),
        (structured(a={"type": "string"}, b={"type": "string"}), "which one?", None),
        (WantedOutcome(type=OutcomeType.STRUCTURED, json_schema={"type": "number"}), "42", 42),
        (structured(), "[" * 10_000, None),
    ],
    ids=str,
)
def test_words_are_read_into_the_form(outcome: WantedOutcome, said: str, read: object) -> None:
    assert read_words(outcome, said) == read


@pytest.mark.parametrize(
    ("outcome", "response", "kept"),
    [
        (APPROVAL, True, Concluded(value="approved")),
        (APPROVAL, "Reject", Concluded(value="rejected")),
        (APPROVAL, {"approved": False, "notes": " slow "}, Concluded(value="rejected", notes="slow")),
        (SELECTION, " Small steps ", Concluded(value="Small steps")),
        (FREEFORM, "x\n", Concluded(value="x")),
        (WantedOutcome(), {"any": ["thing", None]}, Concluded(value={"any": ["thing", None]})),
    ],
    ids=str,
)
def test_a_result_is_kept_in_one_form(outcome: WantedOutcome, response: object, kept: Concluded) -> None:
    assert misfit_of(outcome, response) is None
    assert as_concluded(outcome, response) == kept


@pytest.mark.attack
def test_what_json_cannot_hold_is_no_result() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for response, told in (
        (float("nan"), "NaN"),
        ({1, 2}, "none of its types"),
        ("x" * 2**19, "at most 256 kB"),
        (deep, "too deep"),
    ):
        found = misfit_of(WantedOutcome(), response)
        assert found
        assert told in texts.say("en", f"misfit-{found.key}", **found.values)


def test_the_form_has_a_field_for_each_property_and_json_where_that_is_too_little() -> None:
    schema = {
        "type": "object",
        "required": ["ok", "level"],
        "properties": {
            "ok": {"type": "boolean", "title": "All right?"},
            "level": {"$ref": "#/$defs/level"},
            "notes": {"anyOf": [{"type": "string", "maxLength": 9}, {"type": "null"}], "default": None},
            "count": {"type": ["integer", "null"], "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"},
            "any": True,
        },
        "$defs": {"level": {"enum": ["low", "high"], "description": "How bad"}},
    }
    form = form_of(WantedOutcome(type=OutcomeType.STRUCTURED, json_schema=schema))
    assert (form["type"], form["raw"]) == ("structured", False)
    assert form["fields"] == [
        {"name": "ok", "required": True, "type": "boolean", "title": "All right?"},
        {
            "name": "level",
            "required": True,
            "type": "choice",
            "enum": ["low", "high"],
            "description": "How bad",
        },
        {"name": "notes", "required": False, "type": "text", "maxLength": 9, "default": None},
        {"name": "count", "required": False, "type": "integer", "minimum": 1},
        {"name": "tags", "required": False, "type": "list"},
        {"name": "more", "required": False, "type": "json"},
        {"name": "any", "required": False, "type": "json"},
    ]
    rich: dict[str, Any]
    for rich in ({"type": "string"}, {"anyOf": [{}]}, {"$ref": "#"}, {"type": "object", "properties": {}}):
        assert form_of(WantedOutcome(type=OutcomeType.STRUCTURED, json_schema=rich))["raw"]
    assert form_of(APPROVAL)["options"] == ["approved", "rejected"]
    assert form_of(WantedOutcome())["type"] == "freeform"


async def test_a_response_is_checked_as_json_schema_says() -> None:
    schema = {
        "type": "object",
        "properties": {
            "either": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/day"}]},
            "mail": {"type": "string", "format": "email"},
            "kids": {"type": "array", "items": {"$ref": "#"}},
        },
        "additionalProperties": False,
        "$defs": {"day": {"type": "string", "format": "date"}},
    }
    checks = OutcomeChecks()
    assert await checks.schema_problem(schema) is None
    good = {"either": "2026-03-02", "mail": "a@b.org", "kids": [{"either": 1}, {}]}
    assert await checks.misfits(schema, good) == []
    bad = {"either": "2026-13-02", "mail": "a", "kids": [{"x": 1}]}
    found = await checks.misfits(schema, bad)
    assert [each.place for each in found] == ["/either", "/mail", "/kids/0"]
    english, ukrainian = (said(found[1:2], language) for language in ("en", "uk"))
    assert english == "`/mail`: this is not in the form email."
    assert ukrainian == "`/mail`: це не у форматі email."


@pytest.mark.attack
async def test_a_pattern_that_hangs_is_killed_and_others_are_checked_meanwhile() -> None:
    checks = OutcomeChecks(seconds=0.5)
    slow = {"type": "string", "pattern": "^(a+)+$"}
    hanging = asyncio.create_task(checks.misfits(slow, "a" * 50 + "!"))
    assert [each.key for each in await checks.misfits({"type": "string"}, 1)] == ["type"]
    assert "took more than 0.5 seconds" in said(await hanging, "en")
    left = asyncio.create_task(checks.misfits(slow, "a" * 50 + "!"))
    await asyncio.sleep(0)
    left.cancel()  # the caller is gone: nothing continues
    await until(left.done)
    assert left.cancelled()


async def test_a_check_that_broke_is_not_held_against_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    checks, schema = OutcomeChecks(), {"type": "object"}
    with monkeypatch.context() as patched:
        patched.setattr(outcome_checks, "_PROGRAM", Path("nowhere.py"))
        assert "ended without an answer" in (await checks.schema_problem(schema) or "")
    assert await checks.schema_problem(schema) is None


@pytest.mark.attack
async def test_a_crowd_of_schemas_that_lead_nowhere_delays_nobody_who_concludes() -> None:
    steps: dict[str, Any] = {
        f"s{number}": {"allOf": [{"$ref": f"#/$defs/s{number + 1}"}, {"$ref": f"#/$defs/s{number + 1}"}]}
        for number in range(40)
    } | {"s40": {}}
    checks = OutcomeChecks()
    bombs = [
        asyncio.create_task(
            checks.schema_problem({"$ref": "#/$defs/s0", "title": title, "$defs": {**steps, "s40": {}}})
        )
        for title in "abcdefgh"
    ]
    done, _ = await asyncio.wait(bombs, timeout=0.5)
    assert not done
    assert await checks.misfits({"type": "string"}, "yes") == []
    assert sum(bomb.done() for bomb in bombs) <= 1
    assert "pattern" in (await bombs[0] or "")
    for bomb in bombs:
        bomb.cancel()
    await asyncio.gather(*bombs, return_exceptions=True)
