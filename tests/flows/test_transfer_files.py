"""Flow B. Whose files leave: only what a session's own turns wrote, and of the rest only what somebody picks."""

import asyncio
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.export_scene import ASKS, SEND, TransferScene
from tests.package_scene import Packed, Packing
from tests.staging import KINDS, Kind, Stage, staged, until
from tests.task_agent import TaskAgent
from tests.telegram_scene import telegram_scene
from tests.transfers_at_hand import talked
from tests.typed import Typed, typing_in

from nanoclaw.domain.people import Role
from nanoclaw.domain.transfers import TransferState
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.sandbox.file_writers import FOLDER
from nanoclaw.testing.model_parts import Asked
from nanoclaw.testing.telegram.chats import Chat, SeenMessage

pytestmark = [pytest.mark.attack, pytest.mark.capability("B1", "B7")]

NATIVE = KINDS[1]


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


class Works:
    """An agent that runs one command for certain words, and then says something."""

    def __init__(self, kind: Kind, **does: tuple[str, str]) -> None:
        self._kind = kind
        self._does = {words.replace("_", " "): what for words, what in does.items()}

    def __call__(self, asked: Asked) -> Any:
        told = [json.dumps(each) for each in asked.messages if each.get("role") == "user"]
        words = {words: "".join(told).rfind(words) for words in self._does}
        last = max(words, key=words.__getitem__)
        if words[last] < 0 or "tool_result" in told[-1][-400:] + told[-1][:400]:
            return self._does[last][1] if words[last] >= 0 else "Noted."
        return self._kind.bash(self._does[last][0])


class Chats:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._packing = Packing(stage.host, stage.far_end, TaskAgent(), stage.host.transfer_parts.packages)

    async def say(self, chat: str, text: str, **files: bytes) -> str:
        sent = {f"{name}.csv": content for name, content in files.items()}
        return await self._packing.say(text, chat=chat, files=sent or None)

    async def pack(self, chat: str, picked: Mapping[str, Any] | None = None) -> Packed:
        transfer = replace(await self._packing.asked_for(chat=chat), removed={"picked": picked or {}})
        return self._packing.read(transfer, await self._packing.packages.pack(transfer))

    async def until_made(self, name: str) -> None:
        await until((self._stage.files / name).exists)


def taken(packed: Packed) -> set[str]:
    found = (each for each in packed.files if each.startswith("work_artifacts/"))
    return {each.removeprefix("work_artifacts/") for each in found}


def stays(packed: Packed) -> dict[str, str]:
    return {each["name"]: str(each["why"]) for each in packed.package.removed["unchosen"]["files"]}


def waits_for(name: str) -> str:
    return f"while [ ! -e {name} ]; do sleep 0.02; done"


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_package_takes_no_file_of_another_chat(kind: Kind, home: Path) -> None:
    lie = '{"id": "lie", "tool": "send_file", "session": "a", "path": "b/two.md", "wrote": true}'
    begins = (
        "mkdir a; echo a-report > a/report.md; echo a-old > a/old.md; touch -d 2001-01-01 a/old.md",
        "mv b/one.md a/one.md; touch b/two.md; echo more >> b/three.md; ln b/four.md a/four.md",
        f"echo '{lie}' > /ipc/tasks/lie.json; echo '{lie}' > /ipc/messages/lie.json; true",
    )
    goes_on = (
        "echo a-before > a/before.md; echo > a.go",
        waits_for("b.go"),
        "echo a-during > a/during.md; echo > a.end",
        waits_for("b.end"),
    )
    script = Works(
        kind,
        b_begins=(
            "mkdir b; for n in one two three four; do echo b-$n > b/$n.md; done; echo b-report > report.md",
            "All is in report.md",
        ),
        a_begins=("; ".join(begins), "I wrote report.md and old.md"),
        a_goes_on=("; ".join(goes_on), "before.md and during.md"),
        b_goes_on=(f"echo b-during > b/during.md; echo > b.go; {waits_for('a.end')}; echo > b.end", "Done."),
        b_ends=("echo b-last > b/last.md", "last.md is there"),
    )
    async with staged(kind, home, script) as stage:
        chats = Chats(stage)
        await chats.say("b", "b begins")
        await chats.say("a", "a begins")
        of_a = await chats.pack("a")
        assert taken(of_a) == {"a/report.md", "a/old.md"}
        [linked] = stays(of_a).keys() & {"a/four.md", "b/four.md"}  # one content, however many names it has
        shared = dict.fromkeys(("a/one.md", "b/two.md", "b/three.md", linked), "shared")
        assert stays(of_a) == {**shared, "report.md": "other"}
        assert b"b-" not in of_a.everything
        assert b"two.md" not in of_a.everything, "the package does not even name them"
        of_b = await chats.pack("b")
        assert taken(of_b) == {"report.md"}
        assert b"a-" not in b"".join(of_b.files[f"work_artifacts/{each}"] for each in taken(of_b))

        going = asyncio.create_task(chats.say("a", "a goes on"))
        await chats.until_made("a.go")
        await asyncio.gather(going, chats.say("b", "b goes on"))
        of_a, of_b = await chats.pack("a"), await chats.pack("b")
        assert "a/before.md" in taken(of_a)
        assert not {"a/during.md", "b/during.md"} & (taken(of_a) | taken(of_b))
        for each in (of_a, of_b):
            assert {stays(each)[name] for name in ("a/during.md", "b/during.md")} == {"together"}
        assert b"a-before" not in of_b.everything

        await chats.say("b", "b ends")
        assert "b/last.md" in taken(await chats.pack("b")), "nothing of the other chat runs any more"

        [during] = [
            each for each in of_a.package.removed["unchosen"]["files"] if each["name"] == "b/during.md"
        ]
        picked = {during["key"]: {"sha256": during["sha256"]}}
        assert "b/during.md" in taken(await chats.pack("a", picked))
        (stage.files / "b" / "during.md").write_text("another content than was picked")
        assert "b/during.md" not in taken(await chats.pack("a", picked))


async def test_what_people_sent_is_of_the_chat_into_which_they_sent_it(home: Path) -> None:
    script = Works(
        NATIVE,
        b_works=(f"echo > b.go; {waits_for('b.end')}", "Done."),
        b_overwrites=("echo b-secret > received/ours.csv", "Overwritten."),
        a_takes=("mv received/theirs.csv mine.csv; mv received/moved.csv a-moved.csv", "I have mine.csv"),
    )
    async with staged(NATIVE, home, script) as stage:
        chats = Chats(stage)
        working = asyncio.create_task(chats.say("b", "b works", theirs=b"theirs"))
        await chats.until_made("b.go")
        await chats.say("a", "hello", ours=b"ours", moved=b"moved")  # put there while only the other works
        assert taken(await chats.pack("a")) == {"ours.csv", "moved.csv"}
        (stage.files / "b.end").touch()
        await working
        await chats.say("b", "b overwrites")
        await chats.say("a", "a takes")
        packed = await chats.pack("a")
        assert taken(packed) == {"a-moved.csv"}
        assert stays(packed) == {"ours.csv": "shared", "mine.csv": "shared"}
        assert b"b-secret" not in packed.everything


async def test_what_a_command_left_running_may_still_write(home: Path) -> None:
    """Claude Code's boxes outlive their turns: at rest they write nothing, unless a command goes on in them."""
    kind = KINDS[0]
    runs = "setsid sh -c 'while :; do date +%N > a-clock.md; sleep 0.05; done' > /dev/null 2>&1 &"
    script = Works(kind, a_rests=("echo a > a.md", "It rests."), a_runs=(runs, "It runs."), b_writes=(
        "echo b-$RANDOM > b-$(ls | wc -l).md; sleep 0.3", "Written."
    ))  # fmt: skip
    async with staged(kind, home, script) as stage:
        chats = Chats(stage)
        await chats.say("a", "a rests")
        await chats.say("b", "b writes")
        assert taken(await chats.pack("b")) == {"b-1.md"}
        await chats.say("a", "a runs")
        await chats.until_made("a-clock.md")
        await chats.say("b", "b writes")
        of_b = await chats.pack("b")
        assert taken(of_b) == {"b-1.md"}
        assert stays(of_b)["b-3.md"] == "together"


async def test_what_was_written_when_the_host_was_killed_is_in_doubt(home: Path) -> None:
    script = Works(
        NATIVE,
        a_works=(f"echo cut > cut.md; echo > begun; {waits_for('over')}", "cut.md is written"),
        a_again=("echo again > again.md; echo rewritten > begun", "Again."),
        something_new=("true", "Nothing is written."),
    )
    kept = home / "data" / FOLDER / "main.jsonl"
    async with staged(NATIVE, home, script) as stage:
        chats = Chats(stage)
        working = asyncio.create_task(chats.say("a", "a works"))
        await chats.until_made("begun")
        as_killed = kept.read_bytes()
        (stage.files / "over").touch()
        await working
    kept.write_bytes(as_killed + b'{"end": "ses')  # what a kill would have left, half a line too
    async with staged(NATIVE, home, script) as stage:
        chats = Chats(stage)
        await chats.say("a", "a again")
        packed = await chats.pack("a")
        assert taken(packed) == {"again.md", "begun"}
        assert stays(packed)["cut.md"] == "cut"
        await chats.say("a", "/clear")
        await chats.say("a", "something new")
        packed = await chats.pack("a")
        assert (taken(packed), stays(packed)) == (set(), {}), "that was another conversation"


async def test_what_stays_leaves_only_when_it_is_picked_and_secrets_only_by_an_owner(home: Path) -> None:
    agent = TaskAgent()
    agent.does(
        "write them",
        agent.call(
            "bash", command="echo PASSWORD=hunter2-open > .env; echo plan > plan.md; echo one > both.md"
        ),
        "Written.",
    )
    agent.does("add to it", agent.call("bash", command="echo two >> both.md; echo mine > admin.md"), "Added.")
    async with telegram_scene(home, model=agent, paced=False, questions={"grace_seconds": 0}) as stage:
        scene = TransferScene.of(stage)
        owner = await scene.talked_to("Nadiia")
        admin = await scene.talked_to("Petro", role=Role.ADMIN)
        member = await scene.joined_by("Ivan", role=Role.MEMBER)
        await owner.ask("write them")
        await admin.ask("add to it")
        first = await owner.exported("/export_session manual")
        assert "2 files stay here, unless someone picks them" in first.text
        numbers = {name: _number(first, name) for name in (".env", "both.md")}
        assert "a secret by its name; only an owner can pick it" in first.text
        assert "another chat of this group wrote to it as well" in first.text
        assert "work_artifacts/plan.md" in first.text
        assert "admin.md" not in first.text
        short = (await owner.transfer()).id[-SHORT:]
        assert f"/transfer_pick {short} 1" in first.text

        pick = f"/transfer_pick {short}"
        assert "not yours to decide" in await member.command(member.chat, f"{pick} {numbers['both.md']}")
        assert "Only an owner can pick" in await admin.command(admin.chat, f"{pick} {numbers['.env']}")
        assert "1 to 2" in await owner.command(owner.chat, f"{pick} 7")
        assert "Write numbers" in await owner.command(owner.chat, f"{pick} both.md")
        assert (await owner.transfer()).packed_at, "nothing has changed so far"

        await admin.owner.says(admin.chat, f"{pick} {numbers['both.md']}")
        second = await _next_card(owner, first)
        assert "work_artifacts/both.md" in second.text
        assert "One file stays here" in second.text
        await owner.settled(first)
        assert owner.documents() == {}
        await owner.owner.says(owner.chat, f"/transfer_pick {_number(second, '.env')}")
        third = await _next_card(owner, second)
        assert "Leaves with the secrets in it, because an owner picked it: .env" in third.text
        packed = (await owner.transfer()).content_hash or ""
        assert packed[:16] in third.text
        await owner.press(third, SEND)
        await owner.transfer_in(TransferState.DELIVERED)
        await owner.chat.wait_until(lambda: bool(owner.documents()))
        [archive] = owner.documents().values()
        with zipfile.ZipFile(io.BytesIO(archive)) as found:
            inside = {name.rpartition("work_artifacts/")[2]: found.read(name) for name in found.namelist()}
        assert inside[".env"] == b"PASSWORD=hunter2-open\n"
        assert (inside["both.md"], inside["plan.md"]) == (b"one\ntwo\n", b"plan\n")
        assert "admin.md" not in inside
        assert "has left already" in await owner.command(owner.chat, f"{pick} 1")
        told = await owner.command(owner.chat, f"/why tr_{(await owner.transfer()).id[3:]}")
        assert "Petro picked files for it: both.md" in told


async def test_a_long_list_of_what_stays_comes_whole_in_the_language_of_who_decides(home: Path) -> None:
    agent = TaskAgent()
    many = "mkdir many; for n in $(seq 100 229); do echo $n > many/$n.md; done"
    agent.does("make many", agent.call("bash", command=many), "Made.")
    agent.does("touch them", agent.call("bash", command="touch many/*; echo own > own.md"), "Touched.")
    async with telegram_scene(home, model=agent, paced=False, questions={"grace_seconds": 0}) as stage:
        scene = TransferScene.of(stage)
        other = await scene.talked_to("Petro", role=Role.ADMIN)
        owner = await scene.talked_to("Nadiia", language="uk")
        await other.ask("make many")
        await owner.ask("touch them")
        card = await owner.exported("/export_session manual", card="Чи може ця розмова піти")
        await owner.chat.wait_until(lambda: bool(owner.documents()))
        [whole] = (content.decode() for content in owner.documents().values())
        assert "130 файлів лишаються тут, якщо їх не вибрати" in whole
        assert "100. many/" in whole
        assert "і ще 30, яких немає в цьому списку" in whole
        assert whole.count("у нього писав також інший чат цієї групи") == 100
        assert "work_artifacts/own.md" in card.text
        assert "work_artifacts/many" not in whole


async def test_on_the_page_and_in_a_terminal_it_is_picked_and_nothing_else_is_released(
    home: Path, typed: Typed
) -> None:
    agent = TaskAgent()
    write = "echo KEY=value-of-it > .env; echo plan > plan.md"
    agent.does("write them", agent.call("bash", command=write), "See notes.txt")
    (home / "groups" / "main" / "files").mkdir(parents=True, exist_ok=True)
    (home / "groups" / "main" / "files" / "notes.txt").write_text("somebody put this here")
    async with talked(home, model=agent) as here:
        await here.say("write them")
        row = await here.packed()
        seen = row["content_hash"]
        listed = {each["name"]: each for each in row["unchosen"]}
        assert {name: each["is_secret"] for name, each in listed.items()} == {
            ".env": True,
            "notes.txt": False,
        }
        # On a host of root, its box's user was given the file during that turn.
        assert listed["notes.txt"]["why"] in (
            "named in this conversation, but not written by it",
            "changed while this conversation worked; who wrote it is not known",
        )
        assert await here.refused(f"transfers/{row['id']}/pick", {"files": [9]}) == (
            400,
            "transfer-pick-which",
        )
        assert await here.refused(f"transfers/{row['id']}/pick", {"files": []}) == (400, "bad-request")
        await here.post(f"transfers/{row['id']}/pick", {"files": [listed["notes.txt"]["number"]]})
        row = await here.come(row["id"], lambda found: found["asks"] and found["content_hash"] != seen)
        assert [each["name"] for each in row["unchosen"]] == [".env"]
        assert await here.refused(f"transfers/{row['id']}/release", {"content_hash": seen}) == (
            400,
            "transfer-packed-again",
        )
        shown = await typed("transfer", "show", row["short"])
        assert "1. .env" in shown.out
        assert f"nanoclaw transfer pick {row['short']} 1" in shown.out
        picked = await typed("transfer", "pick", row["short"], "1")
        assert picked.code == 0, picked.err
        assert "Leaves with the secrets in it" in picked.out
        row = await here.get(f"transfers/{row['id']}")
        assert row["secrets"] == ["work_artifacts/.env"]
        assert row["unchosen"] == []
        await here.post(f"transfers/{row['id']}/release", {"content_hash": row["content_hash"]})
        await here.come(row["id"], lambda found: found["delivered_at"])


def _number(card: SeenMessage, name: str) -> int:
    [line] = [each for each in card.text.splitlines() if f". {name} (" in each]
    return int(line.strip().partition(".")[0].rpartition(" ")[2])


async def _next_card(scene: TransferScene, last: SeenMessage) -> SeenMessage:
    chat: Chat = scene.chat
    await chat.wait_until(lambda: any(each.id > last.id for each in scene.cards(ASKS)))
    return scene.cards(ASKS)[-1]
