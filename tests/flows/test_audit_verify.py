"""Whether the audit and the companies' decisions are still what was written: `nanoclaw audit verify`."""

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from tests.typed import Printed, typing_in
from tests.unit.test_decision_records import append
from tests.unit.test_questions import wants

from nanoclaw.cli.database import with_store
from nanoclaw.context.groups import Groups
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.questions import PROGRAM, Asker, Question, Status, hash_of
from nanoclaw.durable import decision_records, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.durable.tables import audit, human_interactions
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.host.settings import read_settings

pytestmark = pytest.mark.capability("E9")

T = TypeVar("T")
Ends = Callable[[Resolution, Tx, Question], bool]

OWNER = Actor(
    handle=LOCAL_OWNER,
    name="Owner",
    rights=Rights(everywhere=Role.OWNER),
    via="command line",
    language="en",
)


def decides(chosen: str | None = "approve", said: str | None = None) -> Ends:
    return lambda resolution, tx, asked: resolution.decide(tx, asked, OWNER, now(), chosen=chosen, said=said)


def ask(tx: Tx, name: str, prompt: str) -> Question:
    asker = Asker(session_id=None, execution_id=PROGRAM, asked_id=name, group="main", company="demo")
    questions.open_new(tx, asker, wants(question=prompt), question_id=name, votes=1, at=now())
    asked = questions.get(tx, name)
    assert asked
    return asked


def ask_and_end(tx: Tx, home: Path, name: str, prompt: str, ends: Ends) -> Question:
    """As a host does: the row of a question and that of its end in the audit, in whichever way it ends."""
    asked, cards = ask(tx, name, prompt), QuestionCards(Whereabouts(locale=Locale()), Groups(home))
    assert ends(Resolution(cards, Locale()), tx, asked)
    questions.mark(tx, name, recorded_at=now())
    return questions.get(tx, name) or asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Workspace:
    """Without a host; what is asked in it ends at once."""

    home: Path
    run: Callable[..., Printed]

    @property
    def decisions(self) -> Path:
        return self.home / "companies/demo/memory/decisions.jsonl"

    def stored(self, story: Callable[[Tx], T]) -> T:
        return with_store(self.home, read_settings(self.home), story, write=True)

    def asked(self, name: str, prompt: str = "Deploy?", ends: Ends | None = None) -> Question:
        """Decided, and marked as written down."""
        return self.stored(lambda tx: ask_and_end(tx, self.home, name, prompt, ends or decides()))

    def recorded(self, name: str, prompt: str = "Deploy?", ends: Ends | None = None) -> Question:
        """And its line."""
        append(self.home, asked := self.asked(name, prompt, ends))
        return asked

    def change(self, name: str, **values: object) -> None:
        """In the row of a question, behind the back of the host."""
        changed = sa.update(human_interactions).where(human_interactions.c.id == name).values(**values)
        self.stored(lambda tx: tx.execute(changed))

    def verify(self) -> dict[str, Any]:
        said = self.run("audit", "verify", "--json")
        told: dict[str, Any] = json.loads(said.out)
        assert said.code == (0 if told["ok"] else 1)
        return told

    def faults(self) -> list[tuple[str, str, int, str]]:
        """The faults of the decisions: what, about which question, in which line, and in which of its fields."""
        found = self.verify()["decisions"]
        return [(each["what"], each["question"], each["line"], each["said"]) for each in found]


@pytest.fixture
def workspace(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Workspace:
    typed = typing_in(home, monkeypatch, capfd)
    made = Workspace(home=home, run=lambda *words: asyncio.run(typed(*words)))
    ivan = {"handle": "telegram:2", "name": "Ivan", "role": Role.STRANGER, "username": "ivan"}
    made.stored(lambda tx: people.add_person(tx, **ivan, at=now()))  # type: ignore[arg-type]
    return made


class TestChain:
    def test_a_whole_audit_is_counted_and_its_end_shown(self, workspace: Workspace) -> None:
        run = workspace.run
        empty = run("audit", "verify")
        assert (empty.code, empty.out.splitlines()) == (
            0,
            ["✓ The audit is as it was written: it is empty.", "✓ No question was asked yet."],
        )
        assert run("people", "block", "@ivan").code == 0
        assert run("people", "unblock", "@ivan").code == 0
        workspace.recorded("i_1")
        told = workspace.verify()
        end = workspace.stored(lambda tx: tx.execute(sa.select(audit.c.hash)).scalars().all()[-1])
        assert told == {"ok": True, "rows": 3, "end": end, "fault": None, "questions": 1, "decisions": []}
        assert run("audit", "--json", "verify").json() == told
        shown = run("audit", "verify").out
        assert f"3 rows; the hash of the last: {end}\n✓ One question" in shown
        assert len(run("audit", "--json").json()) == 3
        assert len(run("audit", "--limit", "1").out.splitlines()) == 1

    def test_when_it_is_broken_it_says_at_which_row_and_what_to_do(self, workspace: Workspace) -> None:
        run, stored = workspace.run, workspace.stored
        for word in ("block", "unblock", "block"):
            run("people", word, "@ivan")
        second = audit.c.seq == 2
        stored(lambda tx: tx.execute(sa.update(audit).where(second).values(name="Nobody")))
        said = run("audit", "verify")
        assert said.code == 1
        assert said.out.startswith("✗ Row 2 of the audit (x_")
        assert "one of the two was changed.\n" in said.out
        assert "Go back to a backup with" in said.out
        stored(lambda tx: tx.execute(sa.delete(audit).where(second)))
        assert "✗ Row 2 of the audit is missing.\n" in run("audit", "verify").out
        stored(lambda tx: tx.execute(sa.delete(audit).where(audit.c.seq > 1)))
        fault = workspace.verify()["fault"]
        assert fault["sentence"] == "The end of the audit was cut off: rows 2 to 3 are missing."
        assert (fault["what"], fault["seq"], fault["until"]) == ("cut", 2, 3)


ENDS: dict[str, Ends] = {
    "an option": decides(),
    "words": decides(None, "так, але завтра"),
    "an option and words": decides("reject", "not today"),
    "more words than the audit has": decides(None, "слово " * 100),
    "time-out": lambda resolution, tx, asked: resolution.time_out(tx, asked, now()),
    "taken back": lambda resolution, tx, asked: resolution.cancel(tx, asked, OWNER, now()),
    "concluded": lambda resolution, tx, asked: resolution.conclude(
        tx, asked, OWNER, now(), status=Status.COMPLETED, response={"b": [1.50, "так"], "a": None}, kept={}
    ),
    "concluded with nothing": lambda resolution, tx, asked: resolution.conclude(
        tx, asked, OWNER, now(), status=Status.COMPLETED, response=False, kept={}
    ),
    "failed": lambda resolution, tx, asked: resolution.conclude(
        tx, asked, OWNER, now(), status=Status.FAILED, response=None, kept={"error": "gone"}
    ),
}


class TestDecisions:
    def test_however_a_question_ended_its_line_row_and_audit_agree(self, workspace: Workspace) -> None:
        for number, (end, ends) in enumerate(ENDS.items()):
            workspace.recorded(f"i_{number}", f"Deploy with {end}?", ends)
        told = workspace.verify()
        assert (told["ok"], told["questions"], told["decisions"]) == (True, len(ENDS), [])

    async def test_rows_and_audit_agree_in_every_database(self, home: Path, database_url: str) -> None:
        store = open_store(database_url)
        try:
            for number, ends in enumerate(ENDS.values()):
                await store.write(
                    partial(ask_and_end, home=home, name=f"i_{number}", prompt="Deploy?", ends=ends)
                )
            found = await store.read(lambda tx: list(decision_records.every(tx)))
        finally:
            store.close()
        assert [(each.id, each.genuine, each.chained) for each in found] == [
            (f"i_{number}", True, True) for number in range(len(ENDS))
        ]

    def test_what_differs_from_the_database_is_told(self, workspace: Workspace) -> None:
        """What people wrote between the lines, or in lines of their own, is theirs."""
        workspace.asked("i_1")
        theirs = (
            '# ours\n\n{"type": "note", "id": "i_1"}\n{"type": "hitl"}\n[1]\n' + "[" * 100_000 + "\n\xff\n"
        )
        workspace.decisions.parent.mkdir(exist_ok=True)
        workspace.decisions.write_text(theirs)
        workspace.recorded("i_2", "Спитати?")
        workspace.asked("i_3", "Pay?")
        with workspace.decisions.open("a") as file:
            file.write(json.dumps({"type": "hitl", "id": "i_3", "payload_hash": "0" * 64}) + "\n")
        workspace.recorded("i_4", "Delete?")
        workspace.change("i_4", payload="Delete one?")
        strange = json.dumps({"type": "hitl", "id": "i_elsewhere", "payload_hash": "0" * 64})
        (workspace.home / "companies/other/memory").mkdir(parents=True)
        (workspace.home / "companies/other/memory/decisions.jsonl").write_text(strange)
        assert [fault[:3] for fault in workspace.faults()] == [
            ("line", "i_3", 9),
            ("missing", "i_1", 0),
            ("payload", "i_4", 0),
        ]
        shown = workspace.run("audit", "verify")
        assert shown.code == 1
        assert "✗ Line 9 of companies/demo/memory/decisions.jsonl is about question i_3" in shown.out
        assert "Put the file back from a backup" in shown.out

    def test_a_line_with_another_decision_or_a_second_one_is_told(self, workspace: Workspace) -> None:
        for number in range(1, 4):
            workspace.recorded(f"i_{number}")
        # Decided and written down after the rows were read, which is how a host that runs looks from here.
        going_on = workspace.stored(lambda tx: ask(tx, "i_4", "Deploy?"))
        append(workspace.home, replace(going_on, status=Status.COMPLETED, resolved_at=now()))
        first, second, *rest = workspace.decisions.read_text().splitlines()
        forged = json.loads(second) | {"choice": "reject", "user": "telegram:7"}
        workspace.decisions.write_text("\n".join((first, json.dumps(forged), *rest, first)) + "\n")
        assert workspace.faults() == [("line", "i_2", 2, "choice, user"), ("twice", "i_1", 5, "")]
        shown = workspace.run("audit", "verify").out
        assert "is about question i_2, and is not what the database says: choice, user." in shown
        assert "Line 5 of companies/demo/memory/decisions.jsonl is about question i_1, and so is" in shown

    def test_a_line_that_says_that_something_else_was_asked_or_answered_is_told(
        self, workspace: Workspace
    ) -> None:
        workspace.recorded("i_1", "Pay 10 EUR?", decides("approve", "but not more"))
        line = json.loads(workspace.decisions.read_text())
        more, other = "Pay 10,000 EUR?", line["payload"] | {"question": "Pay 10,000 EUR?"}
        for changes, said in (
            ({"payload": other}, "payload"),
            ({"payload": other | {"question": "\ud800"}}, "payload"),
            ({"prompt": more}, "prompt"),
            ({"user_input": "and more"}, "user_input"),
            ({"payload": other, "prompt": more, "user_input": None}, "prompt, user_input, payload"),
        ):
            workspace.decisions.write_text(json.dumps(line | changes) + "\n")
            assert workspace.faults() == [("line", "i_1", 1, said)]
        workspace.decisions.write_text(json.dumps(line) + "\n")
        assert workspace.faults() == []

    def test_a_row_and_a_line_that_were_changed_alike_are_told_by_the_audit(
        self, workspace: Workspace
    ) -> None:
        asked = workspace.recorded("i_1", "Pay 10 EUR?", decides(None, "No, never"))
        line, yes = json.loads(workspace.decisions.read_text()), "Yes, of course"
        said = {"choice": yes, "user_input": yes, "rationale": yes}
        workspace.decisions.write_text(json.dumps(line | said) + "\n")
        workspace.change("i_1", response={"chosen": yes, "user_input": yes})
        assert workspace.faults() == [("chain", "i_1", 0, "")]
        workspace.change("i_1", response=asked.response)

        payload = json.dumps(
            line["payload"] | {"question": "Pay 10,000 EUR?"},
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
        )
        digest, prompt = hash_of(payload), "Pay 10,000 EUR?"
        asked_for = {"prompt": prompt, "payload": json.loads(payload), "payload_hash": digest}
        workspace.decisions.write_text(json.dumps(line | asked_for) + "\n")
        workspace.change("i_1", prompt=prompt, payload=payload, payload_hash=digest)
        assert workspace.faults() == [("chain", "i_1", 0, "")]
        shown = workspace.run("audit", "verify")
        assert (shown.code, "✓ The audit is as it was written" in shown.out) == (1, True)
        assert "✗ i_1 of demo: the audit says something else of how it ended than the database." in shown.out

    def test_a_decided_question_of_which_the_audit_does_not_know_is_told(self, workspace: Workspace) -> None:
        """A row with its line that no host has written."""
        workspace.recorded("i_1")
        workspace.stored(lambda tx: tx.execute(sa.delete(audit)))
        assert workspace.faults() == [("chain", "i_1", 0, "")]

    def test_a_trap_in_place_of_the_file_is_told_and_not_followed(self, workspace: Workspace) -> None:
        workspace.recorded("i_1")
        file, elsewhere = workspace.decisions, workspace.home / "elsewhere"
        file.rename(elsewhere)
        traps: dict[Callable[[], None], Callable[[], None]] = {
            partial(file.symlink_to, elsewhere): file.unlink,
            partial(os.mkfifo, file): file.unlink,
            file.mkdir: file.rmdir,
        }
        for plant, remove in traps.items():
            plant()
            assert [fault[0] for fault in workspace.faults()] == ["file", "missing"]
            remove()
        said = workspace.run("audit", "verify")
        assert "question i_1 was written into companies/demo/memory/decisions.jsonl, and is not" in said.out
        elsewhere.rename(file)
        assert workspace.verify()["ok"]

    @pytest.mark.parametrize(
        ("row", "line"),
        [
            ({"decided_by": "telegram:7"}, {"user": "telegram:7"}),
            ({"prompt": "Another?"}, {"prompt": "Another?"}),
            ({"response": {"chosen": "approve", "user_input": "all"}}, {"user_input": "all"}),
            ({"status": "pending", "response": None, "decided_by": None, "made_by": None}, {}),
        ],
        ids=["who decided", "what was asked", "what was written beside it", "that it was decided"],
    )
    def test_what_is_changed_in_the_row_and_in_the_line_alike_differs_from_the_chain(
        self, workspace: Workspace, row: dict[str, object], line: dict[str, object]
    ) -> None:
        workspace.recorded("i_1", ends=decides("approve", "only 10"))
        written = json.loads(workspace.decisions.read_text())
        workspace.decisions.write_text(json.dumps(written | line) + "\n")
        workspace.change("i_1", **row)
        assert ("chain", "i_1") in [fault[:2] for fault in workspace.faults()]

    def test_the_chain_has_long_words_to_their_end(self, workspace: Workspace) -> None:
        beginning = "a" * 300
        workspace.recorded("i_1", ends=decides(None, f"{beginning} no"))
        forged = f"{beginning} yes"
        written = json.loads(workspace.decisions.read_text())
        workspace.decisions.write_text(json.dumps(written | {"user_input": forged, "choice": forged}) + "\n")
        workspace.change("i_1", response={"chosen": forged, "user_input": forged})
        assert ("chain", "i_1") in [fault[:2] for fault in workspace.faults()]
