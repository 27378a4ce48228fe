# Batches as they run: what is refused, what people are asked on the way, and what went wrong with single texts.

error-batch-unknown = There is no batch "{ $id }".
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
