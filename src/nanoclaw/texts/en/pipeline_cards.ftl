# Pipelines in a chat: the card before a run, its one message, its commands.

option-start = ▶️ Start

start-asked = Start **{ $title }**: { $subject }?
start-waits = waits for a person, { $time } at most
start-together = at once with { $steps }
start-estimate = 💰 { $cost } · ⏱ { $time } ({ $runs ->
        [0] estimated from prices; it never ran before
        [one] from { $runs } earlier run
       *[other] from { $runs } earlier runs
    })
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
