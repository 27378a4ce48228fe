"""The questions of an interview about a company, file by file, and when an answer to one is good enough."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nanoclaw.domain.context_files import RHYTHMS, area_named, files_named

SKILL = "context-interviewer"  # writes the files from the answers
MOST_ANSWER = 4000  # characters
_SHORTEST = 3
_UNKNOWN = re.compile(
    r"(i )?(do not|don'?t|dunno|no idea|not sure|idk|не знаю|хз|невідомо|без поняття|-+|\?+)( know)?[.!]*",
    re.IGNORECASE,
)
_ALL = ("", "all", "everything", "все", "усе")


@dataclass(frozen=True, slots=True)
class InterviewQuestion:
    """Its text is `interview-<area>-<file>-<about>`, the heading of its answer `heading-...`."""

    file: str
    about: str
    needs_number: bool = False

    @property
    def key(self) -> str:
        return f"{self.file}.{self.about}"

    @property
    def text_key(self) -> str:
        return f"{self.file.replace('/', '-').replace('_', '-')}-{self.about}"


QUESTIONS = (
    InterviewQuestion("company/identity", "what"),
    InterviewQuestion("company/identity", "since", needs_number=True),
    InterviewQuestion("company/identity", "missed"),
    InterviewQuestion("company/team", "roles"),
    InterviewQuestion("company/team", "decides"),
    InterviewQuestion("company/operations", "week"),
    InterviewQuestion("company/operations", "wrong"),
    InterviewQuestion("product/spec", "items"),
    InterviewQuestion("product/spec", "limits"),
    InterviewQuestion("product/pricing", "prices", needs_number=True),
    InterviewQuestion("product/pricing", "discounts"),
    InterviewQuestion("product/pricing", "refunds"),
    InterviewQuestion("product/positioning", "instead"),
    InterviewQuestion("product/positioning", "why"),
    InterviewQuestion("audience/icp", "best"),
    InterviewQuestion("audience/icp", "refused"),
    InterviewQuestion("audience/jtbd", "job"),
    InterviewQuestion("audience/jtbd", "trigger"),
    InterviewQuestion("audience/voc", "phrases"),
    InterviewQuestion("audience/voc", "complaints"),
    InterviewQuestion("audience/awareness", "know"),
    InterviewQuestion("audience/awareness", "doubts"),
    InterviewQuestion("brand/voice", "tone"),
    InterviewQuestion("brand/voice", "never"),
    InterviewQuestion("brand/visual", "look"),
    InterviewQuestion("brand/visual", "avoid"),
    InterviewQuestion("brand/guidelines", "always"),
    InterviewQuestion("brand/guidelines", "never"),
    InterviewQuestion("market/intelligence", "moves"),
    InterviewQuestion("market/intelligence", "sources"),
    InterviewQuestion("market/competitors", "who"),
    InterviewQuestion("market/competitors", "better"),
    InterviewQuestion("market/channels", "where"),
    InterviewQuestion("market/channels", "works"),
    InterviewQuestion("market/geo_aeo", "asked"),
    InterviewQuestion("market/geo_aeo", "cited"),
)
BY_KEY = {each.key: each for each in QUESTIONS}


def questions_about(said: str) -> Sequence[InterviewQuestion]:
    """The questions of an area, of a file, or all of them; none if it names neither."""
    wanted = said.strip().casefold()
    if wanted in _ALL:
        return QUESTIONS
    area = area_named(wanted)
    files = (
        [file for file in RHYTHMS if file.startswith(f"{area}/")] if area == wanted else files_named(wanted)
    )
    return [each for each in QUESTIONS if each.file in files]


_NUMBER = re.compile(
    r"\d|\b(?:free|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|"
    r"безкоштовно|два|дві|три|чотири|п['’ʼ]ять|шість|сім|вісім|дев['’ʼ]ять|десять|\w+надцять|"
    r"\w+дцять|сорок|\w+десят|дев['’ʼ]яносто|сто|двісті|(?:три|чотири)ста|(?:п['’ʼ]ят|шіст|сім|вісім|дев['’ʼ]ят)сот|тисяч[аі]?|мільйон\w*)\b",
    re.IGNORECASE,
)
"""Also in words: nobody who says "five euros" has left the number out."""


def is_unknown(answer: str) -> bool:
    """Whether the answer is as good as skipping it."""
    return bool(_UNKNOWN.fullmatch(answer.strip()))


def problem_with(question: InterviewQuestion, answer: str) -> str | None:
    """Why it is asked again: `short`, `long` or `number`."""
    plain = answer.strip()
    if len(plain) > MOST_ANSWER:
        return "long"
    if question.needs_number and not _NUMBER.search(plain):
        return "number"
    return "short" if len(plain) < _SHORTEST and not plain.isdigit() else None
