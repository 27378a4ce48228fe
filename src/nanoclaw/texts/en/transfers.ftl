# Transfers: a session is taken to another runtime.
option-send-package = 📦 Send

error-transfer-forbidden = You do not belong to the people of this agent, so you cannot take its work elsewhere.
error-transfer-no-session = There is no conversation here yet, so there is nothing to take along. Talk to the agent first.
error-transfer-too-many = { $most } transfers of this conversation are open already. Give one up first: /transfers shows them.
error-transfer-purpose-long = What it is for has { $count } characters, and may have { $most }. Say it in fewer words.
error-transfer-released = It has left already.
error-transfer-nothing-to-pick = There is nothing to pick: no file was left out that could go along.
error-transfer-pick-which = Write the numbers of files as the card lists them: 1 to { $count }.
error-transfer-pick-numbers = Write numbers of files, like this: /transfer_pick 7k2m9q 1 3
error-transfer-pick-secret = Only an owner can pick files that are secrets by their name: { $names }
error-transfer-packed-again = It was packed again since you looked at it. Look once more, then decide.
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
audit-transfer-picked = picked files for the transfer { $subject } of { $group }: { $files }
audit-transfer-cancelled = gave up the transfer { $subject } of { $group } to { $target }
audit-transfer-released = let the transfer { $subject } of { $group } leave for { $target }
transfer-reason-undelivered = it could not be delivered

command-export-session = take this conversation elsewhere
command-transfers = what was taken elsewhere
command-transfer-pick = take more files along, by their numbers on the card
command-transfer-cancel = give up a transfer
transfer-target-claude-ai = Claude.ai
transfer-target-claude-code = Claude Code
transfer-target-git = a git branch
transfer-target-manual = a zip file
error-transfer-target = “{ $target }” is no place that I know. Choose claude-ai, claude-code, git or manual, or say in a few words what it is for.
error-transfer-none-open = Nothing of this conversation is elsewhere.
error-transfer-which = Several are open here. Name one: { $ids }.

transfer-packing = 📦 Packing this conversation for { $target } (`{ $short }`). You will see what is in it before anything leaves.
transfer-others-decide = Those who administer this agent were asked whether it may leave. You will hear here what they decide.
transfer-ask = May this conversation leave? Where to: **{ $target }**. { $name } asked for it.
transfer-ask-proposed = The agent proposes to go on in **{ $target }**, because this work outgrows the chat. May the conversation leave?
transfer-ask-again = The package was not there any more when it was to leave. It was packed again and may differ from what you saw: please look once more.
transfer-ask-picked = It was packed again with the files that were picked. Look at it once more.
transfer-purpose = What for: { $purpose }
size-bytes = { $size } B
size-kilobytes = { $size } kB
size-megabytes = { $size } MB
transfer-size = 📦 { $files ->
    [one] one file
   *[other] { $files } files
}, { $size }
transfer-tokens = { $count } tokens
transfer-tokens-about = about { $count } tokens
transfer-hash = SHA-256 { $hash }…
transfer-removed = Taken out: { $what }.
transfer-removed-nothing = Nothing had to be taken out.
transfer-removed-secret = { $count ->
    [one] a secret
   *[other] { $count } secrets
}
transfer-removed-phone = { $count ->
    [one] a phone number
   *[other] { $count } phone numbers
}
transfer-removed-e-mail = { $count ->
    [one] an e-mail address
   *[other] { $count } e-mail addresses
}
transfer-removed-card = { $count ->
    [one] a card number
   *[other] { $count } card numbers
}
transfer-removed-iban = { $count ->
    [one] a bank account
   *[other] { $count } bank accounts
}
transfer-removed-messages = { $count ->
    [one] an old message
   *[other] { $count } old messages
}
transfer-removed-referenced = { $count ->
    [one] a file for which there was no room (only named)
   *[other] { $count } files for which there was no room (only named)
}
transfer-removed-withheld = { $count ->
    [one] a file that holds a secret (only named)
   *[other] { $count } files that hold a secret (only named)
}
transfer-secrets-leave = ⚠️ { $count ->
    [one] Leaves with the secrets in it, because an owner picked it
   *[other] Leave with the secrets in them, because an owner picked them
}: { $names }
transfer-unchosen = ✋ { $count ->
    [one] One file stays here, unless someone picks it:
   *[other] { $count } files stay here, unless someone picks them:
}
transfer-unlisted = … and { $count } more, not listed here
transfer-why-name = a secret by its name; only an owner can pick it
transfer-why-together = written while another chat of this group worked too
transfer-why-shared = another chat of this group wrote to it as well
transfer-why-changed = changed since by someone else
transfer-why-cut = the host was stopped while it was being written
transfer-why-other = named in this conversation, but not written by it
transfer-why-unknown = changed while this conversation worked; who wrote it is not known
transfer-pick-how = To take some of them along, write their numbers: /transfer_pick { $short } { $number }
transfer-picking = 📦 Packing `{ $short }` again, with { $names }. You will be asked once more before anything leaves.
transfer-removed-other = { $count ->
    [one] one more thing
   *[other] { $count } more things
}
transfer-unseen = ⚠️ Not looked through, because { $count ->
    [one] it is not text
   *[other] they are not text
}: { $names }
transfer-out-claude-ai =
    📦 **This conversation is ready for Claude.ai** (`{ $id }`)

    1. Open a project on claude.ai and add these files to its knowledge, or put them into a new chat.
    2. Write: “Read transfer.md and go on from there.”
    3. When it is done, ask for the result as `analysis.md` and send it here with `/import_analysis`.
transfer-out-manual =
    📦 **This conversation in one file** (`{ $id }`)

    Begin with transfer.md: it stands alone. Send what comes of it back here with `/import_analysis`.
transfer-out-claude-code =
    📦 **This conversation is ready for Claude Code** (`{ $id }`)

    1. Unpack it in the folder where you want to work.
    2. Run `sh session_transfer/claude_code/resume.sh`: Claude Code goes on where the agent was.
    3. Send the result back here with `/import_analysis`.
transfer-out-git =
    📦 **This conversation is on the branch `{ $branch }`** (`{ $id }`)

    Fetch it and begin with `session_transfer/transfer.md`. Commit the result there as `session_transfer/analysis.md` and push: I will pick it up. `/import_analysis` works too.
transfer-out-git-here =
    📦 **This conversation is on the branch `{ $branch }`** (`{ $id }`) of the workspace on this machine. It was not pushed.

    Begin with `session_transfer/transfer.md`, and send the result back here with `/import_analysis`.
transfer-push-again = It is tried again by itself until its time is over. You are told once it is there.
transfer-pushed = 📦 The branch `{ $branch }` is pushed now. Commit the result there as `session_transfer/analysis.md` and push: I will pick it up.
transfer-back-at-machine = Files cannot be sent in this chat: bring the result back on the page *Transfers*, or with `nanoclaw transfer import analysis.md`.
transfer-files-gone = *The transfer is over, and its files were deleted here.*
transfer-drive = Your drive has it too ({ $server }, { $count ->
    [one] one file
   *[other] { $count } files
}).
transfer-drive-not = ⚠️ It did not get to your drive: { $reason }
transfer-left = 📦 { $name } has the package for { $target } now (`{ $short }`). This conversation waits for the result; you can go on writing here meanwhile.
transfer-stays = 📦 The conversation stays here: { $reason }.
transfer-failed = 📦 The conversation stays here. { $reason }
transfer-expired = ⌛ Nothing came back from { $target } in time, so this conversation waits no longer (`{ $short }`). Send /export_session to try again.
transfer-given-up = The transfer { $short } is given up. Nothing has left.
transfer-given-up-away = The transfer { $short } is given up, and its result is no longer waited for. { $target ->
    [git] Its branch is removed, unless somebody works on it.
   *[other] What has left stays where it is.
}
transfers-head = **Taken elsewhere from here**
transfers-head-none = Nothing of this conversation is elsewhere. `/export_session` takes it to Claude.ai, Claude Code, git or a file.
transfer-line-away = 📦 `{ $short }` for { $target }: left { $since }; its result is awaited until { $until } (*{ $state }*)
transfer-line-back = { $line }. Is it back? Send the file with /import_analysis. Take it back: /transfer_cancel { $id }
transfer-line-back-at-machine = { $line }. Is it back? `nanoclaw transfer import FILE`, or the page *Transfers*. Take it back: /transfer_cancel { $id }
transfer-line-asked = 📦 `{ $short }` for { $target }: waits since { $since } for a decision whether it may leave
transfer-line-packing = 📦 `{ $short }` for { $target }: is being packed
transfer-hint = Too much for a chat? `/export_session` takes this conversation to Claude.ai, Claude Code, git or a file.

why-outgrown = The agent was told that this conversation outgrows it: it { $why }.
why-transfer-asked = { $name } asked to take the conversation to { $target } ({ $id }). What for: { $purpose }.
why-transfer-proposed = The agent proposed to take the conversation to { $target } ({ $id }): { $purpose }.
why-transfer-packed = It was packed: { $files } files, SHA-256 { $hash }. Taken out of it: { $removed }.
why-transfer-released = { $name } let it leave, after { $after }.
why-transfer-declined = { $name } decided after { $after } that it stays here.
why-transfer-undecided = Nobody decided within { $after } whether it may leave.
why-transfer-picked = { $name } picked files for it: { $files }. What had been packed (SHA-256 { $hash }) is packed again, and people are asked once more.
why-transfer-missed = { $name } let it leave, but what had been packed (SHA-256 { $hash }) was not there any more. It is packed again, and people are asked once more.
why-transfer-delivered = It was delivered for { $target }: { $place }.
why-transfer-not-pushed = Its branch could not be pushed ({ $count ->
    [one] one attempt
   *[other] { $count } attempts
} so far). { $reason }
why-transfer-pushed = Its branch { $branch } was pushed { $count ->
    [one] at the first attempt
   *[other] at attempt { $count }
}.
why-transfer-resumed = The result came back.
why-transfer-expired = Nothing came back in time.
why-transfer-cancelled = It ended: { $reason }.
status-awaiting = Sessions that wait for a result from elsewhere
