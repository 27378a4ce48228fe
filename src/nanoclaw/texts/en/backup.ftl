# Backups: what the command line, the doctor and the page say of them.

help-backup = Back everything up into one file, even while the host is running; check such a file; list the backups.
help-backup-make = Make a backup. You can leave the word out: backup FILE.
help-backup-file = File to write, or a folder for it; default: data/backups in the workspace.
help-backup-which = A backup.
help-backup-with-keys = Include vendor keys and bot tokens, encrypted with a passphrase.
help-backup-passphrase-file = Read the passphrase from the first line of this file.
help-backup-verify = Read a whole backup and report what is wrong with it.
help-backup-list = List the backups, newest first.
help-restore = Restore a backup. What is there now is moved aside. Nothing runs until you say: resume.
help-restore-without-keys = Leave out the keys in the backup, so that no passphrase is needed.
help-restore-yes = Do not ask whether what is there may be moved aside.
help-restore-accept = Accept to whom the restored workspace will send, by the digest that was printed with that list.
help-trust = Show to whom a workspace that was made elsewhere would send and what it would start, and agree to it.
help-trust-accept = Agree without being asked, by the digest that was printed with the list.
help-resume = Give the go-ahead after a restore: turns, tasks and deliveries continue.
help-resume-drop = Drop the turns that were waiting in the backup instead of running them.

backup-made = Backed up to { $file } ({ $size }): { $files ->
    [one] one file
   *[other] { $files } files
}, { $rows ->
    [one] one row
   *[other] { $rows } rows
} of the database.
backup-keys-in = Keys and bot tokens are in it, locked with the passphrase. Without it nobody can read them, you included.
backup-keys-out = Keys and bot tokens are not in it. With them: { $command } backup --with-keys
backup-skipped = Left out: { $path } ({ $reason })
backup-skipped-more = ... and { $count } more.
backup-because-not-a-file = neither a file nor a folder
backup-because-unreadable = it cannot be read
backup-because-too-deep = too many folders in each other
backup-because-secret = it holds a secret that could not be taken out
backup-because-name = a restore would refuse its name: it has unreadable letters, or differs from another only by case
backup-changed = Became shorter while it was read, and is not whole in the backup: { $path }
backup-sound = { $file } is sound: made { $at }, { $files ->
    [one] one file
   *[other] { $files } files
}, { $rows ->
    [one] one row
   *[other] { $rows } rows
} of the database.
backup-faults-more = ... and { $count } more faults.
backup-none = No backups yet. Make one with: { $command } backup
backup-column-made = Made
backup-column-size = Size
backup-column-keys = Keys
backup-column-file = File
backup-with-keys = with
backup-without-keys = without
backup-unreadable-cell = cannot be read
passphrase-ask = Passphrase for the keys: { "" }
passphrase-again = The same again: { "" }

restore-sure = What is in { $home } will be moved aside, and the backup of { $at } put in its place. Go on? y/N
restore-done = { $home } is as it was on { $at }. Database: { $database }
restore-aside = What was there is kept in { $path }
restore-kept = What was in the database is kept in { $file }
restore-link = Not brought over (a link that leads out, or settings of another program): { $path }
restore-secret = The value of { $name } is not in the backup. Set it in nanoclaw.toml or in the environment.
restore-no-keys = No keys and bot tokens were brought back; those of this workspace, if it had any, are kept. Look with: { $command } key list, { $command } telegram list
restore-database = The database is the one that NANOCLAW_DATABASE_URL names, and nanoclaw.toml says something else. To keep it, write url = "{ $database }" with its password into [database] of nanoclaw.toml.
held-now = Everything is held after a restore: { $turns ->
    [0] no turn waits
    [one] one turn waits
   *[other] { $turns } turns wait
}, { $tasks ->
    [0] no task is active
    [one] one task is active
   *[other] { $tasks } tasks are active
}. New messages are kept and wait too.
held-parcels = { $count ->
    [one] One message was on its way when the backup was made. It may have arrived since, so it is not sent again unasked.
   *[other] { $count } messages were on their way when the backup was made. They may have arrived since, so they are not sent again unasked.
} See { $command } failed list, and send what is missing with: { $command } failed retry ID
held-kept = The message is kept ({ $id }) and waits: everything is held after a restore. Go on with: { $command } resume
held-go = Say go with: { $command } resume (or give up the turns that were waiting: { $command } resume --drop)
resume-not-held = Nothing is held.
resume-done = Everything goes on { $running ->
    [yes] within a few seconds
   *[no] at the next start
}: { $turns ->
    [0] no turn was waiting
    [one] one turn was waiting
   *[other] { $turns } turns were waiting
}, { $tasks ->
    [0] no task is active
    [one] one task is active
   *[other] { $tasks } tasks are active
}.
resume-dropped = The turns that were waiting in the backup are given up ({ $turns }). The rest goes on { $running ->
    [yes] within a few seconds
   *[no] at the next start
}: { $tasks ->
    [0] no task is active
    [one] one task is active
   *[other] { $tasks } tasks are active
}.
status-held = Held
status-held-value = after a restore: { $turns } turns and { $tasks } tasks wait, { $parcels } messages were set aside; go on with: { $command } resume
console-held = Everything is held after a restore: messages are kept and wait. Go on with: { $command } resume
alert-backup = No backup could be made. { $reason } It is tried again in an hour.

doctor-held = Everything is held after a restore: { $turns } turns and { $tasks } tasks wait, { $parcels } messages were set aside. Run: { $command } resume
doctor-backup = The newest backup is { $hours ->
    [0] less than an hour
    [one] one hour
   *[other] { $hours } hours
} old ({ $file })
doctor-backup-elsewhere = Another host made the newest backup, { $hours ->
    [0] less than an hour
    [one] one hour
   *[other] { $hours } hours
} ago ({ $file } there)
doctor-backup-off = No backups are made (backup.every = 0). Make one now and then with: { $command } backup
doctor-backup-none-yet = There is no backup yet; the host makes the first one a few minutes after it is started
doctor-backup-none = There is no backup. Make one with: { $command } backup
doctor-backup-old = The newest backup is { $hours } hours old ({ $file }). Look for the reason in the log, and make one with: { $command } backup
doctor-backup-broken = The newest backup cannot be read: { $file }. Make another one with: { $command } backup

error-backup-exists = { $file } is there already. Choose another name.
error-backup-under-way = Another backup is being written to { $file }. If it is left from a crash, remove it.
error-backup-disk-full = There is no room for { $file }. Make some, or choose another disk. Nothing was left half written.
error-backup-unwritable = { $file } cannot be written ({ $said }).
error-backup-failed = { $said }.
error-backup-no-database = There is no database in { $file } yet. Start the host once with: { $command } up
error-backup-database = The database could not be copied ({ $said }).
error-backup-missing = There is no file { $file }.
error-backup-unreadable = { $file } cannot be read ({ $said }).
error-backup-not-one = { $file } is not a backup of NanoClaw OS.
error-backup-cut = { $file } is not whole, or damaged. Nothing was changed.
error-backup-newer = { $file } was made by a newer version of NanoClaw OS ({ $program }). Update this one first.
error-backup-incomplete = The backup is not whole: { $member } is missing.
error-backup-altered = The backup was changed: { $member } is not what it was when the backup was made.
error-backup-database-damaged = The database in the backup is damaged ({ $said }).
error-backup-database-program = The database in the backup holds triggers, views or computed columns, which ours never do. It is not restored.
error-backup-odd-entry = The backup holds something that is neither a plain file, a folder nor a link: { $member } (kind { $kind }). It is not restored.
error-backup-odd-name = The backup holds a name or a reference that no backup of ours has: { $member }. It is not restored.
error-backup-twice = The backup holds two entries for one place: { $member }. It is not restored.
error-backup-planted = The backup holds { $member }, which does not belong in one: keys, tokens and programs come over only sealed with a passphrase. It is not restored.
error-backup-too-many = The backup has more than { $most } entries, or names that are too long in all.
error-backup-too-big = { $member } in the backup needs { $needed } MB, for which there is no room.
error-backup-behind = Something is hidden behind the end of the backup. It is not restored.
error-passphrase-needed = The keys need a passphrase. Give it with --passphrase-file FILE.
error-passphrase-file = The passphrase cannot be read from { $file } ({ $said }).
error-passphrase-differs = These were two different passphrases. Nothing was done.
error-passphrase-short = A passphrase has at least { $least } characters.
error-passphrase-wrong = That is not the passphrase of this backup. Nothing was changed. Without the keys: --without-keys
error-restore-running = A host is running on this workspace. Stop it first; nothing was changed.
error-restore-hosts = { $count ->
    [one] One host uses
   *[other] { $count } hosts use
} this database. Stop every host first; nothing was changed. After a crash wait until it is given up (database.host_lifetime).
error-restore-needs-yes = { $home } is not empty. What is there would be moved aside; say that you want it with --yes. Nothing was changed.
error-restore-not-sure = Nothing was changed.
error-restore-not-accepted = Nothing was changed.
error-outgoing-needs-accept = This workspace would send to, start, or be commanded by what is listed above. If all of it is yours, repeat the command with --accept { $digest }. Nothing was changed.
error-restore-no-room = The backup needs { $needed } MB, and { $free } MB are free. Nothing was changed.
error-restore-cut = The restore was cut off ({ $said }). Mend that, and restore again: nothing was deleted.
error-restore-unfinished = A restore of { $home } was cut off. Restore again with: { $command } restore FILE. What was there before is kept in { $aside }.
error-restored = it was on its way when the backup was made, and may have arrived since

# To whom a brought workspace would send

backup-not-taken = A restore would leave out (a link that leads out, or settings of another program): { $path }
outgoing-new = { $count ->
    [one] This is new, and takes effect only if you say so:
   *[other] These { $count } things are new, and take effect only if you say so:
  }
outgoing-setting = Setting { $name }: { $target }
outgoing-channel = Channel setting { $name }: { $target }
outgoing-group = Agent group { $name }: { $target }
outgoing-skill = Skill { $name } may reach { $target }
outgoing-server = MCP server { $name }: { $target }
outgoing-remote = Git remote { $name }: { $target }
outgoing-git = Git setting { $name }: { $target }
outgoing-owner = { $name } commands the host as an owner: { $target }
outgoing-admin = { $name } decides here as an admin: { $target }
outgoing-hook = Git hook { $name }
outgoing-bot = Telegram bot { $name }: whoever has its token can read what is written to it
outgoing-key = The key of { $name }: whoever owns it may see what is sent with it
outgoing-sure = Is all of it yours? y/N
trust-ours = This workspace is used here already: there is nothing to agree to.
trust-done = The workspace is yours now. The page has a new token.
error-trust-refused = Nothing was changed. The workspace stays closed to every other command.
error-workspace-brought = { $home } was copied here or made elsewhere, and would send to somebody or start programs. See the list, and agree to it or not: { $command } trust
error-workspace-database-program = { $file } holds triggers, views or computed columns, which our database never does: somebody made it act by itself. Remove it, or restore a backup of your own.
