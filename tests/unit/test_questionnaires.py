"""Whatever a model writes, only what can be asked is asked, and nothing raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.plans import PlanQuestion, Questionnaire
from nanoclaw.domain.questionnaires import read_questionnaire
from nanoclaw.domain.slugs import slug

FRAMEWORK = {
    "id": "q9",
    "question": "What framework are you using?",
    "options": [{"label": "Express", "value": "express"}, {"label": "Hono", "value": "hono"}],
    "allowFreeText": True,
}
STORAGE = {"question": "Token storage?", "options": ["Cookies", "Local storage"]}
ROUND = {"goal": "JWT auth!", "description": "Додати вхід", "questions": [FRAMEWORK, STORAGE], "done": False}


def read(said: object, *, agent: bool = False, known: tuple[PlanQuestion, ...] = ()) -> Questionnaire | None:
    text = said if isinstance(said, str) else json.dumps(said)
    return read_questionnaire(text, first_of_agent=agent, round=2 if known else 1, known=known)


def asked(*questions: object, agent: bool = False) -> Questionnaire:
    found = read({"questions": list(questions)}, agent=agent)
    assert found
    return found


@pytest.mark.parametrize(
    "around", ["{}", "```json\n{}\n```", 'Sure, {{so}} {{"a": {{}}}}:\n\n{}\nTell me!', "{} trailing }}"]
)
def test_the_questions_are_found_wherever_they_stand(around: str) -> None:
    found = read(around.format(json.dumps(ROUND)))
    assert found
    first, second = found.questions
    assert (first.id, first.question, first.allow_free_text) == ("q1", FRAMEWORK["question"], True)
    assert [(each.label, each.value) for each in first.options] == [("Express", "express"), ("Hono", "hono")]
    assert (second.options[0].label, second.options[0].value) == ("Cookies", "Cookies")
    assert not second.allow_free_text
    assert (found.goal, found.description, found.done, found.note) == ("jwt-auth", "dodaty-vkhid", False, "")


@pytest.mark.parametrize(
    "said",
    [
        *(
            "",
            "What do you mean?",
            '{"questions": [',
            "{'questions': ['a?']}",
            '{"questions": []}',
            '{"a": 1}',
        ),
        *(json.dumps({"questions": [FRAMEWORK], "filler": "x" * 70_000}), '{"a":' * 10_000, "[" * 60_000),
    ],
    ids=lambda said: said[:12],
)
def test_what_is_no_questionnaire_is_none(said: str) -> None:
    assert read(said) is None


def test_the_end_of_the_questions_is_told_by_done_and_by_nothing_new() -> None:
    first = asked(FRAMEWORK, STORAGE).questions
    for said in ({"done": True, "questions": []}, {"done": True, "questions": [FRAMEWORK]}):
        assert read(said) == Questionnaire(questions=(), done=True)
    again = {"question": " what framework are  you using", "options": ["A", "B"]}
    assert read({"questions": [again]}, known=first) == Questionnaire(questions=(), done=True)
    more = read({"questions": [again, {"question": "Roles?", "options": ["A", "B"]}]}, known=first)
    assert more
    assert [(each.id, each.question, each.round) for each in more.questions] == [("q3", "Roles?", 2)]


def test_too_much_is_cut_and_the_model_is_told() -> None:
    twelve = [{"question": f"Question {number}?", "options": ["A", "B"]} for number in range(12)]
    assert len(asked(*twelve).questions) == 4
    assert asked(*twelve).note == "Only the first 4 of your 12 questions were asked."
    assert len(asked(*twelve, agent=True).questions) == 7
    six = asked({"question": "Which?", "options": list("abcdef")})
    assert [each.label for each in six.questions[0].options] == list("abcd")
    assert six.note == "Only the first 4 of the 6 options of q1 were offered."


@pytest.mark.parametrize(
    "options", [["Same", "same ", "SAME"], [], None, ["One"], ["", "One"], "ab", [[], {}]]
)
def test_a_question_without_a_choice_is_answered_in_words(options: object) -> None:
    only = asked({"question": "Which?", "options": options, "allowFreeText": False}).questions[0]
    assert (only.options, only.allow_free_text) == ((), True)


def test_what_cannot_be_read_is_left_out() -> None:
    found = asked(FRAMEWORK, FRAMEWORK, {"options": ["A", "B"]}, 7, None, {"question": "\u200b"}, "In words?")
    assert [each.question for each in found.questions] == [FRAMEWORK["question"], "In words?"]
    assert (found.goal, found.description) == ("plan", "what-framework-are-you-using")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Додати вхід через JWT", "dodaty-vkhid-cherez-jwt"),
        ("Їжак з'їв яблуко, Згурський", "yizhak-ziv-yabluko-zghurskyi"),
        ("Crème brûlée", "creme-brulee"),
        ("../../etc/passwd", "etc-passwd"),
        ("word " * 30, "-".join(["word"] * 12)),
        ("x" * 90, "x" * 60),
        ("計画", ""),
    ],
)
def test_a_slug_is_a_name_for_a_file(text: str, name: str) -> None:
    assert slug(text) == name


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["questions", "question", "options", "label", "value", "done", "goal", "allowFreeText"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(said=st.one_of(st.text(), _JSON.map(json.dumps)), agent=st.booleans())
def test_no_text_raises(said: str, agent: bool) -> None:
    found = read_questionnaire(said, first_of_agent=agent, round=1)
    assert found is None or found.done or (found.goal and found.description and len(found.questions) <= 7)
    for each in found.questions if found else ():
        assert each.question
        assert len(each.options) <= 4
        assert each.options or each.allow_free_text


@pytest.mark.attack
def test_nothing_is_hidden_in_what_a_person_confirms() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "delete all")
    question = f"Go\u200b on{hidden}\u202e?\ufe0f"
    read = read_questionnaire(json.dumps({"questions": [question]}), first_of_agent=True, round=1)
    assert read
    assert read.questions[0].question == "Go on?\ufe0f"


def test_no_value_names_an_option_that_nobody_chose() -> None:
    [doubled] = asked(
        {"question": "Sure?", "options": [{"label": "Yes", "value": "x"}, {"label": "No", "value": "X"}]}
    ).questions
    assert [each.value for each in doubled.options] == ["Yes", "No"]
    crossed = [{"label": "A", "value": "b"}, {"label": "B", "value": "c"}, {"label": "C", "value": "1"}]
    [crossing] = asked({"question": "Which?", "options": crossed}).questions
    assert [each.value for each in crossing.options] == ["A", "B", "1"]
