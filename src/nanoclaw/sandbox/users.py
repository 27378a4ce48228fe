"""Box users: on a root host every tenant's boxes run under their own user id, which owns nothing else."""

import fcntl
import json
import os
from pathlib import Path

from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.domain.errors import BoxRefused

_FIRST = 20_000


class BoxUsers:
    """Which user id belongs to which tenant, kept in a small file so that it stays the same."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._numbers: dict[str, int] = {}

    @property
    def separate(self) -> bool:
        """Whether boxes have user ids other than the host's own: only root can assign them."""
        return os.geteuid() == 0

    def of(self, tenant: str) -> int:
        """The user id, and group id, of a tenant's boxes; without root it is the host's own."""
        if not self.separate:
            return os.geteuid()
        numbers = self._numbers
        if tenant not in numbers:
            numbers = self._numbers = self._with(tenant)
        return _FIRST + numbers[tenant]

    def admit(self, plan: BoxPlan) -> int:
        """The user id for a plan's box. The plan's sockets become that user's: only an owner may connect to them."""
        uid = self.of(plan.tenant)
        if self.separate:
            for mount in plan.mounts:
                if mount.source.is_socket():
                    os.chown(mount.source, uid, uid, follow_symlinks=False)
        return uid

    def _with(self, tenant: str) -> dict[str, int]:
        """The numbers, with one for this tenant. Threads, and commands beside the host, come at once: without the
        lock two tenants would get the same number, and own each other's files.
        """
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                numbers = self._read()
                if tenant not in numbers:
                    numbers[tenant] = max(numbers.values(), default=-1) + 1
                    self._write(numbers)
                return numbers
        except OSError as error:
            raise BoxRefused("box-users-unreadable", file=str(self._file), said=str(error)) from error

    def _read(self) -> dict[str, int]:
        try:
            kept = json.loads(self._file.read_text("utf-8"))
            return {str(tenant): int(number) for tenant, number in kept.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            # Reassigned numbers would let one company's boxes own another's files.
            raise BoxRefused("box-users-unreadable", file=str(self._file), said=str(error)) from error

    def _write(self, numbers: dict[str, int]) -> None:
        unfinished = self._file.with_suffix(".new")
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(numbers, file, indent=2, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self._file)
