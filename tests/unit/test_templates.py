"""The language of process templates: what can be written, and what is said about mistakes."""

import pytest

from nanoclaw.domain.pipelines import (
    Gate,
    Inputs,
    Operator,
    Outputs,
    StepType,
    template_from,
)
from nanoclaw.pipelines.check import check_source
from nanoclaw.pipelines.known import Known, KnownSkill

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


def test_the_template_of_the_content_pipeline_is_read_line_by_line() -> None:
    reading = check_source(CONTENT.encode(), _KNOWN, name="content_pipeline")
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
