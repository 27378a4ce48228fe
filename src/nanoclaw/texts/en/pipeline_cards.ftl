# Pipelines in a chat: the card before a run, its one message, its commands.

option-start = ▶️ Start

start-asked = Start **{ $title }**: { $subject }?
start-waits = { $time } at most
start-together = at once with { $steps }
start-estimate = 💰 { $cost } · ⏱ { $time } ({ $runs ->
        [0] estimated from prices; it never ran before
        [one] from { $runs } earlier run
       *[other] from { $runs } earlier runs
    })
start-free = costs nothing
start-cost-unknown = the price is not known
start-author = ✍️ The template itself says: { $expected }
start-budget = 🔒 It never spends more than { $budget }

pipeline-card-asked = 📋 **{ $title }**: { $subject } · `{ $id }` waits for your yes
pipeline-card-running = ⚙️ **{ $title }**: { $subject } · `{ $id }`
pipeline-card-done = ✅ **{ $title }** is done: { $subject } · `{ $id }`
pipeline-card-failed = ❌ **{ $title }** failed: { $subject } · `{ $id }`
pipeline-card-cancelled = ✖️ **{ $title }** was cancelled: { $subject } · `{ $id }`
pipeline-where = Step { $n } of { $of }
pipeline-where-asked = Step { $n } of { $of }: it waits for a person
pipeline-approval = approval by a person
pipeline-attempt = attempt { $n }
pipeline-faults = { $count ->
        [one] ⚠️ { $count } fault
       *[other] ⚠️ { $count } faults
    }
pipeline-steps-before = { $count ->
        [one] - … { $count } step before
       *[other] - … { $count } steps before
    }
pipeline-steps-after = { $count ->
        [one] - … { $count } more step
       *[other] - … { $count } more steps
    }
pipeline-figures-so-far = 💰 { $cost } so far · ⏱ { $time }
pipeline-figures = 💰 { $cost } · ⏱ { $time }
pipeline-figures-estimated = { "" } (estimated: { $expected })
pipeline-seconds = { $range } s
pipeline-minutes = { $range } min
pipeline-line = - `{ $id }` { $title }: { $subject } · { $status }{ $where }{ $cost }
pipeline-line-step = , { $n } of { $of } steps
pipeline-status-asked = waits for your yes
pipeline-status-running = running
pipeline-status-done = done
pipeline-status-failed = failed
pipeline-status-cancelled = cancelled

start-example = AI in marketing
start-no-subject = What should **{ $title }** be about? Write it with the command, for example: `{ $example }`
start-vague = What exactly should **{ $title }** be about? "{ $said }" says nothing to the agents, who do not see this chat. For example: `{ $example }`
start-which = More than one pipeline answers to these words. Which one do you mean?
start-same = You have just asked for this: the card above, run `{ $id }` of **{ $title }**, is the same.
start-broken = This pipeline cannot start: its template { $file } has a mistake in line { $line }. { $mistake }. { $more ->
        [0] Correct it, and it works from the next message on.
        [one] There is one more mistake: `{ $command } pipelines check { $file }` shows both.
       *[other] There are { $more } more mistakes: `{ $command } pipelines check { $file }` shows them all.
    }

help-templates = Pipelines, each with a subject of your choice:
command-pipelines = pipelines, what runs, and what ran last
command-pipeline-cancel = cancel a run of a pipeline
command-pipeline-retry = run a pipeline again, from a step on
pipelines-head = Pipelines that you can start:
pipelines-none = There are no pipelines. A template is a file in `foundation/process_templates/`.
pipelines-template = - **{ $title }**: { $commands } · { $steps ->
        [one] { $steps } step
       *[other] { $steps } steps
    }
pipelines-template-broken = - ⚠️ { $name }: its template has a mistake
pipelines-open = Under way:
pipelines-over = The last ones:
order-pipeline-cancel = Cancelled: **{ $title }**, { $subject } (`{ $id }`). What it has made so far is kept.
order-pipeline-retry = Again from step { $step }: **{ $title }**, { $subject } (`{ $id }`). The earlier run stays as it is.
error-run-no-agent = No agent of this chat takes pipelines from you.
error-run-several = Which one? { $runs }
error-run-none-open = No pipeline that you could cancel is under way in this chat. /pipelines shows all that you can see.
error-run-none-over = There is no finished run in this chat that you could repeat. /pipelines shows all that you can see.
error-run-retry-how = Write the run and the step from which it should go on: /pipeline_retry ab12c 3. What you write after the step is a note for its agent.
