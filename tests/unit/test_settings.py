"""The settings: `nanoclaw.toml`, and the environment, which wins. What is unknown or wrong is refused by name."""

from pathlib import Path

import pytest

from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.locale import Locale
from nanoclaw.host.settings import FILE, Settings, home_folder, names, read_settings
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("O1")


def _write(home: Path, text: str | bytes) -> Path:
    path = home / FILE
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _refusal(home: Path) -> BadSettings:
    with pytest.raises(BadSettings) as refusal:
        read_settings(home)
    return refusal.value


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    settings = read_settings(tmp_path)
    assert settings == Settings()
    assert (settings.language, settings.timezone, settings.web.port) == ("en", "UTC", 8642)
    assert (settings.turns.concurrent, settings.limits.message_characters) == (3, 100_000)
    assert settings.locale == Locale(language="en", timezone="UTC")


def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    _write(tmp_path, "")
    assert read_settings(tmp_path) == Settings()


def test_the_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    _write(tmp_path, 'language = "uk"\ntimezone = "Europe/Kyiv"\n[turns]\nconcurrent = 7\n')
    settings = read_settings(tmp_path)
    assert settings.locale == Locale(language="uk", timezone="Europe/Kyiv")
    assert settings.turns.concurrent == 7
    assert settings.turns.batch_window == Settings().turns.batch_window
    assert settings.web == Settings().web


def test_the_environment_wins_over_the_file_key_by_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, 'language = "uk"\n[turns]\nconcurrent = 7\nbatch_window = 2\n[web]\nport = 1\n')
    monkeypatch.setenv("NANOCLAW_LANGUAGE", "en")
    monkeypatch.setenv("NANOCLAW_TURNS_BATCH_WINDOW", "0.5")
    monkeypatch.setenv("NANOCLAW_OWNER_NAME", "Олена")
    settings = read_settings(tmp_path)
    assert (settings.language, settings.owner.name) == ("en", "Олена")
    assert (settings.turns.concurrent, settings.turns.batch_window) == (7, 0.5)
    assert settings.web.port == 1


@pytest.mark.parametrize("variable", names())
def test_every_setting_can_be_given_by_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    section, _, key = names()[variable].rpartition(".")
    given: dict[str, str] = {
        "language": "uk",
        "timezone": "Asia/Kolkata",
        "name": "Eva",
        "port": "77",
        "url": "http://localhost:9" if section == "scripted" else "postgresql://h/db",
        "repeatable": "false",
        "level": "error",
        "runtime": "native",
        "base_url": "http://localhost:9/v1",
        "api_base": "http://localhost:9",
        "webhook_url": "https://bots.example.org",
        "engine": "whisper",
        "allowed_models": "one, two",
        "private_hosts": "wiki.local",
        "driver": "podman",
        "memory_mb": "100",
        "processes": "100",
        "quiet": "22:00-07:00",
        "extraction": "off",
        "push": "true",
        "embeddings_url": "http://localhost:9/v1",
        "drive_server": "drive",
    }
    monkeypatch.setenv(variable, given.get(key, "5"))
    settings = read_settings(tmp_path)
    holder = getattr(settings, section) if section else settings
    found = getattr(holder, key)
    shown = (
        ", ".join(found) if isinstance(found, tuple) else getattr(found, "get_secret_value", found.__str__)()
    )
    assert shown.lower().removesuffix(".0") == given.get(key, "5").lower()


# Refusals


UNKNOWN = {
    "at the top": ('colour = "red"\n', "colour", ["language", "timezone", "web", "turns"]),
    "in a section": ("[web]\nsomething = 1\n", "web.something", ["web.port"]),
    "a section": ("[pages]\nport = 1\n", "pages", ["language", "web", "database"]),
    "below a section": ("[turns.more]\nx = 1\n", "turns.more", ["turns.concurrent", "turns.longest_silence"]),
}
SLIPS = {
    "at the top": ('langauge = "en"\n', "langauge", "language"),
    "in a section": ("[web]\nprot = 1\n", "web.prot", "web.port"),
    "a section": ("[webb]\nport = 1\n", "webb", "web"),
}


@pytest.mark.parametrize("where", UNKNOWN)
def test_an_unknown_key_is_refused_with_its_place_and_the_known_ones(tmp_path: Path, where: str) -> None:
    text, key, known = UNKNOWN[where]
    path = _write(tmp_path, text)
    refusal = _refusal(tmp_path)
    assert refusal.key == "settings-unknown-key"
    assert refusal.values["place"] == str(path)
    assert refusal.values["key"] == key
    assert set(known) <= set(str(refusal.values["known"]).split(", "))


@pytest.mark.parametrize("where", SLIPS)
def test_a_slip_of_the_keyboard_is_answered_with_what_was_meant(tmp_path: Path, where: str) -> None:
    text, key, meant = SLIPS[where]
    path = _write(tmp_path, text)
    refusal = _refusal(tmp_path)
    assert (refusal.key, refusal.values) == (
        "settings-key-meant",
        {"place": str(path), "key": key, "meant": meant},
    )


BAD = {
    "a language nobody speaks": ('language = "fr"', "language", "it can be en, uk"),
    "a zone that leads elsewhere": ('timezone = "../../etc/passwd"', "timezone", "Europe/Kyiv"),
    "a port that is too big": ("[web]\nport = 65536", "web.port", "at most 65535"),
    "a port below nothing": ("[web]\nport = -1", "web.port", "at least 0"),
    "a port in words": ('[web]\nport = "many"', "web.port", "a number"),
    "no turns at all": ("[turns]\nconcurrent = 0", "turns.concurrent", "at least 1"),
    "a window without end": ("[turns]\nbatch_window = inf", "turns.batch_window", "at most 60"),
    "a window that is no number": ("[turns]\nbatch_window = nan", "turns.batch_window", "60"),
    "no patience": ("[turns]\nlongest_silence = 0", "turns.longest_silence", "more than 0"),
    "an unknown database": ('[database]\nurl = "mysql://h/db"', "database.url", "postgresql://"),
    "a far end elsewhere": ('[scripted]\nurl = "http://example.com"', "scripted.url", "localhost"),
    "a far end that only looks near": (
        '[scripted]\nurl = "http://localhost.evil.com"',
        "scripted.url",
        "localhost",
    ),
    "an unknown level": ('[log]\nlevel = "loud"', "log.level", "it can be debug, info, warning, error"),
    "an owner without a name": ('[owner]\nname = ""', "owner.name", "at least 1"),
    "a section that is a number": ("web = 3", "web", "a section of its own"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_value_is_refused_with_its_place_and_what_is_allowed(tmp_path: Path, what: str) -> None:
    text, key, allowed = BAD[what]
    path = _write(tmp_path, text)
    refusal = _refusal(tmp_path)
    assert refusal.key == "settings-bad-value"
    assert (refusal.values["place"], refusal.values["key"]) == (str(path), key)
    assert allowed in tell("en", refusal)


def test_a_zone_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, 'timezone = "Mars/Olympus"')
    assert _refusal(tmp_path).key == "settings-bad-value"


def test_a_bad_variable_is_named_instead_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, "[web]\nport = 8000\n")
    monkeypatch.setenv("NANOCLAW_WEB_PORT", "many")
    refusal = _refusal(tmp_path)
    assert refusal.values["place"] == "NANOCLAW_WEB_PORT"
    assert refusal.values["value"] == "many"


@pytest.mark.parametrize("name", ["NANOCLAW_WEB_PROT", "NANOCLAW_WEB", "NANOCLAW_", "NANOCLAW_web_port"])
def test_an_unknown_variable_of_ours_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    refusal = _refusal(tmp_path)
    assert refusal.key == "settings-unknown-variable"
    assert refusal.values["name"] == name
    assert {"NANOCLAW_HOME", "NANOCLAW_WEB_PORT"} <= set(str(refusal.values["known"]).split(", "))


def test_the_place_of_the_workspace_is_no_unknown_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_HOME", str(tmp_path))
    monkeypatch.setenv("OTHER_WEB_PORT", "1")
    assert read_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('language = "en"\n[web\nport = 1\n', "line 2"),
        ("language = en\n", "line 1"),
        ('language = "en"\n\nlanguage = "uk"\n', "line 3"),
        (b'language = "\xff\xfe"\n', "utf-8"),
        (b"\x00\x01\x02", "line 1"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = _write(tmp_path, text)
    refusal = _refusal(tmp_path)
    assert (refusal.key, refusal.values["file"]) == ("settings-broken", str(path))
    assert said in str(refusal.values["said"])


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    refusal = _refusal(tmp_path)
    assert (refusal.key, refusal.values["file"]) == ("settings-unreadable", str(tmp_path / FILE))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[web\n", [FILE, "line 1"]),
        (b"\xff", [FILE, "utf-8"]),
        ("[web]\nprot = 1", [FILE, "web.prot", "web.port"]),
        ("[webb]\n", [FILE, "webb", "web"]),
        ('colour = "red"', [FILE, "colour", "language, timezone"]),
        ("[web]\nport = 70000", [FILE, "web.port", "70000", "65535"]),
        ('language = "fr"', [FILE, "language", "fr", "en, uk"]),
    ],
)
def test_a_refusal_of_the_file_is_told_with_the_place_and_what_is_allowed(
    tmp_path: Path, language: str, text: str | bytes, named: list[str]
) -> None:
    _write(tmp_path, text)
    sentence = tell(language, _refusal(tmp_path))
    assert all(word in sentence for word in named)
    assert "{" not in sentence


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("NANOCLAW_COLOUR", "red", ["NANOCLAW_COLOUR", "NANOCLAW_WEB_PORT", "NANOCLAW_HOME"]),
        ("NANOCLAW_WEB_PORT", "x", ["NANOCLAW_WEB_PORT", "web.port = x"]),
    ],
)
def test_a_refusal_of_a_variable_is_told_with_its_name_and_what_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, name: str, value: str, named: list[str]
) -> None:
    monkeypatch.setenv(name, value)
    sentence = tell(language, _refusal(tmp_path))
    assert all(word in sentence for word in named)


@pytest.mark.parametrize("line", ['_env_prefix = "X_"', '_env_file = "x"', "_case_sensitive = true"])
def test_a_key_that_starts_with_an_underscore_is_unknown_too(tmp_path: Path, line: str) -> None:
    _write(tmp_path, line)
    assert _refusal(tmp_path).key == "settings-unknown-key"


def test_the_environment_that_is_handed_in_is_the_one_that_counts(tmp_path: Path) -> None:
    assert read_settings(tmp_path, {"NANOCLAW_WEB_PORT": "77"}).web.port == 77


# The database's address


def test_the_database_is_in_the_workspace_unless_an_address_is_given(tmp_path: Path) -> None:
    assert Settings().database_url(tmp_path) == f"sqlite:///{tmp_path}/data/nanoclaw.db"
    _write(tmp_path, '[database]\nurl = "postgresql://u@h/db"\n')
    assert read_settings(tmp_path).database_url(tmp_path) == "postgresql://u@h/db"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://keeper:s3cret@db.local:5432/nano", "postgresql://keeper:***@db.local:5432/nano"),
        ("postgresql://keeper:s3%40/:cret@db/nano", "postgresql://keeper:***@db/nano"),
        ("postgresql://:s3cret@db/nano", "postgresql://:***@db/nano"),
        ("postgresql://keeper@db/nano", "postgresql://keeper@db/nano"),
        ("postgresql://keeper@/nano?host=/run/pg", "postgresql://keeper@/nano?host=/run/pg"),
        ("sqlite:////var/nano.db", "sqlite:////var/nano.db"),
        pytest.param(
            "postgresql://db/nano?user=keeper&password=s3cret",
            "postgresql://db/nano?user=keeper&password=***",
        ),
    ],
)
def test_people_are_shown_the_address_without_its_password(tmp_path: Path, url: str, shown: str) -> None:
    _write(tmp_path, f'[database]\nurl = "{url}"\n')
    settings = read_settings(tmp_path)
    assert settings.shown_database_url(tmp_path) == shown
    assert settings.database_url(tmp_path) == url


def test_a_refused_address_does_not_tell_its_password(tmp_path: Path) -> None:
    _write(tmp_path, '[database]\nurl = "postgres://keeper:s3cret@db/nano"\n')
    assert "s3cret" not in str(_refusal(tmp_path))


# The workspace's place


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, Path.home() / "nanoclaw"),
        ({"NANOCLAW_HOME": ""}, Path.home() / "nanoclaw"),
        ({"NANOCLAW_HOME": "~/work"}, Path.home() / "work"),
        ({"NANOCLAW_HOME": "/srv/nano"}, Path("/srv/nano")),
        ({"NANOCLAW_HOME": "here"}, Path.cwd() / "here"),
    ],
)
def test_the_workspace_is_where_the_environment_says(environment: dict[str, str], folder: Path) -> None:
    assert home_folder(environment) == folder


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('tool = "bash"\npatern = "rm"', "approvals 1, patern"),
        ('pattern = "rm"', "approvals 1, tool"),
        ('tool = "bash"\npattern = "("', "no regular expression"),
        ('tool = "bash"\npattern = "\\brm"', "single quotes"),
    ],
)
def test_a_broken_rule_is_told_by_its_place_and_what_is_wrong_with_it(
    tmp_path: Path, rule: str, said: str
) -> None:
    _write(tmp_path, f"[[approvals]]\n{rule}\n")
    told = tell("en", _refusal(tmp_path))
    assert said in told
    assert "Value error" not in told


@pytest.mark.capability("X1")
def test_a_channel_of_ones_own_takes_its_keys_from_the_file_and_the_environment_and_shows_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, '[channels.slack]\nload = "mine:Mine"\nbot_token = "in-the-file"\nport = 1\n')
    monkeypatch.setenv("NANOCLAW_CHANNELS_SLACK_BOT_TOKEN", "in-the-environment")
    monkeypatch.setenv("NANOCLAW_CHANNELS_ALONE_PATH", "/opt/alone.py")
    settings = read_settings(tmp_path)
    assert settings.channels["slack"].load == "mine:Mine"
    assert settings.channels["slack"].own == {"bot_token": "in-the-environment", "port": 1}
    assert settings.channels["alone"].path == "/opt/alone.py"
    assert "in-the-environment" not in repr(settings) + str(settings)


@pytest.mark.capability("X1")
@pytest.mark.parametrize(
    "written",
    [
        "[channels.telegram]\n",
        "[channels.web]\n",
        "[channels.local]\n",
        '[channels."a:b"]\n',
        "[channels.My]\n",
        '[channels.slack]\npath = "beside/me.py"\n',
        'channels = "secret-0123456789"\n',
        '[channels]\nslack = "secret-0123456789"\n',
        '[channels.slack]\nload = ["secret-0123456789"]\n',
    ],
)
def test_a_channel_with_a_name_that_is_taken_or_a_strange_table_is_refused(
    tmp_path: Path, written: str
) -> None:
    _write(tmp_path, written)
    refused = _refusal(tmp_path)
    assert str(refused.values["key"]).startswith("channels")
    assert "secret-0123456789" not in str(refused)
