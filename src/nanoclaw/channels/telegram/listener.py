"""Receives what people do on Telegram, by polling or by webhook, and passes it on."""

import asyncio
import hmac
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass

import structlog
from telegram import Update
from telegram.error import InvalidToken, TelegramError

from nanoclaw.channels.telegram.bots import Moved, RawBot, Unfit, asked, is_page
from nanoclaw.channels.telegram.intake import Intake
from nanoclaw.channels.telegram.menu import Menu
from nanoclaw.channels.telegram.names import bot_id_of, channel_name
from nanoclaw.channels.telegram.polling import Polling
from nanoclaw.channels.telegram.updates import WANTED, ChatClosed, ChatMoved, Joined, Pressing, read
from nanoclaw.channels.telegram.webhook import PATH, Webhooks
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.messages import Incoming, Pressed
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.ports import Front
from nanoclaw.durable import memberships, people, wirings
from nanoclaw.durable.set_aside import SetAside
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Store, Tx

log = structlog.get_logger("telegram")

ACKNOWLEDGE_WITHIN = 0.8  # a press that takes longer is acknowledged without text
_LONGEST_ANSWER = 200  # characters; Telegram refuses more, and the button would keep spinning
_CONNECT_PAUSE = 5.0
_TOKEN_PAUSE = 20.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """Where Telegram posts updates, if it does: our endpoint, and its public address."""

    hooks: Webhooks
    url: str


class Listener:
    """`troubled` is told what keeps the bot from working, and None when that is over; `aside` what was set aside."""

    def __init__(
        self,
        bot: RawBot,
        *,
        store: Store,
        lease: SingleHost,
        menu: Menu,
        webhook: Webhook | None,
        troubled: Callable[[NanoClawError | None], None],
        aside: Callable[[SetAside], None],
    ) -> None:
        self.username = ""
        self._bot = bot
        self._bot_id = bot_id_of(bot.token)
        self._name = channel_name(self._bot_id)
        self._store = store
        self._lease = lease
        self._menu = menu
        self._webhook = webhook
        self._troubled = troubled
        self._aside = aside
        self._polling: Polling | None = None
        self._trouble: NanoClawError | None = NanoClawError("telegram-connecting")
        self._tried = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()

    def start(self, front: Front) -> None:
        self._front = front
        self._running = asyncio.create_task(self._run_for_ever())

    @property
    def trouble(self) -> NanoClawError | None:
        """Why the bot is not listening right now, as of the last call; None only while it is."""
        return self._trouble

    async def until_tried(self) -> None:
        """Wait until it is known whether the bot is listening."""
        await self._tried.wait()

    def _report(self, trouble: NanoClawError | None) -> None:
        self._trouble = trouble
        self._tried.set()

    @property
    def deaf_for(self) -> float:
        """Seconds without anything from Telegram, if that is too long; otherwise 0."""
        return self._polling.deaf_for if self._polling else 0.0

    async def stop(self) -> None:
        if self._webhook:
            self._webhook.hooks.shut(self._bot_id)
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            with suppress(NanoClawError):
                await self._lease.let_go()
        await asyncio.gather(*self._beside, return_exceptions=True)

    async def _run_for_ever(self) -> None:
        """Whatever the network sends or goes wrong here, the bot must never go deaf silently."""
        while True:
            try:
                await self._run()
            except asyncio.CancelledError:
                self._report(NanoClawError("telegram-connecting"))
                raise
            except Exception as error:
                log.exception("bot stumbled", channel=self._name)
                trouble = NanoClawError("telegram-silent", said=repr(error)[:100])
                self._report(trouble)
                self._troubled(trouble)
                await asyncio.sleep(_CONNECT_PAUSE)
            else:
                return

    async def _run(self) -> None:
        await self._connect()
        intake = Intake(self._bot, self._name, self._store, self._handle, self._aside)
        await self._menu.offer_to_all()
        if self._webhook is None:
            self._polling = Polling(
                self._bot, self._lease, intake, troubled=self._troubled, listens=self._report
            )
            await self._polling.run()
            return
        # The same on every host that has the token, and known to nobody else.
        secret = hmac.digest(self._bot.token.encode(), b"webhook", "sha256").hex()
        self._webhook.hooks.open(self._bot_id, secret, intake)
        url = f"{self._webhook.url.rstrip('/')}{PATH}/{self._bot_id}"
        await self._insist(lambda: self._bot.set_webhook(url, secret_token=secret, allowed_updates=WANTED))
        self._report(None)

    async def _connect(self) -> None:
        """Learn who we are, and make sure that Telegram keeps updates for us instead of posting them elsewhere."""
        await self._insist(self._bot.initialize)
        if self._webhook is None:
            await self._insist(self._bot.delete_webhook)
        self.username = self._bot.bot.username or ""
        log.info("bot connected", channel=self._name, username=self.username)

    async def _insist(self, call: Callable[[], object]) -> None:
        while True:
            try:
                await call()  # type: ignore[misc]
            # Anything that is not an answer ends in one of the last four.
            except (TelegramError, LookupError, ValueError, TypeError, AttributeError) as error:
                is_token = isinstance(error, InvalidToken) and not is_page(error)
                if isinstance(error, TelegramError):
                    # The library's message about a token quotes it.
                    log.warning(
                        "bot not connected yet", channel=self._name, reason="token" if is_token else error
                    )
                else:
                    log.exception("bot not connected yet", channel=self._name)
                said = (
                    str(error).partition(". ")[0]
                    if isinstance(error, TelegramError)
                    else type(error).__name__
                )
                silent = NanoClawError("telegram-silent", said=said[:100])
                trouble = NanoClawError("telegram-token") if is_token else silent
                self._report(trouble)
                self._troubled(trouble)
                await asyncio.sleep(_TOKEN_PAUSE if is_token else _CONNECT_PAUSE)
            else:
                self._troubled(None)
                return

    async def _handle(self, update: Update | Incoming) -> None:
        match update if isinstance(update, Incoming) else read(update, channel=self._name, me=self._bot.bot):
            case Incoming() as incoming:
                await self._front.receive(incoming)
                if incoming.private and incoming.text.startswith("/"):
                    self._keep(self._offer_menu(incoming))
            case Pressing(press=press, query_id=query_id):
                pressing = asyncio.ensure_future(self._front.press(press))
                self._keep(self._acknowledge(query_id, pressing))
                await asyncio.shield(pressing)
            case Joined(incoming=incoming):
                await self._front.joined(incoming)
            case ChatMoved(address=address, to=to):
                await self._front.moved(self._name, address, to)
            case ChatClosed(address=address, why=why):
                await self._front.closed(self._name, address, why)
            case None:
                pass

    def _keep(self, side_work: Coroutine[None, None, None]) -> None:
        """Runs in the background: nobody waits for it."""
        task = asyncio.create_task(side_work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def _offer_menu(self, incoming: Incoming) -> None:
        """Someone may have become the owner or chosen a language, or a skill or a template may have come."""

        def look(tx: Tx) -> tuple[Person, Role] | None:
            person = people.person_named(tx, incoming.handle)
            chat = people.chat_at(tx, self._name, incoming.address)
            if person is None or chat is None:
                return None
            return person, memberships.rights_of(tx, person).role_among(wirings.groups_of(tx, chat.id))

        await self._menu.offer_to_all()
        found = await self._store.read(look)
        if found and found[1].may(Role.MEMBER):
            person, role = found
            await self._menu.offer_in(incoming.address, role, person.role, person.language)

    async def _acknowledge(self, query_id: str, pressing: "asyncio.Future[Pressed]") -> None:
        """Acknowledge at once: the button spins until then. With text if the result is known in time."""
        await asyncio.wait((pressing,), timeout=ACKNOWLEDGE_WITHIN)
        known = pressing.done() and not pressing.cancelled() and pressing.exception() is None
        pressed = pressing.result() if known else None
        text = pressed.text[:_LONGEST_ANSWER] if pressed else None
        refused = pressed is not None and not pressed.taken
        # Too old to be answered; the card shows the result.
        with suppress(NanoClawError, Unfit, Moved):
            await asked(
                self._bot.answer_callback_query(query_id, text=text, show_alert=refused), harmless=True
            )
