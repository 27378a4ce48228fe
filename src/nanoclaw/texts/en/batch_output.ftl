# What becomes of the texts of a batch: review, days, files.

option-rewrite = 🔁 Write again
batch-review-text = **Text { $number } of { $count }** · { $topic }
batch-review-grade = 🎯 Grade: { $grade } of 10
batch-review-wish = 🔁 A reply in your own words has it written again as you wish.
batch-review-words = Text { $number }: write it as it should be. What you write replaces the text, and counts as approved.
batch-review-none = No text waits for your decision.
batch-review-over = Review: { $approved } approved, { $rejected } rejected{ $again ->
        [0] { "" }
       *[other] , { $again } written again
    }{ $left ->
        [0] .
       *[other] , { $left } still open.
    }
batch-scheduled = 🗓 { $count ->
        [one] { $count } text is scheduled
       *[other] { $count } texts are scheduled
    } (batch `{ $id }`): the first { $first }, the last { $last }. They cost nothing more. Until it is sent, each can be changed: `/batch_results { $id }` shows their tasks.
batch-scheduled-already = The texts of batch `{ $id }` are scheduled already: `/tasks` shows when.
batch-saved = 💾 { $count ->
        [one] { $count } text of batch `{ $id }` is saved
       *[other] { $count } texts of batch `{ $id }` are saved
    }: `{ $folder }`
audit-batch-scheduled = scheduled { $count } texts of batch { $subject } for { $group }
audit-batch-unscheduled = took back the days of { $count } texts of batch { $subject } for { $group }
audit-batch-reviewed = decided about text { $number } of batch { $subject }: { $verdict }
audit-batch-approved = approved { $count } texts of batch { $subject } for { $group }

error-batch-not-ready = The texts of this batch are not ready yet. Wait until it is done, or cancel it and take what is there.
error-batch-nothing-to-schedule = There is nothing to schedule: no text was approved, and none passed the check. Review them first.
error-batch-too-many-waiting = { $group } would have more than { $most } texts that wait for their day. Delete some, or schedule fewer.
error-batch-first-past = { $day } is over at that hour. Choose a later day or hour.
error-batch-times = Name at least one hour and at most { $most } for each day.
error-batch-bad-time = "{ $said }" is no time of day. Write it like this: 10:00
error-batch-bad-day = "{ $said }" is no day. Write it like this: 2026-11-20
error-batch-nothing-scheduled = No text of this batch waits for its day.
error-batch-nothing-to-save = There is no text to save.
error-batch-asks-already = A card of batch { $id } is open in its chat. Answer that one first.
error-batch-review-none = No text waits for a decision.
error-batch-item-scheduled = Text { $number } is scheduled. Delete task { $task } first, then decide anew.
error-batch-item-sent = Text { $number } was sent already.
error-batch-item-no-text = There is no text { $number } to decide about: it is { $state ->
        [waiting] waiting to be written
        [sent] being written
        [errored] an error
        [expired] expired
       *[other] cancelled
    }.
error-batch-text-empty = Text { $number } would be empty. Reject it instead.
error-batch-text-changed = Text { $number } has been written anew since you looked at it. Look at it again.
error-batch-text-long = The text has { $length } characters; it can have { $most }.
