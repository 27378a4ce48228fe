error-git-failed = git { $what } failed: { $said }
error-git-stopped = git { $what } was stopped, because the host stops.
error-git-slow = git { $what } gave no answer within { $seconds } seconds.
error-git-missing = git is not installed.
error-git-no-repository = The workspace is not a git repository.
error-git-detached = The workspace is on no branch (detached HEAD).
error-git-busy = Somebody is in the middle of something in the workspace's repository: { $what }.
alert-versions-unready = Changes of memory are kept, but not committed to git. { $reason }
