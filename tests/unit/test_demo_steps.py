"""The demo model plays every step of the shipped pipelines: its results are read, counted and judged as any agent's."""

from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from nanoclaw.context.adaptor_check import check_for
from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.pipelines import Step, StepType, Template
from nanoclaw.domain.steps import Returned, ToolCall, ToolOffer
from nanoclaw.host.settings import Settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.results import ResultForm, StepResult, failed_gates, form_of
from nanoclaw.runtimes.demo_steps import step_action
from nanoclaw.testing import made_workspace
from nanoclaw.texts import language_of

pytestmark = pytest.mark.capability("D7", "O1")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_workspace(tmp_path_factory.mktemp("demo") / "nanoclaw")


def templates(home: Path) -> list[Template]:
    return make_catalogue(home, Settings(), Groups(home), Skills(home)).templates()


def offered(form: ResultForm) -> list[ToolOffer]:
    return [ToolOffer(name="finish_step", description="", arguments=form.schema())]


def played(
    template: Template, step: Step, skills: Skills, subject: str, *inputs: str, wish: str = ""
) -> StepResult:
    skill = skills.find(step.skill)
    assert skill
    form = form_of(template, step, skill.head.results)
    given = "".join(f'<input step="1">\n{escape(text)}\n</input>' for text in inputs)
    prompt = f"<pipeline><subject>{escape(subject)}</subject>{given}<wish>{wish}</wish></pipeline><note>End.</note>"
    call = step_action(skill.name, prompt, (), offered(form))
    assert isinstance(call, tuple)
    result = form.read(call[1])
    assert isinstance(result, StepResult), result
    return result


@pytest.mark.parametrize(
    "subject", ["AI in marketing", "Видри <& друзі>", "x" * 3000, "?"], ids=["en", "uk", "long", "sign"]
)
def test_every_step_of_the_shipped_pipelines_passes_its_gates(home: Path, subject: str) -> None:
    skills, adaptors = Skills(home), Adaptors(home)
    for template in templates(home):
        article = ""
        for step in template.steps:
            if step.type is StepType.APPROVAL:
                continue
            result = played(template, step, skills, subject, *([article] if article else []))
            assert not failed_gates(step, result.results), (template.name, step.role, result.results)
            assert not result.claims
            for name, text in result.texts.items():
                assert language_of(text.replace("x", "")) == (language_of(subject) or "en")
                assert name not in step.outputs.names or not check_for(text, name, adaptors)
            article = result.texts.get("text", article)


def test_a_subject_that_says_short_shows_a_gate_that_fails_until_somebody_wishes_for_more(home: Path) -> None:
    skills = Skills(home)
    [template] = [each for each in templates(home) if each.name == "content_pipeline"]
    writer = next(step for step in template.steps if step.role == "copywriter")
    for subject, wish in (("Otters, in short", "make it longer"), ("Коротко про видр", "довше, будь ласка")):
        [gate] = failed_gates(writer, played(template, writer, skills, subject).results)
        assert str(gate) == "words>1500"
        assert not failed_gates(writer, played(template, writer, skills, subject, wish=wish).results)


def test_after_its_result_was_taken_it_ends_and_what_comes_back_is_handed_in_once_more() -> None:
    form = ResultForm(outputs=Step(number=1, role="a", type=StepType.SUB_AGENT, line=1).outputs, kinds={})
    prompt = "<pipeline><subject>Otters</subject></pipeline>"
    call = ToolCall(id="1", name="finish_step")
    ok, back = Returned(call=call, ok=True, text="Taken."), Returned(call=call, ok=False, text="Too long.")
    assert step_action("editor", prompt, [ok], offered(form)) == "Handed in."
    assert isinstance(step_action("editor", prompt, [back], offered(form)), tuple)
    told = step_action("editor", prompt, [back, back], offered(form))
    assert isinstance(told, str)
    assert "Too long." in told
    assert step_action("editor", prompt, (), []) is None
