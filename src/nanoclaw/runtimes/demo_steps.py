"""How the demo model plays a step of a pipeline: a text about the subject, in its language, and values that
pass.

With the word "short" (or "коротко") in the subject the writer writes too little, so that one can see a gate
fail. A wish for more ("longer", "довше") fixes it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import unescape

from nanoclaw.domain.steps import Returned, Step, ToolOffer
from nanoclaw.texts import language_of, say

_FINISH = "finish_step"
# As written by flows/pipelines/step_prompt.py; what people and agents said is escaped there.
_PART = re.compile(r"<(?P<tag>subject|input|wish)(?: [^>]*)?>(?P<text>[^<]*)</(?P=tag)>")
A_STEP = 1.5  # seconds, so that one can watch it
_ARTICLE = 8  # parts of it in the catalogue
_TOPIC, _SHOWN = 30, 120  # characters of a long subject: in the subject of an email, and elsewhere
_HASHTAGS = ("#practice", "#learning", "#smallteams")
_NUMBERS = {"confidence": 0.78, "quality": 87}
_COUNTED = ("words", "sections")  # by the host
_FINDINGS, _KEYWORDS, _QUESTIONS = "findings", "keywords", "questions"
_LISTS = (_FINDINGS, _KEYWORDS, _QUESTIONS, "decisions", "changes", "doubts")
_WRITER, _EDITOR = "copywriter", "editor"
_CHANNELS = ("telegram", "linkedin", "newsletter")
_MOST_CALLS = 2  # of finish_step: a text that breaks the rules of its channel comes back once


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTask:
    """The content of a step's prompt."""

    skill: str
    subject: str
    inputs: tuple[str, ...] = ()  # the texts of earlier steps
    wish: str = ""  # what a person wants changed

    @property
    def language(self) -> str:
        return language_of(self.subject) or "en"

    @property
    def is_short(self) -> bool:
        return self._cued("short", self.subject) and not self._cued("long", self.wish)

    def _cued(self, which: str, text: str) -> bool:
        cues = (cue.strip() for cue in say(self.language, f"demo-cues-{which}").split("|"))
        return any(re.search(rf"\b{re.escape(cue)}\b", text.lower()) for cue in cues)


def step_action(
    skill: str, prompt: str, steps: Sequence[Step], tools: Sequence[ToolOffer]
) -> tuple[str, dict[str, Any]] | str | None:
    """The call that ends the step, or what to say after it; None if this is not a step."""
    offer = next((tool for tool in tools if tool.name == _FINISH), None)
    if offer is None:
        return None
    task = _task(skill, prompt)
    returned = [step for step in steps if isinstance(step, Returned) and step.call.name == _FINISH]
    if returned and returned[-1].ok:
        return say(task.language, "demo-step-handed-in")
    if len(returned) >= _MOST_CALLS:
        return say(task.language, "demo-step-not-handed-in", said=returned[-1].text)
    return _FINISH, _Words(task=task).result(offer.arguments)


def _task(skill: str, prompt: str) -> StepTask:
    found: dict[str, list[str]] = {}
    for part in _PART.finditer(prompt):
        found.setdefault(part["tag"], []).append(unescape(part["text"]).strip())
    return StepTask(
        skill=skill,
        subject=" ".join(found.get("subject", [])),
        inputs=tuple(found.get("input", [])),
        wish=" ".join(found.get("wish", [])),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    task: StepTask

    def result(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A result that its schema asks for."""
        made: dict[str, Any] = {}
        for key, form in schema.get("properties", {}).items():
            if key in _COUNTED:
                continue
            match form.get("type"):
                case "string":
                    made[key] = self._main() if key == "text" else self._line(key)
                case "number":
                    made[key] = _NUMBERS.get(key, 90)
                case "array" if key == "outputs":
                    count = form.get("minItems", 1)
                    made[key] = [self._for(_CHANNELS[place % len(_CHANNELS)]) for place in range(count)]
                case "array":
                    made[key] = self._list(key)
                case "object":
                    made[key] = {name: self._for(name) for name in form.get("properties", {})}
        return made

    def _main(self) -> str:
        writers: Mapping[str, Callable[[], str]] = {
            "topic-researcher": lambda: self._say("research", findings=_bullets(self._list(_FINDINGS))),
            "seo-analyst": lambda: self._say(
                "brief",
                keywords=", ".join(self._list(_KEYWORDS)[1:]),
                questions=_bullets(self._list(_QUESTIONS)),
            ),
            "outline-architect": lambda: self._say(
                "outline", angle=self._line("angle"), decisions="; ".join(self._list("decisions"))
            ),
            _WRITER: self._article,
            # Unchanged: there is nothing that a script could improve.
            _EDITOR: lambda: self.task.inputs[-1] if self.task.inputs else self._article(),
        }
        return writers.get(self.task.skill, lambda: self._say("text"))()

    def _article(self) -> str:
        if self.task.is_short:
            return self._say("short")
        return "\n\n".join(self._say(f"article-{part}") for part in range(1, _ARTICLE + 1))

    def _for(self, name: str) -> str:
        """A text for a channel; for one unknown to the script, the plain text."""
        if name not in _CHANNELS:
            return self._say("text")
        tag = "".join(letter for letter in _shown(self.task.subject, _TOPIC).title() if letter.isalpha())
        hashtags = " ".join((*((f"#{tag}",) if tag else ()), *_HASHTAGS))
        return self._say(name, hashtags=hashtags, topic=_shown(self.task.subject, _TOPIC))

    def _line(self, key: str) -> str:
        return self._say("angle") if key == "angle" else "learn" if key == "intent" else "yes"

    def _list(self, key: str) -> list[str]:
        return [each.strip() for each in self._say(key).split("|")] if key in _LISTS else []

    def _say(self, what: str, **values: str) -> str:
        subject = _shown(self.task.subject, _SHOWN)
        title = subject[:1].upper() + subject[1:]
        return say(self.task.language, f"demo-step-{what}", subject=subject, title=title, **values)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _shown(subject: str, most: int) -> str:
    plain = " ".join(subject.replace("|", " ").split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"
