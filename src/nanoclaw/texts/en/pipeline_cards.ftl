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
start-from-step = 🔁 Again, from step { $step } on

pipeline-card-asked = 📋 **{ $title }**: { $subject } · `{ $id }` waits for your yes
pipeline-card-running = ⚙️ **{ $title }**: { $subject } · `{ $id }`
pipeline-card-done = ✅ **{ $title }** is done: { $subject } · `{ $id }`
pipeline-card-failed = ❌ **{ $title }** failed: { $subject } · `{ $id }`
pipeline-card-cancelled = ✖️ **{ $title }** was cancelled: { $subject } · `{ $id }`
pipeline-where = Step { $n } of { $of }
pipeline-where-asked = Step { $n } of { $of }: it waits for a person
pipeline-where-unpaid = Step { $n } of { $of }: it waits for money
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
pipeline-status-unpaid = waits for money
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
pipelines-foot = Stop one: `/pipeline_cancel RUN`. Run it again from a step: `/pipeline_retry RUN STEP`.
order-pipeline-cancel = Cancelled: **{ $title }**, { $subject } (`{ $id }`). What it has made so far is kept.
order-pipeline-retry = Again from step { $step }: **{ $title }**, { $subject } (`{ $id }`). The earlier run stays as it is.
error-run-no-agent = No agent of this chat takes pipelines from you.
error-run-several = Which one? { $runs }
error-run-none-open = No pipeline that you could cancel is under way in this chat. /pipelines shows all that you can see.
error-run-none-over = There is no finished run in this chat that you could repeat. /pipelines shows all that you can see.
error-run-retry-how = Write the run and the step from which it should go on: /pipeline_retry ab12c 3. What you write after the step is a note for its agent.

help-pipelines-list = The templates, and the runs, newest first.
help-pipelines-show = One run: its steps, what was measured, what they cost.
help-pipelines-run = Start a run, and tell how far it is until it ends. Ctrl-C leaves it running.
help-pipelines-cancel = Cancel a run. What it has made is kept.
help-pipelines-retry = Run again, from where it stopped or from a step on. The old run stays.
help-pipelines-export = Write a run as files: texts, results, costs, template.
help-pipelines-ref = The run: the end of its id, as `list` shows it.
help-pipelines-template = The name of the template, or its command.
help-pipelines-subject = What it is about, in quotes.
help-pipelines-group = The agent group; without it the main one.
help-pipelines-to = The chat that gets what it makes; without it your own.
help-pipelines-budget = The most that it may cost, in dollars.
help-pipelines-yes = Start without asking.
help-pipelines-detach = Do not wait for its end.
help-pipelines-of-template = Only the runs of this template.
help-pipelines-status = Only the runs in this state.
help-pipelines-texts = With the texts that it made.
help-pipelines-from = The step from which it should go on.
help-pipelines-note = A note for the agent of that step.
help-pipelines-text-file = A file whose text this step is given instead of its input.
help-pipelines-folder = A new or empty folder.
pipelines-steps = { $count ->
        [one] { $count } step
       *[other] { $count } steps
    }
pipelines-broken = cannot be used
pipelines-no-runs = There are no runs.
pipelines-estimate = Expected: { $expected } ({ $runs ->
        [0] estimated from prices; it never ran before
        [one] from { $runs } earlier run
       *[other] from { $runs } earlier runs
    })
pipelines-sure = Start? [y/N]
pipelines-not-begun = Nothing was started.
pipelines-begun = Run { $id } of { $title }
pipelines-goes-on = It goes on without you: `{ $command } pipelines show { $id }` tells how far it is, `{ $command } pipelines cancel { $id }` stops it.
pipelines-lost = The host went away. The run goes on with the next one; waiting for it…
pipelines-asks = 🙋 A person is asked: { $question }
pipelines-choice = { "    " }{ $command } decide { $id } { $option }   ({ $label })
pipelines-ended-done = ✅ Run { $id } is done.
pipelines-ended-failed = ❌ Run { $id } failed.
pipelines-ended-cancelled = ✖️ Run { $id } was cancelled.
pipelines-exported = { $count ->
        [one] One file is in { $folder }.
       *[other] { $count } files are in { $folder }.
    }
error-pipelines-no-such-run = There is no run { $id }. `{ $command } pipelines list` shows them.
error-pipelines-no-such-status = There is no state "{ $value }". There are: { $known }.
error-pipelines-say-yes = A run costs money, and nobody can be asked here: say --yes.
error-pipelines-text-unreadable = { $path } cannot be read ({ $said }).
error-export-not-empty = { $path } is not empty. Name a new folder.
error-export-unwritable = Nothing can be written to { $path } ({ $said }).

pipeline-button-c = ✖️ Cancel
pipeline-button-r = 🔁 Run again from there
pipeline-again = Again from step { $step }: run { $id }
