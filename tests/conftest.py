"""What every test may ask for: a workspace, a database of either kind, a PostgreSQL server of its own."""

import gc
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import certifi
import httpx
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from tests.ending import pytest_configure, pytest_sessionfinish, pytest_terminal_summary
from tests.left_processes import pytest_runtest_teardown
from tests.scratch import write_into_memory

from nanoclaw.channels.telegram import listener
from nanoclaw.domain.ids import new_id
from nanoclaw.durable import schema
from nanoclaw.durable.store import open_store
from nanoclaw.host.settings import HOME
from nanoclaw.testing import made_database, made_workspace

# How hypothesis searches: few examples, no clock. The machine may be busy, and a slow one is not a fault. The examples
# are the same in every run, so that a change is judged by itself and not by luck; who wants new ones: `just search`.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("suite", _PATIENT, max_examples=60, derandomize=True)
settings.register_profile("search", _PATIENT, max_examples=2000)
settings.load_profile("suite")

write_into_memory()

# What is collected stays: half a million objects, and looking for garbage among them takes a third of the time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Hooks of every run.
__all__ = ["pytest_configure", "pytest_runtest_teardown", "pytest_sessionfinish", "pytest_terminal_summary"]


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own settings must not reach the tests."""
    for name in list(os.environ):
        if name.startswith(("NANOCLAW_", "ANTHROPIC_", "CLAUDE")) or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _keep_what_is_compiled() -> Iterator[None]:
    """Every process that a test starts would compile the whole program again where the environment forbids it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nobody outside is asked here, and to read whom the world trusts costs every client 30 ms: one name will do."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(certifi.contents().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_clients() -> Iterator[None]:
    """The five seconds that httpx waits if nobody says how long are little on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        usual: Any = httpx.AsyncClient.__init__.__kwdefaults__
        patch.setitem(usual, "timeout", httpx.Timeout(60))
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_with_presses() -> Iterator[None]:
    """A person who presses a button is told the result, however slow the machine is; one test has a busy host."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listener, "ACKNOWLEDGE_WITHIN", 60)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace as the first start makes it. Commands of the test open this one."""
    folder = made_workspace(tmp_path / "nanoclaw")
    monkeypatch.setenv(HOME, str(folder))
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL cluster in a temporary folder, reached by a socket in it; gone after the tests."""
    initdb = _postgres_program("initdb")
    if initdb is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="nanoclaw-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    data = folder / "data"
    quiet = {"check": True, "capture_output": True, "cwd": "/"}
    subprocess.run([*as_user, initdb, "-D", data, "-A", "trust", "-U", "postgres", "-N"], **quiet)  # type: ignore[call-overload]
    lasting = "-c fsync=off -c full_page_writes=off"  # nothing outlives the tests
    options = f"-c listen_addresses= -c unix_socket_directories={folder} {lasting} -c max_connections=200"
    control = [*as_user, str(Path(initdb).parent / "pg_ctl"), "-D", str(data), "-w"]
    subprocess.run(
        [*control, "-l", str(folder / "log"), "-o", options, "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """The name of a database with every table and no rows: a copy of it takes a tenth of the migrations' time."""
    with _postgres_database(postgres_server, keep=True) as url:
        store = open_store(url)
        schema.upgrade(store)
        store.close()
    return str(sa.make_url(url).database)


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """A database as the first start leaves it."""
    with _postgres_database(postgres_server, template=postgres_template) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As the first start leaves it. Every test that asks for this runs on both databases."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return made_database(tmp_path / "store.db")


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The same without tables, for tests of the migrations."""
    if request.param == "postgres":
        with _postgres_database(request.getfixturevalue("postgres_server")) as url:
            yield url
    else:
        yield f"sqlite:///{tmp_path / 'store.db'}"


@contextmanager
def _postgres_database(server: str, *, template: str = "template1", keep: bool = False) -> Iterator[str]:
    name = new_id("test")
    admin = sa.create_engine(
        server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as tx:
        # Copied as files: through the log it takes ten times as long.
        tx.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    yield server.replace("/postgres?", f"/{name}?")
    if not keep:
        with admin.connect() as tx:
            tx.exec_driver_sql(f'DROP DATABASE "{name}" WITH (FORCE)')
    admin.dispose()


def _postgres_program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)
