"""A send mark that only counts, for tests of a channel without an outbox."""


class CountedHandover:
    """How often something new was about to leave, and how often it had to wait after all."""

    def __init__(self) -> None:
        self.left = self.stayed = 0

    async def leaving(self) -> None:
        self.left += 1

    async def staying(self) -> None:
        self.stayed += 1

    async def take_back(self) -> None:
        self.stayed += 1
