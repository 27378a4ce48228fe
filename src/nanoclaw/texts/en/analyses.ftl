# Analyses: what comes back from another runtime.
command-import-analysis = take in a result from elsewhere
analysis-usage =
    Send the result as a file (Markdown, text, PDF, Word, HTML or zip) with `/import_analysis` as its caption, or reply to such a file with `/import_analysis`. At a terminal: `nanoclaw transfer import FILE`. On the page: *Transfers*.

    If the file does not name its transfer, add the id: `/import_analysis tr_…`. /transfers shows which ones are open.
analysis-reading = 📥 Reading { $name }. I will tell you here what was found in it.
analysis-waits-for-people = 📥 { $name } is here. An owner or admin of this group decides whether it is taken over; then I read it.
analysis-waits = ⏳ { $reason } It goes on by itself as soon as that changes.
analysis-refused = ❌ **{ $name } was not taken over:** { $reason }
analysis-imported = ✅ **{ $name } is taken over:** { $found };
analysis-count-facts = { $count ->
    [one] { $count } fact
   *[other] { $count } facts
}
analysis-count-decisions = { $count ->
    [one] { $count } decision
   *[other] { $count } decisions
}
analysis-count-changes = { $count ->
    [one] { $count } change of context to confirm
   *[other] { $count } changes of context to confirm
}
analysis-count-nothing = nothing new in it
analysis-goes-on = going on.
analysis-goes-on-with = going on with: { $step }.
analysis-facts-note = The facts are kept as hearsay, because they came from outside.
analysis-by-headings = No model read it: this is what stands below its headings.
analysis-button-show = 🔍 Show
analysis-button-undo = ↩️ Undo
analysis-shown = It is below.
analysis-list-head = **What was found in { $name }**
analysis-list-facts = Facts
analysis-list-decisions = Decisions
analysis-list-changes = Changes of context
analysis-list-next = Next step:
analysis-list-document = All that was found in { $name }, each with its place.
analysis-place = *({ $place })*
analysis-adopted = ✅
analysis-not-proposed = (not proposed: the file does not say what it wants to replace, or says it already)
analysis-provenance = { $name }: { $place }
analysis-proposal = From { $name }: { $place }

option-adopt-all = ✅ All
option-adopt-some = 🔢 Some
option-adopt-none = ❌ None
option-none-of-these = ❌ None of these
analysis-ask-member = { $who } brought the result of a transfer, { $name }. Shall it be taken over? Facts are kept as hearsay, decisions and changes of context are asked about.
analysis-ask-git = A result of a transfer came through git, { $name }. Shall it be taken over? Facts are kept as hearsay, decisions and changes of context are asked about.
analysis-ask-transfer = To which transfer does { $name } belong?
analysis-ask-transfer-more = { $count ->
    [one] One older transfer waits too. If it is that one, choose *None of these* and send the file again with its code: /import_analysis CODE.
   *[other] { $count } older transfers wait too. If it is one of those, choose *None of these* and send the file again with its code: /import_analysis CODE.
}
analysis-ask-decisions = { $count ->
    [one] { $name } contains a decision. It binds nobody until you adopt it.
   *[other] { $name } contains { $count } decisions. They bind nobody until you adopt them. Which ones hold from now on? Press a button, or reply with their numbers: 1, 3-5.
}
analysis-ask-which = Which of the { $count } decisions hold from now on? Write their numbers, like this: 1, 3-5.
analysis-ask-which-again = I could not read numbers from 1 to { $count } in “{ $said }”. Which decisions hold from now on? Write them like this: 1, 3-5.
analysis-more = … and { $count } more: *Show* lists them all.
analysis-decisions-done = { $count ->
    [0] None of the decisions was adopted.
    [one] { $count } decision holds from now on.
   *[other] { $count } decisions hold from now on.
}
analysis-undo-done = Taken back.
analysis-taken-back = ↩️ **{ $who } took { $name } back:** { $facts ->
    [one] { $facts } fact
   *[other] { $facts } facts
}, { $decisions ->
    [one] { $decisions } decision
   *[other] { $decisions } decisions
}, { $changes ->
    [one] { $changes } open change of context
   *[other] { $changes } open changes of context
}. The conversation has heard of it all the same.
analysis-stays = { $count ->
    [one] { $files } stays
   *[other] { $files } stay
} as people changed it. `/update_context` changes it again; its earlier versions are on the page *Context*.

error-analysis-forbidden = You do not belong to the people of this agent, so you cannot bring it results.
error-analysis-kind = “{ $name }” cannot be read. Send Markdown, text, PDF, Word (.docx), HTML or a zip of them.
error-analysis-file-missing = “{ $name }” did not arrive here: { $said } Send it again together with the command.
error-analysis-file-fetching = “{ $name }” is not here yet. Give the command once more in a moment; if that does not help, send the file together with it.
error-analysis-again = The same document, { $name }, was brought before ({ $id }). Nothing was changed.
error-analysis-of-other = It belongs to transfer { $named }, and you named { $given }. Leave the id out, or bring the other document.
error-analysis-no-transfer = No transfer that waits for a result fits it. /transfers shows them; name one with the command.
error-analysis-unknown-transfer = There is no transfer { $id } here. /transfers shows those that are open.
error-analysis-foreign = Transfer { $id } belongs to another company. Bring it to an agent of that company.
error-analysis-other-group = Transfer { $id } belongs to another agent group. Ask one of its admins to bring it.
error-analysis-cancelled = Transfer { $id } was given up. Take the work along again with /export_session, and name the new id.
error-analysis-resumed = The result of transfer { $id } has come back already. Take the work along again with /export_session for another one.
error-analysis-gone = The file is not on this machine any more, and nobody has read it. Please bring it once more.
error-analysis-expired = The time of transfer { $id } is over. Take the work along again with /export_session, and name the new id.
error-analysis-not-released = Transfer { $id } has not left yet: an owner or admin decides on its card first.
error-analysis-session-over = The conversation of transfer { $id } is over, so nobody could go on with it. Send the document to the agent as a file instead.
error-analysis-altered = The package of transfer { $id } was changed on its way: { $files }. Send only what is new, or the package as it left.
error-analysis-too-many = { $most } of your documents wait for a decision already. Wait until someone has decided.
error-analysis-not-as-shown = "{ $name }" is no longer the document that somebody agreed to. Bring it again: people are asked anew.
error-analysis-declined = Those who decide did not agree, or nobody decided in time.
error-analysis-not-understood = Nothing could be read from it without a model. Write what was found below the headings “Facts”, “Decisions”, “Context changes” and “Next step”, or bring it again when a model is connected. The file is kept for a week.
error-analysis-decide-forbidden = Only those who administer the group decide about this.
error-analysis-decided = There is nothing to decide here any more.
error-analysis-no-such-decision = The decisions have the numbers 1 to { $count }.
error-analysis-not-asking = It is known already to which transfer this belongs.
error-analysis-undo-forbidden = Only those who administer the group can take this back.
error-analysis-undone = This was taken back already.
error-analysis-not-imported = Nothing of this document was taken over, so there is nothing to take back.
error-no-such-analysis = There is no analysis { $id } here.
error-document-zip-many = there are more than 200 files in the archive. Send only the result.
error-document-zip-path = the archive contains a file that would lie outside of it. It may be hostile: nothing of it was used.
error-document-zip-link = the archive contains a link. It may be hostile: nothing of it was used.
error-document-zip-big = unpacked, the archive is too big. Send only the result.
error-document-zip-nothing-new = there is nothing new in the package. Put the result beside its files, as analysis.md.

audit-analysis-undone = took back what the analysis { $subject } had brought
why-analysis-received = brought as the result of a transfer: { $name }
why-analysis-matched = it belongs to transfer { $id }
why-analysis-waited = The model could not be asked: { $error }
why-analysis-understood = { $by ->
    [headings] read by its headings, without a model
   *[model] read by a model, in { $parts ->
        [one] one part
       *[other] { $parts } parts
    }
}
why-analysis-imported = taken over: { $facts ->
    [one] { $facts } fact
   *[other] { $facts } facts
}, { $decisions ->
    [one] { $decisions } decision
   *[other] { $decisions } decisions
}, { $changes ->
    [one] { $changes } change of context
   *[other] { $changes } changes of context
}; the agent goes on
why-analysis-refused = not taken over: { $error }
why-analysis-undone = taken back by { $name }
