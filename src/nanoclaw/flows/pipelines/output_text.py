"""Words the outputs of a run: rules that were not kept, and the message at its end."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nanoclaw.context.adaptor_check import Violation, sentence
from nanoclaw.domain.money import dollars
from nanoclaw.domain.pipeline_runs import PipelineRun
from nanoclaw.domain.text import as_written
from nanoclaw.flows.pipelines.delivered import DeliveredText
from nanoclaw.texts import say

_MOST_TOLD = 10  # per text
Faults = Sequence[Mapping[str, Any]]


def fault_sentence(language: str, fault: Mapping[str, Any]) -> str:
    """A broken rule of an adaptor, as `Outputs.faults` gives it."""
    violation = Violation(
        rule=fault["rule"], key=fault["key"], line=fault.get("line"), values=dict(fault.get("values") or {})
    )
    return sentence(language, violation)


def with_faults(language: str, text: str, faults: Faults) -> str:
    """A text that goes out as a message, with its faults below."""
    return "\n".join([text.rstrip(), "", *_told(language, faults)]) if faults else text


def closing(language: str, run: PipelineRun, spent: int, documents: Sequence[DeliveredText]) -> str:
    """The last message of a run: what it was and cost, its documents, and their faults."""
    said = [
        say(
            language,
            "outputs-ready",
            title=as_written(run.template.title),
            subject=as_written(run.subject),
            cost=dollars(spent),
            free="yes" if not spent else "no",
        )
    ]
    if documents:
        said += ["", say(language, "outputs-documents", count=len(documents)), ""]
        said += [f"- {_document(language, each)}" for each in documents]
    for each in documents:
        if each.faults:
            said += ["", *_told(language, each.faults)]
    return "\n".join(said)


def _document(language: str, output: DeliveredText) -> str:
    name = f"`{output.file}`"
    if output.comes_along:
        return say(language, "outputs-source", file=name)
    return say(language, "outputs-for", file=name, target=output.target) if output.target else name


def _told(language: str, faults: Faults) -> Iterator[str]:
    yield say(language, "adapted-faults", target=str(faults[0]["target"]), count=len(faults))
    yield from _lines(language, faults)


def _lines(language: str, faults: Faults) -> list[str]:
    told = [f"- {fault_sentence(language, fault)}" for fault in faults[:_MOST_TOLD]]
    return told if len(faults) <= _MOST_TOLD else [*told, "- …"]
