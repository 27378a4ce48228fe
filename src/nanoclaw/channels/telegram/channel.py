"""One bot as a channel: what people write to it comes in, and what is said to them goes out."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog
from telegram.error import TelegramError

from nanoclaw.channels.telegram.attachments import Attachments, CaptionTooLong, fits_below
from nanoclaw.channels.telegram.bots import Moved, NotThere, Unfit, make_bot
from nanoclaw.channels.telegram.calls import Calls
from nanoclaw.channels.telegram.downloads import Downloads
from nanoclaw.channels.telegram.drafts import Drafts
from nanoclaw.channels.telegram.listener import Listener, Webhook
from nanoclaw.channels.telegram.menu import Menu
from nanoclaw.channels.telegram.names import bot_id_of, channel_name
from nanoclaw.channels.telegram.poster import Destination, Poster, SentAnswer, below
from nanoclaw.channels.telegram.request import CRYING
from nanoclaw.delivery.markdown import render
from nanoclaw.delivery.pace import Pace
from nanoclaw.domain.errors import NanoClawError, SendLater, SendRefused, SendUnknown, StoreUnavailable
from nanoclaw.domain.messages import File
from nanoclaw.domain.parcels import Author, Parcel, ParcelState, Preview
from nanoclaw.domain.ports import Channel, Front, SendMarks
from nanoclaw.domain.styled import Style, Styled
from nanoclaw.domain.text import is_empty
from nanoclaw.durable.liveness import Liveness
from nanoclaw.durable.set_aside import SetAside
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Store

log = structlog.get_logger("telegram")

_EMPTY = Styled(text="")
_LONG = 4000


class TelegramChannel(Channel):
    replies = True
    preview_every = 0.25

    def __init__(
        self,
        token: str,
        api_base: str,
        *,
        store: Store,
        lease: SingleHost,
        attachments: Path,
        language: str,
        skills: Callable[[], Mapping[str, str]],
        webhook: Webhook | None,
        liveness: Liveness,
        hosts: Callable[[], int],
        troubled: Callable[[NanoClawError | None], None],
        aside: Callable[[SetAside], None],
    ) -> None:
        """`skills` gives the commands of skills, for the menu; `liveness` knows whether this host may still speak, and
        `hosts` how many there are; `troubled` is told what keeps the bot from working, and `aside` which update was
        set aside.
        """
        self.name = channel_name(bot_id_of(token))
        bot = self._bot = make_bot(token, api_base, liveness.assure)
        self._pace = Pace(hosts=hosts)
        self._calls = Calls(bot, store, liveness)
        self._poster = Poster(bot, self._pace, store, self._calls)
        self._attacher = Attachments(bot, self._pace, attachments, self._calls)
        self._drafts = Drafts(bot, self._pace, self._poster, liveness)
        self._downloads = Downloads(bot)
        self._front: Front | None = None
        self._listening = Listener(
            bot,
            store=store,
            lease=lease,
            menu=Menu(bot, language, skills),
            webhook=webhook,
            troubled=troubled,
            aside=aside,
        )

    @property
    def username(self) -> str:
        """The username once known: Telegram has to be asked."""
        return self._listening.username

    @property
    def trouble(self) -> NanoClawError | None:  # type: ignore[override] # read where it is known, never set
        """Why the bot is not listening right now; None only while it is."""
        return self._listening.trouble

    async def until_tried(self) -> None:
        """Wait until it is known whether the bot is listening."""
        await self._listening.until_tried()

    @property
    def deaf_for(self) -> float:
        """Seconds without anything from Telegram, if that is too long; otherwise 0."""
        return self._listening.deaf_for

    async def start(self, front: Front) -> None:
        self._front = front
        self._listening.start(front)

    async def stop(self) -> None:
        await self._listening.stop()
        await self._drafts.close()
        await self._calls.close()
        await self._downloads.close()
        await self._bot.shutdown()

    def leaves_at_once(self, parcel: Parcel) -> bool:
        """Whether it leaves at once: a new message does, if its chat need not wait. Edits can be repeated,
        and so can the end of a draft.
        """
        is_new = parcel.platform_id is None and not self._drafts.began(parcel.turn_id)
        return is_new and self._pace.is_free(parcel.address, is_group=parcel.address.startswith("-"))

    async def send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        try:
            sent = await self._send(parcel, send_mark)
        except Moved as moved:
            if self._front:
                await self._front.moved(self.name, parcel.address, moved.to)
            self._drafts.forget(parcel.turn_id)  # what it knows is at the old address
            raise SendLater("telegram-moved") from moved
        except NotThere as gone:
            if self._front:
                await self._front.closed(self.name, parcel.address, str(gone.values.get("said", "")))
            self._drafts.forget(parcel.turn_id)
            raise
        except (SendRefused, SendUnknown):
            self._drafts.forget(parcel.turn_id)  # a person decides; then the chat's state is read again
            raise
        except StoreUnavailable as error:
            # Before anything is sent: what is sent is recorded whatever it takes.
            raise SendLater("store-away", said=str(error)) from error
        except SendLater as later:
            if later.after and later.key == "telegram-busy":
                self._pace.hold(parcel.address, later.after.total_seconds())
            raise
        except Unfit as unfit:
            raise SendRefused("telegram-refused", said=unfit.said) from unfit
        self._drafts.forget(parcel.turn_id)
        return sent

    async def cry(self, address: str, text: str) -> bool:
        crying = CRYING.set(True)
        try:
            await self._bot.send_message(chat_id=int(address), text=text)
        except TelegramError as error:
            raise SendLater("telegram-silent", said=error.message[:100]) from error
        finally:
            CRYING.reset(crying)
        return True

    async def preview(self, preview: Preview) -> None:
        await self._drafts.grow(preview)

    def show_working(self, preview: Preview, *, again: bool) -> None:
        self._drafts.begin(preview, again=again)

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        self._drafts.rest(preview, said=said)

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        await self._downloads.fetch(file, target, most_bytes)

    async def _send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        standing = await self._standing(parcel)
        standing.above = parcel.note
        styled = await _rendered(parcel)
        if parcel.attachments:
            await self._attach(parcel, standing, styled, send_mark)
        elif not is_empty(styled.text):
            await self._poster.settle(standing, styled, send_mark, parcel.buttons)
        if not standing.messages:
            raise SendRefused("telegram-empty")
        return str(standing.messages[0][0])

    async def _standing(self, parcel: Parcel) -> SentAnswer:
        """The parts of this parcel that are already in the chat: as a draft, from an earlier try, or because
        it is amended.
        """
        place = Destination(
            chat_id=parcel.chat_id,
            address=parcel.address,
            thread=parcel.thread,
            reply_ref=parcel.reply_ref,
            silent=parcel.silent,
        )
        known = await self._drafts.take(parcel.turn_id) if parcel.turn_id else None
        # If this host knows of nothing there, another may know better; not for a brand-new parcel.
        if known and (known.messages or known.lost or parcel.state is ParcelState.SENDING):
            return known
        standing = await self._poster.load(parcel.turn_id or parcel.id, place)
        if not standing.messages and parcel.platform_id:
            standing.messages.append((int(parcel.platform_id), None))
        return standing

    async def _attach(
        self, parcel: Parcel, standing: SentAnswer, styled: Styled, send_mark: SendMarks
    ) -> None:
        """Send files first; a text that does not fit as a caption follows."""
        if not standing.messages:
            styled, standing.above = below(standing.above, styled), None
        fits = fits_below(styled)
        if not standing.messages:
            try:
                await self._put_files(parcel, standing, styled if fits else _EMPTY, send_mark)
            except CaptionTooLong:
                fits = False
                await self._put_files(parcel, standing, _EMPTY, send_mark)
            if not fits:
                await self._poster.note(standing, 0, standing.messages[0][0])
        if not fits:
            await self._poster.settle(standing, styled, send_mark, parcel.buttons, after=1)

    async def _put_files(
        self, parcel: Parcel, standing: SentAnswer, below: Styled, send_mark: SendMarks
    ) -> None:
        buttons = parcel.buttons if below.text else ()
        number = await self._attacher.send(standing, parcel.attachments, below, buttons, send_mark)
        standing.messages.append((number, _EMPTY))


async def _rendered(parcel: Parcel) -> Styled:
    """Render a long text in a thread: it would block everyone else."""
    is_long = len(parcel.text) > _LONG
    styled = await asyncio.to_thread(render, parcel.text) if is_long else render(parcel.text)
    return _with_live_commands(styled) if parcel.author is Author.HOST else styled


def _with_live_commands(styled: Styled) -> Styled:
    """Telegram makes commands tappable, but not inside code."""
    told = styled.text.encode("utf-16-le")
    spans = (
        span
        for span in styled.spans
        if span.style is not Style.CODE or not told[span.start * 2 :].startswith("/".encode("utf-16-le"))
    )
    return Styled(text=styled.text, spans=tuple(spans))
