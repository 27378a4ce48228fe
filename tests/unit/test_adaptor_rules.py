"""Each rule of an adaptor is kept by one text and broken by another, and the violation names its line."""

import re
from pathlib import Path

import pytest

from nanoclaw.context.adaptor_check import Violation, check, size
from nanoclaw.context.adaptor_schema import Bounds, FirstLine, Hashtags, Heading, Rules, TextPart, Timestamps
from nanoclaw.context.adaptors import FOLDER, Adaptor, read_adaptor
from nanoclaw.host.workspace import STARTER
from nanoclaw.texts import LANGUAGES, entries, say

pytestmark = pytest.mark.capability("X3")

SHIPPED = STARTER / "common" / FOLDER
SIX = ["email", "file_output", "instagram", "linkedin", "telegram", "youtube"]
PAGE = Path("docs/how-to/write-for-a-channel.md")


def shipped(name: str) -> Adaptor:
    return read_adaptor(SHIPPED / f"{name}.md")


def ruled(folder: Path, rules: str) -> Adaptor:
    path = folder / "house.md"
    path.write_text(f"---\nname: house\ndescription: d\ntargets: [house]\nrules: {rules}\n---\nAdvice.\n")
    return read_adaptor(path)


def broken(text: str, adaptor: Adaptor) -> list[tuple[str, str, int | None]]:
    return [(violation.rule, violation.key, violation.line) for violation in check(text, adaptor)]


def example(adaptor: Adaptor) -> str:
    found = re.search(r"^````markdown\n(.*?)^````$", adaptor.advice, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


REPORT = """---
title: t
date: 2026-01-01
company: c
author: a
version: 1
---
# Report

## 1. Executive summary

x

## Body

```python
print()
```

## Conclusions

y
"""
BACKWARDS = REPORT.replace("Conclusions", "Summary").replace("1. Executive summary", "Conclusions")
VIDEO = "---\ntitle: T\nduration: '{duration}'\ntags: [a, b, c, d, e]\nthumbnail: five words are enough here\n---\n"
CHAPTERS = "0:00 One\n1:00 Two\n12:30 Three\n"
POST = "A hook.\n\nA story.\n\n#one #two #three\n"
MAIL = "Subject: s\nPreview: p\n\nHi.\n\n[Unsubscribe](https://x.example/u)\n"
PICTURE = "## Image\n\nA cup.\n"
TAGS = "## First comment\n\n" + " ".join(f"#t{chr(97 + n)}" for n in range(20)) + "\n"

KEPT = {
    "telegram: at the limit": ("telegram", "First.\n\n" + "a" * 4088),
    "telegram: five points, and more in another list": (
        "telegram",
        "x\n\n" + "- a\n" * 5 + "\ny\n\n" + "- b\n" * 5,
    ),
    "telegram: many steps": ("telegram", "x\n\n" + "1. a\n" * 9),
    "linkedin: emoji after the first line": ("linkedin", POST.replace("story", "story ☕")),
    "linkedin: hashtags on two lines": ("linkedin", POST + "#four\n"),
    "linkedin: an anchor and a number are no hashtags": (
        "linkedin",
        POST.replace("story", "story x.example/#top, page#x, #1"),
    ),
    "linkedin: signs that are no emoji": ("linkedin", POST.replace("A hook.", "5 % → 4 % ✓ ©")),
    "email: subject of 60": ("email", MAIL.replace("Subject: s", "Subject: " + "s" * 60)),
    "email: subject in the front matter": (
        "email",
        "---\nsubject: s\npreview: p\n---\nHi. https://x.example/unsubscribe",
    ),
    "email: bold labels and empty lines": (
        "email",
        "**Subject:** s\n\n**Preview:** p\n\nHi. [x](https://x.example/unsubscribe)",
    ),
    "email: in Ukrainian": ("email", "Тема: т\nПрев'ю: п\n\nВітаю. [Відписатися](https://x.example/u)"),
    "email: allowed HTML": (
        "email",
        MAIL.replace("Hi.", "<b>Hi</b>,<br>\n<i>you</i>. <a href='https://x.example'>x</a>"),
    ),
    "email: HTML in code is no HTML": ("email", MAIL.replace("Hi.", "Write `<div>`.")),
    "email: unsubscribe link in HTML": (
        "email",
        MAIL.split("[")[0] + '<a href="https://x.example/unsubscribe">x</a>',
    ),
    "instagram: no carousel": ("instagram", f"Hook\n\n{TAGS}\n{PICTURE}"),
    "instagram: ten slides": ("instagram", f"Hook\n\n{TAGS}\n{PICTURE}\n## Slides\n\n" + "1. x\n" * 10),
    "instagram: caption under its heading": ("instagram", f"## Caption\n\nHook\n\n{TAGS}\n{PICTURE}"),
    "file: an appendix after the conclusions": ("file_output", REPORT + "\n## Appendix A: figures\n\nz\n"),
    "file: in Ukrainian": (
        "file_output",
        REPORT.replace("Executive summary", "Резюме").replace("Conclusions", "Висновки"),
    ),
    "youtube: a short video without chapters": ("youtube", VIDEO.format(duration="10:00") + "About.\n"),
    "youtube: a long one with them": ("youtube", VIDEO.format(duration="14 min") + CHAPTERS),
    "youtube: parts as sections": (
        "youtube",
        "## Title\n\nT\n\n## Duration\n\n5:00\n\n## Tags\n\na, b, c, d, e\n\n## Description\n\nx\n",
    ),
}

BROKEN = {
    "telegram: a character too many": ("telegram", "First.\n\n" + "a" * 4089, "text.longest", 3),
    "telegram: emoji count twice": ("telegram", "First.\n" + "\U0001f600" * 2045, "text.longest", 2),
    "telegram: six points": ("telegram", "x\n\n" + "- a\n" * 6, "longest_list", 3),
    "telegram: a long first line": ("telegram", "\n" + "a" * 201, "text.first_line.longest", 2),
    "linkedin: too long": ("linkedin", f"Hook\n\n{'a' * 3000}\n\n#one #two #three", "text.longest", 3),
    "linkedin: emoji first": ("linkedin", "☕ " + POST, "text.first_line.emoji", 1),
    "linkedin: a sign made an emoji": ("linkedin", "✔️ " + POST, "text.first_line.emoji", 1),
    "linkedin: a flag": ("linkedin", "🇺🇦 " + POST, "text.first_line.emoji", 1),
    "linkedin: two hashtags": ("linkedin", POST.replace("#three", ""), "text.hashtags", 5),
    "linkedin: six hashtags": ("linkedin", POST + "#four #five #six", "text.hashtags", 5),
    "linkedin: no hashtags": ("linkedin", "Hook.", "text.hashtags", None),
    "linkedin: a hashtag in the text": (
        "linkedin",
        POST.replace("story", "#story"),
        "text.hashtags.place",
        3,
    ),
    "linkedin: words below the hashtags": ("linkedin", POST + "The end.", "text.hashtags.place", 5),
    "email: subject of 61": (
        "email",
        MAIL.replace("Subject: s", "Subject: " + "s" * 61),
        "parts.subject.longest",
        1,
    ),
    "email: preview of 91": (
        "email",
        MAIL.replace("Preview: p", "Preview: " + "p" * 91),
        "parts.preview.longest",
        2,
    ),
    "email: preview in the front matter": (
        "email",
        f"---\nsubject: s\npreview: {'p' * 91}\n---\nhttps://x.example/unsubscribe",
        "parts.preview.longest",
        3,
    ),
    "email: no subject": ("email", MAIL.split("\n", 1)[1], "parts.subject.needed", None),
    "email: an empty subject": (
        "email",
        "---\nsubject: ''\n---\n" + MAIL.split("\n", 1)[1],
        "parts.subject.needed",
        None,
    ),
    "email: no way to unsubscribe": ("email", MAIL.replace("[Unsubscribe]", "[More]"), "link", None),
    "email: unsubscribe without a link": (
        "email",
        MAIL.replace("[Unsubscribe]", "Unsubscribe: [here]"),
        "link",
        None,
    ),
    "email: a picture": ("email", MAIL.replace("Hi.", "Hi.\n<img src=x>"), "html", 5),
    "email: a block": ("email", MAIL.replace("Hi.", "\n<b>x</b>\n\n<div>\nHi\n</div>"), "html", 7),
    "email: a script in an attribute": ("email", MAIL.replace("Hi.", '<b onclick="x()">Hi</b>'), "html", 4),
    "instagram: caption of 2201": (
        "instagram",
        f"Hook\n{'a' * 2196}\n\n{TAGS}\n{PICTURE}",
        "text.longest",
        2,
    ),
    "instagram: hashtags in the caption": (
        "instagram",
        f"Hook\n\n#no\n\n{TAGS}\n{PICTURE}",
        "text.hashtags",
        3,
    ),
    "instagram: 31 hashtags": (
        "instagram",
        f"Hook\n\n{TAGS.strip()}{' #x' * 11}\n\n{PICTURE}",
        "parts.first_comment.hashtags",
        5,
    ),
    "instagram: 19 hashtags": (
        "instagram",
        f"Hook\n\n{TAGS.strip()[:-4]}\n\n{PICTURE}",
        "parts.first_comment.hashtags",
        5,
    ),
    "instagram: no image": ("instagram", f"Hook\n\n{TAGS}", "parts.image.needed", None),
    "instagram: eleven slides": (
        "instagram",
        f"Hook\n\n{TAGS}\n{PICTURE}\n## Slides\n\n" + "1. x\n" * 11,
        "parts.slides.items",
        13,
    ),
    "instagram: eleven slides as headings": (
        "instagram",
        f"Hook\n\n{TAGS}\n{PICTURE}\n## Carousel\n\n" + "### S\n\nx\n\n" * 11,
        "parts.slides.items",
        13,
    ),
    "instagram: a reel of 151 words": (
        "instagram",
        f"Hook\n\n{TAGS}\n{PICTURE}\n## Reel\n\n" + "x " * 151,
        "parts.reel.words",
        13,
    ),
    "file: no front matter": ("file_output", REPORT.split("---\n")[2], "front_matter", 1),
    "file: no author and an empty title": (
        "file_output",
        REPORT.replace("author: a\n", "").replace("title: t", "title:"),
        "front_matter",
        1,
    ),
    "file: no conclusions": ("file_output", REPORT.replace("Conclusions", "End"), "headings", None),
    "file: conclusions first": ("file_output", BACKWARDS, "headings", 10),
    "file: code without a language": ("file_output", REPORT.replace("```python", "```"), "code_language", 16),
    "youtube: title of 71": (
        "youtube",
        VIDEO.format(duration="5:00").replace("title: T", f"title: {'t' * 71}") + "x",
        "parts.title.longest",
        2,
    ),
    "youtube: four tags": (
        "youtube",
        VIDEO.format(duration="5:00").replace("a, b, ", "a, ") + "x",
        "parts.tags.items",
        4,
    ),
    "youtube: eleven tags": (
        "youtube",
        VIDEO.format(duration="5:00").replace("[a", "[q, r, s, t, u, v, a") + "x",
        "parts.tags.items",
        4,
    ),
    "youtube: six words on the thumbnail": (
        "youtube",
        VIDEO.format(duration="5:00").replace("here", "now, here") + "x",
        "parts.thumbnail.words",
        5,
    ),
    "youtube: a long video without chapters": (
        "youtube",
        VIDEO.format(duration="10:01") + "x",
        "timestamps",
        None,
    ),
    "youtube: an hour without chapters": (
        "youtube",
        VIDEO.format(duration="1:00:00") + "x",
        "timestamps",
        None,
    ),
    "youtube: chapters that begin late": (
        "youtube",
        VIDEO.format(duration="14") + CHAPTERS.replace("0:00", "0:10"),
        "timestamps",
        7,
    ),
    "youtube: chapters in disorder": (
        "youtube",
        VIDEO.format(duration="14") + CHAPTERS.replace("1:00", "13:00"),
        "timestamps",
        9,
    ),
    "youtube: two chapters": (
        "youtube",
        VIDEO.format(duration="14") + CHAPTERS.replace("12:30 Three\n", ""),
        "timestamps",
        7,
    ),
    "youtube: a duration nobody understands": (
        "youtube",
        VIDEO.format(duration="long") + "x",
        "timestamps",
        3,
    ),
}


@pytest.mark.parametrize("name", SIX)
def test_the_example_of_each_keeps_its_rules_and_its_advice_stays_short(name: str) -> None:
    adaptor = shipped(name)
    assert check(example(adaptor), adaptor) == ()
    assert check("", adaptor)
    assert len(adaptor.advice) < 3000  # it is in every brief of its channel


@pytest.mark.parametrize("case", KEPT)
def test_a_text_that_keeps_the_rules_passes(case: str) -> None:
    name, text = KEPT[case]
    assert broken(text, shipped(name)) == []


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_is_named_with_its_line(case: str) -> None:
    name, text, rule, line = BROKEN[case]
    assert [(violation.rule, violation.line) for violation in check(text, shipped(name))] == [(rule, line)]


def test_a_section_that_stands_too_early_is_named(tmp_path: Path) -> None:
    adaptor = ruled(
        tmp_path, "{headings: [{names: [first]}, {names: [second]}, {names: [third], needed: no}]}"
    )
    assert broken("# First\n# Second\nx", adaptor) == []
    assert broken("# Third\n# First\n# Second\nx", adaptor) == [("headings", "heading-early", 1)]
    assert broken("```\n# First\n```\n# Second\nx", adaptor) == [("headings", "heading-missing", None)]


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("", "empty", None),
        ("\ufeff  \r\n\r\n", "empty", None),
        ("---\nchannel: house\n---\n", "empty", None),
        ("---\nchannel: house\nText.", "head-unclosed", 3),
        ("---\na: b: c\n---\nText.", "head-not-yaml", 2),
        ("---\na: " + "[" * 3000 + "\n---\nText.", "head-not-yaml", 2),
        ("---\n" + "a: b\n" * 20_000 + "---\nText.", "head-not-yaml", 2),
        ("---\nText.\n---\nText.", "head-no-keys", 2),
    ],
)
def test_what_is_no_sound_text_is_told_under_any_rules(
    tmp_path: Path, text: str, key: str, line: int | None
) -> None:
    assert [(found, at) for _, found, at in broken(text, ruled(tmp_path, "{}"))] == [(key, line)]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    text = "\ufeff" + example(adaptor := shipped("email")).replace("\n", "\r\n")
    assert check(text, adaptor) == ()
    long = text.replace("Subject: ", "Subject: " + "s" * 60)
    assert broken(long, adaptor) == [("parts.subject.longest", "too-long", 1)]


def test_aliases_that_stand_for_more_than_there_is_memory_are_survived(tmp_path: Path) -> None:
    levels = [f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]" for n in range(20)]
    bomb = "---\na: &a [x]\n" + "\n".join(levels) + "\nsubject: *u\n---\nText."
    adaptor = ruled(tmp_path, "{parts: {subject: {needed: yes, longest: 5}}}")
    assert broken(bomb, adaptor) == [("parts.subject.needed", "part-missing", None)]


@pytest.mark.parametrize(
    ("text", "characters", "units"), [("abc", 3, 3), ("ціна", 4, 4), ("😀", 1, 2), ("👩‍💻", 3, 5)]
)
def test_lengths_are_counted_as_the_platform_counts(text: str, characters: int, units: int) -> None:
    assert (size(text, "characters"), size(text, "utf-16")) == (characters, units)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_breach_has_its_sentence(language: str) -> None:
    source = Path("src/nanoclaw/context/adaptor_check.py").read_text()
    named = set(re.findall(r'key="([a-z-]+)"', source)) | {
        "head-unclosed", "head-not-yaml", "head-no-keys",
        "too-few-items", "too-many-items", "too-few-hashtags", "too-many-hashtags",
    }  # fmt: skip
    assert {f"violation-{key}" for key in named} == {
        key for key in entries(language) if key.startswith("violation-")
    }
    violation = Violation(rule="r", key="too-long", values={"part": "subject", "count": 73, "most": 60})
    sentence = say(language, f"violation-{violation.key}", **violation.values)
    assert all(word in sentence for word in ("subject", "73", "60"))


@pytest.mark.parametrize("model", [Rules, TextPart, Bounds, Hashtags, FirstLine, Heading, Timestamps])
def test_every_rule_is_explained_on_the_page(model: type[Rules]) -> None:
    page = PAGE.read_text()
    for name in model.model_fields:
        assert f"`{name}`" in page, name
