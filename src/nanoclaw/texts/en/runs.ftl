# Runs of pipelines: what people are asked in them, and why they ended.

option-edit = ✏️ Change
option-again = 🔁 Change and try again
option-go-on = ⏩ Go on anyway
option-abort = ✖️ Abort

run-approve = **{ $title }**, step { $step } of { $count } ({ $role }): shall it go on with this?
run-review-session = **{ $title }**, step { $step } of { $count } ({ $role }): look into what was made, and approve or reject it.
run-gate-failed = **{ $title }**: step { $step } ({ $role }) did not succeed in { $count ->
        [one] one attempt
       *[other] { $count } attempts
    }. { $why }

    What now? You can also write what should be different.
run-what-to-change = **{ $title }**, step { $step }: what should be different? Write it in your own words.
run-ended-failed = ❌ **{ $title }** (`{ $id }`) failed: { $why } What its steps made until then is kept; `/pipeline-retry { $id }` runs it again from there.
run-held = ⏳ **{ $title }** waits at step { $step }: { $reason } It goes on by itself.

error-run-unknown = There is no run "{ $id }". /pipelines in a chat, or nanoclaw pipelines list, shows them.
error-run-over = This run is over already: it is { $status ->
        [done] done
        [failed] failed
       *[other] cancelled
    }.
error-run-not-over = This run is still going. Cancel it first.
error-run-not-yours = Only whoever started this run, and those who administer its group, can do that.
error-run-not-member = Only members of the group "{ $group }" can start a pipeline there.
error-run-no-subject = Say what it is about, for example: /write-article AI in marketing
error-run-long-subject = The subject is longer than { $most } characters. Say it in fewer words.
error-run-many-asked = { $most } runs of yours wait for a yes already. Start or cancel some of them first: /pipelines lists them.
error-run-no-step = There is no step { $step }: the pipeline has { $count }.
error-run-step-not-done = Step { $step } did not finish, so nothing after it can be run. Run it again from there.
error-run-cancelled = { $name } cancelled it.
error-run-called-off = It was cancelled.
error-run-not-as-shown = It is no longer what was shown when somebody said yes. Start it again: the card shows it anew.
error-run-not-started = Nobody said yes in time.
error-run-stopped = A person stopped its agent.
error-run-unanswered = Nobody answered the question of step { $step } in time.
error-run-lost-rights = { $name } started it and is no longer a member of its group.
error-run-skill-gone = The skill "{ $skill }" of step { $step } is no longer there.
error-run-step-over = The step was called off.
error-step-timeout = Step { $step } ({ $role }) took longer than { $minutes } minutes.
error-step-gates = What is missing: { $gates }.
error-step-wrong-result = Its result could not be taken: { $said }
error-step-no-result = Its agent did not hand in a result.

audit-pipeline-cancelled = cancelled the pipeline run { $subject }: { $template }
