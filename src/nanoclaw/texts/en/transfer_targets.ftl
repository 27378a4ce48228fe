resume-about = Puts the conversation of the transfer { $transfer } where Claude Code looks for it, and goes on with it.
resume-no-folder = There is no folder { $folder }. Name the project's folder: sh resume.sh FOLDER
resume-odd-folder = The name of the project's folder has a line break or another control character in it. Claude Code cannot be resumed there; choose another folder.
resume-long-folder = The path of the project's folder is longer than 200 characters. Claude Code cannot be resumed there; choose another folder.
resume-missing = The transcript { $file } is missing. Unpack the whole package and run the script from there.
resume-unchecked = There is no program here to check the transcript with (sha256sum, shasum or openssl), so it was not checked.
resume-altered = The transcript { $file } is not as it was packed: it was altered or damaged. Nothing was put anywhere. Unpack the package again.
resume-no-home = HOME is not set, so it is unknown where Claude Code keeps its conversations. Set HOME or CLAUDE_CONFIG_DIR.
resume-different = There is something else already at { $file }. It was left as it is, and nothing was started.
resume-linked = { $file } is a link, or no folder. What is copied there would end up somewhere else, so nothing was copied.
resume-placed = The conversation is now at { $file }
resume-there = The conversation is already there, and was left as it is: { $file }
resume-files-placed = The package's files are in { $folder }
resume-files-there = The package's files are already there, and were left as they are: { $folder }
resume-start-it = To go on: { $line }
resume-note = This conversation began in NanoClaw OS and was brought here as transfer { $transfer }. The summary, the decisions and how the result goes back are in .claude/transfers/{ $transfer }/transfer.md; its files are beside it, in work_artifacts. Paths such as /work and tools that are not offered here belong to the place where it began.
resume-left-out = { $count ->
    [one] The oldest message was left out.
   *[other] The oldest { $count } messages were left out.
}

transfer-commit = A session to go on with: transfer { $transfer }
transfer-branch-stays = 📦 The branch of the transfer { $short } stays where it is. { $reason }
error-git-branch-taken = There is a branch { $branch } already, and it holds something else. It was left as it is.
error-git-branch-unread = Somebody works on the branch { $branch }, or has commits there that were not taken in yet. It was left as it is.

error-drive-slow = The drive server { $server } did not take everything within { $seconds } seconds.
error-drive-silent = The drive server { $server } cannot be used: { $said }
error-drive-refused = The drive server { $server } did not take { $file }. It said: { $said }
error-drive-no-tool = The drive server { $server } offers no tool that makes a file. If it has one, name it in the setting transfer.drive_tool.
error-drive-no-such-tool = The drive server { $server } has no tool { $tool }. Check the setting transfer.drive_tool.
error-drive-unfit = The tool { $tool } of the drive server { $server } wants what is not known here: { $wants }. Name another one in the setting transfer.drive_tool, or a folder in transfer.drive_folder.
