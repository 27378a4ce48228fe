# Handoffs: what agents hand over to each other.

handoff-asked = { $sender } wants to hand work over to { $receiver }, for { $name }. May it?
handoff-asked-git = Through git, { $sender } wants { $receiver } of { $group } to do work. Anybody who can push to the remote may have written it. May it begin?
handoff-git-refused = { $count ->
    [one] A file that came through git is no handoff that can be taken up:
   *[other] { $count } files that came through git are no handoffs that can be taken up:
}
    { $files }{ $more ->
    [0] {""}
   *[other] {" "}… and { $more } more
}
handoff-no-result = What was handed over to { $skill } has no result: { $reason }
handoff-refused-alert = The agent { $skill } of { $group } wanted to hand work over and was refused: { $reason }

handoff-state-asked = Waits for a person
handoff-state-waiting = Waits
handoff-state-running = Under way
handoff-state-done = Done
handoff-state-failed = It failed.
handoff-state-refused = It was refused.
handoff-state-expired = Its time is over.
handoff-state-cancelled = It was cancelled.

error-handoff-not-as-shown = It is no longer what was shown when somebody agreed to it. Hand it over again: people are asked anew.
error-handoff-stranger = Nobody has vouched for the person who wrote this, so no other agent is started for them.
error-handoff-other-company = Work is never handed over to another company: { $company } is not { $own }.
error-handoff-group-unknown = There is no group { $group } whose file can be read.
error-handoff-group-not-yours = To hand work over to { $group }, the person must be its admin, and the agent itself must ask for it, not a script.
error-handoff-group-inside = A sub-agent has the files of its own group. To reach { $group }, use the way session.
error-handoff-group-files = { $group } has other files. Put what it needs into the content and leave out the attachments.
error-handoff-no-skill = There is no skill "{ $skill }". There are: { $known }.
error-handoff-skill-gone = The skill { $skill } was removed meanwhile.
error-handoff-to-self = { $skill } cannot hand work over to itself. Do it, or choose another skill.
error-handoff-circle = The work has been with { $skill } before: { $way }. Give your result instead; whoever waits for it gets it.
error-handoff-hops = The work has passed through { $most } hands, and goes no further. Finish it yourself.
error-handoff-one-receiver = Only a parallel handoff has several receivers. With { $type }, name one skill.
error-handoff-inside-hitl = A sub-agent starts at once. To let a person agree first, use the way session, or ask with request_human.
error-handoff-nobody-to-wake = This turn belongs to a task or a step, which ends with it: nobody could be woken later by { $type }. Use the way inside, or sequential.
error-handoff-too-long = The content has about { $tokens } tokens, and { $most } are allowed. Shorten it, put it into a file below /work and name that as an attachment, or allow more with max_context_tokens.
error-handoff-expired = Its time was over at { $at }, and nothing starts after that.
error-handoff-moment = "{ $text }" is no moment. Write it like 2026-03-02T15:00Z.
error-handoff-too-many = One turn hands over { $most } times at most. Do the rest yourself, or in another turn.
error-handoff-chain-long = { $most } handoffs have followed from one message, and that is the limit. Give your result.
error-handoff-budget = What followed from the first message has cost as much as it may ({ $spent } of { $budget }). Give your result.
error-handoff-other-chain = { $chain } is not the chain that this turn belongs to. Leave it out: the host knows.
error-handoff-other-step = The next step of this chain is { $expected }, not { $step }. Leave it out: the host knows.
error-handoff-no-turn = No turn is running. Hand over while one is.
error-handoff-lost-rights = { $name } may no longer talk to this group, so nothing is done for them.
error-handoff-unknown = There is no handoff { $id }.
error-handoff-over = It is over already.
error-handoff-not-yours = Only the person for whom it works, and admins of the group, can cancel it.
error-handoff-cancelled-by = { $name } cancelled it.
error-handoff-cut-off = The turn that waited for it was cut off.
error-handoff-altered = The contract { $id } says something else than what was handed over.
error-handoff-file-unreadable = It cannot be read as a contract or a result.
error-handoff-file-form = { $said }
error-handoff-file-other-id = It names another id than its file: { $id }.
error-handoff-not-through-git = { $id } was not handed over through git, so nothing from there ends it.
error-handoff-result-empty = The result is empty.
error-handoff-result-long = The result has { $length } characters, and { $most } are allowed. Put the rest into a file of the workspace and name it.
error-handoff-failed-elsewhere = Whoever took it up could not do it: { $said }
error-handoff-no-group = No group belongs to the company { $company }.
error-handoff-no-owner = There is no owner who could be asked.
error-handoff-git-many = { $most } contracts that came through git are open already. Push it again, changed, when some of them have ended.
error-handoff-undecided = Nobody agreed in time.
error-handoff-not-wanted = { $name } did not want it.

audit-handoff-cancelled = cancelled a handoff to { $skill }

help-handoffs = What agents hand over to each other: list, show, cancel
help-handoffs-list = List handoffs, newest first
help-handoffs-open = Only those that are not over
help-handoffs-show = Show a handoff, its result and its chain
help-handoffs-cancel = Cancel a handoff, and everything that its receiver handed on
help-handoffs-id = The id of a handoff, as the list shows it

handoffs-none = Nothing was handed over yet.
handoffs-cancelled-now = Cancelled. { $skill } stops, and the sender hears of it.
handoffs-times = Handed over { $begun }; nothing starts after { $ends }.
handoffs-for = For { $name }, in { $chat }
handoffs-result = Result:
handoffs-chain = Chain: { $count ->
        [one] one handoff
       *[other] { $count } handoffs
    }, { $cost }
handoffs-asked = waits for a person
handoffs-waiting = waits
handoffs-running = under way
handoffs-done = done
handoffs-failed = failed
handoffs-refused = refused
handoffs-expired = expired
handoffs-cancelled = cancelled

# The demo agent
demo-handoff-given = Handed over. Watch it on the page under Handoffs, or with `nanoclaw handoffs`.
demo-handoff-done-by = It came back to me from { $skill }:

    { $said }
demo-handoff-returned = It came back to me:

    { $said }
demo-handoff-done = I am { $skill } now, and got this to do:

    { $said }

    A real agent would do it; I am the demo and only hand it back.

# Why: what followed from a message
why-run-asked = pipeline "{ $title }" ({ $id })
why-run-step-started = step { $number } began: { $role ->
    [HITL] approval by a person
   *[other] { $role }
}
why-run-step-ended = step { $number }, { $role ->
    [HITL] approval by a person
   *[other] { $role }
}: { $state ->
        [done] done
        [skipped] skipped
        [failed] failed
       *[cancelled] cancelled
    }
why-run-done = pipeline "{ $title }" is finished
why-run-failed = pipeline "{ $title }" failed
why-run-cancelled = pipeline "{ $title }" was cancelled
why-handed-over = { $sender } handed work over to { $receiver } (step { $step } of the chain, { $id })
why-handoff-ended = { $receiver } (step { $step }): { $state ->
        [done] done
        [failed] failed: { $reason }
        [refused] refused: { $reason }
        [expired] too late: { $reason }
       *[cancelled] cancelled
    }

# The page
console-handoffs = Handoffs
console-handoffs-about = Agents hand work over to each other: each chain, from a person's message to the last answer.
console-handoffs-none = Nothing was handed over yet. Ask an agent to let another one do a part of the work.
console-handoff-chain = The chain
console-handoff-from = from { $skill }
console-handoff-asked = waits for a person
console-handoff-waiting = waits
console-handoff-running = under way
console-handoff-done = done
console-handoff-failed = failed
console-handoff-refused = refused
console-handoff-expired = expired
console-handoff-cancelled = cancelled
console-handoff-way-inside = within the turn
console-handoff-way-session = own box
console-handoff-way-git = through git
console-handoff-type-sequential = answers the chat
console-handoff-type-callback = result comes back
console-handoff-type-parallel = in parallel
console-handoff-cancel = Cancel the handoff
console-handoff-cancel-not = Let it go on
console-handoff-cancel-title = Cancel this handoff?
console-handoff-cancel-sentence = The agent that works on it stops, and so does everyone to whom it handed work on. The sender hears of it.
console-handoff-given = What was handed over
console-handoff-reason = Why there is no result
console-handoff-result = Result
console-handoff-contract = The whole contract
console-handoff-for = For
console-handoff-until = Starts no later than
console-handoff-cost = Cost of the chain
console-handoff-cost-of = { $is } of { $most }
console-handoff-source = Source
console-handoff-hearsay = Partly from outside: a file, a web page or a stranger
