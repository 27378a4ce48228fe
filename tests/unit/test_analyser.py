"""Forms of one word meet, in both languages; names, numbers and code words are found as they are written."""

import subprocess
import sys

import pytest

from nanoclaw.memory.analyser import analyse, speaker_of
from nanoclaw.memory.dates import dates_in, moment_of
from nanoclaw.memory.expansion import query_terms
from nanoclaw.memory.word_lists import translations


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prices", "price"),
        ("went", "go"),
        ("she bought", "buying"),
        ("children", "kids"),
        ("ціна", "ціною"),
        ("ціни", "цінам"),
        ("поїхала", "поїхати"),
        ("м'яч", "м’ячем"),
        ("сімʼя", "сім'ї"),
        ("Оксаною", "Оксана"),
        ("дашборду", "дашбордом"),
        ("нанокла", "наноклу"),  # in no dictionary
        ("e-mail", "email"),
        ("GPT-4", "gpt4"),
        ("Anna's", "Anna"),
        ("1,240", "1 240"),
        ("1.240,50", "1240.50"),
        ("$490", "490"),
        ("28.02.2026", "2026-02-28"),
        ("ﬁle", "file"),
    ],
)
def test_what_means_the_same_meets(one: str, other: str) -> None:
    assert set(analyse(one)) & set(analyse(other)), (analyse(one), analyse(other))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("node_modules", {"nodemodules", "node", "modul"}),
        ("anna@example.com", {"anna@example.com", "anna"}),
        ("3.5%", {"3.5", "3.5%"}),
        ("C++ and C#", {"c++", "c#"}),
        ("NanoClaw", {"nanoclaw", "nano", "claw"}),
        ("context/product/pricing.md", {"context", "product", "price"}),
        ("10:30", {"10:30"}),
    ],
)
def test_what_is_made_of_parts_is_found_whole_and_by_its_parts(text: str, terms: set[str]) -> None:
    assert terms <= set(analyse(text))


def test_words_that_say_nothing_are_left_out() -> None:
    assert analyse("What did you do with the, and why? Що це таке і для чого воно?") == []
    assert analyse("") == []
    assert analyse("x" * 5000) == []


def test_no_term_has_a_space_or_a_quote_that_a_database_would_read() -> None:
    hostile = "a'b \"c\" d\\e f;g (h) {i} [j] | & ! ~ NEAR( * ^ : - 'x' ''' \x00 \u202e 😀 ½ Ⅷ ﷺ ا‎ب"
    for term in [*analyse(hostile), *(each.text for each in query_terms(hostile))]:
        assert not set(term) & set(" '\"\\()"), term


def test_a_question_is_also_asked_in_the_other_language() -> None:
    asked = {each.text: each for each in query_terms("ціна доставки")}
    assert asked["price"].word == asked["ціна"].word
    assert asked["price"].weight < asked["ціна"].weight
    assert {"deliveri", "ship"} <= asked.keys()
    assert "ціна" in {each.text for each in query_terms("What is the price?")}


def test_ukrainian_words_of_the_list_are_dictionary_forms() -> None:
    """So that they are found without the dictionary. A few share their form with another word."""
    words = [word for ukrainian, _ in translations() for word in ukrainian]
    strange = [word for word in words if analyse(word) and word.replace("'", "") not in analyse(word)]
    assert len(words) > 500
    assert len(strange) <= 3, strange


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("відправлення", "відправляти"),
        ("відправити", "відправлення"),
        ("доставка", "доставляти"),
        ("оплатити", "оплачувати"),
        ("підтверджувати", "підтвердження"),
        ("планування", "планувати"),
    ],
)
def test_a_question_is_also_asked_with_other_words_of_the_same_family(asked: str, said: str) -> None:
    weights = {term.text: term.weight for term in query_terms(asked)}
    assert weights[said] < weights[asked]
    assert analyse(said) == [said]  # what is kept stays as it was said


def test_who_speaks_is_known() -> None:
    assert speaker_of("Anna: I went home") == "@anna"
    assert speaker_of("price: 490") is None
    assert speaker_of("No speaker here") is None


def test_dates_in_peoples_words() -> None:
    said = moment_of("1:56 pm on 8 May, 2023")
    assert said is not None
    assert said.isoformat() == "2023-05-08T13:56:00+00:00"
    for question in ("in May 2023", "on 8 May", "May 8, 2023", "8 травня", "in 2023", "08.05.2023"):
        holds = dates_in(question)
        assert holds is not None
        assert holds(said), question
    assert dates_in("I may come") is None
    assert moment_of("some day") is None


def test_english_needs_no_ukrainian_dictionary() -> None:
    """It takes 25 MiB: hosts that never see Ukrainian do not load it."""
    code = (
        "import sys; from nanoclaw.memory.analyser import analyse; from nanoclaw.memory.expansion import query_terms; "
        "analyse('The prices'); query_terms('What is the price?'); sys.exit('pymorphy3' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
