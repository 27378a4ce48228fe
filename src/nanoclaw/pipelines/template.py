"""Reads a template: a title, a trigger, numbered steps. Every mistake is found at once, each with its line."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from nanoclaw.domain.pipelines import (
    MOST_STEPS,
    Mistake,
    Step,
    StepType,
    Template,
    TemplateEstimate,
    in_order,
)
from nanoclaw.pipelines import values
from nanoclaw.pipelines.order import put_in_order
from nanoclaw.pipelines.step_line import StepDraft, read_step
from nanoclaw.pipelines.values import WrongValue, plain, shown

MOST_BYTES = 256 * 1024
_MOST_MISTAKES = 200
_HEADINGS = ("trigger", "steps", "model defaults", "estimated cost", "estimated time", "budget")
_SHOWN = tuple(f"## {name.capitalize()}:" for name in _HEADINGS)
_COMMAND = re.compile(r"/[a-z][a-z0-9-]{0,31}")
_QUOTED = re.compile("[\"“”„«'](.{1,200})[\"“”»']")
_LONGEST_TITLE = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadTemplate:
    """What could be read, even with mistakes, so that it can be shown while someone is writing it."""

    template: Template | None
    mistakes: tuple[Mistake, ...]
    triggers: tuple[str, ...] = ()  # known even if nothing else could be read

    @property
    def is_sound(self) -> bool:
        return self.template is not None and not self.mistakes


def read_template(content: bytes, *, name: str, path: str = "") -> ReadTemplate:
    if len(content) > MOST_BYTES:
        return _unread("too-big", 1, kilobytes=MOST_BYTES // 1024)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unread("not-utf-8", content.count(b"\n", 0, error.start) + 1)
    if "\0" in text:
        return _unread("not-text", text.count("\n", 0, text.index("\0")) + 1)
    return _TemplateReader().read(text, name, path)


def _unread(key: str, line: int, **about: object) -> ReadTemplate:
    return ReadTemplate(template=None, mistakes=(Mistake(line=line, key=key, values=about),))


@dataclass
class _TemplateReader:
    mistakes: list[Mistake] = field(default_factory=list)
    title: str = ""
    description: list[str] = field(default_factory=list)
    heads: dict[str, tuple[int, str]] = field(default_factory=dict)  # the line and value of each heading
    drafts: list[StepDraft] = field(default_factory=list)
    section: str = ""
    extra_steps: int = 0

    def read(self, text: str, name: str, path: str) -> ReadTemplate:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for number, line in _without_comments(lines, self.mistakes):
            self._take(number, line)
        if not self.title:
            self._fault("no-title", 1, "# Content Pipeline")
        if "steps" not in self.heads:
            self._fault("no-steps-heading", len(lines), "## Steps:")
        elif not self.drafts:
            self._fault("no-steps", self.heads["steps"][0])
        if self.extra_steps:
            self._fault("many-steps", self.extra_steps, f"<= {MOST_STEPS}")
        triggers, phrases = self._value("trigger", _triggers, ((), ()))
        estimate = TemplateEstimate(
            cost=self._value("estimated cost", values.cost_range, None),
            seconds=self._value("estimated time", values.time_range, None),
        )
        budget = self._value("budget", values.money, None)
        steps = self._with_models(put_in_order(self.drafts, self.mistakes))
        template = Template(
            name=name,
            title=self.title or name,
            steps=steps,
            triggers=triggers,
            phrases=phrases,
            description="\n".join(self.description).strip(),
            estimate=estimate,
            budget=budget,
            source=text,
            path=path,
            trigger_line=self.heads.get("trigger", (1, ""))[0],
        )
        found = in_order(self.mistakes)[:_MOST_MISTAKES]
        return ReadTemplate(template=template if steps else None, mistakes=found, triggers=triggers)

    def _take(self, number: int, line: str) -> None:
        bare = line.strip()
        if not bare:
            if self.description:
                self.description.append("")
        elif bare.startswith("##"):
            self._heading(number, bare.lstrip("#"), depth=len(bare) - len(bare.lstrip("#")))
        elif bare.startswith("#"):
            self._title(number, plain(bare[1:]))
        elif self.section == "steps":
            self._step(number, line)
        elif not self.section and self.title:
            self.description.append(bare)
        elif not self.section:
            self._fault("before-title", number, "# Content Pipeline", said=shown(plain(bare)))
        else:
            self._fault("stray", number, *_SHOWN, "<!-- -->", said=shown(plain(bare)))

    def _title(self, number: int, title: str) -> None:
        if self.title or self.section:
            self._fault("title-twice", number, *_SHOWN)
        elif not title or len(title) > _LONGEST_TITLE:
            self._fault("title", number, f"1-{_LONGEST_TITLE}")
        self.title = self.title or title

    def _heading(self, number: int, text: str, *, depth: int) -> None:
        name, _, value = text.partition(":")
        key = plain(name).lower()
        if key not in _HEADINGS or depth > 2:
            near = get_close_matches(key, _HEADINGS, n=1)
            allowed = tuple(f"## {each.capitalize()}:" for each in near) or _SHOWN
            self._fault("unknown-heading", number, *allowed, said=shown(plain(name)))
            self.section = self.section or "unknown"
            return
        self.section = key
        if key in self.heads:
            self._fault("heading-twice", number, said=key.capitalize())
        elif key == "steps" and plain(value):
            self._fault("after-steps", number, said=shown(plain(value)))
        elif key != "steps" and not plain(value):
            self._fault("no-value", number, said=key.capitalize())
        self.heads.setdefault(key, (number, plain(value)))

    def _step(self, number: int, line: str) -> None:
        if len(self.drafts) == MOST_STEPS:
            self.extra_steps = self.extra_steps or number
            return
        draft = read_step(line, number, len(self.drafts) + 1, self.mistakes)
        if draft is not None:
            self.drafts.append(draft)

    def _value(self, heading: str, read: Callable[[str], Any], usual: Any) -> Any:
        line, text = self.heads.get(heading, (0, ""))
        if not text:
            return usual
        try:
            return read(text)
        except WrongValue as wrong:
            self._fault(wrong.key, line, *wrong.allowed, **wrong.values)
            return usual

    def _with_models(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Apply the heading's models to steps that name none."""
        defaults: dict[int, str] = {}
        line = self.heads.get("model defaults", (0, ""))[0]
        for numbers, model in self._value("model defaults", lambda text: [*values.model_defaults(text)], ()):
            for number in numbers:
                if number > len(steps):
                    self._fault("step-unknown", line, f"1-{len(steps)}", said=str(number))
                    break
                if number in defaults:
                    self._fault("model-twice", line, said=str(number))
                defaults[number] = model
        return tuple(
            step
            if step.type is StepType.APPROVAL
            else replace(step, model=step.model or defaults.get(step.number, ""))
            for step in steps
        )

    def _fault(self, key: str, line: int, /, *allowed: str, **about: object) -> None:
        self.mistakes.append(Mistake(line=line, key=key, values=about, allowed=allowed))


def _without_comments(lines: list[str], mistakes: list[Mistake]) -> Iterator[tuple[int, str]]:
    """Lines without `<!-- -->`, even over several lines. What stands next to one stays."""
    opened = 0
    for number, line in enumerate(lines, 1):
        kept, rest = "", line
        while rest:
            if opened:
                _, closing, rest = rest.partition("-->")
                opened = 0 if closing else opened
            else:
                before, opening, rest = rest.partition("<!--")
                kept, opened = kept + before, number if opening else 0
        yield number, kept
    if opened:
        mistakes.append(Mistake(line=opened, key="comment-open", allowed=("-->",)))


def _triggers(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """`/write-article, /create-post, implicit "write an article"`."""
    commands: dict[str, None] = {}
    phrases: dict[str, None] = {}
    for item in _outside_quotes(text):
        word = item[len("implicit") :].strip() if item.lower().startswith("implicit") else item
        quoted = _QUOTED.fullmatch(word)
        command = item.lower().replace("_", "-")
        if quoted and quoted[1].strip():
            phrases[quoted[1].strip()] = None
        elif _COMMAND.fullmatch(command):
            commands[command] = None
        else:
            raise WrongValue("trigger", "/write-article", 'implicit "write an article"', said=shown(item))
    return tuple(commands), tuple(phrases)


def _outside_quotes(text: str) -> Iterator[str]:
    item, is_quoted = "", False
    for letter in text:
        if letter in '"“”„«»':
            is_quoted = letter in "“„«" or (letter == '"' and not is_quoted)
        if letter == "," and not is_quoted:
            yield item.strip()
            item = ""
        else:
            item += letter
    yield item.strip()
