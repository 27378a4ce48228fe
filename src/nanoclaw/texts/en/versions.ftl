error-git-failed = git { $what } failed: { $said }
error-git-stopped = git { $what } was stopped, because the host stops.
error-git-slow = git { $what } gave no answer within { $seconds } seconds.
error-git-missing = git is not installed.
error-git-no-repository = The workspace is not a git repository.
error-git-detached = The workspace is on no branch (detached HEAD).
error-git-busy = Somebody is in the middle of something in the workspace's repository: { $what }.
error-git-unrelated = The remote's branch has nothing in common with this workspace. Check which remote it is.
error-git-purged = The git remote "{ $remote }" still has what was purged here, so nothing is taken from it. Overwrite it with the commands that the purge printed, and have everybody clone it anew.
error-git-no-remote = There is no git remote "{ $remote }". Add one: git remote add { $remote } ADDRESS
error-git-remote = The git remote "{ $remote }" said: { $said }
error-git-overtaken = Others kept pushing to the git remote "{ $remote }" at the same time.
error-git-moved = The branch moved meanwhile.
error-git-no-branch = The git remote "{ $remote }" has no branch "{ $branch }", but others: { $others }. Switch the workspace to one of them, or push yours once: git push { $remote } { $branch }
error-git-rewritten = The history of "{ $branch }" in the git remote "{ $remote }" was written anew: { $gone ->
    [one] a commit that it had is gone
   *[other] { $gone } commits that it had are gone
}. Nothing is taken from there or pushed until you decide. To keep everything of both: git -C { $home } pull --no-rebase { $remote } { $branch }. To put ours there: git -C { $home } push --force { $remote } { $branch }
error-git-huge = The git remote changed { $count } files at once, more than { $most }. Merge it yourself: git pull

alert-versions-unready = Changes of memory are kept, but not committed to git. { $reason }
alert-versions-remote = The workspace cannot be shared through git. { $reason } Nothing is lost; it is tried again at least every hour.
alert-versions-left = A merge with the git remote could not take { $files }: both sides changed the same. Ours stays; theirs is in the branch { $branch }.
alert-versions-lost = { $count ->
    [one] A commit that the git remote had is
   *[other] { $count } commits that the git remote had are
} no longer there (it was set back to { $commit }). Nothing is lost: we still have all of it, and it goes there again.
alert-versions-returned = What came back on the git branch { $branch } was not taken: { $reason }
alert-versions-refused = The git remote has files that never come into a workspace from outside, and were left out: { $files }

merge-conflict = Here and in the git remote, { $file } ({ $company }) was changed in the same place. Ours stays until you choose. This is what taking theirs would change:
merge-deleted = The git remote deleted { $file } ({ $company }). It stays until you choose.
option-ours = Keep ours
option-theirs = Take theirs
option-both = Both, ours first
merge-edited = both versions, as edited
merge-held = The git remote changed { $count ->
    [one] a file that can give rights or change what runs
   *[other] files that can give rights or change what runs
}: { $files }. Until you choose, what is here stays in effect. Lines with - are ours, those with + theirs.
option-take = Put into effect
option-keep = Keep ours

doctor-repository = The workspace is a git repository, on the branch { $branch }
doctor-git-no-repository = The workspace is not a git repository, so it has no history; the next start makes one
doctor-git-detached = The workspace is on no branch (detached HEAD): what changes is kept, but not committed. Run: git -C { $home } switch main
doctor-git-unready = What changes in the workspace is kept, but not committed. { $reason }
doctor-remote = The workspace is not shared through git: { $reason } ({ $times ->
    [one] tried once
   *[other] tried { $times } times
})
doctor-synced = The workspace is shared through the git remote { $remote }, last met { $at }
doctor-merge-open = A merge with the git remote waits for you, see the inbox: { $files }

error-sync-off = This workspace is not shared through git. To share it, set push = true under [memory] in nanoclaw.toml, and restart. A host that was started for one command only never shares: nanoclaw up starts one that stays.
error-sync-slow = The git remote has not answered yet. It goes on in the background: nanoclaw sync --status

command-sync = meet the git remote now, and say what came
help-sync = Meet the git remote now: fetch, merge, push
help-sync-status = Only say when that was last done, and why it does not work

status-shared = Shared through git
sync-came = { $count ->
    [one] A file came:
   *[other] { $count } files came:
}
sync-waits = { $count ->
    [one] A file waits for the owner's decision, see the inbox:
   *[other] { $count } files wait for the owner's decision, see the inbox:
}
sync-refused = { $count ->
    [one] A file was left out:
   *[other] { $count } files were left out:
}
sync-results = { $count ->
    [one] The result of a transfer came back:
   *[other] The results of { $count } transfers came back:
}
sync-went = { $count ->
    [one] A file went:
   *[other] { $count } files went:
}
sync-more = {"  "}… and { $count } more
sync-nothing = Nothing new on either side ({ $branch }).
sync-never = The git remote { $remote } was not met yet.
sync-last = The git remote { $remote } was last met { $at }.
sync-changed = Something changed { $at }:
sync-trouble = Since { $at } it does not work: { $reason }
sync-due = Next look: { $at }

console-sync = Shared through git
console-sync-last = Last met:
console-sync-never = Not met yet
console-sync-now = Sync now
console-sync-busy = Syncing …
console-sync-nothing = Nothing new on either side.
console-sync-came = Came
console-sync-waits = Waits for you
console-sync-refused = Left out
console-sync-results = Results of transfers
console-sync-went = Went
console-sync-decide = Decide in the inbox
