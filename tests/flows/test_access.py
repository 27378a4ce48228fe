"""Owners and admins rule from a chat: who may command what, why not, and what is written down of it (P5, P7)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, found_group, telegram_scene

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import EngageMode, IgnoredMessages, SenderScope
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.starter import made_workspace
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

# One host with three agent groups of two companies; each test has a chat of its own there.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("P7"),
]

NEEDS_ADMIN = "This needs the role admin."


@dataclass(frozen=True, kw_only=True, slots=True)
class Court:
    """A group that belongs to main, with someone of each role."""

    scene: Scene
    chat: Group
    admin: Person  # of everything
    keeper: Person  # an admin of main only
    member: Person
    stranger: Person

    @property
    def owner(self) -> Person:
        return self.scene.owner

    async def command(self, text: str, *, by: Person | None = None, **place: object) -> str:
        return await self.scene.command(self.chat, text, by=by, **place)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Scene, ScriptedModel]]:
    model = ScriptedModel()
    home = made_workspace(tmp_path_factory.mktemp("host") / "nanoclaw")
    found_group(home, "sales")
    found_group(home, "rivals", company="rivals")
    async with telegram_scene(home, model=model, paced=False) as scene:
        yield scene, model


@pytest.fixture
def model(stage: tuple[Scene, ScriptedModel]) -> ScriptedModel:
    stage[1].asked.clear()
    return stage[1]


@pytest_asyncio.fixture(loop_scope="module")
async def court(stage: tuple[Scene, ScriptedModel], model: ScriptedModel) -> Court:
    scene = stage[0]
    people = [scene.server.person(name) for name in ("Adam", "Gina", "Mark", "Sly")]
    chat = scene.server.group("Court", scene.bot, members=[scene.owner, *people])
    await scene.command(chat, "/wire main")
    for person, role in zip(people, (Role.ADMIN, Role.STRANGER, Role.STRANGER, None), strict=True):
        if role:
            await scene.know(person, role)
    admin, keeper, member, stranger = people
    await scene.command(chat, f"/role telegram:{keeper.id} admin main")
    await scene.command(chat, f"/role telegram:{member.id} member")
    return Court(scene=scene, chat=chat, admin=admin, keeper=keeper, member=member, stranger=stranger)


def commands(subject: Person) -> dict[str, tuple[str, str]]:
    """Each command with what it is answered to those who may; in this order each of them can be carried out."""
    who = f"telegram:{subject.id}"
    return {
        "people": ("/people", "People with a role:"),
        "role": (f"/role {who} member", "is now member in main."),
        "block": (f"/block {who}", "is blocked: nothing they write is taken up."),
        "unblock": (f"/unblock {who}", "is not blocked any more."),
        "chats": ("/chats", "Chats, with their agents:"),
        "wire": ("/wire sales", "This chat belongs to sales now."),
        "unwire": ("/unwire sales", "This chat belongs to sales no longer."),
        "engage": ("/engage always", "main takes up a message always"),
        "ignored": ("/ignored accumulate", "is kept, and read with the next message"),
        "senders": ("/senders known", "only members of the agent group"),
        "strangers": ("/strangers strict", "strangers are dropped"),
        "chat-memory": ("/chat_memory read", "the agents use memory but change nothing"),
        "interview": ("/interview zzzzz", 'I do not know "zzzzz".'),
        "groups": ("/groups", "Agent groups:"),
        "permits": ("/permits", "Agents have no permits"),
        "revoke": ("/revoke zzzzz", "There is no permit zzzzz."),
        "requests": ("/requests", "a decision"),
        "allow": ("/allow zzzzz", "There is no open request zzzzz."),
        "deny": ("/deny zzzzz", "There is no open request zzzzz."),
        "drops": ("/drops", "turned away"),
        "audit": ("/audit", "Changes, newest first:"),
        "sync": ("/sync", "This workspace is not shared through git."),
    }


class TestWhoMay:
    async def test_every_command_of_an_admin_is_tried_here(self, court: Court) -> None:
        ruled = {name for name, command in COMMANDS.items() if command.role is Role.ADMIN}
        assert ruled - {"retry-failed"} == commands(court.member).keys()

    @pytest.mark.parametrize("who", ["owner", "admin"])
    async def test_owners_and_admins_of_everything_may_use_all_of_it(self, court: Court, who: str) -> None:
        for text, words in commands(court.member).values():
            said = await court.command(text, by=getattr(court, who))
            assert words in said or (text == "/drops" and "Not admitted" in said), text

    async def test_an_admin_of_a_group_rules_what_concerns_that_group(self, court: Court) -> None:
        for name, (text, words) in commands(court.member).items():
            said = await court.command(text, by=court.keeper)
            if COMMANDS[name].everywhere:
                assert (
                    said
                    == f"The command /{name} needs the role admin for all agent groups; you have none for all."
                )
            elif name in ("wire", "unwire"):
                assert said == NEEDS_ADMIN
            else:
                assert words in said, text

    async def test_a_member_may_use_none_of_it_and_is_told_what_it_needs(self, court: Court) -> None:
        for name, (text, _) in commands(court.member).items():
            said = await court.command(text, by=court.member)
            if COMMANDS[name].everywhere:
                assert (
                    said
                    == f"The command /{name} needs the role admin for all agent groups; you have none for all."
                )
            else:
                assert said == f"The command /{name} needs the role admin; yours is member here."
        (wiring,) = await court.scene.wirings(court.chat)
        assert (wiring.engage.mode, wiring.senders, wiring.ignored) == (
            EngageMode.MENTION,
            SenderScope.ALL,
            IgnoredMessages.DROP,
        )

    async def test_a_stranger_is_not_even_answered(self, court: Court) -> None:
        before = court.chat.answers
        for number, (text, _) in enumerate(commands(court.stranger).values()):
            said = await court.stranger.says(court.chat, text)
            if number < 20:  # so many are held for one request
                await court.scene.why(said, "held")
            else:
                assert await court.scene.dropped(said) == "too-many-held"
        card = await court.scene.card("Sly")
        await court.scene.press(card, "Deny")
        await court.scene.settled(card)
        assert court.chat.answers == before
        assert await court.scene.role_of(court.stranger) is Role.STRANGER

    async def test_help_lists_what_each_may_and_who_else(self, court: Court) -> None:
        told = {
            who: await court.command("/help", by=getattr(court, who)) for who in ("owner", "keeper", "member")
        }
        assert "/audit" in told["owner"]
        assert "For owners and admins:" in told["owner"]
        assert "/engage" in told["keeper"]
        assert "/audit" not in told["keeper"]
        assert "/engage" not in told["member"]
        assert "/leave" in told["member"]
        assert "For owners and admins:" not in told["member"]
        assert "/permits" not in await court.command("/help questions", by=court.member)
        assert "/permits" in await court.command("/help questions", by=court.keeper)
        for word, role in (("engage", "needs the role admin"), ("people", "for all agent groups")):
            assert role in await court.command(f"/help {word}", by=court.member)


@pytest.mark.capability("P5")
class TestRoles:
    async def test_a_person_is_named_by_username_or_handle_or_by_a_reply(self, court: Court) -> None:
        scene, chat = court.scene, court.chat
        zoe = scene.server.person("Zoe", username="Zoe_Z")
        message = await zoe.says(chat, "hello all")
        await scene.dropped(message)
        for text in (
            "/role @zoe_z member",
            f"/role telegram:{zoe.id} none main",
            f"/role {zoe.id} member main",
        ):
            assert f"Zoe (@Zoe_Z, telegram:{zoe.id}) is now" in await court.command(text)
        for text in ("/role none main", "/role member"):
            assert f"telegram:{zoe.id}) is now" in await court.command(text, reply_to=message)
        assert await scene.role_of(zoe) is Role.MEMBER
        assert "is blocked" in await court.command("/block", reply_to=message)
        assert await scene.dropped(await zoe.says(chat, "@helper_bot hi")) == "blocked"
        assert "not blocked any more" in await court.command("/unblock", reply_to=message)

    async def test_a_username_that_changed_hands_is_its_new_owners(self, court: Court) -> None:
        scene, chat = court.scene, court.chat
        old, new = scene.server.person("Old", username="prize"), scene.server.person("New")
        for person in (old, new):
            await scene.dropped(await person.says(chat, "hello all"))
        old.renames("Old")
        new.renames("New", username="prize")
        await scene.dropped(await new.says(chat, "mine now"))
        assert f"telegram:{new.id}" in await court.command("/role @prize member")
        third = scene.server.person("Third", username="prize")  # who never wrote before they had it
        new.renames("New")
        await scene.dropped(await third.says(chat, "now mine"))
        assert f"telegram:{third.id}" in await court.command("/role @prize member")
        assert await scene.role_of(old) is Role.STRANGER

    async def test_who_is_meant_must_be_clear(self, court: Court) -> None:
        for text, words in (
            ("/role @nobody_at_all member", 'Nobody here is known as "@nobody_at_all"'),
            ("/role", "Name the person"),
            ("/role member", "Name the person"),
            (f"/role telegram:{court.member.id}", "Write the role: owner, admin, member, none"),
            (f"/role telegram:{court.member.id} king", '"king" is none of the choices'),
            (f"/role telegram:{court.member.id} member nowhere", 'no agent group "nowhere"'),
            (f"/role telegram:{court.member.id} owner main", "leave the group out"),
            ("/role local:owner none", "Whoever holds this machine is its owner"),
            ("/block local:owner", "Whoever holds this machine is its owner"),
            (f"/block telegram:{court.owner.id}", "You cannot block yourself"),
        ):
            assert words in await court.command(text), text
        for text in (f"/block telegram:{court.owner.id}", f"/block telegram:{court.admin.id}"):
            refused = await court.command(text, by=court.admin)
            assert refused in ("Only an owner can block an owner or admin.", "You cannot block yourself.")

    async def test_who_hides_behind_a_chat_can_have_no_role(self, court: Court) -> None:
        court.scene.server.channel("Mask", court.scene.bot)
        big = court.scene.server.group("Big", court.scene.bot, members=[court.owner], supergroup=True)
        await court.scene.command(big, "/wire main")
        message = await big.says_as(big, "@helper_bot hi")
        await court.scene.dropped(message)
        refused = await court.scene.command(big, "/role owner", reply_to=message)
        assert refused == "Big is no person whom one could recognise, and can have no role."

    async def test_an_admin_of_a_group_makes_members_there_and_nothing_else(self, court: Court) -> None:
        zed = f"telegram:{court.stranger.id}"
        await court.scene.dropped(await court.stranger.says(court.chat, "hello all"))
        assert "is now member in main." in await court.command(f"/role {zed} member", by=court.keeper)
        for text in (f"/role {zed} admin main", f"/role {zed} member sales", f"/role {zed} member rivals"):
            assert await court.command(text, by=court.keeper) == NEEDS_ADMIN
        for role in ("owner", "admin"):
            refused = await court.command(f"/role {zed} {role}", by=court.keeper)
            assert refused == "This needs the role owner."
            assert await court.command(f"/role {zed} {role}", by=court.admin) == "This needs the role owner."
        assert await court.scene.role_of(court.stranger) is Role.MEMBER
        assert await court.scene.role_of(court.stranger, "sales") is Role.STRANGER

    async def test_an_admin_of_a_group_touches_no_other_group(self, court: Court) -> None:
        await court.command("/wire sales")
        for text in (
            "/engage sales always",
            "/ignored sales accumulate",
            "/senders sales known",
            "/unwire sales",
        ):
            assert await court.command(text, by=court.keeper) == NEEDS_ADMIN
        assert await court.command("/strangers public", by=court.keeper) == NEEDS_ADMIN
        assert "main takes up a message always" in await court.command("/engage main always", by=court.keeper)
        by_group = {wiring.group: wiring.engage.mode for wiring in await court.scene.wirings(court.chat)}
        assert by_group == {"main": EngageMode.PATTERN, "sales": EngageMode.MENTION}

    async def test_an_admin_of_a_group_does_not_decide_for_others(self, court: Court) -> None:
        await court.command("/wire sales")
        await court.scene.why(await court.stranger.says(court.chat, "@helper_bot hi"), "held")
        card = await court.scene.card("Sly")
        request = card.text.rstrip(")").rpartition("(")[2]
        assert "not yours to decide" in await court.command(f"/allow {request}", by=court.keeper)
        assert request not in await court.command("/requests", by=court.keeper)
        assert request in await court.command("/requests", by=court.admin)
        assert "turned away by Adam" in await court.command(f"/deny {request}", by=court.admin)

    async def test_the_host_moves_to_another_owner(self, court: Court) -> None:
        scene, chat = court.scene, court.chat
        heir = scene.server.person("Heir", username="heir")
        await scene.pair(heir)
        queen = scene.server.person("Queen", username="queen_of_all")
        await scene.dropped(await queen.says(chat, "hello all"))
        assert "is now owner everywhere" in await court.command("/role @queen_of_all owner", by=heir)
        assert "is now nobody in particular" in await court.command("/role @heir none", by=heir)
        assert await scene.role_of(heir) is Role.STRANGER
        await scene.why(await heir.says(chat, "/people"), "held")
        assert "People with a role:" in await court.command("/people", by=queen)
        assert "is now nobody in particular" in await court.command(
            "/role @queen_of_all none", by=court.owner
        )
        await scene.press(await scene.card("Heir"), "Deny")

    async def test_a_member_gives_up_what_they_have(self, court: Court) -> None:
        """Ordering needs an admin; the page and the command line do it for a member."""
        own = f"telegram:{court.keeper.id}"
        assert "is now nobody in main" in await court.command(f"/role {own} none main", by=court.keeper)
        assert await court.scene.role_of(court.keeper) is Role.STRANGER


@pytest.mark.capability("P1")
class TestWirings:
    async def test_a_hostile_text_does_not_slow_the_host(self, court: Court, model: ScriptedModel) -> None:
        await court.command("/engage pattern (a+)+$")
        hostile = await court.owner.says(court.chat, "a" * 3000 + "!")
        assert await court.scene.dropped(hostile) == "no-match"
        await court.owner.says(court.chat, "b" * 3000 + "a")
        await model.wait_for_calls(1)  # by trying everything it would take years

    async def test_a_pattern_that_cannot_be_used_is_refused_and_the_wiring_stays(self, court: Court) -> None:
        await court.command("/engage pattern hello")
        for pattern, words in (
            ("(?=a)", "The pattern (?=a) cannot be used: "),
            ("(unclosed", "cannot be used"),
            ("(a)\\1", "cannot be used"),
            ("x" * 501, "The pattern has 501 characters; at most 500 are allowed."),
            ("", "A pattern is missing."),
        ):
            assert words in await court.command(f"/engage pattern {pattern}")
        told = await court.command("/engage")
        assert "/engage mention: when the bot is called, or replied to" in told
        assert "/engage pattern coffee|кава: when the words fit coffee|кава" in told
        assert "/chat_memory read: the agents use memory but change nothing" in await court.command(
            "/chat_memory"
        )
        for text in ("/engage sometimes", "/engage rivals always"):
            assert "always, pattern, mention, mention-sticky." in await court.command(text)
        (wiring,) = await court.scene.wirings(court.chat)
        assert wiring.engage.pattern == "hello"

    async def test_a_chat_is_wired_to_what_is_there_once_and_for_one_company(self, court: Court) -> None:
        for text, words in (
            ("/wire nowhere", 'There is no agent group "nowhere". There is: main, rivals, sales.'),
            ("/wire", "Write the name of one agent group: main, rivals, sales."),
            ("/wire main", "Court belongs to main already."),
            ("/wire rivals", "rivals works for another company than the agents in Court."),
            ("/unwire sales", "Court is not wired to sales. It is wired to: main."),
        ):
            assert words in await court.command(text), text
        assert [wiring.group for wiring in await court.scene.wirings(court.chat)] == ["main"]
        await court.command("/unwire main")
        assert "belongs to rivals now" in await court.command("/wire rivals")

    async def test_a_group_can_be_made_by_words(self, court: Court) -> None:
        said = await court.command("/groups add Front-Desk demo")
        assert said == "The agent group front-desk was made. Its folder is groups/front-desk."
        assert "front-desk, company demo, no chats" in (await court.command("/groups")).replace(
            "0 chats", "no chats"
        )
        for text, words in (
            ("/groups add Front-Desk demo", 'An agent group "front-desk" is there already'),
            ("/groups add 🙂 demo", "at least one letter or digit"),
            ("/groups add Desk 🙂", "at least one letter or digit"),
            ("/groups add Desk", "Write /groups add NAME COMPANY."),
        ):
            assert words in await court.command(text), text
        assert not (court.scene.host.home / "groups" / "desk").exists()
        folder = court.scene.host.home / "groups" / "front-desk"
        (folder / "group.toml").unlink()


class TestAudit:
    async def test_every_change_is_written_down_with_who_from_where_and_what(self, court: Court) -> None:
        scene, who = court.scene, f"telegram:{court.member.id}"
        named = f"{court.member.name} ({who})"
        changes = (
            (f"/role {who} admin sales", "role-given", {"person": named, "role": "admin", "group": "sales"}),
            (f"/role {who} none sales", "role-taken", {"person": named, "group": "sales"}),
            (f"/block {who}", "blocked", {"person": named}),
            (f"/unblock {who}", "unblocked", {"person": named}),
            ("/wire sales", "wired", {"chat": "Court", "group": "sales"}),
            ("/unwire sales", "unwired", {"chat": "Court", "group": "sales"}),
            ("/engage pattern hi", "wiring-changed", {"group": "main"}),
            ("/ignored accumulate", "wiring-changed", {"group": "main"}),
            ("/senders known", "wiring-changed", {"group": "main"}),
            ("/strangers public", "strangers-set", {"before": "request_approval", "after": "public"}),
        )
        for text, action, detail in changes:
            await court.command(text, by=court.admin)
            (entry,) = await scene.audit()
            assert (entry.action, entry.name) == (action, "Adam"), text
            assert (entry.handle, entry.via) == (f"telegram:{court.admin.id}", f"telegram:{scene.bot.id}")
            assert {key: entry.detail[key] for key in detail} == detail
        before = (await scene.audit())[0].id
        for text in ("/wire main", "/engage pattern (?=a)", f"/role {who} king", "/people", "/audit"):
            await court.command(text, by=court.admin)
        assert (await scene.audit())[0].id == before  # nothing was changed, so nothing is written
        told = await court.command("/audit")
        assert "set the policy for strangers in Court from request_approval to public" in told
        assert 'from "mention, senders all' in told

    async def test_names_in_lists_are_shown_as_they_are_written(self, court: Court) -> None:
        scene = court.scene
        odd = scene.server.person("*Bold* [x](https://evil.example) `c`", username="odd_one")
        await scene.dropped(await odd.says(court.chat, "[press](https://evil.example)"))
        for text in ("/role @odd_one member", "/drops"):
            said = await court.command(text)
            assert "*Bold* [x](https://evil.example) `c`" in said
            shown = [seen for seen in court.chat.seen if seen.by_bot][-1]
            assert not [mark for mark in shown.entities if mark["type"] == "text_link"]
        assert "[press](https://evil.example)" in said
