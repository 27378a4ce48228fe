"""What an earlier turn left in the folders of its session."""

from pathlib import Path

import pytest

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.sandbox.stale_requests import put_away

pytestmark = [pytest.mark.capability("A9"), pytest.mark.attack]


def test_requests_of_an_earlier_turn_are_not_there_any_more(tmp_path: Path) -> None:
    ipc = tmp_path / "group" / "ipc" / "s_1"
    for kind in RequestKind:
        (ipc / kind).mkdir(parents=True)
    (ipc / RequestKind.TASKS / "a.json").write_text("{}")
    deep = ipc / RequestKind.BACKGROUND
    for _ in range(50):
        deep = deep / "x"
    deep.mkdir(parents=True)
    (ipc / RequestKind.HITL / "b.json").write_text("{}")
    assert put_away(ipc) == {"b"}  # it may be answered long after its turn
    assert (ipc / RequestKind.HITL / "b.json").exists()
    assert not (ipc / RequestKind.TASKS).exists()
    assert not (ipc / RequestKind.BACKGROUND).exists()
    assert (ipc / RequestKind.MESSAGES).is_dir()
    kept = sorted(path.name[:10] for path in (tmp_path / "group" / "quarantine" / "s_1").iterdir())
    assert kept == ["left-backg", "left-tasks"]


def test_not_everything_is_kept(tmp_path: Path) -> None:
    ipc = tmp_path / "group" / "ipc" / "s_1"
    for number in range(30):
        (ipc / RequestKind.TASKS).mkdir(parents=True)
        (ipc / RequestKind.TASKS / f"{number}.json").write_text("{}")
        put_away(ipc)
    assert len(list((tmp_path / "group" / "quarantine" / "s_1").iterdir())) == 20


def test_more_questions_than_anyone_asks_are_put_away_too(tmp_path: Path) -> None:
    ipc = tmp_path / "group" / "ipc" / "s_1"
    (ipc / RequestKind.HITL).mkdir(parents=True)
    for number in range(300):
        (ipc / RequestKind.HITL / f"{number}.json").write_text("{}")
    put_away(ipc)
    assert not (ipc / RequestKind.HITL).exists()
