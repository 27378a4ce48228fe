"""Flow B. Through the chat to a git branch, a drive and another Claude Code, and what becomes of them (SPEC B2)."""

import json
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.export_scene import SEND, TransferScene
from tests.git_scene import Team, git, make_team
from tests.resume_scene import Machine
from tests.staging import KINDS, Kind, results, staged, until
from tests.telegram_scene import telegram_scene

from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.transfers import Target, Transfer, TransferState
from nanoclaw.durable import transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import work
from nanoclaw.flows import transfer as story
from nanoclaw.flows.transfers import push_retries
from nanoclaw.flows.transfers.claude_transcript import conversation_for
from nanoclaw.gateway import server_list
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.drive_server import DriveServer
from nanoclaw.testing.model_parts import Asked, Think
from nanoclaw.testing.model_server import ModelServer
from nanoclaw.testing.starter import made_workspace

CANARY = "sk-ant-canary0123456789abcdefgh"
# Spaces, quotes, letters of two and of four bytes, what sed would obey, and what looks like an option.
FOLDER = "-p мій \"проєкт\" 🦀 'a' & \\1 |b"


@pytest.fixture(params=KINDS[:2], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.mark.capability("B2")
async def test_a_session_goes_on_in_another_claude_code(kind: Kind, home: Path, tmp_path: Path) -> None:
    """The real program, in another home and folder, before the played vendor."""

    def script(asked: Asked) -> Any:
        if "look at the shelf" in json.dumps(asked.messages) and not results(asked):
            return [Think("pondering it"), kind.bash(f"echo blue jars {CANARY} | tee jars.txt")]
        return "Blue jars." if results(asked) else "Noted."

    async with staged(kind, home, script) as stage:
        await stage.ask(f"my colour is teal, my key is {CANARY}")
        await stage.ask("look at the shelf")
        await stage.far_end.say("chat", "/export-session claude-code go on")
        transfer = await _released(stage.host)
        archive = home / "data" / "attachments" / f"{transfer.id}.0"
        await until(archive.exists)
        zipfile.ZipFile(archive).extractall(tmp_path / "unpacked")
    package = tmp_path / "unpacked" / "session_transfer"
    [transcript] = (package / "claude_code").glob("*.jsonl")
    # What it thought was signed by the vendor, and would be refused if it were scrubbed.
    assert not any(each in transcript.read_text() for each in (CANARY, "pondering", "signature"))
    async with ModelServer("It is teal.") as server:
        vendor = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": server.key}
        laptop = Machine(home=tmp_path / "laptop", vendor=vendor)
        project = laptop.home / FOLDER
        project.mkdir(parents=True)
        ran = await laptop.run(package, FOLDER, "--print", "which colour?")
        assert (ran.code, ran.said) == (0, ""), ran.out
        assert ran.out.splitlines()[-1] == "It is teal."
        said = json.dumps(server.asked[-1].messages, ensure_ascii=False)
        assert all(each in said for each in ("my colour is teal", "Noted.", "Blue jars.", "which colour?"))
        assert f"{transfer.id}/transfer.md" in said
        assert ("my key is [secret]" in said, CANARY in said) == (True, False)
        if kind.name == "claude-code":
            assert "blue jars" in "".join(results(server.asked[-1]))
        copied = project / ".claude" / "transfers" / transfer.id
        assert transfer.id in (copied / "transfer.md").read_text()
        # In the same file, so that the program's own list of conversations shows it for this folder.
        [there] = laptop.transcripts()
        lines = [json.loads(line) for line in there.read_text().splitlines()]
        assert {line["cwd"] for line in lines if "cwd" in line} == {str(project)}
        assert ("which colour?" in there.read_text(), there.stem) == (True, conversation_for(transfer.id))

        if kind.name == "claude-code":
            again = await laptop.run(package, FOLDER, "--print", "and the jars?")
            assert "is already there" in again.out
            assert "which colour?" in json.dumps(server.asked[-1].messages)

        count = len(server.asked)
        elsewhere = Machine(home=tmp_path / "elsewhere", vendor=vendor)
        transcript.write_text(transcript.read_text().replace("teal", "rust"))
        tampered = await elsewhere.run(package, ".", "--print", "which colour?")
        assert (tampered.code, "altered or damaged" in tampered.said) == (1, True)
        transcript.unlink()
        missing = await elsewhere.run(package, ".", "--print", "which colour?")
        assert (missing.code, "is missing" in missing.said) == (1, True)
        assert (len(server.asked), elsewhere.transcripts()) == (count, [])


async def _released(host: Host) -> Transfer:
    """As the page does it."""
    found: list[Transfer] = []

    async def packed() -> bool:
        found[:] = await host.store.read(lambda tx: transfers.latest(tx))
        return bool(found and found[0].packed_at and found[0].question_id)

    await until(packed)
    rights = Rights(everywhere=Role.OWNER)
    owner = Actor(handle=LOCAL_OWNER, name="Owner", rights=rights, via="web", language="en")
    await host.store.write(lambda tx: host.transfer_parts.transfers.release(tx, found[0].id, owner, now()))
    return found[0]


Stage = tuple[TransferScene, Team, DriveServer]
_GONE = Transfer(
    id="tr_1",
    company="demo",
    group="main",
    session_id="s_1",
    chat_id="c_1",
    person_id="p_1",
    purpose="",
    source_runtime="nanoclaw",
    source_version="1",
    target=Target.GIT,
    language="en",
    created_at=now(),
    expires_at=now(),
    state=TransferState.DELIVERED,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("targets")
    home = made_workspace(folder / "nanoclaw")
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--allow-empty", "--message", "first")
    team = make_team(home, folder)
    async with DriveServer() as drive:
        headers = {"Authorization": f"Bearer {drive.key}"}
        server_list.add(home, server_list.describe("cloud", {"url": drive.url, "headers": headers}))
        async with telegram_scene(
            home,
            model=ScriptedModel(),
            paced=False,
            questions={"grace_seconds": 0},
            memory={"push": True, "sync_minutes": 60},
            transfer={"drive_server": "cloud", "drive_folder": "f-1"},
        ) as scene:
            yield TransferScene.of(scene), team, drive


@pytest.mark.capability("B2")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_drive_gets_the_package_and_its_failure_stops_nothing(stage: Stage) -> None:
    drive = stage[2]
    scene = await stage[0].talked_to("Taras")
    await scene.press(await scene.exported(), SEND)
    transfer = await scene.transfer_in(TransferState.DELIVERED)
    assert "Your drive has it too (cloud, " in await scene.came("Your drive has it")
    assert transfer.id in drive.files[f"{transfer.id}-transfer.md"].decode()
    assert drive.given[0]["parentFolderId"] == "f-1"
    assert (transfer.delivered_to or {})["drive"]["files"] == sorted(drive.files)

    drive.mood, drive.files = "refuses", {}
    other = await stage[0].talked_to("Zoia")
    await other.press(await other.exported(), SEND)
    told = await other.came("It did not get to your drive")
    assert "Quota exceeded for ***" in told
    assert "transfer.md" in other.documents()
    assert (await other.transfer_in(TransferState.DELIVERED)).delivered_at
    assert drive.files == {}


@pytest.mark.capability("B2")
@pytest.mark.asyncio(loop_scope="module")
async def test_a_branch_is_pushed_and_goes_with_its_transfer(stage: Stage) -> None:
    scene, team = await stage[0].talked_to("Ivan"), stage[1]
    await scene.press(await scene.exported("/export_session git"), SEND)
    transfer = await scene.transfer_in(TransferState.DELIVERED)
    branch = f"transfer/{transfer.id}"
    assert branch in await scene.came("is on the branch")
    assert transfer.id in git(team.remote, "show", f"{branch}:session_transfer/transfer.md")
    assert git(team.home, "branch", "--show-current") == "main"
    await scene.time_passes(transfer)
    await scene.cleared(transfer)
    assert git(team.remote, "branch", "--list", "transfer/*") == ""
    assert git(team.home, "branch", "--list", "transfer/*") == ""


@pytest.mark.asyncio(loop_scope="module")
async def test_a_branch_that_somebody_works_on_stays_and_is_told(stage: Stage) -> None:
    scene, team = await stage[0].talked_to("Nadiia"), stage[1]
    await scene.press(await scene.exported("/export_session git"), SEND)
    transfer = await scene.transfer_in(TransferState.DELIVERED)
    branch = f"transfer/{transfer.id}"
    git(team.mate, "fetch", "--quiet", "origin", branch)
    git(team.mate, "switch", "--quiet", "--force-create", branch, "FETCH_HEAD")
    git(team.mate, "commit", "--quiet", "--allow-empty", "--message", "mine")
    git(team.mate, "push", "--quiet", "origin", branch)
    await scene.command(scene.chat, f"/transfer_cancel {transfer.id}")
    assert "were not taken in yet" in await scene.came("The branch of the transfer")
    await scene.cleared(transfer)
    assert git(team.remote, "log", "-1", "--format=%s", branch) == "mine"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_remote_that_is_gone_at_the_end_is_tried_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, team = await stage[0].talked_to("Oksana"), stage[1]
    await scene.press(await scene.exported("/export_session git"), SEND)
    transfer = await scene.transfer_in(TransferState.DELIVERED)
    monkeypatch.setattr(story, "_TRY_AGAIN", story._TRY_AGAIN * 0)
    monkeypatch.setattr(story, "_MOST_ATTEMPTS", 10**6)
    away = team.remote.with_name("away")
    team.remote.rename(away)
    await scene.command(scene.chat, f"/transfer_cancel {transfer.id}")
    query = sa.select(work.c.attempts).where(work.c.key == transfer.id)

    async def again() -> bool:
        return (await scene.host.store.read(lambda tx: tx.execute(query).scalar()) or 0) > 1

    await until(again)
    away.rename(team.remote)
    await scene.cleared(transfer)
    assert f"transfer/{transfer.id}" not in git(team.remote, "branch", "--list", "transfer/*")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_branch_that_could_not_be_pushed_is_pushed_when_the_remote_is_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, team = await stage[0].talked_to("Petro"), stage[1]
    away = team.remote.with_name("away")
    team.remote.rename(away)
    card = await scene.exported("/export_session git")
    monkeypatch.setattr(push_retries, "FIRST_PAUSE", timedelta(milliseconds=1))
    await scene.press(card, SEND)
    assert "It is tried again by itself" in await scene.came("It was not pushed")
    transfer = await scene.transfer_in(TransferState.DELIVERED)

    async def again() -> bool:
        return int(((await scene.transfer()).delivered_to or {}).get("tries", 1)) > 3

    await until(again)
    assert "Its branch could not be pushed (" in await scene.command(scene.chat, f"/why {transfer.id}")
    away.rename(team.remote)
    branch = f"transfer/{transfer.id}"
    await scene.came(f"The branch {branch} is pushed now")
    assert transfer.id in git(team.remote, "show", f"{branch}:session_transfer/transfer.md")
    pushed = (await scene.transfer()).delivered_to or {}
    assert (pushed["pushed"], "trouble" in pushed) == (True, False)
    told = await scene.command(scene.chat, f"/why {transfer.id}")
    assert f"Its branch {branch} was pushed at attempt {pushed['tries']}" in told
    assert "could not be pushed" not in told
    assert sum("is pushed now" in each for each in scene.chat.texts()) == 1


def test_pauses_grow_and_end_when_it_is_there() -> None:
    """From a minute to an hour; a clock that is set back does not make it wait for longer."""
    at = now()
    to: dict[str, Any] = {"branch": "b", "pushed": False, "trouble": {"key": "git-remote", "values": {}}}
    pauses = []
    for _ in range(9):
        tried = replace(_GONE, delivered_at=at, delivered_to=to)
        pauses.append((push_retries.next_try(tried, at) or at) - at)
        assert (push_retries.next_try(tried, at - timedelta(hours=5)) or at) <= at
        to = push_retries.tried(to, {"trouble": to["trouble"]}, at)
    assert pauses == [timedelta(minutes=each) for each in (1, 2, 4, 8, 16, 32, 60, 60, 60)]
    assert push_retries.next_try(replace(_GONE, delivered_to=push_retries.tried(to, {}, at)), at) is None
    taken = {**to, "trouble": {"key": "git-branch-taken", "values": {}}}
    assert push_retries.next_try(replace(_GONE, delivered_to=taken), at) is None
