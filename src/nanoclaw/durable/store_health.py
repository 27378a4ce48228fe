"""Whether the database can be written to, as far as known. Some trouble passes, some lasts until the next start."""

import sqlalchemy as sa

from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.durable.store_errors import translate


class StoreHealth:
    """Set by code that writes or checks the database; read in several threads."""

    def __init__(self) -> None:
        self._lasting: StoreUnavailable | None = None
        self._passing: StoreUnavailable | None = None

    @property
    def trouble(self) -> StoreUnavailable | None:
        return self._lasting or self._passing

    @property
    def is_lasting(self) -> bool:
        return self._lasting is not None

    def refuse(self, trouble: StoreUnavailable) -> None:
        """Write nothing from now on, so that nothing is acknowledged that would be lost."""
        self._lasting = self._lasting or trouble

    def check(self) -> None:
        if self._lasting is not None:
            raise StoreUnavailable(self._lasting.key, **self._lasting.values)

    def check_version(self, found: str | None, known: str) -> None:
        """Once the schema has another version, rows written by this host are no longer what others read."""
        if found != known:
            self.refuse(StoreUnavailable("schema-foreign", found=found or "-", known=known))
        self.check()

    def went_well(self) -> None:
        self._passing = None

    def went_wrong(self, error: Exception) -> Exception:
        """The error for the caller that wanted to write."""
        match self.translated(error):
            case StoreDamaged() as damage:
                self.refuse(StoreUnavailable("store-ill", **damage.values))
                return StoreUnavailable("store-ill", **damage.values)
            case StoreUnavailable() as outage:
                self._passing = outage
                return outage
            case other:
                return other

    def translated(self, error: Exception) -> Exception:
        """The same as one of our errors. Damage that a reader finds affects writers too."""
        ours = (translate(error) if isinstance(error, sa.exc.DBAPIError) else None) or error
        if ours is not error:
            ours.__cause__ = error
        if isinstance(ours, StoreDamaged):
            self.refuse(StoreUnavailable("store-ill", **ours.values))
        return ours
