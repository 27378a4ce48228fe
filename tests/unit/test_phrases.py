"""What people say when they mean a pipeline."""

import pytest

from nanoclaw.domain.pipelines import Template
from nanoclaw.pipelines.phrases import Meant, is_vague, meant_by

ARTICLE = Template(name="article", title="Article", steps=(), phrases=("write an article", "напиши статтю"))
NEWS = Template(
    name="news", title="News", steps=(), phrases=("write an article for the news", "please report")
)
OTHER = Template(name="other", title="Other", steps=(), phrases=("Write an article",))


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("write an article about AI in marketing", "AI in marketing"),
        ("Write an  article: AI in marketing.", "AI in marketing"),
        ("Please, WRITE AN ARTICLE on tea, please!", "tea"),
        ("@helper_bot write an article about tea", "tea"),
        ("Напиши статтю про каву у Львові", "про каву у Львові"),
        ("будь ласка, напиши статтю на тему «Чай»", "«Чай»"),
        ("write an article once a week", "once a week"),
        ("write an article about it's a long way\nto Tipperary", "it's a long way\nto Tipperary"),
        ("write an article", ""),
        ("Напиши статтю про", ""),
    ],
)
def test_a_phrase_begins_the_message_and_the_rest_is_the_subject(said: str, subject: str) -> None:
    assert meant_by(said, [ARTICLE, NEWS]) == Meant(templates=(ARTICLE,), subject=subject)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Do not write an article about tea",
        '"write an article" is what I said',
        "write an articles",
        "write. An article",
        "rewrite an article about tea",
        "Учора я напиши статтю",
    ],
)
def test_other_words_mean_no_pipeline(said: str) -> None:
    assert meant_by(said, [ARTICLE, NEWS]) is None


def test_the_longest_phrase_wins_and_of_two_alike_nobody_guesses() -> None:
    longest = meant_by("write an article for the news about tea", [ARTICLE, NEWS])
    assert longest == Meant(templates=(NEWS,), subject="tea")
    both = meant_by("write an article about tea", [ARTICLE, OTHER])
    assert both == Meant(templates=(ARTICLE, OTHER), subject="tea")
    polite = meant_by("please report tea prices", [NEWS])
    assert polite == Meant(templates=(NEWS,), subject="tea prices")


def test_a_subject_that_only_points_at_something_is_vague() -> None:
    assert [is_vague(each) for each in ("this", "про це", "the same", "the tea", "AI")] == [
        True,
        True,
        True,
        False,
        False,
    ]
