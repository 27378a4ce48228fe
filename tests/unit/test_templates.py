"""The language of process templates: what can be written, and what is said about mistakes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from nanoclaw.domain.pipelines import (
    Gate,
    Inputs,
    OnTimeout,
    Operator,
    Outputs,
    StepType,
    Template,
    When,
    template_from,
)
from nanoclaw.domain.questions import Risk
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.known import Known, KnownSkill
from nanoclaw.pipelines.picture import drawn, rows
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.pipelines.template import MOST_BYTES, ReadTemplate, read_template
from nanoclaw.texts import LANGUAGES, entries

pytestmark = pytest.mark.capability("D1")

CONTENT = """# Content Pipeline
## Trigger: /write-article, /create-post, implicit "напиши статтю"
## Steps:
1. topic-researcher    | gate: confidence>0.6    | type: sub-agent
2. seo-analyst         | gate: keywords≥5        | type: sub-agent
3. outline-architect   | gate: sections≥3        | type: sub-agent
4. HITL                | type: approval           | timeout: 15m
5. copywriter          | gate: words>1500         | type: container
6. editor              | gate: quality>80         | type: container
7. repurposer          | outputs: 3               | type: sub-agent
## Model defaults: steps 1-3,7=Sonnet, steps 5-6=Opus
## Estimated cost: $0.25-0.50
## Estimated time: 5-15 minutes
"""
_KNOWN = Known(
    skills=(
        KnownSkill(name="topic-researcher", path="marketing/content/topic-researcher"),
        KnownSkill(
            name="seo-analyst",
            path="marketing/geo-aeo/seo-analyst",
            results=(("verdict", "text"), ("rivals", "list")),
        ),
        KnownSkill(name="outline-architect", path="marketing/content/outline-architect"),
        KnownSkill(name="copywriter", path="marketing/content/copywriter"),
        KnownSkill(name="editor", path="marketing/content/editor"),
        KnownSkill(name="press-editor", path="communication/press/proofreader"),
        KnownSkill(name="book-editor", path="communication/books/proofreader"),
        KnownSkill(
            name="repurposer",
            path="communication/social-media/repurposer",
            targets=("telegram", "linkedin", "newsletter"),
        ),
    ),
    broken=("marketing/content/spellchecker",),
    targets=("telegram", "linkedin", "email", "newsletter"),
    commands=("/help", "/post"),
    context_files=lambda: ("brand/voice", "brand/guidelines", "audience/icp"),
)


def _checked(text: str | bytes) -> ReadTemplate:
    content = text.encode() if isinstance(text, str) else text
    catalogue = Catalogue(Path("nowhere"), lambda: _KNOWN)
    return catalogue.check(read_template(content, name="content_pipeline"))


def _with(*steps: str, rest: str = "") -> ReadTemplate:
    return _checked("\n".join(["# Title", "## Steps:", *steps, rest]))


def _sound(*steps: str) -> Template:
    reading = _with(*steps)
    assert reading.mistakes == ()
    assert reading.template is not None
    return reading.template


def test_the_template_of_the_content_pipeline_is_read_line_by_line() -> None:
    reading = _checked(CONTENT)
    assert reading.mistakes == ()
    template = reading.template
    assert template is not None
    assert template.title == "Content Pipeline"
    assert template.triggers == ("/write-article", "/create-post")
    assert template.phrases == ("напиши статтю",)
    assert template.estimate.cost == (250_000, 500_000)
    assert template.estimate.seconds == (300, 900)
    assert [step.number for step in template.steps] == [1, 2, 3, 4, 5, 6, 7]
    assert [step.type for step in template.steps] == [
        *[StepType.SUB_AGENT] * 3,
        StepType.APPROVAL,
        *[StepType.CONTAINER] * 2,
        StepType.SUB_AGENT,
    ]
    assert [step.model for step in template.steps] == ["sonnet"] * 3 + ["", "opus", "opus", "sonnet"]
    assert template.step(2).gates == (Gate(key="keywords", operator=Operator.AT_LEAST, value=5),)
    assert template.step(2).skill == "marketing/geo-aeo/seo-analyst"
    assert template.step(5).inputs == Inputs(steps=(3,))  # what was approved
    assert template.step(7).outputs == Outputs(count=3, names=("telegram", "linkedin", "newsletter"))
    assert template_from(template.as_json()) == template


def test_steps_can_run_at_once_and_the_next_one_waits_for_all() -> None:
    template = _sound(
        "1. topic-researcher",
        "2. seo-analyst | with: 1",
        "3. editor | WITH: Step 2 | input: context/brand/voice.md, context/audience/",
        "4. copywriter",
        "5. editor | input: 1, 3-4 | when: rivals>2",
    )
    assert [[step.number for step in stage] for stage in template.stages] == [[1, 2, 3], [4], [5]]
    assert template.step(2).together == (1, 2, 3)
    assert template.step(3).inputs == Inputs(files=("brand/voice", "audience/*"))
    assert template.step(4).inputs == Inputs(steps=(1, 2, 3))
    assert template.step(5).inputs == Inputs(steps=(1, 3, 4))
    gate = Gate(key="rivals", operator=Operator.MORE, value=2)
    assert template.step(5).when == (When(key="rivals", step=2, gate=gate),)
    assert [row.is_join for row in rows(template)] == [False, True, False]
    assert [line[0] for line in drawn(template).splitlines()] == ["┌", "├", "└", "│", "│"]


def test_what_a_step_can_say_is_read() -> None:
    template = _sound(
        "1. seo-analyst | gate: keywords>=5 and confidence ≥ 0.5, words<=900 | retry: 2 | budget: $0.50",
        "2. Approve the draft | type: approval | timeout: 7d | risk: high",
        "3. HITL | on timeout: go on | risk: destructive | timeout: 2 години",
        "4. marketing/content/editor | when: verdict=good, step 1.confidence>0.8 | model: Haiku | timeout: 90s",
        "5. repurposer | outputs: Telegram, email | when: step 4.confidence",
        "6. HITL | session: Yes",
    )
    first, approval, risky, editor, last, reviewed = template.steps
    assert [each.in_session for each in (approval, reviewed)] == [False, True]
    assert [str(gate) for gate in first.gates] == ["keywords>=5", "confidence>=0.5", "words<=900"]
    assert (first.retry, first.budget) == (2, 500_000)
    assert (approval.timeout, approval.on_timeout, approval.risk) == (
        timedelta(days=7),
        OnTimeout.CANCEL,
        Risk.PUBLISH,
    )
    assert (risky.timeout, risky.on_timeout, risky.risk) == (
        timedelta(hours=2),
        OnTimeout.GO_ON,
        Risk.DESTRUCTIVE,
    )
    assert [(each.step, each.key) for each in editor.when] == [(1, "verdict"), (1, "confidence")]
    assert (editor.model, editor.timeout, editor.inputs.steps) == ("haiku", timedelta(seconds=90), (1,))
    assert last.outputs == Outputs(count=2, names=("telegram", "email"))
    assert last.when == (When(key="confidence", step=4),)


def test_marks_of_other_editors_comments_and_empty_lines_change_nothing() -> None:
    plain = _checked(CONTENT).template
    assert plain is not None
    dressed = CONTENT.replace("\n", "\r\n").replace(" | ", "\t|\t").replace("## ", "##  ")
    dressed = dressed.replace("## ", "<!-- a note\r\nover two lines -->\r\n\r\n## ").replace(
        "gate:", "Gate :"
    )
    read = _checked(b"\xef\xbb\xbf" + dressed.encode())
    assert read.mistakes == ()
    assert read.template is not None
    assert [replace(step, line=0) for step in read.template.steps] == [
        replace(step, line=0) for step in plain.steps
    ]


BAD = [
    ("1. editer", "role-unknown", ("editor",)),
    (
        "1. proofreader",
        "role-ambiguous",
        ("communication/press/proofreader", "communication/books/proofreader"),
    ),
    ("1. spellchecker", "skill-broken", ()),
    ("1. two words", "role", ("topic-researcher", "marketing/content/editor")),
    ("1. | type: container", "no-role", ()),
    ("1. editor | gate: qualty>80", "result-unknown", ("quality",)),
    ("1. editor | gate: confidence>0,6", "comma", ("confidence>0.6",)),
    ("1. editor | gate: quality", "condition", (">", ">=", "<", "<=", "=")),
    ("1. editor | gate: quality>high", "gate-number", ("confidence>0.6",)),
    ("1. editor | gate: quality>100", "gate-never", ("0-100",)),
    ("1. seo-analyst | gate: verdict>3", "gate-of-text", ("verdict=yes",)),
    ("1. seo-analyst | gate: rivals=many", "gate-number", ("rivals>5",)),
    ("1. editor | gat: quality>80", "unknown-key", ("gate",)),
    ("1. editor | type: container | type: sub-agent", "key-twice", ()),
    ("1. editor | gate:", "no-value", ()),
    ("1. editor | | type: container", "empty-part", ()),
    ("1. editor | type: robot", "type", ("sub-agent", "container", "approval")),
    ("1. editor | timeout: soon", "timeout", ("90s", "15m", "2h", "1d")),
    ("1. editor | timeout: 2d", "timeout-long", ("<= 1d",)),
    ("1. editor | on timeout: cancel", "key-of-others", None),
    ("1. editor | outputs: 0", "outputs-count", ("1-20",)),
    ("1. editor | outputs: telegram, telegram", "output-twice", ()),
    ("1. editor | outputs: linkdin", "target-unknown", ("linkedin",)),
    ("1. editor | model: gpt", "model-unknown", ("haiku", "sonnet", "opus")),
    ("1. editor | retry: 99", "retry", ("0-10",)),
    ("1. editor | budget: lots", "money", ("$0.50",)),
    ("1. editor | input: the plan", "input", None),
    ("1. editor | input: context/brand/voices.md", "no-context-file", None),
    ("1. editor | input: 1", "itself", ()),
    ("1. editor | input: 9", "step-unknown", ()),
    ("1. editor | with: 1", "with-far", ()),
    ("1. editor | when: quality>3", "when-unknown", ()),
    ("1. HITL", "approval-first", ()),
    ("1a. editor", "lettered", ("with: 2",)),
    ("- editor", "no-step", None),
    ("2. editor", "number-order", ("1",)),
    ("1. editor\n1. editor", "number-twice", ()),
    ("1. editor\n2. editor | input: 3\n3. editor", "later", ("1",)),
    ("1. editor\n2. editor | when: step 3.quality>1\n3. editor", "later", ("1",)),
    ("1. editor\n2. editor | when: step 9.quality>1", "step-unknown", ("1",)),
    ("1. editor\n2. editor | with: 1 | input: 1", "beside", ()),
    ("1. editor\n2. HITL | gate: quality>1", "key-of-others", None),
    ("1. editor\n2. HITL | type: container", "human-type", ("approval",)),
    ("1. editor\n2. HITL | risk: none", "risk", ("normal", "high", "publish", "destructive")),
    ("1. editor\n2. HITL | session: maybe", "session", ("yes", "no")),
    ("1. editor\n2. HITL | session: yes | risk: high", "session-risk", ("risk: normal",)),
    ("1. editor\n2. HITL | on timeout: wait", "on-timeout", ("go on", "cancel")),
    ("1. editor\n2. HITL | timeout: 8d", "timeout-long", ("<= 7d",)),
    ("1. editor\n2. HITL\n3. editor | input: 2", "input-approval", ()),
    ("1. editor\n2. HITL\n3. editor | when: step 2.quality>1", "when-approval", ()),
    ("1. editor\n2. HITL\n3. editor | with: 2", "with-approval", ()),
    (
        "1. editor\n2. editor\n3. editor | when: quality>3",
        "when-ambiguous",
        ("step 1.quality", "step 2.quality"),
    ),
    ("1. editor\n## Model defaults: steps 1-4=Sonnet", "step-unknown", ("1-1",)),
    ("1. editor\n## Model defaults: 1=Sonnet, 1=Opus", "model-twice", ()),
    ("1. editor\n## Model defaults: Sonnet", "model-defaults", None),
    ("1. editor\n## Estimated cost: $2-1", "range", None),
    ("1. editor\n## Estimated time: some time", "time", ("5-15 minutes", "2 hours")),
    ("1. editor\n## Budget: none", "money", ("$0.50",)),
    ("1. editor\n## Trigger: write-article", "trigger", None),
    ("1. editor\n## Trigger: /post", "trigger-taken", ()),
    ("1. editor\n## Trigger: /a\n## Trigger: /b", "heading-twice", ()),
    ("1. editor\n## Trigger: /a\nand more", "stray", None),
    ("1. editor\n## Model default: 1=Opus", "unknown-heading", ("## Model defaults:",)),
    ("1. editor\n# Another title", "title-twice", None),
    ("1. editor\n<!-- open", "comment-open", ("-->",)),
    ("<!-- none -->", "no-steps", ()),
]


@pytest.mark.parametrize(
    ("steps", "key", "allowed"), BAD, ids=[f"{key} {steps[:30]}" for steps, key, _ in BAD]
)
def test_a_mistake_has_its_line_and_what_is_allowed(
    steps: str, key: str, allowed: tuple[str, ...] | None
) -> None:
    (mistake,) = [each for each in _with(steps).mistakes if each.key == key]
    lines = ["# Title", "## Steps:", *steps.splitlines()]
    assert mistake.line == (2 if key == "no-steps" else _faulty(lines, key))
    if allowed is not None:
        assert mistake.allowed == allowed
    for language in LANGUAGES:
        assert f"mistake-{key}" in entries(language)
        assert "{" not in sentence(language, mistake)


def _faulty(lines: list[str], key: str) -> int:
    """Bad templates have their mistake in the last line; references forward are in the one before."""
    return len(lines) - 1 if key == "later" else len(lines)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_lines() -> None:
    reading = _checked(
        """## Steps:
1. editer | gate: quality>>80 | typ: container
3. copywriter | timeout: 1 fortnight
## Model defaults: steps 1-9=Sonnet
## Estimated costs: $1
"""
    )
    assert [(each.line, each.key) for each in reading.mistakes] == [
        (1, "no-title"),
        (2, "role-unknown"),
        (2, "gate-number"),
        (2, "unknown-key"),
        (3, "number-order"),
        (3, "timeout"),
        (4, "step-unknown"),
        (5, "unknown-heading"),
    ]
    line = "1. editer | gate: quality>>80 | typ: container"
    assert [each.column for each in reading.mistakes[2:4]] == [line.index("gate") + 1, line.index("typ") + 1]
    assert sentence("en", reading.mistakes[3]) == 'There is no key "typ"; allowed: type'
    assert sentence("uk", reading.mistakes[3]) == "Немає ключа «typ»; можна: type"


@pytest.mark.parametrize(
    ("content", "key", "line"),
    [
        (b"", "no-title", 1),
        (b"# T\n## Steps:\n1. \xff\xfe", "not-utf-8", 3),
        (b"# T\n## Steps:\n1. editor\0", "not-text", 3),
        (b"# T\n" + b"x" * MOST_BYTES, "too-big", 1),
        (b"# T\n1. editor", "no-steps-heading", 2),
        (
            "\n".join(["# T", "## Steps:", *(f"{n}. editor" for n in range(1, 501))]).encode(),
            "many-steps",
            203,
        ),
        (("# T\n## Steps:\n1. editor | gate: " + " " * 200_000 + "x").encode(), "condition", 3),
    ],
)
def test_a_file_that_is_no_template_is_refused_with_its_line(content: bytes, key: str, line: int) -> None:
    assert (line, key) in [(each.line, each.key) for each in _checked(content).mistakes]


def test_two_hundred_steps_are_a_template() -> None:
    template = _sound(*(f"{number}. editor" for number in range(1, 201)))
    assert len(template.stages) == 200


def test_no_sentence_is_left_over() -> None:
    source = "\n".join(path.read_text() for path in Path("src/nanoclaw/pipelines").glob("*.py"))
    keys = {key.removeprefix("mistake-") for key in entries("en") if key.startswith("mistake-")}
    assert [key for key in keys if f'"{key}"' not in source and f"-{key}" not in source] == []
