# Batches as they run: what is refused, what people are asked on the way, and what went wrong with single texts.

error-batch-unknown = There is no batch "{ $id }". /batches in a chat, or nanoclaw batches list, shows them.
error-batch-over = This batch is over already, or was cancelled.
error-batch-not-started = This batch waits for a yes: it has not begun.
error-batch-not-yours = Only whoever started this batch, and those who administer its group, can do that.
error-batch-not-member = Only members of the group "{ $group }" can start a batch there.
error-batch-many-asked = { $most } batches of yours wait for a yes already. Start or cancel some of them first: /batches lists them.
error-batch-count = A batch has 1 to { $most } texts, not { $count }.
error-batch-long-topic = Topic { $number } is too long: a topic has at most { $most } characters.
error-batch-no-item = This batch has no text { $number }.
error-batch-nothing-to-resubmit = No text of this batch failed or expired.
error-batch-item-not-failed = Text { $number } did not fail, or is scheduled already. Only what failed or expired is sent again.

audit-batch-cancelled = cancelled the batch { $subject } of { $items } { $items ->
    [one] text
   *[other] texts
}
audit-batch-resubmitted = sent { $items } { $items ->
    [one] text
   *[other] texts
} of the batch { $subject } again

error-batch-answer-lost = The vendor's answer was lost: nobody can tell whether the batch arrived.
error-batch-odd-results = The vendor's results were odd: { $unknown } of unknown texts, { $repeated } twice, { $broken } unreadable, { $over } longer than allowed. All texts that could be read are here.
error-batch-not-as-shown = It is no longer what was shown when somebody said yes. Start it again: the card shows it anew.
error-batch-no-text = No text was written.
error-batch-topics-not-found = No topics could be found.

batch-unclear = **{ $subject }**: texts { $first } to { $last } were sent, but the vendor's answer was lost, and its list cannot be read. Sent again, they might be paid for twice. The vendor's console shows whether a batch arrived{ $candidate ->
    [none] .
   *[other] : it may be { $candidate }.
}
batch-unclear-there = 📬 It arrived
batch-unclear-again = 🔁 Send again
batch-unclear-give-up = ✖️ Give up
batch-item-unclear = nobody could tell whether it arrived
batch-item-missing = the vendor's results do not contain it
batch-item-cut = the text breaks off: it was longer than allowed
batch-fault-cut = the text breaks off: it was longer than allowed
batch-item-unpaid = the budget could not pay for it
batch-money-asked = **{ $subject }**: the budget has { $left } left, and { $count } texts may cost up to { $most }. There is enough for { $fits }. It waits until there is enough for all, unless you decide otherwise.
batch-money-part = ▶️ Only { $count ->
    [one] { $count } text
   *[other] { $count } texts
}
batch-money-wait = ⏸ Wait
