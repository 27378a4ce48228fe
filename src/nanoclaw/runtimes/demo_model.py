"""The demo model: a small script in place of a language model, so that everything can be tried without a key.

It gets what any model gets, the system prompt and the prompt, and knows nothing else: what it says about the
company comes from the recalled passages and the files in the system prompt.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from nanoclaw.domain.steps import ModelPiece, Returned, Step, Told, ToolCall, ToolOffer
from nanoclaw.domain.turns import TextDelta, TurnRequest
from nanoclaw.runtimes.demo_asking import asked, brought
from nanoclaw.runtimes.demo_context import next_step
from nanoclaw.runtimes.demo_handoffs import from_handoff, handed, handoff_call
from nanoclaw.runtimes.demo_memory import from_memory, remember_call, remembered
from nanoclaw.runtimes.demo_plan import planned, unsure
from nanoclaw.runtimes.demo_sessions import in_session, result_in, session_call, session_result
from nanoclaw.runtimes.demo_steps import A_STEP, step_action
from nanoclaw.runtimes.demo_transfers import came_back, is_back, proposed, transfer_call
from nanoclaw.texts import language_of, say

_FILE = re.compile(r'<context file="(?P<file>[^"]+)">\n(?P<text>.*?)\n</context>', re.DOTALL)
_SKILL = re.compile(r'<skill file="(?P<name>[^"]+)">')
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\S+\s*|\s+")
_NOT_SAID = re.compile(r"^/\S+|^\[[^\]]*\]$")  # a command; what the host says of a sticker or a place
_CALLED = re.compile(r"@\w+[,:]?\s+(?=[$?@&])")  # its name, if it is addressed in a group
_NAMED = re.compile(r"^@\w+[,:]?\s+")
_STEM = 5  # Ukrainian and English words alike are recognised by their first letters
_ENOUGH = 2.2  # a question that shares less than this with a section is not answered from it
_HEADING_WEIGHT = 2.0
_CARDS = ("schedule_task", "background_task")
_UNHEARD = "This host cannot turn voice into text"  # how the host says so
_CARD_COMES = 0.3  # seconds


class DemoModel:
    """Answers word by word, `pace` seconds apart, as a real model would."""

    def __init__(self, *, pace: float) -> None:
        self._pace = pace

    async def close(self) -> None:
        """Nothing to close."""

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        told = steps[-1].prompt if steps and isinstance(steps[-1], Told) else request.prompt
        step = step_action(request.skill, request.prompt, steps, tools)
        if isinstance(step, tuple) and self._pace:
            await asyncio.sleep(A_STEP)
        if step is None:
            said = next(reversed(_messages(request.prompt)), "")
            step = next_step(request.skill, request.prompt, said, _language(said, request), steps)
        call = step if isinstance(step, tuple) else None
        if step is None and (not steps or told is not request.prompt):
            call = call_in(told)
        if call and any(tool.name == call[0] for tool in tools):
            yield ToolCall(id=f"{request.turn_id}-{len(steps)}", name=call[0], arguments=call[1])
            return
        if (
            self._pace
            and isinstance(last := steps[-1] if steps else None, Returned)
            and last.call.name in _CARDS
        ):
            await asyncio.sleep(_CARD_COMES)  # so that the card does not split its words
        for piece in _PIECE.findall(step if isinstance(step, str) else _reply(request, steps)):
            yield TextDelta(text=piece)
            if self._pace:
                await asyncio.sleep(self._pace)


def call_in(prompt: str) -> tuple[str, dict[str, Any]] | None:
    """The demo's notation for tools: `$ ls` runs a command, `? Deploy | yes | no` asks people, `@ every day
    9:00 | news` is for later, `& audit them all` takes long. Also `remember that ...` and `we decided
    ...`, in plain words.
    """
    said = _CALLED.sub("", next(reversed(_messages(prompt)), ""))
    rest = said[1:].strip()
    if is_back(said):
        return None
    if told := remember_call(said) or handoff_call(said) or session_call(said) or transfer_call(said):
        return told
    if said.startswith("$") and rest:
        return "bash", {"command": rest}
    if said.startswith("?") and rest:
        return "request_human", _asking(rest)
    if said.startswith("@ ") and "|" in rest:  # without the space it is somebody's name
        when, _, what = (part.strip() for part in rest.partition("|"))
        return "schedule_task", {"schedule_type": "cron", "schedule_value": when, "prompt": what}
    if said.startswith("&") and rest:
        return "background_task", {"prompt": rest, "estimated_minutes": 1}
    return None


def _asking(said: str) -> dict[str, Any]:
    question, *choices = filter(None, map(str.strip, said.split("|")))
    if not choices:
        return {"question": question, "kind": "input" if question.endswith(("…", "...")) else "approval"}
    options = [{"id": choice[:40], "label": choice[:20]} for choice in choices]
    return {"question": question, "kind": "choice", "options": options}


def _reply(request: TurnRequest, steps: Sequence[Step]) -> str:
    """The output of a command, what was said meanwhile, or simply an answer."""
    match steps[-1] if steps else None:
        case Returned(call=call, ok=ok, text=text):
            said = _messages(request.prompt)[-1]
            language = _language(said, request)
            if call.name == "request_human":
                return asked(text, language, ok=ok)
            if call.name == "remember":
                return remembered(text, language, ok=ok)
            if call.name == "request_session":
                return session_result(text, language, ok=ok)
            if call.name == "propose_transfer":
                return proposed(text, language, ok=ok)
            if call.name == "handoff":
                return handed(text, language, ok=ok)
            if call.name in _CARDS:
                return say(language, "demo-handed-over" if ok else "demo-not-handed-over", said=text)
            fence = "```" if "```" not in text else "~~~~"
            if not text.strip():
                return say(language, "demo-ran-silently")
            head = say(language, "demo-ran" if ok else "demo-ran-badly")
            return f"{head}\n\n{fence}\n{text.rstrip()}\n{fence}"
        case Told(prompt=prompt):
            return answer(replace(request, prompt=prompt))
        case _:
            return answer(request)


def answer(request: TurnRequest) -> str:
    """Answers each message of the turn, in order, without repeating itself."""
    files = [*_seen_files(request), *_brought_answers(request)]
    said = [words for words in _messages(request.prompt) if words or not files]
    return "\n\n".join(dict.fromkeys([*files, *(_answer_one(words, request) for words in said)]))


def _seen_files(request: TurnRequest) -> Iterator[str]:
    """Where each attached file is, or why it is missing."""
    language = _language(" ".join(_messages(request.prompt)), request)
    for file in _read(request.prompt).iter("file"):
        values = {"name": file.get("name", ""), "path": file.get("path", ""), "said": file.text or ""}
        is_unheard = (file.text or "").startswith(_UNHEARD)
        key = "demo-unheard" if is_unheard else "demo-file-missing" if file.text else "demo-file"
        yield say(language, key, **values)


def _brought_answers(request: TurnRequest) -> Iterator[str]:
    """What people decided while nobody waited for it."""
    for message in _read(request.prompt).iter("message"):
        if message.get("answers"):
            language, result = _language("", request), message.find("human-interaction")
            told = (message.text or "").strip()
            if result is not None:
                told = ElementTree.tostring(result, encoding="unicode")
            yield result_in(told, language) or brought(told, language)


def _answer_one(said: str, request: TurnRequest) -> str:
    said = _NAMED.sub("", said)
    language = _language(said, request)
    if told := came_back(said, _language("", request)):
        return told
    if told := from_handoff(request, said, language) or planned(said):
        return told
    if told := in_session(request, said, language):
        return told
    if asked := unsure(said, language, request.system_prompt.skill):
        return asked
    if request.is_unattended and not said.endswith("?"):  # a question it can answer at that time, too
        return say(language, "demo-task", said=said)
    known = from_memory(said, request.recalled, lambda text: _bridged(_stems(text)))
    if _is_wish(said, language) and not (known and said.endswith("?")):
        return say(language, "demo-wish")
    if intent := _intent(said, language):
        return say(language, f"demo-{intent}")
    skill = _SKILL.match(request.system_prompt.skill)
    if said.startswith("/") and skill:
        return say(language, "demo-skill", skill=skill["name"])
    if known:
        return say(language, "demo-from-memory") + "\n\n" + known
    section = find(_NOT_SAID.sub("", said), request.system_prompt.company, request.recalled)
    if section is None:
        return say(language, "demo-unsure")
    return (
        say(language, "demo-from-context", file=section.file, heading=section.heading) + "\n\n" + section.text
    )


def _is_wish(said: str, language: str) -> bool:
    """Whether it asks for something later or long: a real agent would use a tool, this one only when told in
    its notation.
    """
    lowered = said.lower()
    return any(cue in lowered for cue in say(language, "demo-cues-wish").split("|"))


def _messages(prompt: str) -> list[str]:
    """The text of each message, without what it quotes."""
    return [
        "".join([message.text or "", *(part.tail or "" for part in message)]).strip()
        for message in _read(prompt).iter("message")
        if not message.get("answers") and not message.get("overheard")
    ]


def _read(prompt: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<prompt>{prompt}</prompt>")  # noqa: S314 - made by context/message_xml.py, escaped there


def _language(said: str, request: TurnRequest) -> str:
    """The language of the message. A bare command has none: then that of the conversation, then the person's."""
    spoken = language_of(_NOT_SAID.sub("", said))
    before = request.history[-1].answered if request.history else ""
    return spoken or language_of(before) or request.language or "en"


def _intent(said: str, language: str) -> str | None:
    """The script's cues are in the catalogue: words that mark a greeting, thanks, a question about the system."""
    lowered = said.lower().strip(" !.?…")
    if lowered.startswith("/demo"):
        return "tour"
    for intent in ("greeting", "thanks", "abilities", "identity"):
        for cue in say(language, f"demo-cues-{intent}").split("|"):
            words = cue.strip()
            if lowered == words or (" " in words and re.search(rf"\b{re.escape(words)}\b", lowered)):
                return intent
    return None


# Finding a section of the company's context


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoSection:
    file: str
    heading: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Index:
    sections: tuple[DemoSection, ...]
    heads: tuple[frozenset[str], ...]
    bodies: tuple[frozenset[str], ...]
    weights: dict[str, float]


def find(question: str, company: str, recalled: str) -> DemoSection | None:
    """The section whose heading and words are nearest to the question; None if none is near enough."""
    index = _index(company, recalled)
    stems = _bridged(_stems(question))
    best, best_score = None, 0.0
    for section, head, body in zip(index.sections, index.heads, index.bodies, strict=True):
        score = sum(
            index.weights.get(stem, 0) * (_HEADING_WEIGHT if stem in head else 1) for stem in stems & body
        )
        if score > best_score:
            best, best_score = section, score
    if best is None or best_score >= _ENOUGH:
        return best
    # Every word is in it: then it may be common among what was recalled, all of which is about this.
    known = _stems(f"{best.heading} {best.file} {best.text}")
    asked = _stems(question)
    return best if asked and all(_bridged({stem}) & known for stem in asked) else None


@lru_cache(maxsize=8)
def _index(company: str, recalled: str) -> _Index:
    sections = (*_passages(recalled), *_sections(company))
    heads = tuple(frozenset(_stems(f"{section.heading} {section.file}")) for section in sections)
    bodies = tuple(
        frozenset(_stems(section.text)) | head for section, head in zip(sections, heads, strict=True)
    )
    spread = Counter(stem for body in bodies for stem in body)
    weights = {stem: math.log(1 + len(bodies) / count) for stem, count in spread.items()}
    return _Index(sections=sections, heads=heads, bodies=bodies, weights=weights)


def _passages(recalled: str) -> Iterator[DemoSection]:
    for passage in _read(recalled).iter("passage"):
        heading = passage.get("heading", "")
        text = (passage.text or "").strip()
        yield DemoSection(file=passage.get("file", ""), heading=heading, text=text)


def _sections(company: str) -> Iterator[DemoSection]:
    for match in _FILE.finditer(company):
        title, *parts = re.split(r"^## ", match["text"], flags=re.MULTILINE)
        for part in parts:
            heading, _, text = part.partition("\n")
            yield DemoSection(file=match["file"], heading=heading.strip(), text=text.strip())
        if not parts:
            yield DemoSection(file=match["file"], heading=match["file"], text=title.strip())


def _stems(text: str) -> set[str]:
    common = _common_words()
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in common}


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    return frozenset(word for language in ("en", "uk") for word in say(language, "demo-common-words").split())


def _bridged(stems: set[str]) -> set[str]:
    """A Ukrainian question finds an English section and vice versa, through a small list of pairs."""
    return stems.union(*(_bridges().get(stem, ()) for stem in stems))


@lru_cache(maxsize=1)
def _bridges() -> dict[str, set[str]]:
    bridges: dict[str, set[str]] = {}
    for pair in say("uk", "demo-word-pairs").split():
        one, other = (word[:_STEM] for word in pair.split(":"))
        bridges.setdefault(one, set()).add(other)
        bridges.setdefault(other, set()).add(one)
    return bridges
