"""Adaptors are read with their faults told by line, chosen by target, and a file can be checked by a command."""

import json
import os
from pathlib import Path

import pytest
import typer

from nanoclaw.cli import adaptors as command
from nanoclaw.context.adaptor_check import check
from nanoclaw.context.adaptors import FOLDER, Adaptor, Adaptors, read_adaptor, target_of
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.durable import file_listing
from nanoclaw.host.workspace import STARTER
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("X2")
SHIPPED = STARTER / "common" / FOLDER
SIX = ["email", "file_output", "instagram", "linkedin", "telegram", "youtube"]
HEAD = "---\nname: {name}\ndescription: d\ntargets: [{targets}]\nrules: {rules}\n---\nAdvice.\n"


def write(home: Path, name: str, text: str) -> Path:
    path = home / FOLDER / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def made(home: Path, name: str, *, targets: str | None = None, rules: str = "{}") -> Path:
    return write(home, name, HEAD.format(name=name, targets=targets or name, rules=rules))


def broken(text: str, adaptor: Adaptor) -> list[tuple[str, str, int | None]]:
    return [(violation.rule, violation.key, violation.line) for violation in check(text, adaptor)]


def shipped(name: str) -> Adaptor:
    return read_adaptor(SHIPPED / f"{name}.md")


# What ships


def test_six_adaptors_ship_and_each_can_be_read(home: Path) -> None:
    found = Adaptors(home)
    assert [adaptor.name for adaptor in found.all()] == SIX
    assert found.faults() == []
    assert all(adaptor.path.stem == adaptor.name for adaptor in found.all())


def test_for_telegram_nobody_is_told_to_escape() -> None:
    assert "ordinary Markdown" in shipped("telegram").advice
    assert "\\" not in shipped("telegram").advice


# Choosing


def test_a_new_file_is_a_new_channel_format(home: Path) -> None:
    write(home, "fax", HEAD.format(name="fax", targets="fax, telex", rules="{text: {longest: 10}}"))
    found = Adaptors(home)
    assert {"fax", "telex"} <= set(found.targets())
    assert (chosen := found.find("telex")) is not None
    assert broken("a text that is too long", chosen) == [("text.longest", "too-long", 1)]


@pytest.mark.parametrize(
    ("channel", "target"),
    [("telegram", "telegram"), ("telegram:123456", "telegram"), ("web", "web"), ("", "")],
)
def test_the_target_is_the_first_part_of_a_channel_s_name(channel: str, target: str) -> None:
    assert target_of(channel) == target


def test_each_is_chosen_once_in_the_order_of_the_targets_and_an_unknown_one_is_left_out(home: Path) -> None:
    found = Adaptors(home).chosen(["linkedin", "newsletter", "pigeon", "email", "linkedin"])
    assert [adaptor.name for adaptor in found] == ["linkedin", "email"]
    assert Adaptors(home).chosen(["web", "terminal", ""]) == []


def test_of_two_for_one_target_the_second_is_a_fault(tmp_path: Path) -> None:
    first = made(tmp_path, "alpha", targets="fax")
    second = made(tmp_path, "beta", targets="post, fax")
    found = Adaptors(tmp_path)
    assert [adaptor.name for adaptor in found.all()] == ["alpha"]
    (fault,) = found.faults()
    assert (fault.key, fault.values["file"], fault.values["other"]) == (
        "adaptor-twice",
        str(second),
        str(first),
    )


def test_an_edited_a_new_and_a_deleted_file_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_listing, "_RESCAN_AFTER", -1.0)
    found = Adaptors(tmp_path)
    assert (found.all(), found.faults()) == ([], [])
    path = made(tmp_path, "fax")
    assert found.targets() == ["fax"]
    assert found.all()[0] is found.all()[0]
    made(tmp_path, "fax", targets="fax, telex")
    assert found.targets() == ["fax", "telex"]
    write(tmp_path, "telex", "broken")
    assert (found.targets(), len(found.faults())) == (["fax", "telex"], 1)
    path.unlink()
    assert (found.targets(), len(found.faults())) == ([], 1)


# Faults

FAULTS = {
    "an empty file": ("", 1, "adaptor-unopened"),
    "no front matter": ("# Fax\n", 1, "adaptor-unopened"),
    "front matter without an end": ("---\nname: fax\n", 2, "adaptor-unclosed"),
    "no YAML": ("---\nname: fax\ndescription: a: b\n---\nx", 3, "adaptor-not-yaml"),
    "a list instead of keys": ("---\n- name\n---\nx", 2, "adaptor-no-keys"),
    "nothing to read": (
        HEAD.format(name="a", targets="a", rules="{}").replace("Advice.", ""),
        7,
        "adaptor-no-advice",
    ),
    "no targets": ("---\nname: fax\ndescription: d\n---\nx", 2, "adaptor-bad-value"),
    "a target that is none": (
        "---\nname: fax\ndescription: d\ntargets: [Fax machine]\n---\nx",
        4,
        "adaptor-bad-value",
    ),
    "a word for a list": ("---\nname: fax\ndescription: d\ntargets: fax\n---\nx", 4, "adaptor-bad-value"),
    "an unknown key": (
        "---\nname: fax\ndescription: d\ntargets: [fax]\ncolour: red\n---\nx",
        5,
        "adaptor-unknown-key",
    ),
}
RULE_FAULTS = {
    "an unknown rule": ("  lenght: 5", 6, "adaptor-unknown-key", "longest_list"),
    "an unknown rule of the text": (
        "  text:\n    longest: 5\n    shortest: 1",
        8,
        "adaptor-unknown-key",
        "words",
    ),
    "an unknown rule of hashtags": (
        "  text:\n    hashtags:\n      few: 1",
        8,
        "adaptor-unknown-key",
        "place",
    ),
    "an unknown rule of a part": (
        "  parts:\n    subject:\n      long: 1",
        8,
        "adaptor-unknown-key",
        "needed",
    ),
    "an unknown key of a heading": (
        "  headings:\n    - names: [a]\n      must: yes",
        6,
        "adaptor-unknown-key",
        "needed",
    ),
    "a word for a number": ("  text:\n    longest: many", 7, "adaptor-bad-value", "rules.text.longest"),
    "less than nothing": ("  text:\n\n    longest: -1", 8, "adaptor-bad-value", "rules.text.longest"),
    "a number for a table": ("  text: 60", 6, "adaptor-bad-value", "rules.text"),
    "bounds that nobody can keep": (
        "  text:\n    hashtags: {least: 5, most: 3}",
        7,
        "adaptor-bad-value",
        "hashtags",
    ),
    "an unknown way to count": ("  counted: words", 6, "adaptor-bad-value", "rules.counted"),
    "a part with a bad name": ("  parts:\n    Sub ject: {}", 7, "adaptor-bad-value", "parts"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_on_its_line(tmp_path: Path, fault: str) -> None:
    text, line, key = FAULTS[fault]
    path = write(tmp_path, "fax", text)
    with pytest.raises(BadWorkspace) as refusal:
        read_adaptor(path)
    told = refusal.value
    assert (told.key, told.values["line"], told.values["file"]) == (key, str(line), str(path))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("fault", RULE_FAULTS)
def test_a_wrong_rule_is_told_with_its_line_and_what_is_known(
    tmp_path: Path, fault: str, language: str
) -> None:
    rules, line, key, named = RULE_FAULTS[fault]
    path = write(
        tmp_path, "fax", f"---\nname: fax\ndescription: d\ntargets: [fax]\nrules:\n{rules}\n---\nx\n"
    )
    with pytest.raises(BadWorkspace) as refusal:
        read_adaptor(path)
    assert (refusal.value.key, refusal.value.values["line"]) == (key, str(line))
    sentence = tell(language, refusal.value)
    assert all(word in sentence for word in (str(path), str(line), named))


@pytest.mark.parametrize("odd", ["folder", "pipe", "huge", "text"])
def test_a_broken_adaptor_is_reported_and_hides_no_other(tmp_path: Path, odd: str) -> None:
    made(tmp_path, "alpha")
    path = tmp_path / FOLDER / "broken.md"
    match odd:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "huge":
            path.write_bytes(b"x" * 100_000)
        case _:
            path.write_text("no front matter")
    made(tmp_path, "omega")
    found = Adaptors(tmp_path)
    assert [adaptor.name for adaptor in found.all()] == ["alpha", "omega"]
    assert [fault.values["file"] for fault in found.faults()] == [str(path)]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path, "fax", "")
    path.write_bytes(
        b"\xef\xbb\xbf" + HEAD.format(name="fax", targets="fax", rules="{}").replace("\n", "\r\n").encode()
    )
    assert read_adaptor(path).advice == "Advice."


# The command

POST = "A hook.\n\nA story.\n\n#one #two #three\n"
MAIL = "Subject: s\nPreview: p\n\nHi.\n\n[Unsubscribe](https://x.example/u)\n"


def told(file: Path, target: str | None = None, *, as_json: bool = False) -> int:
    """How `nanoclaw adaptors check` ends."""
    try:
        command.check(file, target=target, as_json=as_json)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def test_the_list_shows_each_and_ends_badly_when_one_is_broken(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.list_adaptors(as_json=False)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == SIX
    path = write(home, "zebra", "---\nname: zebra\n")
    with pytest.raises(typer.Exit):
        command.list_adaptors(as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["adaptors"][0]["rules"]["parts"]["subject"]["longest"] == 60
    assert str(path) in shown["faults"][0]


def test_a_clean_file_ends_with_0_and_a_broken_one_with_1_and_its_lines(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "post.md"
    file.write_text("---\nchannel: linkedin\n---\n" + POST)
    assert told(file) == 0
    file.write_text("---\ntarget: linkedin\n---\n☕ " + POST.replace("#three", ""))
    capsys.readouterr()
    assert told(file) == 1
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"{file}:4",
        f"{file}:8",
    ]
    assert told(file, as_json=True) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["adaptor"], shown["ok"]) == ("linkedin", False)
    assert [each["line"] for each in shown["breaches"]] == [4, 8]


def test_the_target_that_is_named_wins_over_the_front_matter(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "post.md"
    file.write_text("---\nchannel: telegram:123456\n---\nHello.")
    assert told(file) == 0
    assert told(file, "linkedin") == 1


def test_an_unknown_target_is_told_with_the_known_ones(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "post.md"
    file.write_text("Hello.")
    for target in (None, "pigeon"):
        assert told(file, target) == 2
        sentence = capsys.readouterr().err
        assert all(name in sentence for name in ("linkedin", "newsletter", "telegram"))
    assert "pigeon" in sentence


@pytest.mark.parametrize(
    "odd", ["missing", "folder", "pipe", "device", "big", "latin-1", "utf-16", "picture"]
)
def test_what_cannot_be_checked_ends_with_2(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], odd: str
) -> None:
    file = tmp_path / "odd.md"
    match odd:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "device":
            file = Path("/dev/zero")
        case "big":
            with file.open("wb") as stream:
                stream.truncate(100 * 1024 * 1024)
        case "latin-1":
            file.write_bytes("Hello.\ncafé".encode("latin-1"))
        case "utf-16":
            file.write_bytes("Hello.".encode("utf-16"))
        case "picture":
            file.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert told(file, "telegram") == 2
    assert str(file) in capsys.readouterr().err


def test_an_empty_file_is_a_text_that_is_missing(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "empty.md"
    file.touch()
    assert told(file, "telegram") == 1
    assert told(file) == 2


def test_a_workspace_without_adaptors_says_where_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NANOCLAW_HOME", str(tmp_path / "nowhere"))
    file = tmp_path / "post.md"
    file.write_text("Hello.")
    assert told(file, "telegram") == 2
    assert str(SHIPPED) in capsys.readouterr().err
    command.list_adaptors(as_json=False)
    assert str(SHIPPED) in capsys.readouterr().out


def test_a_flood_of_breaches_is_cut_and_shows_no_signs_that_a_terminal_obeys(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.md"
    file.write_text(MAIL.replace("Hi.", "<div>\n\n" * 200))
    assert told(file, "email") == 1
    assert len(capsys.readouterr().out.splitlines()) == 51
    file.write_text("Title: t\nTags: a, b, c, d, e\nDuration: \x1b[31mred\n\nAbout.")
    assert told(file, "youtube") == 1
    printed = capsys.readouterr().out
    assert "red" in printed
    assert "\x1b" not in printed
