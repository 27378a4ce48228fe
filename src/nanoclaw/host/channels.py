"""The channels that the settings name. If one cannot be loaded or started, owners are told; the rest works."""

import asyncio
from pathlib import Path
from typing import Any

import structlog
from pydantic import ValidationError

from nanoclaw.console.console import ChannelState
from nanoclaw.domain.errors import BadSettings, NanoClawError
from nanoclaw.domain.ids import MessageId, new_id
from nanoclaw.domain.messages import Incoming, Press, Pressed
from nanoclaw.domain.people import ANONYMOUS
from nanoclaw.domain.ports import Channel, ChannelSetup, Front
from nanoclaw.host.keys import FILE as KEYS
from nanoclaw.host.owner_alerts import OwnerAlerts
from nanoclaw.host.plugins import channel_class
from nanoclaw.host.private import read_private
from nanoclaw.host.secret_mask import hide, masked
from nanoclaw.host.settings import SECRET_KEY, Settings
from nanoclaw.texts import say, tell

log = structlog.get_logger("channels")

_PATIENCE = 20.0  # seconds to start, or to stop
_LONGEST = 200  # characters of its code's error message


class SettingsChannels:
    """`channels` is the host's own table: loaded channels appear there."""

    def __init__(
        self, home: Path, settings: Settings, channels: dict[str, Channel], owners: OwnerAlerts
    ) -> None:
        self._home = home
        self._settings = settings
        self._channels = channels
        self._owners = owners
        self._loaded: dict[str, Channel] = {}
        self._troubles: dict[str, NanoClawError] = {}
        self._starting: list[asyncio.Task[None]] = []

    def has(self, name: str) -> bool:
        return name in self._loaded

    async def open(self) -> None:
        """Let parcels find their channel; nothing is received yet."""
        for name in self._settings.channels:
            try:
                made = await asyncio.to_thread(load, self._home, self._settings, name)
            except NanoClawError as error:
                self._give_up(name, error)
            else:
                self._loaded[name] = self._channels[name] = made

    def start(self, front: Front) -> None:
        """Start in the background: nobody waits for third-party code."""
        self._starting = [asyncio.create_task(self._start(each, front)) for each in self._loaded.values()]

    async def stop(self) -> None:
        for starting in self._starting:
            starting.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for name, channel in self._loaded.items():
            try:
                async with asyncio.timeout(_PATIENCE):
                    await channel.stop()
            except Exception as error:  # noqa: BLE001 - somebody else's code: the others must still be stopped
                log.warning("channel not stopped", channel=name, reason=error)

    def report(self, language: str) -> list[ChannelState]:
        found = []
        for name in self._settings.channels:
            channel = self._loaded.get(name)
            trouble = self._troubles.get(name) or (channel.trouble if channel else None)
            found.append(ChannelState(name=name, trouble=tell(language, trouble) if trouble else None))
        return found

    async def _start(self, channel: Channel, front: Front) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await channel.start(OwnFront(front, channel.name))
        except NanoClawError as error:
            self._give_up(channel.name, error)
        except Exception as error:  # noqa: BLE001 - somebody else's code: the host works without it
            self._give_up(channel.name, _broken(channel.name, error))

    def _give_up(self, name: str, trouble: NanoClawError) -> None:
        log.error("channel in trouble", channel=name, reason=trouble)
        self._troubles[name] = trouble

        def words(language: str) -> str:
            return say(language, "alert-channel", name=name, reason=tell(language, trouble))

        self._owners.tell(new_id("x"), words)


def load(home: Path, settings: Settings, name: str) -> Channel:
    """Raises NanoClawError, whatever its code does."""
    given = own_settings(home, settings, name)
    setup = ChannelSetup(name=name, settings=given, attachments=home / "data" / "attachments")
    try:
        channel = channel_class(name, settings.channels[name], home)(setup)  # type: ignore[call-arg]
    except NanoClawError:
        raise
    except ValidationError as error:  # the value is not repeated: it may be a secret
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise BadSettings("channel-settings", name=name, key=key, said=first["msg"]) from None
    except (Exception, SystemExit) as error:  # third-party code: the host works without it
        raise _broken(name, error) from error
    if getattr(channel, "name", "") != name:
        raise BadSettings("channel-misnamed", name=name)
    return channel


def own_settings(home: Path, settings: Settings, name: str) -> dict[str, Any]:
    """Its keys from the file and the environment, and those stored with `nanoclaw key set <name>.<key>`."""
    kept = read_private(home / "data" / KEYS)
    stored = {key.partition(".")[2]: value for key, value in kept.items() if key.startswith(f"{name}.")}
    own = settings.channels[name].own
    hide(str(value) for key, value in own.items() if SECRET_KEY.search(key))
    return stored | own


def _broken(name: str, error: BaseException) -> BadSettings:
    said = masked(f"{type(error).__name__}: {error}")[:_LONGEST]
    return BadSettings("channel-broken", name=name, said=said)


class OwnFront:
    """What one channel may pass in: it cannot speak for another network, nor for the owner of this machine."""

    def __init__(self, front: Front, name: str) -> None:
        self._front = front
        self._name = name

    async def receive(self, incoming: Incoming) -> MessageId:
        self._check(incoming.channel, incoming.handle)
        return await self._front.receive(incoming)

    async def press(self, press: Press) -> Pressed:
        self._check(press.channel, press.handle)
        return await self._front.press(press)

    async def joined(self, incoming: Incoming) -> None:
        self._check(incoming.channel, incoming.handle)
        await self._front.joined(incoming)

    async def moved(self, channel: str, address: str, to: str) -> None:
        self._check(channel)
        await self._front.moved(channel, address, to)

    async def closed(self, channel: str, address: str, why: str) -> None:
        self._check(channel)
        await self._front.closed(channel, address, why)

    def _check(self, channel: str, handle: str | None = None) -> None:
        if channel != self._name:
            raise ValueError(f"this is the channel {self._name}")
        if handle is not None and handle.partition(":")[0].removesuffix(ANONYMOUS) != self._name:
            raise ValueError(f"handles begin with {self._name}:")
