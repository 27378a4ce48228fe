"""What several flows begin with."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.memory_scene import Memory, memory_scene


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def memory_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    """One host for the tests of a module: each uses words of its own."""
    async with memory_scene(tmp_path_factory.mktemp("memory") / "nanoclaw") as memory:
        yield memory


@pytest_asyncio.fixture(loop_scope="module")
async def here(memory_stage: Memory) -> Memory:
    """What was said before is not in front of the model any more."""
    await memory_stage.say("/clear")
    memory_stage.agent.forget()
    return memory_stage
