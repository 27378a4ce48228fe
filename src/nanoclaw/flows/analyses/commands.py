"""`/import-analysis` with a file, or in reply to one; and the buttons under what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.messages import File, Message
from nanoclaw.domain.parcels import Attachment, Author
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import analyses, messages, sent, session_queue
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses import told, transfer_match
from nanoclaw.flows.analyses.changes import Analyses
from nanoclaw.flows.analyses.files import tidy_document_name
from nanoclaw.flows.incoming.commands import Answer, CommandContext, RefusedAnswer, refused_in_words
from nanoclaw.texts import say

_CHAT = "chat"


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisCommands:
    analyses: Analyses

    def answers(self) -> Mapping[str, Answer]:
        return {"import-analysis": partial(refused_in_words, self._import)}

    def _import(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/import-analysis [TRANSFER]`. The file lies where the agent of the group works."""
        language = asked.locale.speaks
        group = next((each for each in asked.groups if asked.rights.role_in(each).may(Role.MEMBER)), None)
        if group is None:
            raise Refused("analysis-forbidden")
        found = self._file(tx, asked, group)
        if found is None:
            return RefusedAnswer(say(language, "analysis-usage"))
        group, file = found
        if file.path is None and file.missing is None:
            raise Refused("analysis-file-fetching", name=file.name)
        if file.path is None:
            raise Refused("analysis-file-missing", name=file.name, said=file.missing or "-")
        name = tidy_document_name(file.name)
        transfer = argument.split()[0] if argument else self._of_reply(tx, asked)
        analysis = self.analyses.made(
            tx,
            asked.actor,
            group=group,
            chat_id=asked.chat.id,
            thread=asked.message.thread,
            name=name,
            via=_CHAT,
            transfer=transfer,
            message_id=asked.message.id,
            at=asked.at,
        )
        # Only the story copies files. It copies first, and then knows whether the same document was brought before.
        analysis = replace(analysis, found={"from": {"group": group, "path": file.path}})
        received = self.analyses.receive(tx, analysis, asked.actor, asked.at)
        key = "analysis-waits-for-people" if received.question_id else "analysis-reading"
        return say(language, key, name=as_written(name))

    def _file(self, tx: Tx, asked: CommandContext, group: str) -> tuple[str, File] | None:
        """The file that came with the command, or with the message it replies to, and the group that holds it."""
        if asked.message.files:
            return group, asked.message.files[0]
        quote = asked.message.reply_to
        said = messages.at(tx, asked.chat.id, quote.ref) if quote else None
        if said is None or not said.files:
            return None
        return self._group_of(tx, said, group), said.files[0]

    def _group_of(self, tx: Tx, said: Message, otherwise: str) -> str:
        read_by = session_queue.sessions_of(tx, said.id)
        return read_by[0].group if read_by else otherwise

    def _of_reply(self, tx: Tx, asked: CommandContext) -> str | None:
        """The transfer whose package document this file replies to, if any."""
        quote = asked.message.reply_to
        if quote is None or not asked.message.files:
            return None
        parcel = outbox.about(tx, sent.subject_at(tx, asked.chat.id, quote.ref) or quote.ref)
        ids = transfer_match.ids_in(outbox.origin_of(tx, parcel.id) or "") if parcel else []
        return ids[0] if len(ids) == 1 else None

    def press(self, tx: Tx, meant: str, by: Actor, chat_id: ChatId, at: datetime) -> str:
        """Handle `{id}:show` or `{id}:undo`; returns what to tell the person who pressed. Raises Refused."""
        analysis_id, _, what = meant.partition(":")
        if what == told.UNDO:
            self.analyses.undo(tx, analysis_id, by, at)
            return say(by.language, "analysis-undo-done")
        analysis = analyses.get(tx, analysis_id)
        if analysis is None or what != told.SHOW:
            raise NotFound("no-such-analysis", id=analysis_id[:80])
        if not by.rights.role_in(analysis.group).may(Role.MEMBER):
            raise Refused("analysis-forbidden")
        kept = (analysis.found or {}).get("listing")
        text = told.listing(analysis, by.language)
        outbox.post(
            tx,
            chat_id=chat_id,
            thread=analysis.thread if chat_id == analysis.chat_id else None,
            author=Author.HOST,
            text=say(by.language, "analysis-list-document", name=as_written(analysis.file_name))
            if kept
            else text,
            at=at,
            attachments=[Attachment(media_type="text/markdown", **kept)] if kept else (),
        )
        return say(by.language, "analysis-shown")
