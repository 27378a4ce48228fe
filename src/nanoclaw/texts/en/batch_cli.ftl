# `nanoclaw batches`, and words that the page shares with it.

help-batches = Batches: many texts at once, at half the price.
help-batches-list = The batches, newest first.
help-batches-show = One batch: how far it is, what it cost, its parts.
help-batches-run = Start a batch, and tell how far it is until its texts are ready. Ctrl-C leaves it running.
help-batches-cancel = Cancel a batch. What is written is kept.
help-batches-results = Its texts, with what the check found.
help-batches-resubmit = Send again what failed, or only some texts by their numbers.
help-batches-approve = Approve texts by their numbers, or all that passed the check.
help-batches-reject = Reject texts by their numbers.
help-batches-edit = Reword a text. It counts as approved.
help-batches-rewrite = Have a text written again.
help-batches-review = Review the texts in the chat of the batch, card by card.
help-batches-schedule = Send the texts one a day: what was approved, else what passed the check.
help-batches-unschedule = Take the schedule back: texts that are not sent yet lose their day.
help-batches-save = Write the texts into files of the agent group.
help-batches-ref = The batch: the end of its id, as `list` shows it.
help-batches-subject = What is wanted, in quotes: "posts for Telegram". Not needed with --topics.
help-batches-count = How many texts; with --topics, as many as there are topics.
help-batches-topics = A file of topics: .txt (a topic in each line), .csv (the first column) or .md (a list).
help-batches-skill = The skill that writes; without it the one that fits the channel.
help-batches-model = haiku, sonnet, opus, or the name of a model.
help-batches-channel = The channel whose rules the texts keep to, as telegram.
help-batches-language = The language of the texts: en or uk.
help-batches-grade = Have a small model grade each text; below this grade (1 to 10) it does not pass.
help-batches-to = The chat that is told, and where the texts go; without it your own.
help-batches-schedule-to = The chat that gets the texts; without it that of the batch.
help-batches-detach = Do not wait until the texts are ready.
help-batches-status = Only batches in this state.
help-batches-only = Only some of the texts.
help-batches-csv = Print CSV.
help-batches-json = Print JSON, one text a line.
help-batches-items = Numbers of texts.
help-batches-item = The number of the text.
help-batches-words = The text as it should be.
help-batches-note = What should be different.
help-batches-passed = All that passed the check and that nobody has decided about.
help-batches-first = The first day, as 2026-11-20; without it tomorrow.
help-batches-at = The hour of each day, as 10:00; several times for several texts a day.
help-batches-weekdays = Not on Saturdays and Sundays.

batches-empty = There are no batches. Start one: nanoclaw batches run "posts for Telegram" --count 30
batches-standing = { $status } · { $ready }/{ $of } written, { $passed } passed the check{ $failed ->
        [0] { "" }
       *[other] , { $failed } failed
    }
batches-verdicts = approved: { $approved } · rejected: { $rejected }
batches-spent = { $cost } (estimated: { $expected })
batches-started = started by { $name }, { $time }
batches-part = part { $number }: { $count ->
        [1] text { $first }
       *[other] texts { $first } to { $last }
    }, { $state }, { $done } done
batches-scheduled = 🗓 { $count ->
        [one] { $count } text waits for its day
       *[other] { $count } texts wait for their days
    }: next { $next }, the last { $last }
batches-scheduled-already = All of them are scheduled already.
batches-send-at = 🗓 { $time }, task { $task }
batches-estimate = { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }: about { $cost } instead of { $alone } one by one
batches-estimate-free = { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }: this costs nothing
batches-budget = The budget has { $left } left: enough for { $fits } of { $count } texts.
batches-begun = Batch { $id } has begun: { $count } × { $subject }
batches-goes-on = Batch { $id } goes on. How far it is: nanoclaw batches show { $id }
batches-now-what = Read them: nanoclaw batches results { $id }. Send them one a day: nanoclaw batches schedule { $id }. Save them as files: nanoclaw batches save { $id }
batches-unscheduled = The texts that are not sent yet have lost their days. They can be scheduled anew.
batches-no-host = No host is running: files are written and texts are sent when one runs. Start it with: nanoclaw up
batches-no-texts = There are no such texts.
batches-approved = { $count ->
        [one] { $count } text is approved.
       *[other] { $count } texts are approved.
    }
batches-review-begun = The first text is on a card in { $chat }.
batches-saving = { $count ->
        [one] { $count } text is written into
       *[other] { $count } texts are written into
    } { $folder }
batch-part-new = is prepared
batch-part-ready = is about to be sent
batch-part-sending = is being sent
batch-part-unclear = may have been sent: a person decides
batch-part-sent = at the vendor
batch-part-ended = finished
batch-part-cancelled = cancelled
batch-text-waiting = ▫️ waits
batch-text-sent = ⏳ is being written
batch-text-succeeded = ▪️ written
batch-text-approved = ✅ approved
batch-text-rejected = ❌ rejected
batch-text-errored = ⚠️ failed
batch-text-expired = ⌛ expired
batch-text-canceled = ✖️ cancelled
error-batches-no-count = How many texts? For example: nanoclaw batches run "posts for Telegram" --count 30, or with a file of topics: --topics topics.txt
error-batches-no-such = There is no batch { $id }. See which there are: nanoclaw batches list
error-batches-which = Which texts? Write their numbers: nanoclaw batches approve k3v9x 1 2 3. All that passed the check: --passed
