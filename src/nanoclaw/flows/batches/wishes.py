"""Turns a wish into a batch: recognises its channel, finds its skill, chooses its model, and reads its topics."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.context.adaptors import Adaptors, target_of
from nanoclaw.context.groups import Group, Groups
from nanoclaw.context.skills import Skill, Skills
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, MessageId
from nanoclaw.domain.model_choice import AUTO, TIER_FOR, judge
from nanoclaw.flows.batches.given_topics import read_file
from nanoclaw.flows.batches.prompts import longest_answer
from nanoclaw.flows.batches.wanted import DEMO, WantedBatch
from nanoclaw.flows.batches.wish import Wish, expect_count
from nanoclaw.texts import LANGUAGES, language_of, say

_WORD = re.compile(r"[^\W\d_]+")
_STEM = 4  # letters
# Ukrainian names of the starter's channels, by the beginning of the word.
_CALLED = {
    "телеграм": "telegram",
    "лінкедін": "linkedin",
    "інстаграм": "instagram",
    "ютуб": "youtube",
    "розсилк": "newsletter",
    "блог": "blog",
    "фейсбук": "facebook",
}
_ONLY_BY_NAME = ("file", "file_output", "document")  # words that mean something else in a sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Where a batch is wanted."""

    group: str
    chat_id: ChatId
    channel: str  # of the chat
    language: str  # of the one who asks
    thread: str | None = None
    message_id: MessageId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Wishes:
    """`models` says which model a tier means; `runtime` is used for groups and skills that name none."""

    home: Path
    groups: Groups
    known_skills: Skills
    adaptors: Adaptors
    models: Mapping[str, str]
    runtime: Callable[[], str]

    def complete(
        self, wish: Wish, where: Where, topics: Sequence[str] | None = None, origin: str | None = None
    ) -> WantedBatch:
        """`topics` are those that came with the wish. Raises Refused, BadWorkspace."""
        group = self.groups.get(where.group)
        given = tuple(topics) if topics else self._named_topics(wish, group)
        if wish.count is None and not given:
            raise Refused("batch-no-count")
        if not wish.subject and not given:
            raise Refused("batch-no-subject", count=wish.count)
        count = expect_count(len(given) if wish.count is None else wish.count)
        channel = self._channel(wish, where)
        skill = self._skill(wish, channel, group)
        adaptor = self.adaptors.find(channel) if channel else None
        language = _language(wish, given, where)
        return WantedBatch(
            count=min(count, len(given)) if given else count,
            subject=wish.subject or say(language, "batch-texts"),
            skill=skill.name if skill else "",
            channel=channel,
            model=self._model(wish, skill, group),
            max_tokens=longest_answer(adaptor),
            group=group.name,
            company=group.company,
            chat_id=where.chat_id,
            language=language,
            topics=given[:count] or None,
            least_grade=wish.least_grade,
            thread=where.thread,
            message_id=where.message_id,
            asked_in=where.language,
            origin=origin,
        )

    def _named_topics(self, wish: Wish, group: Group) -> tuple[str, ...]:
        if wish.topics_file is None:
            return ()
        return read_file(self.home / "groups" / group.name / "files", wish.topics_file)

    def _channel(self, wish: Wish, where: Where) -> str:
        """The named channel; otherwise that of the chat, if there is an adaptor for it."""
        if wish.channel:
            if self.adaptors.find(wish.channel) is None:
                known = ", ".join(self.adaptors.targets())
                raise Refused("batch-no-channel", said=wish.channel[:40], known=known)
            return wish.channel
        targets = [each for each in self.adaptors.targets() if each not in _ONLY_BY_NAME]
        for word in _WORD.findall(wish.subject.casefold()):
            meant = next((target for start, target in _CALLED.items() if word.startswith(start)), word)
            if found := next((each for each in targets if meant.startswith(each)), None):
                return found
        here = target_of(where.channel)
        return here if self.adaptors.find(here) else ""

    def _skill(self, wish: Wish, channel: str, group: Group) -> Skill | None:
        """The named skill; otherwise one that writes for the channel, by common words; otherwise the group's."""
        if wish.skill:
            if (named := self.known_skills.find(wish.skill)) is None:
                raise Refused("batch-no-skill", said=wish.skill[:60])
            return named
        wanted = _stems(wish.subject)
        best, most = None, 0.0
        for skill in self.known_skills.skills():
            if channel not in skill.head.targets:
                continue
            shared = len(wanted & _stems(f"{skill.name} {skill.head.description}"))
            # Of two that fit, the one for fewer channels is the more specific.
            score = 1 + shared + 1 / len(skill.head.targets)
            best, most = (skill, score) if score > most else (best, most)
        return best or self.known_skills.find(group.skill)

    def _model(self, wish: Wish, skill: Skill | None, group: Group) -> str:
        """Chosen as for turns: the wish, the group, the skill. The demo agent needs no model."""
        runtime = (skill and skill.head.runtime) or group.runtime or self.runtime()
        known = (*self.models, *self.models.values())
        if wish.model and wish.model not in (*known, DEMO):
            raise Refused("batch-no-model", said=wish.model[:60], known=", ".join(self.models))
        if runtime == DEMO:
            return DEMO
        wanted = wish.model or group.model or (skill.head.model if skill else "sonnet")
        if wanted == AUTO:  # all texts are of the same kind
            wanted = TIER_FOR[judge(wish.subject)]
        return self.models.get(wanted, wanted)


def _language(wish: Wish, topics: Sequence[str], where: Where) -> str:
    """The language of the texts: as said, as the wish is written, or that of the person who asks."""
    if wish.language:
        if wish.language not in LANGUAGES:
            raise Refused("batch-no-language", said=wish.language[:40], known=", ".join(LANGUAGES))
        return wish.language
    return language_of(wish.subject) or language_of(" ".join(topics[:5])) or where.language


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.casefold()) if len(word) >= _STEM}
