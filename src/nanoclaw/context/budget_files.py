"""`companies/{company}/budget.json`: the limits that people wrote, and `current_month`, which the host writes
there.

A file that cannot be read changes nothing: the last good one counts until it is fixed. If there never was
one, nothing may be spent. A file that is missing for a moment changes nothing either: some editors delete a
file and write it again.
"""

import errno
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelRefused, Refused
from nanoclaw.domain.locale import Locale, zone_name
from nanoclaw.domain.money import MICROS

FILE = "budget.json"
_MOST_BYTES = 256 * 1024
_GONE_FOR = 10.0  # seconds for which the limits of a missing file still count
_Dollars = Annotated[float, Field(strict=True, ge=0, le=1_000_000_000, allow_inf_nan=False)]
_Share = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]
_NAMES = ("groups", "people", "tasks")


class _LimitsFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    monthly_limit_usd: _Dollars | None = None
    daily_limit_usd: _Dollars | None = None

    def limits(self) -> BudgetLimits:
        return BudgetLimits(day=_micros(self.daily_limit_usd), month=_micros(self.monthly_limit_usd))


class BudgetFile(_LimitsFile):
    """The limits of a company, as people write them. What is not named is as in `[spending]`; null means no limit."""

    alert_threshold: _Share = 0.80
    critical_threshold: _Share = 0.95
    overdraft_usd: _Dollars = 0
    timezone: Annotated[str, AfterValidator(zone_name)] | None = None
    groups: dict[str, _LimitsFile] = Field(default_factory=dict, max_length=1000)
    people: dict[str, _LimitsFile] = Field(default_factory=dict, max_length=10_000)
    tasks: dict[Annotated[str, Field(pattern=r"^(\d+|\*)$")], _LimitsFile] = Field(
        default_factory=dict, max_length=10_000
    )
    run_limit_usd: _Dollars | None = None
    chain_limit_usd: _Dollars | None = None
    current_month: Any = None  # written by the host, never read

    @model_validator(mode="after")
    def _in_order(self) -> "BudgetFile":
        if self.critical_threshold < self.alert_threshold:
            raise ValueError("critical_threshold is not below alert_threshold")
        return self

    def budget(self, usual: Budget) -> Budget:
        written = self.model_fields_set
        limits = self.limits()
        return Budget(
            limits=BudgetLimits(
                day=limits.day if "daily_limit_usd" in written else usual.limits.day,
                month=limits.month if "monthly_limit_usd" in written else usual.limits.month,
            ),
            overdraft=_micros(self.overdraft_usd) or 0,
            alert_at=self.alert_threshold,
            critical_at=self.critical_threshold,
            zone=Locale(timezone=self.timezone).zone if self.timezone else usual.zone,
            groups={name: each.limits() for name, each in self.groups.items()},
            people={name: each.limits() for name, each in self.people.items()},
            tasks={name: each.limits() for name, each in self.tasks.items()},
            run_limit=_micros(self.run_limit_usd),
            chain_limit=_micros(self.chain_limit_usd),
        )


class BudgetFiles:
    """`usual` is what `[spending]` says. A lookup costs one `stat` while the file is unchanged."""

    def __init__(self, home: Path, usual: Budget, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._home = home
        self._usual = usual
        self._monotonic = monotonic
        self._gone_since: dict[str, float] = {}
        self._known: dict[str, tuple[tuple[int, int, int] | None, Budget]] = {}
        self._faults: dict[str, tuple[tuple[int, int, int], Refused]] = {}
        self._writing = threading.Lock()  # two threads may write a command's change and the month at once
        self.broken: Callable[[str, Refused], None] = lambda _company, _fault: None

    def path(self, company: str) -> Path:
        return self._home / "companies" / company / FILE

    def of(self, company: str) -> Budget:
        """The budget as its file says now; the same object while that is unchanged. Raises ModelRefused if
        there never was a readable file.
        """
        stamp = _stamp(f"{self._home}/companies/{company}/{FILE}")  # a string: every call passes here
        known = self._known.get(company)
        if stamp is not None:
            self._gone_since.pop(company, None)
        if known is not None and known[0] == stamp:
            self._faults.pop(company, None)
            return known[1]
        if stamp is None:
            gone_since = self._gone_since.setdefault(company, self._monotonic())
            if known is not None and self._monotonic() - gone_since < _GONE_FOR:
                return known[1]
            self._faults.pop(company, None)
            self._known[company] = (None, self._usual)
            return self._usual
        fault = self._faults.get(company)
        if fault is None or fault[0] != stamp:
            try:
                budget = read(self.path(company)).budget(self._usual)
            except Refused as error:
                fault = self._faults[company] = (stamp, error)
                self.broken(company, error)
            else:
                self._faults.pop(company, None)
                if (
                    known is not None and known[1] == budget
                ):  # the host wrote the month, or someone saved it again
                    budget = known[1]
                self._known[company] = (stamp, budget)
                return budget
        if known is None or not self.has_good(company):
            raise ModelRefused(fault[1].key, **fault[1].values)
        return known[1]

    def has_good(self, company: str) -> bool:
        """Whether its file was readable at least once since the host started."""
        known = self._known.get(company)
        return known is not None and known[0] is not None

    def fault(self, company: str) -> Refused | None:
        """What is wrong with its file now, if anything."""
        with suppress(ModelRefused):
            self.of(company)
        found = self._faults.get(company)
        return found[1] if found else None

    def change(self, company: str, values: Mapping[str, object]) -> None:
        """Set limits in the file; everything else stays, in its order. Raises Refused. Blocks."""
        path = self.path(company)
        if not path.parent.is_dir():
            raise Refused("budget-no-company", company=company)
        with self._writing:
            data = _read_data(path) if _stamp(path) else {}
            changed = {**data, **values}
            _checked(path, changed)
            _write(path, changed)

    def put_month(self, company: str, month: Mapping[str, object]) -> bool:
        """Write what the month has cost so far, but not into a broken file, nor over a concurrent edit. Blocks."""
        with self._writing:
            return self._put_month(company, month)

    def _put_month(self, company: str, month: Mapping[str, object]) -> bool:
        path = self.path(company)
        stamp = _stamp(path)
        if stamp is None:
            return False
        try:
            data = _read_data(path)
            _checked(path, data)
        except Refused:
            return False
        if data.get("current_month") == month:
            return False
        known = self._known.get(company)
        if not _write(path, {**data, "current_month": month}, unless_changed=stamp):
            return False
        fresh = _stamp(path)
        if (
            known is not None and known[0] == stamp
        ):  # the limits are unchanged: nobody needs to read them again
            self._known[company] = (fresh, known[1])
        return True


def read(path: Path) -> BudgetFile:
    """Raises Refused, with a sentence that says what to write."""
    return _checked(path, _read_data(path))


def _read_data(path: Path) -> dict[str, Any]:
    try:
        raw = _read_bytes(path)
    except OSError as error:
        raise Refused("budget-unreadable", file=_shown(path), said=error.strerror or str(error)) from error
    if len(raw) > _MOST_BYTES:
        raise Refused("budget-unreadable", file=_shown(path), said="it is too big")
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Refused("budget-not-json", file=_shown(path), said=str(error)[:200]) from error
    if not isinstance(data, dict):
        raise Refused("budget-not-json", file=_shown(path), said="it is not an object in braces")
    return data


def _shown(path: Path) -> str:
    """The path below the workspace, whose location is nobody's business: `companies/demo/budget.json`."""
    return "/".join(path.parts[-3:])


def _read_bytes(path: Path) -> bytes:
    """The bytes of a plain file. A pipe in its place would block every model call; a link could lead to where
    agents write.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file")
        return file.read(_MOST_BYTES + 1)


def _checked(path: Path, data: Mapping[str, object]) -> BudgetFile:
    try:
        return BudgetFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"] if part != "[key]")
        if first["type"] == "extra_forbidden":
            known = ", ".join(BudgetFile.model_fields if len(first["loc"]) == 1 else _LimitsFile.model_fields)
            raise Refused("budget-unknown-key", file=_shown(path), key=key, known=known) from error
        written = json.dumps(first["input"], ensure_ascii=False, default=str)[:60]
        kind = "share" if key.endswith("_threshold") else "amount" if key.endswith("_usd") else "value"
        said = first["msg"].removeprefix("Value error, ")
        raise Refused(f"budget-bad-{kind}", file=_shown(path), key=key, written=written, said=said) from error


def _write(
    path: Path, data: Mapping[str, object], *, unless_changed: tuple[int, int, int] | None = None
) -> bool:
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            fresh.chmod(path.stat().st_mode & 0o777)
        if unless_changed is not None and _stamp(path) != unless_changed:
            return False
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return True


def _stamp(path: Path | str) -> tuple[int, int, int] | None:
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError:  # it may exist: reading it says what is wrong
        return 0, 0, 0
    return about.st_mtime_ns, about.st_size, about.st_ino


def _micros(amount: float | None) -> int | None:
    """Exact: 0.1 dollars are 100000 micros, however a float stores them."""
    return None if amount is None else round(Decimal(str(amount)) * MICROS)
