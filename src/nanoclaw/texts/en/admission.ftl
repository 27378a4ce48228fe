# Who may speak, and to whom: cards, commands of owners and admins, reasons, and what is refused.

order-forbidden-everywhere = The command /{ $name } needs the role { $role } for all agent groups; { $yours ->
        [stranger] you have none for all
       *[other] yours is { $yours }
    }.
help-admins = For owners and admins:
command-leave = the agent leaves this thread until it is called again
command-requests = who waits for a decision of yours
command-allow = let someone in (for a new chat: with the agent group)
command-deny = turn someone away
command-wire = this chat belongs to an agent group
command-unwire = it does no longer
command-engage = when the agent takes up what is said here
command-ignored = what becomes of messages that it does not take up
command-senders = whose messages it takes up
command-strangers = what happens when someone unknown writes here
command-role = what a person may do, or whoever you reply to
command-people = everyone who has a role
command-block = hear nothing of a person any more
command-unblock = hear of them again
command-chats = the chats, and which agents are in them
command-groups = the agent groups; add makes a new one
command-drops = what was not admitted, and why
command-audit = who changed what

order-leave-done = I stay out of this thread until I am called again.
order-leave-none = No agent stays in this thread: each waits to be called.
rate-told = You write faster than this host allows. Nothing is lost: what you wrote is taken up in about { $seconds ->
        [one] a second
       *[other] { $seconds } seconds
    }.

# Cards

card-in-private = a private chat
card-in-group = the group "{ $title }"
card-in-threaded = the group "{ $title }"
card-said-cut = ⚠️ { $hidden } more characters are not on this card. All of it is on the page under “People”.
card-sender = **{ $who } wants to talk to { $agents }.**

    Nobody has let them in yet. They wrote in { $chat }:

    { $said }

    Press *Allow* to make them a member of { $agents } and have what they wrote answered. *Deny* drops it; *Block* drops it and everything else they write. ({ $id })
card-chat-said = **New channel: wire it?**

    { $who } wrote in { $chat }, which belongs to no agent yet:

    { $said }

    Choose the agent that answers there. Whoever wrote this may then talk to it; about others in the chat you will be asked. ({ $id })
card-chat-alone = **New channel: wire it?**

    { $who } wrote to the bot alone:

    { $said }

    Choose the agent that answers them. ({ $id })
card-chat-joined = **New channel: wire it?**

    { $who } brought the bot into { $chat }. Choose the agent that answers there. ({ $id })
card-name = What shall the new agent for "{ $chat }" be called? Write its name here.
card-name-asked = Write the name of the new agent here.
card-company = Which company does { $group } work for?
card-cancelled = Cancelled. The card above can still be answered.
card-allow = { $who } may speak now, decided { $name }
card-deny = { $who } was turned away by { $name }
card-block = { $who } was blocked by { $name }
card-wired = wired to { $group } by { $name }
card-public = answered: anyone may speak there now, decided { $name }
card-moved = the chat moved, and belongs to { $group } already
card-ignore = ignored by { $name }; the next message there asks again
card-never = ignored for good by { $name }
button-allow = Allow
button-deny = Deny
button-block = Block
button-create = Create new
button-ignore = Ignore
button-never = Never ask again
button-cancel = Cancel
button-own-company = A new one: { $name }

# Policies, each as a sentence

engage-always = always
engage-pattern = when the words fit { $pattern }
engage-mention = when the bot is called, or replied to
engage-mention-sticky = when the bot is called, and from then on in that thread
senders-all = everyone who may speak here
senders-known = only members of the agent group
ignored-drop = what is not for the agent is dropped
ignored-accumulate = what is not for the agent is kept, and read with the next message that wakes it
strangers-request_approval = an owner or admin is asked about strangers
strangers-strict = strangers are dropped
strangers-public = anyone may speak

# Answers to commands

people-head = People with a role:
people-head-none = Nobody has a role yet.
person-blocked = blocked
person-blocked-now = { $who } is blocked: nothing they write is taken up.
person-unblocked-now = { $who } is not blocked any more.
role-still = They are still { $role } everywhere; /role with none takes that away.
role-everywhere = { $role } everywhere
role-within = { $role } in { $group }
role-set = { $who } is now { $role ->
        [none] nobody
       *[other] { $role }
    } in { $group }.
role-set-everywhere = { $who } is now { $role ->
        [none] nobody in particular
       *[other] { $role } everywhere
    }.
chats-head = Chats, with their agents:
chats-head-none = There is no chat yet.
wire-done = This chat belongs to { $group } now.
unwire-done = This chat belongs to { $group } no longer.
wiring-now = { $group } takes up a message { $engage }; senders: { $senders }; { $ignored }.
wiring-privacy = On Telegram a bot hears such messages only as an admin of the group, or with its privacy mode off (/setprivacy at BotFather).
strangers-now = From now on in this chat: { $policy }.
group-made = The agent group { $group } was made. Its folder is groups/{ $group }.
groups-head = Agent groups:
groups-head-none = There is no agent group.
group-line = - { $group }, company { $company }, { $count ->
        [one] one chat
       *[other] { $count } chats
    }
requests-head = Waiting for a decision (/allow ID, /deny ID):
requests-head-none = Nobody waits for a decision.
request-sender = - `{ $id }` { $who } wants to speak in { $chat }
request-chat = - `{ $id }` { $chat } has no agent; { $who } wrote there
drops-head = Not admitted, newest first:
drops-head-none = Nothing was turned away.
audit-head = Changes, newest first:
audit-head-none = Nothing was changed yet.
list-more = … and { $count } more

# What happened to a message

state-held = The message waits until someone decides about its sender or its chat.
state-kept = The message was not for the agent; it is read with the next one that is.
why-admitted-because = admitted to { $groups }: { $reason }
why-asked = held, and those who may decide were asked: { $reason }
why-decided = someone decided about it
why-kept = kept for { $group }, which reads it with the next message that wakes it ({ $reason })
why-passed-over = passed over by { $group }: { $reason }
why-paused = written too fast: waits for { $seconds ->
        [one] a second
       *[other] { $seconds } seconds
    }

reason-blocked = the sender is blocked
reason-no-groups = there is no agent group
reason-only-group = an owner or admin wrote, and there is one agent group
reason-unknown-chat = no agent group is wired to this chat, so its wiring is asked for
reason-no-owner = nobody who could decide has paired with the bot yet
reason-other-company = this agent works for another company than the first one of the chat
reason-group-gone = this agent group was removed
reason-members-only = this agent listens to members of its group only
reason-anonymous = nobody can be recognised behind it: a channel, or an admin who hides behind the group
reason-sender-asked = the sender is unknown, so someone is asked
reason-skill-command = it names a skill
reason-always = the agent takes up everything here
reason-pattern = its words fit the agent's pattern
reason-no-match = its words do not fit the agent's pattern
reason-addressed = the bot was called
reason-called-before = the agent was called into this thread before
reason-not-alone = this is done only alone with the bot
reason-not-member = the sender is not a member of this agent group
reason-edited = new words for a message that woke the agent before
reason-too-many-requests = too many requests are open; decide some of them (/requests)
reason-too-many-held = too much of what they wrote waits for a decision already
reason-denied = someone who may decide turned the sender away
reason-replaced = someone else wrote later, and the chat was wired for them

# nanoclaw admission explain

explain-order = The host itself obeys it: /{ $name }.
explain-forbidden-command = The host refuses the command /{ $name }: it needs the role { $role }.
explain-unknown-command = The host answers that there is no command /{ $name }.
explain-refused = Refused, and its sender is told why: { $reason }.
explain-admitted = Admitted to { $groups }: { $reason }.
explain-accumulated = Kept as context for { $groups }, and wakes nobody: { $reason }.
explain-held = Held until someone decides: { $reason }.
explain-dropped = Dropped, with a record: { $reason }.
explain-waits = It would wait { $seconds } s, because its sender or the group wrote too fast.

# The audit

audit-paired = became an owner with a pairing code
audit-role-given = gave { $person } the role { $role } in { $group ->
        [everywhere] every group
       *[other] { $group }
    }
audit-role-taken = took the role from { $person } in { $group ->
        [everywhere] every group
       *[other] { $group }
    }
audit-blocked = blocked { $person }
audit-unblocked = unblocked { $person }
audit-wired = wired { $chat } to { $group }
audit-unwired = unwired { $chat } from { $group }
audit-wiring-changed = changed the wiring of { $chat } to { $group }: from "{ $before }" to "{ $after }"
audit-strangers-set = set the policy for strangers in { $chat } from { $before } to { $after }
audit-message-elsewhere = had the agent of { $group } write to { $target }
audit-group-founded = made the agent group { $group } of the company { $company }
audit-sender-allow = let { $person } speak in { $chat } with { $groups }
audit-sender-deny = turned { $person } away in { $chat }
audit-sender-block = blocked { $person } in { $chat }
audit-chat-wired = wired the new chat { $chat } to { $group }
audit-chat-ignore = ignored the new chat { $chat }
audit-chat-never = ignored the new chat { $chat } for good

# What cannot be done, and what to do

error-pattern-empty = A pattern is missing. Write a regular expression, such as ^assistant; a dot alone fits everything.
error-pattern-long = The pattern has { $length } characters; at most { $longest } are allowed.
error-pattern-bad = The pattern { $pattern } cannot be used: { $said }. It is a regular expression of RE2, without look-around and back-references.
error-pattern-big = The pattern { $pattern } becomes too big: repeat less in it.
error-request-forbidden = This is not yours to decide: it needs an owner, or an admin of the agent groups that it is about.
error-request-gone = This was decided before.
error-request-decided = This was decided by { $name } on { $at }.
error-no-such-request = There is no open request { $id }. /requests in a chat, or { $command } requests list, shows them.
error-request-which = Write the id of a request, as /requests shows it.
error-request-needs-group = This is about a new chat: write /allow { $id } with the name of the agent group.
error-no-such-choice = "{ $choice }" is none of the choices. Choose one of: { $known }.
choose-one = Choose one:
error-choose = Write which: { $known }.
error-create-needs-chat = A name can be asked for only in a private chat or on the page. Make the group with `{ $command } groups add`, then wire the chat to it.
error-no-such-company = This company is not there any more.
error-no-such-group = There is no agent group "{ $group }". There is: { $known }.
error-group-unnamed = A name needs at least one letter or digit.
error-group-exists = An agent group "{ $group }" is there already. Choose another name.
error-company-unnamed = The name of a company needs at least one letter or digit.
error-group-add-how = Write /groups add NAME COMPANY.
error-role-anonymous = { $person } is no person whom one could recognise, and can have no role.
error-role-local-owner = Whoever holds this machine is its owner; that cannot be taken away.
error-role-forbidden = This needs the role { $role }.
error-role-which = Write the role: { $known }.
error-role-which-group = Write in which agent group: { $known }.
error-member-needs-group = A member is a member of one agent group: name it (on the command line with --group). There is: { $known }.
error-owner-everywhere = An owner is one everywhere: leave the group out.
error-block-self = You cannot block yourself.
error-block-admin = Only an owner can block an owner or admin.
error-no-such-person = Nobody here is known as "{ $person }". Use an id, a handle such as telegram:123, or @username of someone who has written.
error-several-people = Several people are known as "{ $person }". Use the handle, such as telegram:123.
error-person-which = Name the person (@username or handle), or write it as a reply to a message of theirs.
error-wired-already = { $chat } belongs to { $group } already.
error-wiring-companies = { $group } works for another company than the agents in { $chat }. Nothing crosses from one company to another: unwire them first.
error-wire-which = Write the name of one agent group: { $known }.
error-no-such-wiring = { $chat } is not wired to { $group }. It is wired to: { $known }.
error-which-wiring = Several agents are in this chat: name the one you mean first. There is: { $known }.
error-no-such-chat = There is no chat "{ $chat }". Use its id, address or title.
error-several-chats = Several chats are called "{ $chat }". Use the id: { $known }.
error-until-unclear = "{ $text }" is no time that can be understood. Write a day (monday, tomorrow, 2026-11-20), a time (18:00), both (monday 9:00), or how long (3h, 2 days, 1w).
error-until-past = "{ $text }" is over already. Write a time that is still to come, such as tomorrow 9:00 or 3h.
error-until-far = "{ $text }" is more than a year ahead. Write a time within a year, such as monday 9:00 or 2w.
error-span-unclear = "{ $text }" is no length of time. Write a number and a unit, such as 90s, 30m, 2h or 1d; a number alone counts minutes.
error-quiet-unclear = "{ $text }" are no quiet hours. Write from when until when, two different times, such as 22:00-07:00 or 22-7.
