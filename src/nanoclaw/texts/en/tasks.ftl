# Tasks: when they are due, what they do, how they went.

## When

error-when-unclear = "{ $text }" is no time that can be understood. Write how often (every monday at 8:00, weekdays at 9:00, every 2 hours), when once (tomorrow 9:00, in 2 hours, 2026-11-20 08:00), or five fields of cron (0 8 * * 1).
error-when-missing = When it is to be done is missing. Write how often (every monday at 8:00, weekdays at 9:00, every 2 hours), when once (tomorrow 9:00, in 2 hours, 2026-11-20 08:00), or five fields of cron (0 8 * * 1).
error-when-zone = "{ $text }" names another clock, and times are on your own. Write the time as it is on yours, or set it with /timezone Europe/Kyiv.
error-when-line = "{ $text }" does not begin with a time that can be understood. The time comes first, then what is to be done: every monday at 8:00 send me the news; tomorrow 9:00 call the bank; 0 8 * * 1 send me the news.
error-when-clock = At what time? Write the clock after "{ $text }", such as 9:00 or 6pm: every day at 9:00, every monday at 18:30.
error-when-clocks = One task cannot come at all the times of "{ $text }". Make a task for each of them; or give one task clocks with the same minutes: every day at 9:00 and 18:00.
error-when-every-other = "{ $text }" cannot be kept to: only what comes every day, week, month or year has a clock. Write a distance, which counts from now (every 2 days, every 2 weeks), or the days by name (every mon, wed and fri at 9:00).
error-when-no-such-day = "{ $text }" never comes: there is no such day. Choose one that is in the calendar, such as 28 february 9:00.
error-when-no-such-clock = No clock shows the time in "{ $text }". Hours go from 0 to 23, minutes from 00 to 59, such as 9:00 or 23:59.
error-when-end = It is not clear where the time ends in "{ $text }". Write | after it: every day at 9:00 | send me the news.
error-cron-seconds = "{ $text }" has six fields; seconds are not known here. Write five: minute, hour, day of the month, month, day of the week. 0 8 * * 1 is every monday at 8:00.
error-cron-fields = "{ $text }" is not written in five fields. Cron has exactly five: minute, hour, day of the month, month, day of the week. 0 8 * * 1 is every monday at 8:00. In words it would be: every monday at 8:00.
error-cron-field = In "{ $text }" the { $field ->
        [minute] minute "{ $value }" cannot be used. Write 0 to 59, such as 30, 0,30 or */15.
        [hour] hour "{ $value }" cannot be used. Write 0 to 23, such as 8, 8,18 or 9-17.
        [day-of-month] day of the month "{ $value }" cannot be used. Write 1 to 31, such as 1 or 1,15, or L for the last day.
        [month] month "{ $value }" cannot be used. Write 1 to 12 or its name, such as 3 or MAR.
       *[other] day of the week "{ $value }" cannot be used. Write 0 (Sunday) to 6 or its name, such as 1, MON or 1-5.
    }
error-cron-never = "{ $text }" never comes: there is no such day. Choose another day, such as 0 9 28 2 *, or L for the last day of a month: 0 9 L * *.
error-interval-short = A task can run once a minute at most, and { $seconds ->
        [one] a second
       *[other] { $seconds } seconds
    } is less. Write for example every 15 minutes or every 2 hours.
error-interval-long = A task must run at least once a year, and { $days } days is longer. Write for example every 30 days, or a date in five fields of cron: 0 9 1 1 *.
error-timezone-unknown = There is no zone "{ $zone }". Write a name such as Europe/Kyiv or America/New_York.

## Tasks in a chat

weekday-0 = Mon
weekday-1 = Tue
weekday-2 = Wed
weekday-3 = Thu
weekday-4 = Fri
weekday-5 = Sat
weekday-6 = Sun
task-card-active = 🗓 **Task { $id }**
task-card-paused = ⏸ **Task { $id } is paused**
task-card-completed = ✅ **Task { $id } is done**
task-card-failed = ❌ **Task { $id } failed**
task-card-cancelled = ✖️ **Task { $id } was stopped**
task-card-deleted = 🗑 **Task { $id } was deleted**
task-every = every { $span }
task-cron = cron { $cron }
task-once = once
task-hourly = every hour at :{ $minute }
task-daily = every day at { $clocks }
task-on-weekdays = weekdays at { $clocks }
task-on-weekends = weekends at { $clocks }
task-on-days = { $days } at { $clocks }
task-on-date = every month on the { $day } at { $clocks }
task-on-last = last day of every month at { $clocks }
task-yearly = every year on { $day } { $month } at { $clocks }
task-on-placed =
    every month on the { $place ->
        [1] first
        [2] second
        [3] third
        [4] fourth
       *[0] last
    } { $day ->
        [0] Monday
        [1] Tuesday
        [2] Wednesday
        [3] Thursday
        [4] Friday
        [5] Saturday
       *[6] Sunday
    } at { $clocks }
month-of-1 = January
month-of-2 = February
month-of-3 = March
month-of-4 = April
month-of-5 = May
month-of-6 = June
month-of-7 = July
month-of-8 = August
month-of-9 = September
month-of-10 = October
month-of-11 = November
month-of-12 = December
weekday-each-0 = Mondays
weekday-each-1 = Tuesdays
weekday-each-2 = Wednesdays
weekday-each-3 = Thursdays
weekday-each-4 = Fridays
weekday-each-5 = Saturdays
weekday-each-6 = Sundays
task-cut = 📄 { $hidden } of { $whole } characters are not on this card: { $names }. All of it is in the document { $file }.
task-part-work = the work
task-part-check = the check
task-check = 🔎 Before each run this command decides whether the agent is needed:
task-next = { $count ->
        [one] Next:
       *[other] The next { $count } times:
    }
task-zone-person = 🕐 On { $name }'s clock: { $zone }
task-zone-group = 🕐 On the clock of this agent group: { $zone } (/timezone sets your own)
task-zone-host = 🕐 On the clock of this host: { $zone } (/timezone sets your own)
task-zone-named = 🕐 On the clock that was named: { $zone }
task-cost = 💰 About { $run } a run, { $month } a month ({ $runs ->
        [one] one run
       *[other] { $runs } runs
    }), from { $known ->
        [one] the last run like it
       *[other] the last { $known } runs like it
    }.
task-cost-once = 💰 About { $run }, from { $known ->
        [one] the last run like it
       *[other] the last { $known } runs like it
    }.
task-cost-unknown-once = 💰 What it costs is known after the run.
task-cost-unknown = 💰 { $runs ->
        [one] One run.
       *[other] { $runs } runs a month.
    } What one costs is known after the first.
task-button-p = ⏸ Pause
task-button-r = ▶️ Resume
task-button-n = ⚡ Run now
task-button-c = ✖️ Stop it
task-button-e = ✏️ Edit
task-button-t = 🕐 The time
task-button-w = 📝 The text
task-button-b = ← Back
task-button-d = 🗑 Delete
task-button-x = 🗑 Yes, delete
task-why-failures = It failed too often in a row.
task-why-group-gone = Its agent group { $group } is no longer there, or its file cannot be read.
task-why-owner-lost-rights = Whoever wanted it may no longer talk to { $group }.
task-why-unwired = Its chat is no longer wired to { $group }.
task-why-skill-gone = Its skill { $skill } is no longer there.
task-line = **{ $id }** { $title }
        { $rhythm } · { $when }{ $last }
task-stored = 📝 Sent as it is, without an agent: it costs nothing.
task-texts-line = 📚 { $count ->
        [one] { $count } text
       *[other] { $count } texts
    } of batch **{ $batch }**: { $next ->
        [none] all are paused
       *[other] next { $next }, the last { $last }
    }{ $paused ->
        [0] { "" }
       *[other] { " " }· ⏸ { $paused } paused
    }
task-line-paused = ⏸ paused
task-line-next = next { $time }
task-line-background = in the background
task-line-running = under way
task-line-unpaid = waits for money
task-line-last = { " " }· last: { $status }
tasks-head = Tasks (/task\_pause, /task\_resume, /task\_run, /task\_edit, /task\_history, /task\_delete and the number):
tasks-head-none = There are no tasks. Schedule one: /schedule every monday 8:00 send me the news
run-queued = 🕐 waits for its place
run-running = ▶️ under way
run-waiting = 🙋 waits for a person
run-unpaid = 💰 waits for money
run-retrying = 🔁 is tried again
run-success = ✅ done
run-failed = ❌ failed
run-skipped = ⏭ skipped
run-missed = 💤 missed
run-cancelled = ✖️ stopped
run-undelivered = 📭 done, but not delivered
run-attempts = { $count } attempts
task-result = Task { $id }: { $title }
task-result-late = Task { $id }: { $title }. Late: it was due { $time }
task-failed = ❌ **Task { $id } failed** after { $attempts ->
        [one] one attempt
       *[other] { $attempts } attempts
    }: { $title }

    { $reason }
task-failed-next = ❌ **Task { $id } failed** after { $attempts ->
        [one] one attempt
       *[other] { $attempts } attempts
    }: { $title }

    { $reason }

    The next run: { $next }
task-too-late = 💤 **Task { $id } was not run**: { $title }

    { $reason }
task-too-late-next = 💤 **Task { $id } was not run**: { $title }

    { $reason }

    The next run: { $next }
task-paused-by-failures = ⏸ **Task { $id } is paused**: it failed { $failures ->
        [one] once
       *[other] { $failures } times in a row
    }. { $title }

    { $reason }

    When that is mended, resume it here or with /task\_resume { $id }.
task-paused-notice = ⏸ **Task { $id } is paused**: { $title }

    { $reason } When that is mended, resume it here or with /task\_resume { $id }.
task-missed = 💤 **Task { $id } was not run**: { $title }

    { $several ->
        [yes] It was due from { $first } to { $last }
       *[no] It was due { $first }
    }, when this host was not running, and is not made up for.
task-not-delivered = 🚨 **Task { $id } has not delivered**: { $title }

    It was due { $due }, and its result should have arrived by { $by }. It stands: { $state }. Why: { $reason }
task-held = ⏳ Task { $id } waits: { $reason } It goes on by itself. { $title }
task-edit-time = ✏️ When shall task { $id } run? **Reply to this message** with the time, such as `every day at 9:00`, or write `/task_edit { $id } time every day at 9:00`.

    > { $title }
task-edit-text = ✏️ What shall task { $id } do? **Reply to this message** with the text, or write `/task_edit { $id } text …`.

    > { $title }
order-task-edit = ✏️ Task { $id } is changed: { $title } · { $rhythm } · next { $next }
order-task-edit-paused = ✏️ Task { $id } is changed: { $title } · { $rhythm }. ⏸ It is still paused: /task\_resume { $id }
task-edit-time-by-order = ✏️ When shall task { $id } run? Write `/task_edit { $id } time every day at 9:00`.

    > { $title }
task-edit-text-by-order = ✏️ What shall task { $id } do? Write `/task_edit { $id } text …`.

    > { $title }
task-history-head = **Task { $id }**: { $title }
task-history-none = It has not run yet.
press-choose-e = What of task { $id } shall be changed? { $title }
press-choose-d = Delete task { $id }: { $title }?
order-task-pause = ⏸ Task { $id } is paused: { $title }. /task\_resume { $id } goes on with it.
order-task-resume = ▶️ Task { $id } goes on: { $title }. Next: { $next }
order-task-delete = 🗑 Task { $id } is deleted: { $title }
order-task-run = ⚡ Task { $id } runs now: { $title }
order-task-cancel = ✖️ Task { $id } is stopped: { $title }

## Background tasks

background-accepted = ⏳ **Task { $id } accepted.** { $estimate }
background-estimate = About { $minutes } min.
background-runs = ⏳ **Task { $id }** has been at it for { $since }. { $estimate }
background-done = ✅ **Task { $id } is done** after { $took }
background-cancelled = ✖️ **Task { $id } was stopped** after { $took }
background-failed = ❌ **Task { $id } failed** after { $took }
background-result = ✅ **Task { $id }**: { $title }

## Orders, timeline, audit

command-schedule = have something done later or regularly
command-tasks = what is scheduled, and what runs in the background
command-task-pause = pause a task
command-task-resume = go on with a paused task
command-task-run = run a task now
command-task-edit = change the time or the text of a task
command-task-history = how the runs of a task went
command-task-cancel = stop the run that goes on; the series goes on
command-task-delete = delete a task
why-task-due = Task { $task } { $reason ->
        [manual] was started by a person
        [late] was due while the host was not running, and is made up for
        [background] was handed over
       *[other] was due
    }
why-checked = { $needed ->
        [yes] The check of the task said that the agent is needed
       *[no] The check of the task said that the agent is not needed
    }
why-run-again = It went wrong, and is tried again in { $seconds } s
audit-task-made = scheduled task { $subject } for { $group }: { $prompt }
audit-task-paused = paused task { $subject }: { $prompt }
audit-task-resumed = resumed task { $subject }: { $prompt }
audit-task-run = ran task { $subject } now: { $prompt }
audit-task-cancelled = stopped what task { $subject } was doing: { $prompt }
audit-task-edited = edited task { $subject }: { $prompt }
audit-task-deleted = deleted task { $subject }: { $prompt }

## What cannot be done

error-schedule-how = Write when and what: /schedule every monday 8:00 send me the news. Also: tomorrow 9:00, in 2 hours, every 90 minutes, weekdays at 8:30, or five fields of cron.
error-no-such-task = There is no task { $id } here that is yours. /tasks lists them.
error-task-which = Which task? Write its number after the command. /tasks lists them.
error-task-no-agent = No agent listens in this chat yet. Write something to it first, then schedule.
error-task-no-prompt = What is to be done is missing. Write when and what, as in: every monday 8:00 send me the news
error-task-prompt-long = The text has { $length } characters; a task can have { $most }. Put the rest into a file of the group and name it in the text.
error-task-no-skill = There is no skill "{ $skill }". There are: { $known }.
error-task-no-model = There is no model "{ $model }". Write { $known }, or the name of a model as its vendor writes it.
error-task-not-wired = The group { $group } has no chat here to send its results to. Wire one first: /wire { $group }
error-task-too-many = The group { $group } has { $most ->
        [one] { $most } task
       *[other] { $most } tasks
    } already, and no more are allowed. Delete some, or raise { $setting } in nanoclaw.toml.
error-task-by-script = A script in the box may not change tasks while you work for an owner or an admin. Use the tool change_task yourself.
error-task-no-turn = Tasks can be scheduled and changed only while you work for someone. Ask while a turn is running.
error-task-no-thread = Nothing was ever said in a thread "{ $thread }" of this chat. Leave notify_thread_id out: the result comes to the thread where you are.
error-task-forbidden = Only members of { $group } can have something done by it. An admin can give the role: /role PERSON member { $group }
error-task-no-route = "{ $text }" is no person and no chat that can be written to. Name a handle (telegram:123, @name) or the title of a chat.
error-task-no-such-choice = { $name } cannot be "{ $value }". It can be: { $known }.
error-task-bad-number = { $name } cannot be "{ $value }". Write a whole number from { $least } to { $most }.
error-task-span-long = { $name } cannot be "{ $value }": at most { $days } days are allowed.
error-task-paused-already = Task { $id } is paused already.
error-task-not-active = Task { $id } is { $status ->
        [active] active
        [paused] paused
        [completed] done
        [failed] over: it failed
        [cancelled] stopped
       *[other] deleted
    }, so this cannot be done with it.
error-task-not-paused = Task { $id } is { $status ->
        [active] active
        [paused] paused
        [completed] done
        [failed] over: it failed
        [cancelled] stopped
       *[other] deleted
    }, not paused.
error-task-over = The time of task { $id } is over. Run it now with /task_run { $id }, or give it a new time with /task_edit { $id } time tomorrow 9:00.
error-task-runs-already = Task { $id } is being done right now. Wait for it, or stop it with /task_cancel { $id }.
error-task-runs-not = Task { $id } is not being done right now.
error-task-only-text = Task { $id } sends a text that is written already: it has no skill, model or check.
error-task-text-sent = The text of task { $id } is being sent right now: it can no longer be changed.
error-task-edit-how = Write what to change: /task_edit { $id } time every day 9:00, or /task_edit { $id } text Send me the news.
error-task-group-gone = The agent group { $group } of task { $id } is not there, or its file cannot be read. Mend groups/{ $group }/group.toml first.
error-task-owner-lost-rights = Whoever wanted task { $id } may no longer talk to { $group }. Give them the role again, or schedule it yourself.
error-task-unwired = The chat of task { $id } is no longer wired to { $group }. Wire it first: /wire { $group }
error-task-skill-gone = The skill { $skill } of task { $id } is no longer there. Bring it back, give the task another one (nanoclaw tasks edit, or the page), or delete it.
error-press-unknown = This button means nothing any more.
error-run-not-needed = The check said that there is nothing to do.
error-run-overlaps = The run before it still went on.
error-run-stale = It could only begin { $seconds } s after its time, and that is too late for it.
error-run-missed = The host was not running.
error-check-forbidden = The check of the task was not run, because it was not allowed.
error-check-unseen = The check of the task was not run: it names { $path }, which the host cannot look at. Have it use plain files below /work or /memory.
error-check-slow = The check of the task did not end within { $seconds } s.
error-check-failed = The check of the task ended with code { $code }: { $said }
error-calendar-span = A calendar shows from one moment to a later one, at most { $days } days.
error-no-owner = Nobody owns this host yet. Start it first.

## The command line

help-tasks = Scheduled tasks and tasks running in the background. On its own: lists them.
help-tasks-all = Include those that will never run again.
help-tasks-number = Number of the task, as shown in the list.
help-tasks-add = Schedule a task: nanoclaw tasks add "every monday 8:00" "send me the news". With --background only what is to be done; it begins at once.
help-tasks-when = When, in words (every monday 8:00, tomorrow 9:00, in 2 hours, every 90 minutes), as a moment (2026-11-20 08:00, with or without an offset), or in five fields of cron.
help-tasks-text = What to do.
help-tasks-skill = Skill to do it with; default: the agent chooses.
help-tasks-model = Model to do it with.
help-tasks-group = Agent group that does it; default: the main one.
help-tasks-to = Chat that gets the results: its id, its title, or a person's handle.
help-tasks-zone = Time zone, such as Europe/Kyiv; default: your own.
help-tasks-check = Shell command that runs in the box first: exit code 0 wakes the agent, 1 means there is nothing to do.
help-tasks-quiet = Do not send the result to the chat. Failures are still reported.
help-tasks-notify = Whether to send the results to the chat.
help-tasks-catch-up = What to do about runs missed while no host was running: none, the latest, or all.
help-tasks-most-caught-up = With all: catch up on at most this many.
help-tasks-stale-after = A run that is later than this is skipped: 30m, 2h, 1d, or none.
help-tasks-overlap = What to do about a run that is due while the previous one is still going: skip it, or queue it.
help-tasks-jitter = Start at a random moment within this time, so that tasks do not all start at once: 5m, or none.
help-tasks-retries = How many times to try again after a failure.
help-tasks-retry-pause = How long to wait before the first retry; each further wait is five times longer.
help-tasks-pause-after = Pause the task after this many failures in a row.
help-tasks-deliver-by = So long after its time the result must have been delivered, else someone is told elsewhere: 30m, or none.
help-tasks-alarm-to = Who is told then: the id or title of a chat, or a person's handle.
help-tasks-background = Begin at once, in a box of its own; for work that takes long.
help-tasks-priority = Which of those that wait for a place goes first: low, normal or high.
help-tasks-minutes = How many minutes it will take, about.
help-tasks-show = Everything about one task.
help-tasks-edit = Change a task; what is not named stays. An empty value ("") takes away a skill, a model, a check or whom to alarm.
help-tasks-pause = Pause a task.
help-tasks-resume = Go on with a paused task, from its next time on.
help-tasks-run = Run a task now, besides its own times.
help-tasks-cancel = Stop what a task is doing now. Its series goes on.
help-tasks-delete = Delete a task, and stop what it is doing.
help-tasks-yes = Do not ask whether you are sure.
help-tasks-history = How the runs of a task went, the newest first: when, result, duration, cost.
help-tasks-calendar = What ran today and what will run, day by day.
help-tasks-days = So many days, from today on.
tasks-none = There are no tasks. Schedule one: nanoclaw tasks add "every monday 8:00" "send me the news"
tasks-more = Only the newest { $limit } are shown. See more with --limit.
tasks-head-one = Task { $id }
tasks-where = For the agent group { $group }; the results go to { $chat }
tasks-owner = Wanted by { $name }, since { $time }
tasks-skill = Skill: { $value }
tasks-model = Model: { $value }
tasks-check = Check: { $value }
tasks-quiet = Its results are not sent, only failures.
tasks-background = ⏳ in the background, priority { $priority }
tasks-status = { $status ->
        [completed] ✅ is done
        [failed] ❌ failed
        [cancelled] ✖️ was stopped
        [deleted] 🗑 was deleted
       *[other] ▶️ under way
    }
tasks-last = last: { $status }
tasks-zone-person = 🕐 On the clock of { $name }: { $zone }
tasks-zone-group = 🕐 On the clock of the agent group: { $zone } (name another with --zone, or set yours with /timezone in a chat)
tasks-zone-host = 🕐 On the clock of this host: { $zone } (name another with --zone, or set yours with /timezone in a chat)
tasks-zone-named = 🕐 On the clock that was named: { $zone }
tasks-zone-shown = The times are shown on your clock: { $zone }
tasks-catch-up = { $how ->
        [none] Runs that were missed are not made up for.
        [latest] Of the runs that were missed, the last is made up for.
       *[all] Runs that were missed are made up for, the last { $most } at most.
    }
tasks-overlap = { $how ->
        [skip] A run that is due while the one before it goes on is skipped.
       *[queue] A run that is due while the one before it goes on waits for it.
    }
tasks-retries = { $count ->
        [0] It is not tried again when it fails.
        [one] It is tried once more when it fails, after { $span }.
       *[other] It is tried { $count } more times when it fails, first after { $span }.
    }
tasks-pause-after = { $count ->
        [one] It is paused after the first failure.
       *[other] It is paused after { $count } failures in a row.
    }
tasks-stale-after = More than { $span } late it is not run any more.
tasks-jitter = It starts within { $span } after its time.
tasks-deliver-by = { $named ->
        [yes] When its result has not arrived { $span } after its time, { $whom } is told.
       *[no] When its result has not arrived { $span } after its time, its owner is told elsewhere.
    }
tasks-runs = { $count ->
        [0] It has not run yet.
        [one] It has run once{ $failures ->
            [0] .
           *[other] , and failed.
        }
       *[other] It has run { $count } times{ $failures ->
            [0] .
            [one] , and failed the last time.
           *[other] , and failed the last { $failures } times.
        }
    }
tasks-reason-late = made up for
tasks-reason-manual = started by a person
tasks-calendar-none = Nothing ran, and nothing will run in these days.
tasks-calendar-times = { $count } times
tasks-calendar-more = There is more than can be shown. Choose fewer --days.
tasks-done-pause = Task { $id } is paused. Go on with it: nanoclaw tasks resume { $id }
tasks-done-resume = Task { $id } goes on.
tasks-done-run = Task { $id } is run now. How it goes: nanoclaw tasks history { $id }
tasks-done-cancel = What task { $id } was doing is stopped.
tasks-done-delete = Task { $id } is deleted.
tasks-delete-sure = Delete task { $id } ({ $title })? y/N
tasks-kept = Nothing was deleted.
tasks-no-host = No host runs now, so nothing is done. Start one that stays: { $command } up
error-tasks-no-such = There is no task { $id }. See which there are: nanoclaw tasks
error-tasks-add-what = What is to be done? Write when and what: nanoclaw tasks add "every monday 8:00" "send me the news"
error-tasks-add-at-once = What runs in the background begins at once. Leave the time out: nanoclaw tasks add --background "audit all competitors"
error-tasks-edit-what = What is to be changed? Name it: nanoclaw tasks edit 5 --when "every day 9:00", or --text, --zone, --retries; --help lists all.
help-tasks-thinking = How much the model thinks before it answers: off, low, high, or auto.
tasks-thinking = Thinking before the answer: { $how ->
    [off] off
    [low] a little
    [high] much
   *[auto] by how hard the task looks
 }
