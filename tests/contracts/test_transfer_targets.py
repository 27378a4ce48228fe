"""A session goes on in another Claude Code: the real program, in another home and folder, before the played vendor."""

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.resume_scene import Machine, packed, transfer_of
from tests.staging import KINDS, Kind, results, staged

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import sessions
from nanoclaw.flows.transfers.claude_transcript import conversation_for
from nanoclaw.testing.model_parts import Asked, Think
from nanoclaw.testing.model_server import ModelServer

CANARY = "sk-ant-canary0123456789abcdefgh"
# Spaces, quotes, letters of two and of four bytes, what sed would obey, and what looks like an option.
FOLDER = "-p мій \"проєкт\" 🦀 'a' & \\1 |b"


def vendor(server: ModelServer) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": server.key}


@pytest.fixture(params=KINDS[:2], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


async def test_a_session_goes_on_in_another_claude_code(kind: Kind, home: Path, tmp_path: Path) -> None:
    def script(asked: Asked) -> Any:
        if "look at the shelf" in json.dumps(asked.messages) and not results(asked):
            return [Think("pondering it"), kind.bash(f"echo blue jars {CANARY}")]
        return "Blue jars." if results(asked) else "Noted."

    async with staged(kind, home, script) as stage:
        await stage.ask(f"my colour is teal, my key is {CANARY}")
        await stage.ask("look at the shelf")

        def the_session(tx: Tx) -> str:
            return str(tx.execute(sa.select(sessions.c.id)).scalar_one())

        transfer = transfer_of(await stage.host.store.read(the_session))
        package = await packed(home, stage.host.store, transfer, tmp_path / "unpacked")
    [transcript] = (package / "claude_code").glob("*.jsonl")
    # What it thought was signed by the vendor, and would be refused if it were scrubbed.
    assert not any(each in transcript.read_text() for each in (CANARY, "pondering", "signature"))
    async with ModelServer("It is teal.") as server:
        laptop = Machine(home=tmp_path / "laptop", vendor=vendor(server))
        project = laptop.home / FOLDER
        project.mkdir(parents=True)
        ran = await laptop.run(package, FOLDER, "--print", "which colour?")
        assert (ran.code, ran.said) == (0, ""), ran.out
        assert ran.out.splitlines()[-1] == "It is teal."
        said = json.dumps(server.asked[-1].messages, ensure_ascii=False)
        assert all(each in said for each in ("my colour is teal", "Noted.", "Blue jars.", "which colour?"))
        assert "tr_01abc/transfer.md" in said
        assert ("[secret]" in said, CANARY in said) == (True, False)
        if kind.name == "claude-code":
            assert "blue jars" in "".join(results(server.asked[-1]))
        copied = project / ".claude" / "transfers" / transfer.id
        assert (copied / "work_artifacts" / "draft.md").read_text() == "# Draft\n"
        # In the same file, so that the program's own list of conversations shows it for this folder.
        [there] = laptop.transcripts()
        lines = [json.loads(line) for line in there.read_text().splitlines()]
        assert {line["cwd"] for line in lines if "cwd" in line} == {str(project)}
        assert "which colour?" in there.read_text()

        again = await laptop.run(package, FOLDER, "--print", "and the jars?")
        assert "is already there" in again.out
        assert "which colour?" in json.dumps(server.asked[-1].messages)

        count = len(server.asked)
        elsewhere = Machine(home=tmp_path / "elsewhere", vendor=vendor(server))
        transcript.write_text(transcript.read_text().replace("teal", "rust"))
        tampered = await elsewhere.run(package, ".", "--print", "which colour?")
        assert (tampered.code, "altered or damaged" in tampered.said) == (1, True)
        transcript.unlink()
        missing = await elsewhere.run(package, ".", "--print", "which colour?")
        assert (missing.code, "is missing" in missing.said) == (1, True)
        assert len(server.asked) == count
        assert not elsewhere.transcripts()
    assert conversation_for(transfer.id) == there.stem
