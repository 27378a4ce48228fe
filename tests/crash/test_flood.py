"""Someone on the machine floods the page of a host that has few descriptors: it continues, and its log stays
small.
"""

import asyncio
import resource
from pathlib import Path

import httpx
import pytest
from tests.crash.program import LOG, Program, first_room, say, settled

pytestmark = [pytest.mark.capability("O1", "O3"), pytest.mark.attack]

USUAL = 1024  # what most systems give a program


async def test_more_half_requests_than_the_host_has_descriptors_keep_nobody_out(
    home: Path, tmp_path: Path
) -> None:
    program = Program(home)
    program.environment[LOG] = str(tmp_path / "log")
    async with program.running(), program.client() as client:
        resource.prlimit(program.pid, resource.RLIMIT_NOFILE, (USUAL, USUAL))
        room = await first_room(client)
        half = []
        for number in range(USUAL + 200):
            reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
            writer.write(b"POST /api/rooms HTTP/1.1\r\nHost:" if number % 2 else b"G")
            half.append((reader, writer))
        async with httpx.AsyncClient(base_url=client.base_url, headers=client.headers, timeout=60) as late:
            await say(late, room, "are you there?", "1")
            await settled(late, room, 1)
        open_now = len(list(Path(f"/proc/{program.pid}/fd").iterdir()))
        assert open_now < USUAL / 2
        for _, writer in half:
            writer.close()
    log = tmp_path / "log"
    assert log.stat().st_size < 100_000
    assert "Traceback" not in log.read_text()
