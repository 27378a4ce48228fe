"""A channel that the settings name: people talk through it as through ours, and when it fails nothing else does."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.channel_scene import EXAMPLE, Nobody
from tests.staging import until
from tests.typed import Typed, typing_in

from nanoclaw.domain.messages import Incoming, Press
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import history, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.bots import issue_code
from nanoclaw.host.channels import OwnFront
from nanoclaw.host.host import Host
from nanoclaw.host.private import write_private
from nanoclaw.testing import ScriptedModel, SlackLikeServer, started_host

pytestmark = pytest.mark.capability("X1", "A1")


def named(home: Path, name: str, code: str, own: Mapping[str, object] | None = None) -> None:
    """A channel with this code, in the settings of the workspace."""
    folder = home.parent / "channels"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(code, "utf-8")
    path.chmod(0o600)
    lines = [f"{key} = {json.dumps(value)}" for key, value in {"path": str(path), **(own or {})}.items()]
    with (home / "nanoclaw.toml").open("a") as file:
        file.write("\n".join(["", f"[channels.{name}]", *lines, ""]))


async def on_the_page(host: Host) -> str:
    def read(tx: Tx) -> str:
        room = people.chat_at(tx, "web", "main")
        assert room is not None
        return "\n".join(item.text for item in history.of_chat(tx, room.id)[0])

    return await host.store.read(read)


async def test_people_talk_send_files_press_and_are_asked_through_a_channel_of_ones_own(home: Path) -> None:
    model = ScriptedModel(
        lambda request: ["I have read it." if "notes.txt" in request.prompt else "Good day."]
    )
    async with SlackLikeServer(sloppy=True) as server:
        named(home, "slack", EXAMPLE.read_text("utf-8"), {"api": server.url, "repeatable": False})
        secrets = {"slack.token": server.token, "slack.signing_secret": server.secret}
        write_private(home / "data" / "keys.json", secrets)
        async with started_host(home, model=model, turns={"batch_window": 0}) as host:
            await server.say("U1", (await issue_code(host.store)).code, user="U1")
            assert "You are an owner now" in (await server.wait_for("U1"))[0].text
            await server.say("U1", "Hello", user="U1")
            assert (await server.wait_for("U1", 2))[1].text == "Good day."
            await server.say("U1", "Look", user="U1", files={"notes.txt": b"ten boxes"})
            assert (await server.wait_for("U1", 3))[2].text == "I have read it."
            assert (home / "groups/main/files/received/notes.txt").read_text() == "ten boxes"

            await server.say("C1", "May I?", user="U2", mentioned=True)  # a stranger, in a chat of many
            card = (await server.wait_for("U1", 4))[3]
            assert "U2" in card.text
            label = card.buttons[0]["text"]
            await server.press(card, label, user="U1")
            await until(lambda: not card.buttons)  # it was changed where it stands
            assert len(await server.wait_for("U1", 4)) == 4


async def test_a_channel_that_fails_is_named_to_owners_and_keeps_nothing_else_from_working(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    named(home, "broken", "raise RuntimeError('the token sk-0123456789abcdefgh is bad')")
    named(home, "leaving", "raise SystemExit")
    named(home, "late", _MADE.format(start="raise OSError('no way out')"))
    named(home, "fine", _MADE.format(start="pass"))
    async with started_host(home, model=ScriptedModel("Here.")) as host:
        await until(lambda: _told(host, "broken", "leaving", "late"))
        assert "sk-0123456789abcdefgh" not in await on_the_page(host)
        status = (await typed("status", "--json")).json()["channels"]
        assert status["fine"] is None
        assert "OSError: no way out" in status["late"]
        assert "RuntimeError" in status["broken"]
        assert "late" in (await typed("status")).out
        await _names_them(typed)
    await _names_them(typed, but="late")  # nothing is started then


async def _told(host: Host, *names: str) -> bool:
    said = await on_the_page(host)
    return all(f"The channel {name} does not work" in said for name in names)


async def _names_them(typed: Typed, but: str = "") -> None:
    found = json.loads((await typed("doctor", "--json")).out)["findings"]
    ill = " ".join(each["sentence"] for each in found if each["check"] == "channel" and not each["ok"])
    well = " ".join(each["sentence"] for each in found if each["check"] == "channel" and each["ok"])
    for name in {"broken", "leaving", "late"} - {but}:
        assert f"[channels.{name}]" in ill
    assert "fine" in well


@pytest.mark.capability("A9")
async def test_a_secret_of_a_channel_is_kept_by_the_command_for_keys_and_told_to_nobody(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    named(home, "slack", EXAMPLE.read_text("utf-8"), {"api": "http://127.0.0.1:9", "port": "x"})
    monkeypatch.setenv("NANOCLAW_CHANNELS_SLACK_TOKEN", "xoxb-from-the-environment")
    monkeypatch.setenv("NANOCLAW_CHANNELS_SLACK_SIGNING_SECRET", "signing-0123456789")
    said = await typed("doctor", "--json")
    assert "[channels.slack]: port" in said.out
    assert "xoxb" not in said.out + said.err
    assert "signing-0123456789" not in said.out + said.err


@pytest.mark.attack
async def test_a_channel_speaks_for_nobody_but_its_own_people() -> None:
    front = OwnFront(Nobody(), "slack")
    for channel, handle in (("slack", LOCAL_OWNER), ("slack", "telegram:7"), ("web", "slack:U1")):
        incoming = Incoming(
            kind=ChatKind.PRIVATE,
            addressed=True,
            channel=channel,
            address="main",
            external_id="1",
            handle=handle,
            sender="Owner",
            text="/roles",
            sent_at=now(),
        )
        press = Press(channel=channel, address="main", handle=handle, platform_id="1", data="nsa:x:allow")
        for act in (front.receive(incoming), front.joined(incoming), front.press(press)):
            with pytest.raises(ValueError, match="slack"):
                await act
    for closing in (front.closed("web", "main", ""), front.moved("web", "main", "elsewhere")):
        with pytest.raises(ValueError, match="slack"):
            await closing


_MADE = """
from nanoclaw.domain.ports import Channel

class Made(Channel):
    def __init__(self, setup):
        self.name = setup.name

    async def start(self, front):
        {start}

    async def send(self, parcel, handover):
        return parcel.id
"""
