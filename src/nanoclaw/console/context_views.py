"""Context files and proposals as the API shows them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from nanoclaw.console import context_shapes as shapes
from nanoclaw.console.markdown import to_html
from nanoclaw.domain.context_files import RHYTHMS, is_stale
from nanoclaw.durable import people, proposals
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.files import diff
from nanoclaw.texts import say


def show_files(
    tx: Tx, company: str, changed: dict[str, datetime], language: str, at: datetime
) -> list[shapes.ContextFile]:
    waiting = Counter(each.file for each in proposals.waiting(tx, company))
    return [_file(file, changed.get(file), waiting[file], language, at) for file in RHYTHMS]


def show_text(
    tx: Tx, company: str, file: str, text: str | None, changed: datetime | None, language: str, at: datetime
) -> shapes.ContextText:
    waiting = proposals.waiting(tx, company, file)
    shown = _file(file, changed, len(waiting), language, at)
    return shapes.ContextText(
        **dict(shown),
        company=company,
        text=text and text.replace("\r\n", "\n"),
        html=to_html(text or ""),
        waiting=[show_proposal(tx, each) for each in waiting],
    )


def show_proposals(tx: Tx, found: Sequence[proposals.Proposal]) -> list[shapes.Proposal]:
    return [show_proposal(tx, each) for each in found]


def show_proposal(tx: Tx, proposal: proposals.Proposal) -> shapes.Proposal:
    person = people.person(tx, proposal.person_id) if proposal.person_id else None
    return shapes.Proposal.of(
        proposal,
        person=person.name if person else "",
        diff=diff(proposal.before, proposal.after),
    )


def _file(
    file: str, changed: datetime | None, waiting: int, language: str, at: datetime
) -> shapes.ContextFile:
    area, _, _ = file.partition("/")
    key = file.replace("/", "-").replace("_", "-")
    days = max(0, (at - changed).days) if changed else None
    age = say(language, "context-missing") if days is None else say(language, "context-age", days=days)
    rhythm = say(language, "context-rhythm", rhythm=RHYTHMS[file].value)
    return shapes.ContextFile(
        file=file,
        area=area,
        title=say(language, f"context-file-{key}"),
        purpose=say(language, f"context-purpose-{key}"),
        rhythm=RHYTHMS[file].value,
        changed_at=changed,
        days=days,
        age=f"{age} · {rhythm}",
        stale=changed is not None and is_stale(file, changed, at),
        proposals=waiting,
    )
