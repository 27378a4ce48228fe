"""Measures how long a result that comes back takes beside the model's own time: from its arrival until it is merged.

See benchmarks/README.md.
"""

import argparse
import asyncio
import json
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import structlog
from benchmarks.measuring import Room, incoming, print_figure, settled

from nanoclaw.domain.people import LOCAL_OWNER, Actor
from nanoclaw.domain.transfers import Analysis, AnalysisState, Target, Transfer, TransferState
from nanoclaw.durable import analyses, memberships, messages, people, sessions, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import Asked, ModelServer, started_host

_SIZE, _FACTS_OF_A_PART = 200_000, 30
_MOST_SECONDS = 3.0  # issue 21


def answer(asked: Asked) -> str:
    """At once: what the model itself takes is not measured."""
    if "<document name=" not in asked.text:
        return "Done."
    part = asked.text.partition("Here is part ")[2].partition(" ")[0]
    facts = [
        {"text": f"Part {part} has {number} shops in town {number}.", "source": f"town {number}"}
        for number in range(_FACTS_OF_A_PART)
    ]
    decisions = [{"text": f"We open shop {part}."}]
    changes = [{"file": "market/channels", "change": f"Shop {part} sells beans."}]
    return json.dumps({"facts": facts, "decisions": decisions, "context_changes": changes})


def document(transfer: Transfer, number: int) -> bytes:
    line = "The roastery in town {} sells fresh coffee; свіжа кава щомісяця коштує 1250 грн за пачку.\n"
    said = "".join(line.format(each) for each in range(_SIZE // 100))
    return f"Transfer ID: {transfer.id}\n\n# Result {number}\n\n{said}".encode()[:_SIZE]


async def taken_elsewhere(host: Host, message_id: str) -> Transfer:
    def write(tx: Tx) -> Transfer:
        first = messages.get(tx, message_id)
        assert first
        [session] = sessions.of_chat(tx, first.chat_id, first.thread)
        made = Transfer(
            id=transfers.new_transfer_id(),
            company="demo",
            group=session.group,
            session_id=session.id,
            chat_id=session.chat_id,
            person_id=first.person_id,
            purpose="a deep analysis",
            source_runtime="nanoclaw",
            source_version="1",
            target=Target.MANUAL,
            language="en",
            created_at=now(),
            delivered_at=now(),
            expires_at=now() + timedelta(hours=72),
            state=TransferState.DELIVERED,
        )
        transfers.add(tx, made)
        return made

    return await host.store.write(write)


def owner(tx: Tx) -> Actor:
    person = people.person_named(tx, LOCAL_OWNER)
    assert person
    return Actor.of(person, memberships.rights_of(tx, person), via="web", language="en")


async def imported(host: Host, analysis: Analysis) -> Analysis:
    while True:
        found = await host.store.read(lambda tx: analyses.get(tx, analysis.id))
        if found and found.ended_at:
            assert found.state is AnalysisState.IMPORTED, found.reason
            return found
        await asyncio.sleep(0.002)


async def measure_import(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        room = Room()
        async with ModelServer(answer) as model:
            home = Path(place) / "nanoclaw"
            vendor = {"api_key": model.key, "base_url": model.url}
            async with started_host(
                home, channels={"web": room}, anthropic=vendor, agents={"runtime": "native"}
            ) as host:
                message_id = await room.front.receive(incoming("begin"))
                assert message_id
                await settled(host, message_id)
                by = await host.store.read(owner)
                took: list[float] = []
                for number in range(rounds):
                    transfer = await taken_elsewhere(host, message_id)
                    content = document(transfer, number)
                    began = time.perf_counter()
                    analysis = await host.analysis_parts.analyses.bring(
                        by=by,
                        group="main",
                        chat_id=transfer.chat_id,
                        thread=None,
                        name=f"result-{number}.md",
                        content=content,
                        via="page",
                        transfer=None,
                    )
                    done = await imported(host, analysis)
                    took.append(time.perf_counter() - began)
        found = done.found or {}
        told = f"{len(content) // 1000} kB, {len(found['facts'])} facts, {len(found['decisions'])} decisions"
        wanted = f"at most {_MOST_SECONDS:.0f} s beside the model calls"
        print_figure("import, the first time: seconds", took[0], f"{told}; {wanted}")
        print_figure("import, again: seconds", min(took), wanted)


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    asyncio.run(measure_import(parser.parse_args().rounds))
