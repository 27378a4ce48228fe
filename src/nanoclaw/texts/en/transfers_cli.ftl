# The commands about transfers.

help-transfer = Transfers: take a conversation to Claude.ai, Claude Code or another place, and bring back what was found.
help-transfer-export = Pack a conversation, show what would leave and what was removed, and let it leave.
help-transfer-list = The open transfers; with --all the earlier ones too.
help-transfer-show = One transfer: what is in it, what was removed, and what came back, each with its source.
help-transfer-release = Let a packed transfer leave.
help-transfer-pick = Take along files that stay otherwise; it is packed again.
help-transfer-pick-numbers = Numbers of files, as `show` lists them.
help-transfer-cancel = Give a transfer up.
help-transfer-import = Bring an analysis back: Markdown, PDF, Word, text, HTML or zip.
help-transfer-match = Say to which transfer an analysis belongs.
help-transfer-decide = Adopt decisions of an analysis by their numbers.
help-transfer-undo = Take back everything that came of an analysis.
help-transfer-ref = The transfer: the end of its id, as `list` shows it.
help-transfer-ref-analysis = The transfer, for what came back last; or the id of the analysis.
help-transfer-analysis = The id of the analysis.
help-transfer-numbers = Numbers of decisions.
help-transfer-adopt-all = Adopt all of them.
help-transfer-adopt-none = Adopt none of them.
help-transfer-session = The session by its id; without it the newest conversation.
help-transfer-group = The agent group; without it the main one.
help-transfer-chat = The chat, by its title or id.
help-transfer-target = Where to; without it claude-ai, or manual with --to.
help-transfer-for = What for, in quotes: "compare the three suppliers".
help-transfer-to = Also save the package here: a folder, or a .zip file.
help-transfer-yes = Do not ask: let it leave as it was packed.
help-transfer-all = The earlier ones too.
help-transfer-file = The document.
help-transfer-of = The transfer to which it belongs; without it the one that the document names, or the only open one.
help-transfer-import-group = The agent group, if the document names no transfer and several companies wait for one.

transfers-none = Nothing is away. Take a conversation elsewhere: nanoclaw transfer export --for "what for"
transfers-to-claude-ai = Claude.ai
transfers-to-claude-code = Claude Code
transfers-to-git = git branch
transfers-to-manual = zip file
transfers-state-packing = is being packed
transfers-state-asks = waits for your decision
transfers-state-created = is leaving
transfers-state-delivered = waits for the result until { $time }
transfers-state-resumed = the result is back
transfers-state-expired = expired
transfers-state-cancelled = given up
transfers-asked = asked for by { $name }, { $time }
transfers-size = { $count ->
        [one] { $count } file
       *[other] { $count } files
    }, { $size }
transfers-tokens = { $count ->
        [one] { $count } token
       *[other] { $count } tokens
    }
transfers-tokens-about = about { $count ->
        [one] { $count } token
       *[other] { $count } tokens
    }
transfers-branch = On the branch { $branch }
transfers-removed = Removed before it leaves:
transfers-removed-nothing = Nothing had to be removed.
transfers-brought = { $state }, brought by { $name }, { $time }
transfers-analysis-received = is being read
transfers-analysis-asking = nobody knows yet to which transfer it belongs
transfers-analysis-understood = is being taken in
transfers-analysis-imported = taken in
transfers-analysis-refused = refused
transfers-analysis-undone = undone
transfers-facts = Facts:
transfers-decisions = Decisions:
transfers-changes = Proposed changes of context:
transfers-next = Next step: { $step }
transfers-which = To which transfer does it belong?
transfers-say-which = Say it: nanoclaw transfer match { $id } TRANSFER
transfers-unmatched = { $name } came back, and nobody knows to which transfer it belongs: nanoclaw transfer match { $id } TRANSFER
transfers-sure = Let it leave? [y/N]
transfers-pick-how = To take some of them along: nanoclaw transfer pick { $id } { $number }
transfers-waits = Nothing has left. Decide: nanoclaw transfer release { $id }, or nanoclaw transfer cancel { $id }
transfers-stays = Nothing has left.
transfers-saved = The package is in { $path }. Bring the result back: nanoclaw transfer import FILE --transfer { $id }
transfers-left-claude-ai = The documents are in your own chat. Upload them to a project on Claude.ai, then bring the result back: nanoclaw transfer import FILE --transfer { $id }
transfers-left-claude-code = The zip is in your own chat; its resume.sh starts Claude Code. More about it: nanoclaw transfer show { $id }
transfers-left-git = It is on a git branch of its own. What is committed there as session_transfer/analysis.md comes back by itself.
transfers-here-git = It is on the branch { $branch } of the workspace on this machine and was not pushed. Bring the result back: nanoclaw transfer import FILE --transfer { $id }
transfers-left-manual = The zip is in the chat "{ $chat }". Bring the result back: nanoclaw transfer import FILE --transfer { $id }
transfers-cancelled = Transfer { $id } was given up.
transfers-undone = Everything from { $name } was taken back.

error-transfers-no-such = There is no transfer { $id }. nanoclaw transfer list --all shows them.
error-transfers-no-analysis = Nothing has come back for transfer { $id } yet.
error-transfers-decide-what = Which decisions? Give their numbers, or --all, or --none.
error-transfers-exists = { $path } exists already. Nothing is overwritten: choose another place.
error-transfers-unwritten = { $path } could not be written: { $said }.
