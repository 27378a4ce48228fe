# The page "Batches".

console-batches = Batches
console-batches-about = Many texts at once, at half the price: written within a day, checked, then reviewed, sent one a day or saved as files.
console-batches-none = There are no batches yet.
console-batch-new = New batch
console-batch-written = Written: { $done } of { $count }
console-batch-passed = Passed the check: { $count }
console-batch-failed-count = Failed: { $count }
console-batch-verdicts = Approved: { $approved }, rejected: { $rejected }
console-batch-asked = waits for your yes
console-batch-preparing = preparing
console-batch-waiting = waiting
console-batch-unpaid = waits for money
console-batch-texts-wait = { $count ->
        [one] { $count } text waits
       *[other] { $count } texts wait
    }
console-batch-running = running
console-batch-checking = checking
console-batch-ready = ready
console-batch-done = done
console-batch-failed = failed
console-batch-cancelled = cancelled
console-text-waiting = waits
console-text-sent = is being written
console-text-succeeded = written
console-text-errored = failed
console-text-expired = expired
console-text-canceled = cancelled
console-text-approved = approved
console-text-rejected = rejected
console-part-new = is prepared
console-part-ready = is about to be sent
console-part-sending = is being sent
console-part-unclear = may have been sent: a person decides
console-part-sent = at the vendor
console-part-ended = finished
console-part-cancelled = cancelled
console-batch-check = Check
console-batch-decided = Review
console-batch-cost = Cost
console-batch-one-by-one = One by one
console-batch-how = Written by
console-batch-by = Started by
console-batch-scheduled = Scheduled
console-batch-saved = Files
console-batch-saving = being written
console-batch-parts = { $count ->
        [one] { $count } part at the vendor
       *[other] { $count } parts at the vendor
    }
console-batch-part = Part { $number }: texts { $first } to { $last }
console-batch-expires = until
console-batch-cancel = Cancel
console-batch-cancel-title = Cancel this batch?
console-batch-cancel-sentence = What is written stays, and is paid for. The rest is called back.
console-batch-cancel-not = Let it go on
console-batch-review = Review
console-batch-schedule = One a day
console-batch-unschedule = Take the schedule back
console-batch-unschedule-title = Take the schedule back?
console-batch-unschedule-sentence = Texts that are not sent yet lose their days. They stay in the batch, and can be scheduled anew.
console-batch-told-unscheduled = The schedule was taken back.
console-batch-save = Save as files
console-batch-approve-passed = Approve all that passed
console-batch-again-all = { $count ->
        [one] Send { $count } failed text again
       *[other] Send { $count } failed texts again
    }
console-batch-again-one = Send again
console-batch-only = Show
console-batch-only-all = all texts
console-batch-only-open = not decided
console-batch-only-passed = passed the check
console-batch-only-faulty = with faults
console-batch-only-approved = approved
console-batch-only-rejected = rejected
console-batch-only-failed = failed
console-batch-only-scheduled = scheduled
console-batch-shown = { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }
console-batch-texts = Texts
console-batch-texts-none = There are no texts yet: topics are being found.
console-batch-grade-of = Grade: { $grade } of 10
console-batch-is-sent = sent
console-batch-told-start = The batch has started.
console-batch-told-cancelled = The batch is being cancelled.
console-batch-told-again = Sent again.
console-batch-told-saving = The files are being written.
console-batch-told-approved = { $count ->
        [one] { $count } text is approved.
       *[other] { $count } texts are approved.
    }
console-batch-told-scheduled = { $count ->
        [one] { $count } text is scheduled.
       *[other] { $count } texts are scheduled.
    }
console-batch-told-scheduled-already = All of them were scheduled already.
console-batch-told-approve = Text { $number } is approved.
console-batch-told-reject = Text { $number } is rejected.
console-batch-told-edit = Text { $number } is changed and approved.
console-batch-told-rewrite = Text { $number } is written again.
console-batch-review-none = No text is left here.
console-batch-to-batch = To the batch
console-batch-text-of = Text { $number } of { $count }
console-batch-words = The text as it should be
console-batch-save-text = Save and approve
console-batch-note = What should be different? You may leave this empty.
console-batch-approve = Approve
console-batch-edit = Change
console-batch-rewrite = Write again
console-batch-reject = Reject
console-batch-next = Next
console-batch-try-again = Try again
console-batch-schedule-approved = { $count ->
        [one] The approved text goes out.
       *[other] The { $count } approved texts go out.
    }
console-batch-schedule-passed = Nothing is approved yet, so what passed the check goes out: { $count ->
        [one] { $count } text.
       *[other] { $count } texts.
    }
console-batch-first-day = First day
console-batch-hours = Hours of each day
console-batch-hours-hint = As 10:00, or 10:00, 18:00 for two a day. Clock: { $zone }
console-batch-chat = Chat
console-batch-chat-hint = Its title; empty: the chat of the batch.
console-batch-weekdays = Not on Saturdays and Sundays
console-batch-schedule-about = Each text becomes a task without an agent: it costs nothing more, and can be changed until it is sent.
console-batch-schedule-now = Schedule
console-batch-subject = What should be written?
console-batch-subject-example = posts for Telegram
console-batch-count = How many
console-batch-count-wrong = How many texts? Write a number, at least 1.
console-batch-model = Model
console-batch-model-usual = the usual one
console-batch-topics = Topics
console-batch-topics-hint = One in each line. Empty: the host finds topics itself.
console-batch-topics-file = Or a file of topics (.txt, .csv, .md)
console-batch-further = More
console-batch-skill = Skill
console-batch-skill-usual = the one that fits
console-batch-channel = Channel
console-batch-grade = Least grade
console-batch-grade-none = no grading
console-batch-start = Start the batch
console-batch-estimate = { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }: about { $cost } instead of { $alone } one by one
console-batch-estimate-free = { $count ->
        [one] { $count } text
       *[other] { $count } texts
    }: free, the demo agent plays it
console-batch-estimate-budget = The budget has { $left } left: enough for { $fits } of { $count } texts.
console-batch-estimate-first = Say what and how many; then the price stands here.
