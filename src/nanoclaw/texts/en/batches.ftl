# Batches in a chat: the card before one, its one message, the check of its texts, its commands.

batch-option-part = ▶️ { $count ->
        [one] Only { $count } text
       *[other] Only { $count } texts
    }
batch-option-review = 👀 Review one by one
batch-option-daily = 📅 One a day
batch-option-files = 💾 Save as files
batch-option-later = ⏸ Later

batch-texts = texts
batch-asked = Generate { $count } × **{ $subject }**?
batch-free = 💰 Costs nothing: the demo agent plays it. With a key a real model writes the texts.
batch-cost = 💰 ≈ { $cost } instead of { $alone } one by one
batch-asked-how = ✍️ { $model }{ $skill ->
        [none] { "" }
       *[other] , skill { $skill }
    }{ $channel ->
        [none] { "" }
       *[other] , rules of the channel { $channel }
    }
batch-asked-topics-more = … and { $count } more topics, as they were named
batch-asked-grade = 🎯 A small model grades each text; below { $grade } of 10 it does not pass
batch-asked-budget = ⚠️ The budget has { $left } left. All { $count } texts may cost up to { $most }, so there is enough for { $fits }.
batch-same = You have just asked for this: the card above, batch `{ $id }`, is the same.

batch-head = 📦 **{ $count } × { $subject }** · `{ $id }`
batch-state-asked = 📋 Waits for your yes
batch-state-preparing = ⏳ Finding topics and writing prompts: { $topics } of { $of }
batch-state-waiting = ⏸ Waiting; it goes on by itself. { $ready }/{ $of } ready
batch-state-unpaid = 💰 Waits for money; it goes on by itself. { $ready }/{ $of } ready
batch-state-running = ⏳ { $ready }/{ $of } ready
batch-state-checking = 🔍 Checking { $ready ->
        [one] { $ready } text
       *[other] { $ready } texts
    }
batch-state-ready = ✅ { $ready } ready
batch-state-done = ✅ Done
batch-state-failed = ❌ Failed. { $ready }/{ $of } ready
batch-state-cancelled = ✖️ Cancelled. { $ready }/{ $of } were ready and are kept
batch-kept-how = Read them: `/batch_results { $id }`. The page Batches reviews, schedules and saves them.
batch-ready = ✅ { $ready ->
        [one] { $ready } text ready
       *[other] { $ready } texts ready
    }, { $passed } of { $ready } passed the check{ $failed ->
        [0] { "" }
       *[other] ; { $failed } failed
    }
batch-fewer = ℹ️ { $wanted } were wanted, but only { $count } different topics were found.
batch-fewer-paid = ℹ️ { $wanted } were wanted; the budget could pay for { $count }.
batch-spent = 💰 { $cost }
batch-spent-end = 💰 { $cost } (estimated: { $expected })
batch-spent-of = 💰 { $cost } so far (estimated: { $expected })
batch-item-good = - ✅ { $number }\. { $topic }
batch-item-faulty = - ⚠️ { $number }\. { $topic }: { $faults }
batch-note-approved = 👍 approved
batch-note-rejected = 🗑 rejected
batch-note-task = 🗓 task { $task }
batch-item-waits = - ▫️ { $number }\. { $topic }
batch-item-failed = - ❌ { $number }\. { $topic }: { $said }
batch-item-expired = not written within 24 hours
batch-item-canceled = cancelled before it was written
batch-item-no-reason = the model gave no reason
batch-items-more = { $count ->
        [one] - … and { $count } more
       *[other] - … and { $count } more
    }
batch-again-how = Send all of these again: `/batch_resubmit { $id }`. Only one: `/batch_resubmit { $id } { $number }`.
batch-end-asked = **{ $ready ->
        [one] { $ready } text is ready
       *[other] { $ready } texts are ready
    }** ({ $subject }), { $passed } of { $ready } passed the check. What should become of them?

batch-line = `{ $id }` { $count } × { $subject } · { $status }, { $ready }/{ $count }{ $cost }
batch-status-asked = waits for your yes
batch-status-preparing = preparing
batch-status-waiting = waiting
batch-status-unpaid = waits for money
batch-status-running = running
batch-status-checking = checking
batch-status-ready = ready, waits for your decision
batch-status-done = done
batch-status-failed = failed
batch-status-cancelled = cancelled

batches-head = **Batches**, the newest first:
batches-none = There are no batches yet. For example: `/batch_generate 30 posts for Telegram`
batches-foot = One of them: `/batches NUMBER`. Its texts: `/batch_results NUMBER`.
batch-results-foot = One text: `/batch_results { $id } 1`
batch-results-tasks = Until it is sent, a text can be changed: `/task_edit { $task } text …`, `/task_edit { $task } time friday 9:00`, `/task_delete { $task }`
order-batch-cancel = Cancelled: { $subject } (`{ $id }`). { $ready ->
        [0] No text was written yet.
        [one] The text that was written is kept.
       *[other] The { $ready } texts that were written are kept.
    }{ $sent ->
        [0] { "" }
       *[other] { " " }What the vendor has finished by now is still fetched.
    }
order-batch-resubmit = { $count ->
        [one] { $count } text is written again
       *[other] { $count } texts are written again
    }: { $subject } (`{ $id }`).
command-batch-generate = write many texts at once, at half the price: `30 posts for Telegram`
command-batches = list batches, or show how far one is
command-batch-cancel = cancel a batch; what is written is kept
command-batch-results = the texts of a batch
command-batch-resubmit = write again what failed

batch-fault-empty = the text is empty
batch-fault-language = it is in { $is }, not in { $wanted }
batch-fault-short = it has { $count } characters; the others have about { $usual }
batch-fault-long = it has { $count } characters; the others have about { $usual }
batch-fault-double = it says nearly the same as text { $of }
batch-fault-grade = it got { $grade } of 10; at least { $least } are wanted
batch-fault-ungraded = the model gave it no grade
batch-language-en = English
batch-language-uk = Ukrainian
batch-language-ru = Russian
batch-language-de = German
batch-language-pl = Polish
batch-language-fr = French
batch-language-es = Spanish

batch-fact = { $subject }: a batch of { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }{ $channel ->
        [none] { "" }
       *[other] { " " }for { $channel }
    } was written on { $day }. { $passed } of { $ready } passed the check; it cost { $cost }. Batch { $id }, asked for by { $who }; /batch_results { $id } shows the texts.
batch-activity = { $ready ->
        [one] { $ready } text ready
       *[other] { $ready } texts ready
    }, { $passed } passed the check, { $cost } (batch { $id })

error-batch-no-agent = No agent of this chat writes batches for you.
error-batch-no-count = How many texts, and of what? For example: /batch_generate 30 posts for Telegram
error-batch-bad-count = "{ $said }" is not a number of texts. For example: /batch_generate 30 posts for Telegram
error-batch-no-subject = { $count } texts of what kind? For example: /batch_generate { $count } posts for Telegram
error-batch-long-subject = That is too long for a command: at most { $most } characters. Put topics into a file, one in each line, and send it with the command.
error-batch-bad-grade = "{ $said }" is not a grade: 1 to 10, for example grade:7
error-batch-bad-number = "{ $said }" is not the number of a text.
error-batch-no-channel = There are no rules for the channel "{ $said }". Known channels: { $known }.
error-batch-no-skill = There is no skill "{ $said }". The agent's skills are in the folder skills/; write its name, for example skill:telegram-poster
error-batch-no-model = There is no model "{ $said }" here. Choose one of these: { $known }.
error-batch-no-language = Texts can be checked in these languages: { $known }. "{ $said }" is none of them.
error-batch-no-money = What is left of the budget does not pay for a single one of these { $count } texts. An owner can add money: /budget_override +20
error-batch-no-file = There is no file "{ $name }" that can be read among the files of this agent. Send it with the command instead.
error-batch-file-kind = "{ $name }" is not a list of topics: { $kinds } can be read.
error-batch-file-not-text = "{ $name }" cannot be read as text. Save it as a text file in UTF-8.
error-batch-file-missing = The file "{ $name }" could not be fetched. { $said }
error-batch-no-topics = There are no topics in "{ $name }": write one in each line.
error-batch-none = There are no batches in this chat yet.
error-batch-none-open = No batch is under way in this chat.
error-batch-several = This fits several batches: { $batches }. Write more of the id.
