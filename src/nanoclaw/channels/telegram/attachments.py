"""Sends files in the form that suits them: a picture as a photo, a recording as a voice, several as an album."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from telegram import (
    Bot,
    InputFile,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
)

from nanoclaw.channels.telegram.bots import Unfit
from nanoclaw.channels.telegram.calls import Calls
from nanoclaw.channels.telegram.poster import SentAnswer, entities, keyboard, wait_for_turn
from nanoclaw.delivery.pace import Pace
from nanoclaw.domain.errors import SendRefused
from nanoclaw.domain.parcels import Attachment, Button, Manner
from nanoclaw.domain.ports import SendMarks
from nanoclaw.domain.styled import Styled, units

LONGEST_CAPTION = 1024
_BIGGEST = 50 << 20
_BIGGEST_PICTURE = 10 << 20
_PICTURES = ("image/jpeg", "image/png", "image/webp")
_VOICES = ("audio/ogg", "audio/mpeg", "audio/mp4", "audio/x-m4a")
_NOTHING = Styled(text="")


def fits_below(styled: Styled) -> bool:
    """Whether a text can be the caption of a file."""
    return units(styled.text) <= LONGEST_CAPTION


class CaptionTooLong(Exception):
    """Telegram counts more characters than we do; nothing was sent."""


class Attachments:
    """`folder` is where the bytes are kept."""

    def __init__(self, bot: Bot, pace: Pace, folder: Path, calls: Calls) -> None:
        self._bot = bot
        self._calls = calls
        self._pace = pace
        self._folder = folder

    async def send(
        self,
        standing: SentAnswer,
        files: Sequence[Attachment],
        caption: Styled,
        buttons: Sequence[Button],
        send_mark: SendMarks,
    ) -> int:
        """Send the files; returns the id of the message, or of the first in an album."""
        place = standing.place
        for file in files:
            if file.size > _BIGGEST:
                raise SendRefused("telegram-file-too-big", name=file.name)
        as_they_are = False
        topic = place.topic
        while True:
            await wait_for_turn(self._pace, place, send_mark)
            await send_mark.leaving()
            where = {
                "chat_id": place.address,
                "message_thread_id": topic,
                "reply_parameters": place.reply,
                "disable_notification": place.silent or None,
            }
            try:
                with ExitStack() as opened:
                    return await self._calls.send(
                        standing.subject,
                        0,
                        place.address,
                        self._call(files, caption, buttons, where, opened, as_they_are=as_they_are),
                        send_mark,
                    )
            except Unfit as unfit:
                if "thread not found" in unfit.said and topic is not None:
                    topic = None
                elif "entit" in unfit.said and caption.spans:
                    caption = Styled(text=caption.text)
                elif "too long" in unfit.said and caption.text:
                    raise CaptionTooLong from unfit
                elif not as_they_are:
                    as_they_are = True  # an invalid or too wide picture is still a file
                else:
                    raise SendRefused("telegram-refused", said=unfit.said) from unfit
            except FileNotFoundError as error:
                raise SendRefused("telegram-file-gone", name=files[0].name) from error

    def _call(
        self,
        files: Sequence[Attachment],
        caption: Styled,
        buttons: Sequence[Button],
        where: dict[str, Any],
        opened: ExitStack,
        *,
        as_they_are: bool,
    ) -> Any:
        inputs = [self._open(file, opened) for file in files]
        if len(files) > 1:
            return self._bot.send_media_group(
                **where, media=_album(files, inputs, caption, as_they_are=as_they_are)
            )
        below = {"caption": caption.text or None, "caption_entities": entities(caption) or None}
        send, name = self._method(files[0], as_they_are=as_they_are)
        return send(**where, **below, **{name: inputs[0]}, reply_markup=keyboard(buttons))

    def _method(self, file: Attachment, *, as_they_are: bool) -> tuple[Callable[..., Any], str]:
        if as_they_are:
            return self._bot.send_document, "document"
        if file.manner is Manner.VOICE and file.media_type in _VOICES:
            return self._bot.send_voice, "voice"
        if _is_picture(file):
            return self._bot.send_photo, "photo"
        if file.media_type == "image/gif":
            return self._bot.send_animation, "animation"
        if file.media_type == "video/mp4":
            return self._bot.send_video, "video"
        if file.media_type in ("audio/mpeg", "audio/mp4"):
            return self._bot.send_audio, "audio"
        return self._bot.send_document, "document"

    def _open(self, file: Attachment, opened: ExitStack) -> InputFile:
        handle = opened.enter_context((self._folder / file.kept).open("rb"))
        return InputFile(handle, filename=file.name, attach=True, read_file_handle=False)


def _album(
    files: Sequence[Attachment], inputs: Sequence[InputFile], caption: Styled, *, as_they_are: bool
) -> list[InputMediaPhoto | InputMediaVideo | InputMediaDocument]:
    """Photos and videos together; with anything else among them, all as documents. The first carries the text."""
    can_be_seen = not as_they_are and all(
        _is_picture(file) or file.media_type == "video/mp4" for file in files
    )
    album: list[InputMediaPhoto | InputMediaVideo | InputMediaDocument] = []
    for index, (file, given) in enumerate(zip(files, inputs, strict=True)):
        below = caption if index == 0 else _NOTHING
        seen = InputMediaPhoto if _is_picture(file) else InputMediaVideo
        kind = seen if can_be_seen else InputMediaDocument
        album.append(kind(given, caption=below.text or None, caption_entities=entities(below) or None))
    return album


def _is_picture(file: Attachment) -> bool:
    return file.media_type in _PICTURES and file.size <= _BIGGEST_PICTURE
