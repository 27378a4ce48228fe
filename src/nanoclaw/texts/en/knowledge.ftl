# What becomes of memory: proposals, contradictions, notices.
memory-proposed-correction = { $name } proposes to correct what the company remembers.

    Now: { $old }

    Proposed: { $new }
memory-proposed-forgetting = { $name } proposes to forget: { $old }
memory-conflict = A new decision contradicts an earlier one. Which holds?

    Earlier: { $old }

    New: { $new }
memory-conflict-keep = Keep the earlier
memory-conflict-replace = Replace it
memory-conflict-both = Both hold
alert-memory = Memory of { $company }: { $masked ->
        [0] {""}
        [one] personal data or a secret was masked in one entry ({ $kinds }).
       *[other] personal data or secrets were masked in { $masked } entries ({ $kinds }).
    } { $quarantined ->
        [0] {""}
        [one] One line could not be used and lies in quarantine: `{ $command } memory quarantine`, or the page Memory.
       *[other] { $quarantined } lines could not be used and lie in quarantine: `{ $command } memory quarantine`, or the page Memory.
    }
alert-memory-secrets = Memory of { $company }: `{ $file }` holds { $count ->
        [one] a line with a secret
       *[other] { $count } lines with secrets
    } that was written there by hand or came with git. The file stays as it is; agents, search and packages get it masked. Please remove it from the file, and replace the secret where it is used.
alert-memory-maintained = Memory of { $company } was put in order: duplicates merged: { $doubles }, expired entries retired: { $expired }, old lines moved to the archive: { $archived }. Lines of facts that are left: { $facts }. All of it can be found and restored.
error-memory-public = Only an admin can make something public: strangers would be told it.
error-memory-live = { $id } is neither forgotten nor replaced: there is nothing to take back.
error-memory-revert-what = Say what to take back: a turn, a person, or since when.
error-memory-not-yours = You would have to be { $needed ->
        [owner] the owner
        [admin] an admin
       *[other] a member
    } of { $company } for that.
error-memory-changed = { $who } was faster. It says now: { $text } ({ $id })
error-no-such-memory = The company remembers nothing under { $id }.
error-memory-empty = There is nothing to remember in that.
error-memory-too-long = That has { $length } characters; at most { $most } are kept as one entry. Shorten it, or put it into a context file.
audit-memory-corrected = corrected the memory { $subject }
audit-memory-forgotten = had the memory { $subject } forgotten
audit-memory-restored = brought the memory { $subject } back
audit-memory-reverted = took back what memory had from { $subject }
audit-memory-purged = purged the memory { $subject }
