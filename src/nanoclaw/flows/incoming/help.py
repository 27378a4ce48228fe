"""`/help`: every command that a person may use here, by purpose; with a word, what belongs to that word."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from nanoclaw.admission.commands import COMMANDS, Command, HelpTopic
from nanoclaw.context.skills import Skills
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written
from nanoclaw.flows.incoming.template_commands import TemplateCommands
from nanoclaw.texts import LANGUAGES, say

_NEAR = 0.7  # similarity ratio
_SHORT = 60  # characters about what a skill does
_MOST_NAMES = 15  # per topic in the first message: a workspace may have hundreds of skills
_MOST_WORDS = 10
_LONGEST_WORD = 40
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b")
_ADMINS = (HelpTopic.PEOPLE, HelpTopic.CHATS, HelpTopic.HOST)


@dataclass(frozen=True, kw_only=True, slots=True)
class HelpReader:
    """The reader of the help: a role in this chat, another for what concerns all agent groups, and a language."""

    here: Role
    everywhere: Role
    language: str

    def role_for(self, command: Command) -> Role:
        return self.everywhere if command.everywhere else self.here


@dataclass(frozen=True, kw_only=True, slots=True)
class HelpEntry:
    """Something that can be typed: its name as Telegram takes it, what follows it, and what it does."""

    name: str
    usage: str
    meaning: str
    in_short: str  # in a list with others

    def line(self, meaning: str) -> str:
        usage = f" {self.usage}" if self.usage else ""
        return f"`/{self.name}{usage}` {meaning}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Help:
    known_skills: Skills
    templates: TemplateCommands

    def overview(self, asker: HelpReader) -> str:
        """One line per topic with its commands; all of them fit in one message."""
        language, topics = asker.language, self._topics(asker)
        everyone = [_in_one_line(topic, language, topics[topic]) for topic in topics if topic not in _ADMINS]
        admins = [_in_one_line(topic, language, topics[topic]) for topic in topics if topic in _ADMINS]
        head = [say(language, "help-admins"), "", *admins, ""] if admins else []
        return "\n".join(
            [
                *(say(language, "help-head"), "", *everyone, "", *head),
                *(say(language, "help-how"), say(language, "help-foot")),
            ]
        )

    def about(self, asked: str, asker: HelpReader) -> str | None:
        """Help about the word, or the first known one of several. None if nothing has that name."""
        topics = self._topics(asker)
        for word in (asked, *asked.split()[:_MOST_WORDS]):
            topic = _topic_called(word)
            if topic and topic in topics:
                return _in_full(topic, asker.language, topics[topic])
            for topic, entries in topics.items():
                if found := next((entry for entry in entries if entry.name == _name(word)), None):
                    more = say(asker.language, "help-more", topic=_word(topic, asker.language))
                    return f"{found.line(found.meaning)}\n\n{more}"
        return None

    def unknown(self, asked: str, asker: HelpReader) -> str:
        """Why there is no help about it: it needs another role, or it was spelled differently."""
        command = COMMANDS.get(_name(asked).replace("_", "-"))
        if command and command.listed:
            key = "order-forbidden-everywhere" if command.everywhere else "order-forbidden"
            told = {"name": command.name, "role": command.role, "yours": asker.role_for(command)}
            return say(asker.language, key, **told)
        topics = self._topics(asker)
        known = [entry.name for entries in topics.values() for entry in entries]
        words = [_word(topic, language) for topic in topics for language in LANGUAGES]
        near = get_close_matches(_name(asked), [*words, *known], n=1, cutoff=_NEAR)
        shown = as_written(asked if len(asked) <= _LONGEST_WORD else f"{asked[:_LONGEST_WORD]}…")
        if near:
            return say(asker.language, "help-unknown-near", word=shown, near=near[0])
        return say(asker.language, "help-unknown", word=shown)

    def nearest(self, name: str, role: Role) -> str | None:
        """What an unknown command may have meant."""
        allowed = (each.name for each in COMMANDS.values() if each.listed and role.may(each.role))
        others = [*self.known_skills.commands(), *self.templates.listed()]
        found = get_close_matches(name, [*allowed, *others], n=1, cutoff=_NEAR)
        return found[0].replace("-", "_") if found else None

    def _topics(self, asker: HelpReader) -> Mapping[HelpTopic, list[HelpEntry]]:
        """The topics in order, without those that have nothing for this person."""
        own: dict[HelpTopic, list[HelpEntry]] = {topic: [] for topic in HelpTopic}
        for command in COMMANDS.values():
            if command.listed and asker.role_for(command).may(command.role):
                meaning = say(asker.language, f"command-{command.name}")
                usage = _usage(command.usage, asker.language)
                own[command.topic].append(_entry(command.name, usage, meaning))
        own[HelpTopic.PIPELINES] += [
            _entry(name, _usage("SUBJECT", asker.language), as_written(title))
            for name, title in self.templates.listed().items()
        ]
        own[HelpTopic.SKILLS] += [
            _entry(
                name, "", as_written(skill.head.description), as_written(_in_short(skill.head.description))
            )
            for name, skill in self.known_skills.commands().items()
            if name not in COMMANDS
        ]
        return {topic: entries for topic, entries in own.items() if entries}


def _usage(usage: str, language: str) -> str:
    return _PLACEHOLDER.sub(lambda word: say(language, f"usage-{word[0].lower()}"), usage)


def _entry(name: str, usage: str, meaning: str, in_short: str = "") -> HelpEntry:
    return HelpEntry(name=name.replace("-", "_"), usage=usage, meaning=meaning, in_short=in_short or meaning)


def _in_one_line(topic: HelpTopic, language: str, entries: list[HelpEntry]) -> str:
    names = [f"`/{entry.name}`" for entry in entries]
    shown = [*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])]
    about = say(language, f"help-about-{topic}")
    return f"- **{_word(topic, language)}** ({about}): {', '.join(shown)}"


def _in_full(topic: HelpTopic, language: str, entries: list[HelpEntry]) -> str:
    head = f"**{_word(topic, language)}**: {say(language, f'help-about-{topic}')}"
    return "\n".join([head, "", *(f"- {entry.line(entry.in_short)}" for entry in entries)])


def _word(topic: HelpTopic, language: str) -> str:
    return say(language, f"help-topic-{topic}")


def _topic_called(word: str) -> HelpTopic | None:
    """The topic with this name in any language: people may read help in one and write in another. With a
    slash it is a command.
    """
    tidied = word.casefold().replace("’", "'").strip(" ?!.,")
    return next(
        (
            topic
            for topic in HelpTopic
            for language in LANGUAGES
            if tidied == _word(topic, language).casefold()
        ),
        None,
    )


def _name(word: str) -> str:
    """Turn `/Task-Pause@bot` into `task_pause`."""
    tidied = word.strip(" ?!.,").casefold().removeprefix("/").partition("@")[0]
    return tidied.replace("-", "_")[:_LONGEST_WORD]


def _in_short(description: str) -> str:
    """The description up to its first comma."""
    first = description.partition(",")[0].rstrip(". ")
    return first if len(first) <= _SHORT else f"{first[:_SHORT].rpartition(' ')[0]} …"
