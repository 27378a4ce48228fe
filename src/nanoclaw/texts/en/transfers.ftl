# Transfers: a session is taken to another runtime.
option-send-package = 📦 Send

error-transfer-forbidden = You do not belong to the people of this agent, so you cannot take its work elsewhere.
error-transfer-no-session = There is no conversation here yet, so there is nothing to take along. Talk to the agent first.
error-transfer-too-many = { $most } transfers of this conversation are open already. Give one up first: /transfers shows them.
error-transfer-purpose-long = What it is for has { $count } characters, and may have { $most }. Say it in fewer words.
error-transfer-released = It has left already.
error-transfer-not-packed = It is still being packed. Try again in a moment.
error-transfer-not-delivered = Transfer { $id } has not left yet, so nothing can have come back from it.
error-transfer-cancel-forbidden = Only whoever asked for it, and those who administer the group, can give it up.
error-transfer-over = Transfer { $id } is over: { $state ->
    [resumed] its result has come back
    [expired] its time has passed
   *[cancelled] it was given up
}.
error-no-such-transfer = There is no transfer { $id } here. /transfers shows those that are open.

transfer-reason-given-up = it was given up
transfer-reason-declined = it was decided that it stays here
transfer-reason-nobody = nobody decided in time whether it may leave
transfer-reason-cleared = the conversation was cleared
transfer-reason-group-gone = its agent is gone
transfer-reason-altered = the package was changed after it was packed
transfer-reason-failed = it could not be packed
audit-transfer-cancelled = gave up the transfer { $subject } of { $group } to { $target }
