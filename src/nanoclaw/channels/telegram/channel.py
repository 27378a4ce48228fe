"""One bot as a channel: what people write to it comes in, and what is said to them goes out."""

import asyncio
import hmac
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from telegram import Update
from telegram.error import InvalidToken, TelegramError

from nanoclaw.channels.telegram.attaching import Attacher, CaptionTooLong, fits_below
from nanoclaw.channels.telegram.bots import Moved, NotThere, Unfit, asked, make_bot
from nanoclaw.channels.telegram.downloads import Downloads
from nanoclaw.channels.telegram.drafts import Drafts
from nanoclaw.channels.telegram.menu import Menu
from nanoclaw.channels.telegram.names import bot_id_of, channel_name
from nanoclaw.channels.telegram.polling import Intake, Polling
from nanoclaw.channels.telegram.posting import Place, Poster, Standing
from nanoclaw.channels.telegram.updates import WANTED, ChatClosed, ChatMoved, Pressing, read
from nanoclaw.channels.telegram.webhook import PATH, Webhooks
from nanoclaw.delivery.pacing import Pace
from nanoclaw.delivery.rendering import render
from nanoclaw.domain.errors import NanoClawError, SendLater, SendRefused, SendUnknown, StoreUnavailable
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.messages import File, Incoming, Pressed
from nanoclaw.domain.parcels import Author, Parcel, Preview
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Front
from nanoclaw.domain.styled import Style, Styled
from nanoclaw.domain.text import is_empty
from nanoclaw.durable import people
from nanoclaw.durable.lease import Lease
from nanoclaw.durable.store import Store

log = structlog.get_logger("telegram")

_ACKNOWLEDGE_WITHIN = 0.8  # a press that takes longer is acknowledged without words
_CONNECT_PAUSE = 5.0
_TOKEN_PAUSE = 60.0
_EMPTY = Styled(text="")
_LONG = 4000
_CHANGES_MENU = ("/pair", "/start", "/language")


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """Where Telegram posts updates, when it does: our door, and its address as the world sees it."""

    doors: Webhooks
    url: str


class TelegramChannel:
    preview_every = 0.25

    def __init__(
        self,
        token: str,
        api_base: str,
        *,
        store: Store,
        lease: Lease,
        attachments: Path,
        language: str,
        skills: Callable[[], Mapping[str, str]],
        webhook: Webhook | None,
        is_delivering: Callable[[ChatId], bool],
        troubled: Callable[[NanoClawError | None], None],
    ) -> None:
        """`skills` gives the commands of skills, for the menu; `is_delivering` says whether parcels are on their way to
        a chat; `troubled` hears what keeps the bot from its work.
        """
        self._bot_id = bot_id_of(token)
        self.name = channel_name(self._bot_id)
        bot = self._bot = make_bot(token, api_base)
        self._store = store
        self._lease = lease
        self._webhook = webhook
        self._troubled = troubled
        self._skills = skills
        self._pace = Pace()
        self._poster = Poster(bot, self._pace, store)
        self._attacher = Attacher(bot, self._pace, attachments)
        self._drafts = Drafts(bot, self._pace, self._poster, is_delivering)
        self._downloads = Downloads(bot)
        self._menu = Menu(bot, language)
        self._language = language
        self._username = ""
        self._front: Front | None = None
        self._running: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()

    @property
    def username(self) -> str:
        """As far as it is known: Telegram has to be asked."""
        return self._username

    async def start(self, front: Front) -> None:
        self._front = front
        self._running = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._webhook:
            self._webhook.doors.shut(self._bot_id)
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            with suppress(NanoClawError):
                await self._lease.let_go()
        await self._drafts.close()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await self._downloads.close()
        await self._bot.shutdown()

    # Out

    def can_repeat(self, parcel: Parcel) -> bool:
        """An edit is; a new message is not."""
        return parcel.platform_id is not None or self._drafts.stands(parcel.turn_id)

    async def send(self, parcel: Parcel) -> str:
        try:
            sent = await self._send(parcel)
        except Moved as moved:
            if self._front:
                await self._front.moved(self.name, parcel.address, moved.to)
            self._drafts.forget(parcel.turn_id)  # what it knows stands at the old address
            raise SendLater("telegram-moved") from moved
        except NotThere as gone:
            if self._front:
                await self._front.closed(self.name, parcel.address, str(gone.values.get("said", "")))
            self._drafts.forget(parcel.turn_id)
            raise
        except (SendRefused, SendUnknown):
            self._drafts.forget(parcel.turn_id)  # a person decides; then what stands there is read again
            raise
        except (
            StoreUnavailable
        ) as error:  # before anything was sent: what is sent is written down with insistence
            raise SendLater("store-away", said=str(error)) from error
        except SendLater as later:
            if later.after and later.key == "telegram-busy":
                self._pace.hold(parcel.address, later.after.total_seconds())
            raise
        except Unfit as unfit:
            raise SendRefused("telegram-refused", said=unfit.said) from unfit
        self._drafts.forget(parcel.turn_id)
        return sent

    async def preview(self, preview: Preview) -> None:
        self._drafts.grow(preview)

    def show_working(self, preview: Preview, *, again: bool) -> None:
        self._drafts.begin(preview, again=again)

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        self._drafts.rest(preview, said=said)

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        await self._downloads.fetch(file, target, most_bytes)

    async def _send(self, parcel: Parcel) -> str:
        standing = await self._standing(parcel)
        styled = await _rendered(parcel)
        if parcel.attachments:
            await self._attach(parcel, standing, styled)
        elif not is_empty(styled.text):
            await self._poster.settle(standing, styled, parcel.buttons)
        if not standing.messages:
            raise SendRefused("telegram-empty")
        return str(standing.messages[0][0])

    async def _standing(self, parcel: Parcel) -> Standing:
        """What of this parcel is in the chat already: as a draft, from an earlier try, or because it is amended."""
        place = Place(
            chat_id=parcel.chat_id, address=parcel.address, thread=parcel.thread, reply_ref=parcel.reply_ref
        )
        if parcel.turn_id and (known := await self._drafts.take(parcel.turn_id)):
            return known
        standing = await self._poster.load(parcel.turn_id or parcel.id, place)
        if not standing.messages and parcel.platform_id:
            standing.messages.append((int(parcel.platform_id), None))
        return standing

    async def _attach(self, parcel: Parcel, standing: Standing, styled: Styled) -> None:
        """The files first; a text that does not fit below them follows."""
        fits = fits_below(styled)
        if not standing.messages:
            try:
                await self._put_files(parcel, standing, styled if fits else _EMPTY)
            except CaptionTooLong:
                fits = False
                await self._put_files(parcel, standing, _EMPTY)
            if not fits:
                await self._poster.note(standing, 0, standing.messages[0][0])
        if not fits:
            await self._poster.settle(standing, styled, parcel.buttons, after=1)

    async def _put_files(self, parcel: Parcel, standing: Standing, below: Styled) -> None:
        buttons = parcel.buttons if below.text else ()
        number = await self._attacher.send(standing.place, parcel.attachments, below, buttons)
        standing.messages.append((number, _EMPTY))

    # In

    async def _run(self) -> None:
        await self._connect()
        intake = Intake(self._bot, self.name, self._store, self._handle)
        await self._menu.offer_to_all(self._skills())
        if self._webhook is None:
            await Polling(self._bot, self._lease, intake, self._troubled).run()
            return
        # The same on every host that has the token, and known to nobody else.
        secret = hmac.digest(self._bot.token.encode(), b"webhook", "sha256").hex()
        self._webhook.doors.open(self._bot_id, secret, intake)
        url = f"{self._webhook.url.rstrip('/')}{PATH}/{self._bot_id}"
        await self._insist(lambda: self._bot.set_webhook(url, secret_token=secret, allowed_updates=WANTED))

    async def _connect(self) -> None:
        """Who we are, and that Telegram keeps updates for us instead of posting them somewhere else."""
        await self._insist(self._bot.initialize)
        if self._webhook is None:
            await self._insist(self._bot.delete_webhook)
        self._username = self._bot.username
        log.info("bot connected", channel=self.name, username=self._username)

    async def _insist(self, call: Callable[[], object]) -> None:
        while True:
            try:
                await call()  # type: ignore[misc]
            except InvalidToken:
                self._troubled(NanoClawError("telegram-token"))
                await asyncio.sleep(_TOKEN_PAUSE)
            except (
                TelegramError,
                LookupError,
                ValueError,
            ) as error:  # an answer that is none ends in any of them
                log.warning("bot not connected yet", channel=self.name, reason=repr(error))
                self._troubled(NanoClawError("telegram-silent", said=str(error)[:100]))
                await asyncio.sleep(_CONNECT_PAUSE)
            else:
                self._troubled(None)
                return

    async def _handle(self, update: Update) -> None:
        front = self._front
        if front is None:
            return
        match read(update, channel=self.name, me=self._bot.bot):
            case Incoming() as incoming:
                await front.receive(incoming)
                if incoming.private and incoming.text.startswith(_CHANGES_MENU):
                    self._keep(self._offer_menu(incoming))
            case Pressing(press=press, query_id=query_id):
                pressing = asyncio.ensure_future(front.press(press))
                self._keep(self._acknowledge(query_id, pressing))
                await asyncio.shield(pressing)
            case ChatMoved(address=address, to=to):
                await front.moved(self.name, address, to)
            case ChatClosed(address=address, why=why):
                await front.closed(self.name, address, why)
            case None:
                pass

    def _keep(self, side_work: Coroutine[None, None, None]) -> None:
        """Beside what the updates need: nobody waits for it."""
        task = asyncio.create_task(side_work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def _offer_menu(self, incoming: Incoming) -> None:
        """Someone may have become the owner, or may have chosen a language."""
        person = await self._store.read(lambda tx: people.person_named(tx, incoming.handle))
        if person and person.role.may(Role.MEMBER):
            language = person.language or self._language
            await self._menu.offer_in(incoming.address, person.role, language, self._skills())

    async def _acknowledge(self, query_id: str, pressing: "asyncio.Future[Pressed]") -> None:
        """At once: the button turns until then. With words if what came of it is known in time."""
        await asyncio.wait((pressing,), timeout=_ACKNOWLEDGE_WITHIN)
        known = pressing.done() and not pressing.cancelled() and pressing.exception() is None
        pressed = pressing.result() if known else None
        text = pressed.text if pressed else None
        refused = pressed is not None and not pressed.taken
        with suppress(
            NanoClawError, Unfit, Moved
        ):  # too old to be answered; what it did is shown on the card
            await asked(
                self._bot.answer_callback_query(query_id, text=text, show_alert=refused), harmless=True
            )


async def _rendered(parcel: Parcel) -> Styled:
    """A long text in a thread: it would hold up everyone else."""
    is_long = len(parcel.text) > _LONG
    styled = await asyncio.to_thread(render, parcel.text) if is_long else render(parcel.text)
    return _with_live_commands(styled) if parcel.author is Author.HOST else styled


def _with_live_commands(styled: Styled) -> Styled:
    """Telegram makes a command something to tap on, but not within code."""
    told = styled.text.encode("utf-16-le")
    spans = (
        span
        for span in styled.spans
        if span.style is not Style.CODE or not told[span.start * 2 :].startswith("/".encode("utf-16-le"))
    )
    return Styled(text=styled.text, spans=tuple(spans))
