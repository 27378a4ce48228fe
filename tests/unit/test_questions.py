"""A request to people as it was written becomes a question that can be asked, or tells the agent what to change."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.question_requests import LAYOUTS, Harmless, read_wanted
from nanoclaw.domain.questions import (
    KINDS,
    NewQuestion,
    Option,
    Question,
    QuestionKind,
    Risk,
    Status,
    hash_of,
)
from nanoclaw.domain.tool_arguments import RequestHuman, WantedOption
from nanoclaw.domain.tool_requests import BadToolRequest, understand
from nanoclaw.durable.questions import new_question_id
from nanoclaw.flows.human.answer_text import option_meant, option_named, reminded
from nanoclaw.flows.human.card_text import card, ending, reminder

pytestmark = pytest.mark.capability("E1", "E2")

ASKED_ID = "0123456789abcdef" * 2
HOUR = timedelta(hours=1)
AT = datetime(2026, 3, 2, 14, 0, tzinfo=UTC)


def a_question(**changes: Any) -> Question:
    """An open approval that was asked at 14:00 and has an hour."""
    wanted = changes.pop("wanted", None) or wants(question="Deploy?")
    payload = wanted.payload()
    values = {
        "id": new_question_id(),
        "execution_id": "t_1",
        "kind": wanted.kind,
        "prompt": wanted.prompt,
        "options": wanted.options,
        "status": Status.PENDING,
        "session_id": SessionId("s_1"),
        "asked_id": ASKED_ID,
        "group": "main",
        "company": "demo",
        "skill": wanted.skill,
        "risk": wanted.risk,
        "default": wanted.default,
        "context": wanted.context,
        "deciders": wanted.deciders,
        "votes": 1,
        "tool": wanted.tool,
        "payload": payload,
        "payload_hash": hash_of(payload),
        "created_at": AT,
        "deadline_at": AT + wanted.timeout,
        "reminded": 0,
    }
    empty = (
        *("response", "resolved_at", "document", "made_by", "decided_by", "decided_name", "via"),
        *("waiter", "carried_at", "recorded_at", "repeats"),
    )
    every: dict[str, Any] = dict.fromkeys(empty) | values | changes
    return Question(**every)


def wants(**arguments: Any) -> NewQuestion:
    """As the tool is called."""
    body = {"id": ASKED_ID, "tool": "request_human", "arguments": arguments}
    asking = understand(RequestKind.HITL, ASKED_ID, SessionId("s_1"), body)
    return read_wanted(asking.given(RequestHuman), usual_timeout=HOUR)


def dropped(**body: Any) -> NewQuestion:
    """As a script writes it into a file, in the older form."""
    asking = understand(RequestKind.HITL, ASKED_ID, SessionId("s_1"), {"request_id": ASKED_ID, **body})
    return read_wanted(asking.given(RequestHuman), usual_timeout=HOUR)


def option(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "label": name.title(), **more}


YES_NO = [option("yes"), option("no")]


class TestKinds:
    @pytest.mark.parametrize(
        ("arguments", "kind", "options"),
        [
            ({}, QuestionKind.APPROVAL, ["approve", "reject"]),
            ({"options": YES_NO}, QuestionKind.CHOICE, ["yes", "no"]),
            ({"kind": "approval"}, QuestionKind.APPROVAL, ["approve", "reject"]),
            ({"kind": "approval", "options": YES_NO}, QuestionKind.APPROVAL, ["yes", "no"]),
            ({"kind": "choice", "options": YES_NO}, QuestionKind.CHOICE, ["yes", "no"]),
            ({"kind": "choice", "layout": "quality_gate"}, QuestionKind.CHOICE, list("abcd")),
            ({"kind": "input"}, QuestionKind.INPUT, []),
            ({"kind": "input", "options": YES_NO}, QuestionKind.INPUT, ["yes", "no"]),
            ({"kind": "review", "document": "a.md"}, QuestionKind.REVIEW, ["approve", "reject"]),
            ({"kind": "escalation"}, QuestionKind.ESCALATION, []),
        ],
    )
    def test_each_offers_what_it_is_usually_answered_with(
        self, arguments: dict[str, Any], kind: QuestionKind, options: list[str]
    ) -> None:
        wanted = wants(question="Which?", **arguments)
        assert wanted.kind is kind
        expected = [each.id for each in LAYOUTS["quality_gate"]] if options == list("abcd") else options
        assert [each.id for each in wanted.options] == expected

    def test_words_are_taken_where_a_button_cannot_say_it(self) -> None:
        assert [kind.word for kind in QuestionKind if kind.takes_words] == [
            *("input", "review", "escalation", "interactive_session")
        ]

    def test_requests_name_them_as_people_do_and_rows_as_the_data_model_does(self) -> None:
        assert {word: kind.value for word, kind in KINDS.items()} == {
            "approval": "confirmation",
            "choice": "select",
            "input": "input",
            "review": "review",
            "escalation": "escalation",
            "interactive_session": "interactive_session",
        }

    def test_an_interactive_session_is_not_opened_by_a_question(self) -> None:
        with pytest.raises(
            BadToolRequest, match="must be one of approval, choice, input, review, escalation"
        ):
            wants(question="?", kind="interactive_session")


class TestLayouts:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_each_of_the_four_can_be_asked_with_one_word(self, layout: str) -> None:
        wanted = wants(question="Ready?", layout=layout)
        assert wanted.options == LAYOUTS[layout]
        assert wanted.kind is QuestionKind.APPROVAL

    def test_a_schedule_takes_the_times_of_the_request_between_now_and_another(self) -> None:
        times = [option("eight", label="8:00"), option("nine", label="9:00")]
        wanted = wants(question="When?", layout="schedule_choice", options=times)
        assert [each.id for each in wanted.options] == ["now", "eight", "nine", "custom"]

    @pytest.mark.parametrize(
        ("layout", "default"),
        [
            ("approve_reject", "reject"),
            ("quality_gate", "reject"),
            ("budget_confirm", "cancel"),
            ("schedule_choice", None),
        ],
    )
    def test_when_nobody_answers_the_harmless_choice_is_taken_if_there_is_one(
        self, layout: str, default: str | None
    ) -> None:
        assert wants(question="Ready?", layout=layout).default == default


class TestOlderForm:
    def test_a_file_of_the_older_form_asks_the_same(self) -> None:
        old = dropped(
            type="hitl_request",
            prompt="Deploy?",
            options=[option("approve", is_default=False), option("cancel", is_default=True)],
            timeout_minutes=15,
            context={"branch": "main"},
        )
        new = wants(
            kind="choice",
            question="Deploy?",
            options=[option("approve"), option("cancel")],
            default_action="cancel",
            timeout_minutes=15,
            context={"branch": "main"},
        )
        assert old == new
        assert old.default == "cancel"

    def test_its_type_may_be_the_kind(self) -> None:
        assert dropped(type="input", prompt="Which name?").kind is QuestionKind.INPUT

    def test_its_safe_default_is_the_default(self) -> None:
        wanted = dropped(type="hitl_request", prompt="Delete?", options=YES_NO, safe_default="no")
        assert wanted.default == "no"

    def test_what_is_named_in_both_ways_keeps_todays_name(self) -> None:
        assert dropped(prompt="old words", question="new words").prompt == "new words"


@pytest.mark.capability("E6")
class TestDefaults:
    DELETE = option("delete"), option("keep")
    OWNERS = Harmless(safe={"keep": "Keep all"}, draft={"draft": "Save as a draft"})

    @pytest.mark.parametrize(
        ("risk", "named", "default"),
        [
            ("destructive", None, "cancel"),
            ("destructive", "cancel", "cancel"),
            ("publish", None, "cancel"),
            ("normal", "delete", "delete"),
            ("normal", None, None),
        ],
    )
    def test_what_happens_when_nobody_answers(
        self, risk: str, named: str | None, default: str | None
    ) -> None:
        given = {"default_action": named} if named else {}
        wanted = wants(question="?", options=list(self.DELETE), risk=risk, **given)
        assert (wanted.risk, wanted.default) == (Risk(risk), default)
        added = [each for each in wanted.options if each.id == "cancel"]
        assert [(each.safe, each.draft, each.label) for each in added] == [(True, True, "")] * (
            risk != "normal"
        )

    @pytest.mark.attack
    @pytest.mark.parametrize("risk", ["destructive", "publish"])
    def test_whoever_asks_can_mark_nothing_as_harmless(self, risk: str) -> None:
        marked = [option("delete", safe=True, draft=True), option("keep", safe=True)]
        assert [
            each.safe or each.draft for each in wants(question="?", options=marked, risk=risk).options
        ] == [
            *(False, False),
            True,  # the host's own
        ]
        with pytest.raises(BadToolRequest, match="only what surely does no harm may be done: `cancel`"):
            wants(question="?", options=list(self.DELETE), risk=risk, default_action="keep")
        # What it calls `cancel` becomes the host's own, with the host's words.
        named_so = [option("delete"), {"id": "cancel", "label": "Go", "description": "deletes all"}]
        wanted = wants(question="?", options=named_so, risk=risk)
        assert [(each.id, each.label, each.description, each.safe) for each in wanted.options][1:] == [
            ("cancel", "", "", True)
        ]

    @pytest.mark.parametrize(
        ("risk", "named", "marks"),
        [("destructive", "keep", (True, False)), ("publish", "draft", (False, True))],
    )
    def test_the_owners_rules_may_name_more_in_their_own_words(
        self, risk: str, named: str, marks: tuple[bool, bool]
    ) -> None:
        options = [WantedOption(**option("delete")), WantedOption(**option(named))]
        wanted = RequestHuman(question="?", options=options, risk=Risk(risk), default_action=named)
        known = read_wanted(wanted, usual_timeout=timedelta(hours=1), harmless=self.OWNERS)
        found = next(each for each in known.options if each.id == named)
        assert (known.default, (found.safe, found.draft)) == (named, marks)
        assert found.label == {"keep": "Keep all", "draft": "Save as a draft"}[named]

    def test_a_default_that_is_no_option_is_refused(self) -> None:
        with pytest.raises(BadToolRequest, match="`maybe`, which is no option"):
            wants(question="?", options=YES_NO, default_action="maybe")

    def test_two_defaults_are_refused(self) -> None:
        both = [option("yes", is_default=True), option("no", is_default=True)]
        with pytest.raises(BadToolRequest, match="More than one option is the default"):
            wants(question="?", options=both)
        with pytest.raises(BadToolRequest, match="More than one option is the default"):
            wants(question="?", options=[option("yes", is_default=True), option("no")], default_action="no")

    def test_a_question_without_options_has_no_default(self) -> None:
        assert wants(question="Which name?", kind="input", risk="destructive").default is None
        with pytest.raises(BadToolRequest, match="leave `default_action` out"):
            wants(question="Which name?", kind="input", default_action="Acme")


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"options": [option(f"o{n}") for n in range(12)]}, "has 12 entries; at most 8 are allowed"),
            ({"options": [option("yes", label="x" * 300), option("no")]}, "has 300 characters; at most 20"),
            ({"options": [option("x" * 300), option("no")]}, "`arguments.options[0].id` has 300 characters"),
            ({"options": [option("yes"), {"id": "no"}]}, "`arguments.options[1].label` is missing"),
            ({"options": [option("yes"), option("yes", label="Really")]}, "Two options have the id `yes`"),
            (
                {"options": [option("yes", label="Go"), option("no", label="Go")]},
                "Two options have the label `Go`",
            ),
            ({"options": [option("yes"), option("\u200b", label="x")]}, "An option has an empty id or label"),
            (
                {"options": [option("yes"), option("no", label="\u200b")]},
                "An option has an empty id or label",
            ),
            (
                {"options": [option("yes")], "kind": "choice"},
                "A choice needs at least two `options`",
            ),
            ({"kind": "choice"}, "A choice needs at least two `options`"),
            ({"kind": "review"}, "A review needs `document`"),
            ({"question": ""}, "`arguments.question` is empty"),
            ({"question": " \n\u200b "}, "`question` is empty"),
            ({"question": "x" * 4001}, "has 4001 characters; at most 4000"),
            ({"options": YES_NO, "default_action": "maybe"}, "`maybe`, which is no option"),
            ({"timeout_minutes": 0}, "`arguments.timeout_minutes` is 0; it must be from 1 to 10080"),
            ({"timeout_minutes": 365 * 24 * 60}, "it must be from 1 to 10080"),
            ({"timeout_minutes": "soon"}, "must be a whole number"),
            ({"timeout_minutes": True}, "must be a whole number"),
            ({"context": "x" * 1_000_000}, "has 1000000 characters; at most 20000"),
            ({"context": {"log": "x" * 1_000_000}}, "at most 20000 are allowed"),
            ({"layout": "yes_no"}, "must be one of approve_reject, schedule_choice"),
            ({"risk": "huge"}, "must be one of normal, publish, destructive"),
            ({"votes": 0}, "it must be from 1 to 5"),
            ({"urgent": True}, "has no `urgent`"),
            (
                {"layout": "schedule_choice", "options": [option("now"), option("later")]},
                "Two options have the id `now`",
            ),
        ],
    )
    def test_it_is_not_asked_and_the_agent_is_told_what_to_change(
        self, arguments: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(BadToolRequest) as refused:
            wants(**{"question": "Deploy?", **arguments})
        assert said in str(refused.value)
        assert len(str(refused.value)) < 1000

    def test_all_faults_are_told_at_once(self) -> None:
        twice = [option("yes"), option("yes")]
        with pytest.raises(BadToolRequest) as refused:
            wants(question="\u200b", kind="review", options=twice)
        for said in ("the id `yes`", "the label `Yes`", "`document`", "`question` is empty"):
            assert said in str(refused.value)

    def test_what_no_database_takes_is_replaced_before_it_is_stored(self) -> None:
        dirty = "a\x00b\x1bc\ud800d"
        wanted = wants(
            question=dirty,
            options=[option("yes", description=dirty), option("no")],
            context={dirty: [dirty]},
        )
        assert isinstance(wanted.context, dict)
        ((key, (value,)),) = wanted.context.items()
        for text in (wanted.prompt, wanted.options[0].description, key, value):
            assert not set("\x00\x1b\ud800") & set(text)
        wanted.payload().encode()

    @given(st.floats(allow_nan=True, allow_infinity=True))
    def test_a_number_that_is_none_in_context_does_no_harm(self, number: float) -> None:
        """A model can write it; a database that checks JSON would refuse the row."""
        try:
            payload = wants(question="?", context={"number": number}).payload()
        except BadToolRequest:
            return
        assert "NaN" not in payload
        assert "Infinity" not in payload


class TestTime:
    def test_it_is_what_the_request_says_else_the_usual(self) -> None:
        assert wants(question="?", timeout_minutes=15).timeout == timedelta(minutes=15)
        assert wants(question="?").timeout == HOUR


@pytest.mark.capability("E9")
class TestPayload:
    def test_it_is_exactly_what_people_decide_on(self) -> None:
        asked = {"question": "Deploy?", "options": YES_NO, "context": {"b": 1, "a": [2]}, "votes": 2}
        assert wants(**asked).payload() == wants(**dict(reversed(asked.items()))).payload()
        for change in ({"question": "Deploy!"}, {"context": {"b": 1}}, {"votes": 1}, {"risk": "normal"}):
            same = change == {"risk": "normal"}
            assert (wants(**asked).payload() == wants(**{**asked, **change}).payload()) is same

    def test_a_document_is_part_of_it_by_what_is_in_it(self) -> None:
        wanted = wants(question="Good?", kind="review", document="a.md")
        assert wanted.payload("1" * 64) != wanted.payload("2" * 64)


IDS = st.text(min_size=1, max_size=40).filter(lambda text: text.strip() and text.isprintable())
CLASHES = st.sampled_from(["~0", "~1", "~2", "~again", "1", "2", "0", "a:b", ":", "~", "yes", "YES"])


@pytest.mark.capability("E3")
class TestButtons:
    @given(st.lists(IDS | CLASHES, min_size=1, max_size=8, unique_by=lambda name: name.strip()))
    def test_every_button_fits_and_means_its_own_option(self, ids: list[str]) -> None:
        asked = a_question(options=tuple(Option(id=name.strip(), label=f"Label {name}") for name in ids))
        for each in asked.options:
            data = asked.button_data(each)
            assert len(data.encode()) <= 64
            prefix, question_id, choice = data.split(":", 2)
            assert (prefix, question_id) == ("hitl", asked.id)
            assert asked.option_of(choice) is each
            assert data != asked.again_data

    def test_an_id_that_fits_is_on_the_button(self) -> None:
        asked = a_question()
        assert [asked.button_data(each) for each in asked.options] == [
            f"hitl:{asked.id}:approve",
            f"hitl:{asked.id}:reject",
        ]

    def test_asking_again_fits_too(self) -> None:
        assert len(a_question().again_data.encode()) <= 64


class TestChoices:
    ASKED = a_question(
        options=(
            Option(id="yes", label="Go ahead"),
            Option(id="2", label="Wait"),
            Option(id="no", label="Stop"),
        )
    )

    @pytest.mark.parametrize(
        ("choice", "found"),
        [
            *(
                ("yes", "yes"),
                ("1", "yes"),
                ("~0", "yes"),
                ("2", "2"),
                ("~1", "2"),
                ("3", "no"),
                ("~2", "no"),
            ),
            *(
                ("4", None),
                ("0", None),
                ("~3", None),
                ("~", None),
                ("", None),
                ("maybe", None),
                ("~yes", None),
            ),
            *(("-1", None), ("~-1", None), ("\u0661", None), ("9" * 5000, None), ("~" + "9" * 5000, None)),
        ],
    )
    def test_one_is_found_by_id_or_by_place(self, choice: str, found: str | None) -> None:
        option = self.ASKED.option_of(choice)
        assert (option.id if option else None) == found

    def test_nothing_is_chosen_of_a_question_without_options(self) -> None:
        assert a_question(options=()).option_of("1") is None
        assert option_meant(a_question(options=()), "1") is None


class TestMeant:
    """What people write or say instead of pressing."""

    @pytest.mark.parametrize(
        ("choice", "found"),
        [
            *(("approve", "approve"), ("APPROVE", "approve"), (" ✅ Approve ", "approve"), ("1", "approve")),
            *(("Відхилити", "reject"), ("reject!", "reject"), ("2", "reject")),
            *(("✅", None), ("", None), (" ", None), ("~7", None), ("3", None), ("app", None)),
        ],
    )
    def test_a_choice_of_ours_is_known_in_every_language_with_or_without_its_picture(
        self, choice: str, found: str | None
    ) -> None:
        option = option_meant(a_question(), choice)
        assert (option.id if option else None) == found

    @pytest.mark.parametrize(
        ("labels", "choice", "found"),
        [
            (("C", "C++"), "C++", "C++"),
            (("C", "C++"), "c", "C"),
            (("+1", "-1"), "-1", "-1"),
            (("Yes", "Yes!"), "yes!", "Yes!"),
            (("Yes.", "Yes!"), "yes", None),  # it could be either: nobody guesses
            (("7", "8"), "~7", None),
        ],
    )
    def test_labels_that_are_alike_are_told_apart(
        self, labels: tuple[str, ...], choice: str, found: str | None
    ) -> None:
        asked = a_question(
            options=tuple(Option(id=f"option-{n}", label=each) for n, each in enumerate(labels))
        )
        option = option_meant(asked, choice)
        assert (option.label if option else None) == found

    @pytest.mark.parametrize(
        ("choice", "found"), [("3", "three"), ("1", "one"), ("2", "five"), ("~2", "one"), ("five", "five")]
    )
    def test_a_number_is_the_choice_that_is_called_so_and_else_its_place(
        self, choice: str, found: str
    ) -> None:
        """How many posts? Whoever writes 3 does not mean the third choice, which is 1."""
        numbers = {"three": "3", "five": "5", "one": "1"}
        asked = a_question(options=tuple(Option(id=name, label=label) for name, label in numbers.items()))
        option = option_meant(asked, choice)
        assert option
        assert option.id == found

    @pytest.mark.parametrize(
        ("said", "found"),
        [("Approve", "approve"), ("✅ approve", "approve"), ("❌ Відхилити", "reject"), ("reject", "reject")],
    )
    def test_where_words_are_wanted_a_whole_label_is_one(self, said: str, found: str) -> None:
        option = option_named(a_question(), said)
        assert option
        assert option.id == found

    @pytest.mark.parametrize("said", ["1", "2", "~0", "approve!", "Approve it", ""])
    def test_where_words_are_wanted_a_number_or_part_of_a_label_is_words(self, said: str) -> None:
        assert option_named(a_question(), said) is None


@pytest.mark.capability("E5", "E12")
class TestWords:
    ENGLISH, UKRAINIAN = (Locale(language=language, timezone="UTC") for language in ("en", "uk"))
    TOOL = a_question(tool={"tool": "bash", "shown": "command: rm x", "arguments": '{"command": "rm x"}'})

    def test_a_reminder_of_a_tool_shows_its_arguments(self) -> None:
        assert "```\ncommand: rm x\n```" in reminder(self.TOOL, self.ENGLISH, last=False, at=AT)

    def test_an_agent_is_told_the_arguments_for_which_it_asked(self) -> None:
        assert 'The arguments: {"command": "rm x"}\n' in reminded(self.TOOL, self.ENGLISH)
        assert "arguments" not in reminded(a_question(), self.ENGLISH)

    def test_the_last_reminder_promises_no_choice_where_there_is_no_default(self) -> None:
        at, nothing = AT + timedelta(minutes=59), a_question(default=None)
        assert "The time is over in 1 min." in reminder(nothing, self.ENGLISH, last=True, at=at)
        assert "Час спливає через 1 хв" in reminder(nothing, self.UKRAINIAN, last=True, at=at)
        assert "Automatic choice in 1 min." in reminder(self.TOOL, self.ENGLISH, last=True, at=at)

    def test_what_came_to_nothing_was_not_taken_back(self) -> None:
        failed = a_question(status=Status.FAILED, resolved_at=AT)
        assert "Came to nothing at 14:00" in ending(failed, self.ENGLISH)
        assert "Ні до чого не привело" in ending(failed, self.UKRAINIAN)

    @pytest.mark.parametrize(
        ("language", "left", "whole"), [("en", "in 10 min (", "60 min"), ("uk", "через 10 хв (", "60 хв")]
    )
    @pytest.mark.parametrize("last", [False, True])
    def test_a_reminder_tells_how_much_time_is_left_and_not_how_much_there_was(
        self, language: str, left: str, whole: str, *, last: bool
    ) -> None:
        locale, at = Locale(language=language, timezone="UTC"), AT + timedelta(minutes=50)
        assert whole in card(self.TOOL, locale)
        said = reminder(self.TOOL, locale, last=last, at=at)
        assert left in said
        assert whole not in said

    @pytest.mark.capability("E3", "E8")
    @pytest.mark.parametrize(
        ("language", "own_words", "next_message"),
        [
            ("en", "in your own words", "next message here"),
            ("uk", "своїми словами", "наступним повідомленням"),
        ],
    )
    def test_a_card_asks_for_words_only_where_and_how_they_are_taken(
        self, language: str, own_words: str, next_message: str
    ) -> None:
        """The next message answers an input alone; where several have to agree, words cannot be counted."""
        locale = Locale(language=language, timezone="UTC")

        def asks(kind: QuestionKind, **more: Any) -> tuple[bool, bool]:
            said = card(a_question(kind=kind, **more), locale)
            return own_words in said, next_message in said

        assert asks(QuestionKind.INPUT) == (True, True)
        for kind in (QuestionKind.REVIEW, QuestionKind.ESCALATION):
            assert asks(kind) == (True, False)
            assert asks(kind, votes=2) == (False, False)
            assert asks(kind, status=Status.CANCELLED, resolved_at=AT) == (False, False)
        for kind in (QuestionKind.APPROVAL, QuestionKind.INTERACTIVE):  # words end no session
            assert asks(kind) == (False, False)
