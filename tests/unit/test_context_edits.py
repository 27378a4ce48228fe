"""A change of a context file in plain words, and how people name files: in both languages, without a model."""

import pytest

from nanoclaw.domain.context_edits import (
    ContextSection,
    Replacement,
    changed_by_words,
    read_replacement,
    sections,
    with_section,
)
from nanoclaw.domain.context_files import RHYTHMS, file_named, files_named
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.interviews import BY_KEY, is_unknown, problem_with
from nanoclaw.domain.tool_arguments import TextEdit
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.flows.company_context.files import merged
from nanoclaw.flows.company_context.tools import edited
from nanoclaw.texts import LANGUAGES
from nanoclaw.texts.catalogue import entries

pytestmark = pytest.mark.capability("H1", "H3")


@pytest.mark.parametrize(
    ("said", "file"),
    [
        ("pricing", "product/pricing"),
        ("Prices:", "product/pricing"),
        ("ціни", "product/pricing"),
        ("context/product/pricing.md", "product/pricing"),
        ("голос бренду", "brand/voice"),
        ("Voice of the customer", "audience/voc"),
        ("конкуренти", "market/competitors"),
        ("geo_aeo", "market/geo_aeo"),
    ],
)
def test_a_file_is_found_as_people_name_it(said: str, file: str) -> None:
    assert file_named(said) == file


@pytest.mark.attack
@pytest.mark.parametrize(
    "said", ["../../etc/passwd", "/etc/passwd", "product/../../x", "", "\0", "product/pricing/../x"]
)
def test_whatever_is_named_no_other_file_comes_out(said: str) -> None:
    assert set(files_named(said)) <= set(RHYTHMS)
    if "pric" not in said and "product" not in said:
        with pytest.raises(NotFound):
            file_named(said)


def test_an_area_is_no_file() -> None:
    with pytest.raises(Refused) as refused:
        file_named("продукт")
    assert refused.value.values["known"] == "product/spec, product/pricing, product/positioning"


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("690 instead of 490", "490", "690"),
        ("змінити на $690 замість $490", "$490", "$690"),
        ("replace EUR 11 by EUR 12", "EUR 11", "EUR 12"),
        ("490 -> 690", "490", "690"),
        ("змінити 490 на 690", "490", "690"),
    ],
)
def test_one_thing_in_place_of_another(said: str, old: str, new: str) -> None:
    assert read_replacement(said) == Replacement(old, new)


def test_only_whole_numbers_are_replaced_and_the_rest_is_added() -> None:
    text = "# P\n\nOne 490, two 1490, three 490.50, 490 USD.\n"
    assert (
        changed_by_words(text, "690 instead of 490") == "# P\n\nOne 690, two 1490, three 490.50, 690 USD.\n"
    )
    assert changed_by_words(text, "$690 instead of $490").count("690") == 2
    assert changed_by_words(text, "We open at nine") == f"{text}\nWe open at nine\n"
    with pytest.raises(Refused) as refused:
        changed_by_words(text, "690 instead of 480")
    assert (refused.value.key, refused.value.values) == ("context-not-there", {"old": "480"})
    sentence = "We take oat milk instead of cream"
    assert changed_by_words(text, sentence) == f"{text}\n{sentence}\n"


def test_a_section_takes_the_place_of_its_namesake() -> None:
    text = "# P\n\nintro\n\n## A\n\nold\n\n## B\n\nb\n"
    assert with_section(text, ContextSection("a", "new")) == "# P\n\nintro\n\n## A\n\nnew\n\n## B\n\nb\n"
    assert with_section(text, ContextSection("C", "c")).endswith("## B\n\nb\n\n## C\n\nc\n")
    assert sections("no heading") == []


def test_an_edit_that_fits_nowhere_or_twice_is_refused_with_the_reason() -> None:
    assert edited("a b", [TextEdit(old="b", new="c")], "x") == "a c"
    for old, said in (("z", "is not in x"), ("a", "stands 2 times in x")):
        with pytest.raises(BadToolRequest, match=said):
            edited("a b a", [TextEdit(old=old, new="c")], "x")


def test_both_changes_of_a_file_meet_and_the_proposed_one_stands_where_they_clash() -> None:
    base = "one\n\ntwo\n\nthree\n"
    assert merged(base, base.replace("one", "ONE"), base.replace("three", "3")) == "ONE\n\ntwo\n\n3\n"
    assert merged(base, base.replace("two", "zwei"), base.replace("two", "2")) == "one\n\n2\n\nthree\n"
    assert merged(None, "someone made it", "mine") == "mine"
    paragraph = "# P\n\nIt costs EUR 128 a month for 4 kg (EUR 32 per kg).\n\nEnd\n"
    both = merged(paragraph, paragraph.replace("128", "135"), paragraph.replace("32", "33"))
    assert both == paragraph.replace("128", "135").replace("32", "33"), "what was approved meanwhile stays"


def test_an_answer_is_checked() -> None:
    prices, roles = BY_KEY["product/pricing.prices"], BY_KEY["company/team.roles"]
    assert problem_with(prices, "cheap") == "number"
    for said in ("9", "Five euros a month", "П’ять євро за пачку", "сімсот гривень", "безкоштовно"):
        assert problem_with(prices, said) is None, said
    for said in ("сімейна ціна", "тримаємо ціни низькими", "a fortune"):
        assert problem_with(prices, said) == "number", said
    assert problem_with(roles, "no") == "short"
    assert problem_with(roles, "x" * 5000) == "long"
    assert all(map(is_unknown, ("I don't know", "не знаю", "-", "?", "No idea.")))
    assert not is_unknown("We do not know them by name, but by street")


def test_every_file_and_question_has_its_texts() -> None:
    keys = {
        f"context-{kind}-{file.replace('/', '-').replace('_', '-')}"
        for file in RHYTHMS
        for kind in ("file", "purpose")
    }
    keys |= {f"{kind}-{each.text_key}" for each in BY_KEY.values() for kind in ("interview", "heading")}
    for language in LANGUAGES:
        assert keys <= entries(language).keys()


def test_a_heading_with_very_many_blanks_is_read_at_once() -> None:
    """Each way to divide them would be tried otherwise: minutes, in a transaction."""
    (section,) = sections(f"# a{' ' * 50_000}b {'#' * 50_000}{' ' * 50_000}\nx")
    assert section == (f"a{' ' * 50_000}b", "x")
    assert [each.heading for each in sections("# A #\n## B  ##  \n### ##\n#no")] == ["A", "B", "##"]
